// Second-order cones for interior-point methods: step to the boundary, Jordan product, Nesterov and Todd's scaling.
//
// Vectors have n entries, the head first. det(x) = x_0^2 - |x_1|^2. For s and z inside the cone the scaling W is the
// symmetric matrix with W z = W^-1 s = lambda,
//
//     W = eta [ a  b^T ; b  I + b b^T / (1 + a) ],   a^2 - |b|^2 = 1
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"

namespace stiction::solvers {

/// Length of the n - 1 entries after the head.
inline double tail_norm(const double* x, int n) {
  if (n == 1) return 0;
  double sum = 0;
  for (int i = 1; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

/// How far inside the cone x is; negative outside.
inline double cone_margin(const double* x, int n) {
  return x[0] - tail_norm(x, n);
}

/// det(x), exact to rounding near the boundary.
inline double cone_det(const double* x, int n) {
  const double tail = tail_norm(x, n);
  return (x[0] - tail) * (x[0] + tail);
}

/// The largest t >= 0 with x + t d in the cone, for x inside it; infinity: d is in the cone.
inline double step_to_boundary(const double* x, const double* d, int n) {
  if (n == 1) return d[0] < 0 ? -x[0] / d[0] : infinity;
  const double c = cone_det(x, n), a = cone_det(d, n);
  double b = x[0] * d[0];
  for (int i = 1; i < n; ++i) b -= x[i] * d[i];
  if (a >= 0 && b >= 0) return infinity;
  const double disc = std::max(0.0, b * b - a * c);  // negative, by rounding, only where d is along -x
  return c / (std::sqrt(disc) - b);
}

/// out = x o y: (x . y, x_0 y_1 + y_0 x_1).
inline void jordan_product(const double* x, const double* y, int n, double* out) {
  double head = x[0] * y[0];
  for (int i = 1; i < n; ++i) head += x[i] * y[i];
  for (int i = 1; i < n; ++i) out[i] = x[0] * y[i] + y[0] * x[i];
  out[0] = head;
}

/// x := the solution of lambda o x = d for d in x.
inline void jordan_divide(const double* lambda, int n, double* x) {
  double dot = 0;
  for (int i = 1; i < n; ++i) dot += lambda[i] * x[i];
  const double head = (lambda[0] * x[0] - dot) / cone_det(lambda, n);
  for (int i = 1; i < n; ++i) x[i] = (x[i] - head * lambda[i]) / lambda[0];
  x[0] = head;
}

/// The scaling of (s, z): eta returned, (a, b) into w. NaN where s or z is not inside.
inline double form_scaling(const double* s, const double* z, int n, double* w) {
  const double det_s = std::sqrt(cone_det(s, n)), det_z = std::sqrt(cone_det(z, n));
  double dot = 0;
  for (int i = 0; i < n; ++i) dot += (s[i] / det_s) * (z[i] / det_z);
  const double gamma = std::sqrt(0.5 * (1 + dot));
  for (int i = 1; i < n; ++i) w[i] = (s[i] / det_s - z[i] / det_z) / (2 * gamma);
  const double tail = tail_norm(w, n);
  w[0] = std::sqrt(1 + tail * tail);
  return std::sqrt(det_s / det_z);
}

/// x := W^(+-1) x / eta^(+-1) by the eigenvectors (1, +-n) of W, n = b / |b|, with eigenvalues `grow` and 1 / grow: a
/// product with the matrix itself would drown what the small eigenvalue leaves in the rounding of the large one.
inline void scale_along(const double* w, double tail, double grow, int n, double* x) {
  if (tail == 0) return;
  double dot = 0;
  for (int i = 1; i < n; ++i) dot += w[i] / tail * x[i];
  const double plus = (x[0] + dot) * grow, minus = (x[0] - dot) / grow;
  const double along = (plus - minus) / 2;
  x[0] = (plus + minus) / 2;
  for (int i = 1; i < n; ++i) x[i] += w[i] / tail * (along - dot);
}

/// x := W x.
inline void scale_up(double eta, const double* w, int n, double* x) {
  const double tail = tail_norm(w, n);
  scale_along(w, tail, w[0] + tail, n, x);
  for (int i = 0; i < n; ++i) x[i] *= eta;
}

/// x := W^-1 x.
inline void scale_down(double eta, const double* w, int n, double* x) {
  const double tail = tail_norm(w, n);
  scale_along(w, tail, 1 / (w[0] + tail), n, x);
  for (int i = 0; i < n; ++i) x[i] /= eta;
}

}  // namespace stiction::solvers
