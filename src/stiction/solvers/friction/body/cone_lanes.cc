#include "stiction/solvers/friction/body/cone_lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/math/linear/quad.h"
#include "stiction/solvers/friction/body/plain_block.h"

namespace stiction::solvers {
namespace {

constexpr int lanes = ConeLanes::lanes, rows = plain::rows, width = plain::width;
constexpr int side_size = rows * width;

// What a slot holds of each contact, four numbers each: H of both sides, then these.
enum Entry { W_nn = 2 * side_size, W_nt, W_no, W_tt, W_to, W_oo, inverse_nn, w_t, w_o, A_tt, A_to, A_oo, entry_count };
constexpr int slot_size = lanes * entry_count;

constexpr int most_steps = 12;              // of Newton's method
constexpr double within = 1 - 1e-15;        // a slip is on the cone or inside it, however its length is rounded
constexpr double least_share_used = 0.45;   // of the lanes
constexpr double least_determinant = 1e-9;  // of A, over its squared trace: others take more care
constexpr int most_colours = 64, most_points = 255;

bool is_fit(const BodySystem& s, const SystemBlock& block) {
  if (!block.plain || block.kind != SystemBlock::Kind::cone) return false;
  const double* W = s.W.data() + block.W;
  if (!(W[0] > 0)) return false;
  const double tt = W[4] - W[1] * W[1] / W[0], to = W[5] - W[1] * W[2] / W[0], oo = W[8] - W[2] * W[2] / W[0];
  const double trace = tt + oo;
  return trace > 0 && tt * oo - to * to > least_determinant * trace * trace;
}

STICTION_INLINE Quad root(Quad a) {
  Quad out;
#pragma GCC unroll 4
  for (int i = 0; i < lanes; ++i) out[i] = __builtin_sqrt(a[i]);
  return out;
}

using Mask = long long __attribute__((vector_size(32), aligned(8)));

STICTION_INLINE bool any(Mask mask) {
  return ((mask[0] | mask[1]) | (mask[2] | mask[3])) != 0;
}

STICTION_INLINE Quad all(double value) {
  return Quad{value, value, value, value};
}

// Six numbers of each of four bodies, the first of all, the second of all, ...
STICTION_INLINE void gather(const double* x, const std::array<int, lanes>& place, Quad* out) {
  const Quad a = *quad(x + place[0]), b = *quad(x + place[1]), c = *quad(x + place[2]), d = *quad(x + place[3]);
  const Quad ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Quad cd = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
  const Half e = *half(x + place[0] + 4), f = *half(x + place[1] + 4), g = *half(x + place[2] + 4),
             h = *half(x + place[3] + 4);
  const Quad ef = __builtin_shufflevector(e, f, 0, 2, 1, 3), gh = __builtin_shufflevector(g, h, 0, 2, 1, 3);
  out[4] = __builtin_shufflevector(ef, gh, 0, 1, 4, 5);
  out[5] = __builtin_shufflevector(ef, gh, 2, 3, 6, 7);
}

STICTION_INLINE void scatter(const Quad* in, const std::array<int, lanes>& place, double* x) {
  const Quad ab = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6);
  const Quad ab_odd = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7);
  const Quad cd = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6);
  const Quad cd_odd = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
  const Quad ef = __builtin_shufflevector(in[4], in[5], 0, 4, 2, 6);
  const Quad ef_odd = __builtin_shufflevector(in[4], in[5], 1, 5, 3, 7);
  *quad(x + place[0]) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  *quad(x + place[1]) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  *quad(x + place[2]) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  *quad(x + place[3]) = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
  *half(x + place[0] + 4) = __builtin_shufflevector(ef, ef, 0, 1);
  *half(x + place[1] + 4) = __builtin_shufflevector(ef_odd, ef_odd, 0, 1);
  *half(x + place[2] + 4) = __builtin_shufflevector(ef, ef, 2, 3);
  *half(x + place[3] + 4) = __builtin_shufflevector(ef_odd, ef_odd, 2, 3);
}

