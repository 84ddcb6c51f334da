// A comparison measures what closed forms say, the same whatever the number of threads.
#include "stiction/study/compare.h"

#include <cstring>

#include <gmock/gmock.h>

#include "stiction/methods/registry.h"
#include "support/scenarios.h"
#include "support/simulate.h"

namespace stiction {
namespace {

using ::testing::HasSubstr;

struct Built {
  BuiltModel model;
  SimulationSettings settings;
};

Built build(const std::string& text) {
  auto scene = scene::parse_scene(text, "test.toml");
  if (!scene) throw std::runtime_error(scene.error().message());
  auto built = build_model(scene->model);
  if (!built) throw std::runtime_error(built.error().message());
  return {std::move(*built), scene->settings};
}

CompareOptions measuring(const BuiltModel& built, const std::vector<std::string>& pairs) {
  CompareOptions options;
  for (const std::string& text : pairs) options.pairs.push_back(parse_drift_pair(built.model, text).value());
  return options;
}

// Friction mu = 0.5 stops a box of speed v after v^2 / (2 mu g): with v = sqrt(0.1 g), 0.1 m along (3, 4, 0) / 5. The
// ground's frame is turned by a quarter about z, so that in it the box moves along (4, -3, 0) / 5. Semi-implicit steps
// lag by v h / 2.
TEST(Compare, DriftOfABoxThatSlidesATenthOfAMetre) {
  const double speed = std::sqrt(0.1 * 9.81), h = 1e-4;
  const Built scene = build(fmt::format(R"(
[simulation]
step = {}
duration = 0.4
[[body]]
name = "ground"
fixed = true
orientation = [0.7071067811865476, 0, 0, 0.7071067811865476]
shape = {{ type = "plane" }}
[[body]]
name = "box"
mass = 2.0
position = [0, 0, 0.005]
linear_velocity = [{:.17g}, {:.17g}, 0]
shape = {{ type = "box", size = [0.4, 0.4, 0.01] }}
)",
                                        h, 0.6 * speed, 0.8 * speed));
  const CompareOptions options = measuring(scene.model, {"ground,box", "world,box"});
  for (const char* method : {"exact-cone", "anitescu-potra", "implicit-geometry"}) {
    SCOPED_TRACE(method);
    SimulationSettings settings = scene.settings;
    settings.method = method;
    const MethodRun run = measure_method(scene.model, settings, options);
    ASSERT_TRUE(run.completed()) << run.summary.failure;
    const double lag = speed * h;  // the scheme's error is half of it
    EXPECT_NEAR((run.drifts[0].displacement - 0.1 * Vector3(0.8, -0.6, 0)).norm(), 0, lag);
    EXPECT_NEAR((run.drifts[1].displacement - 0.1 * Vector3(0.6, 0.8, 0)).norm(), 0, lag);
    EXPECT_NEAR(run.drifts[0].largest, run.drifts[0].end(), 1e-12);
    EXPECT_NEAR(run.energy_end - run.energy_start, -0.5 * 2.0 * speed * speed, 1e-10);
    EXPECT_EQ(run.energy_gain, 0);
    // x(t) = v t - mu g t^2 / 2 passes the limit of 0.01 m at this time.
    ASSERT_TRUE(run.drifts[0].dropped_at.has_value());
    const double a = 0.5 * 9.81, passed = (speed - std::sqrt(speed * speed - 2 * a * 0.01)) / a;
    EXPECT_NEAR(*run.drifts[0].dropped_at, passed, 2 * h);
    EXPECT_EQ(run.drifts[0].limit, 0.01);
    EXPECT_EQ(run.dropped_at(), run.drifts[0].dropped_at);
  }
}

// A body that turns about the world's z axis carries its frame along: a body at rest in the world circles in it. Both
// move as prescribed, so that the numbers are exact.
TEST(Compare, DriftInAMovingFrameAndItsPlane) {
  const Built scene = build(R"(
[simulation]
step = 1e-2
duration = 1.0
gravity = [0, 0, 0]
[[body]]
name = "table"
motion = { angular_velocity = [0, 0, 2], velocity = [0, 0, 0.3] }
[[body]]
name = "post"
fixed = true
position = [1, 0, 0]
[[body]]
name = "left"
position = [0, -1, 0]
motion = { velocity = [1, 0, 0] }
[[body]]
name = "right"
position = [0, 1, 0]
motion = { velocity = [3, 0, 0] }
[[body]]
name = "dust"
mass = 1.0
position = [9, 9, 9]
inertia = [1, 1, 1, 0, 0, 0]
)");
  CompareOptions options = measuring(scene.model, {"table,post", "table,post", "left+right,post", "world,dust"});
  options.pairs[1].normal = Vector3(0, 0, 5);
  const MethodRun run = measure_method(scene.model, scene.settings, options);
  const Vector3 turned = Vector3(std::cos(2.0) - 1, -std::sin(2.0), -0.3);
  EXPECT_NEAR((run.drifts[0].displacement - turned).norm(), 0, 1e-14);
  EXPECT_NEAR((run.drifts[1].displacement - Vector3(turned.x(), turned.y(), 0)).norm(), 0, 1e-14);
  // The mean of the two moves by (1 + 3) / 2.
  EXPECT_NEAR((run.drifts[2].displacement - Vector3(-2, 0, 0)).norm(), 0, 1e-14);
  EXPECT_EQ(run.drifts[3].largest, 0);
  EXPECT_EQ(run.drifts[2].pair.name(), "left+right,post");
}

// A ball without gravity that rises through nothing, and one sunk in the ground: overlap is the geometry's.
TEST(Compare, OverlapAtTheStartCounts) {
  const Built scene = build(R"(
[simulation]
duration = 0.01
[[body]]
name = "ground"
fixed = true
shape = { type = "plane" }
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.097]
shape = { type = "sphere", radius = 0.1 }
)");
  const MethodRun run = measure_method(scene.model, scene.settings, {});
  EXPECT_NEAR(run.penetration, 0.003, 1e-15);
  EXPECT_NEAR(run.samples.front().penetration, 0.003, 1e-15);
  EXPECT_LT(run.samples.back().penetration, 0.003);  // repaired at up to 0.5 m/s
}

