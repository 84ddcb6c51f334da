// The polygon of stewart-trinkle converges to the round cone of exact-cone: its deficit with the square of the angle
// between directions, the direction of its force with the angle itself. The table of docs/methods/exact-cone.md.
#include <numbers>

#include "support/simulate.h"

namespace stiction::testing {
namespace {

// A ball that slides along x for 0.1 s.
Vector3 slid(const Overrides& method) {
  Overrides overrides = timing(1e-2, 0.1, method);
  Simulation simulation = open_text(R"(
[material.wood]
friction = 0.4
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", material = "wood", friction_direction = [1, 0, 0] }
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.1]
linear_velocity = [2, 0, 0]
shape = { type = "sphere", radius = 0.1, material = "wood" }
)",
                                    overrides);
  run_all(simulation);
  return velocity(simulation, "ball").linear;
}

// The polygon turned so that the slip starts `share` of the half angle pi / n from a direction.
Vector3 slid_on_polygon(int directions, double share) {
  return slid({"simulation.method=stewart-trinkle",
               fmt::format("method.stewart-trinkle.friction_directions={}", directions),
               set("method.stewart-trinkle.friction_angle", share * std::numbers::pi / directions)});
}

TEST(PolyhedralConvergence, PolygonsConvergeToTheRoundCone) {
  const Vector3 round = slid({"simulation.method=exact-cone"});
  EXPECT_NEAR(round.x(), 2 - 0.4 * 9.81 * 0.1, 1e-9);
  std::vector<double> angles, deficit, aside;
  for (int n = 4; n <= 256; n *= 2) {
    angles.push_back(2 * std::numbers::pi / n);
    deficit.push_back((slid_on_polygon(n, 1) - round).norm());
    aside.push_back((slid_on_polygon(n, 0.5) - round).norm());
    EXPECT_LE(deficit.back(), 0.4 * 9.81 * 0.1 * (1 - std::cos(angles.back() / 2)) + 1e-9) << n;
  }
  EXPECT_NEAR(observed_order(angles, deficit), 2, 0.05);
  EXPECT_NEAR(observed_order(angles, aside), 1, 0.05);
}

}  // namespace
}  // namespace stiction::testing
