// The crank-rocker of scenes/four_bar.toml against its equation of motion with one degree of freedom, written here in
// the plane: angles theta_i of crank, coupler and rocker from x towards z,
//
//   closure           a e(theta_1) + b e(theta_2) = d x + c e(theta_3),   e = (cos, sin),
//   motion            J theta_1'' + (sum m dp.ddp + I k dk) theta_1'^2 + sum m g dp_z = 0,   J = sum m dp.dp + I k^2,
//
// with k_i = d theta_i / d theta_1, dp and ddp the first and second derivatives of the centres by theta_1.
#include <array>

#include "stiction/dynamics/energy.h"
#include "support/runge_kutta.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double a = 0.1, b = 0.35, c = 0.25, d = 0.4, g = 9.81;
constexpr std::array<double, 3> length = {a, b, c}, mass = {0.2, 0.7, 0.5};
const std::array<std::string, 3> names = {"crank", "coupler", "rocker"};

Vector2 e(double angle) {
  return {std::cos(angle), std::sin(angle)};
}
Vector2 n(double angle) {
  return {-std::sin(angle), std::cos(angle)};
}

// y = (theta_1, theta_2, theta_3, theta_1'); the other angles are carried along by their rates.
struct Links {
  std::array<Vector2, 3> center, dp, ddp;
  std::array<double, 3> k, dk;
};

Links links(const VectorX& y) {
  Links l;
  Eigen::Matrix2d closure;
  closure << b * n(y[1]), -c * n(y[2]);
  const Vector2 k = closure.inverse() * (-a * n(y[0]));
  const Vector2 dk = closure.inverse() * (a * e(y[0]) + b * k[0] * k[0] * e(y[1]) - c * k[1] * k[1] * e(y[2]));
  l.k = {1, k[0], k[1]};
  l.dk = {0, dk[0], dk[1]};
  l.center = {a / 2 * e(y[0]), a * e(y[0]) + b / 2 * e(y[1]), Vector2(d, 0) + c / 2 * e(y[2])};
  l.dp = {a / 2 * n(y[0]), a * n(y[0]) + b / 2 * k[0] * n(y[1]), c / 2 * k[1] * n(y[2])};
  l.ddp = {-a / 2 * e(y[0]), -a * e(y[0]) + b / 2 * (dk[0] * n(y[1]) - k[0] * k[0] * e(y[1])),
           c / 2 * (dk[1] * n(y[2]) - k[1] * k[1] * e(y[2]))};
  return l;
}

VectorX rate(const VectorX& y) {
  const Links l = links(y);
  double J = 0, products = 0, weight = 0;
  for (int i = 0; i < 3; ++i) {
    const double inertia = mass[i] * (length[i] * length[i] + 0.02 * 0.02) / 12;
    J += mass[i] * l.dp[i].squaredNorm() + inertia * l.k[i] * l.k[i];
    products += mass[i] * l.dp[i].dot(l.ddp[i]) + inertia * l.k[i] * l.dk[i];
    weight += mass[i] * g * l.dp[i].y();
  }
  return Vector4(y[3], l.k[1] * y[3], l.k[2] * y[3], -(products * y[3] * y[3] + weight) / J);
}

double plane_angle(const Pose& pose) {
  return std::atan2(pose.R(2, 0), pose.R(0, 0));
}

// The links of the simulation as y.
VectorX observe(Simulation& simulation) {
  VectorX y(4);
  for (int i = 0; i < 3; ++i) y[i] = plane_angle(pose(simulation, names[i]));
  y[3] = -velocity(simulation, "crank").angular.y();
  return y;
}

// Largest distance of a link's centre from where the reference has it.
double distance_to(Simulation& simulation, const VectorX& y) {
  const Links l = links(y);
  double largest = 0;
  for (int i = 0; i < 3; ++i) {
    const Vector3 p = position(simulation, names[i]);
    largest = std::max(largest, (p - Vector3(l.center[i].x(), 0, l.center[i].y())).norm());
  }
  return largest;
}

