#include "stiction/solvers/friction/kernels/accurate_residual.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/solvers/friction/kernels/cone_projection.h"

namespace stiction::solvers {

namespace {

using Wide = long double;

// Scaled velocity of block i from the unscaled W, and the sum of the sizes of its terms.
void velocity(const ScaledFriction& s, int i, const double* r, Wide* u, Wide& size) {
  const FrictionProblem& problem = *s.problem;
  const Wide norm = s.q_norm > 0 ? s.q_norm : 1;
  for (int a = 0; a < s.dim[i]; ++a) {
    const int row = s.first[i] + a;
    Wide sum = problem.q[row] / norm, magnitude = 0;
    for (int k = s.row_start()[i]; k < s.row_start()[i + 1]; ++k) {
      const int j = s.column()[k], columns = s.dim[j];
      for (int b = 0; b < columns; ++b) {
        // The impulse as from_scaled gives it to the caller.
        const double impulse = r[s.first[j] + b] * s.row_scale[s.first[j] + b] * static_cast<double>(norm);
        const Wide product = static_cast<Wide>(problem.value[s.value_start()[k] + a * columns + b]) * impulse / norm;
        sum += product;
        magnitude += std::abs(product);
      }
    }
    u[a] = sum * s.row_scale[row];
    size += magnitude * s.row_scale[row];
  }
}

}  // namespace

bool rounding_may_hide(const ScaledFriction& s, const double* r, double tolerance) {
  double largest = 0, weight = 0;
  for (int i = 0; i < s.row_count; ++i) {
    largest = std::max(largest, std::abs(r[i]));
    weight = std::max(weight, s.row_weight[i]);
  }
  double friction = 1;  // uhat holds mu |u_t|
  for (int i = 0; i < s.block_count; ++i) friction = std::max(friction, s.mu[i]);
  return !(100 * std::numeric_limits<double>::epsilon() * largest * weight * friction < tolerance);
}

double accurate_residual(const ScaledFriction& s, const double* r) {
  Wide sum = 0;
  for (int i = 0; i < s.block_count; ++i) {
    Wide u[6], defect[6], size = 0;
    velocity(s, i, r, u, size);
    natural_map(s, i, r, u, defect);
    for (int a = 0; a < s.dim[i]; ++a) {
      const Wide doubt = std::numeric_limits<Wide>::epsilon() * (size + std::abs(r[s.first[i] + a]));
      const Wide e = (std::abs(defect[a]) + doubt) * s.row_weight[s.first[i] + a];
      sum += e * e;
    }
  }
  return static_cast<double>(std::sqrt(sum));
}

}  // namespace stiction::solvers