TEST(Compare, TracesAreThinnedAndKeepTheLargest) {
  const testing::Scenario scenario = testing::sliding_block();
  const BuiltModel built = build_model(scenario.model).value();
  CompareOptions options = measuring(built, {"ground,block"});
  const MethodRun full = measure_method(built, scenario.settings, options);
  EXPECT_EQ(full.samples.size(), static_cast<size_t>(full.summary.steps) + 1);
  options.max_samples = 7;  // 300 steps: 43 per sample, the last one not full
  const MethodRun thin = measure_method(built, scenario.settings, options);
  EXPECT_EQ(thin.samples.size(), 8U);
  EXPECT_EQ(thin.samples.back().time, full.samples.back().time);
  EXPECT_EQ(thin.samples.back().energy, full.samples.back().energy);
  double largest = 0;
  for (const CompareSample& sample : thin.samples) largest = std::max(largest, sample.drift[0]);
  EXPECT_EQ(largest, full.drifts[0].largest);
  EXPECT_EQ(thin.drifts[0].largest, full.drifts[0].largest);
}

void expect_same_bits(const MethodRun& a, const MethodRun& b) {
  SCOPED_TRACE(a.method);
  ASSERT_EQ(a.method, b.method);
  ASSERT_EQ(a.samples.size(), b.samples.size());
  const auto same = [](double x, double y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  for (size_t k = 0; k < a.samples.size(); ++k) {
    ASSERT_TRUE(same(a.samples[k].energy, b.samples[k].energy)) << k;
    ASSERT_TRUE(same(a.samples[k].penetration, b.samples[k].penetration)) << k;
    for (size_t p = 0; p < a.samples[k].drift.size(); ++p) {
      ASSERT_TRUE(same(a.samples[k].drift[p], b.samples[k].drift[p])) << k;
    }
  }
  EXPECT_TRUE(same(a.summary.certificate.worst(), b.summary.certificate.worst()));
  EXPECT_EQ(a.summary.fallbacks, b.summary.fallbacks);
  EXPECT_EQ(a.summary.failure, b.summary.failure);
}

TEST(Compare, MethodsAtTheSameTimeGiveTheSameBits) {
  testing::Scenario scenario = testing::dropped_shapes();
  scenario.settings.duration = 0.2;
  const BuiltModel built = build_model(scenario.model).value();
  CompareOptions options;
  options.pairs.push_back({{"ground"}, built.model.bodies.back().name, {}});
  const std::vector<std::string> methods = methods::method_names();
  double last = 0;
  bool rising = true;
  const auto one = compare_methods(built, scenario.settings, methods, options, 1, [&](std::string_view, double f) {
    rising = rising && f >= last;
    last = f;
  });
  EXPECT_TRUE(rising);
  EXPECT_DOUBLE_EQ(last, 1);
  const auto four = compare_methods(built, scenario.settings, methods, options, 4);
  ASSERT_EQ(one.size(), methods.size());
  ASSERT_EQ(four.size(), methods.size());
  for (size_t m = 0; m < methods.size(); ++m) expect_same_bits(one[m], four[m]);
}

// A press that moves as prescribed leaves the ball no way out: the default method stops there and says why.
TEST(Compare, AStepThatFailsIsPartOfTheResult) {
  const Built scene = build(R"(
[simulation]
duration = 0.01
[[body]]
name = "ground"
fixed = true
shape = { type = "plane" }
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.1]
shape = { type = "sphere", radius = 0.1 }
[[body]]
name = "press"
position = [0, 0, 0.2055]
motion = { velocity = [0, 0, -1] }
shape = { type = "plane", normal = [0, 0, -1] }
)");
  const MethodRun run = measure_method(scene.model, scene.settings, measuring(scene.model, {"press,ball"}));
  EXPECT_TRUE(run.started);
  EXPECT_FALSE(run.completed());
  ASSERT_TRUE(run.failed_at.has_value());
  EXPECT_NEAR(*run.failed_at, 0.005, 1e-12);
  EXPECT_THAT(run.summary.failure, HasSubstr("press"));
  EXPECT_NEAR(run.samples.back().time, 0.005, 1e-12);
  EXPECT_NEAR(run.drifts[0].displacement.z(), 0.005, 1e-12);  // the press came down that far
}

