// Friction sets that are not ellipses under the default method: closed forms on an incline, another method, a pile.
//
// A plate that starts at rest under a pull p g along the ground (gravity g down) sticks where p lies in F. Outside, it
// moves at v = t g (p - b) with b the point of F nearest to p: p - b is in the normal cone at b, which is what maximum
// dissipation asks for, at every step.
#include <numbers>

#include "stiction/problem/friction_cone.h"
#define STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE
#include "support/allocation_counter.h"
#include "support/plate_scene.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;

std::string flat_plate(const std::string& material, const Vector2& velocity, const std::string& method = "exact-cone") {
  return plate_scene(method, material, 0.1, {velocity.x(), velocity.y(), 0});
}

// A set, as a scene states it and as its nearest points are found by hand.
struct StatedSet {
  std::string material;
  FrictionCone cone;
  std::function<Vector2(const Vector2&)> nearest;
};

// |x| + |y| <= r: both lose the same, none more than it has.
Vector2 nearest_in_diamond(const Vector2& p, double r) {
  const Vector2 a = p.cwiseAbs();
  if (a.sum() <= r) return p;
  double loss = (a.sum() - r) / 2;
  if (loss > a.minCoeff()) loss = a.maxCoeff() - r;
  const auto shrink = [&](double x) { return std::copysign(std::max(0.0, std::abs(x) - loss), x); };
  return {shrink(p.x()), shrink(p.y())};
}

// |x / a|^n + |y / b|^n <= 1 by a golden section along the boundary.
Vector2 nearest_in_superellipse(const Vector2& p, double a, double b, double n) {
  if (std::pow(std::abs(p.x()) / a, n) + std::pow(std::abs(p.y()) / b, n) <= 1) return p;
  const auto point = [&](double angle) {
    return Vector2(std::copysign(a * std::pow(std::cos(angle), 2 / n), p.x()),
                   std::copysign(b * std::pow(std::sin(angle), 2 / n), p.y()));
  };
  const auto distance = [&](double angle) { return (point(angle) - p).norm(); };
  double low = 0, high = std::numbers::pi / 2;
  for (int k = 0; k < 100; ++k) {
    const double s = low + 0.381966 * (high - low), t = high - 0.381966 * (high - low);
    (distance(s) < distance(t) ? high : low) = distance(s) < distance(t) ? t : s;
  }
  return point((low + high) / 2);
}

std::vector<StatedSet> stated_sets() {
  const Vector2 blade(0.4, 0.3);  // of length 0.5
  return {
      {"friction_polygon = [[0.4, 0], [0, 0.4], [-0.4, 0], [0, -0.4]]", *make_superellipse_cone(0.4, 0.4, 1),
       [](const Vector2& p) { return nearest_in_diamond(p, 0.4); }},
      {"friction_polygon = [[0.5, 0.2], [-0.5, 0.2], [-0.5, -0.2], [0.5, -0.2]]",
       *make_polygon_cone(std::vector<Vector2>{{0.5, 0.2}, {-0.5, 0.2}, {-0.5, -0.2}, {0.5, -0.2}}),
       [](const Vector2& p) { return Vector2(std::clamp(p.x(), -0.5, 0.5), std::clamp(p.y(), -0.2, 0.2)); }},
      {"friction_polygon = [[0.4, 0.3], [-0.4, -0.3]]", *make_polygon_cone(std::vector<Vector2>{blade, -blade}),
       [=](const Vector2& p) { return Vector2(blade * std::clamp(p.dot(blade) / blade.squaredNorm(), -1.0, 1.0)); }},
      {"friction = [0.6, 0.3]\nfriction_exponent = 4", *make_superellipse_cone(0.6, 0.3, 4),
       [](const Vector2& p) { return nearest_in_superellipse(p, 0.6, 0.3, 4); }},
      {"friction = [0.6, 0.3]\nfriction_exponent = 1.5", *make_superellipse_cone(0.6, 0.3, 1.5),
       [](const Vector2& p) { return nearest_in_superellipse(p, 0.6, 0.3, 1.5); }}};
}

std::string gravity(const Vector2& pull) {
  return fmt::format("simulation.gravity=[{:.17g}, {:.17g}, -9.81]", g * pull.x(), g * pull.y());
}

