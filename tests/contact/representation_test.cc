// anitescu1998, section 5: the contact row in velocity coordinates is n_hat = G(q)^T grad f(q), whatever the
// coordinates of the orientation. f is the detected gap, differenced in them; the row is that of the step problem.
#include "stiction/math/representation.h"

#include <gtest/gtest.h>

#include "contact/contact_scene.h"

namespace stiction {
namespace {

using testing::ContactScene;

constexpr Representation with_coordinates[] = {Representation::quaternion, Representation::matrix,
                                               Representation::euler, Representation::rodrigues};

// A tilted body above the ground, fast enough that all its near points are in reach.
ModelDescription above_ground(geometry::Shape shape, bool on_a_ball_joint) {
  ModelDescription description;
  description.bodies = {testing::ground(), testing::body_of("body", 1, std::move(shape), {0.3, -0.2, 0.6})};
  description.bodies[1].orientation = exp_rotation(Vector3(0.5, -0.4, 0.7));
  if (on_a_ball_joint) {
    JointDescription joint;
    joint.name = "ball";
    joint.type = JointType::spherical;
    joint.parent = "world";
    joint.child = "body";
    joint.position = Vector3(0.1, 0.2, 0.9);
    joint.orientation = exp_rotation(Vector3(-0.3, 0.8, 0.2));
    joint.initial_velocity = {200, 150, 100};
    description.joints = {joint};
  } else {
    description.bodies[1].linear_velocity = Vector3(0, 0, -100);
  }
  return description;
}

double gap_of(ContactScene& scene, std::uint64_t key) {
  scene.detect();
  for (const contact::Contact& c : scene.contacts) {
    if (c.key == key) return c.gap;
  }
  ADD_FAILURE() << "the contact is gone";
  return 0;
}

// G^T grad f of the contact `key`, by central differences in the coordinates of the stored quaternion.
Vector3 turned_gradient(ContactScene& scene, Representation r, std::uint64_t key) {
  const Joint& joint = scene.built.model.tree_joints.at(0);
  double* stored = scene.built.state.q.data() + joint.q_offset + joint.q_size - 4;
  const Quaternion start = load_quaternion(stored);
  const OrientationCoordinates x = orientation_coordinates(r, start);
  OrientationCoordinates gradient = x;
  const double d = 1e-5;  // curvature of third order d^2 = 1e-10, rounding epsilon / d = 1e-11
  for (int i = 0; i < x.size(); ++i) {
    double gap[2];
    for (int side = 0; side < 2; ++side) {
      OrientationCoordinates moved = x;
      moved[i] += side == 0 ? -d : d;
      store_quaternion(orientation_of(r, moved), stored);
      gap[side] = gap_of(scene, key);
    }
    gradient[i] = (gap[1] - gap[0]) / (2 * d);
  }
  store_quaternion(start, stored);
  return orientation_rate_map(r, x).transpose() * gradient;
}

void expect_rows_are_turned_gradients(const ModelDescription& description) {
  ContactScene scene(description);
  if (const Joint& joint = scene.built.model.tree_joints.at(0); joint.type == JointType::spherical) {
    store_quaternion(exp_rotation(Vector3(0.2, -0.5, 0.4)),
                     scene.built.state.q.data() + joint.q_offset);  // not the identity
  }
  scene.detect();
  scene.assemble();
  ASSERT_FALSE(scene.contacts.empty());
  const std::vector<contact::Contact> contacts = scene.contacts;
  double worst = 0;
  for (size_t i = 0; i < contacts.size(); ++i) {
    const Eigen::RowVectorXd row = scene.problem.jacobian_block(scene.problem.contacts[i].block, 0).row(0);
    const Vector3 angular = row.tail<3>().transpose();
    EXPECT_GT(angular.norm(), 0.02) << "nothing to compare";
    for (const Representation r : with_coordinates) {
      const double error = (turned_gradient(scene, r, contacts[i].key) - angular).norm();
      EXPECT_LT(error, 1e-8) << representation_name(r);
      worst = std::max(worst, error);
    }
  }
  ::testing::Test::RecordProperty("worst", ::testing::PrintToString(worst));
}

TEST(ContactRepresentation, AnEllipsoidsRowIsGTransposedTimesTheGradientOfItsGap) {
  expect_rows_are_turned_gradients(above_ground(geometry::Ellipsoid{{0.3, 0.2, 0.45}}, false));
}

TEST(ContactRepresentation, ABoxCornersRowIsGTransposedTimesTheGradientOfItsGap) {
  expect_rows_are_turned_gradients(above_ground(geometry::Box{{0.3, 0.2, 0.25}}, false));
}

TEST(ContactRepresentation, OnABallJointTheRowIsGTransposedTimesTheGradientInTheJointsFrame) {
  expect_rows_are_turned_gradients(above_ground(geometry::Ellipsoid{{0.3, 0.2, 0.45}}, true));
  expect_rows_are_turned_gradients(above_ground(geometry::Box{{0.3, 0.2, 0.25}}, true));
}

}  // namespace
}  // namespace stiction
