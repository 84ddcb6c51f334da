// Inward: the inertia IA and bias wrench pA of each body with the joints beyond it free to move; outward:
// accelerations.
//   U = IA S, D = S^T U + armature + extra, u = tau - S^T pA
//   seen through the joint: Ia = IA - U D^-1 U^T, pa = pA + Ia bias + U D^-1 u
//   vdot = D^-1 u - (U D^-1)^T (parent's acceleration carried over + bias)
#include "stiction/dynamics/aba.h"

#include <Eigen/Cholesky>

#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

struct Inputs {
  const Model& model;
  const Kinematics& k;
  const VectorX& tau;
  std::span<const double> extra_diagonal;
  std::span<const Wrench> external;
};

void start_body(const Inputs& in, int body, Recursion& scratch) {
  const double mass = in.model.bodies[body].mass;
  const Vector3& omega = in.k.velocity[body].angular;
  const Matrix3& I = in.k.inertia_W[body];
  ArticulatedInertia& IA = scratch.articulated[body];
  IA.linear = Vector3::Constant(mass).asDiagonal();
  IA.coupling.setZero();
  IA.angular = I;
  Wrench& pA = scratch.wrench[body];
  const Vector3 L = I * omega;
  pA.force = -mass * in.model.gravity;
  pA.moment = omega.cross(L);
  if (in.external.empty()) return;
  pA.force -= in.external[body].force;
  pA.moment -= in.external[body].moment;
}

// Adds Ia and pa, given at the child's centre of mass, to the parent, whose centre of mass is -r away: X^T Ia X with
// X = [1 -[r]; 0 1]. Products with [r] are cross products, a third of the work of matrix products.
void add_to_parent(const ArticulatedInertia& Ia, const Wrench& pa, const Vector3& r, ArticulatedInertia& IA,
                   Wrench& pA) {
  Matrix3 coupling;
  for (int i = 0; i < 3; ++i)  // row i of B - A [r]; A is symmetric
    coupling.row(i) = Ia.coupling.row(i) - Ia.linear.col(i).cross(r).transpose();
  IA.linear += Ia.linear;
  IA.coupling += coupling;
  IA.angular += Ia.angular;
  for (int i = 0; i < 3; ++i) {  // [r] (B - A [r]) by columns, B^T [r] by rows
    IA.angular.col(i) += r.cross(coupling.col(i));
    IA.angular.row(i) -= Ia.coupling.col(i).cross(r).transpose();
  }
  pA.force += pa.force;
  pA.moment += pa.moment + r.cross(pa.force);
}

// D^-1 b for the N x N joint inertia D.
template <int N, class B>
auto solve_joint(const Eigen::Matrix<double, N, N>& D, const B& b) {
  if constexpr (N == 1) {
    return (b / D(0, 0)).eval();
  } else {
    return D.llt().solve(b).eval();
  }
}

// The joint's elimination, for N velocities.
template <int N>
void eliminate(const Inputs& in, const Joint& joint, Recursion& scratch) {
  const int child = joint.child, first = joint.v_offset;
  ArticulatedInertia& IA = scratch.articulated[child];
  Wrench& pA = scratch.wrench[child];
  if constexpr (N > 0) {
    const auto S = in.k.S.middleCols<N>(first);
    const Eigen::Matrix<double, 3, N> S_l = S.template topRows<3>(), S_a = S.template bottomRows<3>();
    const Eigen::Matrix<double, 3, N> U_l = IA.linear * S_l + IA.coupling * S_a;
    const Eigen::Matrix<double, 3, N> U_a = IA.coupling.transpose() * S_l + IA.angular * S_a;
    Eigen::Matrix<double, N, N> D = S_l.transpose() * U_l + S_a.transpose() * U_a;
    for (int i = 0; i < N; ++i) {
      D(i, i) += in.model.armature[first + i];
      if (!in.extra_diagonal.empty()) D(i, i) += in.extra_diagonal[first + i];
    }
    const Eigen::Matrix<double, N, 1> u =
        in.tau.segment<N>(first) - S_l.transpose() * pA.force - S_a.transpose() * pA.moment;
    const Eigen::Matrix<double, N, 1> D_u = solve_joint<N>(D, u);
    scratch.joint_acceleration.segment<N>(first) = D_u;
    Eigen::Matrix<double, N, 6> Ut;
    Ut << U_l.transpose(), U_a.transpose();
    const Eigen::Matrix<double, 6, N> gain = solve_joint<N>(D, Ut).transpose();
    scratch.gain.middleCols<N>(first) = gain;
    if (joint.parent_joint < 0) return;
    const Eigen::Matrix<double, 3, N> gain_l = gain.template topRows<3>();
    IA.linear.noalias() -= gain_l * U_l.transpose();
    IA.coupling.noalias() -= gain_l * U_a.transpose();
    IA.angular.noalias() -= gain.template bottomRows<3>() * U_a.transpose();
    pA.force += U_l * D_u;
    pA.moment += U_a * D_u;
  }
  if (joint.parent_joint < 0) return;
  const Twist& bias = in.k.bias[child];
  pA.force += IA.linear * bias.linear + IA.coupling * bias.angular;
  pA.moment += IA.coupling.transpose() * bias.linear + IA.angular * bias.angular;
  add_to_parent(IA, pA, in.k.offset[child], scratch.articulated[joint.parent], scratch.wrench[joint.parent]);
}

