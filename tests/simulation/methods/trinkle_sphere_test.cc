// The example of trinkle2003, section 4: five steps of 0.12 s of a sphere that slides and then rolls, and its LCP.
#include "stiction/methods/stewart_trinkle.h"
#include "support/one_step.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81, mu = 0.2, v0 = 2;
const double transition = 2 * v0 / (7 * mu * g);

double exact_speed(double t) {
  return v0 - mu * g * std::min(t, transition);
}

double exact_spin(double t) {
  return 2.5 * mu * g * std::min(t, transition);
}

// Friction is constant while it slides, and a step that ends rolling gets the impulse that rolling needs, so velocities
// are exact at the end of every step; positions are not.
TEST(TrinkleSphere, VelocitiesOfAllFiveStepsAreExact) {
  Simulation simulation = open_scene("sphere_slide_roll");
  run_all(simulation, [&] {
    const double t = simulation.state().time;
    const Twist twist = velocity(simulation, "ball");
    EXPECT_LT((twist.linear - Vector3(exact_speed(t), 0, 0)).norm(), 1e-12) << "t = " << t;
    EXPECT_LT((twist.angular - Vector3(0, exact_spin(t), 0)).norm(), 1e-12) << "t = " << t;
    const ContactState state = t < transition ? ContactState::slip : ContactState::stick;
    EXPECT_EQ(count_contacts(simulation, state), 1) << "t = " << t;
  });
  EXPECT_EQ(simulation.step_index(), 5);
  EXPECT_NEAR(velocity(simulation, "ball").linear.x(), 5 * v0 / 7, 1e-12);
}

double exact_travel(double t) {
  const double s = std::min(t, transition);
  return v0 * s - 0.5 * mu * g * s * s + exact_speed(t) * (t - s);
}

TEST(TrinkleSphere, PositionIsOfFirstOrder) {
  // Each step moves with the velocity at its end: short by h/2 times the speed lost, mu g t_trn, plus at most as much
  // again times h / t_trn in the step of the transition.
  const auto error = [](double h) {
    Simulation simulation = open_scene("sphere_slide_roll", timing(h, 0.6));
    run_all(simulation);
    return std::abs(position(simulation, "ball").x() - exact_travel(0.6));
  };
  expect_order(error, {0.02, 0.01, 0.005, 0.0025}, 1, 0.5 * mu * g * transition * 1.1, 0.1);
}

// (48) as corrected: 1/m for the normal, 1/m + r^2/I = 3.5 for a direction with itself, -3.5 with its opposite. The
// paper lists +x, -x, +y, -y; here directions go round: +x, +y, -x, -y.
TEST(TrinkleSphere, MatrixAndVectorOfTheLcp) {
  const Simulation simulation = open_scene("sphere_slide_roll");
  const double h = 0.12;
  methods::StewartTrinkle method(simulation.settings().options.of<methods::StewartTrinkleOptions>(), 1);
  State state = simulation.state();
  state.v << 2, 0.3, 0.05, 0.7, -0.4, 0.9;
  StepRecord record;
  ASSERT_TRUE(testing::advance_once(simulation.model(), method, h, state, record).ok);
  const methods::StewartTrinkleLcp& lcp = method.lcp(0);
  ASSERT_EQ(lcp.n, 6);

  MatrixX F(6, 6);
  F << 1, 0, 0, 0, 0, 0,      //
      0, 3.5, 0, -3.5, 0, 1,  //
      0, 0, 3.5, 0, -3.5, 1,  //
      0, -3.5, 0, 3.5, 0, 1,  //
      0, 0, -3.5, 0, 3.5, 1,  //
      0.2, -1, -1, -1, -1, 0;
  EXPECT_LT((Eigen::Map<const MatrixX>(lcp.F.data(), 6, 6) - F).cwiseAbs().maxCoeff(), 1e-14);
  VectorX f(6);  // (49), the gap being zero: slip of the contact point is (v1 - v5, v2 + v4)
  f << 0.05 - g * h, 2 + 0.4, 0.3 + 0.7, -2.4, -1.0, 0;
  EXPECT_LT((Eigen::Map<const VectorX>(lcp.f.data(), 6) - f).cwiseAbs().maxCoeff(), 1e-14);
}

// With four directions turned by pi/4 none lies along the slip: friction along -x is shared by two of them and weaker
// by sqrt(2).
TEST(TrinkleSphere, TurnedDirectionsSlowItLess) {
  Simulation simulation =
      open_scene("sphere_slide_roll", {set("method.stewart-trinkle.friction_angle", std::atan(1.0))});
  simulation.step();
  EXPECT_NEAR(velocity(simulation, "ball").linear.x(), v0 - mu * g * 0.12 / std::sqrt(2.0), 1e-12);
}

}  // namespace
}  // namespace stiction::testing
