// A. Rodriguez: Simulation of indeterminate multi-point impact and contact with friction (thesis, 2010).
#pragma once

#include "papers/paper.h"

namespace stiction::papers::rodriguez2010 {

/// Section 5.1, figures 5.1 to 5.3: the ball meets the corner steeply and slips at the wall.
Result<void> case_1(const Context& context);
/// Section 5.2, figures 5.4 to 5.6: the ball meets the corner at a small angle and sticks at the ground.
Result<void> case_2(const Context& context);
/// Section 5.3, figures 5.7 to 5.12: two outcomes, one for each constrained velocity.
Result<void> case_3(const Context& context);
/// The law on other bodies: rows of balls, a box that lands flat, a rod in the corner.
Result<void> impacts(const Context& context);
/// Random impacts under both rules: what their outcomes violate.
Result<void> random_impacts(const Context& context);

}  // namespace stiction::papers::rodriguez2010
