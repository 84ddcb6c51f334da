// A run: steps until the end of the scene, or until one fails, and what they amount to.
#pragma once

#include <functional>
#include <map>

#include "stiction/base/infinity.h"
#include "stiction/events/events.h"
#include "stiction/simulation/simulation.h"
#include "stiction/stepping/existence/existence_summary.h"

namespace stiction {

/// The worst of a run, and how it went.
struct RunSummary {
  long steps = 0;
  double time = 0;  ///< s, at the end
  double wall_seconds = 0;
  double mean_contacts = 0;
  int max_contacts = 0;
  certify::StepCertificate certificate;  ///< worst over all steps; penetration includes the final state
  long steps_over_tolerance = 0;
  std::string_view impact_model = "none";  ///< how impacts were resolved apart from the steps' rows
  std::map<FallbackOf, long> fallbacks;    ///< islands that needed one, and steps after which a joint was open
  std::map<std::string, long> repairs;     ///< islands whose positions were repaired, by the algorithm that did
  long repair_iterations = 0;
  ExistenceSummary existence;
  EventSummary events;                        ///< of method event-driven
  std::map<std::string, double> open_joints;  ///< closing joints that projection left open: m or rad at most
  long iterations = 0;
  std::vector<std::pair<Stage, double>> profile;  ///< s: time by stage; empty unless the simulation measures it
  bool ok = true;
  std::string failure;  ///< of the step that could not be solved

  /// How often a fallback of this kind was needed.
  long count(Fallback kind) const;
  /// The fallbacks as text and JSON have them, by name.
  std::map<std::string, long> fallback_names() const;
};

/// Number of steps of length `step` that cover `duration` (a ratio within 1e-9 of a whole number counts as that
/// number).
long steps_for(double duration, double step);

/// Steps until settings().duration, or until a step fails; calls `after_step` (may be empty) after each taken step. A
/// run that takes more than `longest_seconds` of wall time ends after the step that did, and its failure says so.
RunSummary run(Simulation& simulation, const std::function<void(const StepOutcome&)>& after_step = {},
               double longest_seconds = infinity);

}  // namespace stiction
