#include "stiction/methods/shared/friction_sets.h"

#include <algorithm>

namespace stiction::methods {

const Material* find_general_set(const Model& model) {
  const auto states = [](const Material& m) { return !m.friction_polygon.empty() || m.friction_exponent != 2; };
  for (const auto* materials : {&model.materials, &model.pair_table}) {
    const auto found = std::find_if(materials->begin(), materials->end(), states);
    if (found != materials->end()) return &*found;
  }
  return nullptr;
}

bool has_general_set(const StepProblem& problem, const contact::Island& island) {
  return std::any_of(island.contacts.begin(), island.contacts.end(),
                     [&](int c) { return problem.contacts[c].cone != nullptr; });
}

}  // namespace stiction::methods
