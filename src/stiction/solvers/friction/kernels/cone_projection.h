// Projections on friction cones and balls, and the natural map of each law, in scaled units (scaled_friction.h).
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/solvers/friction/kernels/scaled_friction.h"

namespace stiction::solvers {

/// Length of x[0..n).
template <class T>
inline T length(const T* x, int n) {
  T sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

/// Projects (x_n, x_f), n values with the normal first, on K = { |x_f| <= mu x_n } in place.
template <class T>
inline void project_on_cone(T* x, int n, double mu) {
  const T norm = length(x + 1, n - 1);
  if (x[0] >= 0 && norm <= mu * x[0]) return;  // without friction, mu x_n says nothing of the sign of x_n
  if (mu * norm <= -x[0]) {
    std::fill_n(x, n, T(0));
    return;
  }
  const T normal = (x[0] + mu * norm) / (1 + T(mu) * mu);
  const T factor = norm > 0 ? mu * normal / norm : T(0);
  x[0] = normal;
  for (int i = 1; i < n; ++i) x[i] *= factor;
}

/// Projects x on the ball of that radius in place.
template <class T>
inline void project_on_ball(T* x, int n, double radius) {
  const T norm = length(x, n);
  if (norm <= radius) return;
  const T factor = radius > 0 ? radius / norm : T(0);
  for (int i = 0; i < n; ++i) x[i] *= factor;
}

/// Radius of a bounded block.
inline double ball_radius(const ScaledFriction& s, int block, const double* r) {
  const double normal = s.link[block] < 0 ? 0.0 : std::max(0.0, r[s.first[s.link[block]]]);
  return s.bound[block] + s.mu[block] * normal;
}

/// r - P(r - uhat) of one block; `u` and `defect` are the block's own.
template <class T>
inline void natural_map(const ScaledFriction& s, int block, const double* r, const T* u, T* defect) {
  const int n = s.dim[block];
  const double* own = r + s.first[block];
  switch (s.law[block]) {
    case FrictionBlock::Law::bilateral:
      std::copy_n(u, n, defect);
      return;
    case FrictionBlock::Law::contact:
      defect[0] = own[0] - u[0] - s.mu[block] * length(u + 1, n - 1);
      for (int i = 1; i < n; ++i) defect[i] = own[i] - u[i];
      project_on_cone(defect, n, s.mu[block]);
      break;
    case FrictionBlock::Law::bounded:
      for (int i = 0; i < n; ++i) defect[i] = own[i] - u[i];
      project_on_ball(defect, n, ball_radius(s, block, r));
      break;
  }
  for (int i = 0; i < n; ++i) defect[i] = own[i] - defect[i];
}

}  // namespace stiction::solvers
