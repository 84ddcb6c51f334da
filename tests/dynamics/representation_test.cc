// integrate_positions in each representation: which joints it touches, where it refuses, and that the motion is the
// same to first order.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "dynamics/random_model.h"
#include "stiction/dynamics/free_motion.h"
#include "support/runge_kutta.h"

#define STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE
#include "support/allocation_counter.h"

namespace stiction {
namespace {

constexpr double quarter_turn = 1.57079632679489661923;

bool has_quaternion(const Joint& joint) {
  return joint_traits(joint.type).quaternion;
}

double* quaternion_data(const Joint& joint, VectorX& q) {
  return q.data() + joint.q_offset + joint_traits(joint.type).vector_size;
}

Quaternion orientation(const Joint& joint, const VectorX& q) {
  return load_quaternion(q.data() + joint.q_offset + joint_traits(joint.type).vector_size);
}

TEST(PositionRepresentation, ExponentialIsTheDefaultToTheBit) {
  const testing::Sample s = testing::random_sample(3, 60);
  VectorX q = s.state.q, expected = s.state.q;
  integrate_positions(s.model, s.state.v, 1e-2, expected);
  EXPECT_FALSE(integrate_positions(s.model, s.state.v, 1e-2, Representation::exponential, q));
  EXPECT_EQ(q, expected);
}

// Free joints turn in world axes, spherical ones in the parent's joint frame: the wrong frame would differ by h, not by
// h^2 |omega|^2 / c with the model's |omega| up to 3.5 and c = |cos pitch|.
TEST(PositionRepresentation, OnlyOrientationsDifferAndOnlyInSecondOrder) {
  const double h = 1e-4;
  int orientations = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const testing::Sample s = testing::random_sample(seed, 60);
    VectorX expected = s.state.q;
    integrate_positions(s.model, s.state.v, h, expected);
    for (const Representation r : all_representations) {
      VectorX q = s.state.q;
      ASSERT_FALSE(integrate_positions(s.model, s.state.v, h, r, q));
      for (const Joint& joint : s.model.tree_joints) {
        const int plain = has_quaternion(joint) ? joint.q_size - 4 : joint.q_size;
        EXPECT_EQ(q.segment(joint.q_offset, plain), expected.segment(joint.q_offset, plain));
        if (!has_quaternion(joint)) continue;
        ++orientations;
        const Matrix3 R = orientation(joint, s.state.q).toRotationMatrix();
        const double c = std::hypot(R(0, 0), R(1, 0));
        const VectorX difference = q.segment<4>(joint.q_offset + plain) - expected.segment<4>(joint.q_offset + plain);
        EXPECT_LT(difference.norm(), 12 * h * h / (r == Representation::euler ? c : 1)) << representation_name(r);
      }
    }
  }
  EXPECT_GT(orientations, 100);
}

TEST(PositionRepresentation, EulerAnglesAtThePoleNameTheJointAndLeaveQ) {
  const testing::Sample s = testing::random_sample(5, 60);
  int refused = 0;
  for (size_t j = 0; j < s.model.tree_joints.size(); ++j) {
    const Joint& joint = s.model.tree_joints[j];
    if (!has_quaternion(joint)) continue;
    for (const double pitch : {quarter_turn, -quarter_turn, quarter_turn - 0.9e-6, quarter_turn - 1.1e-6}) {
      VectorX q = s.state.q;
      store_quaternion(exp_rotation({0, 0, 0.3}) * exp_rotation({0, pitch, 0}) * exp_rotation({-1, 0, 0}),
                       quaternion_data(joint, q));
      const VectorX before = q;
      for (const Representation r : all_representations) {
        const bool singular = r == Representation::euler && std::abs(pitch) > quarter_turn - 1e-6;
        q = before;
        const std::optional<int> stopped = integrate_positions(s.model, s.state.v, 1e-3, r, q);
        EXPECT_EQ(stopped.has_value(), singular) << representation_name(r) << " " << pitch;
        EXPECT_EQ(q == before, singular);
        if (!stopped) continue;
        EXPECT_EQ(*stopped, static_cast<int>(j));
        ++refused;
      }
    }
  }
  EXPECT_GE(refused, 3 * 4);  // several joints, both types
}

TEST(PositionRepresentation, DoesNotAllocate) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  const testing::Sample s = testing::random_sample(5, 60);
  VectorX q = s.state.q;
  for (const Representation r : all_representations) {
    bool stopped = false;
    const long count =
        testing::allocations_during([&] { stopped = integrate_positions(s.model, s.state.v, 1e-3, r, q).has_value(); });
    EXPECT_EQ(count, 0) << representation_name(r);
    EXPECT_FALSE(stopped);
  }
}