// A free joint is its tree's root: vdot = (IA + diagonal)^-1 (tau - pA), nothing to hand on.
void eliminate_free(const Inputs& in, const Joint& joint, Recursion& scratch) {
  const ArticulatedInertia& IA = scratch.articulated[joint.child];
  const Wrench& pA = scratch.wrench[joint.child];
  const int first = joint.v_offset;
  Matrix6 D;
  D << IA.linear, IA.coupling, IA.coupling.transpose(), IA.angular;
  for (int i = 0; i < 6; ++i) {
    D(i, i) += in.model.armature[first + i];
    if (!in.extra_diagonal.empty()) D(i, i) += in.extra_diagonal[first + i];
  }
  Vector6 u = in.tau.segment<6>(first);
  u.head<3>() -= pA.force;
  u.tail<3>() -= pA.moment;
  scratch.joint_acceleration.segment<6>(first) = D.llt().solve(u);
}

void eliminate_joint(const Inputs& in, const Joint& joint, Recursion& scratch) {
  switch (joint.v_size) {
    case 0:
      return eliminate<0>(in, joint, scratch);
    case 1:
      return eliminate<1>(in, joint, scratch);
    case 2:
      return eliminate<2>(in, joint, scratch);
    case 3:
      return eliminate<3>(in, joint, scratch);
    default:
      return eliminate_free(in, joint, scratch);
  }
}

void accelerate(const Inputs& in, const Joint& joint, Recursion& scratch, VectorX& vdot) {
  const int child = joint.child;
  Twist& a = scratch.acceleration[child];
  if (is_free(joint.type)) {
    vdot.segment<6>(joint.v_offset) = scratch.joint_acceleration.segment<6>(joint.v_offset);
    a = {vdot.segment<3>(joint.v_offset), vdot.segment<3>(joint.v_offset + 3)};
    return;
  }
  Twist parent;
  if (joint.parent_joint >= 0) {
    parent = scratch.acceleration[joint.parent];
  } else if (joint.parent != world_index) {
    parent = in.k.prescribed[joint.parent];
  }
  const Twist& bias = in.k.bias[child];
  const Twist carried{parent.at(in.k.offset[child]) + bias.linear, parent.angular + bias.angular};
  a = carried;
  for (int i = joint.v_offset; i < joint.v_offset + joint.v_size; ++i) {
    const auto gain = scratch.gain.col(i);
    vdot[i] = scratch.joint_acceleration[i] - gain.head<3>().dot(carried.linear) - gain.tail<3>().dot(carried.angular);
    a.linear += vdot[i] * in.k.S.col(i).head<3>();
    a.angular += vdot[i] * in.k.S.col(i).tail<3>();
  }
}

}  // namespace

void aba(const Model& model, std::span<const Joint> joints, const Kinematics& k, const VectorX& tau,
         std::span<const double> extra_diagonal, std::span<const Wrench> external, Recursion& scratch, VectorX& vdot) {
  const Inputs in{model, k, tau, extra_diagonal, external};
  for (const Joint& joint : joints) start_body(in, joint.child, scratch);
  for (size_t j = joints.size(); j-- > 0;) eliminate_joint(in, joints[j], scratch);
  for (const Joint& joint : joints) accelerate(in, joint, scratch, vdot);
}

void aba(const Model& model, const Kinematics& k, const VectorX& tau, std::span<const double> extra_diagonal,
         std::span<const Wrench> external, Recursion& scratch, VectorX& vdot) {
  aba(model, std::span<const Joint>(model.tree_joints), k, tau, extra_diagonal, external, scratch, vdot);
}

}  // namespace stiction
