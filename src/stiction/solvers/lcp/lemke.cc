#include "stiction/solvers/lcp/lemke.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "stiction/base/assert.h"
#include "stiction/base/infinity.h"
#include "stiction/math/linear/dense_kernels.h"
#include "stiction/math/linear/dense_lu.h"

namespace stiction::solvers {
namespace {

// Pivots of the basic block below this fraction of its largest entry mean that the columns are not a basis.
constexpr double singular_pivot = 1e-14;

// Negative z and w of this size, relative to the largest z and q, are rounding in a basis that is right.
constexpr double feasibility = 1e-13;

// Basic z below this fraction of the largest may be zeros of a degenerate corner.
constexpr double degeneracy = 1e-10;

// An answer this good, relative to the largest z and q, cannot be told from rounding: look no further.
constexpr double excellent_residual = 1e-14;

// Diagonal entries below this fraction of the largest are squares of rounding, couplings below this one are rounding.
constexpr double rounding_diagonal = 1e-20;
constexpr double rounding_coupling = 1e-8;

// The power of two nearest to x by ratio: multiplying by it rounds nothing.
double power_of_two(double x) {
  return std::scalbn(1.0, std::ilogb(x * std::numbers::sqrt2));
}

bool all_finite(size_t count, const double* x) {
  return (Eigen::Map<const VectorX>(x, static_cast<Eigen::Index>(count)) * 0.0).sum() == 0;
}

// One solve: problem, memory and what is known so far.
struct Lemke {
  const LcpView& problem;
  const LemkeOptions& options;
  LemkeWorkspace& work;
  double* z_out;
  double* w_out;
  double q_scale = 1;                // s
  double best_violation = infinity;  // of the answer now in z_out and w_out
  double best_magnitude = 1;
  SolveReport report = {};

  double entry(int i, int j) const { return problem.M[static_cast<size_t>(j) * problem.n + i]; }

