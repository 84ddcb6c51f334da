// Free flight: the parabola, and the centre of mass of a body that tumbles along it.
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;
const Vector3 p0(0, 0, 1), v0(3, 0, 4);  // of scenes/projectile.toml

Vector3 parabola(double t) {
  return p0 + v0 * t - 0.5 * g * t * t * Vector3::UnitZ();
}

// What the step computes: v_n = v0 - n h g, z_n = z0 + n h v0 - g h^2 n (n + 1) / 2.
Vector3 discrete_parabola(long n, double h) {
  return p0 + v0 * (n * h) - 0.5 * g * h * h * static_cast<double>(n) * (n + 1) * Vector3::UnitZ();
}

const Overrides tumbling = {"body.ball.shape={type='box', size=[0.1, 0.2, 0.3], position=[0.05, 0, -0.02]}",
                            "body.ball.position=[-0.05, 0, 1.02]", "body.ball.angular_velocity=[3, -17, 5]"};

// n additions of rounded terms: n eps times the size of the flight, 800 * 1e-16 * 4 m, is some 4e-13.
TEST(Projectile, FollowsTheDiscreteParabolaToRounding) {
  for (const Overrides& kind : {Overrides{}, tumbling}) {
    const double h = 1e-3;
    Simulation simulation = open_scene("projectile", timing(h, 0.8, kind));
    run_all(simulation, [&] {
      const long n = simulation.step_index();
      ASSERT_LT((position(simulation, "ball") - discrete_parabola(n, h)).norm(), 1e-12) << "step " << n;
      const Vector3 v = v0 - n * h * g * Vector3::UnitZ();
      ASSERT_LT((velocity(simulation, "ball").linear - v).norm(), 1e-12) << "step " << n;
    });
    EXPECT_EQ(simulation.step_index(), 800);
  }
}

// The height is too low by g h t / 2, the rest is exact.
TEST(Projectile, FollowsTheParabolaToFirstOrder) {
  const double t = 0.8;
  const auto error = [&](double h) {
    Simulation simulation = open_scene("projectile", timing(h, t, tumbling));
    run_all(simulation);
    const Vector3 miss = position(simulation, "ball") - parabola(t);
    EXPECT_NEAR(miss.z(), -0.5 * g * h * t, 1e-12);
    EXPECT_LT(miss.head<2>().norm(), 1e-12);
    return miss.norm();
  };
  expect_order(error, {4e-3, 2e-3, 1e-3}, 1, 0.5 * g * t * (1 + 1e-9), 1e-8);
}

// Gravity in any direction, and none.
TEST(Projectile, GravityIsTheScenes) {
  Simulation simulation = open_scene("projectile", timing(1e-2, 0.5, {"simulation.gravity=[1, -2, 3]"}));
  run_all(simulation);
  EXPECT_LT((velocity(simulation, "ball").linear - v0 - 0.5 * Vector3(1, -2, 3)).norm(), 1e-13);
}

}  // namespace
}  // namespace stiction::testing
