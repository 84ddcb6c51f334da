#include "stiction/stepping/existence/existence_summary.h"

#include <fmt/format.h>

namespace stiction {

void count_existence(const Model& model, const StepRecord& w, double time, ExistenceSummary& summary) {
  bool checked = false, undecided = false, not_pointed = false;
  for (int i = 0; i < static_cast<int>(w.reports.size()); ++i) {
    const Existence existence = w.reports[i].existence;
    checked |= existence != Existence::unchecked;
    undecided |= existence == Existence::undecided;
    if (existence != Existence::not_pointed || not_pointed) continue;
    not_pointed = true;
    if (summary.not_pointed > 0) continue;
    summary.first_time = time;
    summary.first_bodies = island_bodies(model, w.islands[i]);
  }
  summary.checked += checked ? 1 : 0;
  summary.not_pointed += not_pointed ? 1 : 0;
  summary.undecided += undecided && !not_pointed ? 1 : 0;
}

std::vector<std::string> island_bodies(const Model& model, const contact::Island& island) {
  std::vector<std::string> names;
  for (const int t : island.trees) {
    const Tree& tree = model.trees[t];
    for (int j = 0; j < tree.joint_count; ++j) {
      names.push_back(model.bodies[model.tree_joints[tree.first_joint + j].child].name);
    }
  }
  return names;
}

std::string describe_existence(const ExistenceSummary& summary) {
  if (summary.checked == 0) return {};
  std::string text =
      summary.not_pointed == 0
          ? fmt::format("friction cones pointed in {} of {} steps with contacts", summary.checked - summary.undecided,
                        summary.checked)
          : fmt::format("pointedness lost in {} of {} steps with contacts, first at t = {:.6g} s, bodies",
                        summary.not_pointed, summary.checked, summary.first_time);
  for (const std::string& name : summary.first_bodies) text += fmt::format(" [{}]", name);
  if (summary.undecided > 0) text += fmt::format("; undecided in {}", summary.undecided);
  return text;
}

}  // namespace stiction
