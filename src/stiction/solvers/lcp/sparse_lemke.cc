#include "stiction/solvers/lcp/sparse_lemke.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/base/infinity.h"
#include "stiction/solvers/deadline.h"

namespace stiction::solvers {
namespace {

// A row that is preferred by the order is taken as pivot unless it is this much smaller than the largest.
constexpr double pivot_threshold = 0.1;

// Pivots below this fraction of their column mean that the columns are not a basis.
constexpr double singular_pivot = 1e-13;

// Basic values that cancelled to less than this fraction of their terms are zero (as in lemke_tableau.cc).
constexpr double cancelled_below = 4e-15;

// z0 leaves as soon as a pivot would bring it below this fraction of its first value.
constexpr double gone_below = 4e-14;

// Negative values of this size, relative to the largest, are rounding in a basis that is right; basic z below
// degeneracy of the largest may be zeros of a degenerate corner.
constexpr double feasibility = 1e-13;
constexpr double degeneracy = 1e-10;
constexpr double excellent_residual = 1e-14;

// A product of a factorisation costs as much as this many of an update (searching, scattering); each column as much as
// factor_overhead.
constexpr long factor_cost = 10;
constexpr long factor_overhead = 200;

enum class End { complementary, ray, limit, time, breakdown };

// One solve. Variables: w_i is i, z_i is n + i, z0 is 2 n.
struct SparseLemke {
  const SparseLemkeOptions& options;
  SparseLemkeWorkspace& work;
  double* z_out;
  double* w_out;
  int n;
  Deadline deadline;
  double best_violation = infinity;
  long update_work = 0;  // products with etas since the last factorisation
  SolveReport report = {};

