// dF/dz of an island's mixed complementarity problem, in closed form (formulas of moving axes: end_contact.h).
#include <algorithm>
#include <cmath>
#include <utility>

#include "stiction/methods/implicit/implicit_island.h"

namespace stiction::methods {

void ImplicitIsland::differentiate(BlockMatrix& J) {
  for (const int t : island_.trees) {
    const int n = problem_->trees[t].size;
    const auto M = problem_->mass_block(t);
    Eigen::Map<RowMatrixX>(J.add(tree_row_[t], n, tree_row_[t], n), n, n) = M;
  }
  differentiate_linear(J);
  for (size_t c = 0; c < contacts_.size(); ++c) {
    const ContactPlace& place = contacts_[c];
    if (t_ < 1) differentiate_frozen(place, J);
    if (t_ > 0) differentiate_contact(static_cast<int>(c), J);
    for (int k = 0; k + 1 < place.row_count; ++k) {
      if (place.axis[k] > 0) continue;
      const int row = place.row + 1, n = place.row_count - 1;
      J.add(row, n, row, n)[k * n + k] = rows_.weight[row];
    }
  }
  for (const LayerPlace& layer : layers_) differentiate_layer(layer, J);
}

void ImplicitIsland::differentiate_linear(BlockMatrix& J) const {
  for (const LinearPlace& place : linear_) {
    const RowBlock& block = problem_->blocks[place.block];
    const int m = block.row_count;
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      const auto rows = problem_->jacobian_block(place.block, side);
      const int n = static_cast<int>(rows.cols()), column = tree_row_[block.tree[side]];
      Eigen::Map<RowMatrixX>(J.add(place.row, m, column, n), m, n) = rows;
      Eigen::Map<RowMatrixX>(J.add(column, n, place.row, m), n, m) = -rows.transpose();
    }
  }
}

// The part (1 - t) of rows at the start of the step.
void ImplicitIsland::differentiate_frozen(const ContactPlace& place, BlockMatrix& J) const {
  const ContactRows& contact = problem_->contacts[place.contact];
  const double share = 1 - t_;
  const auto add = [&](int block_index, int row, const double* axis) {
    const RowBlock& block = problem_->blocks[block_index];
    const int m = block.row_count;
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      const auto rows = problem_->jacobian_block(block_index, side);
      const int n = static_cast<int>(rows.cols()), column = tree_row_[block.tree[side]];
      double* in_rows = J.add(row, m, column, n);
      for (int r = 0; r < m; ++r) {
        const double a = share * (axis && r > 0 ? axis[r - 1] : 1.0);
        for (int i = 0; i < n; ++i) in_rows[r * n + i] = a * rows(r, i);
      }
      double* in_momentum = J.add(column, n, row, m);
      for (int r = 0; r < m; ++r) {
        const double a = share * (axis && r > 0 ? axis[r - 1] : 1.0);
        for (int i = 0; i < n; ++i) in_momentum[i * m + r] = -a * rows(r, i);
      }
    }
  };
  add(contact.block, place.row, place.axis);
  if (place.rolling >= 0) add(problem_->rollings[contact.rolling].block, place.rolling, nullptr);
}

void ImplicitIsland::differentiate_contact(int c, BlockMatrix& J) {
  const ContactPlace& place = contacts_[c];
  const EndContact& end = ends_[c];
  EndContactDerivative d;
  if (!differentiate_end_contact(context_->model, setups_[c], end, d)) return;
  Vector3 force, moment;
  contact_impulses(place, z_.data(), force, moment);
  const int body_A = context_->model.shapes[setups_[c].shape_A].body;
  const int body_B = context_->model.shapes[setups_[c].shape_B].body;
  const double h = problem_->step;
  chain_A_.form(context_->model, end_->kinematics, body_A, end.point, end_->v, h, -force, -moment);
  chain_B_.form(context_->model, end_->kinematics, body_B, end.point, end_->v, h, force, moment);
  if (chain_A_.tree >= 0) add_side(c, chain_A_, -1, d, force, J);
  if (chain_B_.tree >= 0) add_side(c, chain_B_, 1, d, force, J);
  if (layer_model_.algebraic) add_levels(c, d, force, J);
}

