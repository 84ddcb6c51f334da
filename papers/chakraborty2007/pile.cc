#include "papers/chakraborty2007/pile.h"

#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>

namespace stiction::papers::chakraborty2007 {

std::string pile_scene(int count) {
  std::string text = R"(
[simulation]
method = "implicit-geometry"
step = 1e-3
duration = 1.2
[material.dry]
friction = 0.3
[[body]]
name = "bowl"
fixed = true
shape = { type = "bowl", radius = 1.0, material = "dry" }
)";
  std::mt19937 random(3);
  const auto number = [&] { return static_cast<double>(random()) / std::mt19937::max() - 0.5; };
  for (int i = 0; i < count; ++i) {
    const int ring = i / 7;
    const double angle = 2 * std::numbers::pi * (i % 7) / 7 + 0.4 * ring, from_axis = i % 7 == 6 ? 0.0 : 0.3;
    double q[4], squared = 0;
    for (double& part : q) part = number(), squared += part * part;
    for (double& part : q) part /= std::sqrt(squared);
    text += fmt::format(
        "[[body]]\nname = \"ellipsoid_{}\"\ndensity = 1000\nposition = [{:.6f}, {:.6f}, {:.6f}]\n"
        "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n"
        "shape = {{ type = \"ellipsoid\", radii = [0.09, 0.07, 0.05], material = \"dry\" }}\n",
        i, from_axis * std::cos(angle), from_axis * std::sin(angle), -0.8 + 0.2 * ring, q[0], q[1], q[2], q[3]);
  }
  return text;
}

}  // namespace stiction::papers::chakraborty2007
