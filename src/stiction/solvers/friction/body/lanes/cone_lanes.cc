#include "stiction/solvers/friction/body/lanes/cone_lanes.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/friction/body/lanes/lane_contact.h"

namespace stiction::solvers {
namespace {

constexpr double least_share_used = 0.45;   // of the lanes
constexpr double least_determinant = 1e-9;  // of A, over its squared trace: others take more care

// A of a contact: W on its friction rows where the normal gives way.
struct Schur {
  double tt, to, oo;
  explicit Schur(const double* W)
      : tt(W[4] - W[1] * W[1] * (1 / W[0])), to(W[5] - W[1] * W[2] * (1 / W[0])), oo(W[8] - W[2] * W[2] * (1 / W[0])) {}
};

bool is_fit(const BodySystem& s, const SystemBlock& block) {
  if (!block.plain || block.kind != SystemBlock::Kind::cone) return false;
  const double* W = s.W.data() + block.W;
  if (!(W[0] > 0)) return false;
  const Schur A(W);
  const double trace = A.tt + A.oo;
  return trace > 0 && A.tt * A.oo - A.to * A.to > least_determinant * trace * trace;
}

}  // namespace

// Runs of blocks that fit, each on the same pair of bodies.
void ConeLanes::find_pairs(const BodySystem& s) {
  taken_.assign(s.blocks.size(), free_block);
  for (const SystemBlock& block : s.blocks) {
    if (block.link >= 0) taken_[block.link] = linked;
  }
  pairs_.clear(s.push.size());
  const auto fits = [&](size_t i) { return taken_[i] == free_block && is_fit(s, s.blocks[i]); };
  for (size_t b = 0; b < s.blocks.size();) {
    if (!fits(b)) {
      ++b;
      continue;
    }
    const size_t first = b++;
    const auto goes_on = [&] {
      return s.blocks[b].body == s.blocks[first].body && b - first < LanePairs::most_points && fits(b);
    };
    while (b < s.blocks.size() && goes_on()) ++b;
    add_pair(s.blocks[first], first, b);
  }
}

// With a colour that neither body has already; none where all are taken.
bool ConeLanes::add_pair(const SystemBlock& block, size_t first, size_t end) {
  const std::array<int, 2> bodies = {block.size[0] > 0 ? block.body[0] : -1, block.size[1] > 0 ? block.body[1] : -1};
  if (!pairs_.add(bodies, static_cast<int>(first), static_cast<int>(end - first))) return false;
  std::fill(taken_.begin() + static_cast<long>(first), taken_.begin() + static_cast<long>(end), in_lane);
  return true;
}

// Up to four pairs of a colour at a time, or none where lanes would be empty mostly.
void ConeLanes::group_pairs() {
  const int contacts = pairs_.group(batches_);
  const int slots = batches_.empty() ? 0 : batches_.back().first + batches_.back().points;
  if (contacts >= least_share_used * lanes * slots) return;
  batches_.clear();
  std::fill(taken_.begin(), taken_.end(), free_block);
}

void ConeLanes::leave_empty(int slot, int lane) {
  double* values = matrix_.data() + static_cast<size_t>(slot) * lane::slot_size + lane;
  for (int i = 0; i < lane::entry_count; ++i) values[lanes * i] = 0;
  for (const int i : {lane::W_nn, lane::W_tt, lane::W_oo, lane::inverse_nn, lane::A_tt, lane::A_oo})
    values[lanes * i] = 1;
}

void ConeLanes::fill(const BodySystem& s, const SystemBlock& block, int slot, int lane) {
  double* values = matrix_.data() + static_cast<size_t>(slot) * lane::slot_size + lane;
  const int only = block.size[0] > 0 ? 0 : 1;  // of one side: the first place is its
  const bool both = block.size[0] > 0 && block.size[1] > 0;
  const double *first = s.H.data() + block.H[only], *second = s.H.data() + block.H[1];
  for (int i = 0; i < lane::side_size; ++i) values[lanes * i] = first[i];
  if (both) {
    for (int i = 0; i < lane::side_size; ++i) values[lanes * (lane::side_size + i)] = second[i];
  }
  const double* W = s.W.data() + block.W;
  const double inverse = 1 / W[0];
  const auto put = [&](lane::Entry entry, double value) { values[lanes * entry] = value; };
  put(lane::W_nn, W[0]), put(lane::W_nt, W[1]), put(lane::W_no, W[2]), put(lane::W_tt, W[4]), put(lane::W_to, W[5]),
      put(lane::W_oo, W[8]);
  put(lane::inverse_nn, inverse), put(lane::w_t, W[1] * inverse), put(lane::w_o, W[2] * inverse);
  const Schur A(W);
  put(lane::A_tt, A.tt), put(lane::A_to, A.to), put(lane::A_oo, A.oo);
}

// Room for so many contacts, whichever lanes they get.
void ConeLanes::reserve(size_t contacts) {
  const auto slots = static_cast<size_t>(static_cast<double>(contacts) / (least_share_used * lanes)) + 1;
  rows_.reserve(lanes * slots);
  matrix_.reserve(lane::slot_size * slots);
  slip_.reserve(lanes * slots);
  for (std::vector<double>* list : {&bias_, &z_, &before_}) list->reserve(lanes * lane::rows * slots);
  for (std::vector<double>* list : {&wanted_, &pushed_}) list->reserve(lanes * slots);
}

void ConeLanes::make_batches(const BodySystem& s) {
  const int slots = batches_.empty() ? 0 : batches_.back().first + batches_.back().points;
  spare_ = s.velocity_count;
  reserve(std::count(taken_.begin(), taken_.end(), in_lane));
  rows_.assign(static_cast<size_t>(lanes) * slots, -1);
  matrix_.resize(static_cast<size_t>(lane::slot_size) * slots);
  slip_.assign(static_cast<size_t>(lanes) * slots, 0.0);
  for (std::vector<double>* list : {&bias_, &z_, &before_})
    list->assign(static_cast<size_t>(lanes) * lane::rows * slots, 0.0);
  for (LaneBatch& batch : batches_) {
    for (int lane = 0; lane < lanes; ++lane) fill_lane(s, lane, batch);
  }
}

void ConeLanes::fill_lane(const BodySystem& s, int lane, LaneBatch& batch) {
  batch.place[0][lane] = batch.place[1][lane] = spare_;
  const LanePairs::Pair pair = lane < batch.pairs ? pairs_[batch.first_pair + lane] : LanePairs::Pair{};
  for (int k = pair.points; k < batch.points; ++k) leave_empty(batch.first + k, lane);
  if (pair.points == 0) return;
  const SystemBlock& head = s.blocks[pair.first];
  batch.place[0][lane] = head.place[head.size[0] > 0 ? 0 : 1];
  if (batch.two_sided) batch.place[1][lane] = head.place[1];
  for (int k = 0; k < pair.points; ++k) {
    rows_[lanes * (batch.first + k) + lane] = s.blocks[pair.first + k].first;
    fill(s, s.blocks[pair.first + k], batch.first + k, lane);
  }
}

void ConeLanes::prepare(const BodySystem& s) {
  find_pairs(s);
  group_pairs();
  make_batches(s);
  set_bias(s);
}

// Calls visit(row of the system, where it stands in lists of three rows per contact) for all rows.
template <class Visit>
void ConeLanes::for_each_row(Visit&& visit) const {
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] < 0) continue;
    const size_t first = i / lanes * (lanes * lane::rows) + i % lanes;
    for (int r = 0; r < lane::rows; ++r) visit(rows_[i] + r, first + lanes * r);
  }
}

