// How free_lanes.h takes the contacts of a step: bodies, pairs, batches, and the numbers of each slot.
#include "stiction/solvers/friction/body/lanes/free_lanes.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/friction/body/lanes/free_contact.h"

namespace stiction::solvers {
namespace {

constexpr double least_share_used = 0.45;   // of the lanes
constexpr double least_determinant = 1e-9;  // of A, over its squared trace: others take more care

bool is_plain(const StepProblem& step, const ContactRows& contact) {
  return step.blocks[contact.block].row_count == 3 && contact.cone == nullptr && contact.rolling < 0 &&
         contact.layers[0] < 0 && contact.layers[1] < 0 && contact.friction[0] > 0 && contact.friction[1] > 0;
}

// Does travel stand apart in the mass of six velocities, from turn and alike along each axis?
bool travels_apart(const double* M) {
  bool apart = M[0] == M[7] && M[0] == M[14] && M[1] == 0 && M[2] == 0 && M[8] == 0;
  for (int k = 0; k < 3; ++k) apart = apart && M[6 * k + 3] == 0 && M[6 * k + 4] == 0 && M[6 * k + 5] == 0;
  return apart;
}

// L^T w.
void turn_in_x(const std::array<double, 6>& L, const double* w, double* x) {
  x[0] = L[0] * w[0] + L[1] * w[1] + L[3] * w[2];
  x[1] = L[2] * w[1] + L[4] * w[2];
  x[2] = L[5] * w[2];
}

// L^-T x.
void turn_of_x(const std::array<double, 6>& inverse, const double* x, double* w) {
  w[0] = inverse[0] * x[0] + inverse[1] * x[1] + inverse[3] * x[2];
  w[1] = inverse[2] * x[1] + inverse[4] * x[2];
  w[2] = inverse[5] * x[2];
}

// H := H L^-T on the turning parts of the three rows, with L^-1 of four bodies.
STICTION_INLINE void whiten_turn(const Quad* inverse, double* slot, int entry) {
#pragma GCC unroll 3
  for (int r = 0; r < lane::rows; ++r) {
    double* row = slot + lane::lanes * (entry + lane::axes * r);
    const Quad a = lane::at(row, 0), b = lane::at(row, 1), c = lane::at(row, 2);
    *quad(row) = inverse[0] * a;
    *quad(row + lane::lanes) = inverse[1] * a + inverse[2] * b;
    *quad(row + 2 * lane::lanes) = (inverse[3] * a + inverse[4] * b) + inverse[5] * c;
  }
}

STICTION_INLINE Quad dot_three(const double* slot, int one, int other) {
  return (lane::at(slot, one) * lane::at(slot, other) + lane::at(slot, one + 1) * lane::at(slot, other + 1)) +
         lane::at(slot, one + 2) * lane::at(slot, other + 2);
}

// Of rows i and j of H H^T.
STICTION_INLINE Quad product(const double* slot, Quad inverse_mass, bool two_sided, int i, int j) {
  const auto rows_of = [&](int entry) __attribute__((always_inline)) {
    return dot_three(slot, entry + lane::axes * i, entry + lane::axes * j);
  };
  const Quad sum = inverse_mass * rows_of(lane::FreeEntry::frame) + rows_of(lane::FreeEntry::turn_0);
  return two_sided ? sum + rows_of(lane::FreeEntry::turn_1) : sum;
}

STICTION_INLINE void put(double* slot, int entry, Quad value) {
  *quad(slot + lane::lanes * entry) = value;
}

// S J L^-T and its W (S: e_t, e_o stand in the aspect's factors) become H and its W. False where A of a contact is
// nearly singular.
STICTION_INLINE bool scale_slot(const Quad* inverse_mass, bool two_sided, double* slot, double* aspect) {
  using namespace lane;
  const Quad e_t = at(aspect, factor + 1), e_o = at(aspect, factor + 2), e = larger(e_t, e_o);
  const Quad mass = two_sided ? inverse_mass[0] + inverse_mass[1] : inverse_mass[0];
  const Quad W_nn = product(slot, mass, two_sided, 0, 0), root_nn = root(W_nn), d = 1 / root_nn;
  const Quad f[rows] = {d, d * e_t, d * e_o};
  const Quad w_t = d * f[1] * product(slot, mass, two_sided, 0, 1),
             w_o = d * f[2] * product(slot, mass, two_sided, 0, 2);
  const Quad W_tt = f[1] * f[1] * product(slot, mass, two_sided, 1, 1);
  const Quad W_oo = f[2] * f[2] * product(slot, mass, two_sided, 2, 2);
  const Quad A_tt = W_tt - w_t * w_t, A_oo = W_oo - w_o * w_o;
  const Quad A_to = f[1] * f[2] * product(slot, mass, two_sided, 1, 2) - w_t * w_o;
  put(slot, free_w_t, w_t), put(slot, free_w_o, w_o);
  put(slot, free_A_tt, A_tt), put(slot, free_A_to, A_to), put(slot, free_A_oo, A_oo);
#pragma GCC unroll 3
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 3
    for (int k = 0; k < axes; ++k) {
      for (const int entry : {int{frame}, int{turn_0}, int{turn_1}}) {
        put(slot, entry + axes * r + k, f[r] * at(slot, entry + axes * r + k));
      }
    }
    put(aspect, factor + r, f[r]);
  }
  put(aspect, inverse_factor, root_nn);
  put(aspect, inverse_factor + 1, root_nn / e_t), put(aspect, inverse_factor + 2, root_nn / e_o);
  const Quad step = 3 / (e * e + (W_tt + W_oo));
  put(aspect, friction_step, step), put(aspect, friction_weight, root_nn / (e * step));
  const Quad trace = A_tt + A_oo;
  return !any(~(A_tt * A_oo - A_to * A_to > least_determinant * (trace * trace)));
}

}  // namespace