// Dry friction in a joint and a friction polygon do not go together in anitescu-potra: a row with the reason.
// No time at all is over after the first step, on any machine.
TEST(Compare, AMethodThatTakesTooLongIsEndedAndSaysSo) {
  const testing::Scenario scenario = testing::conformance_scenarios().front();
  const BuiltModel built = build_model(scenario.model).value();
  CompareOptions options;
  options.longest_seconds = 0;
  const MethodRun run = measure_method(built, scenario.settings, options);
  EXPECT_FALSE(run.completed());
  EXPECT_EQ(run.summary.steps, 1);
  EXPECT_THAT(run.summary.failure, HasSubstr("it took more than 0 s"));
}

TEST(Compare, ASceneThatAMethodCannotTakeIsPartOfTheResult) {
  const Built scene = build(R"(
[simulation]
duration = 0.01
solver = "lemke"
[material.tread]
friction_polygon = [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]]
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", material = "tread" }
[[body]]
name = "arm"
mass = 1.0
position = [0, 0, 2]
shape = { type = "sphere", radius = 0.1, material = "tread" }
[[joint]]
name = "hinge"
type = "revolute"
parent = "world"
child = "arm"
position = [1, 0, 2]
axis = [0, 1, 0]
friction = 0.1
)");
  const auto runs = compare_methods(scene.model, scene.settings, {"anitescu-potra", "implicit-geometry"}, {});
  EXPECT_FALSE(runs[0].started);
  EXPECT_THAT(runs[0].summary.failure, HasSubstr("hinge"));
  EXPECT_TRUE(runs[1].completed()) << runs[1].summary.failure;
  EXPECT_EQ(runs[1].solver, "auto");  // implicit-geometry has no use for Lemke
}

TEST(DriftPair, NamesAreLookedUp) {
  const BuiltModel built = build_model(testing::tower(3, 1e-3).model).value();
  EXPECT_EQ(parse_drift_pair(built.model, "box0+box1,box2").value().reference.size(), 2U);
  EXPECT_EQ(parse_drift_pair(built.model, "world,box2").value().reference.front(), "world");
  const auto typo = parse_drift_pair(built.model, "ground,bx2");
  ASSERT_FALSE(typo.has_value());
  EXPECT_EQ(typo.error().name, "bx2");
  EXPECT_THAT(typo.error().remedy, HasSubstr("'box2'"));
  for (const char* text : {"ground", ",box0", "ground,", "grund,box0", "box0+,box1", "box0,world", "world+box0,box1"}) {
    EXPECT_FALSE(parse_drift_pair(built.model, text).has_value()) << text;
  }
}

TEST(DriftPair, ASmallBodyIsDroppedSooner) {
  ModelDescription model = testing::on_ground();
  model.bodies.push_back(testing::body_of("pea", 0.001, geometry::Sphere{0.003}, {0, 0, 0.003}));
  const BuiltModel built = build_model(model).value();
  EXPECT_DOUBLE_EQ(default_drop_distance(built.model, {{"ground"}, "pea", {}}), 0.006);
  EXPECT_DOUBLE_EQ(default_drop_distance(built.model, {{"world"}, "ground", {}}), 0.01);
}

}  // namespace
}  // namespace stiction
