#include "stiction/solvers/cone/cone_qp.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/assert.h"
#include "stiction/math/linear/dense.h"
#include "stiction/solvers/cone/cone_kernels.h"
#include "stiction/solvers/cone/cone_qp_newton.h"

namespace stiction::solvers {

namespace {

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

struct InteriorPoint : ConeNewton {
  const ConeQpOptions& options;
  std::vector<double>& y;
  double g_scale = 1, gap_scale = 1, mu = 0;

  InteriorPoint(const ConeQp& p, const ConeQpOptions& o, ConeQpWorkspace& workspace, std::vector<double>& answer)
      : ConeNewton(p, workspace), options(o), y(answer) {}

  void size_memory();
  void place_start();
  void find_reach();
  bool try_free_minimum();
  bool inside(const std::vector<double>& at);
  void measure_residuals();
  double objective() const;
  double worst_residual() const;
  bool start_is_enough();
  void keep_root(int rank);
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
};

void InteriorPoint::size_memory() {
  for (auto* x : {&w.s, &w.z, &w.lambda, &w.scaling, &w.ds, &w.dz, &w.step_s, &w.step_z, &w.r_p, &w.c, &w.e_p, &w.e_c,
                  &w.scaled_p})
    x->assign(rows, 0.0);
  for (auto* x : {&w.dy, &w.r_d, &w.right, &w.best, &w.reach, &w.diagonal, &w.e_d, &w.e_y, &y}) x->assign(m, 0.0);
  w.multipliers.assign(rows, 0.0);
  w.eta.assign(cones, 1.0);
  w.pivots.resize(m);
  w.H.resize(static_cast<size_t>(m) * m);
  w.factor.resize(static_cast<size_t>(m) * m);
  w.scaled_G.resize(problem.G.size());
  // For reflections, whether this problem comes to them or the next.
  const size_t stacked = static_cast<size_t>(m) + rows;
  w.root.reserve(static_cast<size_t>(m) * m);
  w.stack.reserve(stacked * m);
  w.order.reserve(stacked);
  w.length.reserve(stacked);
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
    const ConstColumn column = hessian_column(j);
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
    const ConstColumn column = hessian_column(j);
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
    r_d[j] = hessian_column(j).dot(at) + problem.v[j];
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
    f += y[j] * (hessian_column(j).dot(ConstColumn(y.data(), m)) / 2 + problem.v[j]);
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
  if (!form()) return false;
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
