#include "stiction/solvers/friction/kernels/extended_friction.h"

namespace stiction::solvers {

void extend_friction(const ScaledFriction& s, ExtendedFriction& extended) {
  using Real = ExtendedFriction::Real;
  const FrictionProblem& problem = *s.problem;
  extended.W.setZero(s.row_count, s.row_count);
  extended.q.resize(s.row_count);
  const Real norm = s.q_norm > 0 ? s.q_norm : 1;
  for (int i = 0; i < s.row_count; ++i) extended.q[i] = s.row_scale[i] * (problem.q[i] / norm);
  for (int i = 0; i < s.block_count; ++i) {
    for (int k = s.row_start()[i]; k < s.row_start()[i + 1]; ++k) {
      const int j = s.column()[k], columns = s.dim[j];
      for (int x = 0; x < s.dim[i] * columns; ++x) {
        const int row = s.first[i] + x / columns, column = s.first[j] + x % columns;
        const Real value = problem.value[s.value_start()[k] + x];
        extended.W(row, column) = s.row_scale[row] * value * s.row_scale[column];
      }
    }
  }
}

}  // namespace stiction::solvers
