// A joint's rows against differences of their values, and against the tree joint of the same type.
#include "stiction/dynamics/joint_rows.h"

#include <gtest/gtest.h>

#include "dynamics/random_model.h"

namespace stiction {
namespace {

using testing::Dice;

constexpr double small_time = 1e-6;

class JointRowsTest : public ::testing::TestWithParam<JointType> {
 protected:
  // The joint under test joins two moving bodies, the first of them floating.
  BuiltModel build(unsigned seed) {
    Dice dice(seed);
    ModelDescription description;
    description.bodies = {testing::random_body(dice, "a"), testing::random_body(dice, "b")};
    description.joints = {testing::random_joint(dice, GetParam(), "a", "b")};
    BuiltModel built = build_model(description).value();
    built.state = testing::random_state(dice, built.model);
    return built;
  }
};

Kinematics kinematics_at(const BuiltModel& built, const State& state) {
  Kinematics k = make_kinematics(built.model);
  update_kinematics(built.model, state, 0, k);
  return k;
}

State advanced(const BuiltModel& built, double dt) {
  State state = built.state;
  integrate_positions(built.model, state.v, dt, state.q);
  return state;
}

TEST_P(JointRowsTest, RowsAreDerivativesOfTheirValues) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    BuiltModel maximal = to_maximal(build(seed));
    Dice dice(seed + 10);
    maximal.state.v = dice.numbers(maximal.model.v_size, 2);  // also against the joint
    const Joint& joint = maximal.model.loop_joints[0];
    // A little off the joint, so that rates which hold only at psi = 0 show.
    const State off = advanced(maximal, 0.05);
    maximal.state.q = off.q;
    const Kinematics k = kinematics_at(maximal, maximal.state);
    const JointRows rows = joint_constraint_rows(maximal.model, joint, k);
    const JointRows ahead =
        joint_constraint_rows(maximal.model, joint, kinematics_at(maximal, advanced(maximal, small_time)));
    const JointRows behind =
        joint_constraint_rows(maximal.model, joint, kinematics_at(maximal, advanced(maximal, -small_time)));
    ASSERT_EQ(rows.count, 6 - joint_traits(GetParam()).v_size());
    for (int i = 0; i < rows.count; ++i) {
      const double slope = (ahead.rows[i].value - behind.rows[i].value) / (2 * small_time);
      EXPECT_NEAR(joint_row_velocity(joint, rows.rows[i], rows.point_W, k), slope, 1e-8) << i;
    }
  }
}

TEST_P(JointRowsTest, AllowedMotionViolatesNothingAndShowsTheJointsVelocity) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const BuiltModel reduced = build(seed);
    const BuiltModel maximal = to_maximal(reduced);
    const Joint& joint = maximal.model.loop_joints[0];
    const Joint& tree_joint = reduced.model.tree_joints[1];
    const Kinematics k = kinematics_at(maximal, maximal.state);
    const JointRows closed = joint_constraint_rows(maximal.model, joint, k);
    for (int i = 0; i < closed.count; ++i) {
      EXPECT_NEAR(closed.rows[i].value, 0, 1e-14);
      EXPECT_NEAR(joint_row_velocity(joint, closed.rows[i], closed.point_W, k), 0, 1e-13);
      EXPECT_GT(closed.rows[i].force.norm() + closed.rows[i].moment.norm(), 0.5);
    }
    const JointRows free = joint_freedom_rows(maximal.model, joint, k);
    ASSERT_EQ(free.count, joint_traits(GetParam()).v_size());
    double values[6] = {};
    joint_coordinates(tree_joint, reduced.state.q.data() + tree_joint.q_offset, values);
    for (int i = 0; i < free.count; ++i) {
      EXPECT_NEAR(free.rows[i].value, values[i], 1e-14);
      const double velocity = reduced.state.v[tree_joint.v_offset + i];
      EXPECT_NEAR(joint_row_velocity(joint, free.rows[i], free.point_W, k), velocity, 1e-13);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, JointRowsTest, ::testing::ValuesIn(testing::jointed_types()),
                         [](const auto& param) { return std::string(joint_type_name(param.param)); });

TEST(SphericalRows, RotationVectorRate) {
  Dice dice(1);
  for (double size : {1e-9, 1e-4, 0.5, 2.9}) {
    const Vector3 phi = size * dice.direction(), w = dice.vector();
    const Quaternion q = exp_rotation(phi);
    const Vector3 ahead = log_rotation(exp_rotation(small_time * w) * q);
    const Vector3 behind = log_rotation(exp_rotation(-small_time * w) * q);
    EXPECT_LT((rotation_vector_rate(phi) * w - (ahead - behind) / (2 * small_time)).norm(), 1e-8);
    EXPECT_LT((exponential_jacobian(phi) * rotation_vector_rate(phi) - Matrix3::Identity()).norm(), 1e-13);
  }
}

TEST(LoopToWorld, RowsActOnTheOneBodyThatMoves) {
  Dice dice(2);
  ModelDescription description;
  description.bodies = {testing::random_body(dice, "a")};
  description.joints = {testing::random_joint(dice, JointType::revolute, "a", "world")};
  BuiltModel built = build_model(description).value();
  ASSERT_EQ(built.model.loop_joints.size(), 1u);
  built.state.v = dice.numbers(6);
  const Joint& joint = built.model.loop_joints[0];
  const Kinematics k = kinematics_at(built, built.state);
  const JointRows rows = joint_constraint_rows(built.model, joint, k);
  const JointRows ahead = joint_constraint_rows(built.model, joint, kinematics_at(built, advanced(built, small_time)));
  const JointRows behind =
      joint_constraint_rows(built.model, joint, kinematics_at(built, advanced(built, -small_time)));
  for (int i = 0; i < rows.count; ++i) {
    const double slope = (ahead.rows[i].value - behind.rows[i].value) / (2 * small_time);
    EXPECT_NEAR(joint_row_velocity(joint, rows.rows[i], rows.point_W, k), slope, 1e-8) << i;
  }
}

}  // namespace
}  // namespace stiction
