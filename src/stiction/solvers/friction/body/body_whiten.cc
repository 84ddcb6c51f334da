// How body_system.h is made of a problem: masses are factored, rows whitened and scaled.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "stiction/math/linear/branch_cholesky.h"
#include "stiction/math/linear/dense.h"
#include "stiction/solvers/friction/body/body_side.h"
#include "stiction/solvers/friction/body/body_system.h"
#include "stiction/solvers/friction/body/plain_block.h"

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

// L^-1 of a free body, with zeros above the diagonal: every contact of the body is whitened by it.
void invert_six(const double* L, double* inverse) {
  constexpr int n = plain::width;
  for (int j = 0; j < n; ++j) {
    double* column = inverse + n * j;
    std::fill_n(column, n, 0.0);
    column[j] = 1;
    for (int k = j; k < n; ++k) {
      column[k] /= L[n * k + k];
      for (int i = k + 1; i < n; ++i) column[i] -= column[k] * L[n * k + i];
    }
  }
}

// Cholesky factors of all masses, laid out as they are.
bool factor_masses(const BodyFrictionProblem& problem, BodySystem& s) {
  s.chol.assign(problem.mass.begin(), problem.mass.end());
  s.inverse.resize(problem.mass.size());
  s.parent.resize(problem.v_free.size());
  s.scratch.resize(problem.v_free.size());
  for (const VelocityBlock& body : problem.bodies) {
    double* mass = s.chol.data() + body.mass_offset;
    if (!is_tree(body)) {
      if (!cholesky(mass, body.size)) return false;
      if (body.size == plain::width) invert_six(mass, s.inverse.data() + body.mass_offset);
      continue;
    }
    branch_parents(mass, body.size, s.parent.data() + body.offset, s.scratch.data());
    if (!branch_cholesky(mass, body.size)) return false;
  }
  return true;
}

// Law, bodies and sizes; H and W get their places.
void lay_out(const BodyFrictionProblem& problem, BodySystem& s) {
  s.blocks.resize(problem.blocks.size());
  s.has_sets = false;
  int size_H = 0, size_W = 0, columns = 6;  // 0 to 5 serve all bodies that are no trees
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
      to.size[side] = to.width[side] = body.size;
      to.columns[side] = is_tree(body) ? std::exchange(columns, columns + body.size) : 0;
      to.H[side] = size_H;
      six = six && body.size == 6;
      size_H += from.row_count * body.size;
    }
    to.plain = six;
    to.W = size_W;
    size_W += to.dim * to.dim;
  }
  if (s.H.size() < static_cast<size_t>(size_H)) s.H.resize(size_H);  // what it was larger for would be filled again
  s.columns.resize(columns);
  std::iota(s.columns.begin(), s.columns.begin() + 6, 0);
  s.W.resize(size_W);
  s.row_count = problem.row_count();
  s.velocity_count = problem.velocity_count();
  ++s.version;
  s.push.resize(problem.bodies.size());
  for (auto* rows : {&s.q, &s.scale, &s.weight, &s.effect}) rows->assign(s.row_count, 0.0);
}

// The velocities of a tree that have a part in rows of J L^-T: where J is not zero, and their ancestors. Returns how
// many there are.
int find_columns(const double* J, int rows, const VelocityBlock& body, BodySystem& s, int* columns) {
  const int *parent = s.parent.data() + body.offset, n = body.size;
  int *used = s.scratch.data(), width = 0;
  std::fill_n(used, n, 0);
  for (int i = n - 1; i >= 0; --i) {
    for (int r = 0; r < rows && used[i] == 0; ++r) used[i] = J[r * n + i] != 0;
    if (used[i] == 0) continue;
    columns[width++] = i;
    if (parent[i] >= 0) used[parent[i]] = 1;
  }
  std::reverse(columns, columns + width);
  return width;
}

// H := H L^-T with N rows; the factor of the tree stands in the upper triangle.
template <int N>
void solve_columns(const double* L, int n, const int* columns, int width, double* H) {
  for (int k = width - 1; k >= 0; --k) {
    const double *column = L + static_cast<long>(columns[k]) * n, diagonal = column[columns[k]];
    double x[N];
    for (int r = 0; r < N; ++r) x[r] = H[r * width + k] /= diagonal;
    for (int i = 0; i < k; ++i) {
      const double entry = column[columns[i]];
      for (int r = 0; r < N; ++r) H[r * width + i] -= x[r] * entry;
    }
  }
}

