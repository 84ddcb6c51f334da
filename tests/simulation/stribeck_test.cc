// Static and sliding friction in all methods that solve the law: blocks on slopes, on a shaken plate, sliding to rest,
// and stick-slip on a belt, against closed forms.
//
// The coefficient of a step is that of the slip at its start. Along one direction the velocities at the ends of steps
// are then those of the explicit scheme v' = v + h (pull - mu(v) g) while the block slides.
#define STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE
#include "support/allocation_counter.h"

#include <map>
#include <numbers>

#include "stiction/methods/registry.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81, mu_d = 0.3, mu_s = 0.6;
// What friction can do grows within a step by no more than the solvers' residual: nothing here may gain energy.
constexpr double rounding = 1e-9;

const std::string law = "friction = 0.3\nstatic_friction = 0.6\n";

std::vector<std::string> lawful_methods() {
  std::vector<std::string> names = methods::method_names();
  // From event to event there are no steps whose start could decide the coefficient: event_driven_test.cc looks at it.
  std::erase_if(names, [](const std::string& name) {
    const methods::MethodDescription& method = *methods::find_method(name);
    return !method.solves_law || method.reports_events;
  });
  return names;
}

// A flat plate, nearly without height: friction does not tilt it. Gravity pulls it along x.
std::string plate(const std::string& material, double speed, double pull,
                  const std::string& ground = "fixed = true\nshape.type = \"plane\"") {
  return fmt::format(R"(
[simulation]
gravity = [{:.17g}, 0, -9.81]
[material.m]
{}
[[body]]
name = "ground"
{}
shape.material = "m"
shape.friction_direction = [1, 0, 0]
[[body]]
name = "plate"
mass = 2.0
position = [0, 0, 5e-7]
linear_velocity = [{:.17g}, 0, 0]
shape = {{ type = "box", size = [0.2, 0.2, 1e-6], material = "m" }}
)",
                     pull, material, ground, speed);
}

Overrides by(const std::string& method, double h, double duration) {
  return timing(h, duration, {"simulation.method=" + method});
}

// Runs to the end; every step must obey the law with the coefficient that it had.
void run_lawful(Simulation& simulation, const std::function<void()>& after_step = {}) {
  const RunSummary summary = run_all(simulation, after_step);
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  EXPECT_LT(summary.certificate.energy_gain, rounding);
}

double speed_of(Simulation& simulation) {
  return velocity(simulation, "plate").linear.x();
}

TEST(Stribeck, HoldsBetweenTheCoefficientsAndSlidesOnWhatSlides) {
  const double h = 2e-3, t = 0.2;
  for (const std::string& method : lawful_methods()) {
    SCOPED_TRACE(method);
    for (const double pull : {0.2, 0.45, 0.59}) {
      Simulation rests = open_text(plate(law, 0, pull * g), by(method, h, t));
      run_lawful(rests);
      EXPECT_LT(std::abs(speed_of(rests)), rounding) << pull;
      Simulation slides = open_text(plate(law, 1, pull * g), by(method, h, t));
      run_lawful(slides);
      EXPECT_NEAR(speed_of(slides), 1 + (pull - mu_d) * g * t, 1e-8) << pull;
      // As fast as this exp(-v / v_s) < 1e-20.
      Simulation fast = open_text(plate(law + "stribeck_velocity = 0.01", 1, pull * g), by(method, h, t));
      run_lawful(fast);
      EXPECT_NEAR(speed_of(fast), 1 + (pull - mu_d) * g * t, 1e-8) << pull;
    }
  }
}

// Static friction is overcome for one step, in which it still acts.
TEST(Stribeck, BreaksLooseAboveStaticFriction) {
  const double h = 2e-3, t = 0.2;
  for (const std::string& method : lawful_methods()) {
    Simulation simulation = open_text(plate(law, 0, 0.61 * g), by(method, h, t));
    run_lawful(simulation);
    EXPECT_NEAR(speed_of(simulation), (0.61 - mu_d) * g * t - (mu_s - mu_d) * g * h, 1e-8) << method;
  }
}

