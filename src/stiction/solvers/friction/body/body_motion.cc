// Between impulses of blocks, velocities x of bodies and velocities u of rows: products with H, block by block.
#include <algorithm>

#include "stiction/solvers/friction/body/body_system.h"
#include "stiction/solvers/friction/body/rows/body_side.h"
#include "stiction/solvers/friction/body/rows/plain_block.h"
#include "stiction/solvers/friction/body/rows/tree_block.h"

namespace stiction::solvers {
namespace {

template <int N>
void add_side_rates(const SideRows& H, const double* own, double* u) {
  double sum[N] = {};
  for (int k = 0; k < H.width; ++k) {
    const double x = own[H.columns[k]];
    for (int r = 0; r < N; ++r) sum[r] += H.values[r * H.width + k] * x;
  }
  for (int r = 0; r < N; ++r) u[r] += sum[r];
}

template <int N>
void add_side_impulse(const SideRows& H, const double* dz, double* own) {
  for (int k = 0; k < H.width; ++k) {
    double x = own[H.columns[k]];
    for (int r = 0; r < N; ++r) x += H.values[r * H.width + k] * dz[r];
    own[H.columns[k]] = x;
  }
}

STICTION_INLINE void add_tree_rates(const BodySystem& s, const SystemBlock& block, const double* x, double* u) {
  with_rows(
      block.dim, [&]<int N>() __attribute__((always_inline)) {
        for (int side = 0; side < 2; ++side) {
          if (block.size[side] > 0) tree::add_rates<N>(side_rows(s, block, side), x + block.place[side], u);
        }
      });
}

STICTION_INLINE void add_tree_impulse(const BodySystem& s, const SystemBlock& block, const double* dz, double* x) {
  with_rows(
      block.dim, [&]<int N>() __attribute__((always_inline)) {
        for (int side = 0; side < 2; ++side) {
          if (block.size[side] > 0) tree::add_impulse<N>(side_rows(s, block, side), dz, x + block.place[side]);
        }
      });
}

void add_other_rates(const BodySystem& s, const SystemBlock& block, const double* x, double* u) {
  for (int side = 0; side < 2; ++side) {
    if (block.size[side] == 0) continue;
    with_rows(block.dim, [&]<int N>() { add_side_rates<N>(side_rows(s, block, side), x + block.place[side], u); });
  }
}

STICTION_INLINE void add_block_rates(const BodySystem& s, const SystemBlock& block, const double* x, double* u) {
  if (!block.plain) return block.on_trees ? add_tree_rates(s, block, x, u) : add_other_rates(s, block, x, u);
  plain::RowSums sums;
  for (int side = 0; side < 2; ++side) {
    if (block.size[side] > 0) sums.add(s.H.data() + block.H[side], x + block.place[side]);
  }
  sums.add_to(u);
}

STICTION_INLINE void add_rates(const BodySystem& s, const double* x, double* u) {
  for (const SystemBlock& block : s.blocks) add_block_rates(s, block, x, u + block.first);
}
STICTION_WIDE void add_rates_wide(const BodySystem& s, const double* x, double* u) {
  add_rates(s, x, u);
}

void add_other_impulse(const BodySystem& s, const SystemBlock& block, const double* dz, double* x) {
  for (int side = 0; side < 2; ++side) {
    if (block.size[side] == 0) continue;
    with_rows(block.dim, [&]<int N>() { add_side_impulse<N>(side_rows(s, block, side), dz, x + block.place[side]); });
  }
}

STICTION_INLINE void add_block_impulse(const BodySystem& s, const SystemBlock& block, const double* dz, double* x) {
  if (!block.plain) return block.on_trees ? add_tree_impulse(s, block, dz, x) : add_other_impulse(s, block, dz, x);
  for (int side = 0; side < 2; ++side) {
    if (block.size[side] > 0) plain::add_impulse(s.H.data() + block.H[side], dz, x + block.place[side]);
  }
}

STICTION_INLINE void add_impulses(const BodySystem& s, const double* z, double* x) {
  for (const SystemBlock& block : s.blocks) add_block_impulse(s, block, z + block.first, x);
}
STICTION_WIDE void add_impulses_wide(const BodySystem& s, const double* z, double* x) {
  add_impulses(s, z, x);
}

}  // namespace

void block_velocity(const BodySystem& s, const SystemBlock& block, const double* x, double* u) {
  std::copy_n(s.q.data() + block.first, block.dim, u);
  add_block_rates(s, block, x, u);
}

void add_impulse(const BodySystem& s, const SystemBlock& block, const double* dz, double* x) {
  add_block_impulse(s, block, dz, x);
}

void all_velocities(const BodySystem& s, const double* x, double* u) {
  std::copy(s.q.begin(), s.q.end(), u);
  use_wide_registers ? add_rates_wide(s, x, u) : add_rates(s, x, u);
}

void all_rates(const BodySystem& s, const double* x, double* out) {
  std::fill_n(out, s.row_count, 0.0);
  use_wide_registers ? add_rates_wide(s, x, out) : add_rates(s, x, out);
}

void velocity_of(const BodySystem& s, const double* z, double* x) {
  std::fill_n(x, s.velocity_count, 0.0);
  use_wide_registers ? add_impulses_wide(s, z, x) : add_impulses(s, z, x);
}

}  // namespace stiction::solvers
