// The robot that holds a tennis ball (scenes/grasp.toml): short versions of `stiction reproduce drumwright2009`.
#include <cmath>

#include <gtest/gtest.h>

#include "stiction/scene/scene.h"
#include "stiction/simulation/run.h"
#include "support/places.h"

namespace stiction {
namespace {

struct Held {
  double drift = 0;     // m, of the ball in the plane of the pads, largest over the run
  double straight = 0;  // m, what the ball moves in the gripper by going straight on while the gripper turns
};

Held hold(std::vector<std::string> overrides) {
  auto scene = scene::load_scene(stiction::testing::source_path("scenes/grasp.toml"), overrides);
  EXPECT_TRUE(scene) << scene.error().message();
  auto built = build_model(scene->model);
  auto created = Simulation::create(std::move(*built), scene->settings);
  EXPECT_TRUE(created) << created.error().message();
  Simulation& simulation = *created;
  const Model& model = simulation.model();
  const int ball = model.find_body("ball"), palm = model.find_body("palm");
  const auto seen = [&] {
    const Kinematics& k = simulation.kinematics();
    return Vector3(k.X_WB[palm].R.transpose() * (k.com_W[ball] - k.X_WB[palm].p));
  };
  const Vector3 start = seen();
  const double h = simulation.settings().step;
  Held held;
  const RunSummary summary = run(simulation, [&](const StepOutcome&) {
    const Vector3 moved = seen() - start;
    held.drift = std::max(held.drift, std::hypot(moved.x(), moved.z()));
    const Kinematics& k = simulation.kinematics();
    const Vector3 w = k.velocity[palm].angular, arm = k.com_W[ball] - k.X_WB[model.find_body("shoulder")].p;
    held.straight += 0.5 * h * h * w.cross(w.cross(arm)).norm();
  });
  EXPECT_TRUE(summary.ok) << summary.failure;
  EXPECT_TRUE(summary.fallbacks.empty());
  return held;
}

const std::vector<std::string> heavy = {"body.ball.mass=0.58", "body.ball.inertia=[4.2e-4, 4.2e-4, 4.2e-4, 0, 0, 0]"};

TEST(Grasp, StickAtPositionLevelDoesNotCreep) {
  EXPECT_LT(hold({"simulation.duration=4"}).drift, 2e-7);
}

// The heavier body gives the contact its frame; the drift is the flatter body's all the same. Carried by the ball,
// which spins between the jaws, it grew by 2.3e-8 m per second.
TEST(Grasp, AHeavyBallDoesNotCreepEither) {
  std::vector<std::string> overrides = heavy;
  overrides.emplace_back("simulation.duration=12");
  EXPECT_LT(hold(overrides).drift, 2e-7);
}

TEST(Grasp, TooLittleFrictionLetsItSlip) {
  // 0.0303 is the least that holds.
  EXPECT_GT(hold({"simulation.duration=1", "material.felt.friction=0.027"}).drift, 5e-3);
  EXPECT_LT(hold({"simulation.duration=1", "material.felt.friction=0.0334"}).drift, 2e-7);
}

// Velocity-level stick drifts by h^2/2 times the centripetal acceleration per step; here all but a few per cent of it
// has one direction.
TEST(Grasp, TheConvexMethodDriftsByItsSchemeAlone) {
  const Held held = hold({"simulation.duration=4", "simulation.method=convex-impulse"});
  EXPECT_GT(held.drift, 0.8 * held.straight);
  EXPECT_LT(held.drift, 1.01 * held.straight);
}

}  // namespace
}  // namespace stiction