// S J L^-T of one side into H; adds J v_free and the squares of the rows of H.
void whiten_side(const BodyFrictionProblem& problem, int b, int side, const double* aspect, BodySystem& s,
                 double* speed, double* square) {
  SystemBlock& to = s.blocks[b];
  const VelocityBlock& body = problem.bodies[to.body[side]];
  const int rows = problem.blocks[b].row_count, n = body.size;
  const double *J = problem.jacobian.data() + problem.sides[b].offset[side], *v = problem.v_free.data() + body.offset;
  const double* L = s.chol.data() + body.mass_offset;
  int* columns = s.columns.data() + to.columns[side];
  const int width = to.width[side] = is_tree(body) ? find_columns(J, rows, body, s, columns) : n;
  double* H = s.H.data() + to.H[side];
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < width; ++k) {
      const double entry = J[r * n + columns[k]];
      speed[r] += entry * v[columns[k]];
      H[r * width + k] = aspect[r] * entry;
    }
    if (!is_tree(body)) solve_lower(L, n, H + r * width);
  }
  if (is_tree(body)) with_rows(rows, [&]<int N>() { solve_columns<N>(L, n, columns, width, H); });
  for (int r = 0; r < rows; ++r, H += width) {
    for (int k = 0; k < width; ++k) square[r] += H[k] * H[k];
  }
}

// S J L^-T into H, S (J v_free + bias) into q, and the block's scale.
void whiten(const BodyFrictionProblem& problem, int b, BodySystem& s) {
  const FrictionBlock& from = problem.blocks[b];
  SystemBlock& to = s.blocks[b];
  double speed[most_rows], square[most_rows] = {}, aspect[most_rows], trace = 0;
  for (int r = 0; r < from.row_count; ++r) {
    aspect[r] = axis_of(from, r, to.mu);
    speed[r] = problem.bias[from.first_row + r];
  }
  for (int side = 0; side < 2; ++side) {
    if (to.size[side] > 0) whiten_side(problem, b, side, aspect, s, speed, square);
  }
  for (int r = 0; r < from.row_count; ++r) {
    s.q[from.first_row + r] = aspect[r] * speed[r];
    s.weight[from.first_row + r] = square[r] > 0 ? std::sqrt(square[r]) : 1.0;
    trace += square[r];
  }
  to.weight = trace > 0 ? std::sqrt(trace / from.row_count) : 1.0;
}

double friction_of(const SystemBlock& block, int row) {
  return block.kind == Kind::cone && row > 0 ? block.mu : 1.0;
}

// The same for three rows on free bodies, all of them at once; rows of H get their scales, and W is H H^T.
STICTION_INLINE void whiten_plain(const BodyFrictionProblem& problem, int b, BodySystem& s) {
  const FrictionBlock& from = problem.blocks[b];
  SystemBlock& to = s.blocks[b];
  plain::RowSums speeds;
  double* H[2] = {nullptr, nullptr};
  for (int side = 0; side < 2; ++side) {
    if (to.size[side] == 0) continue;
    const VelocityBlock& body = problem.bodies[to.body[side]];
    const double* J = problem.jacobian.data() + problem.sides[b].offset[side];
    H[side] = s.H.data() + to.H[side];
    speeds.add(J, problem.v_free.data() + body.offset);
    plain::whiten(J, s.inverse.data() + body.mass_offset, H[side]);
  }
  double speed[3] = {}, product[3][3], square[3], aspect[3], factor[3];
  speeds.add_to(speed);
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      plain::Dot dot;
      for (const double* h : H) {
        if (h != nullptr) dot.add(h + 6 * i, h + 6 * j);
      }
      product[i][j] = product[j][i] = dot.sum();
    }
    aspect[i] = axis_of(from, i, to.mu);
    square[i] = aspect[i] * aspect[i] * product[i][i];
  }
  const double trace = square[0] + square[1] + square[2];
  to.weight = trace > 0 ? std::sqrt(trace / 3) : 1.0;
  for (int r = 0; r < 3; ++r) {
    const int row = from.first_row + r;
    s.q[row] = aspect[r] * (speed[r] + problem.bias[row]);
    s.weight[row] = to.kind != Kind::equality ? to.weight : square[r] > 0 ? std::sqrt(square[r]) : 1.0;
    factor[r] = aspect[r] * friction_of(to, r) / s.weight[row];
  }
  for (double* h : H) {
    if (h != nullptr) plain::scale(factor, h);
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) s.W[to.W + 3 * i + j] = factor[i] * factor[j] * product[i][j];
  }
}
STICTION_WIDE void whiten_plain_wide(const BodyFrictionProblem& problem, int b, BodySystem& s) {
  whiten_plain(problem, b, s);
}