bool FreeLanes::take_body(const StepProblem& step, int tree) {
  const VelocityTree& velocities = step.trees[tree];
  if (velocities.size != 6) return false;
  const double* M = step.mass.data() + velocities.mass_offset;
  if (!travels_apart(M) || !(M[0] > 0)) return false;
  body_of_tree_[tree] = static_cast<int>(bodies_.size());
  Body& body = bodies_.emplace_back();
  body.offset = velocities.offset;
  body.inverse_mass = 1 / M[0];
  std::array<double, 6>& L = body.factor;
  L[0] = std::sqrt(M[21]), L[1] = M[22] / L[0], L[3] = M[23] / L[0];
  L[2] = std::sqrt(M[28] - L[1] * L[1]), L[4] = (M[29] - L[1] * L[3]) / L[2];
  L[5] = std::sqrt(M[35] - L[3] * L[3] - L[4] * L[4]);
  std::array<double, 6>& X = body.inverse;
  X[0] = 1 / L[0], X[2] = 1 / L[2], X[5] = 1 / L[5];
  X[1] = -X[2] * L[1] * X[0], X[4] = -X[5] * L[4] * X[2];
  X[3] = -X[5] * (L[3] * X[0] + L[4] * X[1]);
  return std::isfinite((X[0] + X[2]) + X[5]);
}

// Runs of contacts on the same bodies; those of one side have it first.
bool FreeLanes::find_pairs(const StepProblem& step, std::span<const int> contacts) {
  pairs_.clear(bodies_.size());
  for (size_t c = 0; c < contacts.size();) {
    const size_t first = c;
    const std::array<int, 2>& trees = step.blocks[step.contacts[contacts[c]].block].tree;
    do {
      if (!is_plain(step, step.contacts[contacts[c]])) return false;
      ++c;
    } while (c < contacts.size() && c - first < LanePairs::most_points &&
             step.blocks[step.contacts[contacts[c]].block].tree == trees);
    std::array<int, 2> bodies = {-1, -1};
    for (int side = 0; side < 2; ++side) bodies[side] = trees[side] < 0 ? -1 : body_of_tree_[trees[side]];
    if (bodies[0] < 0 || !pairs_.add(bodies, static_cast<int>(first), static_cast<int>(c - first))) return false;
  }
  return true;
}

