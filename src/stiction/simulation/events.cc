#include "stiction/simulation/events.h"

namespace stiction {

std::string_view event_kind_name(EventKind kind) {
  constexpr std::array<std::string_view, event_kind_count> names = {"impact",      "contact made", "contact lost",
                                                                    "slip begins", "slip ends",    "limit reached",
                                                                    "limit left",  "accumulation", "jam"};
  return names[static_cast<size_t>(kind)];
}

void EventSummary::add(const StepEvents& events) {
  for (const Event& event : events.events) ++count[static_cast<size_t>(event.kind)];
  for (const EventImpact& impact : events.impacts) {
    if (impact.by_step) {
      ++by_step;
      continue;
    }
    const auto& all = impact.result.outcomes;
    outcomes += static_cast<long>(all.size());
    ambiguous += all.size() > 1 ? 1 : 0;
    flagged += impact.result.picked >= 0 && all[impact.result.picked].violations() > 0 ? 1 : 0;
  }
  evaluations += events.evaluations;
}

}  // namespace stiction
