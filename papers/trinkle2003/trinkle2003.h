// J. C. Trinkle: Formulation of multibody dynamics as complementarity problems (2003), section 4.
#pragma once

#include "papers/paper.h"

namespace stiction::papers::trinkle2003 {

/// Figures 8 and 9: all five steps at h = 0.12 against the closed form.
Result<void> sphere(const Context& context);
/// Four directions turned by pi/4, and 8, 16, 64 directions.
Result<void> directions(const Context& context);
/// Errors against h with observed orders.
Result<void> refinement(const Context& context);

}  // namespace stiction::papers::trinkle2003