// Everything that one body's velocities, and the impulses on it, change.
void ImplicitIsland::add_side(int c, const ChainColumns& chain, double sign, const EndContactDerivative& d,
                              const Vector3& force, BlockMatrix& J) {
  const ContactPlace& place = contacts_[c];
  const EndContact& end = ends_[c];
  const int side = sign < 0 ? 0 : 6;
  const auto move = chain.move.map();
  const auto twist = chain.twist.map();
  const int n = static_cast<int>(move.cols()), column = tree_row_[chain.tree];
  const Vector3 belt = sign < 0 ? end.belt_A : end.belt_B;
  for (int i = 0; i < n; ++i) {
    const Vector6 by = move.col(i);
    ContactChange change;
    change.point = d.point.middleCols<6>(side) * by;
    change.normal = d.normal.middleCols<6>(side) * by;
    change.tangent = d.tangent.middleCols<6>(side) * by;
    change.binormal = d.binormal.middleCols<6>(side) * by;
    change.gap = d.gap.middleCols<6>(side).dot(by);
    change.velocity = sign * twist.col(i).head<3>() + end.angular_velocity.cross(change.point);
    change.surface_velocity = change.velocity + sign * by.tail<3>().cross(belt);
    change.angular_velocity = sign * twist.col(i).tail<3>();
    changes_.push_back(change);
  }
  add_changes(c, column, n, force, J);
  // What the change of the wrench's axes does on this body, and the columns of the impulses.
  double* load = J.add(column, n, column, n);
  const auto turned = chain.load.map();
  for (int r = 0; r < n; ++r) {
    for (int i = 0; i < n; ++i) load[r * n + i] = -t_ * turned(r, i);
  }
  const auto axes = chain.J.map();
  const auto add_impulse = [&](int row, int count, auto&& axis_of) {
    double* block = J.add(column, n, row, count);
    for (int k = 0; k < count; ++k) {
      const Vector6 axis = axis_of(k);
      for (int i = 0; i < n; ++i) block[i * count + k] = -t_ * sign * axes.col(i).dot(axis);
    }
  };
  add_impulse(place.row, place.row_count, [&](int k) -> Vector6 {
    Vector6 axis = Vector6::Zero();
    if (k == 0) axis.head<3>() = end.normal;
    if (k == 1) axis.head<3>() = place.axis[0] * end.tangent;
    if (k == 2) axis.head<3>() = place.axis[1] * end.binormal;
    if (k == 3) axis.tail<3>() = place.axis[2] * end.normal;
    return axis;
  });
  if (place.rolling < 0) return;
  add_impulse(place.rolling, 2, [&](int k) -> Vector6 {
    Vector6 axis = Vector6::Zero();
    axis.tail<3>() = k == 0 ? end.tangent : end.binormal;
    return axis;
  });
}

// The columns `column`.. that change the contact as changes_ says; empties changes_.
void ImplicitIsland::add_changes(int c, int column, int n, const Vector3& force, BlockMatrix& J) {
  const ContactPlace& place = contacts_[c];
  const EndContact& end = ends_[c];
  const double* p = z_.data() + place.row;
  const double h = problem_->step;
  const Vector3 slip = end.surface_velocity();
  double* rows = J.add(place.row, place.row_count, column, n);
  for (int i = 0; i < n; ++i) {
    const ContactChange& change = changes_[i];
    rows[i] =
        t_ * (place.restitution ? end.normal.dot(change.velocity) + end.velocity.dot(change.normal) : change.gap / h);
    if (place.row_count == 1) continue;
    const double by[3] = {end.tangent.dot(change.surface_velocity) + slip.dot(change.tangent),
                          end.binormal.dot(change.surface_velocity) + slip.dot(change.binormal),
                          end.normal.dot(change.angular_velocity) + end.angular_velocity.dot(change.normal)};
    for (int k = 0; k + 1 < place.row_count; ++k) rows[(1 + k) * n + i] = t_ * place.axis[k] * by[k];
  }
  if (place.rolling >= 0) {
    double* rolling = J.add(place.rolling, 2, column, n);
    for (int i = 0; i < n; ++i) {
      const ContactChange& change = changes_[i];
      rolling[i] = t_ * (end.tangent.dot(change.angular_velocity) + end.angular_velocity.dot(change.tangent));
      rolling[n + i] = t_ * (end.binormal.dot(change.angular_velocity) + end.angular_velocity.dot(change.binormal));
    }
  }
  for (const auto& [chain, sign] : {std::pair{&chain_A_, -1.0}, std::pair{&chain_B_, 1.0}}) {
    if (chain->tree < 0) continue;
    const auto axes = chain->J.map();
    const int m = static_cast<int>(axes.cols());
    double* momentum = J.add(tree_row_[chain->tree], m, column, n);
    for (int i = 0; i < n; ++i) {
      const ContactChange& change = changes_[i];
      Vector6 wrench;
      wrench.head<3>() = p[0] * change.normal;
      wrench.tail<3>() = change.point.cross(force);
      if (place.row_count > 1) {
        wrench.head<3>() += place.axis[0] * p[1] * change.tangent + place.axis[1] * p[2] * change.binormal;
      }
      if (place.row_count > 3) wrench.tail<3>() += place.axis[2] * p[3] * change.normal;
      if (place.rolling >= 0) {
        wrench.tail<3>() += z_[place.rolling] * change.tangent + z_[place.rolling + 1] * change.binormal;
      }
      for (int r = 0; r < m; ++r) momentum[r * n + i] = -t_ * sign * axes.col(r).dot(wrench);
    }
  }
  changes_.clear();
}

