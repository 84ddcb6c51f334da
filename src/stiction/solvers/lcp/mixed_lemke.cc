// The dictionary w = M z + q is pivoted until every equation's w is a column (fixed at zero) and every free z is a row.
// What is left pairs each complementarity variable with its partner: an LCP.
//
//   1. equation row against free column, largest pivot first: the usual Schur complement;
//   2. where the block of the equations is singular, a pair (w_i, z_i) helps out: equation row against column z_i, then
//   row w_i
//      against the free column. The pair stays a pair, with its roles exchanged;
//   3. an equation that has become 0 = 0 goes, and a free variable that nothing depends on is zero.
#include "stiction/solvers/lcp/mixed_lemke.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/QR>

#include "stiction/base/assert.h"

namespace stiction::solvers {
namespace {

// Entries below this fraction of the largest of M after scaling are what elimination left of zero.
constexpr double zero_below = 1e-12;

// Variables: w_i is i, z_i is n + i.
struct Dictionary {
  const MixedLcp& problem;
  int n;
  MatrixX T;
  VectorX value;
  VectorX row_scale, column_scale;  // T(i, j) row_scale_i column_scale_j is of the order of one
  std::vector<int> row, column;     // variable at each place
  std::vector<bool> row_done, column_done;

  explicit Dictionary(const MixedLcp& mixed)
      : problem(mixed), n(static_cast<int>(mixed.q.size())), T(mixed.M), value(mixed.q), row_done(n), column_done(n) {
    for (int i = 0; i < n; ++i) {
      row.push_back(i);
      column.push_back(n + i);
    }
    equilibrate();
  }

  bool is_equation(int variable) const { return problem.is_complementarity[variable % n] == 0; }
  double size(int r, int c) const { return std::abs(T(r, c)) * row_scale[r] * column_scale[c]; }

  void equilibrate();
  void exchange(int r, int c);
  bool pivot_equation();
  bool pivot_through_pair();
  void drop_empty();
};

// Rows, then columns, to a largest entry of one.
void Dictionary::equilibrate() {
  row_scale = VectorX::Ones(n);
  column_scale = VectorX::Ones(n);
  for (int pass = 0; pass < 3; ++pass) {
    for (int i = 0; i < n; ++i) {
      double largest = 0;
      for (int j = 0; j < n; ++j) largest = std::max(largest, std::abs(T(i, j)) * column_scale[j]);
      if (largest > 0) row_scale[i] = 1 / largest;
    }
    for (int j = 0; j < n; ++j) {
      double largest = 0;
      for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(T(i, j)) * row_scale[i]);
      if (largest > 0) column_scale[j] = 1 / largest;
    }
  }
}

void Dictionary::exchange(int r, int c) {
  const double pivot = T(r, c);
  const VectorX entering = T.col(c);
  Eigen::RowVectorXd leaving = -T.row(r) / pivot;
  leaving[c] = 1 / pivot;
  T.col(c).setZero();
  T += entering * leaving;
  const double step = -value[r] / pivot;
  value += entering * step;
  T.row(r) = leaving;
  value[r] = step;
  std::swap(row[r], column[c]);
  const double scale = row_scale[r];
  row_scale[r] = 1 / column_scale[c];
  column_scale[c] = 1 / scale;
}

// Step 1 once: false when no pivot is left.
bool Dictionary::pivot_equation() {
  int best_row = -1;
  int best_column = -1;
  double best = zero_below;
  for (int c = 0; c < n; ++c) {
    if (column_done[c] || !is_equation(column[c])) continue;
    for (int r = 0; r < n; ++r) {
      if (row_done[r] || !is_equation(row[r]) || size(r, c) <= best) continue;
      best = size(r, c);
      best_row = r;
      best_column = c;
    }
  }
  if (best_row < 0) return false;
  exchange(best_row, best_column);
  row_done[best_row] = column_done[best_column] = true;
  T.col(best_column).setZero();  // w = 0
  return true;
}

// Step 2 once: the equation e, free variable f and pair i with the largest weaker pivot.
bool Dictionary::pivot_through_pair() {
  std::vector<int> row_of(n, -1), column_of(n, -1);
  for (int k = 0; k < n; ++k) {
    if (!row_done[k] && !is_equation(row[k])) row_of[row[k] % n] = k;
    if (!column_done[k] && !is_equation(column[k])) column_of[column[k] % n] = k;
  }
  double best = zero_below;
  int best_e = -1, best_f = -1, best_i = -1;
  for (int i = 0; i < n; ++i) {
    if (row_of[i] < 0 || column_of[i] < 0) continue;
    for (int e = 0; e < n; ++e) {
      if (row_done[e] || !is_equation(row[e]) || size(e, column_of[i]) <= best) continue;
      for (int f = 0; f < n; ++f) {
        if (column_done[f] || !is_equation(column[f])) continue;
        const double weaker = std::min(size(e, column_of[i]), size(row_of[i], f));
        if (weaker <= best) continue;
        best = weaker;
        best_e = e;
        best_f = f;
        best_i = i;
      }
    }
  }
  if (best_i < 0) return false;
  const int pair_row = row_of[best_i];
  const int pair_column = column_of[best_i];
  exchange(best_e, pair_column);
  exchange(pair_row, best_f);
  row_done[pair_row] = column_done[pair_column] = true;  // the free variable's row, the equation's column
  T.col(pair_column).setZero();
  return true;
}

// Step 3. What is dropped wrongly shows in the violation of the whole problem.
void Dictionary::drop_empty() {
  for (int k = 0; k < n; ++k) {
    if (is_equation(row[k])) row_done[k] = true;
    if (!column_done[k] && is_equation(column[k])) {
      column_done[k] = true;
      T.col(k).setZero();
    }
  }
}

// Solves the complementary basis of z once more from M: equations and basic complementarity rows, least squares where
// the block is singular.
void polish(const MixedLcp& problem, VectorX& z) {
  std::vector<Eigen::Index> basic;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    if (problem.is_complementarity[i] == 0 || z[i] > 0) basic.push_back(i);
  }
  const MatrixX block = problem.M(basic, basic);
  const Eigen::ColPivHouseholderQR<MatrixX> qr(block);
  for (int pass = 0; pass < 2; ++pass) {
    const VectorX w = problem.M * z + problem.q;
    const VectorX correction = qr.solve(-w(basic));
    z(basic) += correction;
  }
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    if (problem.is_complementarity[i] != 0) z[i] = std::max(0.0, z[i]);
  }
}

