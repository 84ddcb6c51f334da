#include "stiction/methods/implicit/implicit_island.h"

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/jacobian.h"
#include "stiction/methods/shared/island_friction_problem.h"

namespace stiction::methods {

namespace {

// A pair whose normal turns further than this within a step (cosine) may face each other from the wrong side.
constexpr double turned_away = 0.2;

}  // namespace

bool ImplicitIsland::form(const StepProblem& problem, const StepContext& context, const contact::Island& island,
                          const LayerModel& layers, EndState& end) {
  problem_ = &problem;
  context_ = &context;
  island_ = island;
  layer_model_ = layers;
  end_ = &end;
  list_island_blocks(problem, island, blocks_);
  if (!island_rows_.form(problem, island, blocks_)) return false;
  number_unknowns();
  start_contacts();
  find_scales();
  return true;
}

// The order of list_island_blocks: joints, contacts each with its rolling rows, scalar rows.
void ImplicitIsland::number_unknowns() {
  const StepProblem& problem = *problem_;
  tree_row_.resize(problem.trees.size());
  velocities_ = 0;
  for (const int t : island_.trees) {
    tree_row_[t] = velocities_;
    velocities_ += problem.trees[t].size;
  }
  rows_.clear();
  linear_.clear();
  contacts_.clear();
  layers_.clear();
  int k = 0;
  const auto row_of = [&](int local_block) { return velocities_ + island_rows_.first_row(local_block); };
  for (const int b : island_.bilaterals) {
    linear_.push_back({problem.bilaterals[b].block, row_of(k), problem.bilaterals[b].first_bias, -1});
    ++k;
  }
  for (const int c : island_.contacts) {
    number_contact(c, k);
    k += problem.contacts[c].rolling >= 0 ? 2 : 1;
  }
  for (const int s : island_.scalars) {
    linear_.push_back({problem.scalars[s].block, row_of(k), -1, s});
    ++k;
  }
  unknowns_ = velocities_ + island_rows_.rows();
  for (ContactPlace& place : contacts_) number_layers(place);
}

void ImplicitIsland::number_contact(int contact, int local_block) {
  const ContactRows& rows = problem_->contacts[contact];
  ContactPlace place;
  place.contact = contact;
  place.row = velocities_ + island_rows_.first_row(local_block);
  place.row_count = island_rows_.row_count(local_block);
  if (rows.rolling >= 0) place.rolling = velocities_ + island_rows_.first_row(local_block + 1);
  const double e = std::max(rows.friction[0], rows.friction[1]);
  if (e > 0) {
    place.axis[0] = rows.friction[0] / e;
    place.axis[1] = rows.friction[1] / e;
    place.axis[2] = rows.torsion / e;
  }
  const bool rigid = rows.layers[0] < 0 && rows.layers[1] < 0;
  const bool closes = rows.gap + problem_->step * rows.approach <= 0;
  place.restitution = rigid && rows.restitution > 0 && rows.approach < 0 && closes;
  contacts_.push_back(place);
}

void ImplicitIsland::number_layers(ContactPlace& place) {
  const ContactRows& rows = problem_->contacts[place.contact];
  for (int side = 0; side < 2; ++side) {
    if (rows.layers[side] < 0) continue;
    place.layer[side] = unknowns_;
    layers_.push_back({rows.layers[side], static_cast<int>(&place - contacts_.data()), side, unknowns_});
    unknowns_ += layer_model_.algebraic ? 5 : 4;
  }
}

// Pieces and first guesses; contacts of one pair of shapes stand one after the other and share a manifold.
void ImplicitIsland::start_contacts() {
  const Model& model = context_->model;
  setups_.resize(contacts_.size());
  ends_.resize(contacts_.size());
  for (size_t first = 0; first < contacts_.size();) {
    const contact::Contact& head = context_->contacts[contacts_[first].contact];
    size_t last = first;
    double margin = -infinity;
    for (; last < contacts_.size(); ++last) {
      const contact::Contact& c = context_->contacts[contacts_[last].contact];
      if (c.shape_A != head.shape_A || c.shape_B != head.shape_B) break;
      margin = std::max(margin, c.gap);
    }
    const BodyShape& A = model.shapes[head.shape_A];
    const BodyShape& B = model.shapes[head.shape_B];
    const geometry::Manifold manifold =
        geometry::manifold(A.shape, context_->kinematics.X_WB[A.body] * A.X_BS, B.shape,
                           context_->kinematics.X_WB[B.body] * B.X_BS, margin + 1e-9 * (1 + std::abs(margin)));
    for (size_t c = first; c < last; ++c) {
      const contact::Contact& contact = context_->contacts[contacts_[c].contact];
      int point = 0;
      double nearest = infinity;
      for (int k = 0; k < manifold.count; ++k) {
        const Vector3 at = 0.5 * (manifold.points[k].point_A + manifold.points[k].point_B);
        const double distance = (at - contact.point).squaredNorm();
        if (distance < nearest) nearest = distance, point = k;
      }
      const bool rigid = contacts_[c].layer[0] < 0 && contacts_[c].layer[1] < 0;
      start_end_contact(model, context_->kinematics, manifold, point, contact, !rigid, setups_[c], ends_[c]);
    }
    first = last;
  }
}

void ImplicitIsland::guess(const VectorX& v, const VectorX& impulse, std::vector<double>& z) {
  z.assign(unknowns_, 0.0);
  for (const int t : island_.trees) {
    const VelocityTree& tree = problem_->trees[t];
    for (int i = 0; i < tree.size; ++i) z[tree_row_[t] + i] = v[tree.offset + i];
  }
  const auto copy = [&](int block, int row) {
    const RowBlock& rows = problem_->blocks[block];
    for (int r = 0; r < rows.row_count; ++r) z[row + r] = impulse[rows.first_row + r];
  };
  for (const LinearPlace& place : linear_) copy(place.block, place.row);
  for (const ContactPlace& place : contacts_) {
    const ContactRows& contact = problem_->contacts[place.contact];
    copy(contact.block, place.row);
    for (int k = 0; k + 1 < place.row_count; ++k) {
      double& p = z[place.row + 1 + k];
      p = place.axis[k] > 0 ? p / place.axis[k] : 0.0;
    }
    if (place.rolling >= 0) copy(problem_->rollings[contact.rolling].block, place.rolling);
  }
  for (const LayerPlace& layer : layers_) {
    const Vector3& start = problem_->layers[layer.layer].start;
    for (int k = 0; k < 3; ++k) z[layer.row + k] = start[k];
  }
}

void ImplicitIsland::guess(const VectorX& impulse, std::vector<double>& z) {
  local_.assign(island_rows_.rows(), 0.0);
  for (size_t k = 0; k < blocks_.size(); ++k) {
    const RowBlock& block = problem_->blocks[blocks_[k]];
    for (int r = 0; r < block.row_count; ++r) {
      local_[island_rows_.first_row(static_cast<int>(k)) + r] = impulse[block.first_row + r];
    }
  }
  island_rows_.apply(*problem_, island_, local_, problem_->v_free, end_->v);
  guess(end_->v, impulse, z);
}

// q+ = q (+) h v, and the bodies there.
void ImplicitIsland::move_bodies(const double* z, double t) {
  const Model& model = context_->model;
  for (const int tree : island_.trees) {
    const VelocityTree& place = problem_->trees[tree];
    for (int i = 0; i < place.size; ++i) end_->v[place.offset + i] = z[tree_row_[tree] + i];
    if (t == 0) continue;
    const auto joints = joints_of(model, model.trees[tree]);
    for (const Joint& joint : joints) {
      end_->q.segment(joint.q_offset, joint.q_size) = context_->state.q.segment(joint.q_offset, joint.q_size);
    }
    integrate_positions(joints, end_->v, problem_->step, end_->q);
    update_poses(model, joints, end_->q, end_->kinematics);
    update_velocities(joints, end_->v, end_->kinematics);
  }
}

void ImplicitIsland::evaluate_momentum(const double* z, double* F) const {
  for (const int t : island_.trees) {
    const VelocityTree& tree = problem_->trees[t];
    const auto M = problem_->mass_block(t);
    for (int i = 0; i < tree.size; ++i) {
      double sum = 0;
      for (int k = 0; k < tree.size; ++k) sum += M(i, k) * (z[tree_row_[t] + k] - problem_->v_free[tree.offset + k]);
      F[tree_row_[t] + i] = sum;
    }
  }
}

void ImplicitIsland::evaluate_linear(const double* z, double* F) const {
  for (const LinearPlace& place : linear_) {
    const RowBlock& block = problem_->blocks[place.block];
    for (int r = 0; r < block.row_count; ++r) {
      F[place.row + r] =
          place.scalar >= 0 ? problem_->scalars[place.scalar].bias : problem_->bilateral_bias[place.bias + r];
    }
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      const auto J = problem_->jacobian_block(place.block, side);
      const int column = tree_row_[block.tree[side]];
      for (int r = 0; r < block.row_count; ++r) {
        for (int i = 0; i < J.cols(); ++i) {
          F[place.row + r] += J(r, i) * z[column + i];
          F[column + i] -= J(r, i) * z[place.row + r];
        }
      }
    }
  }
}

