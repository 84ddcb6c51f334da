// Bodies that turn about a point or freely: the heavy top and the tumbling box, against closed forms and against Euler's
// equations integrated in body axes.
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

TEST(Gyroscope, Steady) {
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}})
    for (const double h : {4e-4, 2e-4, 1e-4}) {
      Simulation simulation = open_scene("gyroscope", timing(h, 1, coordinates));
      const double e0 = energy(simulation);
      const double L0 = angular_momentum(simulation.model(), simulation.kinematics()).z();
      double tilt = 0, gain = 0, lz = 0, stretch = 0;
      run_all(simulation, [&] {
        const Vector3 p = position(simulation, "disc");
        tilt = std::max(tilt, std::abs(p.z()));
        stretch = std::max(stretch, std::abs(p.norm() - arm));
        gain = std::max(gain, std::abs(energy(simulation) - e0));
        lz = std::max(lz, std::abs(angular_momentum(simulation.model(), simulation.kinematics()).z() - L0));
      });
      const Vector3 p = position(simulation, "disc");
      const double turned = std::atan2(p.y(), p.x());
      std::printf("h %g: azimuth err %g tilt %g energy %g/%g Lz %g/%g stretch %g\n", h, turned - precession, tilt, gain, e0,
                  lz, L0, stretch);
    }
}

TEST(Gyroscope, Nutation) {
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}})
    for (const double h : {4e-4, 2e-4, 1e-4}) {
      Overrides more = coordinates;
      more.push_back("joint.pivot.velocity=[60, 0, 0]");
      Simulation simulation = open_scene("gyroscope", timing(h, 0.6, more));
      VectorX y = top_state(Matrix3::Identity(), Vector3(60, 0, 0));
      const EulerTop top{Vector3(I3, I1, I1), Vector3(arm, 0, 0), m * g};
      const double e0 = energy(simulation);
      run_all(simulation);
      y = runge_kutta(top, y, 0.6, 12000);
      const Vector3 expected = load_quaternion(y.data()) * Vector3(arm, 0, 0);
      std::printf("h %g: miss %g, energy %g at z %g\n", h, (position(simulation, "disc") - expected).norm(),
                  energy(simulation) - e0, expected.z());
    }
}

TEST(Tumble, Order) {
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    Simulation simulation = open_scene("tumble", timing(h, 4));
    const Vector3 L0 = angular_momentum(simulation.model(), simulation.kinematics());
    const double e0 = energy(simulation);
    double dL = 0, dLv = 0, de = 0;
    run_all(simulation, [&] {
      const Vector3 L = angular_momentum(simulation.model(), simulation.kinematics());
      dL = std::max(dL, std::abs(L.norm() - L0.norm()));
      dLv = std::max(dLv, (L - L0).norm());
      de = std::max(de, std::abs(energy(simulation) - e0));
    });
    VectorX y = top_state(Matrix3::Identity(), Vector3(0.01, 5, 0.01));
    y = runge_kutta(EulerTop{Vector3(13, 10, 5)}, y, 4, 40000);
    const Matrix3 R = load_quaternion(y.data()).normalized().toRotationMatrix();
    std::printf("h %g: |L| %g L %g energy %g turn err %g\n", h, dL, dLv, de, (pose(simulation, "box").R - R).norm());
  }
}

TEST(Tumble, Long) {
  for (const double h : {1e-2, 1e-3}) {
    Simulation simulation = open_scene("tumble", timing(h, 200));
    const double e0 = energy(simulation), L0 = angular_momentum(simulation.model(), simulation.kinematics()).norm();
    double low = 1e9, high = -1e9, dL = 0;
    run_all(simulation, [&] {
      const double e = energy(simulation) - e0;
      low = std::min(low, e);
      high = std::max(high, e);
      dL = std::max(dL, std::abs(angular_momentum(simulation.model(), simulation.kinematics()).norm() - L0));
      const long n = std::lround(20 / h);
      if (simulation.step_index() % n == 0) {
        std::printf("t %g low %g high %g dL %g\n", simulation.state().time, low, high, dL / L0);
        low = 1e9, high = -1e9;
      }
    });
  }
}

}  // namespace
}  // namespace stiction::testing
