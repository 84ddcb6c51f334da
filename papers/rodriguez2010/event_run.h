// A scene run by the method event-driven, with the events and impacts of all its steps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "papers/paper.h"
#include "stiction/events/events.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::rodriguez2010 {

/// How a run went; Event::impact is an index into `impacts`.
struct EventRun {
  Simulation simulation;
  RunSummary summary;
  std::vector<Event> events;
  std::vector<EventImpact> impacts;

  /// Pose and velocity of a body at the end.
  Pose pose(const std::string& body);
  Twist velocity(const std::string& body);

  /// Times at which there were impacts, each once.
  std::vector<double> impact_times() const;
  /// Events of a kind.
  long count(EventKind kind) const;
};

/// Called before the first step and after each.
using Watch = std::function<void(Simulation&)>;

/// Runs an embedded scene to its end.
Result<EventRun> run_events(std::string_view scene, std::vector<std::string> overrides, const Watch& watch = {});

/// An empty panel with its labels.
report::Plot make_panel(std::string title, std::string x_label, std::string y_label);

}  // namespace stiction::papers::rodriguez2010
