#include "papers/rodriguez2010/event_run.h"

#include <algorithm>

#include "stiction/events/event_loop.h"

namespace stiction::papers::rodriguez2010 {

Pose EventRun::pose(const std::string& body) {
  return simulation.kinematics().X_WB[simulation.model().find_body(body)];
}

Twist EventRun::velocity(const std::string& body) {
  return simulation.kinematics().velocity[simulation.model().find_body(body)];
}

std::vector<double> EventRun::impact_times() const {
  std::vector<double> times;
  for (const Event& event : events) {
    if (event.kind == EventKind::impact && (times.empty() || times.back() != event.time)) times.push_back(event.time);
  }
  return times;
}

long EventRun::count(EventKind kind) const {
  return std::count_if(events.begin(), events.end(), [&](const Event& event) { return event.kind == kind; });
}

Result<EventRun> run_events(std::string_view scene, std::vector<std::string> overrides, const Watch& watch) {
  auto opened = open_example(scene, overrides);
  if (!opened) return failure(opened.error());
  EventRun result{std::move(*opened), {}, {}, {}};
  if (watch) watch(result.simulation);
  result.summary = run(result.simulation, [&](const StepOutcome&) {
    const StepEvents& last = *result.simulation.step_events();
    const int known = static_cast<int>(result.impacts.size());
    for (Event event : last.events) {
      if (event.impact >= 0) event.impact += known;
      result.events.push_back(event);
    }
    result.impacts.insert(result.impacts.end(), last.impacts.begin(), last.impacts.end());
    if (watch) watch(result.simulation);
  });
  if (!result.summary.ok) {
    return failure({.what = result.summary.failure, .remedy = "This is a defect: please report it."});
  }
  return result;
}

report::Plot make_panel(std::string title, std::string x_label, std::string y_label) {
  report::Plot panel;
  panel.title = std::move(title);
  panel.x_label = std::move(x_label);
  panel.y_label = std::move(y_label);
  return panel;
}

}  // namespace stiction::papers::rodriguez2010
