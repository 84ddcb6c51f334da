// The joint types against their definition: sizes and units as the documentation has them, axes against differences of
// poses, closing rows against the poses that a tree joint allows.
#include "stiction/model/joint_traits.h"

#include <set>
#include <string>

#include <gtest/gtest.h>
#include <Eigen/QR>

#include "stiction/math/rotation.h"

namespace stiction {
namespace {

struct Expected {
  std::string_view name;
  int q_size, v_size, travels;
};

// As docs/scene.md lists them.
constexpr Expected expected[] = {{"fixed", 0, 0, 0},       {"revolute", 1, 1, 0}, {"prismatic", 1, 1, 1},
                                 {"spherical", 4, 3, 0},   {"planar", 3, 3, 2},   {"universal", 2, 2, 0},
                                 {"cylindrical", 2, 2, 1}, {"free", 7, 6, 3},     {"screw", 1, 1, 0}};

TEST(JointTraits, SizesAreThoseOfTheDocumentation) {
  ASSERT_EQ(all_joint_traits().size(), std::size(expected));
  for (size_t i = 0; i < std::size(expected); ++i) {
    const JointTraits& traits = all_joint_traits()[i];
    EXPECT_EQ(traits.name, expected[i].name);
    EXPECT_EQ(traits.q_size(), expected[i].q_size) << traits.name;
    EXPECT_EQ(traits.v_size(), expected[i].v_size) << traits.name;
    EXPECT_EQ(traits.travels, expected[i].travels) << traits.name;
    EXPECT_EQ(&joint_traits(traits.type), &traits) << traits.name;
    EXPECT_FALSE(traits.sentence.empty()) << traits.name;
  }
}

TEST(JointTraits, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const JointTraits& traits : all_joint_traits()) names.insert(traits.name);
  EXPECT_EQ(names.size(), all_joint_traits().size());
}

class EveryJoint : public ::testing::TestWithParam<JointTraits> {
 protected:
  EveryJoint() {
    joint_.type = GetParam().type;
    joint_.axis = Vector3(1, -2, 0.5).normalized();
    joint_.axis2 = any_orthogonal(joint_.axis);
    if (GetParam().second_axis == SecondAxis::turn) joint_.axis2 = (joint_.axis2 + 0.3 * joint_.axis).normalized();
    joint_.pitch = -0.4;
    const std::array<double, 3> numbers = {0.7, -0.4, 1.1};
    reference_coordinates(GetParam(), std::span(numbers).first(GetParam().vector_size), q_.data());
    if (GetParam().quaternion) store_quaternion(exp_rotation({0.3, -0.9, 0.5}), q_.data());
  }

  // Moved for the time dt with the velocities v_.
  Pose pose_after(double dt) const {
    std::array<double, 4> q = q_;
    for (int k = 0; k < GetParam().vector_size; ++k) q[k] += dt * v_[k];
    if (GetParam().quaternion) store_quaternion(exp_rotation(dt * v_) * load_quaternion(q.data()), q.data());
    return joint_pose(joint_, q.data());
  }

  JointFrames frames() const {
    const Pose J = joint_pose(joint_, q_.data());
    return {Matrix3::Identity(), J.R, J.p, {}};
  }

