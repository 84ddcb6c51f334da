// How a rebound is made of an impact that is resolved apart from the step; see impact.h.
#pragma once

#include <string_view>

namespace stiction {

/// Laws of restitution.
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

}  // namespace stiction
