// How body_system.h is made of a problem: masses are factored, rows whitened and scaled.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "stiction/math/linear/branch_cholesky.h"
#include "stiction/math/linear/dense.h"
#include "stiction/solvers/friction/body/body_system.h"
#include "stiction/solvers/friction/body/rows/body_side.h"
#include "stiction/solvers/friction/body/rows/plain_block.h"
#include "stiction/solvers/friction/body/rows/tree_block.h"

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
    double* inverse = s.inverse.data() + body.mass_offset;
    for (int i = 0; i < body.size; ++i) inverse[i] = 1 / mass[static_cast<long>(i) * (body.size + 1)];
  }
  return true;
}

// Where bodies stand in x.
void place_bodies(const BodyFrictionProblem& problem, BodySystem& s) {
  s.sizes.clear(), s.places.clear();
  s.velocity_count = 0;
  for (const VelocityBlock& body : problem.bodies) {
    s.sizes.push_back(is_tree(body) ? (body.size + quad_size - 1) / quad_size * quad_size : body.size);
    s.places.push_back(s.velocity_count);
    s.velocity_count += s.sizes.back();
  }
}

// Law, bodies and sizes; H and W get their places.
void lay_out(const BodyFrictionProblem& problem, BodySystem& s) {
  s.blocks.resize(problem.blocks.size());
  s.has_sets = false;
  int size_H = 0, size_W = 0, columns = 6;  // 0 to 5 serve all bodies that are no trees
  place_bodies(problem, s);
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
    bool six = to.dim == 3, trees = true;
    for (int side = 0; side < 2; ++side) {
      to.body[side] = problem.sides[b].body[side];
      if (to.body[side] < 0) continue;
      const bool on_tree = is_tree(problem.bodies[to.body[side]]);
      const int size = s.sizes[to.body[side]];
      to.place[side] = s.places[to.body[side]];
      to.size[side] = to.width[side] = size;
      to.columns[side] = on_tree ? std::exchange(columns, columns + size) : 0;
      to.H[side] = size_H;
      six = six && size == 6 && !on_tree;
      trees = trees && on_tree;
      size_H += from.row_count * size;
    }
    to.plain = six;
    to.on_trees = trees && !six;
    to.W = size_W;
    size_W += to.dim * to.dim;
  }
  if (s.H.size() < static_cast<size_t>(size_H)) s.H.resize(size_H);  // what it was larger for would be filled again
  s.columns.resize(columns);
  std::iota(s.columns.begin(), s.columns.begin() + 6, 0);
  s.W.resize(size_W);
  s.row_count = problem.row_count();
  ++s.version;
  s.push.resize(problem.bodies.size());
  for (auto* rows : {&s.q, &s.scale, &s.weight, &s.effect}) rows->assign(s.row_count, 0.0);
}

double friction_of(const SystemBlock& block, int row) {
  return block.kind == Kind::cone && row > 0 ? block.mu : 1.0;
}

// Rows of a block on a tree of n velocities.
struct TreeSide {
  const double *J, *v, *U, *inverse;  // J v is wanted; M = U U^T; one over the diagonal of U
  const int* parent;
  const double* aspect;
  int n;
  int* used;  // scratch, one per velocity

  // The quads of velocities that have a part in rows of J L^-T: where J is not zero, and their ancestors. Returns how
  // many velocities these are.
  template <int N>
  STICTION_INLINE int find_columns(int* columns) const {
    std::fill_n(used, n, 0);
    for (int i = n - 1; i >= 0; --i) {
      bool is = used[i] != 0;
#pragma GCC unroll 6
      for (int r = 0; r < N; ++r) is |= J[r * n + i] != 0;
      if (!is) continue;
      used[i] = 1;
      if (parent[i] >= 0) used[parent[i]] = 1;
    }
    int width = 0;
    for (int first = 0; first < n; first += quad_size) {
      int any = 0;
      for (int i = first; i < std::min(first + quad_size, n); ++i) any |= used[i];
      for (int i = first; i < first + quad_size && any != 0; ++i) columns[width++] = i;
    }
    return width;
  }

  // S J L^-T into H; adds J v_free, and H H^T. Returns the number of columns.
  template <int N>
  STICTION_INLINE int whiten(int* columns, double* H, double* speed, double* product) const {
    const int width = find_columns<N>(columns);
#pragma GCC unroll 6
    for (int r = 0; r < N; ++r) {
      const double* row = J + r * n;
      Quad sums = {};
      for (int k = 0; k < width; k += quad_size) {
        const int i = columns[k];
        if (i + quad_size <= n) {
          sums += *quad(row + i) * *quad(v + i);
          *quad(H + r * width + k) = aspect[r] * *quad(row + i);
          continue;
        }
        for (int l = 0; l < quad_size; ++l) {
          const double entry = i + l < n ? row[i + l] : 0;
          if (entry != 0) speed[r] += entry * v[i + l];
          H[r * width + k + l] = aspect[r] * entry;
        }
      }
      speed[r] += tree::sum(sums);
    }
    tree::solve<N>(U, inverse, n, columns, width, H);
    tree::add_square<N>(H, width, product);
    return width;
  }
};

STICTION_INLINE int whiten_rows(int rows, const TreeSide& side, int* columns, double* H, double* speed,
                                double* product) {
  int width = 0;
  with_rows(
      rows, [&]<int N>() __attribute__((always_inline)) { width = side.whiten<N>(columns, H, speed, product); });
  return width;
}
STICTION_WIDE int whiten_rows_wide(int rows, const TreeSide& side, int* columns, double* H, double* speed,
                                   double* product) {
  return whiten_rows(rows, side, columns, H, speed, product);
}

