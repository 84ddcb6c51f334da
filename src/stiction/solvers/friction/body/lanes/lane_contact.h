// Kernels of cone_lanes.h: four bodies and four contacts side by side.
//
// To be compiled twice: see math/linear/quad.h.
#pragma once

#include <array>

#include "stiction/base/infinity.h"
#include "stiction/math/linear/quad.h"
#include "stiction/solvers/friction/body/rows/plain_block.h"

namespace stiction::solvers::lane {

inline constexpr int lanes = 4, rows = plain::rows, width = plain::width;
inline constexpr int side_size = rows * width;

/// What a slot holds of each contact, four numbers each: H of both sides, then these.
enum Entry { W_nn = 2 * side_size, W_nt, W_no, W_tt, W_to, W_oo, inverse_nn, w_t, w_o, A_tt, A_to, A_oo, entry_count };
inline constexpr int slot_size = lanes * entry_count;

inline constexpr int most_steps = 12;        ///< of Newton's method
inline constexpr double within = 1 - 1e-15;  ///< a slip is on the cone or inside it, however its length is rounded

STICTION_INLINE Quad root(Quad a) {
  Quad out;
#pragma GCC unroll 4
  for (int i = 0; i < lanes; ++i) out[i] = __builtin_sqrt(a[i]);
  return out;
}

using Mask = long long __attribute__((vector_size(32), aligned(8)));  ///< what comparing two Quads gives

STICTION_INLINE bool any(Mask mask) {
  return ((mask[0] | mask[1]) | (mask[2] | mask[3])) != 0;
}

STICTION_INLINE Quad all(double value) {
  return Quad{value, value, value, value};
}

/// Six numbers of each of four bodies, the first of all, the second of all, ...
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

/// The law of a contact in all lanes.
struct LaneContact {
  Quad w_t, w_o, A_tt, A_to, A_oo, inverse_nn;

  STICTION_INLINE static LaneContact of_slot(const double* slot) {
    const auto at = [slot](Entry entry) __attribute__((always_inline)) {
      return *quad(slot + lanes * entry);
    };
    return {at(Entry::w_t), at(Entry::w_o), at(Entry::A_tt), at(Entry::A_to), at(Entry::A_oo), at(Entry::inverse_nn)};
  }

  /// z for u = W z + b; `last` is l of the last slip, `accuracy` that of |z_t| = z_n along one, relative.
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

}  // namespace stiction::solvers::lane