STICTION_INLINE void add_rates(const double* H, const Quad* x, Quad* u) {
#pragma GCC unroll 3
  for (int r = 0; r < rows; ++r) {
    Quad even = *quad(H + lanes * width * r) * x[0], odd = *quad(H + lanes * (width * r + 1)) * x[1];
    even += *quad(H + lanes * (width * r + 2)) * x[2], odd += *quad(H + lanes * (width * r + 3)) * x[3];
    even += *quad(H + lanes * (width * r + 4)) * x[4], odd += *quad(H + lanes * (width * r + 5)) * x[5];
    u[r] += even + odd;
  }
}

STICTION_INLINE void add_impulses(const double* H, const Quad* dz, Quad* x) {
#pragma GCC unroll 6
  for (int k = 0; k < width; ++k) {
    x[k] += (*quad(H + lanes * k) * dz[0] + *quad(H + lanes * (width + k)) * dz[1]) +
            *quad(H + lanes * (2 * width + k)) * dz[2];
  }
}

}  // namespace

// The law of a contact in all lanes.
struct ConeLanes::Slide {
  Quad w_t, w_o, A_tt, A_to, A_oo, inverse_nn;

  STICTION_INLINE explicit Slide(const double* slot)
      : w_t(*quad(slot + lanes * Entry::w_t)),
        w_o(*quad(slot + lanes * Entry::w_o)),
        A_tt(*quad(slot + lanes * Entry::A_tt)),
        A_to(*quad(slot + lanes * Entry::A_to)),
        A_oo(*quad(slot + lanes * Entry::A_oo)),
        inverse_nn(*quad(slot + lanes * Entry::inverse_nn)) {}

  // z for u = W z + b; `last` is l of the last slip.
  STICTION_INLINE void solve(const Quad* b, double accuracy, double* last, Quad* z) const {
    const Quad none = {};
    const Mask pressed = b[0] < none;
    const Quad push = -b[0] * inverse_nn, c_t = b[1] - w_t * b[0], c_o = b[2] - w_o * b[0];
    const Quad s_t = A_oo * c_t - A_to * c_o, s_o = A_tt * c_o - A_to * c_t;
    const Quad det = A_tt * A_oo - A_to * A_to, trace = A_tt + A_oo;
    const Quad m_0 = push * det + (w_t * s_t + w_o * s_o);
    const Mask sticks = (m_0 > none) & (s_t * s_t + s_o * s_o <= m_0 * m_0);
    const Mask slips = pressed & ~sticks;
    Quad l = none, p_t = s_t, p_o = s_o, size = all(1);
    if (any(slips)) {
      const Quad m_1 = push * trace + (w_t * c_t + w_o * c_o);
      const Quad known = *quad(last);
      l = slips ? (known > none ? known : root(c_t * c_t + c_o * c_o) / push) : none;
      Quad low = none, high = all(infinity);
      for (int step = 0; step <= most_steps; ++step) {
        p_t = s_t + l * c_t, p_o = s_o + l * c_o;
        const Quad squared = p_t * p_t + p_o * p_o, m = m_0 + l * (m_1 + l * push);
        size = root(squared);
        const Quad excess = m - size;
        const Mask short_of = excess < none;
        const Mask active = slips & ((short_of ? -excess : excess) > accuracy * size);
        if (step == most_steps || !any(active)) break;
        low = short_of ? l : low;
        high = short_of ? high : l;
        Quad next = l - excess * squared / ((m_1 + 2 * l * push) * squared - m * (p_t * c_t + p_o * c_o));
        const Mask inside = (next > low) & (next < high);
        next = inside ? next : (high < all(infinity) ? 0.5 * (low + high) : 4 * l + 1e-300);
        l = active ? next : l;
      }
      *quad(last) = slips ? l : known;
    }
    const Quad inverse = 1 / (det + l * (trace + l));
    Quad normal = push + (w_t * p_t + w_o * p_o) * inverse;
    normal = normal > none ? normal : none;
    const Quad factor = slips ? (size > none ? -within * normal / size : none) : -inverse;
    z[0] = pressed ? normal : none;
    z[1] = pressed ? factor * p_t : none;
    z[2] = pressed ? factor * p_o : none;
  }
};