// The same for a body that is no tree.
void whiten_small(const BodyFrictionProblem& problem, int b, int side, const double* aspect, double* H, double* speed,
                  double* product, const BodySystem& s) {
  const VelocityBlock& body = problem.bodies[s.blocks[b].body[side]];
  const int rows = problem.blocks[b].row_count, n = body.size;
  const double *J = problem.jacobian.data() + problem.sides[b].offset[side], *v = problem.v_free.data() + body.offset;
  const double* L = s.chol.data() + body.mass_offset;
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < n; ++k) {
      const double entry = J[r * n + k];
      speed[r] += entry * v[k];
      H[r * n + k] = aspect[r] * entry;
    }
    solve_lower(L, n, H + r * n);
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) {
      for (int k = 0; k < n; ++k) product[i * rows + j] += H[i * n + k] * H[j * n + k];
    }
  }
}

void whiten_side(const BodyFrictionProblem& problem, int b, int side, const double* aspect, BodySystem& s,
                 double* speed, double* product) {
  SystemBlock& to = s.blocks[b];
  const VelocityBlock& body = problem.bodies[to.body[side]];
  double* H = s.H.data() + to.H[side];
  if (!is_tree(body)) return whiten_small(problem, b, side, aspect, H, speed, product, s);
  const TreeSide tree = {.J = problem.jacobian.data() + problem.sides[b].offset[side],
                         .v = problem.v_free.data() + body.offset,
                         .U = s.chol.data() + body.mass_offset,
                         .inverse = s.inverse.data() + body.mass_offset,
                         .parent = s.parent.data() + body.offset,
                         .aspect = aspect,
                         .n = body.size,
                         .used = s.scratch.data()};
  const int rows = problem.blocks[b].row_count;
  int* columns = s.columns.data() + to.columns[side];
  to.width[side] = use_wide_registers ? whiten_rows_wide(rows, tree, columns, H, speed, product)
                                      : whiten_rows(rows, tree, columns, H, speed, product);
}

STICTION_INLINE void scale_rows(int rows, const double* factor, int width, double* H) {
  with_rows(
      rows, [&]<int N>() __attribute__((always_inline)) { tree::scale<N>(factor, width, H); });
}
STICTION_WIDE void scale_rows_wide(int rows, const double* factor, int width, double* H) {
  scale_rows(rows, factor, width, H);
}

// D T J L^-T into H, S (J v_free + bias) into q, H H^T into W, and the block's scale.
void whiten(const BodyFrictionProblem& problem, int b, BodySystem& s) {
  const FrictionBlock& from = problem.blocks[b];
  SystemBlock& to = s.blocks[b];
  const int rows = from.row_count;
  double speed[most_rows], product[most_rows * most_rows] = {}, aspect[most_rows], factor[most_rows], trace = 0;
  for (int r = 0; r < rows; ++r) {
    aspect[r] = axis_of(from, r, to.mu);
    speed[r] = problem.bias[from.first_row + r];
  }
  for (int side = 0; side < 2; ++side) {
    if (to.size[side] > 0) whiten_side(problem, b, side, aspect, s, speed, product);
  }
  for (int r = 0; r < rows; ++r) trace += product[r * rows + r];
  to.weight = trace > 0 ? std::sqrt(trace / rows) : 1.0;
  for (int r = 0; r < rows; ++r) {
    const int row = from.first_row + r;
    const double square = product[r * rows + r];
    s.q[row] = aspect[r] * speed[r];
    s.weight[row] = to.kind != Kind::equality ? to.weight : square > 0 ? std::sqrt(square) : 1.0;
    factor[r] = friction_of(to, r) / s.weight[row];
  }
  for (int side = 0; side < 2; ++side) {
    double* H = s.H.data() + to.H[side];
    const int width = to.size[side] > 0 ? to.width[side] : 0;
    if (width % quad_size == 0) {
      use_wide_registers ? scale_rows_wide(rows, factor, width, H) : scale_rows(rows, factor, width, H);
    } else {
      for (int i = 0; i < rows * width; ++i) H[i] *= factor[i / width];
    }
  }
  for (int i = 0; i < to.dim; ++i) {
    for (int j = 0; j < to.dim; ++j) s.W[to.W + i * to.dim + j] = factor[i] * factor[j] * product[i * rows + j];
  }
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

// The units of the rows of a block.
void scale_block(const FrictionBlock& from, double inverse_norm, const SystemBlock& block, BodySystem& s) {
  const double norm = inverse_norm > 0 ? 1 / inverse_norm : 1;
  for (int r = 0; r < from.row_count; ++r) {
    const int row = from.first_row + r;
    const double factor = friction_of(block, r) / s.weight[row];
    s.q[row] *= inverse_norm * factor;
    if (r < block.dim) s.scale[row] = norm * factor * axis_of(from, r, block.mu);
  }
}

void scale_disc(const FrictionBlock& from, double inverse_norm, SystemBlock& to, const BodySystem& s) {
  if (to.kind != Kind::disc) return;
  to.bound = std::max(0.0, from.bound) * to.mu * to.weight * inverse_norm;
  if (to.link >= 0) to.factor = to.mu * to.weight / s.blocks[to.link].weight;
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
    set_effects(s.blocks[b], s);
  }
  for (int b = 0; b < problem.block_count(); ++b) scale_disc(problem.blocks[b], inverse_norm, s.blocks[b], s);
  return std::isfinite(s.q_norm + sum_of_squares(s));
}

}  // namespace stiction::solvers
