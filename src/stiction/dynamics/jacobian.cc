#include "stiction/dynamics/jacobian.h"

#include <algorithm>

#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

// Calls visit(joint) for the body's tree joint and all joints between it and the root.
template <class Visit>
void for_each_ancestor(const Model& model, int body, Visit visit) {
  if (body == world_index) return;
  for (int j = model.bodies[body].joint; j >= 0; j = model.tree_joints[j].parent_joint) visit(model.tree_joints[j]);
}

}  // namespace

void add_generalized_load(const Model& model, const Kinematics& k, int body, const Vector3& point_W,
                          const Vector3& force_W, const Vector3& moment_W, double* row) {
  for_each_ancestor(model, body, [&](const Joint& joint) {
    const Vector3 arm = point_W - k.com_W[joint.child];
    const Vector3 moment = moment_W + arm.cross(force_W);
    double* own = row + joint.v_offset - model.trees[joint.tree].v_offset;
    if (is_free(joint.type)) {  // S is the identity
      Eigen::Map<Vector3>(own) += force_W;
      Eigen::Map<Vector3>(own + 3) += moment;
      return;
    }
    for (int i = joint.v_offset; i < joint.v_offset + joint.v_size; ++i)
      own[i - joint.v_offset] += k.S.col(i).head<3>().dot(force_W) + k.S.col(i).tail<3>().dot(moment);
  });
}

void add_contact_rows(const Model& model, const Kinematics& k, int body, const Vector3& point_W,
                      const std::array<Vector3, 3>& axes, int row_count, double sign, int stride, double* rows) {
  const int directions = std::min(row_count, 3);
  const Vector3 signed_axes[3] = {sign * axes[0], sign * axes[1], sign * axes[2]};
  for_each_ancestor(model, body, [&](const Joint& joint) {
    const Vector3 arm = point_W - k.com_W[joint.child];
    double* own = rows + joint.v_offset - model.trees[joint.tree].v_offset;
    if (is_free(joint.type)) {  // S is the identity
      for (int r = 0; r < directions; ++r) {
        Eigen::Map<Vector3>(own + r * stride) += signed_axes[r];
        Eigen::Map<Vector3>(own + r * stride + 3) += arm.cross(signed_axes[r]);
      }
      if (row_count > 3) Eigen::Map<Vector3>(own + 3 * stride + 3) += signed_axes[0];
      return;
    }
    for (int i = 0; i < joint.v_size; ++i) {
      const double* S = k.S.data() + 6 * (joint.v_offset + i);
      const Vector3 turn(S[3], S[4], S[5]), travel = Vector3(S[0], S[1], S[2]) + turn.cross(arm);
      for (int r = 0; r < directions; ++r) own[r * stride + i] += travel.dot(signed_axes[r]);
      if (row_count > 3) own[3 * stride + i] += turn.dot(signed_axes[0]);
    }
  });
}

void body_jacobian(const Model& model, const Kinematics& k, int body, const Vector3& point_W, Matrix6X& J) {
  J.setZero(6, model.v_size);
  for_each_ancestor(model, body, [&](const Joint& joint) {
    const Vector3 arm = point_W - k.com_W[joint.child];
    for (int i = joint.v_offset; i < joint.v_offset + joint.v_size; ++i) {
      const Vector3 angular = k.S.col(i).tail<3>();
      J.col(i).head<3>() = k.S.col(i).head<3>() + angular.cross(arm);
      J.col(i).tail<3>() = angular;
    }
  });
}

Twist prescribed_twist(const Model& model, const Kinematics& k, int body, const Vector3& point_W) {
  if (body == world_index) return {};
  const int root = model.prescribed_root[body];
  if (root < 0) return {};
  const Twist& twist = k.velocity[root];
  return {twist.at(point_W - k.com_W[root]), twist.angular};
}

}  // namespace stiction
