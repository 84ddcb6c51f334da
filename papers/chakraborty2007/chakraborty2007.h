// N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle: An implicit time-stepping method for quasi-rigid multibody
// systems with intermittent contact (2007), "Illustrative examples".
#pragma once

#include "papers/paper.h"

namespace stiction::papers::chakraborty2007 {

/// Example 1, figures 4 and 5: a disc falls on a layer, with and without contact with the core under it.
Result<void> disc(const Context& context);
/// Example 2, figures 6 and 7: a spinning ellipsoid falls on a layer, level and tilted.
Result<void> ellipsoid(const Context& context);

}  // namespace stiction::papers::chakraborty2007