  Joint joint_;
  std::array<double, 4> q_ = {};
  Vector3 v_ = Vector3(0.6, -1.3, 0.8);
};

TEST_P(EveryJoint, AxesAreDerivativesOfThePose) {
  const double dt = 1e-6;
  const Pose ahead = pose_after(dt), behind = pose_after(-dt);
  Matrix6X S(6, GetParam().v_size());
  write_motion_subspace(joint_axes(joint_, q_.data()), Matrix3::Identity(), Vector3::Zero(), S.data());
  const Vector6 twist = S * v_.head(GetParam().v_size());
  EXPECT_LT((twist.head<3>() - (ahead.p - behind.p) / (2 * dt)).norm(), 1e-8);
  const Vector3 turned = log_rotation(Quaternion(ahead.R * behind.R.transpose()));
  EXPECT_LT((twist.tail<3>() - turned / (2 * dt)).norm(), 1e-8);
}

TEST_P(EveryJoint, HoldsWhatItDoesNotFree) {
  JointFrames held = frames(), freed = frames();
  GetParam().add_held_rows(joint_, held);
  GetParam().add_freed_rows(joint_, freed);
  ASSERT_EQ(held.rows.count, 6 - GetParam().v_size());
  ASSERT_EQ(freed.rows.count, GetParam().v_size());
  std::array<double, 6> values;
  joint_coordinates(joint_, q_.data(), values.data());
  MatrixX rows(6, 6);
  for (int i = 0; i < 6; ++i) {
    const bool holds = i < held.rows.count;
    const JointRow& row = holds ? held.rows.rows[i] : freed.rows.rows[i - held.rows.count];
    rows.row(i) << row.force.transpose(), row.moment.transpose();
    EXPECT_NEAR(row.value, holds ? 0 : values[i - held.rows.count], 1e-14) << i;
  }
  EXPECT_EQ(rows.colPivHouseholderQr().rank(), 6);
  // Rows act at the child's origin, where axes are given: held rows see nothing of a velocity, freed rows see theirs.
  Matrix6X S(6, GetParam().v_size());
  write_motion_subspace(joint_axes(joint_, q_.data()), Matrix3::Identity(), Vector3::Zero(), S.data());
  MatrixX seen = MatrixX::Zero(6, GetParam().v_size());
  seen.bottomRows(GetParam().v_size()).setIdentity();
  EXPECT_LT((rows * S - seen).norm(), 1e-14);
}

Joint screw(double pitch) {
  Joint joint;
  joint.type = JointType::screw;
  joint.pitch = pitch;
  return joint;
}

TEST(Screw, ThreadIsRightHandedWherePitchIsPositive) {
  const double quarter_turn = M_PI / 2;
  for (const double pitch : {0.2, -0.2}) {
    const Pose J = joint_pose(screw(pitch), &quarter_turn);
    EXPECT_LT((J.p - Vector3(0, 0, pitch / 4)).norm(), 1e-16);
    EXPECT_LT((J.R * Vector3::UnitX() - Vector3::UnitY()).norm(), 1e-15);
  }
}

// The frames of a nut that has turned many times look as after a part of a turn; its travel tells the difference.
TEST(Screw, ClosingRowsCountWholeTurns) {
  for (const double pitch : {0.2, -0.2}) {
    const Joint joint = screw(pitch);
    for (const double angle : {-40.0, -3.2, 0.1, 3.1, 3.2, 123.4}) {
      const Pose J = joint_pose(joint, &angle);
      const double off = 0.3 * std::abs(pitch);  // less than half a turn's travel
      JointFrames held{Matrix3::Identity(), J.R, J.p + Vector3(0, 0, off), {}}, freed = held;
      joint_traits(joint.type).add_held_rows(joint, held);
      joint_traits(joint.type).add_freed_rows(joint, freed);
      EXPECT_NEAR(held.rows.rows[4].value, off, 1e-13) << angle;
      EXPECT_NEAR(freed.rows.rows[0].value, angle, 1e-12) << angle;
    }
  }
}

TEST(Screw, PitchIsAmongItsConstants) {
  EXPECT_NE(joint_constants(screw(0.2)), joint_constants(screw(0.3)));
}

std::vector<JointTraits> jointed() {
  std::vector<JointTraits> result;
  for (const JointTraits& traits : all_joint_traits())
    if (!is_free(traits.type)) result.push_back(traits);
  return result;
}

INSTANTIATE_TEST_SUITE_P(AllTypes, EveryJoint, ::testing::ValuesIn(jointed()),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace stiction
