#include "stiction/certify/cone_qp_residual.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::certify {

namespace {

using Real = long double;

double value(Real x) {
  return std::isfinite(x) ? static_cast<double>(x) : std::numeric_limits<double>::infinity();
}

// Largest |x| - a over the cones of a vector given by its entries.
template <class Entry>
Real outside(const ConeQp& problem, Entry&& entry) {
  Real worst = 0;
  int r = 0;
  for (const int size : problem.cone_sizes) {
    Real tail = 0;
    for (int i = 1; i < size; ++i) tail += entry(r + i) * entry(r + i);
    const Real excess = std::sqrt(tail) - entry(r);
    if (!(excess <= worst)) worst = excess;
    r += size;
  }
  return worst;
}

}  // namespace

ConeQpResidual cone_qp_residual(const ConeQp& problem, std::span<const double> y, std::span<const double> z) {
  const int m = problem.unknowns;
  const auto multiplier = [&](int r) -> Real { return z.empty() ? 0.0L : static_cast<Real>(z[r]); };
  const auto slack = [&](int r) {
    Real sum = problem.g[r];
    for (int j = 0; j < m; ++j) sum += static_cast<Real>(problem.row(r)[j]) * y[j];
    return sum;
  };
  Real f = problem.constant, dual = 0, gap = 0;
  for (int j = 0; j < m; ++j) {
    Real slope = 0;
    for (int i = 0; i < m; ++i) slope += static_cast<Real>(problem.U[static_cast<size_t>(j) * m + i]) * y[i];
    f += y[j] * (slope / 2 + problem.v[j]);
    Real r = slope + problem.v[j];
    for (int k = 0; k < problem.rows(); ++k) r -= problem.row(k)[j] * multiplier(k);
    dual += std::abs(r * y[j]);
  }
  for (int r = 0; r < problem.rows(); ++r) gap += slack(r) * multiplier(r);
  return {.objective = value(f),
          .cone = value(outside(problem, slack)),
          .gap = value(gap),
          .dual = value(dual),
          .dual_cone = value(outside(problem, multiplier))};
}

}  // namespace stiction::certify