void ConeLanes::set_bias(const BodySystem& s) {
  for_each_row([&](int row, size_t place) { bias_[place] = s.q[row]; });
}

void ConeLanes::load(const double* z) {
  for_each_row([&](int row, size_t place) { z_[place] = z[row]; });
  before_ = z_;
}

void ConeLanes::store(double* z) const {
  for_each_row([&](int row, size_t place) { z[row] = z_[place]; });
}

template <bool two_sided>
STICTION_INLINE void ConeLanes::visit(const LaneBatch& batch, double momentum, double accuracy, double* x,
                                      double* change) {
  Quad a[lane::width], b[lane::width];
  lane::gather(x, batch.place[0], a);
  if (two_sided) lane::gather(x, batch.place[1], b);
  Quad sum = *quad(change);
  for (int slot = batch.first; slot < batch.first + batch.points; ++slot) {
    const double* values = matrix_.data() + static_cast<size_t>(slot) * lane::slot_size;
    const size_t at = static_cast<size_t>(slot) * (lanes * lane::rows);
    double *z = z_.data() + at, *before = before_.data() + at;
    Quad u[lane::rows], from[lane::rows], to[lane::rows];
#pragma GCC unroll 3
    for (int r = 0; r < lane::rows; ++r) {
      const Quad now = *quad(z + lanes * r);
      from[r] = now + momentum * (now - *quad(before + lanes * r));
      *quad(before + lanes * r) = now;
      u[r] = *quad(bias_.data() + at + lanes * r);
    }
    lane::add_rates(values, a, u);
    if (two_sided) lane::add_rates(values + lanes * lane::side_size, b, u);
    const auto W = [values](lane::Entry entry) __attribute__((always_inline)) {
      return *quad(values + lanes * entry);
    };
    u[0] -= W(lane::W_nn) * from[0] + W(lane::W_nt) * from[1] + W(lane::W_no) * from[2];
    u[1] -= W(lane::W_nt) * from[0] + W(lane::W_tt) * from[1] + W(lane::W_to) * from[2];
    u[2] -= W(lane::W_no) * from[0] + W(lane::W_to) * from[1] + W(lane::W_oo) * from[2];
    lane::LaneContact::of_slot(values).solve(u, accuracy, slip_.data() + static_cast<size_t>(slot) * lanes, to);
#pragma GCC unroll 3
    for (int r = 0; r < lane::rows; ++r) {
      *quad(z + lanes * r) = to[r];
      to[r] -= from[r];
      sum += to[r] * to[r];
    }
    lane::add_impulses(values, to, a);
    if (two_sided) lane::add_impulses(values + lanes * lane::side_size, to, b);
  }
  *quad(change) = sum;
  lane::scatter(a, batch.place[0], x);
  if (two_sided) lane::scatter(b, batch.place[1], x);
}