bool FreeLanes::take(const StepProblem& step, std::span<const int> trees, std::span<const int> contacts) {
  if (step.normal_law != NormalLaw::gap) return false;
  body_of_tree_.resize(step.trees.size());
  bodies_.clear();
  for (const int tree : trees) {
    if (!take_body(step, tree)) return false;
  }
  if (!find_pairs(step, contacts)) return false;
  const int taken = pairs_.group(batches_);
  const int slots = batches_.empty() ? 0 : batches_.back().first + batches_.back().points;
  if (taken < least_share_used * lanes * slots) return false;
  make_batches(step, contacts);
  bool fit = true;
  for (size_t i = 0; i < batches_.size(); ++i) {
    fit = (use_wide_registers ? whiten_wide(batches_[i], i) : whiten(batches_[i], i)) && fit;
  }
  load_bodies(step);
  return fit;
}

void FreeLanes::make_batches(const StepProblem& step, std::span<const int> contacts) {
  const auto slots = static_cast<size_t>(batches_.back().first + batches_.back().points);
  const auto most = static_cast<size_t>(static_cast<double>(contacts.size()) / (least_share_used * lanes)) + 1;
  for (auto* list : {&contact_, &row_}) {
    list->reserve(lanes * most);
    list->assign(lanes * slots, -1);
  }
  slot_.resize(contacts.size());
  const auto size = [&](std::vector<double>& list, size_t numbers) {
    list.reserve(numbers * most);
    list.resize(numbers * slots);
  };
  size(matrix_, lane::free_slot_size), size(aspect_, lane::aspect_size);
  for (auto* list : {&bias_, &z_, &before_, &best_}) size(*list, lanes * lane::rows);
  for (auto* list : {&open_, &gap_, &slip_, &wanted_, &pushed_}) size(*list, lanes);
  std::fill(z_.begin(), z_.end(), 0.0);
  std::fill(slip_.begin(), slip_.end(), 0.0);
  inverse_mass_.reserve(2 * lanes * most);
  inverse_mass_.assign(2 * lanes * batches_.size(), 0.0);
  for (size_t i = 0; i < batches_.size(); ++i) {
    for (int lane = 0; lane < lanes; ++lane) fill_lane(step, contacts, lane, batches_[i], i);
  }
}

// Rows that scales can be taken of; what they do to bodies is taken out behind that.
void FreeLanes::leave_empty(int slot, int lane) {
  double* values = matrix_.data() + static_cast<size_t>(slot) * lane::free_slot_size + lane;
  double* aspect = aspect_.data() + static_cast<size_t>(slot) * lane::aspect_size + lane;
  for (int i = 0; i < lane::free_entry_count; ++i) values[lanes * i] = 0;
  for (int r = 0; r < lane::rows; ++r) {
    values[lanes * (lane::FreeEntry::frame + (lane::axes + 1) * r)] = 1;
    aspect[lanes * (lane::AspectEntry::factor + r)] = 1;
    bias_[static_cast<size_t>(slot) * (lanes * lane::rows) + lanes * r + lane] = 0;
  }
  const size_t place = static_cast<size_t>(slot) * lanes + lane;
  open_[place] = gap_[place] = 0;
}