// D T on the rows of a block that S has gone over already; H of a plain one has it.
void scale_block(const FrictionBlock& from, double inverse_norm, SystemBlock& to, BodySystem& s) {
  const double norm = inverse_norm > 0 ? 1 / inverse_norm : 1;
  for (int r = 0; r < from.row_count; ++r) {
    const int row = from.first_row + r;
    if (to.kind != Kind::equality) s.weight[row] = to.weight;
    const double factor = friction_of(to, r) / s.weight[row];
    s.q[row] *= inverse_norm * factor;
    if (r >= to.dim) continue;
    s.scale[row] = norm * factor * axis_of(from, r, to.mu);
    for (int side = 0; side < 2 && !to.plain; ++side) {
      double* h = s.H.data() + to.H[side] + r * to.width[side];
      for (int i = 0; i < to.width[side]; ++i) h[i] *= factor;
    }
  }
}

void scale_disc(const FrictionBlock& from, double inverse_norm, SystemBlock& to, const BodySystem& s) {
  if (to.kind != Kind::disc) return;
  to.bound = std::max(0.0, from.bound) * to.mu * to.weight * inverse_norm;
  if (to.link >= 0) to.factor = to.mu * to.weight / s.blocks[to.link].weight;
}

void multiply_block(BodySystem& s, const SystemBlock& block) {
  if (block.plain) return;
  for (int i = 0; i < block.dim; ++i) {
    for (int j = 0; j < block.dim; ++j) {
      double sum = 0;
      for (int side = 0; side < 2; ++side) {
        const int n = block.width[side];
        const double *a = s.H.data() + block.H[side] + i * n, *b = s.H.data() + block.H[side] + j * n;
        for (int k = 0; k < n; ++k) sum += a[k] * b[k];
      }
      s.W[block.W + i * block.dim + j] = sum;
    }
  }
}

void set_effects(const SystemBlock& block, BodySystem& s) {
  const double unit = s.q_norm > 0 ? s.q_norm : 1;
  for (int i = 0; i < block.dim; ++i) {
    const int row = block.first + i;
    if (s.scale[row] > 0) s.effect[row] = s.W[block.W + i * (block.dim + 1)] * unit / s.scale[row];
  }
}

// Finite where all of H is, but for what its squares cannot hold.
double sum_of_squares(const BodySystem& s) {
  double sum = 0;
  for (const SystemBlock& block : s.blocks) {
    for (int i = 0; i < block.dim; ++i) sum += s.W[block.W + i * (block.dim + 1)];
  }
  return sum;
}

}  // namespace

bool make_body_system(const BodyFrictionProblem& problem, BodySystem& s) {
  if (!factor_masses(problem, s)) return false;
  lay_out(problem, s);
  for (int b = 0; b < problem.block_count(); ++b) {
    if (!s.blocks[b].plain) {
      whiten(problem, b, s);
    } else {
      use_wide_registers ? whiten_plain_wide(problem, b, s) : whiten_plain(problem, b, s);
    }
  }
  double sum = 0;
  for (const double q : s.q) sum += q * q;
  s.q_norm = std::sqrt(sum);
  const double inverse_norm = s.q_norm > 0 ? 1 / s.q_norm : 1.0;
  for (int b = 0; b < problem.block_count(); ++b) {
    scale_block(problem.blocks[b], inverse_norm, s.blocks[b], s);
    multiply_block(s, s.blocks[b]);
    set_effects(s.blocks[b], s);
  }
  for (int b = 0; b < problem.block_count(); ++b) scale_disc(problem.blocks[b], inverse_norm, s.blocks[b], s);
  return std::isfinite(s.q_norm + sum_of_squares(s));
}

}  // namespace stiction::solvers
