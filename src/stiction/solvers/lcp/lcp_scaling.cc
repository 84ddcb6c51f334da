#include "stiction/solvers/lcp/lcp_scaling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction::solvers {
namespace {

// Diagonal entries below this fraction of the largest are squares of rounding, couplings below this one are rounding.
constexpr double rounding_diagonal = 1e-20;
constexpr double rounding_coupling = 1e-8;

double power_of_two(double x) {
  return std::scalbn(1.0, std::ilogb(x * std::numbers::sqrt2));
}

void scale_by_diagonal(const SparseColumns& M, std::vector<double>& scale, std::vector<double>& diagonal) {
  double largest = 0;
  diagonal.assign(M.n, 0.0);
  for (int j = 0; j < M.n; ++j) {
    for (int p = M.start[j]; p < M.start[j + 1]; ++p) {
      if (M.row[p] == j) diagonal[j] = std::abs(M.value[p]);
    }
    largest = std::max(largest, diagonal[j]);
  }
  scale.assign(M.n, 0.0);
  for (int j = 0; j < M.n; ++j) {
    if (diagonal[j] > rounding_diagonal * largest) scale[j] = power_of_two(1 / std::sqrt(diagonal[j]));
  }
}

// Gives a scale to the rows without one that are coupled to rows that have one by more than rounding.
void scale_by_coupling(const SparseColumns& M, std::vector<double>& scale, std::vector<double>& coupling) {
  coupling.assign(M.n, 0.0);
  double largest = 0;
  for (int j = 0; j < M.n; ++j) {
    for (int p = M.start[j]; p < M.start[j + 1]; ++p) {
      const int i = M.row[p];
      const double size = std::abs(M.value[p]);
      if (scale[i] == 0) coupling[i] = std::max(coupling[i], size * scale[j]);
      if (scale[j] == 0) coupling[j] = std::max(coupling[j], size * scale[i]);
    }
  }
  for (const double c : coupling) largest = std::max(largest, c);
  for (int i = 0; i < M.n; ++i) {
    if (scale[i] == 0 && coupling[i] > rounding_coupling * largest) scale[i] = power_of_two(1 / coupling[i]);
  }
}

}  // namespace

bool ScaledLcp::assign(const SparseColumns& original, const double* original_q) {
  const int n = original.n;
  scale_by_diagonal(original, scale, scratch);
  for (int round = 0; round < 3; ++round) scale_by_coupling(original, scale, scratch);
  for (double& d : scale) d = d > 0 ? d : 1.0;
  double largest = 0;
  bool finite = true;
  for (int i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(original_q[i]) * scale[i]);
    finite = finite && std::isfinite(original_q[i]);
  }
  for (const double value : original.value) finite = finite && std::isfinite(value);
  if (!finite) return false;
  q_scale = largest > 0 ? power_of_two(largest) : 1.0;
  M = original;
  q.resize(n);
  for (int j = 0; j < n; ++j) {
    q[j] = original_q[j] * scale[j] / q_scale;
    for (int p = M.start[j]; p < M.start[j + 1]; ++p) M.value[p] *= scale[M.row[p]] * scale[j];
  }
  return true;
}

}  // namespace stiction::solvers