TEST(ExactConeSets, APlateOnAnInclineSticksAndSlidesAsTheClosedFormSays) {
  for (const StatedSet& set : stated_sets()) {
    for (int k = 0; k < 8; ++k) {
      const double angle = 0.2 + k * std::numbers::pi / 4;
      const Vector2 down(std::cos(angle), std::sin(angle));
      // How far F reaches along `down`; a segment does not.
      double reach = 1e9;
      for (int i = 0; i < constraint_count(set.cone); ++i) {
        const double along = constraint_value(set.cone, i, 0, down.data());
        if (along > 0) reach = std::min(reach, std::pow(along, -1 / homogeneity(set.cone)));
      }
      for (const double factor : {0.99, 1.01, 1.6}) {
        const Vector2 pull = factor * reach * down, left = pull - set.nearest(pull);
        Simulation simulation = open_text(flat_plate(set.material, Vector2::Zero()), {gravity(pull)});
        double worst = 0;
        const RunSummary summary = run_all(simulation, [&] {
          const Vector3 v = velocity(simulation, "plate").linear;
          worst = std::max(worst, (Vector2(v.x(), v.y()) - simulation.state().time * g * left).norm());
        });
        EXPECT_LT(worst, 1e-7) << set.material << ' ' << angle << ' ' << factor;  // of the golden section
        EXPECT_LT(summary.certificate.worst(), 1e-8) << set.material << ' ' << angle << ' ' << factor;
        if (factor < 1 && set.cone.vertices.size() != 2) {
          const Vector3 end = position(simulation, "plate");
          EXPECT_LT(std::hypot(end.x(), end.y()), 1e-9) << set.material << ' ' << angle;
        }
      }
    }
  }
}

// Both methods solve the same law while the plate lies flat.
TEST(ExactConeSets, ASlidingPlateMovesAsUnderAnitescuPotra) {
  for (const StatedSet& set : stated_sets()) {
    for (const Vector2& start : {Vector2(1, 0.5), Vector2(-0.3, 0.2)}) {
      Simulation own = open_text(flat_plate(set.material, start));
      Simulation other = open_text(flat_plate(set.material, start, "anitescu-potra"));
      double worst = 0;
      for (int k = 0; k < 100; ++k) {
        ASSERT_TRUE(own.step().ok && other.step().ok);
        worst = std::max(worst, (velocity(own, "plate").linear - velocity(other, "plate").linear).norm());
      }
      EXPECT_LT(worst, 1e-8) << set.material;
    }
  }
}

TEST(ExactConeSets, SpinningPlatesAreCertifiedAndLoseEnergy) {
  for (const StatedSet& set : stated_sets()) {
    Simulation simulation = open_text(flat_plate(set.material, {0.7, -0.4}), {"body.plate.angular_velocity=[0, 0, 8]"});
    double energy = 1e300;
    const RunSummary summary = run_all(simulation, [&] {
      EXPECT_LE(simulation.energies().kinetic, energy + 1e-12);
      energy = simulation.energies().kinetic;
    });
    EXPECT_LT(summary.certificate.worst(), 1e-8) << set.material;
  }
}

// The set alone decides which solver an island goes to, also where another one is named.
TEST(ExactConeSets, ANamedSolverDoesNotTurnTheSetIntoADisc) {
  const StatedSet diamond = stated_sets()[0];
  Simulation simulation = open_text(flat_plate(diamond.material, Vector2::Zero()),
                                    {gravity({0.25, 0.25}), "simulation.solver=gauss-seidel"});
  run_all(simulation);
  const Vector3 v = velocity(simulation, "plate").linear;  // outside the diamond by 0.05 each, inside its disc
  EXPECT_NEAR(v.x(), 0.1 * g * 0.05, 1e-8);
  EXPECT_NEAR(v.y(), 0.1 * g * 0.05, 1e-8);
}

// What sticks returns to its anchor within the set: a plate on a turntable stays where it is.
TEST(ExactConeSets, WhatSticksDoesNotDrift) {
  const std::string scene = R"(
[simulation]
method = "exact-cone"
step = 5e-3
duration = 2
[material.m]
friction_polygon = [[0.5, 0], [0, 0.5], [-0.5, 0], [0, -0.5]]
[[body]]
name = "table"
position = [0, 0, -0.05]
motion = { angular_velocity = [0, 0, 1.5] }
shape = { type = "box", size = [4, 4, 0.1], material = "m", friction_direction = [1, 0, 0] }
[[body]]
name = "plate"
mass = 1.0
position = [1, 0, 0.02]
linear_velocity = [0, 1.5, 0]
angular_velocity = [0, 0, 1.5]
shape = { type = "box", size = [0.2, 0.2, 0.04], material = "m" }
)";
  Simulation simulation = open_text(scene);
  const RunSummary summary = run_all(simulation);
  const Vector3 end = position(simulation, "plate");
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  EXPECT_NEAR(std::hypot(end.x(), end.y()), 1, 1e-4);
}

