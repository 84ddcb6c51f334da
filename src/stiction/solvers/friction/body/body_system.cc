#include "stiction/solvers/friction/body/body_system.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/dense.h"
#include "stiction/math/linear/dense_six.h"
#include "stiction/solvers/friction/body/body_set.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"

namespace stiction::solvers {
namespace {

using Law = FrictionBlock::Law;
using Kind = SystemBlock::Kind;

double largest_axis(const FrictionBlock& block) {
  return block.law == Law::bilateral ? 0 : std::max({block.axes[0], block.axes[1], block.axes[2]});
}

// T of a row of a contact with friction, of S elsewhere.
double axis_of(const FrictionBlock& block, int row, double largest) {
  if (block.law == Law::bilateral || largest <= 0) return 1;
  const int axis = block.law == Law::contact ? row - 1 : row;
  return axis < 0 ? 1 : block.axes[axis] / largest;
}

// Cholesky factors of all masses, laid out as they are.
bool factor_masses(const BodyFrictionProblem& problem, BodySystem& s) {
  s.chol.assign(problem.mass.begin(), problem.mass.end());
  int largest = 1;
  for (const VelocityBlock& body : problem.bodies) {
    if (!cholesky(s.chol.data() + body.mass_offset, body.size)) return false;
    largest = std::max(largest, body.size);
  }
  s.row.resize(largest);
  return true;
}

// Law, bodies and sizes; H and W get their places.
void lay_out(const BodyFrictionProblem& problem, BodySystem& s) {
  s.blocks.resize(problem.blocks.size());
  s.has_sets = false;
  int size_H = 0, size_W = 0;
  for (int b = 0; b < problem.block_count(); ++b) {
    const FrictionBlock& from = problem.blocks[b];
    SystemBlock& to = s.blocks[b] = {};
    to.first = from.first_row;
    to.mu = largest_axis(from);
    to.link = from.law == Law::bounded ? from.link : -1;
    to.kind = from.law == Law::contact ? Kind::cone : from.law == Law::bounded ? Kind::disc : Kind::equality;
    to.dim = to.kind == Kind::cone && to.mu <= 0 ? 1 : from.row_count;
    if (to.kind == Kind::disc && (to.mu <= 0 || (to.link < 0 && from.bound <= 0))) to.kind = Kind::idle, to.dim = 0;
    to.set = problem.set_of(b);
    if (to.set.cone != nullptr && to.kind == Kind::cone && to.mu > 0) to.kind = Kind::set, s.has_sets = true;
    bool six = to.dim == 3;
    for (int side = 0; side < 2; ++side) {
      to.body[side] = problem.sides[b].body[side];
      if (to.body[side] < 0) continue;
      const VelocityBlock& body = problem.bodies[to.body[side]];
      to.place[side] = body.offset;
      to.size[side] = body.size;
      to.H[side] = size_H;
      six = six && body.size == 6;
      size_H += from.row_count * body.size;
    }
    to.plain = six;
    to.W = size_W;
    size_W += to.dim * to.dim;
  }
  s.H.resize(size_H);
  s.W.resize(size_W);
  s.row_count = problem.row_count();
  s.velocity_count = problem.velocity_count();
  s.push.resize(problem.bodies.size());
  for (auto* rows : {&s.q, &s.scale, &s.weight}) rows->assign(s.row_count, 0.0);
}

// S J L^-T into H, S (J v_free + bias) into q, and the block's scale.
void whiten(const BodyFrictionProblem& problem, int b, BodySystem& s) {
  const FrictionBlock& from = problem.blocks[b];
  SystemBlock& to = s.blocks[b];
  double trace = 0;
  for (int r = 0; r < from.row_count; ++r) {
    const double aspect = axis_of(from, r, to.mu);
    double speed = problem.bias[from.first_row + r], square = 0;
    for (int side = 0; side < 2; ++side) {
      if (to.size[side] == 0) continue;
      const VelocityBlock& body = problem.bodies[to.body[side]];
      const double* J = problem.jacobian.data() + problem.sides[b].offset[side] + r * body.size;
      double* h = s.row.data();
      for (int i = 0; i < body.size; ++i) {
        speed += J[i] * problem.v_free[body.offset + i];
        h[i] = aspect * J[i];
      }
      solve_lower(s.chol.data() + body.mass_offset, body.size, h);
      for (int i = 0; i < body.size; ++i) square += h[i] * h[i];
      if (r < to.dim) std::copy_n(h, body.size, s.H.data() + to.H[side] + r * body.size);
    }
    s.q[from.first_row + r] = aspect * speed;
    s.weight[from.first_row + r] = square > 0 ? std::sqrt(square) : 1.0;
    trace += square;
  }
  to.weight = trace > 0 ? std::sqrt(trace / from.row_count) : 1.0;
}

// The same for three rows on bodies of six velocities, all of them at once.
void whiten_plain(const BodyFrictionProblem& problem, int b, BodySystem& s) {
  const FrictionBlock& from = problem.blocks[b];
  SystemBlock& to = s.blocks[b];
  double speed[3], square[3] = {}, aspect[3], trace = 0;
  for (int r = 0; r < 3; ++r) {
    aspect[r] = axis_of(from, r, to.mu);
    speed[r] = problem.bias[from.first_row + r];
  }
  for (int side = 0; side < 2; ++side) {
    if (to.size[side] == 0) continue;
    const VelocityBlock& body = problem.bodies[to.body[side]];
    const double *J = problem.jacobian.data() + problem.sides[b].offset[side], *v = problem.v_free.data() + body.offset;
    double* h = s.H.data() + to.H[side];
    for (int r = 0; r < 3; ++r) {
      for (int i = 0; i < 6; ++i) {
        speed[r] += J[6 * r + i] * v[i];
        h[6 * r + i] = aspect[r] * J[6 * r + i];
      }
    }
    solve_lower_six(s.chol.data() + body.mass_offset, 3, h);
    for (int i = 0; i < 18; ++i) square[i / 6] += h[i] * h[i];
  }
  for (int r = 0; r < 3; ++r) {
    s.q[from.first_row + r] = aspect[r] * speed[r];
    s.weight[from.first_row + r] = square[r] > 0 ? std::sqrt(square[r]) : 1.0;
    trace += square[r];
  }
  to.weight = trace > 0 ? std::sqrt(trace / 3) : 1.0;
}

// D T on the rows of a block that S has gone over already.
void scale_block(const FrictionBlock& from, double inverse_norm, SystemBlock& to, BodySystem& s) {
  const double norm = inverse_norm > 0 ? 1 / inverse_norm : 1;
  for (int r = 0; r < from.row_count; ++r) {
    const int row = from.first_row + r;
    if (to.kind != Kind::equality) s.weight[row] = to.weight;
    const double friction = to.kind == Kind::cone && r > 0 ? to.mu : 1.0, d = 1 / s.weight[row];
    s.q[row] *= inverse_norm * d * friction;
    if (r >= to.dim) continue;
    s.scale[row] = norm * d * friction * axis_of(from, r, to.mu);
    for (int side = 0; side < 2; ++side) {
      double* h = s.H.data() + to.H[side] + r * to.size[side];
      for (int i = 0; i < to.size[side]; ++i) h[i] *= d * friction;
    }
  }
}

void scale_disc(const FrictionBlock& from, double inverse_norm, SystemBlock& to, const BodySystem& s) {
  if (to.kind != Kind::disc) return;
  to.bound = std::max(0.0, from.bound) * to.mu * to.weight * inverse_norm;
  if (to.link >= 0) to.factor = to.mu * to.weight / s.blocks[to.link].weight;
}

void multiply_plain(BodySystem& s, const SystemBlock& block) {
  double sum[3][3] = {};
  for (int side = 0; side < 2; ++side) {
    if (block.size[side] == 0) continue;
    const double* H = s.H.data() + block.H[side];
    for (int k = 0; k < 6; ++k) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) sum[i][j] += H[6 * i + k] * H[6 * j + k];
      }
    }
  }
  std::copy_n(sum[0], 9, s.W.data() + block.W);
}