STICTION_INLINE void ConeLanes::visit_all(double momentum, double accuracy, double* x, double* change) {
  for (const LaneBatch& batch : batches_) {
    if (batch.two_sided) {
      visit<true>(batch, momentum, accuracy, x, change);
    } else {
      visit<false>(batch, momentum, accuracy, x, change);
    }
  }
}

STICTION_WIDE void ConeLanes::visit_all_wide(double momentum, double accuracy, double* x, double* change) {
  visit_all(momentum, accuracy, x, change);
}

template <bool two_sided>
STICTION_INLINE void ConeLanes::push(const LaneBatch& batch, double* x) {
  Quad a[lane::width], b[lane::width];
  lane::gather(x, batch.place[0], a);
  if (two_sided) lane::gather(x, batch.place[1], b);
  for (int slot = batch.first; slot < batch.first + batch.points; ++slot) {
    const double* values = matrix_.data() + static_cast<size_t>(slot) * lane::slot_size;
    const double* other = values + lanes * lane::side_size;
    Quad u = -*quad(wanted_.data() + lanes * slot);
#pragma GCC unroll 6
    for (int k = 0; k < lane::width; ++k) u += *quad(values + lanes * k) * a[k];
    if (two_sided) {
#pragma GCC unroll 6
      for (int k = 0; k < lane::width; ++k) u += *quad(other + lanes * k) * b[k];
    }
    double* pushed = pushed_.data() + lanes * slot;
    const Quad before = *quad(pushed), none = {};
    Quad now = before - u * *quad(values + lanes * lane::inverse_nn);
    now = now > none ? now : none;
    *quad(pushed) = now;
    const Quad change = now - before;
#pragma GCC unroll 6
    for (int k = 0; k < lane::width; ++k) a[k] += *quad(values + lanes * k) * change;
    if (two_sided) {
#pragma GCC unroll 6
      for (int k = 0; k < lane::width; ++k) b[k] += *quad(other + lanes * k) * change;
    }
  }
  lane::scatter(a, batch.place[0], x);
  if (two_sided) lane::scatter(b, batch.place[1], x);
}

STICTION_INLINE void ConeLanes::push_all(double* x) {
  for (const LaneBatch& batch : batches_) batch.two_sided ? push<true>(batch, x) : push<false>(batch, x);
}
STICTION_WIDE void ConeLanes::push_all_wide(double* x) {
  push_all(x);
}

void ConeLanes::push_apart(const double* wanted, int count, double* x) {
  wanted_.assign(rows_.size(), 0.0);
  pushed_.assign(rows_.size(), 0.0);
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] >= 0) wanted_[i] = wanted[rows_[i]];
  }
  std::fill_n(x, spare_ + lane::width, 0.0);
  for (int k = 0; k < count; ++k) use_wide_registers ? push_all_wide(x) : push_all(x);
}

double ConeLanes::sweep(double momentum, double accuracy, double* x) {
  std::fill_n(x + spare_, lane::width, 0.0);
  double change[lanes] = {};
  use_wide_registers ? visit_all_wide(momentum, accuracy, x, change) : visit_all(momentum, accuracy, x, change);
  return (change[0] + change[1]) + (change[2] + change[3]);
}

}  // namespace stiction::solvers