void FreeLanes::fill_lane(const StepProblem& step, std::span<const int> contacts, int lane, LaneBatch& batch,
                          size_t index) {
  const int nobody = static_cast<int>(bodies_.size()) * lane::body_width;
  batch.place[0][lane] = batch.place[1][lane] = nobody;
  double* inverse_mass = inverse_mass_.data() + 2 * lanes * index + lane;
  const LanePairs::Pair pair = lane < batch.pairs ? pairs_[batch.first_pair + lane] : LanePairs::Pair{};
  for (int k = pair.points; k < batch.points; ++k) leave_empty(batch.first + k, lane);
  if (pair.points == 0) {
    inverse_mass[0] = 1;
    return;
  }
  const RowBlock& head = step.blocks[step.contacts[contacts[pair.first]].block];
  for (int side = 0; side < (batch.two_sided ? 2 : 1); ++side) {
    const int body = body_of_tree_[head.tree[side]];
    batch.place[side][lane] = body * lane::body_width;
    inverse_mass[lanes * side] = bodies_[body].inverse_mass;
  }
  for (int k = 0; k < pair.points; ++k) {
    const int slot = batch.first + k, place = lanes * slot + lane;
    const ContactRows& contact = step.contacts[contacts[pair.first + k]];
    contact_[place] = pair.first + k;
    row_[place] = step.blocks[contact.block].first_row;
    slot_[pair.first + k] = place;
    fill_contact(step, contact, slot, lane, batch.two_sided);
  }
}

// J, S and the bias; what travels is that of side 1 where there is one, and the opposite of side 0.
void FreeLanes::fill_contact(const StepProblem& step, const ContactRows& contact, int slot, int lane, bool two_sided) {
  double* values = matrix_.data() + static_cast<size_t>(slot) * lane::free_slot_size + lane;
  double* aspect = aspect_.data() + static_cast<size_t>(slot) * lane::aspect_size + lane;
  const RowBlock& block = step.blocks[contact.block];
  const double *J_0 = step.jacobian.data() + block.offset[0], *J_1 = step.jacobian.data() + block.offset[1];
  const double* travel = two_sided ? J_1 : J_0;
  for (int r = 0; r < lane::rows; ++r) {
    for (int k = 0; k < lane::axes; ++k) {
      const int entry = lane::axes * r + k;
      values[lanes * (lane::FreeEntry::frame + entry)] = travel[6 * r + k];
      values[lanes * (lane::FreeEntry::turn_0 + entry)] = J_0[6 * r + 3 + k];
      values[lanes * (lane::FreeEntry::turn_1 + entry)] = two_sided ? J_1[6 * r + 3 + k] : 0.0;
    }
    aspect[lanes * (lane::AspectEntry::factor + r)] = r == 0 ? 1.0 : contact.friction[r - 1];
    bias_[static_cast<size_t>(slot) * (lanes * lane::rows) + lanes * r + lane] = contact.surface[r];
  }
  const size_t place = static_cast<size_t>(slot) * lanes + lane;
  bias_[static_cast<size_t>(slot) * (lanes * lane::rows) + lane] += contact.normal_bias;
  open_[place] = std::max(contact.normal_bias, 0.0);
  gap_[place] = contact.normal_bias < 0 ? infinity : contact.gap;  // it rebounds: no repair
}

// Lanes without a contact move nothing, and nothing moves them: their impulses stay zero.
void FreeLanes::disconnect_empty(int slot) {
  for (int lane = 0; lane < lanes; ++lane) {
    if (contact_[static_cast<size_t>(slot) * lanes + lane] >= 0) continue;
    double* values = matrix_.data() + static_cast<size_t>(slot) * lane::free_slot_size + lane;
    for (int i = 0; i < lane::FreeEntry::free_w_t; ++i) values[lanes * i] = 0;
  }
}

