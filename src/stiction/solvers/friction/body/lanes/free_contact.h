// Kernels of free_lanes.h: what a slot holds of four contacts, and products with it.
//
// To be compiled twice: see math/linear/quad.h.
#pragma once

#include "stiction/solvers/friction/body/lanes/lane_contact.h"

namespace stiction::solvers::lane {

inline constexpr int axes = 3, frame_size = rows * axes;
inline constexpr int body_width = 8;  ///< numbers of a body in x, the last two of them unused

/// What a slot holds of each contact, four numbers each: the frame, the turning parts of either side by rows, and W.
enum FreeEntry {
  frame = 0,
  turn_0 = frame_size,
  turn_1 = 2 * frame_size,
  free_w_t = 3 * frame_size,
  free_w_o,
  free_A_tt,
  free_A_to,
  free_A_oo,
  free_entry_count
};
inline constexpr int free_slot_size = lanes * free_entry_count;

/// What units take: d T of the three rows, 1 / (d T), and of the friction residual the step and the weight.
enum AspectEntry { factor = 0, inverse_factor = rows, friction_step = 2 * rows, friction_weight, aspect_count };
inline constexpr int aspect_size = lanes * aspect_count;

STICTION_INLINE Quad at(const double* slot, int entry) {
  return *quad(slot + lanes * entry);
}

STICTION_INLINE Quad larger(Quad a, Quad b) {
  return a > b ? a : b;
}

/// u[r] += the row's three numbers from `entry` on, times x[0..2].
STICTION_INLINE void add_three(const double* slot, int entry, const Quad* x, Quad* u) {
#pragma GCC unroll 3
  for (int r = 0; r < rows; ++r) {
    u[r] += (at(slot, entry + axes * r) * x[0] + at(slot, entry + axes * r + 1) * x[1]) +
            at(slot, entry + axes * r + 2) * x[2];
  }
}

/// x[k] += the column's numbers from `entry` on, times dz.
STICTION_INLINE void add_turned(const double* slot, int entry, const Quad* dz, Quad* x) {
#pragma GCC unroll 3
  for (int k = 0; k < axes; ++k) {
    x[k] += (at(slot, entry + k) * dz[0] + at(slot, entry + axes + k) * dz[1]) + at(slot, entry + 2 * axes + k) * dz[2];
  }
}

/// u += H x of the bodies (six numbers each; b only of two).
template <bool two_sided>
STICTION_INLINE void add_free_rates(const double* slot, const Quad* a, const Quad* b, Quad* u) {
  if (two_sided) {
    const Quad apart[axes] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    add_three(slot, FreeEntry::frame, apart, u);
    add_three(slot, FreeEntry::turn_1, b + axes, u);
  } else {
    add_three(slot, FreeEntry::frame, a, u);
  }
  add_three(slot, FreeEntry::turn_0, a + axes, u);
}

/// x += M^-1 H^T dz; `inverse_mass` is that of side 0, then of side 1.
template <bool two_sided>
STICTION_INLINE void add_free_impulses(const double* slot, const Quad* inverse_mass, const Quad* dz, Quad* a, Quad* b) {
  Quad force[axes] = {};
  add_turned(slot, FreeEntry::frame, dz, force);
#pragma GCC unroll 3
  for (int k = 0; k < axes; ++k) {
    if (two_sided) {
      a[k] -= inverse_mass[0] * force[k];
      b[k] += inverse_mass[1] * force[k];
    } else {
      a[k] += inverse_mass[0] * force[k];
    }
  }
  add_turned(slot, FreeEntry::turn_0, dz, a + axes);
  if (two_sided) add_turned(slot, FreeEntry::turn_1, dz, b + axes);
}

/// u -= W z.
STICTION_INLINE void subtract_own(const double* slot, const Quad* z, Quad* u) {
  const Quad w_t = at(slot, FreeEntry::free_w_t), w_o = at(slot, FreeEntry::free_w_o);
  const Quad A_tt = at(slot, FreeEntry::free_A_tt), A_to = at(slot, FreeEntry::free_A_to),
             A_oo = at(slot, FreeEntry::free_A_oo);
  const Quad normal = z[0] + (w_t * z[1] + w_o * z[2]);
  u[0] -= normal;
  u[1] -= w_t * normal + (A_tt * z[1] + A_to * z[2]);
  u[2] -= w_o * normal + (A_to * z[1] + A_oo * z[2]);
}

STICTION_INLINE LaneContact free_law(const double* slot) {
  return {at(slot, FreeEntry::free_w_t),  at(slot, FreeEntry::free_w_o),  at(slot, FreeEntry::free_A_tt),
          at(slot, FreeEntry::free_A_to), at(slot, FreeEntry::free_A_oo), all(1)};
}

}  // namespace stiction::solvers::lane