// A ball that rolls against resistance does not slip: its friction set makes no difference, and both work together.
TEST(ExactConeSets, RollingFrictionWorksBesideASet) {
  const auto ball = [](const std::string& set) {
    return open_text(fmt::format(R"(
[simulation]
method = "exact-cone"
step = 1e-3
duration = 0.5
[material.m]
rolling_friction = 0.02
{}
[[body]]
name = "ground"
fixed = true
shape = {{ type = "plane", material = "m" }}
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.1]
linear_velocity = [1, 0.5, 0]
angular_velocity = [-5, 10, 0]
shape = {{ type = "sphere", radius = 0.1, material = "m" }}
)",
                                 set));
  };
  Simulation round = ball(""), polygon = ball("friction_polygon = [[0.5, 0], [0, 0.5], [-0.5, 0], [0, -0.5]]");
  const RunSummary summary = run_all(polygon);
  run_all(round);
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  EXPECT_LT(velocity(polygon, "ball").linear.x(), 0.95);
  EXPECT_LT((velocity(polygon, "ball").linear - velocity(round, "ball").linear).norm(), 1e-7);
}

// Ten boxes of different sizes that fall on each other.
std::string box_pile(const std::string& material, double duration) {
  std::string text = fmt::format(R"(
[simulation]
method = "exact-cone"
step = 4e-3
duration = {}
[material.m]
{}
[[body]]
name = "ground"
fixed = true
shape = {{ type = "plane", material = "m", friction_direction = [1, 0, 0] }}
)",
                                 duration, material);
  for (int k = 0; k < 10; ++k) {
    text += fmt::format(R"(
[[body]]
name = "box{}"
mass = {}
position = [{}, {}, {}]
orientation = [1, {}, {}, {}]
shape = {{ type = "box", size = [{}, 0.2, 0.15], material = "m" }}
)",
                        k, 1 + k % 3, 0.03 * (k % 4) - 0.04, 0.02 * (k % 3), 0.15 + 0.2 * k, 0.02 * (k % 5),
                        0.03 * (k % 2), 0.1 * (k % 3), 0.2 + 0.02 * (k % 4));
  }
  return text;
}

const std::string hexagon =
    "friction_polygon = [[0.5, 0], [0.25, 0.4], [-0.25, 0.4], [-0.5, 0], [-0.25, -0.4], [0.25, -0.4]]";

TEST(ExactConeSets, APileIsCertifiedAtEveryStep) {
  for (const std::string& material : {hexagon, std::string("friction = [0.6, 0.4]\nfriction_exponent = 5")}) {
    Simulation simulation = open_text(box_pile(material, 2.0));
    const RunSummary summary = run_all(simulation);
    EXPECT_LT(summary.certificate.normal, 1e-8) << material;
    EXPECT_LT(summary.certificate.cone, 1e-8) << material;
    EXPECT_LT(summary.certificate.friction, 1e-8) << material;
    EXPECT_LT(summary.certificate.momentum, 1e-8) << material;
    for (const auto& [fallback, count] : summary.fallbacks) EXPECT_FALSE(left_unsolved(fallback.kind)) << material;
  }
}

TEST(ExactConeSets, TheSameBitsOnTwoThreads) {
  Simulation one = open_text(box_pile(hexagon, 0.4)), two = open_text(box_pile(hexagon, 0.4), {"simulation.threads=2"});
  run_all(one);
  run_all(two);
  EXPECT_EQ((one.state().q - two.state().q).cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ((one.state().v - two.state().v).cwiseAbs().maxCoeff(), 0);
}

TEST(ExactConeSets, AWarmStepAllocatesNothing) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  Simulation simulation = open_text(box_pile(hexagon, 0.6));
  const State start = simulation.state();
  run_all(simulation);
  simulation.restore(start, 0);
  const long steps = steps_for(0.6, 4e-3), before = allocation_count.load();
  for (long i = 0; i < steps; ++i) ASSERT_TRUE(simulation.step().ok);
  EXPECT_EQ(allocation_count.load() - before, 0);
}

}  // namespace
}  // namespace stiction::testing