// Runs of blocks that fit, each on the same pair of bodies.
void ConeLanes::find_pairs(const BodySystem& s) {
  taken_.assign(s.blocks.size(), free_block);
  for (const SystemBlock& block : s.blocks) {
    if (block.link >= 0) taken_[block.link] = linked;
  }
  pairs_.clear();
  colours_.assign(s.push.size(), 0);
  const auto fits = [&](size_t i) { return taken_[i] == free_block && is_fit(s, s.blocks[i]); };
  for (size_t b = 0; b < s.blocks.size();) {
    if (!fits(b)) {
      ++b;
      continue;
    }
    const size_t first = b++;
    const auto goes_on = [&] { return s.blocks[b].body == s.blocks[first].body && b - first < most_points && fits(b); };
    while (b < s.blocks.size() && goes_on()) ++b;
    add_pair(s.blocks[first], first, b);
  }
  std::sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.order < b.order; });
}

// With a colour that neither body has already; none where all are taken.
void ConeLanes::add_pair(const SystemBlock& block, size_t first, size_t end) {
  std::uint64_t used = 0;
  for (int side = 0; side < 2; ++side) used |= block.size[side] > 0 ? colours_[block.body[side]] : 0;
  const int colour = std::countr_one(used), points = static_cast<int>(end - first);
  if (colour >= most_colours) return;
  for (int side = 0; side < 2; ++side) {
    if (block.size[side] > 0) colours_[block.body[side]] |= std::uint64_t{1} << colour;
  }
  const int both = block.size[0] > 0 && block.size[1] > 0 ? 1 : 0;
  const auto kind = static_cast<std::uint64_t>((colour << 9) | (both << 8) | (most_points - points));
  pairs_.push_back({kind << 32 | first, static_cast<int>(first), points});
  std::fill(taken_.begin() + static_cast<long>(first), taken_.begin() + static_cast<long>(end), in_lane);
}

// Up to four pairs of a colour at a time, those with the most points first.
void ConeLanes::group_pairs() {
  batches_.clear();
  batches_.reserve(pairs_.size());
  int slots = 0, contacts = 0;
  for (int i = 0, end = 0; i < static_cast<int>(pairs_.size()); i = end) {
    const std::uint64_t kind = pairs_[i].order >> 40;  // colour and sides
    for (end = i; end < static_cast<int>(pairs_.size()) && end - i < lanes && pairs_[end].order >> 40 == kind; ++end) {
      contacts += pairs_[end].points;
    }
    batches_.push_back({.place = {},
                        .first_pair = i,
                        .pairs = end - i,
                        .first = slots,
                        .points = pairs_[i].points,
                        .two_sided = (kind & 1) != 0});
    slots += pairs_[i].points;
  }
  if (contacts >= least_share_used * lanes * slots) return;
  batches_.clear();
  std::fill(taken_.begin(), taken_.end(), free_block);
}

void ConeLanes::leave_empty(int slot, int lane) {
  double* values = matrix_.data() + static_cast<size_t>(slot) * slot_size + lane;
  for (int i = 0; i < entry_count; ++i) values[lanes * i] = 0;
  for (const int i : {W_nn, W_tt, W_oo, inverse_nn, A_tt, A_oo}) values[lanes * i] = 1;
}

