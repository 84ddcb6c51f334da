// Controllers: inverse dynamics makes a mechanism without contacts follow its trajectory; mistakes are named.
#include "stiction/stepping/controllers.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/scene/scene.h"
#include "stiction/simulation/run.h"

namespace stiction {
namespace {

// Two links in a vertical plane and a slider on the second, all driven.
constexpr const char* arm = R"(
[simulation]
step = 1e-3
duration = 2.0
[[body]]
name = "upper"
mass = 2.0
position = [0.2, 0, 1]
inertia = [0.01, 0.03, 0.03, 0, 0, 0.004]
[[body]]
name = "fore"
mass = 1.0
position = [0.55, 0, 1]
inertia = [0.01, 0.02, 0.02, 0.001, 0, 0]
[[body]]
name = "tool"
mass = 0.3
position = [0.7, 0, 1]
inertia = [1e-3, 1e-3, 1e-3, 0, 0, 0]
[[joint]]
name = "shoulder"
type = "universal"
parent = "world"
child = "upper"
position = [0, 0, 1]
axis = [0, 0, 1]
axis2 = [0, 1, 0]
velocity = [0.5, 0.4]
[[joint]]
name = "elbow"
type = "revolute"
parent = "upper"
child = "fore"
position = [0.2, 0, 0]
axis = [0, 1, 0]
armature = 0.05
velocity = -0.9
[[joint]]
name = "slide"
type = "prismatic"
parent = "fore"
child = "tool"
position = [0.15, 0, 0]
axis = [1, 0, 0]
[[controller]]
name = "turn"
joint = "shoulder"
trajectory = [{ amplitude = 0.5, frequency = 1.0 }]
stiffness = 300
damping = 30
[[controller]]
name = "lift"
joint = "shoulder"
coordinate = 1
velocity = 0.4
stiffness = 300
damping = 30
[[controller]]
name = "bend"
joint = "elbow"
trajectory = [{ amplitude = -0.3, frequency = 3.0 }]
stiffness = 200
damping = 20
[[controller]]
name = "push"
joint = "slide"
acceleration = 0.05
)";

Result<Simulation> open(const std::string& text, const std::vector<std::string>& overrides = {}) {
  auto scene = scene::parse_scene(text, "arm.toml", overrides);
  if (!scene) return failure(scene.error());
  auto built = build_model(scene->model);
  if (!built) return failure(built.error());
  return Simulation::create(std::move(*built), scene->settings);
}

// Largest distance from the wanted coordinates over the run.
double tracking_error(const std::string& method, double h) {
  auto simulation = open(arm, {"simulation.method=" + method, "simulation.step=" + std::to_string(h)});
  EXPECT_TRUE(simulation) << simulation.error().message();
  double worst = 0;
  const RunSummary summary = run(*simulation, [&](const StepOutcome&) {
    const State& state = simulation->state();
    for (const Controller& controller : simulation->model().controllers) {
      const double q = state.q[simulation->model().tree_joints[controller.joint].q_offset + controller.coordinate];
      const double wanted = controller.acceleration ? 0.5 * *controller.acceleration * state.time * state.time
                                                    : wanted_motion(controller, state.time).position;
      worst = std::max(worst, std::abs(q - wanted));
    }
  });
  EXPECT_TRUE(summary.ok) << summary.failure;
  return worst;
}

TEST(Controllers, FollowTheirTrajectoriesToFirstOrder) {
  for (const std::string method : {"exact-cone", "convex-impulse"}) {
    const double coarse = tracking_error(method, 2e-3), fine = tracking_error(method, 1e-3);
    EXPECT_LT(fine, 2e-3) << method;
    EXPECT_NEAR(std::log2(coarse / fine), 1.0, 0.15) << method;
  }
}

TEST(Controllers, WithRungeKuttaFollowToFourthOrder) {
  // The convex method without contacts is its integrator; inverse dynamics alone, since springs and dampers as stiff as
  // above would be unstable at steps that show the order.
  const auto error = [](double h) {
    std::vector<std::string> overrides = {"simulation.method=convex-impulse",
                                          "method.convex-impulse.integrator=runge-kutta",
                                          "simulation.step=" + std::to_string(h)};
    for (const std::string controller : {"turn", "lift", "bend"}) {
      overrides.push_back("controller." + controller + ".stiffness=0");
      overrides.push_back("controller." + controller + ".damping=0");
    }
    auto simulation = open(arm, overrides);
    EXPECT_TRUE(simulation) << simulation.error().message();
    run(*simulation);
    const State& state = simulation->state();
    double worst = 0;
    for (const Controller& c : simulation->model().controllers) {
      const double q = state.q[simulation->model().tree_joints[c.joint].q_offset + c.coordinate];
      const double wanted = c.acceleration ? 0.5 * *c.acceleration * 4 : wanted_motion(c, 2.0).position;
      worst = std::max(worst, std::abs(q - wanted));
    }
    return worst;
  };
  EXPECT_NEAR(std::log2(error(4e-2) / error(2e-2)), 4.0, 0.5);
}

TEST(Controllers, ForceIsLimited) {
  auto simulation = open(arm, {"controller.bend.max_force=0.5"});
  ASSERT_TRUE(simulation);
  ControllerWorkspace workspace = make_controller_workspace(simulation->model());
  std::vector<double> force(simulation->model().v_size, 0.0);
  add_controller_forces(simulation->model(), simulation->state(), simulation->kinematics(), workspace, force);
  const Joint& elbow = simulation->model().tree_joints[simulation->model().controllers[2].joint];
  EXPECT_EQ(std::abs(force[elbow.v_offset]), 0.5);
}

TEST(Controllers, MistakesAreNamed) {
  const auto message = [](const std::vector<std::string>& overrides) {
    auto simulation = open(arm, overrides);
    return simulation ? std::string("no error") : simulation.error().message();
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message({"controller.bend.joint=elbw"}), HasSubstr("Did you mean 'elbow'?"));
  EXPECT_THAT(message({"controller.bend.coordinate=1"}), HasSubstr("a coordinate its joint lacks"));
  EXPECT_THAT(message({"controller.lift.coordinate=0"}), HasSubstr("drives the same coordinate"));
  EXPECT_THAT(message({"controller.push.stiffness=1"}), HasSubstr("an acceleration and a trajectory at once"));
  EXPECT_THAT(message({"controller.push.damping=-1"}), HasSubstr("damping"));
  EXPECT_THAT(message({"method.exact-cone.coordinates=maximal"}), HasSubstr("controllers need reduced coordinates"));
}

}  // namespace
}  // namespace stiction
