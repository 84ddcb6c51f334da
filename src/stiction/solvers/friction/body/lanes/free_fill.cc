// How free_lanes.h fills its batches: the numbers of each slot.
#include <algorithm>
#include <atomic>
#include <cstddef>

#include "stiction/solvers/friction/body/lanes/free_contact.h"
#include "stiction/solvers/friction/body/lanes/free_lanes.h"

namespace stiction::solvers {
namespace {

constexpr double least_determinant = 1e-9;  // of A, over its squared trace: others take more care

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

// No contact, and no impulse to start from.
void FreeLanes::clear_chunk(int chunk) {
  const int first_batch = first_batch_[chunk], end_batch = first_batch_[chunk + 1];
  const auto clear = [](auto& list, size_t numbers, int begin, int end, auto value) {
    std::fill(list.data() + numbers * static_cast<size_t>(begin), list.data() + numbers * static_cast<size_t>(end),
              value);
  };
  const int first = batches_[first_batch].first, end = batches_[end_batch - 1].first + batches_[end_batch - 1].points;
  for (auto* list : {&contact_, &row_}) clear(*list, lanes, first, end, -1);
  clear(z_, lanes * lane::rows, first, end, 0.0);
  clear(slip_, lanes, first, end, 0.0);
  clear(inverse_mass_, 2 * lanes, first_batch, end_batch, 0.0);
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

void FreeLanes::fill_lane(const StepProblem& step, std::span<const int> contacts, int lane, int nobody, size_t index) {
  LaneBatch& batch = batches_[index];
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

STICTION_INLINE bool FreeLanes::whiten(size_t index) {
  const LaneBatch& batch = batches_[index];
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
STICTION_WIDE bool FreeLanes::whiten_wide(size_t index) {
  return whiten(index);
}

// Empty lanes of chunks that are swept at the same time do not write into the same nobody.
bool FreeLanes::fill_batches(const StepProblem& step, std::span<const int> contacts) {
  std::atomic<bool> fit = true;
  for_chunks(shared_by_, chunks(), [&](int chunk) {
    clear_chunk(chunk);
    const auto colour = std::upper_bound(first_chunk_.begin(), first_chunk_.end(), chunk) - 1;
    const int nobody = (static_cast<int>(bodies_.size()) + chunk - *colour) * lane::body_width;
    for (int i = first_batch_[chunk]; i < first_batch_[chunk + 1]; ++i) {
      for (int lane = 0; lane < lanes; ++lane) fill_lane(step, contacts, lane, nobody, i);
      if (!(use_wide_registers ? whiten_wide(i) : whiten(i))) fit.store(false, std::memory_order_relaxed);
    }
  });
  return fit;
}

}  // namespace stiction::solvers
