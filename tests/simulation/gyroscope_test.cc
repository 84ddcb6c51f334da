// Bodies that turn about a point or freely: the heavy top and the tumbling box, against closed forms and against
// Euler's equations integrated in body axes.
#include "stiction/dynamics/energy.h"
#include "stiction/math/rotation.h"
#include "support/runge_kutta.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;

// Euler's equations about a fixed point (or the centre of mass): y = (quaternion, angular velocity in body axes),
// principal moments I about that point, weight m g at arm_B from it.
struct EulerTop {
  Vector3 moments = Vector3::Ones();
  Vector3 arm_B = Vector3::Zero();
  double weight = 0;

  VectorX operator()(const VectorX& y) const {
    const Quaternion q = load_quaternion(y.data());
    const Vector3 w = y.tail<3>(), L = moments.cwiseProduct(w);
    const Vector3 down_B = q.conjugate() * Vector3(0, 0, -1);
    const Vector3 torque = weight * arm_B.cross(down_B);
    const Quaternion turn = q * Quaternion(0, w.x(), w.y(), w.z());
    VectorX rate(7);
    rate << 0.5 * turn.w(), 0.5 * turn.x(), 0.5 * turn.y(), 0.5 * turn.z(),
        (torque - w.cross(L)).cwiseQuotient(moments);
    return rate;
  }
};

VectorX top_state(const Matrix3& R, const Vector3& omega_W) {
  const Quaternion q(R);
  VectorX y(7);
  y << q.w(), q.x(), q.y(), q.z(), R.transpose() * omega_W;
  return y;
}

double energy(Simulation& simulation) {
  const Energies energies = simulation.energies();
  return energies.kinetic + energies.potential;
}

// Constants of scenes/gyroscope.toml.
constexpr double m = 1, arm = 0.2, radius = 0.1, thickness = 0.02, spin = 200;
constexpr double I3 = 0.5 * m * radius * radius;
constexpr double I1 = m * (3 * radius * radius + thickness * thickness) / 12 + m * arm * arm;
const double precession = m * g * arm / (I3 * spin);

// Largest deviations from steady precession within a second.
struct Precession {
  double tilt = 0;      // rad, of the arm from level
  double azimuth = 0;   // rad, at the end, from precession * t
  double energy = 0;    // J
  double momentum = 0;  // kg m^2/s, vertical
  double arm = 0;       // m, of its length
};

Precession precess(double h, const Overrides& coordinates) {
  Simulation simulation = open_scene("gyroscope", timing(h, 1, coordinates));
  const auto vertical = [&] { return angular_momentum(simulation.model(), simulation.kinematics()).z(); };
  const double energy_start = energy(simulation), vertical_start = vertical();
  Precession worst;
  run_all(simulation, [&] {
    const Vector3 p = position(simulation, "disc");
    worst.tilt = std::max(worst.tilt, std::abs(std::asin(p.z() / p.norm())));
    worst.arm = std::max(worst.arm, std::abs(p.norm() - arm));
    worst.energy = std::max(worst.energy, std::abs(energy(simulation) - energy_start));
    worst.momentum = std::max(worst.momentum, std::abs(vertical() - vertical_start));
  });
  const Vector3 p = position(simulation, "disc");
  worst.azimuth = std::abs(std::atan2(p.y(), p.x()) - precession);
  return worst;
}

// The velocity given at the start acts over the first step, by whose middle the arm has turned by precession * h / 2:
// the spin is off by spin * precession * h / 2 sideways and starts a nutation at I3 spin / I1. That is the whole O(h);
// the precession itself errs by (spin h)^2, and energy and vertical momentum are of second order.
TEST(Gyroscope, SteadyPrecession) {
  const double nutation = 0.5 * spin * precession / (I3 * spin / I1);  // rad per second of h
  expect_order([](double h) { return precess(h, {}).tilt; }, {4e-4, 2e-4, 1e-4}, 1, 1.1 * nutation, 0.1);
  expect_order([](double h) { return precess(h, {}).energy; }, {4e-4, 2e-4, 1e-4}, 2, 400);
  expect_order([](double h) { return precess(h, {}).momentum; }, {4e-4, 2e-4, 1e-4}, 2, 1500);
  for (const double h : {4e-4, 1e-4, 2.5e-5}) {
    EXPECT_LT(precess(h, {}).azimuth, 2 * nutation * h + precession * spin * h * spin * h) << "h = " << h;
  }
}

