#include "stiction/certify/lcp_residual.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/base/assert.h"

namespace stiction::certify {
namespace {

template <class IsComplementarity>
double residual(const MatrixX& M, const VectorX& q, const VectorX& z, IsComplementarity is_complementarity) {
  STICTION_ASSERT(M.rows() == q.size() && M.cols() == q.size() && z.size() == q.size(), "sizes must agree");
  const VectorX w = M * z + q;
  double square = 0;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const double d = M(i, i) > 0 ? M(i, i) : 1.0;
    const double violation = is_complementarity(i) ? std::min(d * z[i], w[i]) : w[i];
    // min() may drop a NaN: look at both.
    if (!std::isfinite(z[i]) || !std::isfinite(w[i])) return std::numeric_limits<double>::infinity();
    square += violation * violation;
  }
  const double size = q.norm();
  const double value = std::sqrt(square) / (size > 0 ? size : 1.0);
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

}  // namespace

double lcp_residual(const Lcp& problem, const VectorX& z) {
  return residual(problem.M, problem.q, z, [](Eigen::Index) { return true; });
}

double mixed_lcp_residual(const MixedLcp& problem, const VectorX& z) {
  STICTION_ASSERT(problem.is_complementarity.size() == static_cast<size_t>(problem.q.size()), "one flag a row");
  return residual(problem.M, problem.q, z, [&](Eigen::Index i) { return problem.is_complementarity[i] != 0; });
}

}  // namespace stiction::certify