// Thrown up a slope that only static friction holds: it stops at the top of its way and stays, whichever part of a step
// is left there.
TEST(Stribeck, StopsWhereItTurns) {
  const double h = 2e-3;
  for (const std::string& method : lawful_methods()) {
    for (int i = 0; i < 8; ++i) {
      Simulation simulation = open_text(plate(law, -0.2 - 2e-3 * i, 0.5 * g), by(method, h, 0.1));
      run_lawful(simulation);
      EXPECT_LT(std::abs(speed_of(simulation)), rounding) << method << ' ' << i;
    }
  }
}

// A plate shaken along itself faster than sliding friction could follow: at the start of every step it has another
// velocity than the block that sticks to it.
TEST(Stribeck, CarriesABlockThatSlidingFrictionWouldLose) {
  const double w = 10, amplitude = 0.5 * g / (w * w);
  const std::string shaken = fmt::format(
      "motion = {{ translation = [{{ amplitude = [{:.17g}, 0, 0], frequency = {} }}] }}\n"
      "shape.type = \"box\"\nshape.size = [2, 2, 0.2]\nshape.position = [0, 0, -0.1]",
      amplitude, w);
  for (const std::string& method : lawful_methods()) {
    Simulation simulation = open_text(plate(law, amplitude * w, 0, shaken), by(method, 2e-3, 1));
    double farthest = 0;
    run_all(simulation, [&] {
      farthest = std::max(farthest, std::abs(position(simulation, "plate").x() - pose(simulation, "ground").p.x()));
    });
    EXPECT_LT(farthest, 1e-3) << method;  // lost in the first step; sliding friction loses 0.1 m
  }
}

// v' = -mu(v) g by Runge-Kutta in so many steps that its error is rounding.
double braked(double speed, double v_s, double t) {
  const auto rate = [&](double v) { return -g * (mu_d + (mu_s - mu_d) * std::exp(-v / v_s)); };
  const int steps = 2000;
  const double h = t / steps;
  for (int i = 0; i < steps; ++i) {
    const double a = rate(speed), b = rate(speed + h / 2 * a), c = rate(speed + h / 2 * b), d = rate(speed + h * c);
    speed += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return speed;
}

TEST(Stribeck, BrakesByTheCurveWithOrderOne) {
  const double v_s = 0.3, t = 0.24;
  const std::string material = law + "stribeck_velocity = 0.3";
  for (const std::string& method : lawful_methods()) {
    SCOPED_TRACE(method);
    const auto error = [&](double h) {
      Simulation simulation = open_text(plate(material, 1, 0), by(method, h, t));
      run_lawful(simulation);
      return std::abs(speed_of(simulation) - braked(1, v_s, t));
    };
    expect_order(error, {0.008, 0.004, 0.002}, 1, 10, 0.1);
  }
}

// Sets that are not ellipses are scaled as a whole; both of these reach 0.3 along x.
TEST(Stribeck, ScalesASetThatIsNotAnEllipse) {
  const std::string diamond = "friction_polygon = [[0.3, 0], [0, 0.3], [-0.3, 0], [0, -0.3]]";
  for (const std::string& set : {diamond, std::string("friction = [0.3, 0.2]\nfriction_exponent = 4")}) {
    for (const double pull : {0.59, 0.61}) {
      Simulation simulation =
          open_text(plate(set + "\nstatic_friction = 0.6", 0, pull * g), by("anitescu-potra", 2e-3, 0.1));
      run_lawful(simulation);
      const double expected = pull < mu_s ? 0 : (pull - mu_d) * g * 0.1 - (mu_s - mu_d) * g * 2e-3;
      EXPECT_NEAR(speed_of(simulation), expected, 1e-8) << set << ' ' << pull;
    }
  }
}

TEST(Stribeck, AScaledPolygonAllocatesNothing) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  const std::string diamond =
      "friction_polygon = [[0.3, 0], [0, 0.3], [-0.3, 0], [0, -0.3]]\nstatic_friction = 0.6\n"
      "stribeck_velocity = 0.3";
  Simulation simulation = open_text(plate(diamond, 1, 0), by("anitescu-potra", 2e-3, 0.5));
  const State start = simulation.state();
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(simulation.step().ok);
  simulation.restore(start, 0);
  const long before = allocation_count.load();
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(simulation.step().ok);
  EXPECT_EQ(allocation_count.load() - before, 0);
}

