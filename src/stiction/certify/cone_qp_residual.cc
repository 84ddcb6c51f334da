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

struct Measure {
  const ConeQp& problem;
  std::span<const double> y, z;

  // Length of a cone of z without its head.
  Real tail(int first, int size) const {
    Real sum = 0;
    for (int i = first + 1; !z.empty() && i < first + size; ++i) sum += static_cast<Real>(z[i]) * z[i];
    return std::sqrt(sum);
  }
  // z, its heads raised into the cones.
  Real multiplier(int row, int first, int size) const {
    if (z.empty()) return 0;
    return row == first ? std::max(static_cast<Real>(z[row]), tail(first, size)) : static_cast<Real>(z[row]);
  }
  Real slack(int row) const {
    Real sum = problem.g[row];
    for (int j = 0; j < problem.unknowns; ++j) sum += static_cast<Real>(problem.row(row)[j]) * y[j];
    return sum;
  }
  // (U y)_j
  Real slope(int j) const {
    Real sum = 0;
    for (int i = 0; i < problem.unknowns; ++i) {
      sum += static_cast<Real>(problem.U[static_cast<size_t>(j) * problem.unknowns + i]) * y[i];
    }
    return sum;
  }
  // visit(first row, rows) of every cone.
  template <class Visit>
  void for_each_cone(Visit&& visit) const {
    int first = 0;
    for (const int size : problem.cone_sizes) {
      visit(first, size);
      first += size;
    }
  }
  Real objective() const {
    Real sum = problem.constant;
    for (int j = 0; j < problem.unknowns; ++j) sum += y[j] * (slope(j) / 2 + problem.v[j]);
    return sum;
  }
  // r_j
  Real unbalanced(int j) const {
    Real sum = slope(j) + problem.v[j];
    for_each_cone([&](int first, int size) {
      for (int k = first; k < first + size; ++k) sum -= problem.row(k)[j] * multiplier(k, first, size);
    });
    return sum;
  }
};

// The larger, and NaN where one is.
void raise(Real& worst, Real x) {
  if (!(x <= worst)) worst = x;
}

}  // namespace

ConeQpResidual cone_qp_residual(const ConeQp& problem, std::span<const double> y, std::span<const double> z,
                                std::span<const double> reach) {
  const Measure at{problem, y, z};
  Real cone = 0, dual_cone = 0, gap = 0;
  at.for_each_cone([&](int first, int size) {
    Real tail = 0;
    for (int k = first; k < first + size; ++k) {
      const Real s = at.slack(k);
      if (k > first) tail += s * s;
      gap += s * at.multiplier(k, first, size);
    }
    raise(cone, std::sqrt(tail) - at.slack(first));
    if (!z.empty()) raise(dual_cone, at.tail(first, size) - z[first]);
  });
  for (int j = 0; j < problem.unknowns; ++j) {
    const Real r = std::abs(at.unbalanced(j));
    if (!(r == 0)) gap += r * (static_cast<Real>(reach[j]) + std::abs(y[j]));
  }
  return {.objective = value(at.objective()), .cone = value(cone), .gap = value(gap), .dual_cone = value(dual_cone)};
}

}  // namespace stiction::certify