// Largest violation relative to the terms of its row.
double violation(const MixedLcp& problem, const VectorX& z) {
  const VectorX w = problem.M * z + problem.q;
  const VectorX terms = problem.M.cwiseAbs() * z.cwiseAbs() + problem.q.cwiseAbs();
  double worst = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double scale = std::max(terms[i], problem.q.lpNorm<Eigen::Infinity>());
    const double w_relative = scale > 0 ? w[i] / scale : 0.0;
    const double z_largest = z.lpNorm<Eigen::Infinity>();
    const double z_relative = z_largest > 0 ? z[i] / z_largest : 0.0;
    const bool complementarity = problem.is_complementarity[i] != 0;
    worst = std::max(worst, std::abs(complementarity ? std::min(z_relative, w_relative) : w_relative));
  }
  return std::isfinite(w.sum()) ? worst : std::numeric_limits<double>::infinity();
}

// The LCP of the places that are left, solved; then all variables from the dictionary.
SolveReport solve_rest(const Dictionary& dictionary, const LemkeOptions& options, VectorX& z) {
  const int n = dictionary.n;
  std::vector<int> rows, columns, row_of(n, -1);
  for (int r = 0; r < n; ++r) {
    if (!dictionary.row_done[r]) row_of[dictionary.row[r] % n] = r;
  }
  for (int c = 0; c < n; ++c) {
    if (dictionary.column_done[c] || row_of[dictionary.column[c] % n] < 0) continue;
    columns.push_back(c);
    rows.push_back(row_of[dictionary.column[c] % n]);
  }
  const Lcp lcp = {dictionary.T(rows, columns), dictionary.value(rows)};
  VectorX x;
  SolveReport report = solve_lemke(lcp, x, options);
  const VectorX basic = dictionary.value + dictionary.T(Eigen::all, columns) * x;
  z = VectorX::Zero(n);
  for (int r = 0; r < n; ++r) {
    if (dictionary.row[r] >= n) z[dictionary.row[r] - n] = basic[r];
  }
  for (size_t k = 0; k < columns.size(); ++k) {
    const int variable = dictionary.column[columns[k]];
    if (variable >= n) z[variable - n] = x[static_cast<Eigen::Index>(k)];
  }
  return report;
}

}  // namespace

SolveReport solve_mixed_lemke(const MixedLcp& problem, VectorX& z, const LemkeOptions& options) {
  const auto n = problem.q.size();
  STICTION_ASSERT(problem.M.rows() == n && problem.M.cols() == n, "M must be n x n for n values of q");
  STICTION_ASSERT(static_cast<Eigen::Index>(problem.is_complementarity.size()) == n, "one flag per row");
  z = VectorX::Constant(n, std::numeric_limits<double>::quiet_NaN());
  if (!problem.M.allFinite() || !problem.q.allFinite()) return {};
  Dictionary dictionary(problem);
  while (dictionary.pivot_equation() || dictionary.pivot_through_pair()) {
  }
  dictionary.drop_empty();
  SolveReport report = solve_rest(dictionary, options, z);
  if (!z.allFinite()) {
    report.termination = Termination::not_found;
    return report;
  }
  VectorX polished = z;
  polish(problem, polished);
  if (violation(problem, polished) <= violation(problem, z)) z = polished;
  report.residual = violation(problem, z);
  report.termination = report.residual <= options.tolerance ? Termination::solved : Termination::not_found;
  return report;
}

}  // namespace stiction::solvers
