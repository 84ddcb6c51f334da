#include "stiction/dynamics/energy.h"

#include <array>

#include "stiction/dynamics/joint_rows.h"
#include "stiction/model/joint_traits.h"

namespace stiction {

double kinetic_energy(const Model& model, const State& state, const Kinematics& k) {
  double energy = 0;
  for (const Joint& joint : model.tree_joints) {
    const Twist& twist = k.velocity[joint.child];
    energy += 0.5 * model.bodies[joint.child].mass * twist.linear.squaredNorm();
    energy += 0.5 * twist.angular.dot(k.inertia_W[joint.child] * twist.angular);
  }
  for (int i = 0; i < model.v_size; ++i) energy += 0.5 * model.armature[i] * state.v[i] * state.v[i];
  return energy;
}

namespace {

double spring_energy(const Joint& joint, const double* values) {
  double energy = 0;
  for (int i = 0; i < joint.v_size; ++i) {
    const double stretch = values[i] - joint.coordinates[i].rest;
    energy += 0.5 * joint.coordinates[i].stiffness * stretch * stretch;
  }
  return energy;
}

}  // namespace

double potential_energy(const Model& model, const State& state, const Kinematics& k) {
  double energy = 0;
  std::array<double, 6> values;
  for (const Joint& joint : model.tree_joints) {
    energy -= model.bodies[joint.child].mass * model.gravity.dot(k.com_W[joint.child]);
    joint_coordinates(joint, state.q.data() + joint.q_offset, values.data());
    energy += spring_energy(joint, values.data());
  }
  for (const Joint& joint : model.loop_joints) {
    const JointRows rows = joint_freedom_rows(model, joint, k);
    for (int i = 0; i < rows.count; ++i) values[i] = rows.rows[i].value;
    energy += spring_energy(joint, values.data());
  }
  return energy;
}

Vector3 linear_momentum(const Model& model, const Kinematics& k) {
  Vector3 momentum = Vector3::Zero();
  for (const Joint& joint : model.tree_joints)
    momentum += model.bodies[joint.child].mass * k.velocity[joint.child].linear;
  return momentum;
}

Vector3 angular_momentum(const Model& model, const Kinematics& k) {
  Vector3 momentum = Vector3::Zero();
  for (const Joint& joint : model.tree_joints) {
    const int b = joint.child;
    momentum += k.com_W[b].cross(model.bodies[b].mass * k.velocity[b].linear);
    momentum += k.inertia_W[b] * k.velocity[b].angular;
  }
  return momentum;
}

}  // namespace stiction