void ConeLanes::fill(const BodySystem& s, const SystemBlock& block, int slot, int lane) {
  double* values = matrix_.data() + static_cast<size_t>(slot) * slot_size + lane;
  const int only = block.size[0] > 0 ? 0 : 1;  // of one side: the first place is its
  const bool both = block.size[0] > 0 && block.size[1] > 0;
  const double *first = s.H.data() + block.H[only], *second = s.H.data() + block.H[1];
  for (int i = 0; i < side_size; ++i) values[lanes * i] = first[i];
  if (both) {
    for (int i = 0; i < side_size; ++i) values[lanes * (side_size + i)] = second[i];
  }
  const double* W = s.W.data() + block.W;
  const double inverse = 1 / W[0];
  const auto put = [&](Entry entry, double value) { values[lanes * entry] = value; };
  put(W_nn, W[0]), put(W_nt, W[1]), put(W_no, W[2]), put(W_tt, W[4]), put(W_to, W[5]), put(W_oo, W[8]);
  put(inverse_nn, inverse), put(w_t, W[1] * inverse), put(w_o, W[2] * inverse);
  put(A_tt, W[4] - W[1] * W[1] * inverse), put(A_to, W[5] - W[1] * W[2] * inverse);
  put(A_oo, W[8] - W[2] * W[2] * inverse);
}

// Room for so many contacts, whichever lanes they get.
void ConeLanes::reserve(size_t contacts) {
  const auto slots = static_cast<size_t>(static_cast<double>(contacts) / (least_share_used * lanes)) + 1;
  rows_.reserve(lanes * slots);
  matrix_.reserve(slot_size * slots);
  slip_.reserve(lanes * slots);
  for (std::vector<double>* list : {&bias_, &z_, &before_}) list->reserve(lanes * rows * slots);
  for (std::vector<double>* list : {&wanted_, &pushed_}) list->reserve(lanes * slots);
}

void ConeLanes::make_batches(const BodySystem& s) {
  const int slots = batches_.empty() ? 0 : batches_.back().first + batches_.back().points;
  spare_ = s.velocity_count;
  reserve(std::count(taken_.begin(), taken_.end(), in_lane));
  rows_.assign(static_cast<size_t>(lanes) * slots, -1);
  matrix_.resize(static_cast<size_t>(slot_size) * slots);
  slip_.assign(static_cast<size_t>(lanes) * slots, 0.0);
  for (std::vector<double>* list : {&bias_, &z_, &before_})
    list->assign(static_cast<size_t>(lanes) * rows * slots, 0.0);
  for (Batch& batch : batches_) {
    for (int lane = 0; lane < lanes; ++lane) fill_lane(s, lane, batch);
  }
}

void ConeLanes::fill_lane(const BodySystem& s, int lane, Batch& batch) {
  batch.place[0][lane] = batch.place[1][lane] = spare_;
  const Pair pair = lane < batch.pairs ? pairs_[batch.first_pair + lane] : Pair{};
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

void ConeLanes::set_bias(const BodySystem& s) {
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] < 0) continue;
    double* out = bias_.data() + i / lanes * (lanes * rows) + i % lanes;
    for (int r = 0; r < rows; ++r) out[lanes * r] = s.q[rows_[i] + r];
  }
}

void ConeLanes::load(const double* z) {
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] < 0) continue;
    double* out = z_.data() + i / lanes * (lanes * rows) + i % lanes;
    for (int r = 0; r < rows; ++r) out[lanes * r] = z[rows_[i] + r];
  }
  before_ = z_;
}

void ConeLanes::store(double* z) const {
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] < 0) continue;
    const double* in = z_.data() + i / lanes * (lanes * rows) + i % lanes;
    for (int r = 0; r < rows; ++r) z[rows_[i] + r] = in[lanes * r];
  }
}