  bool prepare(const SparseColumns& M, const double* q);
  void append_column(int variable);
  bool refactor();
  void solve_with_basis(double* right, double* result) const;
  void recompute_values();
  void enter(int variable);
  int choose_row(double z0_start) const;
  void exchange(int slot, int variable);
  bool refactor_is_due();
  void keep_ray(int entering);
  End run();
  double solve_basis();
  double magnitude() const;
  bool keep_if_better(double violation);
  bool try_warm();
  int flip_infeasible(bool last_only);
  void drop_degenerate();
  bool try_cold();
};

bool SparseLemke::prepare(const SparseColumns& M, const double* q) {
  std::fill_n(z_out, n, std::numeric_limits<double>::quiet_NaN());
  std::fill_n(w_out, n, std::numeric_limits<double>::quiet_NaN());
  work.ray.clear();
  if (!work.scaled.assign(M, q)) return false;
  minimum_degree(work.scaled.M, work.ordering, work.order);
  work.basic.resize(n);
  work.place.resize(2 * n + 1);
  work.slots.resize(n);
  work.preferred.resize(n);
  work.x.resize(n);
  work.d.resize(n);
  work.right.resize(n);
  return true;
}

void SparseLemke::append_column(int variable) {
  SparseColumns& B = work.B;
  const SparseColumns& M = work.scaled.M;
  if (variable < n) {
    B.row.push_back(variable);
    B.value.push_back(1);
  } else if (variable == 2 * n) {
    for (int i = 0; i < n; ++i) {
      B.row.push_back(i);
      B.value.push_back(-1);
    }
  } else {
    for (int p = M.start[variable - n]; p < M.start[variable - n + 1]; ++p) {
      B.row.push_back(M.row[p]);
      B.value.push_back(-M.value[p]);
    }
  }
  B.start.push_back(static_cast<int>(B.row.size()));
}

// LU of the present basis: w first (they cost nothing), z in the order of least fill, z0 last.
bool SparseLemke::refactor() {
  work.B.n = n;
  work.B.start.assign(1, 0);
  work.B.row.clear();
  work.B.value.clear();
  for (int slot = 0; slot < n; ++slot) append_column(work.basic[slot]);
  std::fill(work.place.begin(), work.place.end(), -1);
  for (int slot = 0; slot < n; ++slot) {
    work.place[work.basic[slot]] = slot;
    work.preferred[slot] = work.basic[slot] % n;
  }
  int count = 0;
  for (int i = 0; i < n; ++i) {
    if (work.place[i] >= 0) work.slots[count++] = work.place[i];
  }
  for (const int j : work.order) {
    if (work.place[n + j] >= 0) work.slots[count++] = work.place[n + j];
  }
  if (work.place[2 * n] >= 0) work.slots[count++] = work.place[2 * n];
  update_work = 0;
  work.eta_start.assign(1, 0);
  work.eta_slot.clear();
  work.eta_index.clear();
  work.eta_value.clear();
  work.eta_pivot.clear();
  return work.lu.factor(work.B, work.slots.data(), work.preferred.data(), pivot_threshold, singular_pivot);
}

// B^-1 right by slot; destroys right.
void SparseLemke::solve_with_basis(double* right, double* result) const {
  work.lu.solve(right, result);
  for (size_t k = 0; k < work.eta_slot.size(); ++k) {
    double& pivot = result[work.eta_slot[k]];
    if (pivot == 0) continue;
    pivot /= work.eta_pivot[k];
    const double step = pivot;
    for (int p = work.eta_start[k]; p < work.eta_start[k + 1]; ++p)
      result[work.eta_index[p]] -= step * work.eta_value[p];
  }
}

// x = B^-1 q right after a factorisation, refined once; what is negative is rounding.
void SparseLemke::recompute_values() {
  std::copy(work.scaled.q.begin(), work.scaled.q.end(), work.right.begin());
  work.lu.solve(work.right.data(), work.x.data());
  std::copy(work.scaled.q.begin(), work.scaled.q.end(), work.right.begin());
  for (int slot = 0; slot < n; ++slot) work.B.add_column(slot, -work.x[slot], work.right.data());
  work.lu.solve(work.right.data(), work.d.data());
  for (int slot = 0; slot < n; ++slot) work.x[slot] = std::max(0.0, work.x[slot] + work.d[slot]);
}

// d = B^-1 (column of the variable).
void SparseLemke::enter(int variable) {
  std::fill(work.right.begin(), work.right.end(), 0.0);
  if (variable < n) {
    work.right[variable] = 1;
  } else {
    work.scaled.M.add_column(variable - n, -1, work.right.data());
  }
  solve_with_basis(work.right.data(), work.d.data());
}

// Ratio test over usable pivots; ties go to z0, then to the largest pivot. -1: a ray.
int SparseLemke::choose_row(double z0_start) const {
  const double* d = work.d.data();
  const double* x = work.x.data();
  double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(d[i]));
  const double usable = options.lemke.pivot_tolerance * largest;
  double smallest = infinity;
  for (int i = 0; i < n; ++i) {
    if (d[i] > usable && x[i] < smallest * d[i]) smallest = x[i] / d[i];
  }
  if (smallest == infinity) return -1;
  const int z0_slot = work.place[2 * n];
  if (d[z0_slot] > usable && x[z0_slot] - smallest * d[z0_slot] <= gone_below * z0_start) return z0_slot;
  const double limit = smallest + options.lemke.tie_tolerance * std::abs(smallest);
  int best = -1;
  for (int i = 0; i < n; ++i) {
    if (d[i] > usable && x[i] <= limit * d[i] && (best < 0 || d[i] > d[best])) best = i;
  }
  return best;
}

void SparseLemke::exchange(int slot, int variable) {
  double* x = work.x.data();
  const double* d = work.d.data();
  const double step = x[slot] / d[slot];
  for (int i = 0; i < n; ++i) {
    if (d[i] == 0 || i == slot) continue;
    const double change = step * d[i];
    const double next = x[i] - change;
    x[i] = next <= cancelled_below * (std::abs(x[i]) + std::abs(change)) ? 0.0 : next;
    work.eta_index.push_back(i);
    work.eta_value.push_back(d[i]);
  }
  x[slot] = step;
  work.eta_slot.push_back(slot);
  work.eta_pivot.push_back(d[slot]);
  work.eta_start.push_back(static_cast<int>(work.eta_index.size()));
  work.place[work.basic[slot]] = -1;
  work.place[variable] = slot;
  work.basic[slot] = variable;
  ++report.iterations;
}

// Counted work, not the clock, decides: the same bits on every machine.
bool SparseLemke::refactor_is_due() {
  update_work += static_cast<long>(work.eta_index.size());
  return update_work > factor_cost * work.lu.operations + factor_overhead * n ||
         static_cast<int>(work.eta_slot.size()) >= options.refactor_interval;
}

// The entering variable grows without end and the basic ones with it: z of that direction. Where M is positive
// semidefinite it refutes the problem (its multipliers of Farkas).
void SparseLemke::keep_ray(int entering) {
  work.ray.assign(n, 0.0);
  if (entering >= n) work.ray[entering - n] = work.scaled.scale[entering - n];
  for (int slot = 0; slot < n; ++slot) {
    const int j = work.basic[slot] - n;
    if (j >= 0 && j < n) work.ray[j] = std::max(0.0, -work.d[slot]) * work.scaled.scale[j];
  }
}

// Pivots from w = q until z0 leaves.
End SparseLemke::run() {
  const int z0 = 2 * n;
  const int limit = options.lemke.max_pivots > 0 ? options.lemke.max_pivots : 10 * n + 1000;
  for (int i = 0; i < n; ++i) work.basic[i] = i;
  if (!refactor()) return End::breakdown;
  std::copy(work.scaled.q.begin(), work.scaled.q.end(), work.x.begin());
  std::fill(work.d.begin(), work.d.end(), -1.0);
  int entering = z0;
  int slot = static_cast<int>(std::min_element(work.x.begin(), work.x.end()) - work.x.begin());
  const double z0_start = std::abs(work.x[slot]);
  for (int pivots = 1;; ++pivots) {
    const int leaving = work.basic[slot];
    exchange(slot, entering);
    if (!std::isfinite(work.x[slot])) return End::breakdown;
    if (leaving == z0) return End::complementary;
    if (pivots >= limit) return End::limit;
    if (refactor_is_due()) {
      if (!refactor()) return End::breakdown;
      recompute_values();
      if (deadline.passed()) return End::time;
    }
    entering = leaving < n ? leaving + n : leaving - n;
    enter(entering);
    slot = choose_row(z0_start);
    if (slot < 0) {
      keep_ray(entering);
      return End::ray;
    }
  }
}

// Values of the trial basis in x (z_i where basic, else w_i): LU and two steps of refinement. Returns the largest
// violation, infinity where the basis is singular.
double SparseLemke::solve_basis() {
  for (int i = 0; i < n; ++i) work.basic[i] = work.trial_basis[i] ? n + i : i;
  if (!refactor()) return infinity;
  std::fill(work.x.begin(), work.x.end(), 0.0);
  double violation = 0;
  for (int pass = 0; pass < 4; ++pass) {
    std::copy(work.scaled.q.begin(), work.scaled.q.end(), work.right.begin());
    for (int i = 0; i < n; ++i) work.B.add_column(i, -work.x[i], work.right.data());
    if (pass == 3) break;
    work.lu.solve(work.right.data(), work.d.data());
    for (int i = 0; i < n; ++i) work.x[i] += work.d[i];
  }
  for (int i = 0; i < n; ++i) {
    if (!std::isfinite(work.x[i]) || !std::isfinite(work.right[i])) return infinity;
    violation = std::max({violation, -work.x[i], std::abs(work.right[i])});
  }
  return violation;
}

double SparseLemke::magnitude() const {
  double largest = 1;
  for (int i = 0; i < n; ++i) {
    if (work.trial_basis[i]) largest = std::max(largest, std::abs(work.x[i]));
  }
  return largest;
}

bool SparseLemke::keep_if_better(double violation) {
  if (violation < best_violation) {
    best_violation = report.residual = violation;
    work.basis = work.trial_basis;
    for (int i = 0; i < n; ++i) {
      const double value = std::max(0.0, work.x[i]);
      z_out[i] = work.trial_basis[i] ? value * work.scaled.z_unit(i) : 0.0;
      w_out[i] = work.trial_basis[i] ? 0.0 : value * work.scaled.w_unit(i);
    }
  }
  return best_violation <= options.lemke.tolerance;
}

int SparseLemke::flip_infeasible(bool last_only) {
  const double tolerance = feasibility * magnitude();
  int wrong = 0;
  int last = -1;
  for (int i = 0; i < n; ++i) {
    if (work.x[i] >= -tolerance) continue;
    ++wrong;
    last = i;
    if (!last_only) work.trial_basis[i] ^= 1;
  }
  if (last_only && last >= 0) work.trial_basis[last] ^= 1;
  return wrong;
}

// The caller's basis, then block principal pivoting from it (as Lemke::try_warm).
bool SparseLemke::try_warm() {
  if (static_cast<int>(work.basis.size()) != n) return false;
  work.trial_basis = work.basis;
  int fewest = n + 1;
  int patience = 2;
  for (int round = 0; round <= options.lemke.max_repairs; ++round) {
    const double violation = solve_basis();
    if (violation == infinity) return false;
    report.iterations = round;
    if (violation <= feasibility * magnitude() && keep_if_better(violation)) return report.warm_started = true;
    const int wrong = flip_infeasible(patience <= 0);
    if (wrong == 0) return false;
    patience = wrong < fewest ? 2 : patience - 1;
    fewest = std::min(fewest, wrong);
  }
  return false;
}

// Without the z that are zeros of a degenerate corner the basis is better conditioned.
void SparseLemke::drop_degenerate() {
  for (int round = 0; round < 3 && best_violation > excellent_residual * magnitude(); ++round) {
    const double smallest = degeneracy * magnitude();
    work.trial_basis = work.basis;
    int dropped = 0;
    for (int i = 0; i < n; ++i) {
      if (!work.basis[i] || z_out[i] > smallest * work.scaled.z_unit(i)) continue;
      work.trial_basis[i] = 0;
      ++dropped;
    }
    const double before = best_violation;
    if (dropped > 0) keep_if_better(solve_basis());
    if (best_violation == before) return;
  }
}

bool SparseLemke::try_cold() {
  if (std::all_of(work.scaled.q.begin(), work.scaled.q.end(), [](double q) { return q >= 0; })) {
    work.trial_basis.assign(n, 0);
    return keep_if_better(solve_basis());
  }
  const End end = run();
  if (end == End::time) report.termination = Termination::time_limit;
  if (end != End::complementary) return false;
  work.trial_basis.resize(n);
  for (int i = 0; i < n; ++i) work.trial_basis[i] = work.place[n + i] >= 0;
  keep_if_better(solve_basis());
  if (best_violation < infinity) drop_degenerate();
  return best_violation <= options.lemke.tolerance;
}

}  // namespace

SolveReport solve_sparse_lemke(const SparseColumns& M, const double* q, bool warm_start,
                               const SparseLemkeOptions& options, SparseLemkeWorkspace& workspace, double* z,
                               double* w) {
  SparseLemke lemke{options, workspace, z, w, M.n, Deadline(options.time_limit)};
  if (!lemke.prepare(M, q)) return lemke.report;
  if ((warm_start && lemke.try_warm()) || lemke.try_cold()) lemke.report.termination = Termination::solved;
  return lemke.report;
}

}  // namespace stiction::solvers