// How far the joints are open, all three coordinates.
double opening(Simulation& simulation) {
  const Pose crank = pose(simulation, "crank"), coupler = pose(simulation, "coupler"),
             rocker = pose(simulation, "rocker");
  const auto end = [](const Pose& pose, double x) -> Vector3 { return pose * Vector3(x, 0, 0); };
  return std::max({end(crank, -a / 2).norm(), (end(crank, a / 2) - end(coupler, -b / 2)).norm(),
                   (end(coupler, b / 2) - end(rocker, c / 2)).norm(), (end(rocker, -c / 2) - Vector3(d, 0, 0)).norm()});
}

double energy(Simulation& simulation) {
  const Energies energies = simulation.energies();
  return energies.kinetic + energies.potential;
}

// The joint rows hold along the tangent at the start of the step; a link of length l that turns at omega leaves it by
// l omega^2 h^2 / 2. The next step's gap term takes that back, so it never adds up.
double opening_bound(Simulation& simulation, double h) {
  double bound = 0;
  for (int i = 0; i < 3; ++i) bound += 0.5 * length[i] * velocity(simulation, names[i]).angular.squaredNorm() * h * h;
  return bound;
}

// Distance to the reference after a second in which the crank turns almost three times.
double miss(double h, const Overrides& coordinates) {
  const double t = 1;
  Simulation simulation = open_scene("four_bar", timing(h, t, coordinates));
  const VectorX start = observe(simulation);
  run_all(simulation);
  return distance_to(simulation, runge_kutta(rate, start, t, 4000));
}

// The scene starts with the loop closed in position and velocity: otherwise the reference would be of another motion.
TEST(FourBar, StartsClosed) {
  Simulation simulation = open_scene("four_bar");
  EXPECT_LT(opening(simulation), 1e-15);
  const VectorX y = observe(simulation);
  const Links l = links(y);
  for (int i = 0; i < 3; ++i) {
    const Vector3 v = velocity(simulation, names[i]).linear;
    EXPECT_LT((v - y[3] * Vector3(l.dp[i].x(), 0, l.dp[i].y())).norm(), 1e-14) << names[i];
  }
}

// First order; the constants are within two steps of motion at the crank pin's speed, 2.5 m/s.
TEST(FourBar, FollowsThePlaneEquationOfMotion) {
  expect_order([](double h) { return miss(h, {}); }, {1e-3, 5e-4, 2.5e-4}, 1, 6, 0.1);
}

TEST(FourBar, FollowsItInMaximalCoordinatesToo) {
  expect_order([](double h) { return miss(h, {maximal}); }, {5e-4, 2.5e-4, 1.25e-4}, 1, 2, 0.25);
}

// Ten thousand steps, some thirty turns of the crank: the joints stay closed to the bound of a single step, and the
// energy (2.26 J at the start) keeps to O(h).
TEST(FourBar, StaysClosedOverTenThousandSteps) {
  struct Case {
    Overrides coordinates;
    double energy_per_step_size;  // J/s of h, over ten seconds: a regression bound, measured 92 and 8
  };
  for (const Case& run : {Case{{}, 100}, Case{{maximal}, 10}}) {
    const double h = 1e-3;
    Simulation simulation = open_scene("four_bar", timing(h, 10, run.coordinates));
    const double energy_start = energy(simulation);
    double largest = 0, bound = 0, out_of_plane = 0;
    run_all(simulation, [&] {
      largest = std::max(largest, opening(simulation));
      bound = std::max(bound, opening_bound(simulation, h));
      for (const std::string& name : names)
        out_of_plane = std::max(out_of_plane, std::abs(position(simulation, name).y()));
    });
    EXPECT_EQ(simulation.step_index(), 10000);
    EXPECT_LT(largest, bound);
    EXPECT_LT(out_of_plane, 1e-14);
    EXPECT_LT(std::abs(energy(simulation) - energy_start), run.energy_per_step_size * h);
  }
}

TEST(FourBar, EnergyIsOfFirstOrder) {
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    const auto error = [&](double h) {
      Simulation simulation = open_scene("four_bar", timing(h, 1, coordinates));
      const double start = energy(simulation);
      double worst = 0;
      run_all(simulation, [&] { worst = std::max(worst, std::abs(energy(simulation) - start)); });
      return worst;
    };
    expect_order(error, {1e-3, 5e-4, 2.5e-4}, 1, 25);  // J/s: one per cent of 2.26 J at h = 1e-3
  }
}

}  // namespace
}  // namespace stiction::testing
