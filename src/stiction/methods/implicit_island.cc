#include "stiction/methods/implicit_island.h"

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/jacobian.h"
#include "stiction/methods/island_friction_problem.h"

namespace stiction::methods {

namespace {

using Kind = MixedNcpRows::Kind;

// Positions are rounded to this share of their distance from the origin; a residual cannot be told below it.
constexpr double position_rounding = 4e-16;
// A gap is made of so many of them.
constexpr double roundings_of_a_gap = 16, largest_rounding = 1e-9;
// The residual that this rounding must stay below.
constexpr double smallest_tolerance = 5e-11;
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

void ImplicitIsland::find_scales() {
  const StepProblem& problem = *problem_;
  const double h = problem.step;
  // W_ii of all rows at once.
  local_.assign(island_rows_.rows(), 0.0);
  for (const int t : island_.trees) {
    for (const IslandRows::Incidence& incidence : island_rows_.on_tree(t)) {
      for (int r = 0; r < island_rows_.row_count(incidence.block); ++r) {
        const double* x = island_rows_.row(incidence, r);
        double& weight = local_[island_rows_.first_row(incidence.block) + r];
        for (int i = 0; i < island_rows_.tree_size(t); ++i) weight += x[i] * x[i];
      }
    }
  }
  // The energy of what loads change and of what the rows would have to stop; not below what the rounding of positions
  // lets be told.
  double energy = 0;
  double reach = 0, heaviest_root = 0;
  for (const EndContact& end : ends_) reach = std::max(reach, end.point.cwiseAbs().maxCoeff());
  for (const EndContactSetup& setup : setups_) reach = std::max(reach, setup.length);
  const double blur = position_rounding / smallest_tolerance * reach / h;
  for (const int t : island_.trees) {
    const VelocityTree& tree = problem.trees[t];
    const auto M = problem.mass_block(t);
    const auto change =
        problem.v_free.segment(tree.offset, tree.size) - problem.v_start.segment(tree.offset, tree.size);
    double loads = 0, stopped = 0, heaviest = 0;
    for (int i = 0; i < tree.size; ++i) loads += change[i] * M.row(i).dot(change);
    for (const IslandRows::Incidence& incidence : island_rows_.on_tree(t)) {
      const int first = island_rows_.first_row(incidence.block);
      if (local_[first] > 0) heaviest = std::max(heaviest, 1 / local_[first]);
      for (int r = first; r < first + island_rows_.row_count(incidence.block); ++r) {
        const double u = island_rows_.free_velocity()[r];
        if (local_[r] > 0) stopped = std::max(stopped, u * u / local_[r]);
      }
    }
    energy = std::max({energy, loads, stopped, heaviest * blur * blur});
    heaviest_root = std::max(heaviest_root, std::sqrt(heaviest));
  }
  unit_ = energy > 0 ? std::sqrt(energy) : 1.0;
  rounding_ = std::min(largest_rounding, roundings_of_a_gap * position_rounding * reach / h * heaviest_root / unit_);

  for (const int t : island_.trees) {
    const auto M = problem.mass_block(t);
    for (int i = 0; i < problem.trees[t].size; ++i) {
      rows_.add(Kind::equation, M(i, i), 1 / (std::sqrt(M(i, i)) * unit_));
    }
  }
  for (double& weight : local_) {
    if (!(weight > 0)) weight = 1;
    rows_.add(Kind::equation, weight, 1 / (std::sqrt(weight) * unit_));
  }
  const auto set_ball = [&](int first, int count, int radius_row, double factor, double constant, const double* axis) {
    double weight = 0;
    for (int k = 0; k < count; ++k) {
      const double a = axis ? axis[k] : 1.0;
      weight += (a > 0 ? a * a * rows_.weight[first + k] : rows_.weight[first + k]) / count;
    }
    for (int k = 0; k < count; ++k) {
      rows_.kind[first + k] = Kind::ball;
      rows_.weight[first + k] = weight;
      rows_.scale[first + k] = 1 / (std::sqrt(weight) * unit_);
    }
    rows_.balls.push_back({first, count, radius_row, factor, constant});
  };
  // What layers give way sideways, per unit of impulse.
  const auto add_compliance = [&](const ContactPlace& place) {
    for (const int l : problem.contacts[place.contact].layers) {
      if (l < 0 || problem.layers[l].layer->tangentially_rigid()) continue;
      const Matrix3 B = h * problem.layers[l].layer->stiffness + problem.layers[l].layer->damping;
      for (int k = 1; k < 3; ++k) rows_.weight[place.row + k] += 1 / (h * B(k, k));
    }
  };
  for (const LinearPlace& place : linear_) {
    if (place.scalar < 0) continue;
    const ScalarRow& scalar = problem.scalars[place.scalar];
    if (scalar.kind == ScalarRow::Kind::limit) {
      rows_.kind[place.row] = Kind::complementary;
    } else {
      set_ball(place.row, 1, -1, 0, scalar.bound, nullptr);
    }
  }
  for (const ContactPlace& place : contacts_) {
    const ContactRows& contact = problem.contacts[place.contact];
    rows_.kind[place.row] = Kind::complementary;
    if (place.row_count > 1) {
      const double e = std::max(contact.friction[0], contact.friction[1]);
      if (layer_model_.series) add_compliance(place);
      set_ball(place.row + 1, place.row_count - 1, place.row, e, 0, place.axis);
    }
    if (place.rolling >= 0) {
      set_ball(place.rolling, 2, place.row, problem.rollings[contact.rolling].limit, 0, nullptr);
    }
  }
  for (const LayerPlace& layer : layers_) {
    const ContactPlace& place = contacts_[layer.place];
    const CompliantLayer& law = *problem.layers[layer.layer].layer;
    const Matrix3 B = h * law.stiffness + law.damping;
    const double w = rows_.weight[place.row];
    const double scale = 1 / (std::sqrt(w) * unit_);
    for (int k = 0; k < 3; ++k) rows_.add(Kind::equation, w * B(k, k) + 1 / h, scale);
    rows_.add(std::isfinite(law.thickness) ? Kind::complementary : Kind::equation, w, scale);
    if (layer_model_.algebraic) rows_.add(Kind::equation, 1 / h, scale);
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
  const ContactPlace& place = contacts_[c];
  const ContactRows& contact = problem_->contacts[place.contact];
  const double h = problem_->step;
  double u[4] = {0, 0, 0, 0}, roll[2] = {0, 0};  // (1 - t) start + t end
  double closing = 0;                            // likewise of gap / h
  if (t < 1) {
    const double share = 1 - t;
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
    add(contact.block, place.axis, place.row, u, contact.surface.data());
    closing = u[0] + share * contact.gap / h;
    if (place.rolling >= 0) {
      const RollingRows& rolling = problem_->rollings[contact.rolling];
      add(rolling.block, nullptr, place.rolling, roll, rolling.surface.data());
    }
  }
  if (t > 0) {
    const EndContact& end = ends_[c];
    const Vector3 slip = end.surface_velocity();
    u[0] += t * end.normal.dot(end.velocity);
    u[1] += t * end.tangent.dot(slip);
    u[2] += t * end.binormal.dot(slip);
    u[3] += t * end.normal.dot(end.angular_velocity);
    roll[0] += t * end.tangent.dot(end.angular_velocity);
    roll[1] += t * end.binormal.dot(end.angular_velocity);
    closing += t * end.gap / h;
    Vector3 force, moment;
    contact_impulses(place, z, force, moment);
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
  double deflection[3] = {0, 0, 0};
  for (int side = 0; side < 2; ++side) {
    if (place.layer[side] < 0) continue;
    const Vector3& start = problem_->layers[contact.layers[side]].start;
    if (!layer_model_.algebraic) deflection[0] += z[place.layer[side]];
    for (int k = 1; k < 3; ++k) deflection[k] += z[place.layer[side] + k] - start[k];
  }
  F[place.row] = place.restitution ? u[0] + contact.restitution * contact.approach : closing + deflection[0] / h;
  const double given = layer_model_.series ? 1 / h : 0.0;
  for (int k = 0; k + 1 < place.row_count; ++k) {
    const double a = place.axis[k];
    const double slip = u[1 + k] + (k < 2 ? given * deflection[1 + k] : 0.0);
    F[place.row + 1 + k] = a > 0 ? a * slip : rows_.weight[place.row + 1 + k] * z[place.row + 1 + k];
  }
  if (place.rolling >= 0) {
    F[place.rolling] = roll[0];
    F[place.rolling + 1] = roll[1];
  }
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
