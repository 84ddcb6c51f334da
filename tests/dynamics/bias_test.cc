// Accelerations, power and momentum along trajectories, against differences of velocities and energies.
#include <gtest/gtest.h>

#include "dynamics/random_model.h"
#include "stiction/dynamics/aba.h"
#include "stiction/dynamics/energy.h"

namespace stiction {
namespace {

using testing::Dice;
using testing::random_sample;
using testing::Sample;

// Differences over +-1e-5: truncation about 1e-10 times third derivatives (up to 1e3 here), rounding 1e-11.
constexpr double small_time = 1e-5;
constexpr double tolerance = 1e-6;

// The state after the time dt at constant vdot; the mean velocity makes positions exact to O(dt^3).
State advanced(const Sample& s, const VectorX& vdot, double dt) {
  State state = s.state;
  integrate_positions(s.model, s.state.v + 0.5 * dt * vdot, dt, state.q);
  state.v += dt * vdot;
  state.time += dt;
  return state;
}

Kinematics kinematics_at(const Model& model, const State& state) {
  Kinematics k = make_kinematics(model);
  update_kinematics(model, state, 0, k);
  return k;
}

TEST(Bias, AccelerationsAreDerivativesOfVelocities) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Sample s = random_sample(seed, 40);
    const VectorX vdot = Dice(seed + 50).numbers(s.model.v_size, 3);
    const Kinematics k = kinematics_at(s.model, s.state);
    Recursion scratch = make_recursion(s.model);
    VectorX tau = VectorX::Zero(s.model.v_size);
    rnea(s.model, k, vdot, {}, scratch, tau);
    const Kinematics ahead = kinematics_at(s.model, advanced(s, vdot, small_time));
    const Kinematics behind = kinematics_at(s.model, advanced(s, vdot, -small_time));
    for (size_t b = 0; b < s.model.bodies.size(); ++b) {
      if (s.model.bodies[b].kind == BodyKind::fixed) continue;
      const bool simulated = s.model.bodies[b].kind == BodyKind::simulated;
      const Twist a = simulated ? scratch.acceleration[b] : k.prescribed[b];
      const Vector3 linear = (ahead.velocity[b].linear - behind.velocity[b].linear) / (2 * small_time);
      const Vector3 angular = (ahead.velocity[b].angular - behind.velocity[b].angular) / (2 * small_time);
      EXPECT_LT((a.linear - linear).norm(), tolerance * (1 + linear.norm())) << s.model.bodies[b].name;
      EXPECT_LT((a.angular - angular).norm(), tolerance * (1 + angular.norm())) << s.model.bodies[b].name;
    }
  }
}

TEST(Bias, VelocitiesAreDerivativesOfPositions) {
  const Sample s = random_sample(3, 40);
  const VectorX zero = VectorX::Zero(s.model.v_size);
  const Kinematics k = kinematics_at(s.model, s.state);
  const Kinematics ahead = kinematics_at(s.model, advanced(s, zero, small_time));
  const Kinematics behind = kinematics_at(s.model, advanced(s, zero, -small_time));
  for (size_t b = 0; b < s.model.bodies.size(); ++b) {
    const Vector3 linear = (ahead.com_W[b] - behind.com_W[b]) / (2 * small_time);
    const Quaternion turn(ahead.X_WB[b].R * behind.X_WB[b].R.transpose());
    EXPECT_LT((k.velocity[b].linear - linear).norm(), tolerance * (1 + linear.norm()));
    EXPECT_LT((k.velocity[b].angular - log_rotation(turn) / (2 * small_time)).norm(), tolerance * (1 + linear.norm()));
  }
}

// Random trees with nothing prescribed, moving under gravity and random joint forces but none on floating bases.
struct Passive {
  Sample s;
  VectorX tau, vdot;

