// Inward: the inertia IA of each body with the joints beyond it free to move, then the bias wrench pA that goes with
// it; outward: accelerations.
//   U = IA S, D = S^T U + armature + extra, Ia = IA - U D^-1 U^T seen through the joint      the configuration's
//   u = tau - S^T pA, pa = pA + Ia bias + U D^-1 u                                           the velocities' and loads'
//   vdot = D^-1 u - (U D^-1)^T (parent's acceleration carried over + bias)
#include "stiction/dynamics/aba.h"

#include <Eigen/Cholesky>

#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

void start_inertia(const Model& model, int body, const Kinematics& k, Recursion& scratch) {
  ArticulatedInertia& IA = scratch.articulated[body];
  IA.linear = Vector3::Constant(model.bodies[body].mass).asDiagonal();
  IA.coupling.setZero();
  IA.angular = k.inertia_W[body];
}

void start_wrench(const Model& model, int body, const Kinematics& k, std::span<const Wrench> external,
                  Recursion& scratch) {
  const Vector3& omega = k.velocity[body].angular;
  Wrench& pA = scratch.wrench[body];
  const Vector3 L = k.inertia_W[body] * omega;
  pA.force = -model.bodies[body].mass * model.gravity;
  pA.moment = omega.cross(L);
  if (external.empty()) return;
  pA.force -= external[body].force;
  pA.moment -= external[body].moment;
}

// Adds Ia, given at the child's centre of mass, to the parent, whose centre of mass is -r away: X^T Ia X with
// X = [1 -[r]; 0 1]. Products with [r] are cross products, a third of the work of matrix products.
void add_to_parent(const ArticulatedInertia& Ia, const Vector3& r, ArticulatedInertia& IA) {
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
}

// The inverse of the joint inertia D, for N velocities.
template <int N>
Eigen::Matrix<double, N, N> inverse_of(const Eigen::Matrix<double, N, N>& D) {
  if constexpr (N == 1) {
    return Eigen::Matrix<double, 1, 1>(1 / D(0, 0));
  } else {
    return D.llt().solve(Eigen::Matrix<double, N, N>::Identity());
  }
}

void add_diagonal(const Model& model, int first, std::span<const double> extra, auto& D) {
  for (int i = 0; i < D.rows(); ++i) {
    D(i, i) += model.armature[first + i];
    if (!extra.empty()) D(i, i) += extra[first + i];
  }
}

// The joint's elimination from the inertias, for N velocities: leaves Ia in the place of IA.
template <int N>
void eliminate(const Model& model, const Joint& joint, const Kinematics& k, std::span<const double> extra,
               Recursion& scratch) {
  const int first = joint.v_offset;
  ArticulatedInertia& IA = scratch.articulated[joint.child];
  if constexpr (N > 0) {
    const auto S = k.S.middleCols<N>(first);
    const Eigen::Matrix<double, 3, N> S_l = S.template topRows<3>(), S_a = S.template bottomRows<3>();
    const Eigen::Matrix<double, 3, N> U_l = IA.linear * S_l + IA.coupling * S_a;
    const Eigen::Matrix<double, 3, N> U_a = IA.coupling.transpose() * S_l + IA.angular * S_a;
    Eigen::Matrix<double, N, N> D = S_l.transpose() * U_l + S_a.transpose() * U_a;
    add_diagonal(model, first, extra, D);
    const Eigen::Matrix<double, N, N> inverse = inverse_of<N>(D);
    const Eigen::Matrix<double, 3, N> gain_l = U_l * inverse, gain_a = U_a * inverse;
    scratch.joint_inverse.middleCols<N>(first).template topRows<N>() = inverse;
    scratch.gain.middleCols<N>(first) << gain_l, gain_a;
    if (joint.parent_joint < 0) return;
    IA.linear.noalias() -= gain_l * U_l.transpose();
    IA.coupling.noalias() -= gain_l * U_a.transpose();
    IA.angular.noalias() -= gain_a * U_a.transpose();
  }
  if (joint.parent_joint < 0) return;
  add_to_parent(IA, k.offset[joint.child], scratch.articulated[joint.parent]);
}

// A free joint is its tree's root, with nothing to hand on: the Cholesky factor of D takes the place of its gain.
void factor_free(const Model& model, const Joint& joint, std::span<const double> extra, Recursion& scratch) {
  const ArticulatedInertia& IA = scratch.articulated[joint.child];
  Matrix6 D;
  D << IA.linear, IA.coupling, IA.coupling.transpose(), IA.angular;
  add_diagonal(model, joint.v_offset, extra, D);
  scratch.gain.middleCols<6>(joint.v_offset) = D.llt().matrixL();
}

