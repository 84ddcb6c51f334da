// What happens at an event: impacts, then new modes; see event_loop.h.
#pragma once

#include <optional>
#include <string>

#include "stiction/events/event_motion.h"

namespace stiction {

/// Why motion stopped.
struct EventTrigger {
  bool gap = false;                     ///< something open came to touch
  std::vector<std::uint64_t> landed;    ///< tracked contacts whose gap fell through zero
  std::vector<std::uint64_t> stopped;   ///< contacts whose slip ended
  std::vector<std::uint64_t> unmoved;   ///< joints whose motion against dry friction ended
  std::vector<std::uint64_t> unturned;  ///< contacts whose rolling ended
};

/// Settles one event after the other of a step.
class EventSettler {
 public:
  /// What a step is settled with.
  struct Setting {
    const Model& model;
    const EventDrivenOptions& options;
    IslandSolver& instants;
    const StepInput& input;
    const contact::ContactMemory& memory;  ///< of the last step that was taken
  };

  EventSettler(const Setting& step, EventWork& work, EventMotion& motion)
      : step_(step), model_(step.model), options_(step.options), m_(work), motion_(motion) {}

  /// Resolves impacts at `state` and finds modes. False: `failure` says why, the state is of no use.
  bool settle(const EventTrigger& trigger, State& state);

  /// Puts velocities and gaps of what is closed right; uses the motion's last accelerate() at `state`.
  void put_right(State& state);

  std::string failure;
  certify::StepCertificate certificate;  ///< of all impacts
  bool ended = false;                    ///< a pair hit too often in this step and lost its restitution
  int by_step = 0;

 private:
  struct ClosedRows;
  // Who takes part in an impact.
  struct Hits {
    std::vector<InstantItem> items;
    std::vector<double> restitution;  // one per contact of m_.rows
    std::vector<Event> events;
  };
  void look(const EventTrigger& trigger, const State& state);
  double rest_speed() const;
  bool resolve_impacts(const EventTrigger& trigger, State& state);
  bool hits_something(const contact::Island& island, double rest) const;
  Hits collect_hits(const contact::Island& island, const std::vector<bool>& takes_part, double time);
  bool resolve_island(int index, const std::vector<bool>& takes_part, State& state);
  bool resolve_by_step(int only, double load_time, const State& state, VectorX& v, VectorX& impulse);
  double restitution_of(int contact, double time);
  void certify_impact(const VectorX& before, const VectorX& change, const VectorX& impulse,
                      const std::vector<bool>& takes_part);
  double slow_speed() const;
  std::optional<ContactMode> contact_candidate(int c, const EventTrigger& trigger, double rest);
  std::optional<ContactMode> scalar_candidate(int k, const EventTrigger& trigger, double rest);
  void set_slip(const Vector3& slip, const EventTrigger& trigger, double rest, ContactMode& mode) const;
  void choose_candidates(const EventTrigger& trigger);
  StepProblem acceleration_problem(const ModeProblem& problem, double scale) const;
  ClosedRows closed_rows(const ModeProblem& modes) const;
  bool find_all_modes(State& state);
  bool guess_modes(const contact::Island& island, const State& state, ModeProblem& problem);
  void keep_closed();
  void log_changes(const ModeSet& before, double time);
  void track(std::uint64_t key);
  Event contact_event(EventKind kind, int contact, double time) const;
  Event scalar_event(EventKind kind, int scalar, double time) const;

  Setting step_;
  const Model& model_;
  const EventDrivenOptions& options_;
  EventWork& m_;
  EventMotion& motion_;
  std::vector<bool> hits_, limit_hits_;  // of m_.rows: allowed to hit now
  bool jammed_ = false;
  VectorX round_change_, round_impulse_;  // of all islands' impacts at one time
};

}  // namespace stiction