  explicit Passive(unsigned seed, bool floating) {
    Dice dice(seed);
    ModelDescription description = testing::random_description(dice, 40);
    description.bodies[1].motion.reset();
    description.bodies[1].fixed = true;
    if (floating)
      for (JointDescription& joint : description.joints)
        if (joint.parent == "world" || joint.parent == "ground" || joint.parent == "shaker")
          joint.type = JointType::free;
    for (JointDescription& joint : description.joints) joint.coordinates.clear();
    if (!floating)
      for (JointDescription& joint : description.joints) {
        joint.coordinates.resize(joint_traits(joint.type).v_size());
        for (JointCoordinate& c : joint.coordinates) c.armature = 0.05;
      }
    s.model = build_model(description).value().model;
    s.state = testing::random_state(dice, s.model);
    tau = dice.numbers(s.model.v_size, 3);
    for (const Joint& joint : s.model.tree_joints)
      if (joint.type == JointType::free) tau.segment<6>(joint.v_offset).setZero();
    vdot = VectorX::Zero(s.model.v_size);
    Recursion scratch = make_recursion(s.model);
    aba(s.model, kinematics_at(s.model, s.state), tau, {}, {}, scratch, vdot);
  }
};

TEST(Bias, PowerOfJointForcesIsRateOfEnergy) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Passive p(seed, false);
    const State ahead = advanced(p.s, p.vdot, small_time), behind = advanced(p.s, p.vdot, -small_time);
    const auto energy = [&](const State& state) {
      const Kinematics k = kinematics_at(p.s.model, state);
      return kinetic_energy(p.s.model, state, k) + potential_energy(p.s.model, state, k);
    };
    const double power = p.tau.dot(p.s.state.v);
    // Energies of some 100 J lose 1e-14 J to rounding, so 1e-9 W and more after the division.
    EXPECT_NEAR((energy(ahead) - energy(behind)) / (2 * small_time), power, 1e-6 * (1 + std::abs(power)) * 10);
  }
}

TEST(Bias, OnlyGravityChangesMomentumOfFloatingTrees) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Passive p(seed, true);
    const Kinematics k = kinematics_at(p.s.model, p.s.state);
    const Kinematics ahead = kinematics_at(p.s.model, advanced(p.s, p.vdot, small_time));
    const Kinematics behind = kinematics_at(p.s.model, advanced(p.s, p.vdot, -small_time));
    Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
    for (const Joint& joint : p.s.model.tree_joints) {
      const Vector3 weight = p.s.model.bodies[joint.child].mass * p.s.model.gravity;
      force += weight;
      moment += k.com_W[joint.child].cross(weight);
    }
    const Vector3 linear = (linear_momentum(p.s.model, ahead) - linear_momentum(p.s.model, behind)) / (2 * small_time);
    const Vector3 angular =
        (angular_momentum(p.s.model, ahead) - angular_momentum(p.s.model, behind)) / (2 * small_time);
    EXPECT_LT((linear - force).norm(), tolerance * (1 + force.norm()));
    EXPECT_LT((angular - moment).norm(), tolerance * (10 + moment.norm()));
  }
}

TEST(PrescribedMotion, MeanTwistsTendToDerivatives) {
  const Sample s = random_sample(1, 10);
  const Body& shaker = s.model.bodies[1];
  const PrescribedMotion exact = prescribed_motion(shaker, 0.7);
  double last_velocity = 0, last_acceleration = 0;
  for (double h : {1e-2, 5e-3}) {
    Kinematics k = make_kinematics(s.model);
    State state = s.state;
    state.time = 0.7;
    update_kinematics(s.model, state, h, k);
    const double velocity =
        (k.velocity[1].linear - exact.velocity.linear).norm() + (k.velocity[1].angular - exact.velocity.angular).norm();
    const double acceleration = (k.prescribed[1].linear - exact.acceleration.linear).norm() +
                                (k.prescribed[1].angular - exact.acceleration.angular).norm();
    EXPECT_LT(velocity, 20 * h);
    EXPECT_LT(acceleration, 100 * h);
    if (last_velocity > 0) {
      EXPECT_NEAR(last_velocity / velocity, 2, 0.1);  // forward quotient: first order
      EXPECT_LT(acceleration, 0.7 * last_acceleration);
    }
    last_velocity = velocity;
    last_acceleration = acceleration;
  }
}

}  // namespace
}  // namespace stiction
