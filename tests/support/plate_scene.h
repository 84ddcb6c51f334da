// A plate that slides on the ground under a friction set of its own: what tests of such sets share.
#pragma once

#include <string>

#include <fmt/format.h>

#include "stiction/math/types.h"

namespace stiction::testing {

/// A flat plate, nearly without height, so that friction does not tilt it; `material` holds the keys of its material.
inline std::string plate_scene(const std::string& method, const std::string& material, double duration,
                               const Vector3& velocity) {
  return fmt::format(R"(
[simulation]
method = "{}"
step = 1e-3
duration = {}
[material.m]
{}
[[body]]
name = "ground"
fixed = true
shape = {{ type = "plane", normal = [0, 0, 1], material = "m", friction_direction = [1, 0, 0] }}
[[body]]
name = "plate"
mass = 2.0
position = [0, 0, 5e-7]
linear_velocity = [{:.17g}, {:.17g}, {:.17g}]
shape = {{ type = "box", size = [0.2, 0.2, 1e-6], material = "m" }}
)",
                     method, duration, material, velocity.x(), velocity.y(), velocity.z());
}

}  // namespace stiction::testing