// On B at the contact point; A gets the opposite.
void ImplicitIsland::contact_impulses(const ContactPlace& place, const double* z, Vector3& force,
                                      Vector3& moment) const {
  const EndContact& end = ends_[&place - contacts_.data()];
  const double* p = z + place.row;
  force = end.normal * p[0];
  moment = Vector3::Zero();
  if (place.row_count > 1) {
    force += end.tangent * (place.axis[0] * p[1]) + end.binormal * (place.axis[1] * p[2]);
  }
  if (place.row_count > 3) moment = end.normal * (place.axis[2] * p[3]);
  if (place.rolling >= 0) moment += end.tangent * z[place.rolling] + end.binormal * z[place.rolling + 1];
}

bool ImplicitIsland::evaluate(const double* z, double t, double* F) {
  z_.assign(z, z + unknowns_);
  t_ = t;
  move_bodies(z, t);
  evaluate_momentum(z, F);
  evaluate_linear(z, F);
  for (const LayerPlace& layer : layers_) {
    if (!layer_model_.algebraic) break;
    EndContact& end = ends_[layer.place];
    (layer.side == 0 ? end.level_A : end.level_B) = z[layer.row + 4];
  }
  for (size_t c = 0; c < contacts_.size(); ++c) {
    if (t > 0 && !update_end_contact(context_->model, end_->kinematics, setups_[c], ends_[c])) return false;
    evaluate_contact(static_cast<int>(c), z, t, F);
  }
  for (const LayerPlace& layer : layers_) evaluate_layer(layer, z, t, F);
  return true;
}

