// The plots of chapter 5: friction against slip with its feasible regions, the path of the ball, its energies.
#pragma once

#include <filesystem>
#include <string>

#include "papers/rodriguez2010/corner.h"
#include "stiction/base/error.h"

namespace stiction::papers::rodriguez2010 {

/// Three figures of an outcome; the paper numbers them one after the other.
struct OutcomeFigures {
  std::string title;              ///< "Case 1"
  int number = 1;                 ///< of the first one: 5.number
  CornerContact examined = wall;  ///< whose tangential velocity is looked for
};

/// Writes figure5_N.svg, N = number, number + 1, number + 2.
Result<void> draw_outcome(const CornerImpact& impact, const ImpactOutcome& outcome, const OutcomeFigures& figures,
                          const std::filesystem::path& folder);

}  // namespace stiction::papers::rodriguez2010
