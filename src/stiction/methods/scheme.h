// What a method may ask of the step around its rows: impacts, cuts, projection.
#pragma once

#include <string_view>

namespace stiction::methods {

/// How a rebound is made of an impact; see simulation/impact.h.
enum class ImpactModel {
  none,     ///< not apart from the step: its rows ask for restitution * approach speed themselves
  poisson,  ///< compression, then a share of its impulses given back
  newton,   ///< restitution * approach speed, in one phase
  safe,     ///< compression only, continued: v+ = (1 + e) vc - e v-
};

/// "none", "poisson", "newton" or "safe".
constexpr std::string_view impact_model_name(ImpactModel model) {
  constexpr std::string_view names[] = {"none", "poisson", "newton", "safe"};
  return names[static_cast<int>(model)];
}

/// What a method wants of the step around its rows.
struct StepScheme {
  ImpactModel impact = ImpactModel::none;
  bool continuous = false;      ///< steps are cut where bodies hit each other
  int projection_interval = 0;  ///< closing joints are put right every so many steps; 0: never
  bool end_geometry = false;    ///< contacts are those of the end of the step: the certificate looks there
  bool judged_by_end = true;    ///< with end_geometry: a step that the certificate refutes there is not solved
  int halvings = 0;             ///< a step that is not solved is cut in two this often, before the last resort
};

}  // namespace stiction::methods
