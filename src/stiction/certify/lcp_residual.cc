#include "stiction/certify/lcp_residual.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/base/assert.h"

namespace stiction::certify {
namespace {

// q_i + M_i z in twice the working precision (Ogita, Rump and Oishi, 2005): a z so large that the rounding of w
// swallows q must not pass for an answer.
double accurate_w(const MatrixX& M, const VectorX& q, const VectorX& z, Eigen::Index i) {
  double sum = q[i];
  double rest = 0;
  for (Eigen::Index j = 0; j < z.size(); ++j) {
    if (M(i, j) == 0) continue;  // a z that is not finite is seen in its own row
    const double product = M(i, j) * z[j];
    const double next = sum + product;
    const double shadow = next - sum;
    rest += std::fma(M(i, j), z[j], -product) + ((sum - (next - shadow)) + (product - shadow));
    sum = next;
  }
  return sum + rest;
}

template <class IsComplementarity>
double residual(const MatrixX& M, const VectorX& q, const VectorX& z, IsComplementarity is_complementarity) {
  STICTION_ASSERT(M.rows() == q.size() && M.cols() == q.size() && z.size() == q.size(), "sizes must agree");
  double square = 0;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const double d = M(i, i) > 0 ? M(i, i) : 1.0;
    const double w = accurate_w(M, q, z, i);
    const double violation = is_complementarity(i) ? std::min(d * z[i], w) : w;
    // min() may drop a NaN: look at both.
    if (!std::isfinite(z[i]) || !std::isfinite(w)) return std::numeric_limits<double>::infinity();
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
  STICTION_ASSERT(problem.is_complementarity.size() == static_cast<size_t>(problem.q.size()), "one flag per row");
  return residual(problem.M, problem.q, z, [&](Eigen::Index i) { return problem.is_complementarity[i] != 0; });
}

}  // namespace stiction::certify