  void prepare();
  void choose_scale(bool use_diagonal);
  double coupling(int i) const;
  void scale_by_coupling();
  bool try_zero();
  bool try_warm();
  bool try_cold();
  bool pivot_from_scratch(const LemkeTableau::Rules& rules);
  double solve_basis();
  void evaluate(int basic_count);
  bool keep_if_better(double violation);
  double magnitude() const;
  void drop_degenerate();
  int flip_infeasible(bool last_only);
};

void Lemke::prepare() {
  const int n = problem.n;
  work.scale.resize(n);
  work.q.resize(n);
  work.z.resize(n);
  work.w.resize(n);
  work.correction.resize(n);
  work.rows.resize(2 * n);
  work.basis.reserve(n);
  work.trial_basis.reserve(n);
  work.factor.reserve(static_cast<size_t>(padded(n)) * n);
  work.tableau.reserve(n);
  std::fill_n(z_out, n, std::numeric_limits<double>::quiet_NaN());
  std::fill_n(w_out, n, std::numeric_limits<double>::quiet_NaN());
}

// Largest |M_ij| D_j or |M_ji| D_j of row and column i over the rows that have a scale already.
double Lemke::coupling(int i) const {
  double largest = 0;
  for (int j = 0; j < problem.n; ++j) {
    largest = std::max(largest, std::max(std::abs(entry(i, j)), std::abs(entry(j, i))) * work.scale[j]);
  }
  return largest;
}

// Gives a scale to the rows without one that are coupled to rows that have one by more than rounding.
void Lemke::scale_by_coupling() {
  double largest = 0;
  for (int i = 0; i < problem.n; ++i) {
    work.correction[i] = work.scale[i] > 0 ? 0.0 : coupling(i);
    largest = std::max(largest, work.correction[i]);
  }
  for (int i = 0; i < problem.n; ++i) {
    if (work.correction[i] > rounding_coupling * largest) work.scale[i] = power_of_two(1 / work.correction[i]);
  }
}

// D_ii = M_ii^(-1/2). Rows without a diagonal (the friction bounds of trinkle2003 (37)) take the scale that makes their
// largest coupling to the rows before one; then those that were left, whose couplings so far were only rounding
// (friction across the plane of a plane mechanism, whose diagonal is rounding too: taken for a scale it would hide the
// bound).
void Lemke::choose_scale(bool use_diagonal) {
  const int n = problem.n;
  std::fill(work.scale.begin(), work.scale.end(), use_diagonal ? 0.0 : 1.0);
  if (use_diagonal) {
    double largest_diagonal = 0;
    for (int i = 0; i < n; ++i) largest_diagonal = std::max(largest_diagonal, std::abs(entry(i, i)));
    for (int i = 0; i < n; ++i) {
      const double diagonal = std::abs(entry(i, i));
      if (diagonal > rounding_diagonal * largest_diagonal) work.scale[i] = power_of_two(1 / std::sqrt(diagonal));
    }
    for (int round = 0; round < 3; ++round) scale_by_coupling();
    for (double& scale : work.scale) scale = scale > 0 ? scale : 1.0;
  }
  double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(problem.q[i]) * work.scale[i]);
  q_scale = largest > 0 ? power_of_two(largest) : 1.0;
  for (int i = 0; i < n; ++i) work.q[i] = problem.q[i] * work.scale[i] / q_scale;
}

// w' = D M D z' + q' from the problem's own numbers; only basic columns count.
void Lemke::evaluate(int basic_count) {
  const int n = problem.n;
  const int* index = work.rows.data();
  for (int i = 0; i < n; ++i) work.w[i] = problem.q[i] / q_scale;
  for (int k = 0; k < basic_count; ++k) {
    const int j = index[k];
    const double value = work.z[j] * work.scale[j];
    if (value != 0) subtract_scaled(n, -value, problem.M + static_cast<size_t>(j) * n, work.w.data());
  }
  for (int i = 0; i < n; ++i) work.w[i] *= work.scale[i];
}

// Solves the trial basis for z' and w': M_BB z_B = -q_B by LU, two steps of refinement. Returns the largest violation
// of z >= 0, w >= 0 and w_B = 0, infinity where the block is singular.
double Lemke::solve_basis() {
  const int n = problem.n;
  int* index = work.rows.data();
  int count = 0;
  for (int i = 0; i < n; ++i) {
    work.z[i] = 0;
    if (work.trial_basis[i]) index[count++] = i;
  }
  const int stride = padded(count);
  work.factor.resize(static_cast<size_t>(stride) * count);
  for (int b = 0; b < count; ++b) {
    double* column = work.factor.data() + static_cast<size_t>(b) * stride;
    for (int a = 0; a < count; ++a) column[a] = entry(index[a], index[b]) * work.scale[index[a]] * work.scale[index[b]];
  }
  int* exchanges = index + n;
  if (!factor_lu(count, work.factor.data(), stride, exchanges, singular_pivot)) return infinity;
  evaluate(0);
  for (int pass = 0; pass < 3; ++pass) {
    for (int a = 0; a < count; ++a) work.correction[a] = -work.w[index[a]];
    solve_lu(count, work.factor.data(), stride, exchanges, work.correction.data());
    for (int a = 0; a < count; ++a) work.z[index[a]] += work.correction[a];
    evaluate(count);
  }
  double violation = 0;
  for (int i = 0; i < n; ++i) {
    violation = std::max(violation, work.trial_basis[i] ? std::max(-work.z[i], std::abs(work.w[i])) : -work.w[i]);
    if (!std::isfinite(work.z[i]) || !std::isfinite(work.w[i])) return infinity;
  }
  return violation;
}

// Size of the numbers that z and w are the difference of, in scaled units.
double Lemke::magnitude() const {
  double largest = 1;
  for (const double z : work.z) largest = std::max(largest, std::abs(z));
  return largest;
}

// Takes the trial answer over when it violates less than what is there; says whether it solves the problem.
bool Lemke::keep_if_better(double violation) {
  if (violation < best_violation) {
    best_violation = violation;
    best_magnitude = magnitude();
    report.residual = violation;
    work.basis = work.trial_basis;
    for (int i = 0; i < problem.n; ++i) {
      const bool basic = work.trial_basis[i] != 0;
      z_out[i] = basic ? std::max(0.0, work.z[i]) * work.scale[i] * q_scale : 0.0;
      w_out[i] = basic ? 0.0 : std::max(0.0, work.w[i]) / work.scale[i] * q_scale;
    }
  }
  return best_violation <= options.tolerance;
}

bool Lemke::try_zero() {
  if (std::any_of(work.q.begin(), work.q.end(), [](double q) { return q < 0; })) return false;
  work.trial_basis.assign(problem.n, 0);
  return keep_if_better(solve_basis());
}

// Moves basic z < 0 and non-basic w < 0 to the other side, all of them or only the last. Returns how many are wrong.
int Lemke::flip_infeasible(bool last_only) {
  const double tolerance = feasibility * magnitude();
  int wrong = 0;
  int last = -1;
  for (int i = 0; i < problem.n; ++i) {
    const double value = work.trial_basis[i] ? work.z[i] : work.w[i];
    if (value >= -tolerance) continue;
    ++wrong;
    last = i;
    if (!last_only) work.trial_basis[i] ^= 1;
  }
  if (last_only && last >= 0) work.trial_basis[last] ^= 1;
  return wrong;
}

// The caller's basis as it is, then block principal pivoting from it: all wrong indices at once while their number
// falls, the last alone (Murty) where it does not.
bool Lemke::try_warm() {
  if (static_cast<int>(work.basis.size()) != problem.n) return false;
  work.trial_basis = work.basis;
  int fewest = problem.n + 1;
  int patience = 2;
  for (int round = 0; round <= options.max_repairs; ++round) {
    const double violation = solve_basis();
    if (violation == infinity) return false;
    report.iterations = round;
    if (violation <= feasibility * magnitude() && keep_if_better(violation)) return report.warm_started = true;
    const bool last_only = patience <= 0;
    const int wrong = flip_infeasible(last_only);
    if (wrong == 0) return false;  // only rounding is left, and it is too much: pivot instead
    if (wrong < fewest) {
      fewest = wrong;
      patience = 2;
    } else {
      --patience;
    }
  }
  return false;
}

bool Lemke::pivot_from_scratch(const LemkeTableau::Rules& rules) {
  LemkeTableau& tableau = work.tableau;
  tableau.start(problem.n, problem.M, work.scale.data(), work.q.data());
  const LemkeTableau::End end = tableau.run(rules);
  report.iterations += tableau.pivots;
  if (end == LemkeTableau::End::time_limit) report.termination = Termination::time_limit;
  if (end == LemkeTableau::End::breakdown || end == LemkeTableau::End::time_limit) return false;
  tableau.read_basis(work.trial_basis);
  keep_if_better(solve_basis());
  // On a ray z0 is still basic and one pair has neither member in the basis. Where z0 is only rounding, one of them
  // completes it.
  const int missing = tableau.missing_pair();
  if (missing >= 0 && best_violation > options.tolerance) {
    work.trial_basis[missing] = 1;
    keep_if_better(solve_basis());
  }
  if (best_violation < infinity) drop_degenerate();
  return best_violation <= options.tolerance;
}

// A degenerate basis holds z that should be zero and come out as rounding of either sign, along directions in which the
// block is nearly singular. Without them the block is better conditioned: they are dropped where that lessens the
// violation.
void Lemke::drop_degenerate() {
  for (int round = 0; round < 3 && best_violation > excellent_residual * best_magnitude; ++round) {
    work.trial_basis = work.basis;
    int dropped = 0;
    for (int i = 0; i < problem.n; ++i) {
      if (work.basis[i] && z_out[i] <= degeneracy * best_magnitude * work.scale[i] * q_scale) {
        work.trial_basis[i] = 0;
        ++dropped;
      }
    }
    const double before = best_violation;
    if (dropped > 0) keep_if_better(solve_basis());
    if (best_violation == before) return;
  }
}

// First as fast as it goes, then recomputing the tableau every few pivots with ever more careful rules; the best answer
// of all stays.
bool Lemke::try_cold() {
  LemkeTableau::Rules rules;
  rules.max_pivots = options.max_pivots > 0 ? options.max_pivots : 50 * problem.n + 1000;
  rules.deadline = Deadline(options.time_limit);
  rules.tie_tolerance = options.tie_tolerance;
  rules.pivot_tolerance = options.pivot_tolerance;
  if (pivot_from_scratch(rules)) return true;
  if (report.termination == Termination::time_limit) return false;
  rules.max_pivots = std::min(rules.max_pivots, 10 * problem.n + 1000);
  for (const int interval : {20, 5, 1}) {
    rules.refactor_interval = interval;
    for (const double factor : {1e-2, 1.0, 1e2}) {
      rules.tie_tolerance = std::min(1.0, factor) * options.tie_tolerance;
      rules.pivot_tolerance = 1e2 * std::max(1.0, factor) * options.pivot_tolerance;
      if (pivot_from_scratch(rules)) return true;
      if (report.termination == Termination::time_limit) return false;
    }
  }
  choose_scale(!options.scale);
  best_violation = infinity;  // violations are in scaled units: what was found so far does not compare
  return pivot_from_scratch(rules);
}

}  // namespace

SolveReport solve_lemke(const LcpView& problem, bool warm_start, const LemkeOptions& options, LemkeWorkspace& workspace,
                        double* z, double* w) {
  Lemke lemke{problem, options, workspace, z, w};
  lemke.prepare();
  const size_t n = problem.n;
  if (!all_finite(n * n, problem.M) || !all_finite(n, problem.q)) return lemke.report;
  lemke.choose_scale(options.scale);
  if (lemke.try_zero() || (warm_start && lemke.try_warm()) || lemke.try_cold()) {
    lemke.report.termination = Termination::solved;
  }
  return lemke.report;
}

SolveReport solve_lemke(const Lcp& problem, VectorX& z, const LemkeOptions& options) {
  const int n = static_cast<int>(problem.q.size());
  STICTION_ASSERT(problem.M.rows() == n && problem.M.cols() == n, "M must be n x n for n values of q");
  LemkeWorkspace workspace;
  VectorX w(n);
  z.resize(n);
  return solve_lemke({n, problem.M.data(), problem.q.data()}, false, options, workspace, z.data(), w.data());
}

}  // namespace stiction::solvers
