// M. Anitescu, F. A. Potra, D. E. Stewart: Time-stepping for three-dimensional rigid body dynamics (1998): impacts
// (section 4), drift of constraints and their qualification (section 2.5), and cost against the number of groups.
#pragma once

#include "papers/paper.h"

namespace stiction::papers::anitescu1998 {

/// Several impacts at once under Poisson's, Newton's and the safe model; a cradle, a superball, a bouncing rod.
Result<void> impacts(const Context& context);
/// Closing joints of a four-bar and a five-link loop over 10^4 steps with and without projection; dependent joints.
Result<void> drift(const Context& context);
/// Time per step against the number of separate groups of four bodies.
Result<void> groups(const Context& context);

}  // namespace stiction::papers::anitescu1998
