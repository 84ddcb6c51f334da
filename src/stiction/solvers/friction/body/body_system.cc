#include "stiction/solvers/friction/body/body_system.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/branch_cholesky.h"
#include "stiction/math/linear/dense.h"
#include "stiction/solvers/friction/body/body_set.h"
#include "stiction/solvers/friction/body/rows/plain_block.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"

namespace stiction::solvers {
namespace {

using Kind = SystemBlock::Kind;

// v += J^T r.
STICTION_INLINE void push(const BodyFrictionProblem& problem, const BodySystem& s, std::span<const double> r,
                          std::span<double> v) {
  for (int b = 0; b < problem.block_count(); ++b) {
    const FrictionBlock& block = problem.blocks[b];
    for (int side = 0; side < 2; ++side) {
      const int body = problem.sides[b].body[side];
      if (body < 0) continue;
      const double* J = problem.jacobian.data() + problem.sides[b].offset[side];
      double* own = v.data() + problem.bodies[body].offset;
      if (s.blocks[b].plain) {
        plain::add_impulse(J, r.data() + block.first_row, own);
        continue;
      }
      const int n = problem.bodies[body].size;
      for (int i = 0; i < block.row_count; ++i, J += n) {
        for (int k = 0; k < n; ++k) own[k] += J[k] * r[block.first_row + i];
      }
    }
  }
}
STICTION_WIDE void push_wide(const BodyFrictionProblem& problem, const BodySystem& s, std::span<const double> r,
                             std::span<double> v) {
  push(problem, s, r, v);
}

// v = v_free + L^-T L^-1 v of a free body.
STICTION_INLINE void plain_velocity(const double* inverse, const double* free, double* v) {
  double x[plain::width];
  plain::multiply_lower(inverse, v, x);
  plain::multiply_lower_transposed(inverse, x, v);
  *quad(v) += *quad(free);
  *half(v + 4) += *half(free + 4);
}
STICTION_WIDE void plain_velocity_wide(const double* inverse, const double* free, double* v) {
  plain_velocity(inverse, free, v);
}

}  // namespace

double add_bias(std::span<const double> change, BodySystem& s) {
  const double norm = s.q_norm > 0 ? s.q_norm : 1;
  double sum = 0;
  for (int i = 0; i < s.row_count; ++i) {
    const double more = change[i] * s.scale[i] / (norm * norm);
    s.q[i] += more;
    sum += more * more;
  }
  return std::sqrt(sum);
}

double disc_radius(const BodySystem& s, const SystemBlock& block, const double* z) {
  const double normal = block.link < 0 ? 0.0 : std::max(0.0, z[s.blocks[block.link].first]);
  return block.bound + block.factor * normal;
}

void put_in_cones(const BodySystem& s, double* z) {
  for (const SystemBlock& block : s.blocks) {
    double* own = z + block.first;
    if (block.kind == Kind::set) put_in_set(block, own);
    if (block.kind != Kind::cone) continue;
    own[0] = std::max(own[0], 0.0);
    project_on_ball(own + 1, block.dim - 1, own[0]);
  }
  for (const SystemBlock& block : s.blocks) {
    if (block.kind == Kind::disc) project_on_ball(z + block.first, block.dim, disc_radius(s, block, z));
  }
}

void end_velocity(const BodyFrictionProblem& problem, const BodySystem& s, std::span<const double> r,
                  std::span<double> v) {
  std::fill(v.begin(), v.end(), 0.0);
  use_wide_registers ? push_wide(problem, s, r, v) : push(problem, s, r, v);
  for (const VelocityBlock& body : problem.bodies) {
    double* own = v.data() + body.offset;
    if (body.size == plain::width) {
      const double* inverse = s.inverse.data() + body.mass_offset;
      use_wide_registers ? plain_velocity_wide(inverse, problem.v_free.data() + body.offset, own)
                         : plain_velocity(inverse, problem.v_free.data() + body.offset, own);
      continue;
    }
    const double* L = s.chol.data() + body.mass_offset;
    is_tree(body) ? solve_branches(L, body.size, own) : solve_lower(L, body.size, own);
    is_tree(body) ? solve_branches_transposed(L, body.size, own) : solve_lower_transposed(L, body.size, own);
    for (int k = 0; k < body.size; ++k) own[k] += problem.v_free[body.offset + k];
  }
}

void from_system(const BodySystem& s, const double* z, std::span<double> r) {
  for (int i = 0; i < s.row_count; ++i) r[i] = s.scale[i] * z[i];
}

void to_system(const BodySystem& s, std::span<const double> r, double* z) {
  for (int i = 0; i < s.row_count; ++i) z[i] = s.scale[i] > 0 ? r[i] / s.scale[i] : 0.0;
}

}  // namespace stiction::solvers
