// Benchmarks measure what they say: an engine that moves bodies by a closed form gets the figures that it deserves, and
// ours gets those that its order promises. Nothing here depends on the time that steps take.
#include "stiction/study/benchmark/benchmark_run.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gmock/gmock.h>

namespace stiction {
namespace {

using ::testing::HasSubstr;

// Motion of one body as a function of time; the others stay.
using Path = std::function<BodyMotion(double time)>;

class ClosedForm final : public BenchmarkWorld {
 public:
  ClosedForm(const Model& model, double step, const char* body, Path path)
      : step_(step), body_(static_cast<size_t>(model.find_body(body))), path_(std::move(path)) {}
  std::string advance() override { return ++steps_, std::string(); }
  void read(std::vector<BodyMotion>& bodies) override { bodies[body_] = path_(static_cast<double>(steps_) * step_); }

 private:
  double step_;
  size_t body_;
  Path path_;
  long steps_ = 0;
};

BenchmarkEngine closed_form(const char* body, Path path) {
  return {"test", "closed form", [=](const BuiltModel& built, double step) -> Result<std::unique_ptr<BenchmarkWorld>> {
            return std::make_unique<ClosedForm>(built.model, step, body, path);
          }};
}

BenchmarkScene one_motion(const char* name, size_t motion) {
  BenchmarkScene scene = benchmark_scene(name);
  scene.motions = {scene.motions.at(motion)};
  return scene;
}

double figure(const BenchmarkResult& result, const std::string& name) {
  for (const BenchmarkFigure& f : result.figures) {
    if (f.name == name) return f.value;
  }
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

BodyMotion at(const Vector3& place, const Vector3& velocity, const Vector3& spin = Vector3::Zero()) {
  BodyMotion motion;
  motion.X_WB.p = place;
  motion.velocity = {velocity, spin};
  return motion;
}

// A sphere that slides for `time`, then rolls on, `extra` faster than it should.
Path rolling(double time, double extra) {
  return [=](double t) {
    const double share = std::min(1.0, t / time);
    return at({0, 0, 1}, {2 - share * (2 - 10.0 / 7 - extra), 0, 0}, {0, share * 10 / 7, 0});
  };
}

TEST(BenchmarkMeters, RollingIsTimedBetweenSteps) {
  const BenchmarkScene scene = one_motion("slide_roll", 0);
  const double time = scene.motions[0].expected_time;
  const BenchmarkResult exact = measure_benchmark(scene, 0.01, closed_form("ball", rolling(time, 0)));
  EXPECT_LT(figure(exact, "speed error"), 1e-15);
  EXPECT_LT(figure(exact, "rolling error"), 1e-14);
  const BenchmarkResult late = measure_benchmark(scene, 0.01, closed_form("ball", rolling(time + 0.1, 0.001)));
  EXPECT_NEAR(figure(late, "speed error"), 0.001, 1e-15);
  EXPECT_NEAR(figure(late, "rolling error"), 0.1, 1e-3);
  const BenchmarkResult never = measure_benchmark(scene, 0.01, closed_form("ball", rolling(10, 0)));
  EXPECT_EQ(figure(never, "rolling error"), std::numeric_limits<double>::infinity());
}

TEST(BenchmarkMeters, CreepIsOfTheLastSecond) {
  const auto creeping = [](double t) { return at({t < 4 ? 7 * t : 28 + 0.003 * (t - 4), 0, 0.2}, {0, 0, 0}); };
  const BenchmarkResult result = measure_benchmark(one_motion("incline", 0), 1.0 / 240, closed_form("cube", creeping));
  EXPECT_NEAR(figure(result, "creep"), 0.003, 1e-12);
}

TEST(BenchmarkMeters, AccelerationIsAlongTheSlope) {
  const BenchmarkScene scene = one_motion("incline", 4);
  const double a = 1.1 * scene.motions[0].expected;
  const Vector3 direction = scene.motions[0].direction;
  const auto falling = [=](double t) { return at({0, 0, 0.2}, a * t * direction); };
  EXPECT_NEAR(figure(measure_benchmark(scene, 1.0 / 240, closed_form("cube", falling)), "acceleration error"), 0.1,
              1e-12);
}

TEST(BenchmarkMeters, DistanceAndSidewaysDriftAreApart) {
  const BenchmarkScene scene = one_motion("slide", 2);
  const Vector3 direction = scene.motions[0].direction, left = Vector3::UnitZ().cross(direction);
  const auto sliding = [=](double) {
    return at(Vector3(0, 0, 0.2) + (9 / 9.81 - 0.02) * direction - 0.03 * left, {0, 0, 0});
  };
  const BenchmarkResult result = measure_benchmark(scene, 0.001, closed_form("cube", sliding));
  EXPECT_NEAR(figure(result, "distance error"), 0.02, 1e-12);
  EXPECT_NEAR(figure(result, "sideways drift"), 0.03, 1e-12);
}

TEST(BenchmarkMeters, TowerOverlapsDriftsAndSags) {
  const auto sinking = [](double t) { return at({0.004 * t / 10, 0.003 * t / 10, 9.5 - 0.01 * t / 10}, {0, 0, 0}); };
  const BenchmarkResult result = measure_benchmark(benchmark_scene("stack10"), 1.0 / 60, closed_form("top", sinking));
  EXPECT_NEAR(figure(result, "overlap"), 0.01, 1e-12);
  EXPECT_NEAR(figure(result, "drift"), 0.005, 1e-12);
  EXPECT_NEAR(figure(result, "sag"), 0.01, 1e-12);
}

TEST(BenchmarkMeters, SlipAlongTheJawsFacesCounts) {
  const auto slipping = [](double t) { return at({0.5, 0.003 * t / 25, -0.004 * t / 25}, {0, 0, 0}); };
  const BenchmarkResult result = measure_benchmark(benchmark_scene("grasp"), 0.001, closed_form("ball", slipping));
  EXPECT_NEAR(figure(result, "slip end"), 0.005, 1e-12);
  EXPECT_NEAR(figure(result, "slip max"), 0.005, 1e-12);
}

// The last link is lifted by 0.01 m, which takes m g h, and is faster by 1 m/s along its way of 0.65 m/s: it has
// 0.5 (1.65^2 - 0.65^2) J more, and its turn stays.
TEST(BenchmarkMeters, ChainHasEnergyAndGaps) {
  const auto lifted = [](double) { return at({1.3, 0, 0.01}, {0, 1.65, 0}, {0, 0, 0.5}); };
  const BenchmarkResult result = measure_benchmark(benchmark_scene("chain7"), 0.001, closed_form("link6", lifted));
  EXPECT_NEAR(figure(result, "energy error"), 9.81 * 0.01 + 0.5 * (1.65 * 1.65 - 0.65 * 0.65), 1e-12);
  EXPECT_NEAR(figure(result, "joint gap"), 0.01, 1e-12);
}

// The head lies 4 mm deep in the ground at the end, and much deeper before the last second; it is pitched by 1.5 rad,
// 0.3 more than its limit, and far from the torso, from where its hinge is 0.12 m away along its axis.
TEST(BenchmarkMeters, FiguresAreMeasuredInTheirLastSecond) {
  const double half = 0.05, radius = 0.08, pitch = 1.5;
  const Matrix3 turned = Eigen::AngleAxisd(pitch, Vector3::UnitY()).toRotationMatrix();
  const double touches = radius + half * std::sin(pitch);
  const auto sinking = [=](double t) {
    BodyMotion motion = at({3 + t, 0, 0.01}, {0, 0, 0});
    if (t > 9) motion = at({12, 0.003 * (t - 9), touches - 0.004 * (t - 9)}, {0, 0, 0});
    if (t > 9) motion.X_WB.R = turned;
    return motion;
  };
  const BenchmarkResult result = measure_benchmark(benchmark_scene("crawler"), 0.005, closed_form("head", sinking));
  EXPECT_NEAR(figure(result, "overlap"), 0.004, 1e-12);
  EXPECT_NEAR(figure(result, "creep"), Vector3(0, 0.003, touches - 0.004 - 0.01).norm(), 1e-12);
  const Vector3 end(12, 0.003, touches - 0.004), hinge = end + turned * Vector3(-0.12, 0, 0);
  EXPECT_NEAR(figure(result, "joint gap"), (hinge - Vector3(0.38, 0, 0.6)).norm(), 1e-12);
  EXPECT_NEAR(figure(result, "limit excess"), 0.3, 1e-12);
}

TEST(Benchmarks, WorstOfTheMotionsCounts) {
  const auto creeping = [](double t) { return at({0.001 * t, 0, 0.2}, {0.2 * t, 0, 0}); };
  const BenchmarkResult result =
      measure_benchmark(benchmark_scene("incline"), 1.0 / 240, closed_form("cube", creeping));
  EXPECT_NEAR(figure(result, "creep"), 0.001, 1e-12);
  const double expected = benchmark_scene("incline").motions[3].expected;
  EXPECT_NEAR(figure(result, "acceleration error"), 0.2 / expected - 1, 1e-12);  // the largest: direction 0
  EXPECT_EQ(result.steps, 6 * 1200);
  EXPECT_FALSE(result.certificate);
}

TEST(Benchmarks, FailuresLimitsAndBadNumbersAreNoted) {
  const auto bad = [](double t) { return at({t > 0.5 ? std::nan("") : 0, 0, 1}, {0, 0, 0}); };
  const BenchmarkScene scene = one_motion("slide_roll", 0);
  const BenchmarkResult broken = measure_benchmark(scene, 0.01, closed_form("ball", bad));
  EXPECT_FALSE(broken.completed);
  EXPECT_THAT(broken.note, HasSubstr("step 51 of 100: a number is not finite"));
  EXPECT_TRUE(broken.figures.empty());
  const BenchmarkResult ended = measure_benchmark(scene, 0.001, benchmark_engine(methods::Accuracy::exact), 1e-9);
  EXPECT_FALSE(ended.completed);
  EXPECT_THAT(ended.note, HasSubstr("ended by the limit of 1e-09 s at step"));
  const BenchmarkEngine refuses = {"test", "none",
                                   [](const BuiltModel&, double) -> Result<std::unique_ptr<BenchmarkWorld>> {
                                     return failure({.what = "it has no spheres"});
                                   }};
  EXPECT_EQ(measure_benchmark(scene, 0.01, refuses).note, "it has no spheres");
}

// Forces are constant while the sphere slides, so that velocities are exact up to the tolerance of the steps.
TEST(Benchmarks, OursRollsAtTenSevenths) {
  const BenchmarkScene scene = benchmark_scene("slide_roll");
  for (const double step : scene.steps) {
    const BenchmarkResult result = measure_benchmark(scene, step, benchmark_engine(methods::Accuracy::exact));
    EXPECT_TRUE(result.completed) << result.note;
    EXPECT_LT(figure(result, "speed error"), 1e-10);
    EXPECT_LT(figure(result, "rolling error"), 1e-8);
    EXPECT_LT(result.certificate.value(), 1e-8);
    EXPECT_FALSE(result.time_per_step_end);
  }
}

// Positions follow the velocities of the ends of the steps, so that v0 h / 2 is missing, to the tolerance of 612 steps.
TEST(Benchmarks, OursStopsShortByHalfAStep) {
  const BenchmarkResult result =
      measure_benchmark(benchmark_scene("slide"), 0.001, benchmark_engine(methods::Accuracy::exact));
  EXPECT_NEAR(figure(result, "distance error"), 3 * 0.001 / 2, 1e-6);
  EXPECT_LT(figure(result, "sideways drift"), 1e-8);
}

// Limits and contacts hold to the tolerance of the steps; creep is what is left of the damped fall (measured 2.7e-11).
TEST(Benchmarks, OurCrawlerComesToRest) {
  const BenchmarkResult result =
      measure_benchmark(benchmark_scene("crawler"), 0.005, benchmark_engine(methods::Accuracy::exact));
  EXPECT_TRUE(result.completed) << result.note;
  EXPECT_TRUE(result.time_per_step_end);
  EXPECT_LT(figure(result, "overlap"), 1e-8);
  EXPECT_LT(figure(result, "creep"), 1e-6);
  EXPECT_LT(figure(result, "joint gap"), 1e-14);
  EXPECT_LT(figure(result, "limit excess"), 1e-8);
}

TEST(Benchmarks, PilesAreTimedInTheirLastSecond) {
  BenchmarkScene scene = benchmark_scene("pile100");
  scene.duration = 0.1;  // in free fall
  const BenchmarkResult result = measure_benchmark(scene, scene.steps[0], benchmark_engine(methods::Accuracy::fast));
  EXPECT_EQ(result.steps, 12);
  EXPECT_TRUE(result.time_per_step_end);
  EXPECT_LT(figure(result, "overlap max"), 1e-14);
  EXPECT_NEAR(figure(result, "speed end"), 9.81 * 0.1, 0.02);
}

}  // namespace
}  // namespace stiction