void ImplicitIsland::evaluate_contact(int c, const double* z, double t, double* F) {
  ContactMotion motion;
  if (t < 1) add_start(contacts_[c], z, 1 - t, motion, F);
  if (t > 0) add_end(c, z, t, motion, F);
  write_contact(contacts_[c], z, motion, F);
}

// The share of the rows of the start.
void ImplicitIsland::add_start(const ContactPlace& place, const double* z, double share, ContactMotion& motion,
                               double* F) const {
  const ContactRows& contact = problem_->contacts[place.contact];
  const auto add = [&](int block_index, const double* axis, int row, double* velocity, const double* surface) {
    const RowBlock& block = problem_->blocks[block_index];
    for (int r = 0; r < block.row_count; ++r) velocity[r] += share * surface[r];
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      const auto J = problem_->jacobian_block(block_index, side);
      const int column = tree_row_[block.tree[side]];
      for (int r = 0; r < block.row_count; ++r) {
        const double a = axis && r > 0 ? axis[r - 1] : 1.0;
        for (int i = 0; i < J.cols(); ++i) {
          velocity[r] += share * J(r, i) * z[column + i];
          F[column + i] -= share * J(r, i) * a * z[row + r];
        }
      }
    }
  };
  add(contact.block, place.axis, place.row, motion.u, contact.surface.data());
  motion.closing = motion.u[0] + share * contact.gap / problem_->step;
  if (place.rolling < 0) return;
  const RollingRows& rolling = problem_->rollings[contact.rolling];
  add(rolling.block, nullptr, place.rolling, motion.roll, rolling.surface.data());
}

// The share t of the geometry of the end.
void ImplicitIsland::add_end(int c, const double* z, double t, ContactMotion& motion, double* F) {
  const EndContact& end = ends_[c];
  const Vector3 slip = end.surface_velocity();
  motion.u[0] += t * end.normal.dot(end.velocity);
  motion.u[1] += t * end.tangent.dot(slip);
  motion.u[2] += t * end.binormal.dot(slip);
  motion.u[3] += t * end.normal.dot(end.angular_velocity);
  motion.roll[0] += t * end.tangent.dot(end.angular_velocity);
  motion.roll[1] += t * end.binormal.dot(end.angular_velocity);
  motion.closing += t * end.gap / problem_->step;
  Vector3 force, moment;
  contact_impulses(contacts_[c], z, force, moment);
  const auto push = [&](int shape, double sign) {
    const int body = context_->model.shapes[shape].body;
    if (context_->model.bodies[body].kind != BodyKind::simulated) return;
    const int tree = context_->model.tree_joints[context_->model.bodies[body].joint].tree;
    add_generalized_load(context_->model, end_->kinematics, body, end.point, -t * sign * force, -t * sign * moment,
                         F + tree_row_[tree]);
  };
  push(setups_[c].shape_A, -1);
  push(setups_[c].shape_B, 1);
}

