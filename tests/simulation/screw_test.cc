// A screw against its equation of motion: with the lead l = pitch / (2 pi), mass m and moment of inertia I about the
// axis, what moves has the inertia J = I + m l^2 in the angle, and weight along the axis is the moment -m g l.
#include <cmath>

#include "stiction/dynamics/energy.h"
#include "stiction/recording/joint_values.h"
#include "support/runge_kutta.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

// Along the vertical, centre of mass on the axis.
const std::string nut = R"(
[[body]]
name = "nut"
mass = 2.0
position = [0, 0, 1]
inertia = [0.004, 0.005, 0.006, 0, 0, 0]
[[joint]]
name = "thread"
type = "screw"
parent = "world"
child = "nut"
position = [0, 0, 1]
pitch = 0.3
)";

constexpr double m = 2, I = 0.006, g = 9.81;

struct Thread {
  double pitch;
  double lead() const { return pitch / (2 * M_PI); }
  double inertia() const { return I + m * lead() * lead(); }
  double weight() const { return -m * g * lead(); }  // as a moment about the axis
  double acceleration() const { return weight() / inertia(); }
};

Overrides with(Overrides overrides, const Overrides& more) {
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

// The joint's angle and its rate as recordings have them, for joints of the tree and others.
std::pair<double, double> angle_and_rate(Simulation& simulation) {
  const recording::JointLayout layout = recording::make_joint_layout(simulation.model());
  recording::JointValues values;
  recording::read_joints(simulation.model(), simulation.state(), simulation.kinematics(), layout, values);
  for (size_t j = 0; j < layout.names.size(); ++j) {
    if (layout.types[j] == "screw")
      return {values.position[layout.position_offset[j]], values.velocity[layout.velocity_offset[j]]};
  }
  throw std::runtime_error("no screw");
}

double energy(Simulation& simulation) {
  return kinetic_energy(simulation.model(), simulation.state(), simulation.kinematics()) +
         potential_energy(simulation.model(), simulation.state(), simulation.kinematics());
}

// Both threads, both sets of coordinates: the speed is exact at every step, and falling means turning back on a
// right-handed thread. A step moves by its velocity at the end, so that a step loses J a^2 h^2 / 2 of energy.
TEST(Screw, RunsDownAsTheClosedFormSays) {
  const double h = 1e-3;
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    for (const Thread thread : {Thread{0.3}, Thread{-0.12}}) {
      Simulation simulation =
          open_text(nut, with(timing(h, 1, {set("joint.thread.pitch", thread.pitch)}), coordinates));
      const double start = energy(simulation), a = thread.acceleration();
      run_all(simulation, [&] {
        const double t = simulation.state().time, angle = 0.5 * a * t * (t + h);
        const auto [q, v] = angle_and_rate(simulation);
        ASSERT_NEAR(v, a * t, 1e-9 * std::abs(a));
        ASSERT_NEAR(q, angle, 1e-9 * std::abs(a));
        ASSERT_NEAR(position(simulation, "nut").z(), 1 + thread.lead() * angle, 1e-10);
        ASSERT_NEAR(velocity(simulation, "nut").linear.z(), thread.lead() * a * t, 1e-9);
        ASSERT_NEAR(velocity(simulation, "nut").angular.z(), a * t, 1e-9 * std::abs(a));
        ASSERT_NEAR(energy(simulation) - start, -0.5 * thread.inertia() * a * a * h * t, 1e-9);
      });
      EXPECT_GT(std::abs(angle_and_rate(simulation).first), 2 * M_PI) << "not a whole turn";
    }
  }
}

// Off the axis, which lies level: a pendulum that walks along its axis. Its energy is kept to the tolerance of the
// integrator, and its motion is that of (I + m r^2 + m l^2) q'' = -m g r cos q.
const std::string walking = R"(
[[body]]
name = "bob"
mass = 2.0
position = [0, 0.2, 1]
inertia = [0.004, 0.005, 0.006, 0, 0, 0]
[[joint]]
name = "thread"
type = "screw"
parent = "world"
child = "bob"
position = [0, 0, 1]
axis = [1, 0, 0]
pitch = 0.5
)";

TEST(Screw, APendulumOnAThreadKeepsItsEnergy) {
  Simulation simulation = open_text(walking, timing(5e-3, 3, {"simulation.method=\"event-driven\""}));
  const double start = energy(simulation);
  run_all(simulation, [&] { ASSERT_NEAR(energy(simulation), start, 1e-7); });
}

TEST(Screw, APendulumOnAThreadMovesToFirstOrder) {
  const double l = 0.5 / (2 * M_PI), r = 0.2, J = 0.004 + m * (r * r + l * l), t = 0.5;
  const auto rate = [&](const VectorX& y) -> VectorX { return Vector2(y[1], -m * g * r / J * std::cos(y[0])); };
  VectorX y = Vector2::Zero();
  for (int i = 0; i < 5000; ++i) y = runge_kutta_step(rate, y, t / 5000);
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    const auto error = [&](double h) {
      Simulation simulation = open_text(walking, timing(h, t, coordinates));
      run_all(simulation);
      const Vector3 expected(l * y[0], r * std::cos(y[0]), 1 + r * std::sin(y[0]));
      return (position(simulation, "bob") - expected).norm();
    };
    expect_order(error, {2e-3, 1e-3, 5e-4}, 1, 5);
  }
}

