// M. Anitescu, F. A. Potra, D. E. Stewart: Time-stepping for three-dimensional rigid body dynamics (1998): what happens
// as h falls.
#pragma once

#include "papers/paper.h"

namespace stiction::papers::anitescu1998 {

/// Painleve's rod where accelerations do not exist: an impact without collision, as h falls.
Result<void> painleve(const Context& context);
/// Positions uniformly, velocities pointwise, impulses as measures, against exact motions.
Result<void> convergence(const Context& context);
/// A tumbling box in four representations of its orientation.
Result<void> representations(const Context& context);

}  // namespace stiction::papers::anitescu1998
