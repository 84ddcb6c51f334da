// M. Anitescu, F. A. Potra, D. E. Stewart: Time-stepping for three-dimensional rigid body dynamics (1998).
#pragma once

#include "papers/paper.h"

namespace stiction::papers::anitescu1998 {

/// Section 3.1, figure 1: the friction cone of a groove that is neither closed nor pointed.
Result<void> wedge(const Context& context);
/// Section 3: friction in its cone and of maximum dissipation for every kind of cone; ways of sliding pucks.
Result<void> cones(const Context& context);

}  // namespace stiction::papers::anitescu1998