// The contact's own rows of F.
void ImplicitIsland::write_contact(const ContactPlace& place, const double* z, const ContactMotion& motion,
                                   double* F) const {
  const ContactRows& contact = problem_->contacts[place.contact];
  const double h = problem_->step;
  double deflection[3] = {0, 0, 0};
  for (int side = 0; side < 2; ++side) {
    if (place.layer[side] < 0) continue;
    const Vector3& start = problem_->layers[contact.layers[side]].start;
    if (!layer_model_.algebraic) deflection[0] += z[place.layer[side]];
    for (int k = 1; k < 3; ++k) deflection[k] += z[place.layer[side] + k] - start[k];
  }
  F[place.row] =
      place.restitution ? motion.u[0] + contact.restitution * contact.approach : motion.closing + deflection[0] / h;
  const double given = layer_model_.series ? 1 / h : 0.0;
  for (int k = 0; k + 1 < place.row_count; ++k) {
    const double a = place.axis[k];
    const double slip = motion.u[1 + k] + (k < 2 ? given * deflection[1 + k] : 0.0);
    F[place.row + 1 + k] = a > 0 ? a * slip : rows_.weight[place.row + 1 + k] * z[place.row + 1 + k];
  }
  if (place.rolling < 0) return;
  F[place.rolling] = motion.roll[0];
  F[place.rolling + 1] = motion.roll[1];
}

// (13), (14), and with level sets (12).
void ImplicitIsland::evaluate_layer(const LayerPlace& layer, const double* z, double, double* F) const {
  const ContactPlace& place = contacts_[layer.place];
  const LayerRows& rows = problem_->layers[layer.layer];
  const CompliantLayer& law = *rows.layer;
  const double h = problem_->step, w = rows_.weight[place.row];
  const Vector3 delta(z[layer.row], z[layer.row + 1], z[layer.row + 2]);
  const LayerImpulse impulse = layer_impulse(law, rows.start, delta, h);
  const double core = z[layer.row + 3];
  F[layer.row] = w * (z[place.row] - core - impulse.value[0]);
  for (int k = 0; k < 2; ++k) {
    const bool gives = place.row_count > 1 && !law.tangentially_rigid();
    const double p = gives ? place.axis[k] * z[place.row + 1 + k] : 0.0;
    F[layer.row + 1 + k] = gives ? w * (p - impulse.value[1 + k]) : delta[1 + k] / h;
  }
  F[layer.row + 3] = std::isfinite(law.thickness) ? (law.thickness - delta[0]) / h : w * core;
  if (!layer_model_.algebraic) return;
  const EndContact& end = ends_[layer.place];
  const geometry::Piece& piece = layer.side == 0 ? setups_[layer.place].piece_A : setups_[layer.place].piece_B;
  const Eigen::Map<const Vector3> at(end.closest.y.data() + 3 * layer.side);
  const geometry::ImplicitValue here = geometry::evaluate(piece.surfaces[0], at);
  F[layer.row + 4] = geometry::evaluate(piece.surfaces[0], at + delta[0] * here.gradient.normalized()).value / h;
}

bool ImplicitIsland::same_side() const {
  for (size_t c = 0; c < contacts_.size(); ++c) {
    if (ends_[c].normal.dot(setups_[c].start_normal) < turned_away) return false;
  }
  return true;
}

void ImplicitIsland::write(const std::vector<double>& z, StepAnswer& answer) const {
  for (const int t : island_.trees) {
    const VelocityTree& tree = problem_->trees[t];
    for (int i = 0; i < tree.size; ++i) answer.v_end[tree.offset + i] = z[tree_row_[t] + i];
  }
  const auto copy = [&](int block, int row) {
    const RowBlock& rows = problem_->blocks[block];
    for (int r = 0; r < rows.row_count; ++r) answer.impulse[rows.first_row + r] = z[row + r];
  };
  for (const LinearPlace& place : linear_) copy(place.block, place.row);
  for (const ContactPlace& place : contacts_) {
    const ContactRows& contact = problem_->contacts[place.contact];
    copy(contact.block, place.row);
    double* p = answer.impulse.data() + problem_->blocks[contact.block].first_row;
    p[0] = std::max(0.0, p[0]);
    double length = 0;
    for (int k = 1; k < place.row_count; ++k) length += p[k] * p[k];
    const double radius = std::max(contact.friction[0], contact.friction[1]) * p[0];
    const double shrink = length > radius * radius ? radius / std::sqrt(length) : 1.0;
    for (int k = 1; k < place.row_count; ++k) p[k] *= shrink * place.axis[k - 1];
    if (place.rolling >= 0) copy(problem_->rollings[contact.rolling].block, place.rolling);
  }
  for (const LayerPlace& layer : layers_) {
    answer.deflection[layer.layer] = {z[layer.row], z[layer.row + 1], z[layer.row + 2]};
    answer.core_impulse[layer.layer] = z[layer.row + 3];
  }
}

}  // namespace stiction::methods
