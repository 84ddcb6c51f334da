// A thin spinning ellipsoid falls tilted on a soft layer (chakraborty2007, example 2): steps that Newton must solve,
// and steps that it is kept from solving.
#include <gtest/gtest.h>

#include "stiction/scene/scene.h"
#include "stiction/simulation/run.h"

namespace stiction {
namespace {

constexpr const char* text = R"(
[simulation]
method = "quasi-rigid"
step = 1e-4
duration = 0.25
[material.layer]
friction = 0.4
torsional_friction = 0.04
stiffness = [36000, 8000]
damping = [379.4733192202055, 178.88543819998318]
layer_thickness = 0.005
[material.rigid]
friction = 0.4
torsional_friction = 0.04
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", normal = [0, 0, 1], material = "layer" }
[[body]]
name = "ellipsoid"
mass = 1.0
position = [0, 0, 0.15]
orientation = [0.9962, 0, 0.0872, 0]
angular_velocity = [0.8687, 0, 4.924]
shape = { type = "ellipsoid", radii = [0.25, 0.005, 0.005], material = "rigid" }
)";

RunSummary run_with(const std::vector<std::string>& overrides) {
  auto parsed = scene::parse_scene(text, "ellipsoid.toml", overrides);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().what);
  auto built = build_model(parsed->model);
  EXPECT_TRUE(built);
  auto simulation = Simulation::create(std::move(*built), parsed->settings);
  EXPECT_TRUE(simulation);
  return run(*simulation);
}

// The layer gives way sideways more than the body does, 1 / (h C_t) = 56 against 3.5 per kilogram: the scale of the
// friction rows has to know, or Newton fails through the whole rebound.
TEST(LayeredEllipsoid, NewtonSolvesEveryStepInBothReadingsOfSlip) {
  for (const char* tangential : {"passive", "series"}) {
    const RunSummary summary = run_with({std::string("method.quasi-rigid.tangential=\"") + tangential + "\""});
    EXPECT_TRUE(summary.ok) << tangential << ": " << summary.failure;
    EXPECT_TRUE(summary.fallbacks.empty()) << tangential << ": " << summary.fallbacks.begin()->first.name();
    EXPECT_LT(summary.certificate.worst(), 1e-8) << tangential;  // the method's own acceptance
    EXPECT_LT(summary.certificate.penetration, 1e-12) << tangential;
  }
}

// A step without an answer has nothing to certify; the method for rigid bodies takes it, and the summary says so.
TEST(LayeredEllipsoid, StepsLeftToTheLastResortAreCounted) {
  const RunSummary summary = run_with({"method.quasi-rigid.max_iterations=1", "method.quasi-rigid.halvings=0"});
  EXPECT_TRUE(summary.ok) << summary.failure;
  ASSERT_GT(summary.count(Fallback::exact_cone), 0);
  EXPECT_GT(summary.certificate.penetration, 1e-6);
}

}  // namespace
}  // namespace stiction
