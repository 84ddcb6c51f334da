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
/// The cases of chapter 5 as scenes, under both rules.
Result<void> corner_scenes(const Context& context);
/// A ball bounces to rest: impact times against the closed form, the accumulation of impacts passed.
Result<void> bouncing(const Context& context);
/// Blocks that rock from edge to edge, against Housner's.
Result<void> rocking(const Context& context);
/// A box that falls flat, a rod in the corner and rows of balls as scenes.
Result<void> landing(const Context& context);
/// Time stepping against event-driven motion as the step falls.
Result<void> convergence(const Context& context);

}  // namespace stiction::papers::rodriguez2010