STICTION_INLINE bool FreeLanes::whiten(const LaneBatch& batch, size_t index) {
  Quad inverse[2][6];
  for (int side = 0; side < 2; ++side) {
    for (int lane = 0; lane < lanes; ++lane) {
      const auto body = static_cast<size_t>(batch.place[side][lane] / lane::body_width);
      for (int i = 0; i < 6; ++i) inverse[side][i][lane] = body < bodies_.size() ? bodies_[body].inverse[i] : 0.0;
    }
  }
  const double* masses = inverse_mass_.data() + 2 * lanes * index;
  const Quad inverse_mass[2] = {*quad(masses), *quad(masses + lanes)};
  bool fit = true;
  for (int slot = batch.first; slot < batch.first + batch.points; ++slot) {
    double* values = matrix_.data() + static_cast<size_t>(slot) * lane::free_slot_size;
    double* aspect = aspect_.data() + static_cast<size_t>(slot) * lane::aspect_size;
    whiten_turn(inverse[0], values, lane::FreeEntry::turn_0);
    if (batch.two_sided) whiten_turn(inverse[1], values, lane::FreeEntry::turn_1);
    fit = scale_slot(inverse_mass, batch.two_sided, values, aspect) && fit;
    double* bias = bias_.data() + static_cast<size_t>(slot) * (lanes * lane::rows);
    for (int r = 0; r < lane::rows; ++r) *quad(bias + lanes * r) *= lane::at(aspect, lane::AspectEntry::factor + r);
    *quad(open_.data() + static_cast<size_t>(slot) * lanes) *= lane::at(aspect, lane::AspectEntry::factor);
    disconnect_empty(slot);
  }
  return fit;
}
STICTION_WIDE bool FreeLanes::whiten_wide(const LaneBatch& batch, size_t index) {
  return whiten(batch, index);
}

void FreeLanes::load_bodies(const StepProblem& step) {
  const size_t count = lane::body_width * (bodies_.size() + 1);
  for (auto* x : {&x_, &x_before_, &x_free_, &x_start_}) x->assign(count, 0.0);
  static_scale_.assign(bodies_.size() + 1, 0.0);
  scale_.resize(bodies_.size() + 1);
  for (size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    const auto put = [&](const VectorX& v, std::vector<double>& x) {
      double* own = x.data() + lane::body_width * b;
      std::copy_n(v.data() + body.offset, 3, own);
      turn_in_x(body.factor, v.data() + body.offset + 3, own + 3);
    };
    put(step.v_free, x_free_);
    put(step.v_start, x_start_);
  }
}

void FreeLanes::start_from(size_t index, const double* impulse) {
  const int slot = slot_[index] / lanes, lane = slot_[index] % lanes;
  const double* aspect = aspect_.data() + static_cast<size_t>(slot) * lane::aspect_size + lane;
  double* z = z_.data() + static_cast<size_t>(slot) * (lanes * lane::rows) + lane;
  for (int r = 0; r < lane::rows; ++r) {
    z[lanes * r] = impulse[r] * aspect[lanes * (lane::AspectEntry::inverse_factor + r)];
  }
}

void FreeLanes::write(const StepProblem& step, StepAnswer& answer) const {
  for (size_t place = 0; place < row_.size(); ++place) {
    if (row_[place] < 0) continue;
    const size_t slot = place / lanes, lane = place % lanes;
    const double* aspect = aspect_.data() + slot * lane::aspect_size + lane;
    const double* z = z_.data() + slot * (lanes * lane::rows) + lane;
    for (int r = 0; r < lane::rows; ++r) {
      answer.impulse[row_[place] + r] = z[lanes * r] * aspect[lanes * (lane::AspectEntry::factor + r)];
    }
  }
  for (size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    const double *x = x_.data() + lane::body_width * b, *free = x_free_.data() + lane::body_width * b;
    double turn[3], change[3];
    for (int k = 0; k < 3; ++k) {
      answer.v_end[body.offset + k] = x[k];
      change[k] = x[3 + k] - free[3 + k];
    }
    turn_of_x(body.inverse, change, turn);
    for (int k = 0; k < 3; ++k) answer.v_end[body.offset + 3 + k] = step.v_free[body.offset + 3 + k] + turn[k];
  }
}

}  // namespace stiction::solvers
