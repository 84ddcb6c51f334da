// The residual of an answer beyond rounding, for answers so large that doubles cannot tell.
//
// Where a problem has no answer, or light bodies are squeezed between heavy ones, impulses can grow until the rounding
// of W r is as large as q; the residual in doubles may then be small by luck. This one takes the unscaled problem in
// long double and counts what rounding may still hide as a violation.
#pragma once

#include <span>

#include "stiction/solvers/friction/kernels/scaled_friction.h"

namespace stiction::solvers {

/// Could rounding hide a violation of that size? A quick bound from the sizes of r'.
bool rounding_may_hide(const ScaledFriction& s, const double* r, double tolerance);

/// Normalised natural-map residual of r'.
double accurate_residual(const ScaledFriction& s, const double* r);

}  // namespace stiction::solvers
