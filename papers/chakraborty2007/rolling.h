// Rolling bodies: what the geometrically implicit method keeps and what facets and frozen geometry lose.
#pragma once

#include "papers/paper.h"

namespace stiction::papers::chakraborty2007 {

/// Disc, sphere and cylinder over 1000 revolutions; the disc with 10, 100, 1000 facets.
Result<void> rolling(const Context& context);
/// An ellipsoid that rocks as it rolls and a ball in a bowl: energy lost and error of both geometries, by step.
Result<void> rocking(const Context& context);
/// Curved bodies on each other: overlap and residual at every step, fallbacks counted.
Result<void> bodies(const Context& context);

}  // namespace stiction::papers::chakraborty2007
