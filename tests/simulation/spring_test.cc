// Springs, dampers and actuators in joints: oscillation, decay, and drives that reach their target.
#include <complex>

#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double m = 2, k = 50, w = 5;  // w^2 = k / m

const std::string slider = R"(
[simulation]
gravity = [0, 0, 0]
[[body]]
name = "slider"
mass = 2.0
position = [0.1, 0, 0]
inertia = [1, 1, 1, 0, 0, 0]
[[joint]]
name = "rail"
type = "prismatic"
parent = "world"
child = "slider"
axis = [1, 0, 0]
reference = 0.1
)";

double travel(Simulation& simulation) {
  return position(simulation, "slider").x();
}

// The spring is implicit: with z = x - i v / w the exact motion is z' = i w z and the step z+ = z / (1 - i h w), so
// that the amplitude falls by sqrt(1 + h^2 w^2) a step and the period is 2 pi h / atan(h w).
TEST(Spring, OscillatesAsTheImplicitStepSays) {
  const double h = 0.01;
  Simulation simulation = open_text(slider, timing(h, 3, {set("joint.rail.stiffness", k)}));
  std::complex<double> z = 0.1;
  run_all(simulation, [&] {
    z /= std::complex<double>(1, -h * w);
    ASSERT_NEAR(travel(simulation), z.real(), 1e-14);
    ASSERT_NEAR(velocity(simulation, "slider").linear.x(), -w * z.imag(), 1e-13);
  });
}

// Hence the error after t is x0 w^2 h t / 2 and smaller terms.
TEST(Spring, OscillatesToFirstOrder) {
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    const double t = 2;
    const auto error = [&](double h) {
      Overrides more = coordinates;
      more.push_back(set("joint.rail.stiffness", k));
      Simulation simulation = open_text(slider, timing(h, t, more));
      run_all(simulation);
      return std::abs(travel(simulation) - 0.1 * std::cos(w * t));
    };
    expect_order(error, {4e-3, 2e-3, 1e-3}, 1, 0.5 * 0.1 * w * w * t);
  }
}

// Under a constant load of 8 N it comes to rest where the spring carries it.
double hang(double h, const Overrides& coordinates) {
  Overrides more = {set("joint.rail.stiffness", k), "joint.rail.rest=-0.3", "simulation.gravity=[4, 0, 0]",
                    "joint.rail.damping=20"};
  more.insert(more.end(), coordinates.begin(), coordinates.end());
  Simulation simulation = open_text(slider, timing(h, 10, more));
  run_all(simulation);
  return travel(simulation);
}

TEST(Spring, HangsAtItsEquilibrium) {
  EXPECT_NEAR(hang(0.01, {}), -0.3 + m * 4 / k, 1e-10);
}

// In maximal coordinates the spring and damper of a joint are loads divided by 1 + (h d + h^2 k) / m (free_motion.h),
// and the equilibrium moves with that: first order in h, where reduced coordinates have none.
TEST(Spring, HangsAtItsEquilibriumToFirstOrderInMaximalCoordinates) {
  const auto error = [](double h) { return std::abs(hang(h, {maximal}) + 0.3 - m * 4 / k); };
  expect_order(error, {0.01, 0.005, 0.0025}, 1, m * 4 / k * (20 / m) * 1.05, 0.05);
}

// The damper is implicit too: v_n = v0 / (1 + h d / m)^n, which is exp(-d t / m) to O(h).
TEST(Damper, DecaysAtItsRate) {
  const double d = 3, t = 1, v0 = 2;
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    const auto error = [&](double h) {
      Overrides more = coordinates;
      more.push_back(set("joint.rail.damping", d));
      more.push_back(set("joint.rail.velocity", v0));
      Simulation simulation = open_text(slider, timing(h, t, more));
      run_all(simulation);
      const double v = velocity(simulation, "slider").linear.x();
      EXPECT_NEAR(v, v0 * std::pow(1 + h * d / m, -std::lround(t / h)), 1e-12);
      return std::abs(v - v0 * std::exp(-d * t / m));
    };
    expect_order(error, {0.02, 0.01, 0.005}, 1, 0.5 * v0 * d / m * d / m * t * std::exp(-d * t / m) * 1.05, 0.05);
  }
}

// A stiff spring or damper (h w = 10, h d / m = 100) does not blow up.
TEST(Spring, StiffOnesAreStable) {
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    Overrides more = {"joint.rail.stiffness=2e6", "joint.rail.damping=2e4", "joint.rail.velocity=1"};
    more.insert(more.end(), coordinates.begin(), coordinates.end());
    Simulation simulation = open_text(slider, timing(0.01, 1, more));
    run_all(simulation);
    EXPECT_LT(std::abs(travel(simulation)), 0.01);
  }
}

const std::string driven = slider + R"(
[[actuator]]
name = "drive"
joint = "rail"
stiffness = 200.0
damping = 40.0
target = 0.6
)";

// Critically damped (40 = 2 sqrt(200 m)): x - target = (x0 - target) (1 + r t) exp(-r t), r = 10/s. The implicit step
// has r - h r^2 / 2 for r, which moves x by at most |x0 - target| r^3 t^2 exp(-r t) h / 2.
TEST(Actuator, ReachesItsTarget) {
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    const auto error = [&](double h) {
      Simulation simulation = open_text(driven, timing(h, 0.2, coordinates));
      run_all(simulation);
      return std::abs(travel(simulation) - (0.6 - 0.5 * 3 * std::exp(-2.0)));
    };
    expect_order(error, {4e-3, 2e-3, 1e-3}, 1, 0.5 * 0.5 * 1000 * 0.04 * std::exp(-2.0));
    Simulation simulation = open_text(driven, timing(0.01, 5, coordinates));
    run_all(simulation);
    EXPECT_NEAR(travel(simulation), 0.6, 1e-12);
  }
}

TEST(Actuator, KeepsToItsLargestForce) {
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    Overrides more = {"actuator.drive.max_force=6"};
    more.insert(more.end(), coordinates.begin(), coordinates.end());
    Simulation simulation = open_text(driven, timing(0.01, 0.1, more));
    run_all(simulation,
            [&] { ASSERT_NEAR(velocity(simulation, "slider").linear.x(), 3 * simulation.state().time, 1e-12); });
  }
}

}  // namespace
}  // namespace stiction::testing
