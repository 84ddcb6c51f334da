#include "stiction/solvers/lcp/lcp_measure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::solvers {

double lcp_measure(const MixedLcp& problem, const VectorX& z, VectorX& w, VectorX& terms) {
  w = problem.q;
  terms = problem.q.cwiseAbs();
  for (Eigen::Index j = 0; j < z.size(); ++j) {
    if (z[j] == 0) continue;
    w += problem.M.col(j) * z[j];
    terms += problem.M.col(j).cwiseAbs() * std::abs(z[j]);
  }
  double square = 0;
  double size = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    if (!std::isfinite(w[i]) || !std::isfinite(z[i])) return std::numeric_limits<double>::infinity();
    const double d = problem.M(i, i) > 0 ? problem.M(i, i) : 1.0;
    const double value = problem.is_complementarity[i] != 0 ? std::min(d * z[i], w[i]) : w[i];
    const double part = std::abs(value) + std::numeric_limits<double>::epsilon() * terms[i];
    square += part * part;
    size += problem.q[i] * problem.q[i];
  }
  return std::sqrt(square) / (size > 0 ? std::sqrt(size) : 1.0);
}

}  // namespace stiction::solvers
