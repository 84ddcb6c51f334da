#include "stiction/solvers/lcp/basis_polish.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::solvers {
namespace {

// As in sparse_lemke.cc.
constexpr double pivot_threshold = 0.1;
constexpr double singular_pivot = 1e-13;

// B of w - M z = q: column i is -M_i where z_i is basic, else the unit vector of w_i.
void build_basis(const SparseColumns& M, const std::vector<int>& is_basic, SparseColumns& B) {
  B.n = M.n;
  B.start.assign(1, 0);
  B.row.clear();
  B.value.clear();
  for (int i = 0; i < M.n; ++i) {
    if (is_basic[i] == 0) {
      B.row.push_back(i);
      B.value.push_back(1);
    }
    for (int p = M.start[i]; p < M.start[i + 1] && is_basic[i] != 0; ++p) {
      B.row.push_back(M.row[p]);
      B.value.push_back(-M.value[p]);
    }
    B.start.push_back(static_cast<int>(B.row.size()));
  }
}

}  // namespace

void evaluate_w(const ScaledLcp& problem, const double* z, double* w) {
  std::copy(problem.q.begin(), problem.q.end(), w);
  for (int j = 0; j < problem.M.n; ++j) {
    if (z[j] != 0) problem.M.add_column(j, z[j], w);
  }
}

void read_diagonal(const SparseColumns& M, std::vector<double>& diagonal) {
  diagonal.assign(M.n, 0.0);
  for (int j = 0; j < M.n; ++j) {
    for (int p = M.start[j]; p < M.start[j + 1]; ++p) {
      if (M.row[p] == j) diagonal[j] += M.value[p];
    }
  }
}

double scaled_measure(const ScaledLcp& problem, const std::uint8_t* is_complementarity, const double* diagonal,
                      const double* z, const double* w) {
  double square = 0;
  double size = 0;
  for (int i = 0; i < problem.M.n; ++i) {
    if (!std::isfinite(z[i]) || !std::isfinite(w[i])) return std::numeric_limits<double>::infinity();
    const double unit = problem.w_unit(i);
    const double d = diagonal[i] > 0 ? diagonal[i] * unit / problem.z_unit(i) : 1.0;
    const bool pair = is_complementarity == nullptr || is_complementarity[i] != 0;
    const double part = pair ? std::min(d * z[i] * problem.z_unit(i), w[i] * unit) : w[i] * unit;
    square += part * part;
    size += problem.q[i] * unit * problem.q[i] * unit;
  }
  return std::sqrt(square) / (size > 0 ? std::sqrt(size) : 1.0);
}

bool polish_basis(const ScaledLcp& problem, const std::uint8_t* is_complementarity, const std::vector<int>& order,
                  PolishWorkspace& work, double* z, double* w) {
  const int n = problem.M.n;
  work.slots.resize(n);
  work.preferred.assign(n, 0);
  for (int i = 0; i < n; ++i) {
    const bool equation = is_complementarity != nullptr && is_complementarity[i] == 0;
    work.preferred[i] = equation || z[i] > w[i] ? 1 : 0;
  }
  build_basis(problem.M, work.preferred, work.B);
  int count = 0;
  for (int i = 0; i < n; ++i) {
    if (work.preferred[i] == 0) work.slots[count++] = i;
  }
  for (const int j : order) {
    if (work.preferred[j] != 0) work.slots[count++] = j;
  }
  for (int i = 0; i < n; ++i) work.preferred[i] = i;
  if (!work.lu.factor(work.B, work.slots.data(), work.preferred.data(), pivot_threshold, singular_pivot)) return false;
  work.x.assign(n, 0.0);
  work.right.resize(n);
  work.correction.resize(n);
  for (int pass = 0; pass < 3; ++pass) {
    std::copy(problem.q.begin(), problem.q.end(), work.right.begin());
    for (int i = 0; i < n; ++i) work.B.add_column(i, -work.x[i], work.right.data());
    work.lu.solve(work.right.data(), work.correction.data());
    for (int i = 0; i < n; ++i) work.x[i] += work.correction[i];
  }
  for (int i = 0; i < n; ++i) {
    const bool equation = is_complementarity != nullptr && is_complementarity[i] == 0;
    const bool basic = equation || z[i] > w[i];
    z[i] = equation ? work.x[i] : basic ? std::max(0.0, work.x[i]) : 0.0;
  }
  evaluate_w(problem, z, w);
  return true;
}

}  // namespace stiction::solvers
