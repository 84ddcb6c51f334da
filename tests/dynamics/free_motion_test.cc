// The free motion: its own balance, the tumbling body, the projectile, the heavy top, stiff springs, limited actuators.
#include "stiction/dynamics/free_motion.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "dynamics/random_model.h"
#include "stiction/dynamics/energy.h"
#include "stiction/dynamics/free_body.h"

namespace stiction {
namespace {

using testing::Dice;

// A model with its memory, stepped by free motion alone.
struct Stepper {
  Model model;
  State state;
  Kinematics k;
  FreeMotion motion;

  explicit Stepper(BuiltModel built)
      : model(std::move(built.model)),
        state(std::move(built.state)),
        k(make_kinematics(model)),
        motion(make_free_motion(model)) {}

  void step(double h) {
    update_kinematics(model, state, h, k);
    compute_free_motion(model, state, h, {}, k, motion);
    state.v = motion.v_free;
    integrate_positions(model, state.v, h, state.q);
    state.time += h;
  }
  double energy() {
    update_kinematics(model, state, 0, k);
    return kinetic_energy(model, state, k) + potential_energy(model, state, k);
  }
};

MatrixX mass_with_implicit(const Model& model, const Kinematics& k, FreeMotion& motion) {
  std::vector<double> mass(model.mass_size);
  crba(model, k, motion.implicit_diagonal, motion.recursion, mass);
  MatrixX M = MatrixX::Zero(model.v_size, model.v_size);
  for (const Tree& tree : model.trees)
    M.block(tree.v_offset, tree.v_offset, tree.v_size, tree.v_size) =
        Eigen::Map<const MatrixX>(mass.data() + tree.mass_offset, tree.v_size, tree.v_size);
  return M;
}

ModelDescription loaded_description(Dice& dice) {
  ModelDescription description = testing::random_description(dice, 40);
  for (JointDescription& joint : description.joints) {
    for (JointCoordinate& c : joint.coordinates) {
      c.stiffness = dice.uniform(0, 50);
      c.damping = dice.uniform(0, 5);
      c.rest = dice.uniform(-1, 1);
    }
    if (joint.coordinates.empty()) continue;
    ActuatorDescription a;
    a.name = "drive " + joint.name;
    a.joint = joint.name;
    a.force = dice.uniform(-5, 5);
    a.stiffness = dice.uniform(0, 100);
    a.damping = dice.uniform(0, 10);
    a.target = dice.uniform(-1, 1);
    a.max_force = dice.uniform(0.5, 40);
    description.actuators.push_back(a);
  }
  return description;
}

TEST(FreeMotion, ImpulseOfLoadsIsMassTimesVelocityChange) {
  const double h = 1e-3;
  for (unsigned seed = 0; seed < 10; ++seed) {
    Dice dice(seed);
    BuiltModel reduced = build_model(loaded_description(dice)).value();
    reduced.state = testing::random_state(dice, reduced.model);
    for (const BuiltModel& built : {reduced, to_maximal(reduced)}) {
      Stepper s(built);
      update_kinematics(s.model, s.state, h, s.k);
      const std::vector<Twist> before = s.k.velocity;
      const VectorX load = dice.numbers(s.model.v_size, 3);
      compute_free_motion(s.model, s.state, h, {load.data(), static_cast<size_t>(load.size())}, s.k, s.motion);
      const MatrixX M = mass_with_implicit(s.model, s.k, s.motion);
      const VectorX impulse = M * (s.motion.v_free - s.state.v);
      EXPECT_LT((impulse - s.motion.external_impulse).norm(), 1e-12 * (M * s.state.v).norm());
      for (size_t b = 0; b < before.size(); ++b) EXPECT_EQ(before[b].linear, s.k.velocity[b].linear);
    }
  }
}

TEST(FreeMotion, ProductTermsAreThoseOfTheMeanVelocity) {
  const double h = 1e-3;
  testing::Sample sample = testing::random_sample(4, 40);
  Stepper s({sample.model, sample.state, {}});
  update_kinematics(s.model, s.state, h, s.k);
  compute_free_motion(s.model, s.state, h, {}, s.k, s.motion);
  Recursion scratch = make_recursion(s.model);
  VectorX defect = VectorX::Zero(s.model.v_size);
  const VectorX v_mean = 0.5 * (s.state.v + s.motion.v_free), vdot = (s.motion.v_free - s.state.v) / h;
  update_velocities(s.model, v_mean, s.k);
  rnea(s.model, s.k, vdot, {}, scratch, defect);
  for (const Tree& tree : s.model.trees) {
    if (tree.joint_count == 1) continue;
    EXPECT_LT(defect.segment(tree.v_offset, tree.v_size).norm(), 1e-9);  // eps |M v| / h
  }
}

BodyDescription asymmetric_body() {
  BodyDescription body;
  body.name = "body";
  body.mass = 1;
  body.inertia = {1, 2, 2.5, 0, 0, 0};
  body.angular_velocity = Vector3(0.01, 2, 0.02);  // about the intermediate axis: it flips over and over
  return body;
}

BuiltModel single_body(const BodyDescription& body, const Vector3& gravity) {
  ModelDescription description;
  description.gravity = gravity;
  description.bodies = {body};
  return build_model(description).value();
}

TEST(FreeBody, TumblingKeepsMomentumAndEnergy) {
  const double h = 1e-2;
  Stepper s(single_body(asymmetric_body(), Vector3::Zero()));
  const auto momentum = [&s] {
    update_kinematics(s.model, s.state, 0, s.k);
    return angular_momentum(s.model, s.k);
  };
  // The vector that the rule conserves is that of the middle of the step.
  const auto middle = [&](const Vector3& L) { return exp_rotation(-0.5 * h * s.state.v.tail<3>()) * L; };
  const Vector3 L0 = momentum();
  const Vector3 middle0 = middle(L0);
  const double energy0 = s.energy();
  double early = 0, late = 0;
  int flips = 0;
  double side = 1;
  const int steps = 100000;
  for (int i = 0; i < steps; ++i) {
    s.step(h);
    const double body_y = (s.k.X_WB[0].R.transpose() * s.state.v.tail<3>()).y();
    if (body_y * side < -1) side = -side, ++flips;
    if (i % 100 != 0) continue;
    const double error = std::abs(s.energy() - energy0) / energy0;
    (i < steps / 2 ? early : late) = std::max(i < steps / 2 ? early : late, error);
  }
  EXPECT_GT(flips, 10);
  EXPECT_NEAR(momentum().norm(), L0.norm(), 1e-12 * L0.norm());
  // 1e5 products of rotations, each rounded: the direction may wander by 1e5 * 1e-16 at worst.
  EXPECT_LT((middle(momentum()) - middle0).norm(), 2e-11 * L0.norm());
  EXPECT_LT(early, 1e-3);  // (h w)^2 / 12 and the like
  EXPECT_NEAR(late, early, 0.05 * early);
}

// Free rotation by Runge-Kutta of order four, far finer than the runs it judges.
Quaternion reference_orientation(const Matrix3& I_B, const Vector3& w0, double time) {
  const int steps = 20000;
  const double h = time / steps;
  Vector3 w = w0;  // body axes
  Quaternion q = Quaternion::Identity();
  const auto wdot = [&](const Vector3& x) -> Vector3 { return I_B.inverse() * (Vector3(I_B * x).cross(x)); };
  const auto qdot = [](const Quaternion& p, const Vector3& x) -> Vector4 {
    return 0.5 * (p * Quaternion(0, x.x(), x.y(), x.z())).coeffs();
  };
  const auto moved = [](const Quaternion& p, const Vector4& d) { return Quaternion(Vector4(p.coeffs() + d)); };
  for (int i = 0; i < steps; ++i) {
    const Vector3 k1 = wdot(w), k2 = wdot(w + 0.5 * h * k1), k3 = wdot(w + 0.5 * h * k2), k4 = wdot(w + h * k3);
    const Vector4 d1 = qdot(q, w), d2 = qdot(moved(q, 0.5 * h * d1), w + 0.5 * h * k1);
    const Vector4 d3 = qdot(moved(q, 0.5 * h * d2), w + 0.5 * h * k2), d4 = qdot(moved(q, h * d3), w + h * k3);
    q = moved(q, h / 6 * (d1 + 2 * d2 + 2 * d3 + d4)).normalized();
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return q;
}

TEST(FreeBody, OrientationIsSecondOrder) {
  const Vector3 w0(1, 2, -1.5);
  const Matrix3 I = Vector3(1, 2, 2.5).asDiagonal();
  const Quaternion exact = reference_orientation(I, w0, 2);
  std::vector<double> errors;
  for (double h : {0.02, 0.01, 0.005}) {
    BodyDescription body = asymmetric_body();
    // The velocity of the step before the start, whose middle carries the true momentum.
    body.angular_velocity = turn_free_body(I, Vector3::Zero(), -(I * w0) / h, -h).w;
    Stepper s(single_body(body, Vector3::Zero()));
    for (int i = 0; i < static_cast<int>(std::lround(2 / h)); ++i) s.step(h);
    errors.push_back(load_quaternion(s.state.q.data() + 3).angularDistance(exact));
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.1);
}

TEST(FreeBody, SolvesItsEquationAtAnySpin) {
  Dice dice(7);
  for (int i = 0; i < 1000; ++i) {
    const Matrix3 R = dice.rotation().toRotationMatrix();
    const Matrix3 I = R * Vector3(1, 5, 5.5).asDiagonal() * R.transpose();
    const double h = 0.1, speed = std::pow(10, dice.uniform(-3, 3));
    const Vector3 w_start = speed * dice.direction(), moment = speed * dice.direction();
    const FreeTurn turn = turn_free_body(I, w_start, moment, h);
    const Vector3 b = exp_rotation(-0.5 * h * w_start) * Vector3(I * w_start) + h * moment;
    const Vector3 L = I * turn.w;
    EXPECT_NEAR(L.norm(), b.norm(), 1e-14 * b.norm());  // at any speed, converged or not
    EXPECT_LT((turn.impulse - I * (turn.w - w_start)).norm(), 1e-13 * b.norm());
    if (h * speed > 0.5) continue;
    EXPECT_LT((exp_rotation(0.5 * h * turn.w) * L - b).norm(), 2e-15 * b.norm());
  }
}

TEST(FreeBody, SphereTurnsUniformly) {
  BodyDescription body = asymmetric_body();
  body.inertia = {0.4, 0.4, 0.4, 0, 0, 0};
  body.orientation = exp_rotation(Vector3(0.3, 0.4, 0.5));
  Stepper s(single_body(body, Vector3::Zero()));
  for (int i = 0; i < 100; ++i) s.step(0.1);
  EXPECT_EQ(Vector3(s.state.v.tail<3>()), *body.angular_velocity);
}

TEST(FreeBody, ProjectileFollowsItsParabola) {
  BodyDescription body = asymmetric_body();
  body.center_of_mass = Vector3(0.3, -0.2, 0.1);
  body.linear_velocity = Vector3(3, 0, 4);
  const Vector3 g(0, 0, -9.81);
  Stepper s(single_body(body, g));
  const double h = 1e-3;
  const int n = 1000;
  for (int i = 0; i < n; ++i) s.step(h);
  // End-of-step velocities: x_n = x_0 + n h v_0 + g h^2 n (n + 1) / 2 exactly, whatever the spin; rounding of 1000
  // sums.
  const Vector3 expected = *body.center_of_mass + n * h * *body.linear_velocity + g * (h * h * n * (n + 1) / 2.0);
  EXPECT_LT((s.state.q.head<3>() - expected).norm(), 1e-12);
  EXPECT_LT((s.state.v.head<3>() - (*body.linear_velocity + n * h * g)).norm(), 1e-12);
}

struct TopRun {
  double precession_error, tilt_error, energy_error;
};

// Steady precession at rate W and tilt 0.5 needs I1 W^2 cos(tilt) - I3 w3 W + m g l = 0 (I1 about the pivot).
TopRun run_top(double h) {
  const double m = 1, g = 9.81, l = 0.5, I1c = 0.05, I3 = 0.08, W = 1.5, tilt = 0.5;
  const double I1 = I1c + m * l * l;
  const double w3 = (I1 * W * W * std::cos(tilt) + m * g * l) / (I3 * W);
  const Vector3 axis(std::sin(tilt), 0, std::cos(tilt));
  ModelDescription description;
  BodyDescription body;
  body.name = "top";
  body.mass = m;
  body.center_of_mass = Vector3(0, 0, l);
  body.inertia = {I1c, I1c, I3, 0, 0, 0};
  body.orientation = exp_rotation(Vector3(0, tilt, 0));
  JointDescription joint;
  joint.name = "pivot";
  joint.type = JointType::spherical;
  joint.parent = "world";
  joint.child = "top";
  const Vector3 w = W * Vector3::UnitZ() + (w3 - W * std::cos(tilt)) * axis;
  joint.initial_velocity = {w.x(), w.y(), w.z()};
  description.bodies = {body};
  description.joints = {joint};
  Stepper s(build_model(description).value());
  const double time = 1.0, energy0 = s.energy();
  for (int i = 0; i < static_cast<int>(std::lround(time / h)); ++i) s.step(h);
  const double energy_error = std::abs(s.energy() - energy0) / energy0;
  const Vector3 end = s.k.com_W[0];
  return {std::abs(std::atan2(end.y(), end.x()) - W * time), std::abs(std::acos(end.z() / l) - tilt), energy_error};
}

TEST(Top, PrecessesSteadily) {
  const TopRun coarse = run_top(2e-3), fine = run_top(1e-3);
  // Velocities at the end of the step move positions: first order.
  EXPECT_LT(fine.precession_error, 0.05);
  EXPECT_LT(fine.tilt_error, 0.05);
  EXPECT_LT(fine.precession_error, 0.6 * coarse.precession_error);
  EXPECT_LT(fine.tilt_error, 0.6 * coarse.tilt_error);
  EXPECT_LT(fine.energy_error, 0.6 * coarse.energy_error + 1e-9);
  EXPECT_LT(fine.energy_error, 1e-2);
}

// A 2 kg slider along x with the spring, damper and actuator given.
BuiltModel slider(double stiffness, double damping, const ActuatorDescription* actuator) {
  ModelDescription description;
  BodyDescription body;
  body.name = "slider";
  body.mass = 2;
  body.inertia = {1, 1, 1, 0, 0, 0};
  JointDescription joint;
  joint.name = "rail";
  joint.type = JointType::prismatic;
  joint.parent = "world";
  joint.child = "slider";
  joint.axis = Vector3::UnitX();
  joint.coordinates.resize(1);
  joint.coordinates[0].stiffness = stiffness;
  joint.coordinates[0].damping = damping;
  joint.coordinates[0].rest = 1;
  description.bodies = {body};
  description.joints = {joint};
  if (actuator != nullptr) description.actuators = {*actuator};
  return build_model(description).value();
}

TEST(Springs, ImplicitUpdateInClosedForm) {
  const double h = 0.01, k = 300, d = 7, m = 2;
  Stepper s(slider(k, d, nullptr));
  s.state.v[0] = 0.4;
  const double v = 0.4, q = 0;
  s.step(h);
  // m (v+ - v) = h (-k (q + h v+ - 1) - d v+)
  EXPECT_NEAR(s.state.v[0], (m * v - h * k * (q - 1)) / (m + h * d + h * h * k), 1e-15);
  EXPECT_DOUBLE_EQ(s.motion.implicit_diagonal[0], h * d + h * h * k);
}

TEST(Springs, StiffOnesAreStableAtAnyStep) {
  for (const bool maximal : {false, true}) {
    BuiltModel built = slider(1e12, 1e3, nullptr);
    built.state.v[0] = 1;
    if (maximal) built = to_maximal(built);
    Stepper s(built);
    for (int i = 0; i < 200; ++i) {
      s.step(0.01);
      if (maximal) s.state.v.tail<5>().setZero();  // what the rail would do
    }
    EXPECT_NEAR(s.k.com_W[0].x(), 1, 1e-6) << maximal;
  }
}

TEST(Actuators, StayWithinTheirLimit) {
  const double h = 0.01, m = 2;
  ActuatorDescription a;
  a.name = "drive";
  a.joint = "rail";
  a.stiffness = 1e5;
  a.target = -3;
  a.max_force = 5;
  for (const bool maximal : {false, true}) {
    BuiltModel built = slider(0, 0, &a);
    if (maximal) built = to_maximal(built);
    Stepper s(built);
    s.step(h);
    EXPECT_NEAR(s.state.v[0], -h * a.max_force / m, 1e-15) << maximal;
  }
  a.max_force = infinity;
  Stepper free(slider(0, 0, &a));
  free.step(h);
  EXPECT_NEAR(free.state.v[0], h * a.stiffness * a.target / (m + h * h * a.stiffness), 1e-12);
}

TEST(Springs, SphericalSpringConservesEnergyToFirstOrder) {
  const auto drift = [](double h) {
    Dice dice(3);
    ModelDescription description;
    description.gravity.setZero();
    description.bodies = {testing::random_body(dice, "ball")};
    JointDescription joint = testing::random_joint(dice, JointType::spherical, "world", "ball");
    const double stiffness[] = {2, 9, 5}, rest[] = {0.8, -0.4, 0.3};
    for (int i = 0; i < 3; ++i) {
      joint.coordinates[i].stiffness = stiffness[i];
      joint.coordinates[i].rest = rest[i];
    }
    description.joints = {joint};
    Stepper s(build_model(description).value());
    s.state.v = Vector3(0.5, -1, 0.7);
    const double start = s.energy();
    for (int i = 0; i < static_cast<int>(std::lround(0.5 / h)); ++i) s.step(h);
    return std::abs(s.energy() - start) / start;
  };
  const double coarse = drift(1e-3), fine = drift(5e-4);
  EXPECT_NEAR(coarse / fine, 2, 0.2);
  EXPECT_LT(fine, 0.05);  // an implicit spring loses about h k / I per second, here up to 0.09
}

}  // namespace
}  // namespace stiction
