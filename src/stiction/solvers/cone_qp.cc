#include "stiction/solvers/cone_qp.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/assert.h"
#include "stiction/math/dense.h"
#include "stiction/math/types.h"
#include "stiction/solvers/cone_kernels.h"

namespace stiction::solvers {

namespace {

using Column = Eigen::Map<VectorX>;
using ConstColumn = Eigen::Map<const VectorX>;

// Share of the way to the boundary that a step takes.
constexpr double boundary_share = 0.99;
// A cone of the start is at least this far inside, relative to the largest g.
constexpr double start_margin = 0.1;
// Pivots of U below this count as zero, relative to its diagonal.
constexpr double rank_tolerance = 1e-12;
// Unknowns that change f by less than this, relative, over their whole reach, do not change it.
constexpr double objective_rounding = 1e-26;
// Steps without a better iterate before the method gives up, and once the tolerance is met.
constexpr int patience = 20, patience_when_solved = 1;
// Steps shorter than this are centred with this sigma instead.
constexpr double short_step = 0.1, centring = 0.9;
// Below this nothing is left but rounding.
constexpr double smallest_gap = 1e-18;
// Residual below which a step that does not help is blamed on rounding.
constexpr double orthogonal_below = 1e-5;
// Rounds of refinement of a direction.
constexpr int refinements = 2;
// Regularisation of the normal matrix, relative to its diagonal: first, and largest tried.
constexpr double first_shift = 1e-15, largest_shift = 1e-5;
// Columns of unit length that the columns before determine to this.
constexpr double least_pivot = 1e-14;

struct InteriorPoint {
  const ConeQp& problem;
  const ConeQpOptions& options;
  ConeQpWorkspace& w;
  std::vector<double>& y;
  int m, rows, cones;
  int root_rows = 0;
  bool orthogonal = false;  // factor by reflections
  double g_scale = 1, gap_scale = 1, mu = 0;

  InteriorPoint(const ConeQp& p, const ConeQpOptions& o, ConeQpWorkspace& workspace, std::vector<double>& answer)
      : problem(p),
        options(o),
        w(workspace),
        y(answer),
        m(p.unknowns),
        rows(p.rows()),
        cones(static_cast<int>(p.cone_sizes.size())) {}

  void size_memory();
  void place_start();
  void find_reach();
  bool try_free_minimum();
  bool inside(const std::vector<double>& at);
  void measure_residuals();
  double objective() const;
  double worst_residual() const;
  bool start_is_enough();
  bool scale_cones();
  void form_normal_matrix();
  void keep_root(int rank);
  bool factor_normal_matrix();
  bool factor_by_cholesky();
  bool factor_by_reflections();
  void solve_normal(std::vector<double>& x);
  void add_solution();
  void measure_direction(double residual_share);
  void find_direction(double residual_share);
  double longest_step() const;
  double gap() const { return dot(w.s, w.z); }
  void affine_direction();
  void combined_direction(double sigma);
  void centring_direction();
  void move(double step);
  bool iterate();
  SolveReport run();

  double dot(const std::vector<double>& a, const std::vector<double>& b) const {
    return ConstColumn(a.data(), rows).dot(ConstColumn(b.data(), rows));
  }
  ConstColumn row(int r) const { return {problem.row(r), m}; }
  ConstColumn scaled_row(int r) const { return {w.scaled_G.data() + static_cast<size_t>(r) * m, m}; }

