#include "stiction/methods/implicit/end_contact.h"

#include <algorithm>

#include "stiction/math/rotation.h"
#include "stiction/model/joint_traits.h"

namespace stiction::methods {

namespace {

using Rows3 = EndContactDerivative::Rows3;

geometry::PiecePair pair_of(const EndContactSetup& setup, const EndContact& end) {
  return {setup.piece_A, setup.piece_B, end.X_WA, end.X_WB, end.level_A, end.level_B};
}

// The friction direction of A in the tangent plane, as contact_set.cc chooses it.
Vector3 wanted_direction(const BodyShape& A, const Matrix3& R, const Vector3& normal) {
  const Vector3 wanted = R * A.friction_direction_S;
  const Vector3 tangent = wanted - normal * normal.dot(wanted);
  return tangent.squaredNorm() < 1e-4 ? Vector3(R * any_orthogonal(A.friction_direction_S)) : wanted;
}

Vector3 point_velocity(const Model& model, const Kinematics& kinematics, int body, const Vector3& point) {
  if (model.bodies[body].kind == BodyKind::fixed) return Vector3::Zero();
  return kinematics.velocity[body].at(point - kinematics.com_W[body]);
}

Vector3 angular_velocity(const Model& model, const Kinematics& kinematics, int body) {
  return model.bodies[body].kind == BodyKind::fixed ? Vector3::Zero() : kinematics.velocity[body].angular;
}

void place_shapes(const Model& model, const Kinematics& kinematics, const EndContactSetup& setup, EndContact& end) {
  const BodyShape& A = model.shapes[setup.shape_A];
  const BodyShape& B = model.shapes[setup.shape_B];
  end.X_WA = kinematics.X_WB[A.body] * A.X_BS;
  end.X_WB = kinematics.X_WB[B.body] * B.X_BS;
}

// Newton from the last closest points; else from those of the general distance at these poses.
bool find_closest(const Model& model, const EndContactSetup& setup, EndContact& end) {
  const geometry::PiecePair pair = pair_of(setup, end);
  if (geometry::solve_closest(pair, setup.length, end.closest) == geometry::ClosestOutcome::solved) return true;
  const geometry::Distance d =
      geometry::distance(model.shapes[setup.shape_A].shape, end.X_WA, model.shapes[setup.shape_B].shape, end.X_WB);
  geometry::guess_closest(pair, d.point_A, d.point_B, d.normal, end.closest);
  return geometry::solve_closest(pair, setup.length, end.closest) == geometry::ClosestOutcome::solved;
}

// The gap free of what the closest points are off by to first order: a point that lies f above its surface moves the
// support plane by lambda f. Newton leaves residuals of 1e-13 of the size, and over a short step those are speeds.
double sharp_gap(const EndContactSetup& setup, const EndContact& end, const Vector3& x_A, const Vector3& x_B) {
  double gap = end.normal.dot(x_B - x_A);
  const double* multiplier = end.closest.y.data() + 10;
  const auto correct = [&](const geometry::Piece& piece, const Vector3& at, double level) {
    for (int k = 0; k < piece.count; ++k, ++multiplier) {
      if (*multiplier != 0) gap += *multiplier * (geometry::evaluate(piece.surfaces[k], at).value + level);
    }
  };
  correct(setup.piece_A, Eigen::Map<const Vector3>(end.closest.y.data()), end.level_A);
  correct(setup.piece_B, Eigen::Map<const Vector3>(end.closest.y.data() + 3), end.level_B);
  return gap;
}

}  // namespace

void start_end_contact(const Model& model, const Kinematics& start, const geometry::Manifold& manifold, int point,
                       const contact::Contact& contact, bool layered, EndContactSetup& setup, EndContact& end) {
  setup.shape_A = contact.shape_A;
  setup.shape_B = contact.shape_B;
  const geometry::Shape& A = model.shapes[contact.shape_A].shape;
  const geometry::Shape& B = model.shapes[contact.shape_B].shape;
  const auto size = [](const geometry::Shape& shape) {
    return geometry::is_unbounded(shape) ? 0.0 : geometry::shape_size(shape);
  };
  setup.length = std::max(size(A), size(B));
  setup.start_normal = contact.normal;
  setup.point_share = layered ? contact::layered_point_share(contact) : 0.5;
  place_shapes(model, start, setup, end);
  end.level_A = end.level_B = 0;
  end.point = contact.point;
  geometry::contact_pieces(A, end.X_WA, B, end.X_WB, manifold, point, setup.piece_A, setup.piece_B);
  const geometry::ManifoldPoint& p = manifold.points[point];
  geometry::guess_closest(pair_of(setup, end), p.point_A, p.point_B, manifold.normal_at(p), end.closest);
}

bool update_end_contact(const Model& model, const Kinematics& kinematics, const EndContactSetup& setup,
                        EndContact& end) {
  const BodyShape& A = model.shapes[setup.shape_A];
  const BodyShape& B = model.shapes[setup.shape_B];
  place_shapes(model, kinematics, setup, end);
  if (!find_closest(model, setup, end)) return false;
  const Vector3 x_A = end.X_WA * Vector3(end.closest.a()), x_B = end.X_WB * Vector3(end.closest.b());
  end.point = x_A + setup.point_share * (x_B - x_A);
  end.normal = end.closest.normal().normalized();
  end.gap = sharp_gap(setup, end, x_A, x_B);
  const Vector3 wanted = wanted_direction(A, end.X_WA.R, end.normal);
  end.tangent = (wanted - end.normal * end.normal.dot(wanted)).normalized();
  end.binormal = end.normal.cross(end.tangent);
  end.belt_A = end.X_WA.R * A.surface_velocity_S;
  end.belt_B = end.X_WB.R * B.surface_velocity_S;
  end.velocity =
      point_velocity(model, kinematics, B.body, end.point) - point_velocity(model, kinematics, A.body, end.point);
  end.angular_velocity = angular_velocity(model, kinematics, B.body) - angular_velocity(model, kinematics, A.body);
  return true;
}

bool differentiate_end_contact(const Model& model, const EndContactSetup& setup, const EndContact& end,
                               EndContactDerivative& d) {
  geometry::ClosestDerivative closest;
  if (!geometry::closest_derivative(pair_of(setup, end), setup.length, end.closest, closest)) return false;
  // From translations of the shapes' origins to those of the material points at the contact point.
  Eigen::Matrix<double, 12, 12> from_point = Eigen::Matrix<double, 12, 12>::Identity();
  from_point.block<3, 3>(0, 3) = skew(end.point - end.X_WA.p);
  from_point.block<3, 3>(6, 9) = skew(end.point - end.X_WB.p);
  const Eigen::Matrix<double, 10, 12> by_pose = closest.pose * from_point;
  d.a = by_pose.topRows<3>();
  d.b = by_pose.middleRows<3>(3);
  d.normal = by_pose.middleRows<3>(6);
  d.gap = by_pose.row(9);
  d.a_level = closest.level.topRows<3>();
  d.b_level = closest.level.middleRows<3>(3);
  d.normal_level = closest.level.middleRows<3>(6);
  d.gap_level = closest.level.row(9);

  const Vector3 arm_A = end.X_WA * Vector3(Eigen::Map<const Vector3>(end.closest.y.data())) - end.point;
  const Vector3 arm_B = end.X_WB * Vector3(Eigen::Map<const Vector3>(end.closest.y.data() + 3)) - end.point;
  Rows3 x_A = end.X_WA.R * d.a, x_B = end.X_WB.R * d.b;
  x_A.block<3, 3>(0, 0) += Matrix3::Identity();
  x_A.block<3, 3>(0, 3) -= skew(arm_A);
  x_B.block<3, 3>(0, 6) += Matrix3::Identity();
  x_B.block<3, 3>(0, 9) -= skew(arm_B);
  const double share = setup.point_share;
  d.point = (1 - share) * x_A + share * x_B;
  d.point_level = (1 - share) * (end.X_WA.R * d.a_level) + share * (end.X_WB.R * d.b_level);

  const BodyShape& A = model.shapes[setup.shape_A];
  const Vector3 wanted = wanted_direction(A, end.X_WA.R, end.normal);
  const Vector3& n = end.normal;
  const Vector3& t = end.tangent;
  const double along = n.dot(wanted), length = (wanted - n * along).norm();
  const Matrix3 across = (Matrix3::Identity() - t * t.transpose()) / length;
  // w = wanted - n (n . wanted), t = w / |w|
  const Matrix3 by_normal = -across * (along * Matrix3::Identity() + n * wanted.transpose());
  d.tangent = by_normal * d.normal;
  d.tangent.block<3, 3>(0, 3) -= across * (Matrix3::Identity() - n * n.transpose()) * skew(wanted);
  d.tangent_level = by_normal * d.normal_level;
  d.binormal = skew(n) * d.tangent - skew(t) * d.normal;
  d.binormal_level = skew(n) * d.tangent_level - skew(t) * d.normal_level;
  return d.point.allFinite() && d.tangent.allFinite();
}

namespace {

// The chain of a body, root first.
void list_chain(const Model& model, int body, std::vector<int>& column, std::vector<int>& group) {
  column.clear();
  group.clear();
  const Tree& tree = model.trees[model.tree_joints[model.bodies[body].joint].tree];
  for (int j = model.bodies[body].joint; j >= 0; j = model.tree_joints[j].parent_joint) {
    const Joint& joint = model.tree_joints[j];
    for (int k = joint.v_size - 1; k >= 0; --k) {
      column.push_back(joint.v_offset + k - tree.v_offset);
      // The axes of an orientation are one group.
      group.push_back(joint.v_offset + std::min(k, joint_traits(joint.type).vector_size));
    }
  }
  std::reverse(column.begin(), column.end());
  std::reverse(group.begin(), group.end());
}

// Spatial cross product of twists (linear, angular) at one point.
Vector6 cross(const Vector6& a, const Vector6& b) {
  Vector6 result;
  result.head<3>() = a.tail<3>().cross(b.head<3>()) + a.head<3>().cross(b.tail<3>());
  result.tail<3>() = a.tail<3>().cross(b.tail<3>());
  return result;
}

// Columns := h columns T, for the joints of a chain.
void times_rates(const Model& model, int body, int v_offset, const VectorX& v, double h, GrowingMatrix& matrix) {
  auto columns = matrix.map();
  for (int j = model.bodies[body].joint; j >= 0; j = model.tree_joints[j].parent_joint) {
    const Joint& joint = model.tree_joints[j];
    const JointTraits& traits = joint_traits(joint.type);
    const int turns = traits.vector_size;
    const int first = joint.v_offset - v_offset;
    if (traits.quaternion) {
      const Matrix3 T = exponential_jacobian(h * v.segment<3>(joint.v_offset + turns));
      for (int r = 0; r < matrix.rows; ++r) {
        const Eigen::RowVector3d row = columns.block<1, 3>(r, first + turns) * T;
        columns.block<1, 3>(r, first + turns) = row;
      }
    }
    columns.middleCols(first, joint.v_size) *= h;
  }
}

}  // namespace

// d(J v) and d(J^T F) per unit of each joint coordinate: the two formulas at the top of the header.
void ChainColumns::turn_axes(const VectorX& v, int v_offset, const Vector3& f, const Vector3& m) {
  const int count = static_cast<int>(column.size());
  const auto axes = J.map();
  Vector6 after = Vector6::Zero();     // sum of S_i v_i over i after j's group
  Vector6 in_group = Vector6::Zero();  // of the group at hand
  for (int j = count - 1; j >= 0; --j) {
    if (j + 1 < count && group[j] != group[j + 1]) {
      after += in_group;
      in_group.setZero();
    }
    const Vector6 S_j = axes.col(column[j]);
    twist.map().col(column[j]) = cross(S_j, after);
    in_group += S_j * v[v_offset + column[j]];
    Vector6 turned;  // (S_j x S_i) . F = S_i . turned
    turned.head<3>() = f.cross(S_j.tail<3>());
    turned.tail<3>() = f.cross(S_j.head<3>()) + m.cross(S_j.tail<3>());
    for (int i = j + 1; i < count; ++i) {
      if (group[i] != group[j]) load.map()(column[i], column[j]) = axes.col(column[i]).dot(turned);
    }
  }
}

void ChainColumns::form(const Model& model, const Kinematics& kinematics, int body, const Vector3& O, const VectorX& v,
                        double h, const Vector3& f, const Vector3& m) {
  tree = -1;
  if (model.bodies[body].kind != BodyKind::simulated) return;
  tree = model.tree_joints[model.bodies[body].joint].tree;
  const Tree& t = model.trees[tree];
  list_chain(model, body, column, group);
  J.reset(6, t.v_size);
  twist.reset(6, t.v_size);
  load.reset(t.v_size, t.v_size);
  for (int j = model.bodies[body].joint; j >= 0; j = model.tree_joints[j].parent_joint) {
    const Joint& joint = model.tree_joints[j];
    const Vector3 arm = O - kinematics.com_W[joint.child];
    for (int k = joint.v_offset; k < joint.v_offset + joint.v_size; ++k) {
      const Vector3 linear = kinematics.S.col(k).head<3>(), angular = kinematics.S.col(k).tail<3>();
      J.map().col(k - t.v_offset) << linear + angular.cross(arm), angular;
    }
  }
  turn_axes(v, t.v_offset, f, m);
  move.reset(6, t.v_size);
  move.map() = J.map();
  times_rates(model, body, t.v_offset, v, h, move);
  times_rates(model, body, t.v_offset, v, h, twist);
  twist.map() += J.map();
  times_rates(model, body, t.v_offset, v, h, load);
}

}  // namespace stiction::methods
