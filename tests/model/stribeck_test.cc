// The Stribeck curve at its ends and between, and what two materials make of it.
#include "stiction/model/stribeck.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stiction/model/model.h"

namespace stiction {
namespace {

Material material(double friction, double static_friction, double transition_speed) {
  Material m;
  m.name = "m";
  m.friction = {friction, friction};
  m.static_friction = static_friction;
  m.stribeck_velocity = transition_speed;
  return m;
}

TEST(Stribeck, FallsFromStaticToSlidingFriction) {
  const Material m = material(0.3, 0.6, 0.2);
  EXPECT_DOUBLE_EQ(0.3 * friction_factor(m, 0), 0.6);
  EXPECT_NEAR(0.3 * friction_factor(m, 0.2), 0.3 + 0.3 / std::exp(1.0), 1e-15);
  EXPECT_NEAR(0.3 * friction_factor(m, 20), 0.3, 1e-15);  // exp(-100)
  EXPECT_GT(friction_factor(m, 0.1), friction_factor(m, 0.11));
}

TEST(Stribeck, JumpsWithoutATransitionSpeed) {
  const Material m = material(0.3, 0.6, 0);
  EXPECT_DOUBLE_EQ(friction_factor(m, 0), 2);
  EXPECT_EQ(friction_factor(m, 1e-300), 1);
}

// A scene that states no static friction is computed as if there were none: factors of exactly one.
TEST(Stribeck, IsExactlyOneWithoutStaticFriction) {
  for (const Material& m : {material(0.3, -1, 0.2), material(0.3, 0.3, 0.2), material(0, -1, 0), material(0, 0, 1)}) {
    for (const double slip : {0.0, 1e-9, 0.1, 10.0}) EXPECT_EQ(friction_factor(m, slip), 1.0);
  }
}

TEST(Stribeck, IsMeasuredByTheReachOfTheSet) {
  Material m = material(0.3, 0.6, 0);
  m.friction = {0.2, 0.5};
  EXPECT_DOUBLE_EQ(static_factor(m), 1.2);
  m.friction_polygon = {{0.3, 0.4}, {-0.3, 0.1}, {0.1, -0.3}};
  EXPECT_DOUBLE_EQ(sliding_friction(m), 0.5);
  EXPECT_DOUBLE_EQ(static_factor(m), 1.2);
}

// Geometric means: of sliding friction, and of what rest adds to it. An ellipse that states none adds nothing.
TEST(Stribeck, MaterialsCombineByTheirFactors) {
  ModelDescription description;
  Material a = material(0.2, 0.8, 0.1), b = material(0.5, -1, 0.3), c = material(0, -1, 0);
  a.name = "a", b.name = "b", c.name = "c";
  b.friction = {0.5, 0.1};
  description.materials = {a, b, c};
  description.bodies.emplace_back();
  description.bodies[0].name = "ground";
  description.bodies[0].fixed = true;
  const Result<BuiltModel> built = build_model(description);
  ASSERT_TRUE(built.has_value()) << built.error().message();
  const std::vector<Material>& pairs = built->model.pair_table;  // default, a, b, c
  EXPECT_EQ(pairs[1 * 4 + 1].static_friction, 0.8);
  EXPECT_EQ(static_factor(pairs[2 * 4 + 2]), 1);
  EXPECT_NEAR(static_factor(pairs[1 * 4 + 2]), 2, 1e-14);  // sqrt(4 * 1)
  EXPECT_EQ(pairs[1 * 4 + 2].stribeck_velocity, 0.3);
  EXPECT_EQ(static_factor(pairs[1 * 4 + 3]), 1);  // smooth
}

}  // namespace
}  // namespace stiction
