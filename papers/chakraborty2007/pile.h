// Ellipsoids that fall into a bowl: the scene of the example `bodies` and of a benchmark.
#pragma once

#include <string>

namespace stiction::papers::chakraborty2007 {

/// Scene text: `count` ellipsoids in rings above the bottom of a bowl, turned at random, always the same.
std::string pile_scene(int count);

}  // namespace stiction::papers::chakraborty2007