  // visit(first row, size, index) of every cone.
  template <class Visit>
  void for_each_cone(Visit&& visit) const {
    int first = 0;
    for (int i = 0; i < cones; ++i) {
      visit(first, problem.cone_sizes[i], i);
      first += problem.cone_sizes[i];
    }
  }
};

void InteriorPoint::size_memory() {
  for (auto* x : {&w.s, &w.z, &w.lambda, &w.scaling, &w.ds, &w.dz, &w.step_s, &w.step_z, &w.r_p, &w.c, &w.e_p, &w.e_c,
                  &w.scaled_p})
    x->assign(rows, 0.0);
  for (auto* x : {&w.dy, &w.r_d, &w.right, &w.defect, &w.best, &w.reach, &w.diagonal, &w.e_d, &w.e_y, &y})
    x->assign(m, 0.0);
  w.multipliers.assign(rows, 0.0);
  w.eta.assign(cones, 1.0);
  w.pivots.resize(m);
  w.H.resize(static_cast<size_t>(m) * m);
  w.factor.resize(static_cast<size_t>(m) * m);
  w.scaled_G.resize(problem.G.size());
}

// How far each unknown goes when it moves some row by the size of g: turns r_d into an energy.
void InteriorPoint::find_reach() {
  for (int r = 0; r < rows; ++r) {
    for (int j = 0; j < m; ++j) w.reach[j] = std::max(w.reach[j], std::abs(problem.row(r)[j]));
  }
  for (double& x : w.reach) x = x > 0 ? g_scale / x : 0.0;
}

// s = g, moved inside where it is not; z on the central path of it: s o z = mu e.
void InteriorPoint::place_start() {
  g_scale = 0;
  for (const double g : problem.g) g_scale = std::max(g_scale, std::abs(g));
  if (g_scale == 0) g_scale = 1;
  double drop = 0;
  find_reach();
  for (int j = 0; j < m; ++j) drop += std::abs(problem.v[j]) * w.reach[j];
  gap_scale = options.scale > 0 ? options.scale : std::abs(problem.constant) > 0 ? std::abs(problem.constant) : drop;
  if (gap_scale == 0) gap_scale = 1;
  const double start_mu = std::max(gap_scale, std::min(drop, 1e3 * gap_scale)) / std::max(1, cones);
  for_each_cone([&](int first, int n, int) {
    double *s = w.s.data() + first, *z = w.z.data() + first;
    std::copy_n(problem.g.data() + first, n, s);
    const double wanted = start_margin * g_scale, margin = cone_margin(s, n);
    if (margin < wanted) s[0] += wanted - margin;
    const double det = cone_det(s, n);
    z[0] = start_mu * s[0] / det;
    for (int i = 1; i < n; ++i) z[i] = -start_mu * s[i] / det;
  });
}

bool InteriorPoint::inside(const std::vector<double>& at) {
  bool all = true;
  for_each_cone([&](int first, int n, int) {
    for (int i = first; i < first + n; ++i) w.step_s[i] = row(i).dot(ConstColumn(at.data(), m)) + problem.g[i];
    all = all && cone_margin(w.step_s.data() + first, n) >= 0;
  });
  return all;
}

// U = root^T root, `rank` rows of m, from the pivoted Cholesky factor of try_free_minimum.
void InteriorPoint::keep_root(int rank) {
  root_rows = rank;
  w.root.assign(static_cast<size_t>(rank) * m, 0.0);
  for (int k = 0; k < rank; ++k) {
    for (int i = k; i < m; ++i) {
      const int j = w.pivots[i];
      if (w.diagonal[j] > 0)
        w.root[static_cast<size_t>(k) * m + j] = w.factor[static_cast<size_t>(k) * m + i] / w.diagonal[j];
    }
  }
}

// From y to a minimum of f without cones, by a basic solution of U d = -(U y + v); true, and y there, if it is inside.
bool InteriorPoint::try_free_minimum() {
  for (int j = 0; j < m; ++j) {
    const double d = problem.U[static_cast<size_t>(j) * m + j];
    w.diagonal[j] = d * w.reach[j] * w.reach[j] > objective_rounding * gap_scale ? 1 / std::sqrt(d) : 0.0;
  }
  for (int j = 0; j < m; ++j) {
    const ConstColumn column(problem.U.data() + static_cast<size_t>(j) * m, m);
    w.right[j] = -w.diagonal[j] * (column.dot(ConstColumn(y.data(), m)) + problem.v[j]);
    for (int i = 0; i < m; ++i) w.factor[static_cast<size_t>(j) * m + i] = w.diagonal[i] * column[i] * w.diagonal[j];
  }
  const int rank = pivoted_cholesky(w.factor.data(), m, rank_tolerance, w.pivots);
  solve_pivoted(w.factor.data(), m, rank, w.pivots, w.right.data(), w.dy.data());
  keep_root(rank);
  for (int j = 0; j < m; ++j) w.dy[j] = y[j] + w.diagonal[j] * w.dy[j];
  // Is it a minimum? Not where f falls without bound.
  double left = 0;
  for (int j = 0; j < m; ++j) {
    const ConstColumn column(problem.U.data() + static_cast<size_t>(j) * m, m);
    left += std::abs(column.dot(ConstColumn(w.dy.data(), m)) + problem.v[j]) * (w.reach[j] + std::abs(w.dy[j]));
  }
  if (!(left <= 1e-2 * options.tolerance * gap_scale) || !inside(w.dy)) return false;
  y = w.dy;
  return true;
}

// r_p = G y + g - s, r_d = U y + v - G^T z.
void InteriorPoint::measure_residuals() {
  const ConstColumn at(y.data(), m);
  Column r_d(w.r_d.data(), m);
  for (int j = 0; j < m; ++j) {
    r_d[j] = ConstColumn(problem.U.data() + static_cast<size_t>(j) * m, m).dot(at) + problem.v[j];
  }
  for (int r = 0; r < rows; ++r) {
    w.r_p[r] = row(r).dot(at) + problem.g[r] - w.s[r];
    r_d -= w.z[r] * row(r);
  }
  mu = gap() / std::max(1, cones);
}

double InteriorPoint::objective() const {
  double f = problem.constant;
  for (int j = 0; j < m; ++j) {
    f += y[j] * (ConstColumn(problem.U.data() + static_cast<size_t>(j) * m, m).dot(ConstColumn(y.data(), m)) / 2 +
                 problem.v[j]);
  }
  return f;
}

double InteriorPoint::worst_residual() const {
  double primal = 0, dual = 0;
  for (int r = 0; r < rows; ++r) primal = std::max(primal, std::abs(w.r_p[r]));
  for (int j = 0; j < m; ++j) dual += std::abs(w.r_d[j]) * (w.reach[j] + std::abs(y[j]));
  bool outside = false;
  for_each_cone([&](int first, int n, int) { outside = outside || !(cone_margin(w.z.data() + first, n) >= 0); });
  if (outside) return infinity;  // no multipliers
  const double above = std::min(std::max(dual, gap()), std::max(0.0, objective() - options.least));
  const double worst = std::max(primal / g_scale, above / gap_scale);
  return std::isfinite(worst) ? worst : infinity;
}

// y = 0, where it is feasible and f hardly above its least value.
bool InteriorPoint::start_is_enough() {
  return problem.constant - options.least <= options.tolerance * gap_scale && inside(y);
}

// W of every cone, lambda = W z; false where an iterate has left its cone.
bool InteriorPoint::scale_cones() {
  bool finite = true;
  for_each_cone([&](int first, int n, int i) {
    w.eta[i] = form_scaling(w.s.data() + first, w.z.data() + first, n, w.scaling.data() + first);
    std::copy_n(w.z.data() + first, n, w.lambda.data() + first);
    scale_up(w.eta[i], w.scaling.data() + first, n, w.lambda.data() + first);
    finite = finite && std::isfinite(w.eta[i]) && w.eta[i] > 0 && cone_det(w.lambda.data() + first, n) > 0;
  });
  return finite;
}

// H = U + (W^-1 G)^T (W^-1 G), lower triangle.
void InteriorPoint::form_normal_matrix() {
  w.scaled_G = problem.G;
  for_each_cone([&](int first, int n, int i) {
    const double* a = w.scaling.data() + first;
    const double tail = tail_norm(a, n), grow = a[0] + tail;
    double* G = w.scaled_G.data() + static_cast<size_t>(first) * m;
    Column head(G, m), dots(w.right.data(), m), along(w.e_y.data(), m);
    dots.setZero();
    for (int r = 1; tail > 0 && r < n; ++r) dots += a[r] / tail * Column(G + static_cast<size_t>(r) * m, m);
    along = ((head + dots) / grow - (head - dots) * grow) / 2;
    head = ((head + dots) / grow + (head - dots) * grow) / 2;
    for (int r = 1; tail > 0 && r < n; ++r) Column(G + static_cast<size_t>(r) * m, m) += a[r] / tail * (along - dots);
    Column(G, static_cast<long>(n) * m) /= w.eta[i];
  });
  w.H = problem.U;
  for (int r = 0; r < rows; ++r) {
    const double* x = w.scaled_G.data() + static_cast<size_t>(r) * m;
    for (int j = 0; j < m; ++j) {
      if (x[j] == 0) continue;
      Column(w.H.data() + static_cast<size_t>(j) * m + j, m - j) += x[j] * ConstColumn(x + j, m - j);
    }
  }
}

// H = L L^T scaled to a unit diagonal; an unknown that nothing depends on stays where it is.
bool InteriorPoint::factor_normal_matrix() {
  for (int j = 0; j < m; ++j) {
    const double d = w.H[static_cast<size_t>(j) * m + j];
    w.diagonal[j] = d > 0 ? 1 / std::sqrt(d) : 0.0;
  }
  return orthogonal ? factor_by_reflections() : factor_by_cholesky();
}

bool InteriorPoint::factor_by_cholesky() {
  for (double shift = first_shift; shift <= largest_shift; shift *= 100) {
    for (int j = 0; j < m; ++j) {
      double* to = w.factor.data() + static_cast<size_t>(j) * m;
      for (int i = j; i < m; ++i) to[i] = w.diagonal[i] * w.H[static_cast<size_t>(j) * m + i] * w.diagonal[j];
      to[j] = 1 + shift;
    }
    if (cholesky(w.factor.data(), m)) return true;
  }
  return false;
}

// The same L from the QR factors of (root ; W^-1 G): H squares the condition of these rows, and near the end, with cones
// at their apex, has lost the smaller half of their digits.
bool InteriorPoint::factor_by_reflections() {
  const int n = root_rows + rows;
  if (n < m) return factor_by_cholesky();
  w.stack.resize(static_cast<size_t>(n) * m);
  // Large rows first: reflections keep the digits of small rows below them.
  w.order.resize(n);
  w.length.resize(n);
  for (int i = 0; i < n; ++i) {
    const double* from = i < root_rows ? w.root.data() + static_cast<size_t>(i) * m
                                       : w.scaled_G.data() + static_cast<size_t>(i - root_rows) * m;
    w.order[i] = i;
    w.length[i] = (ConstColumn(from, m).array() * ConstColumn(w.diagonal.data(), m).array()).abs().maxCoeff();
  }
  std::sort(w.order.begin(), w.order.end(),
            [&](int i, int j) { return w.length[i] != w.length[j] ? w.length[i] > w.length[j] : i < j; });
  for (int i = 0; i < n; ++i) {
    const int r = w.order[i];
    const double* from = r < root_rows ? w.root.data() + static_cast<size_t>(r) * m
                                       : w.scaled_G.data() + static_cast<size_t>(r - root_rows) * m;
    for (int j = 0; j < m; ++j) w.stack[static_cast<size_t>(j) * n + i] = w.diagonal[j] * from[j];
  }
  for (int k = 0; k < m; ++k) {
    Column v(w.stack.data() + static_cast<size_t>(k) * n + k, n - k);
    const double length = v[0] > 0 ? -v.norm() : v.norm();
    v[0] -= length;
    const double square = v.squaredNorm();
    for (int j = k; j < m; ++j) {
      double value = length;  // column k itself becomes (length, 0)
      if (j > k) {
        Column x(w.stack.data() + static_cast<size_t>(j) * n + k, n - k);
        if (square > 0) x -= (2 * v.dot(x) / square) * v;
        value = x[0];
      }
      w.factor[static_cast<size_t>(k) * m + j] = value;
    }
    double& pivot = w.factor[static_cast<size_t>(k) * m + k];
    if (!(std::abs(pivot) > least_pivot)) pivot = w.diagonal[k] > 0 ? least_pivot : 1.0;
  }
  return true;
}

// x := H^-1 x.
void InteriorPoint::solve_normal(std::vector<double>& x) {
  Column column(x.data(), m);
  const ConstColumn D(w.diagonal.data(), m);
  column.array() *= D.array();
  solve_lower(w.factor.data(), m, x.data());
  solve_lower_transposed(w.factor.data(), m, x.data());
  column.array() *= D.array();
}

// Adds to dy, ds, dz and their scaled forms the solution of
//     U dy - G^T dz = -e_d,   G dy - ds = -e_p,   W^-1 ds + W dz = e_c.
void InteriorPoint::add_solution() {
  w.scaled_p = w.e_p;
  for_each_cone(
      [&](int first, int n, int i) { scale_down(w.eta[i], w.scaling.data() + first, n, w.scaled_p.data() + first); });
  Column right(w.right.data(), m);
  right = -Column(w.e_d.data(), m);
  for (int r = 0; r < rows; ++r) right += (w.e_c[r] - w.scaled_p[r]) * scaled_row(r);
  w.e_y = w.right;
  solve_normal(w.e_y);
  const ConstColumn dy(w.e_y.data(), m);
  Column(w.dy.data(), m) += dy;
  for (int r = 0; r < rows; ++r) {
    const double scaled = w.scaled_p[r] + scaled_row(r).dot(dy);
    w.step_s[r] += scaled;                 // W^-1 ds
    w.e_c[r] -= scaled;                    // W dz
    w.ds[r] += w.e_p[r] + row(r).dot(dy);  // from G itself: W (W^-1 ds) would lose digits of s = G y + g
  }
  Column(w.step_z.data(), rows) += Column(w.e_c.data(), rows);
  for_each_cone(
      [&](int first, int n, int i) { scale_down(w.eta[i], w.scaling.data() + first, n, w.e_c.data() + first); });
  Column(w.dz.data(), rows) += Column(w.e_c.data(), rows);
}

// What the direction leaves of the equations, into e_d, e_p, e_c.
void InteriorPoint::measure_direction(double residual_share) {
  const ConstColumn dy(w.dy.data(), m);
  for (int j = 0; j < m; ++j) {
    w.e_d[j] = residual_share * w.r_d[j] + ConstColumn(problem.U.data() + static_cast<size_t>(j) * m, m).dot(dy);
  }
  w.e_c = w.ds;
  w.scaled_p = w.dz;
  for_each_cone([&](int first, int n, int i) {
    scale_down(w.eta[i], w.scaling.data() + first, n, w.e_c.data() + first);
    scale_up(w.eta[i], w.scaling.data() + first, n, w.scaled_p.data() + first);
  });
  for (int r = 0; r < rows; ++r) {
    w.e_p[r] = residual_share * w.r_p[r] + row(r).dot(dy) - w.ds[r];
    w.e_c[r] = w.c[r] - w.e_c[r] - w.scaled_p[r];
    Column(w.e_d.data(), m) -= w.dz[r] * row(r);
  }
}

// dy, ds, dz for the right-hand side w.c of the complementarity equations and `residual_share` of r_p, r_d, refined on
// the equations themselves: near the end H has lost what the smaller axes of W say.
void InteriorPoint::find_direction(double residual_share) {
  for_each_cone([&](int first, int n, int) { jordan_divide(w.lambda.data() + first, n, w.c.data() + first); });
  for (auto* x : {&w.dy, &w.ds, &w.dz, &w.step_s, &w.step_z}) std::fill(x->begin(), x->end(), 0.0);
  for (int pass = 0; pass <= refinements; ++pass) {
    measure_direction(residual_share);
    add_solution();
  }
}

double InteriorPoint::longest_step() const {
  double step = infinity;
  for_each_cone([&](int first, int n, int) {
    step = std::min({step, step_to_boundary(w.s.data() + first, w.ds.data() + first, n),
                     step_to_boundary(w.z.data() + first, w.dz.data() + first, n)});
  });
  return step;
}

// c = -lambda o lambda.
void InteriorPoint::affine_direction() {
  for_each_cone([&](int first, int n, int) {
    const double* lambda = w.lambda.data() + first;
    jordan_product(lambda, lambda, n, w.c.data() + first);
    for (int r = 0; r < n; ++r) w.c[first + r] *= -1;
  });
  find_direction(1.0);
}

// c = sigma mu e - lambda o lambda - (W^-1 ds) o (W dz) of the affine direction.
void InteriorPoint::combined_direction(double sigma) {
  for_each_cone([&](int first, int n, int) {
    const double* lambda = w.lambda.data() + first;
    jordan_product(w.step_s.data() + first, w.step_z.data() + first, n, w.e_c.data() + first);
    jordan_product(lambda, lambda, n, w.e_p.data() + first);
    for (int r = first; r < first + n; ++r) w.c[r] = -w.e_c[r] - w.e_p[r];
    w.c[first] += sigma * mu;
  });
  find_direction(1 - sigma);
}

// c = sigma mu e - lambda o lambda with sigma near one.
void InteriorPoint::centring_direction() {
  for_each_cone([&](int first, int n, int) {
    const double* lambda = w.lambda.data() + first;
    jordan_product(lambda, lambda, n, w.c.data() + first);
    for (int r = first; r < first + n; ++r) w.c[r] *= -1;
    w.c[first] += centring * mu;
  });
  find_direction(1 - centring);
}

void InteriorPoint::move(double step) {
  Column(y.data(), m) += step * Column(w.dy.data(), m);
  Column(w.s.data(), rows) += step * Column(w.ds.data(), rows);
  Column(w.z.data(), rows) += step * Column(w.dz.data(), rows);
}

// One step of predictor and corrector; false where there is none.
bool InteriorPoint::iterate() {
  if (!scale_cones()) return false;
  form_normal_matrix();
  if (!factor_normal_matrix()) return false;
  affine_direction();
  const double affine = std::min(1.0, longest_step());
  if (!std::isfinite(affine)) return false;
  combined_direction(std::pow(1 - affine, 3));
  double step = std::min(1.0, boundary_share * longest_step());
  if (step < short_step) {  // far from the central path: back to it, without the corrector's guess
    centring_direction();
    step = std::min(1.0, boundary_share * longest_step());
  }
  if (!(step > 1e-12)) return false;
  move(step);
  return true;
}

SolveReport InteriorPoint::run() {
  size_memory();
  place_start();
  SolveReport report;
  if (m == 0 || start_is_enough() || try_free_minimum()) {
    report.termination = Termination::solved;
    report.residual = 0;
    return report;
  }
  report.residual = infinity;
  for (int idle = 0; report.iterations <= options.max_iterations; ++report.iterations) {
    measure_residuals();
    const double now = worst_residual();
    const double before = report.residual;
    if (now < before) {
      report.residual = now;
      w.best = y;
      w.multipliers = w.z;
    }
    idle = now < 0.5 * before ? 0 : idle + 1;
    const bool solved = report.residual <= options.tolerance;
    if (idle > 0 && report.residual < orthogonal_below && !solved && !orthogonal) {
      orthogonal = true;
      idle = 0;
    }
    if (now <= smallest_gap || idle >= (solved ? patience_when_solved : patience)) break;
    if (report.iterations == options.max_iterations || !iterate()) break;
  }
  y = w.best;
  if (try_free_minimum()) {
    report.residual = 0;
    std::fill(w.multipliers.begin(), w.multipliers.end(), 0.0);
  }
  report.termination = report.residual <= options.tolerance ? Termination::solved : Termination::not_found;
  return report;
}

}  // namespace

SolveReport solve_cone_qp(const ConeQp& problem, const ConeQpOptions& options, ConeQpWorkspace& workspace,
                          std::vector<double>& y) {
  STICTION_ASSERT(problem.U.size() == static_cast<size_t>(problem.unknowns) * problem.unknowns, "U is square");
  return InteriorPoint(problem, options, workspace, y).run();
}

}  // namespace stiction::solvers
