// Random mechanisms for identities: trees of all joint types on free, fixed, prescribed and world roots.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "stiction/math/rotation.h"
#include "stiction/model/joint_traits.h"

namespace stiction::testing {

/// Random numbers, vectors and rotations from one seed.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double uniform(double lower, double upper) { return std::uniform_real_distribution<double>(lower, upper)(engine_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  Vector3 vector(double size = 1) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vector3 direction() {
    Vector3 v = vector();
    while (v.norm() < 0.1) v = vector();
    return v.normalized();
  }
  Quaternion rotation() { return exp_rotation(uniform(0, 3) * direction()); }
  VectorX numbers(int n, double size = 1) {
    VectorX x(n);
    for (int i = 0; i < n; ++i) x[i] = uniform(-size, size);
    return x;
  }

 private:
  std::mt19937 engine_;
};

/// A body with random mass, centre of mass and inertia that a real solid could have.
inline BodyDescription random_body(Dice& dice, const std::string& name) {
  BodyDescription body;
  body.name = name;
  body.mass = dice.uniform(0.5, 2);
  body.center_of_mass = dice.vector(0.2);
  const Vector3 spread(dice.uniform(0.01, 0.05), dice.uniform(0.01, 0.05), dice.uniform(0.01, 0.05));
  const Matrix3 R = dice.rotation().toRotationMatrix();
  const Vector3 moments(spread.y() + spread.z(), spread.x() + spread.z(), spread.x() + spread.y());
  const Matrix3 I = R * moments.asDiagonal() * R.transpose();
  body.inertia = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
  body.position = dice.vector();
  body.orientation = dice.rotation();
  return body;
}

inline MotionDescription random_motion(Dice& dice) {
  MotionDescription motion;
  motion.velocity = dice.vector();
  motion.angular_velocity = dice.vector();
  motion.translation.push_back({dice.vector(0.3), dice.uniform(1, 4), dice.uniform(0, 3)});
  motion.rotation.push_back({dice.vector(0.5), dice.uniform(1, 4), dice.uniform(0, 3)});
  return motion;
}

/// Every joint type but the free one.
inline std::vector<JointType> jointed_types() {
  std::vector<JointType> types;
  for (const JointTraits& traits : all_joint_traits())
    if (!is_free(traits.type)) types.push_back(traits.type);
  return types;
}

/// A joint of a type with random frame, axes and armature; axis and axis2 are neither parallel nor orthogonal.
inline JointDescription random_joint(Dice& dice, JointType type, const std::string& parent, const std::string& child) {
  JointDescription joint;
  joint.name = parent + ">" + child;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  joint.position = dice.vector(0.5);
  joint.orientation = dice.rotation();
  joint.axis = dice.uniform(0.5, 2) * dice.direction();
  joint.axis2 = any_orthogonal(joint.axis.normalized()) + 0.3 * joint.axis.normalized();
  if (joint_traits(type).has_pitch) joint.pitch = dice.uniform(0.5, 2) * (dice.below(2) == 0 ? -1 : 1);
  joint.coordinates.resize(joint_traits(type).v_size());
  for (JointCoordinate& coordinate : joint.coordinates) coordinate.armature = dice.uniform(0, 0.1);
  return joint;
}

/// Trees with about `freedoms` degrees of freedom in all, with every joint type.
inline ModelDescription random_description(Dice& dice, int freedoms) {
  ModelDescription description;
  description.gravity = Vector3(1, -2, -9);
  BodyDescription ground = random_body(dice, "ground");
  ground.fixed = true;
  BodyDescription shaker = random_body(dice, "shaker");
  shaker.motion = random_motion(dice);
  description.bodies = {ground, shaker};
  const std::vector<JointType> types = jointed_types();
  std::vector<std::string> parents = {"world", "ground", "shaker"};
  int total = 0;
  for (int i = 0; total < freedoms; ++i) {
    const std::string name = "b" + std::to_string(i);
    description.bodies.push_back(random_body(dice, name));
    if (i % 11 == 3) {  // a floating base
      total += 6;
    } else {
      const JointType type = types[i % types.size()];
      const int recent = std::min<int>(static_cast<int>(parents.size()), 6);
      const std::string parent = i < 3 ? parents[2 - i] : parents[parents.size() - 1 - dice.below(recent)];
      description.joints.push_back(random_joint(dice, type, parent, name));
      total += joint_traits(type).v_size();
    }
    parents.push_back(name);
  }
  return description;
}

/// Random coordinates and velocities.
inline State random_state(Dice& dice, const Model& model) {
  State state;
  state.time = dice.uniform(0, 1);
  state.q = dice.numbers(model.q_size);
  state.v = dice.numbers(model.v_size, 2);
  for (const Joint& joint : model.tree_joints) {
    const JointTraits& traits = joint_traits(joint.type);
    if (traits.quaternion) store_quaternion(dice.rotation(), state.q.data() + joint.q_offset + traits.vector_size);
  }
  return state;
}

/// A model and a state with everything that follows from them.
struct Sample {
  Model model;
  State state;
};

inline Sample random_sample(unsigned seed, int freedoms) {
  Dice dice(seed);
  Result<BuiltModel> built = build_model(random_description(dice, freedoms));
  if (!built) throw std::runtime_error(built.error().message());
  State state = random_state(dice, built->model);
  return {std::move(built->model), std::move(state)};
}

}  // namespace stiction::testing