// Columns of the levels.
void ImplicitIsland::add_levels(int c, const EndContactDerivative& d, const Vector3& force, BlockMatrix& J) {
  const ContactPlace& place = contacts_[c];
  const EndContact& end = ends_[c];
  for (int side = 0; side < 2; ++side) {
    if (place.layer[side] < 0) continue;
    ContactChange change;
    change.point = d.point_level.col(side);
    change.normal = d.normal_level.col(side);
    change.tangent = d.tangent_level.col(side);
    change.binormal = d.binormal_level.col(side);
    change.gap = d.gap_level[side];
    change.velocity = change.surface_velocity = end.angular_velocity.cross(change.point);
    change.angular_velocity = Vector3::Zero();
    changes_.push_back(change);
    add_changes(c, place.layer[side] + 4, 1, force, J);
  }
}

void ImplicitIsland::differentiate_layer(const LayerPlace& layer, BlockMatrix& J) {
  const ContactPlace& place = contacts_[layer.place];
  const LayerRows& rows = problem_->layers[layer.layer];
  const CompliantLayer& law = *rows.layer;
  const double h = problem_->step, w = rows_.weight[place.row];
  const Vector3 delta(z_[layer.row], z_[layer.row + 1], z_[layer.row + 2]);
  const LayerImpulse impulse = layer_impulse(law, rows.start, delta, h);
  const bool gives = place.row_count > 1 && !law.tangentially_rigid();
  double* own = J.add(layer.row, 4, layer.row, 4);
  for (int k = 0; k < 3; ++k) own[k] = -w * impulse.derivative(0, k);
  own[3] = -w;
  for (int k = 0; k < 2; ++k) {
    double* row = own + 4 * (1 + k);
    if (!gives) row[1 + k] = 1 / h;
    for (int i = 0; gives && i < 3; ++i) row[i] = -w * impulse.derivative(1 + k, i);
  }
  own[12] = std::isfinite(law.thickness) ? -1 / h : 0.0;
  own[15] = std::isfinite(law.thickness) ? 0.0 : w;
  double* by_impulse = J.add(layer.row, 3, place.row, std::min(place.row_count, 3));
  const int m = std::min(place.row_count, 3);
  by_impulse[0] = w;
  for (int k = 0; gives && k < 2; ++k) by_impulse[(1 + k) * m + 1 + k] = w * place.axis[k];
  // In the contact's own rows.
  if (!layer_model_.algebraic) J.add(place.row, 1, layer.row, 1)[0] = 1 / h;
  if (layer_model_.series && place.row_count > 1) {
    const int n = place.row_count - 1;
    double* slip = J.add(place.row + 1, n, layer.row + 1, 2);
    for (int k = 0; k < 2; ++k) slip[k * 2 + k] = place.axis[k] / h;
  }
  if (layer_model_.algebraic) differentiate_level(layer, J);
}

// (12): f(x + delta_n grad f / |grad f|) = 0 at x, a closest point, which moves with the bodies and the levels.
void ImplicitIsland::differentiate_level(const LayerPlace& layer, BlockMatrix& J) {
  const EndContact& end = ends_[layer.place];
  const EndContactSetup& setup = setups_[layer.place];
  const geometry::PieceSurface& surface = (layer.side == 0 ? setup.piece_A : setup.piece_B).surfaces[0];
  const Vector3 at = Eigen::Map<const Vector3>(end.closest.y.data() + 3 * layer.side);
  const double delta = z_[layer.row], h = problem_->step;
  const geometry::ImplicitValue here = geometry::evaluate(surface, at);
  const double length = here.gradient.norm();
  const Vector3 normal = here.gradient / length;
  const geometry::ImplicitValue there = geometry::evaluate(surface, at + delta * normal);
  const Matrix3 turn = (Matrix3::Identity() - normal * normal.transpose()) * here.hessian / length;
  const Vector3 by_point = (Matrix3::Identity() + delta * turn).transpose() * there.gradient / h;
  J.add(layer.row + 4, 1, layer.row, 1)[0] = there.gradient.dot(normal) / h;
  if (t_ == 0) return;
  EndContactDerivative d;
  if (!differentiate_end_contact(context_->model, setup, end, d)) return;
  const auto& moves = layer.side == 0 ? d.a : d.b;
  const auto& levels = layer.side == 0 ? d.a_level : d.b_level;
  const ContactPlace& place = contacts_[layer.place];
  for (int side = 0; side < 2; ++side) {
    if (place.layer[side] >= 0) {
      J.add(layer.row + 4, 1, place.layer[side] + 4, 1)[0] = by_point.dot(levels.col(side));
    }
    const int body = context_->model.shapes[side == 0 ? setup.shape_A : setup.shape_B].body;
    ChainColumns& chain = side == 0 ? chain_A_ : chain_B_;
    chain.form(context_->model, end_->kinematics, body, end.point, end_->v, h, Vector3::Zero(), Vector3::Zero());
    if (chain.tree < 0) continue;
    const auto move = chain.move.map();
    const int n = static_cast<int>(move.cols());
    double* row = J.add(layer.row + 4, 1, tree_row_[chain.tree], n);
    for (int i = 0; i < n; ++i) row[i] = by_point.dot(moves.middleCols(6 * side, 6) * move.col(i));
  }
}

}  // namespace stiction::methods
