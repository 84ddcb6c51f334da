// Inward over the joints: the momentum of everything beyond a joint per unit of its velocity, projected on the joint
// and on every joint between it and the root.
#include "stiction/dynamics/crba.h"

#include "stiction/dynamics/free_body.h"

namespace stiction {
namespace {

// Adds `part`, given about a point `r` away, to `whole`.
void add_shifted(const CompositeInertia& part, const Vector3& r, CompositeInertia& whole) {
  const Vector3& c = part.first_moment;
  // -[r][c] - [c][r] - m [r][r]
  const Vector3 moved = c + 0.5 * part.mass * r;
  const Matrix3 cross = moved * r.transpose();
  whole.inertia += part.inertia - cross - cross.transpose();
  whole.inertia.diagonal().array() += 2.0 * moved.dot(r);
  whole.first_moment += c + part.mass * r;
  whole.mass += part.mass;
}

// Momentum of the composite for a unit velocity of the joint.
Wrench momentum(const CompositeInertia& composite, const Vector3& linear, const Vector3& angular) {
  return {composite.mass * linear + angular.cross(composite.first_moment),
          composite.first_moment.cross(linear) + composite.inertia * angular};
}

double project(const Kinematics& k, int i, const Wrench& p) {
  return k.S.col(i).head<3>().dot(p.force) + k.S.col(i).tail<3>().dot(p.moment);
}

// Column i of the block: the joint's own entries, then those of its ancestors; mirrored.
void fill_column(const Model& model, const Joint& joint, const Kinematics& k, int i, const CompositeInertia& composite,
                 Eigen::Map<MatrixX>& M, int first) {
  Wrench p = momentum(composite, k.S.col(i).head<3>(), k.S.col(i).tail<3>());
  for (int j = joint.v_offset; j <= i; ++j) M(i - first, j - first) = M(j - first, i - first) = project(k, j, p);
  const Joint* at = &joint;
  while (at->parent_joint >= 0) {
    p.moment += k.offset[at->child].cross(p.force);
    at = &model.tree_joints[at->parent_joint];
    for (int j = at->v_offset; j < at->v_offset + at->v_size; ++j)
      M(i - first, j - first) = M(j - first, i - first) = project(k, j, p);
  }
}

// A tree of one free body, whose S is the identity: its mass and its inertia about the centre of mass.
void fill_free_body(const Body& body, const Matrix3& inertia_W, Eigen::Map<MatrixX>& M) {
  M.diagonal().head<3>().setConstant(body.mass);
  M.block<3, 3>(3, 3) = inertia_W;
}

void fill_tree(const Model& model, const Tree& tree, const Kinematics& k, Recursion& scratch, Eigen::Map<MatrixX>& M) {
  const std::span<const Joint> joints = joints_of(model, tree);
  for (const Joint& joint : joints)
    scratch.composite[joint.child] = {model.bodies[joint.child].mass, Vector3::Zero(), k.inertia_W[joint.child]};
  for (size_t j = joints.size(); j-- > 0;) {
    const Joint& joint = joints[j];
    const CompositeInertia& composite = scratch.composite[joint.child];
    for (int i = joint.v_offset; i < joint.v_offset + joint.v_size; ++i)
      fill_column(model, joint, k, i, composite, M, tree.v_offset);
    if (joint.parent_joint >= 0) add_shifted(composite, k.offset[joint.child], scratch.composite[joint.parent]);
  }
}

void fill_block(const Model& model, const Tree& tree, const Kinematics& k, std::span<const double> extra_diagonal,
                Recursion& scratch, double* block) {
  Eigen::Map<MatrixX> M(block, tree.v_size, tree.v_size);
  M.setZero();
  if (is_free_body(model, tree)) {
    const int body = model.tree_joints[tree.first_joint].child;
    fill_free_body(model.bodies[body], k.inertia_W[body], M);
  } else {
    fill_tree(model, tree, k, scratch, M);
  }
  for (int i = 0; i < tree.v_size; ++i) {
    M(i, i) += model.armature[tree.v_offset + i];
    if (!extra_diagonal.empty()) M(i, i) += extra_diagonal[tree.v_offset + i];
  }
}

}  // namespace

void crba(const Model& model, const Kinematics& k, std::span<const double> extra_diagonal, Recursion& scratch,
          std::span<double> mass) {
  for (const Tree& tree : model.trees)
    fill_block(model, tree, k, extra_diagonal, scratch, mass.data() + tree.mass_offset);
}

}  // namespace stiction
