#include "stiction/events/events.h"

#include <fmt/format.h>

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

std::string describe_events(const EventSummary& summary) {
  struct Words {
    const char *one, *many;
  };
  constexpr std::array<Words, event_kind_count> words = {{{"impact", "impacts"},
                                                          {"contact made", "contacts made"},
                                                          {"contact lost", "contacts lost"},
                                                          {"slip begun", "slips begun"},
                                                          {"slip ended", "slips ended"},
                                                          {"limit reached", "limits reached"},
                                                          {"limit left", "limits left"},
                                                          {"accumulation passed", "accumulations passed"},
                                                          {"jam", "jams"}}};
  std::string text;
  for (size_t kind = 0; kind < words.size(); ++kind) {
    const long count = summary.count[kind];
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? words[kind].one : words[kind].many);
    if (kind == static_cast<size_t>(EventKind::impact) && summary.ambiguous > 0) {
      text += fmt::format(" ({} with several outcomes)", summary.ambiguous);
    }
  }
  return text.empty() ? "none" : text;
}

}  // namespace stiction