TEST(Screw, StopsAtItsLimitAfterManyTurns) {
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    Simulation simulation = open_text(nut, with(timing(2e-3, 3, {"joint.thread.limits=[-20.0, 1.0]"}), coordinates));
    const RunSummary summary = run_all(simulation, [&] { ASSERT_GT(angle_and_rate(simulation).first, -20 - 1e-9); });
    EXPECT_NEAR(angle_and_rate(simulation).first, -20, 1e-9);
    EXPECT_NEAR(angle_and_rate(simulation).second, 0, 1e-9);
    EXPECT_NEAR(position(simulation, "nut").z(), 1 - 20 * Thread{0.3}.lead(), 1e-9);
    EXPECT_LT(summary.certificate.momentum, 1e-8);
  }
}

TEST(Screw, DryFrictionLocksItOrSlowsIt) {
  const Thread thread{0.3};
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    Simulation locked =
        open_text(nut, with(timing(1e-3, 0.5, {set("joint.thread.friction", -1.01 * thread.weight())}), coordinates));
    run_all(locked, [&] { ASSERT_NEAR(angle_and_rate(locked).second, 0, 1e-9); });
    Simulation slowed =
        open_text(nut, with(timing(1e-3, 0.5, {set("joint.thread.friction", -0.25 * thread.weight())}), coordinates));
    run_all(slowed, [&] {
      ASSERT_NEAR(angle_and_rate(slowed).second, 0.75 * thread.acceleration() * slowed.state().time, 1e-8);
    });
  }
}

TEST(Screw, SpringDamperAndActuatorActOnItsAngle) {
  const Thread thread{0.3};
  Simulation hung = open_text(
      nut, timing(2e-3, 8, {"joint.thread.stiffness=0.4", "joint.thread.damping=0.1", "joint.thread.rest=5.0"}));
  run_all(hung);
  EXPECT_NEAR(angle_and_rate(hung).first, 5 + thread.weight() / 0.4, 1e-9);
  const std::string driven = nut + "[[actuator]]\nname = \"drive\"\njoint = \"thread\"\n";
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    Simulation lifted =
        open_text(driven, with(timing(1e-3, 0.5, {set("actuator.drive.force", -3 * thread.weight())}), coordinates));
    run_all(lifted, [&] {
      ASSERT_NEAR(angle_and_rate(lifted).second, -2 * thread.acceleration() * lifted.state().time, 1e-8);
    });
  }
}

TEST(Screw, AControllerAcceleratesIt) {
  Simulation simulation =
      open_text(nut + "[[controller]]\nname = \"wind\"\njoint = \"thread\"\nacceleration = 3.0\n", timing(1e-3, 1));
  run_all(simulation, [&] { ASSERT_NEAR(simulation.state().v[0], 3 * simulation.state().time, 1e-10); });
}

TEST(Screw, StartsWithTheVelocityOfItsBody) {
  const std::string body = nut + "reference = 9.0\n";
  const Thread thread{0.3};
  Simulation simulation = open_text(body, timing(1e-3, 1, {"body.nut.linear_velocity=[0.0, 0.0, 0.15]"}));
  EXPECT_NEAR(simulation.state().v[0], 0.15 / thread.lead(), 1e-12);
  EXPECT_EQ(simulation.state().q[0], 9);
  EXPECT_NEAR(position(simulation, "nut").z(), 1, 1e-15);
  EXPECT_THROW(open_text(body, timing(1e-3, 1, {"body.nut.linear_velocity=[0.1, 0.0, 0.15]"})), std::runtime_error);
}

// A lead screw: the nut slides and may not turn, the spindle turns and may not slide; the thread closes the loop. The
// nut turns back on the spindle as this turns, z = -l q, and falls with m g l^2 / (I + m l^2).
const std::string lead_screw = R"(
[[body]]
name = "spindle"
mass = 5.0
position = [0, 0, 1]
inertia = [1, 1, 0.006, 0, 0, 0]
[[body]]
name = "nut"
mass = 2.0
position = [0.1, 0, 1]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
[[joint]]
name = "bearing"
type = "revolute"
parent = "world"
child = "spindle"
[[joint]]
name = "guide"
type = "prismatic"
parent = "world"
child = "nut"
[[joint]]
name = "thread"
type = "screw"
parent = "spindle"
child = "nut"
pitch = 0.05
loop = true
)";

TEST(Screw, ClosesALoopOverManyTurns) {
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    for (const Thread thread : {Thread{0.05}, Thread{-0.05}}) {
      Simulation simulation =
          open_text(lead_screw, with(timing(1e-3, 1, {set("joint.thread.pitch", thread.pitch)}), coordinates));
      const double l = thread.lead(), fall = m * g * l * l / thread.inertia();
      run_all(simulation, [&] {
        const double t = simulation.state().time;
        ASSERT_NEAR(velocity(simulation, "nut").linear.z(), -fall * t, 1e-8);
        ASSERT_NEAR(velocity(simulation, "spindle").angular.z(), fall * t / l, 1e-6);
        const auto [q, v] = angle_and_rate(simulation);
        ASSERT_NEAR(l * q, position(simulation, "nut").z() - 1, 1e-9);
        ASSERT_NEAR(v, -fall * t / l, 1e-6);
      });
      EXPECT_GT(std::abs(angle_and_rate(simulation).first), 4 * M_PI);
    }
  }
}

}  // namespace
}  // namespace stiction::testing