// With the disc free and the pivot a constraint, the reaction acts on the disc as it stands at the start of the step,
// half the step's spin away from where the body's own motion has it on average: the reaction's moment m g l is turned
// by spin h / 2, and the arm sinks at precession * spin h / 2, first order.
TEST(Gyroscope, SteadyPrecessionInMaximalCoordinates) {
  const double sinking = 0.5 * spin * precession;  // rad/s per second of h, over one second
  expect_order([](double h) { return precess(h, {maximal}).tilt; }, {2e-4, 1e-4, 5e-5}, 1, 1.1 * sinking, 0.1);
  for (const double h : {2e-4, 1e-4, 5e-5}) {
    const Precession worst = precess(h, {maximal});
    EXPECT_LT(worst.azimuth, sinking * h) << "h = " << h;
    EXPECT_LT(worst.energy, 1.1 * m * g * arm * sinking * h) << "h = " << h;
    EXPECT_LT(worst.momentum, 1.1 * I3 * spin * sinking * h) << "h = " << h;
    EXPECT_LT(worst.arm, 0.55 * arm * precession * precession * h * h) << "h = " << h;
  }
}

// Let go at rest with less spin, the arm falls and nutates.
double nutation_miss(double h, const Overrides& coordinates) {
  const double t = 0.6;
  Overrides more = coordinates;
  more.push_back("joint.pivot.velocity=[60, 0, 0]");
  Simulation simulation = open_scene("gyroscope", timing(h, t, more));
  run_all(simulation);
  const EulerTop top{Vector3(I3, I1, I1), Vector3(arm, 0, 0), m * g};
  const VectorX y = runge_kutta(top, top_state(Matrix3::Identity(), Vector3(60, 0, 0)), t, 6000);
  return (position(simulation, "disc") - load_quaternion(y.data()) * Vector3(arm, 0, 0)).norm();
}

// Half a step of the disc's speed, at most sqrt(2 g * 0.041 m) = 0.9 m/s.
TEST(Gyroscope, NutationFollowsEulersEquations) {
  expect_order([](double h) { return nutation_miss(h, {}); }, {4e-4, 2e-4, 1e-4}, 1, 0.45);
}

// The sinking explained above: the arm's end moves by arm * t * (m g l / (I3 60)) * 60 h / 2.
TEST(Gyroscope, NutationInMaximalCoordinates) {
  const double sinking = 0.5 * m * g * arm / I3;
  expect_order([](double h) { return nutation_miss(h, {maximal}); }, {4e-4, 2e-4, 1e-4}, 1, arm * 0.6 * sinking);
}

Vector3 momentum(Simulation& simulation) {
  return angular_momentum(simulation.model(), simulation.kinematics());
}

// scenes/tumble.toml turns over at about 3 s; the reference is Euler's equations. At the ends of steps I omega is off
// by the turn of half a step, |omega x L| h / 2, but its length is kept.
TEST(Tumble, FollowsEulersEquations) {
  const double t = 4;
  const VectorX y =
      runge_kutta(EulerTop{Vector3(13, 10, 5)}, top_state(Matrix3::Identity(), Vector3(0.01, 5, 0.01)), t, 8000);
  const Matrix3 R = load_quaternion(y.data()).toRotationMatrix();
  const Vector3 axis_start(0, 1, 0);
  ASSERT_LT((R * axis_start).y(), 0) << "it should have turned over";
  const auto error = [&](double h) {
    Simulation simulation = open_scene("tumble", timing(h, t));
    const Vector3 L0 = momentum(simulation);
    double turned = 0;
    run_all(simulation, [&] {
      const Vector3 L = momentum(simulation);
      turned = std::max(turned, (L - L0).norm() - 0.5 * h * velocity(simulation, "box").angular.norm() * L.norm());
    });
    EXPECT_LE(turned, 0) << "h = " << h;
    return (pose(simulation, "box").R - R).norm();
  };
  expect_order(error, {4e-3, 2e-3, 1e-3}, 1, 0.2);
}

// |L| to rounding. The energy dips while the box turns over, by O(h^2), and comes back: no drift over forty turns.
TEST(Tumble, KeepsMomentumAndEnergyForLong) {
  std::vector<double> dips;
  for (const double h : {1e-2, 5e-3}) {
    Simulation simulation = open_scene("tumble", timing(h, 200));
    const double energy_start = energy(simulation), L0 = momentum(simulation).norm();
    const long part = std::lround(40 / h);
    std::vector<double> dip(5, 0), rise(5, 0);
    double worst = 0;
    run_all(simulation, [&] {
      const double gain = (energy(simulation) - energy_start) / energy_start;
      const long k = (simulation.step_index() - 1) / part;
      dip[k] = std::min(dip[k], gain);
      rise[k] = std::max(rise[k], gain);
      worst = std::max(worst, std::abs(momentum(simulation).norm() / L0 - 1));
    });
    EXPECT_LT(worst, 1e-12);
    for (int k = 0; k < 5; ++k) {
      EXPECT_NEAR(dip[k], dip[0], 1e-3 * std::abs(dip[0])) << "part " << k;
      EXPECT_LT(rise[k], 1e-3 * std::abs(dip[0])) << "part " << k;
    }
    dips.push_back(-dip[0]);
  }
  EXPECT_NEAR(std::log2(dips[0] / dips[1]), 2, 0.05);
  EXPECT_LT(dips[0], 1e-4);
}

}  // namespace
}  // namespace stiction::testing
