// Between impulses of blocks, velocities x of bodies and velocities u of rows: products with H, block by block.
#include <algorithm>

#include "stiction/math/types.h"
#include "stiction/solvers/friction/body/body_side.h"
#include "stiction/solvers/friction/body/body_system.h"

namespace stiction::solvers {
namespace {

using Plain = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;
using Transposed = Eigen::Matrix<double, 6, 3>;  // the same numbers

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

inline void add_block_rates(const BodySystem& s, const SystemBlock& block, const double* x, double* u) {
  for (int side = 0; side < 2; ++side) {
    if (block.size[side] == 0) continue;
    const double *H = s.H.data() + block.H[side], *own = x + block.place[side];
    if (block.plain) {
      Eigen::Map<Vector3>(u).noalias() += Eigen::Map<const Plain>(H).lazyProduct(Eigen::Map<const Vector6>(own));
    } else {
      with_rows(block.dim, [&]<int N>() { add_side_rates<N>(side_rows(s, block, side), own, u); });
    }
  }
}

}  // namespace

void block_velocity(const BodySystem& s, const SystemBlock& block, const double* x, double* u) {
  std::copy_n(s.q.data() + block.first, block.dim, u);
  add_block_rates(s, block, x, u);
}

void add_impulse(const BodySystem& s, const SystemBlock& block, const double* dz, double* x) {
  for (int side = 0; side < 2; ++side) {
    if (block.size[side] == 0) continue;
    const double* H = s.H.data() + block.H[side];
    double* own = x + block.place[side];
    if (block.plain) {
      Eigen::Map<Vector6>(own).noalias() += Eigen::Map<const Transposed>(H).lazyProduct(Eigen::Map<const Vector3>(dz));
    } else {
      with_rows(block.dim, [&]<int N>() { add_side_impulse<N>(side_rows(s, block, side), dz, own); });
    }
  }
}

void all_velocities(const BodySystem& s, const double* x, double* u) {
  std::copy(s.q.begin(), s.q.end(), u);
  for (const SystemBlock& block : s.blocks) add_block_rates(s, block, x, u + block.first);
}

void all_rates(const BodySystem& s, const double* x, double* out) {
  std::fill_n(out, s.row_count, 0.0);
  for (const SystemBlock& block : s.blocks) add_block_rates(s, block, x, out + block.first);
}

void velocity_of(const BodySystem& s, const double* z, double* x) {
  std::fill_n(x, s.velocity_count, 0.0);
  for (const SystemBlock& block : s.blocks) add_impulse(s, block, z + block.first, x);
}

}  // namespace stiction::solvers