template <bool two_sided>
STICTION_INLINE void ConeLanes::visit(const Batch& batch, double momentum, double accuracy, double* x, double* change) {
  Quad a[width], b[width];
  gather(x, batch.place[0], a);
  if (two_sided) gather(x, batch.place[1], b);
  Quad sum = *quad(change);
  for (int slot = batch.first; slot < batch.first + batch.points; ++slot) {
    const double* values = matrix_.data() + static_cast<size_t>(slot) * slot_size;
    const size_t at = static_cast<size_t>(slot) * (lanes * rows);
    double *z = z_.data() + at, *before = before_.data() + at;
    Quad u[rows], from[rows], to[rows];
#pragma GCC unroll 3
    for (int r = 0; r < rows; ++r) {
      const Quad now = *quad(z + lanes * r);
      from[r] = now + momentum * (now - *quad(before + lanes * r));
      *quad(before + lanes * r) = now;
      u[r] = *quad(bias_.data() + at + lanes * r);
    }
    add_rates(values, a, u);
    if (two_sided) add_rates(values + lanes * side_size, b, u);
    const auto W = [values](Entry entry) __attribute__((always_inline)) {
      return *quad(values + lanes * entry);
    };
    u[0] -= W(W_nn) * from[0] + W(W_nt) * from[1] + W(W_no) * from[2];
    u[1] -= W(W_nt) * from[0] + W(W_tt) * from[1] + W(W_to) * from[2];
    u[2] -= W(W_no) * from[0] + W(W_to) * from[1] + W(W_oo) * from[2];
    Slide(values).solve(u, accuracy, slip_.data() + static_cast<size_t>(slot) * lanes, to);
#pragma GCC unroll 3
    for (int r = 0; r < rows; ++r) {
      *quad(z + lanes * r) = to[r];
      to[r] -= from[r];
      sum += to[r] * to[r];
    }
    add_impulses(values, to, a);
    if (two_sided) add_impulses(values + lanes * side_size, to, b);
  }
  *quad(change) = sum;
  scatter(a, batch.place[0], x);
  if (two_sided) scatter(b, batch.place[1], x);
}

STICTION_INLINE void ConeLanes::visit_all(double momentum, double accuracy, double* x, double* change) {
  for (const Batch& batch : batches_) {
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
STICTION_INLINE void ConeLanes::push(const Batch& batch, double* x) {
  Quad a[width], b[width];
  gather(x, batch.place[0], a);
  if (two_sided) gather(x, batch.place[1], b);
  for (int slot = batch.first; slot < batch.first + batch.points; ++slot) {
    const double* values = matrix_.data() + static_cast<size_t>(slot) * slot_size;
    const double* other = values + lanes * side_size;
    Quad u = -*quad(wanted_.data() + lanes * slot);
#pragma GCC unroll 6
    for (int k = 0; k < width; ++k) u += *quad(values + lanes * k) * a[k];
    if (two_sided) {
#pragma GCC unroll 6
      for (int k = 0; k < width; ++k) u += *quad(other + lanes * k) * b[k];
    }
    double* pushed = pushed_.data() + lanes * slot;
    const Quad before = *quad(pushed), none = {};
    Quad now = before - u * *quad(values + lanes * inverse_nn);
    now = now > none ? now : none;
    *quad(pushed) = now;
    const Quad change = now - before;
#pragma GCC unroll 6
    for (int k = 0; k < width; ++k) a[k] += *quad(values + lanes * k) * change;
    if (two_sided) {
#pragma GCC unroll 6
      for (int k = 0; k < width; ++k) b[k] += *quad(other + lanes * k) * change;
    }
  }
  scatter(a, batch.place[0], x);
  if (two_sided) scatter(b, batch.place[1], x);
}

STICTION_INLINE void ConeLanes::push_all(double* x) {
  for (const Batch& batch : batches_) batch.two_sided ? push<true>(batch, x) : push<false>(batch, x);
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
  std::fill_n(x, spare_ + width, 0.0);
  for (int k = 0; k < count; ++k) use_wide_registers ? push_all_wide(x) : push_all(x);
}

double ConeLanes::sweep(double momentum, double accuracy, double* x) {
  std::fill_n(x + spare_, width, 0.0);
  double change[lanes] = {};
  use_wide_registers ? visit_all_wide(momentum, accuracy, x, change) : visit_all(momentum, accuracy, x, change);
  return (change[0] + change[1]) + (change[2] + change[3]);
}

}  // namespace stiction::solvers
