// Velocities of a link on a base with prescribed motion: recorded at the same instant as those of free bodies.
//
// Steps have velocities that are means over the step that ended, event-driven motion has derivatives. A link in joint
// coordinates takes its base's velocity over, at whichever instant that is looked up; with maximal coordinates the same
// link is a free body, whose velocity is part of the state. The two must agree, step by step.
#include <gtest/gtest.h>

#include "recording/test_scenes.h"
#include "stiction/methods/registry.h"
#include "stiction/recording/recorder.h"
#include "stiction/recording/recording.h"
#include "support/simulate.h"

namespace stiction::recording {
namespace {

constexpr double amplitude = 0.3, frequency = 4, sliding = 0.5, h = 0.01;
constexpr int steps = 40;

// Shaken along x; the link slides along y without any load.
const std::string shaken = R"(
[simulation]
gravity = [0, 0, 0]
[[body]]
name = "base"
motion = { translation = [{ amplitude = [0.3, 0, 0], frequency = 4.0 }] }
[[body]]
name = "link"
mass = 0.5
inertia = [0.01, 0.01, 0.01, 0, 0, 0]
position = [0.2, 0, 0]
[[joint]]
name = "slide"
type = "prismatic"
parent = "base"
child = "link"
position = [0.2, 0, 0]
axis = [0, 1, 0]
velocity = 0.5
)";

Simulation start(const std::string& method, const std::string& coordinates) {
  return testing::open_text(shaken, testing::timing(h, steps * h,
                                                    {"simulation.method=" + method,
                                                     "method." + method + ".coordinates=\"" + coordinates + "\""}));
}

// At the end of a step that ended at t: the base's mean over it, or its derivative.
Vector3 expected_link(const methods::MethodDescription& method, double t) {
  const double mean = amplitude * (std::sin(frequency * t) - std::sin(frequency * (t - h))) / h;
  const double rate = amplitude * frequency * std::cos(frequency * t);
  return {method.reports_events ? rate : mean, sliding, 0};
}

std::vector<Sample> record_run(Simulation& simulation, const std::string& path) {
  auto recorder = Recorder::create(path, simulation, "shaken.toml");
  EXPECT_TRUE(recorder);
  const RunSummary summary =
      run(simulation, [&](const StepOutcome& outcome) { EXPECT_TRUE(recorder->append(simulation, outcome)); });
  EXPECT_TRUE(summary.ok) << summary.failure;
  EXPECT_TRUE(recorder->finish(simulation));
  const auto recording = Recording::open(path);
  EXPECT_TRUE(recording);
  std::vector<Sample> rows(recording->rows());
  for (long r = 0; r < recording->rows(); ++r) EXPECT_TRUE(recording->read(r, rows[r]));
  return rows;
}

class MovingBase : public ::testing::TestWithParam<std::string> {};

TEST_P(MovingBase, LinksHaveVelocitiesOfTheInstantThatFreeBodiesHave) {
  const TemporaryFolder folder;
  const methods::MethodDescription& method = *methods::find_method(GetParam());
  Simulation jointed = start(GetParam(), "reduced"), free = start(GetParam(), "maximal");
  const std::vector<Sample> links = record_run(jointed, folder.file("jointed.h5"));
  const std::vector<Sample> bodies = record_run(free, folder.file("free.h5"));
  ASSERT_EQ(links.size(), steps + 1U);
  ASSERT_EQ(bodies.size(), links.size());
  const int base = testing::body_index(jointed, "base"), link = testing::body_index(jointed, "link");
  // What the integrator and the projection of joints leave; the velocity of the next step, or of the middle of this
  // one, is off by 0.3 * 16 * 0.01 / 2 = 0.02 m/s.
  constexpr double tolerance = 1e-6;
  for (size_t row = 1; row < links.size(); ++row) {
    const Vector3 expected = expected_link(method, links[row].time);
    EXPECT_LT((links[row].linear_velocity[link] - expected).norm(), tolerance) << row;
    EXPECT_LT((links[row].linear_velocity[base] - Vector3(expected.x(), 0, 0)).norm(), tolerance) << row;
    EXPECT_LT((links[row].linear_velocity[link] - bodies[row].linear_velocity[link]).norm(), tolerance) << row;
  }
  EXPECT_EQ(links.back().linear_velocity[link], testing::velocity(jointed, "link").linear);
}

INSTANTIATE_TEST_SUITE_P(Methods, MovingBase, ::testing::Values("exact-cone", "event-driven", "convex-impulse"),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace stiction::recording