// scenes/stick_slip.toml: a block of 1 kg on a belt, held by a spring. It rides until the spring pulls with mu_s m g,
// then swings about mu_d m g / k with w^2 = k / m until it has the belt's speed again, as far on the other side.
struct Cycle {
  double m = 1, k = 100, belt = 0.1;
  double w = std::sqrt(k / m), centre = mu_d * m * g / k, reach = (mu_s - mu_d) * m * g / k;
  double period = 2 * reach / belt + 2 / w * (std::numbers::pi - std::atan(reach * w / belt));
  double highest = centre + std::hypot(reach, belt / w), lowest = centre - std::hypot(reach, belt / w);
};

struct Seen {
  double period = 0, highest = -1, lowest = 1;
};

Seen watch_stick_slip(const std::string& method, double h, double duration) {
  Simulation simulation = open_scene("stick_slip", by(method, h, duration));
  Seen seen;
  std::vector<double> loose;  // times at which it has broken loose
  bool slid = false;
  run_lawful(simulation, [&] {
    const double slip = velocity(simulation, "block").linear.x() - Cycle().belt, x = position(simulation, "block").x();
    const bool slides = std::abs(slip) > 1e-6;
    if (slides && !slid) loose.push_back(simulation.state().time);
    slid = slides;
    seen.highest = std::max(seen.highest, x);
    if (!loose.empty()) seen.lowest = std::min(seen.lowest, x);
  });
  EXPECT_GE(loose.size(), 4u) << method;
  if (loose.size() > 1) seen.period = (loose.back() - loose.front()) / static_cast<double>(loose.size() - 1);
  return seen;
}

// The steps in which it breaks loose and in which it catches end up to h late, and the implicit spring takes w h / 2
// per radian from the swing: five steps of a period, and half a step's way at a metre a second, at the most.
TEST(Stribeck, StickSlipHasItsPeriodAndAmplitude) {
  const Cycle exact;
  for (const std::string& method : lawful_methods()) {
    SCOPED_TRACE(method);
    std::map<double, Seen> runs;
    for (const double h : {4e-3, 2e-3, 1e-3}) runs[h] = watch_stick_slip(method, h, 4.8);
    const auto error = [&](double Seen::*what, double wanted) {
      return [&runs, what, wanted](double h) { return std::abs(runs.at(h).*what - wanted); };
    };
    expect_order(error(&Seen::period, exact.period), {4e-3, 2e-3, 1e-3}, 1, 5);
    expect_order(error(&Seen::lowest, exact.lowest), {4e-3, 2e-3, 1e-3}, 1, 0.5);
    for (const auto& [h, seen] : runs) EXPECT_NEAR(seen.highest, exact.highest, 0.05 * h);  // its errors nearly cancel
  }
}

// Islands that stick and slide, on one thread and on two.
TEST(Stribeck, GivesTheSameBitsOnTwoThreads) {
  std::string two = plate(law + "stribeck_velocity = 0.05", 0.4, 0.45 * g);
  two += R"(
[[body]]
name = "other"
mass = 1.0
position = [0, 0.5, 5e-7]
linear_velocity = [-0.3, 0.1, 0]
shape = { type = "box", size = [0.2, 0.2, 1e-6], material = "m" }
)";
  for (const std::string& method : methods::method_names()) {
    VectorX last;
    for (const int threads : {1, 2}) {
      Overrides overrides = by(method, 2e-3, 0.2);
      overrides.push_back(fmt::format("simulation.threads={}", threads));
      Simulation simulation = open_text(two, overrides);
      run_all(simulation);
      if (threads == 2) {
        EXPECT_EQ(simulation.state().v, last) << method;
      }
      last = simulation.state().v;
    }
  }
}

}  // namespace
}  // namespace stiction::testing