// A free body that tumbles, once with Euler angles that stay away from the pole.
constexpr double duration = 1.5;
const Vector3 moments(1, 2, 2.5), omega_start(0.3, 0.5, 2);

Quaternion tumbled(Representation r, double h) {
  BodyDescription body;
  body.name = "body";
  body.mass = 1;
  body.inertia = {moments.x(), moments.y(), moments.z(), 0, 0, 0};
  body.angular_velocity = omega_start;
  ModelDescription description;
  description.gravity = Vector3::Zero();
  description.bodies = {body};
  const BuiltModel built = build_model(description).value();
  State state = built.state;
  Kinematics k = make_kinematics(built.model);
  FreeMotion motion = make_free_motion(built.model);
  const int steps = static_cast<int>(std::lround(duration / h));
  for (int i = 0; i < steps; ++i) {
    update_kinematics(built.model, state, h, k);
    EXPECT_GT(std::hypot(k.X_WB[0].R(0, 0), k.X_WB[0].R(1, 0)), 0.5) << "|cos pitch|, at step " << i;
    compute_free_motion(built.model, state, h, {}, k, motion);
    state.v = motion.v_free;
    EXPECT_FALSE(integrate_positions(built.model, state.v, h, r, state.q));
  }
  return orientation(built.model.tree_joints[0], state.q);
}

// Euler's equations in body axes.
Quaternion exact_tumble() {
  const auto rate = [](const VectorX& y) {
    const Vector3 w = y.tail<3>();
    const Quaternion turn = load_quaternion(y.data()) * Quaternion(0, w.x(), w.y(), w.z());
    VectorX result(7);
    result << 0.5 * turn.w(), 0.5 * turn.x(), 0.5 * turn.y(), 0.5 * turn.z(),
        Vector3(moments.cwiseProduct(w)).cross(w).cwiseQuotient(moments);
    return result;
  };
  VectorX y(7);
  y << 1, 0, 0, 0, omega_start;
  const VectorX end = testing::runge_kutta(rate, y, duration, 4000);
  return load_quaternion(end.data()).normalized();
}

double distance(const Quaternion& a, const Quaternion& b) {
  return log_rotation(a * b.conjugate()).norm();
}

TEST(PositionRepresentation, ATumblingBodyConvergesWithOrderOne) {
  const Quaternion exact = exact_tumble();
  for (const Representation r : all_representations) {
    std::vector<double> errors;
    for (const double h : {3e-3, 1.5e-3, 7.5e-4}) errors.push_back(distance(tumbled(r, h), exact));
    const std::string text = std::string(representation_name(r)) + " " + ::testing::PrintToString(errors);
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 1, 0.05) << text;
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), 1, 0.05) << text;
    EXPECT_LT(errors[0], 2 * 3e-3) << text;
    RecordProperty(std::string(representation_name(r)), text);
  }
}

TEST(PositionRepresentation, AllGiveTheSameMotionToFirstOrder) {
  for (const double h : {3e-3, 1.5e-3, 7.5e-4}) {
    const Quaternion exponential = tumbled(Representation::exponential, h);
    for (const Representation r : all_representations) {
      // |omega|^2 h / 2 per second, over 1.5 s, with |omega| up to 2.2.
      EXPECT_LT(distance(tumbled(r, h), exponential), 3.6 * h) << representation_name(r) << ", h = " << h;
    }
  }
}

}  // namespace
}  // namespace stiction