void eliminate_joint(const Model& model, const Joint& joint, const Kinematics& k, std::span<const double> extra,
                     Recursion& scratch) {
  switch (joint.v_size) {
    case 0:
      return eliminate<0>(model, joint, k, extra, scratch);
    case 1:
      return eliminate<1>(model, joint, k, extra, scratch);
    case 2:
      return eliminate<2>(model, joint, k, extra, scratch);
    case 3:
      return eliminate<3>(model, joint, k, extra, scratch);
    default:
      return factor_free(model, joint, extra, scratch);
  }
}

// D^-1 u of the joint, and what it hands on to its parent, for N velocities.
template <int N>
void hand_on(const Joint& joint, const Kinematics& k, const VectorX& tau, Recursion& scratch) {
  const int child = joint.child, first = joint.v_offset;
  Wrench& pA = scratch.wrench[child];
  if constexpr (N > 0) {
    const auto S = k.S.middleCols<N>(first);
    const Eigen::Matrix<double, N, 1> u = tau.segment<N>(first) - S.template topRows<3>().transpose() * pA.force -
                                          S.template bottomRows<3>().transpose() * pA.moment;
    scratch.joint_acceleration.segment<N>(first).noalias() =
        scratch.joint_inverse.middleCols<N>(first).template topRows<N>() * u;
    if (joint.parent_joint < 0) return;
    const auto gain = scratch.gain.middleCols<N>(first);
    pA.force += gain.template topRows<3>() * u;
    pA.moment += gain.template bottomRows<3>() * u;
  }
  if (joint.parent_joint < 0) return;
  const Twist& bias = k.bias[child];
  const ArticulatedInertia& Ia = scratch.articulated[child];
  pA.force += Ia.linear * bias.linear + Ia.coupling * bias.angular;
  pA.moment += Ia.coupling.transpose() * bias.linear + Ia.angular * bias.angular;
  Wrench& parent = scratch.wrench[joint.parent];
  parent.force += pA.force;
  parent.moment += pA.moment + k.offset[child].cross(pA.force);
}

void solve_free(const Joint& joint, const VectorX& tau, Recursion& scratch) {
  const Wrench& pA = scratch.wrench[joint.child];
  const int first = joint.v_offset;
  Vector6 u = tau.segment<6>(first);
  u.head<3>() -= pA.force;
  u.tail<3>() -= pA.moment;
  const auto L = scratch.gain.middleCols<6>(first).triangularView<Eigen::Lower>();
  L.solveInPlace(u);
  L.transpose().solveInPlace(u);
  scratch.joint_acceleration.segment<6>(first) = u;
}

void hand_on_joint(const Joint& joint, const Kinematics& k, const VectorX& tau, Recursion& scratch) {
  switch (joint.v_size) {
    case 0:
      return hand_on<0>(joint, k, tau, scratch);
    case 1:
      return hand_on<1>(joint, k, tau, scratch);
    case 2:
      return hand_on<2>(joint, k, tau, scratch);
    case 3:
      return hand_on<3>(joint, k, tau, scratch);
    default:
      return solve_free(joint, tau, scratch);
  }
}

void accelerate(const Joint& joint, const Kinematics& k, Recursion& scratch, VectorX& vdot) {
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
    parent = k.prescribed[joint.parent];
  }
  const Twist& bias = k.bias[child];
  const Twist carried{parent.at(k.offset[child]) + bias.linear, parent.angular + bias.angular};
  a = carried;
  for (int i = joint.v_offset; i < joint.v_offset + joint.v_size; ++i) {
    const auto gain = scratch.gain.col(i);
    vdot[i] = scratch.joint_acceleration[i] - gain.head<3>().dot(carried.linear) - gain.tail<3>().dot(carried.angular);
    a.linear += vdot[i] * k.S.col(i).head<3>();
    a.angular += vdot[i] * k.S.col(i).tail<3>();
  }
}

}  // namespace

void aba_inertias(const Model& model, std::span<const Joint> joints, const Kinematics& k,
                  std::span<const double> extra_diagonal, Recursion& scratch) {
  for (const Joint& joint : joints) start_inertia(model, joint.child, k, scratch);
  for (size_t j = joints.size(); j-- > 0;) eliminate_joint(model, joints[j], k, extra_diagonal, scratch);
}

void aba_accelerations(const Model& model, std::span<const Joint> joints, const Kinematics& k, const VectorX& tau,
                       std::span<const Wrench> external, Recursion& scratch, VectorX& vdot) {
  for (const Joint& joint : joints) start_wrench(model, joint.child, k, external, scratch);
  for (size_t j = joints.size(); j-- > 0;) hand_on_joint(joints[j], k, tau, scratch);
  for (const Joint& joint : joints) accelerate(joint, k, scratch, vdot);
}

void aba(const Model& model, const Kinematics& k, const VectorX& tau, std::span<const double> extra_diagonal,
         std::span<const Wrench> external, Recursion& scratch, VectorX& vdot) {
  aba_inertias(model, model.tree_joints, k, extra_diagonal, scratch);
  aba_accelerations(model, model.tree_joints, k, tau, external, scratch, vdot);
}

}  // namespace stiction