void multiply_block(BodySystem& s, const SystemBlock& block) {
  if (block.plain) return multiply_plain(s, block);
  for (int i = 0; i < block.dim; ++i) {
    for (int j = 0; j < block.dim; ++j) {
      double sum = 0;
      for (int side = 0; side < 2; ++side) {
        const int n = block.size[side];
        const double *a = s.H.data() + block.H[side] + i * n, *b = s.H.data() + block.H[side] + j * n;
        for (int k = 0; k < n; ++k) sum += a[k] * b[k];
      }
      s.W[block.W + i * block.dim + j] = sum;
    }
  }
}

using Plain = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;

inline void add_block_rates(const BodySystem& s, const SystemBlock& block, const double* x, double* u) {
  for (int side = 0; side < 2; ++side) {
    const int n = block.size[side];
    if (n == 0) continue;
    const double *H = s.H.data() + block.H[side], *own = x + block.place[side];
    if (block.plain) {
      Eigen::Map<Vector3>(u).noalias() += Eigen::Map<const Plain>(H).lazyProduct(Eigen::Map<const Vector6>(own));
      continue;
    }
    for (int r = 0; r < block.dim; ++r) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += H[r * n + i] * own[i];
      u[r] += sum;
    }
  }
}

}  // namespace

bool make_body_system(const BodyFrictionProblem& problem, BodySystem& s) {
  if (!factor_masses(problem, s)) return false;
  lay_out(problem, s);
  for (int b = 0; b < problem.block_count(); ++b)
    s.blocks[b].plain ? whiten_plain(problem, b, s) : whiten(problem, b, s);
  double sum = 0;
  for (const double q : s.q) sum += q * q;
  s.q_norm = std::sqrt(sum);
  const double inverse_norm = s.q_norm > 0 ? 1 / s.q_norm : 1.0;
  double check = s.q_norm;
  for (int b = 0; b < problem.block_count(); ++b) {
    scale_block(problem.blocks[b], inverse_norm, s.blocks[b], s);
    multiply_block(s, s.blocks[b]);
  }
  for (int b = 0; b < problem.block_count(); ++b) scale_disc(problem.blocks[b], inverse_norm, s.blocks[b], s);
  for (const double h : s.H) check += std::abs(h);
  return std::isfinite(check);
}

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
      Eigen::Map<Vector6>(own).noalias() +=
          Eigen::Map<const Eigen::Matrix<double, 6, 3>>(H).lazyProduct(Eigen::Map<const Vector3>(dz));
      continue;
    }
    const int n = block.size[side];
    for (int r = 0; r < block.dim; ++r) {
      for (int i = 0; i < n; ++i) own[i] += H[r * n + i] * dz[r];
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
  for (int b = 0; b < problem.block_count(); ++b) {
    const FrictionBlock& block = problem.blocks[b];
    for (int side = 0; side < 2; ++side) {
      const int body = problem.sides[b].body[side];
      if (body < 0) continue;
      const double* J = problem.jacobian.data() + problem.sides[b].offset[side];
      double* own = v.data() + problem.bodies[body].offset;
      const int n = problem.bodies[body].size;
      for (int i = 0; i < block.row_count; ++i, J += n) {
        for (int k = 0; k < n; ++k) own[k] += J[k] * r[block.first_row + i];
      }
    }
  }
  for (const VelocityBlock& body : problem.bodies) {
    double* own = v.data() + body.offset;
    solve_lower(s.chol.data() + body.mass_offset, body.size, own);
    solve_lower_transposed(s.chol.data() + body.mass_offset, body.size, own);
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
