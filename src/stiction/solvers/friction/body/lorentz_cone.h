// The second-order cone K = { x : |x_1..| <= x_0 } of N rows: determinant, step to the boundary, Nesterov-Todd scaling.
//
// For z and s inside K there is one symmetric W with W z = W^-1 s = lambda (Nesterov and Todd 1997). With
// J = diag(1, -1, ..), zb = z / det(z)^(1/2), sb alike, gamma = ((1 + zb . sb) / 2)^(1/2), w = (sb + J zb) / (2 gamma)
// and eta = (det s / det z)^(1/4):
//
//     W = eta [ w_0 w_1^T; w_1 I + w_1 w_1^T / (1 + w_0) ],     P = W^-2 = eta^-2 (2 (J w)(J w)^T - J)
//
// N = 1 is the half line: W^2 = s / z. Jordan product: x o y = (x . y, x_0 y_1 + y_0 x_1).
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"

namespace stiction::solvers::lorentz {

template <int N>
inline double dot(const double* x, const double* y) {
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += x[i] * y[i];
  return sum;
}

/// x_0^2 - |x_1..|^2 without cancellation of squares.
template <int N>
inline double determinant(const double* x) {
  double tail = 0;
  for (int i = 1; i < N; ++i) tail += x[i] * x[i];
  const double norm = std::sqrt(tail);
  return (x[0] - norm) * (x[0] + norm);
}

/// Is x + t d inside K?
template <int N>
inline bool is_inside(const double* x, const double* d, double t) {
  const double first = x[0] + t * d[0];
  double tail = 0;
  for (int i = 1; i < N; ++i) tail += (x[i] + t * d[i]) * (x[i] + t * d[i]);
  return first > 0 && first * first > tail;
}

/// Largest t <= limit with x + t d in K, for x inside. K is convex: where the end of the way is inside, all of it is,
/// and no root need be taken.
template <int N>
inline double step_to_boundary(const double* x, const double* d, double limit) {
  if (is_inside<N>(x, d, limit)) return limit;
  double t = d[0] < 0 ? -x[0] / d[0] : infinity;
  if constexpr (N > 1) {  // det(x + t d) = a t^2 + 2 b t + c
    const double a = d[0] * d[0] - dot<N - 1>(d + 1, d + 1), b = x[0] * d[0] - dot<N - 1>(x + 1, d + 1);
    const double c = std::max(determinant<N>(x), 0.0), discriminant = b * b - a * c;
    if (discriminant >= 0) {
      const double root = -(b + std::copysign(std::sqrt(discriminant), b));
      if (a != 0 && root / a > 0) t = std::min(t, root / a);
      if (root != 0 && c / root > 0) t = std::min(t, c / root);
    }
  }
  return std::min(limit, t);
}

/// W of the top of the file.
struct Scaling {
  double eta = 1;
  double w[4] = {1, 0, 0, 0};
};

/// The scaling of a pair; false where one of them is not inside the cone.
template <int N>
inline bool nesterov_todd(const double* z, const double* s, Scaling& scaling) {
  if constexpr (N == 1) {
    scaling.eta = std::sqrt(s[0] / z[0]);
    scaling.w[0] = 1;
    return z[0] > 0 && s[0] > 0 && std::isfinite(scaling.eta);
  }
  const double det_z = determinant<N>(z), det_s = determinant<N>(s);
  if (!(det_z > 0 && det_s > 0)) return false;
  const double root_z = 1 / std::sqrt(det_z), root_s = 1 / std::sqrt(det_s);
  const double gamma = std::sqrt(std::max(0.0, 0.5 * (1 + dot<N>(z, s) * root_z * root_s))), half = 0.5 / gamma;
  scaling.eta = std::sqrt(root_z / root_s);
  scaling.w[0] = (s[0] * root_s + z[0] * root_z) * half;
  for (int i = 1; i < N; ++i) scaling.w[i] = (s[i] * root_s - z[i] * root_z) * half;
  return std::isfinite(scaling.eta) && std::isfinite(scaling.w[0]);
}

/// y = W x.
template <int N>
inline void apply(const Scaling& scaling, const double* x, double* y) {
  const double* w = scaling.w;
  const double tail = dot<N - 1>(w + 1, x + 1), factor = x[0] + tail / (1 + w[0]);
  y[0] = scaling.eta * (w[0] * x[0] + tail);
  for (int i = 1; i < N; ++i) y[i] = scaling.eta * (x[i] + factor * w[i]);
}

/// y = W^-1 x.
template <int N>
inline void apply_inverse(const Scaling& scaling, const double* x, double* y) {
  const double *w = scaling.w, inverse = 1 / scaling.eta;
  const double tail = dot<N - 1>(w + 1, x + 1), factor = tail / (1 + w[0]) - x[0];
  y[0] = inverse * (w[0] * x[0] - tail);
  for (int i = 1; i < N; ++i) y[i] = inverse * (x[i] + factor * w[i]);
}

/// P = W^-2, row-major N x N.
template <int N>
inline void inverse_square(const Scaling& scaling, double* P) {
  const double scale = 1 / (scaling.eta * scaling.eta);
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      const double sign = (i == 0) == (j == 0) ? 2.0 : -2.0;
      const double unit = i != j ? 0.0 : i == 0 ? -1.0 : 1.0;
      P[i * N + j] = scale * (sign * scaling.w[i] * scaling.w[j] + unit);
    }
  }
}

/// x with lambda o x = b.
template <int N>
inline void jordan_divide(const double* lambda, const double* b, double* x) {
  if constexpr (N == 1) {
    x[0] = b[0] / lambda[0];
  } else {
    x[0] = (lambda[0] * b[0] - dot<N - 1>(lambda + 1, b + 1)) / determinant<N>(lambda);
    for (int i = 1; i < N; ++i) x[i] = (b[i] - x[0] * lambda[i]) / lambda[0];
  }
}

/// The pair (z, s) inside K with z - s = w and z o s = level e.
template <int N>
inline void central_pair(const double* w, double level, double* z, double* s) {
  double tail = 0;
  for (int i = 1; i < N; ++i) tail += w[i] * w[i];
  tail = std::sqrt(tail);
  const auto larger = [level](double x) { return 0.5 * (std::abs(x) + std::sqrt(x * x + 4 * level)); };
  const double value[2] = {w[0] - tail, w[0] + tail};  // eigenvalues of w; z and s have the same frame
  double of_z[2], of_s[2];
  for (int k = 0; k < 2; ++k) {
    const double large = larger(value[k]), small = level / large;
    of_z[k] = value[k] > 0 ? large : small;
    of_s[k] = value[k] > 0 ? small : large;
  }
  z[0] = 0.5 * (of_z[0] + of_z[1]);
  s[0] = 0.5 * (of_s[0] + of_s[1]);
  for (int i = 1; i < N; ++i) {
    const double unit = tail > 0 ? w[i] / tail : 0.0;
    z[i] = 0.5 * (of_z[1] - of_z[0]) * unit;
    s[i] = 0.5 * (of_s[1] - of_s[0]) * unit;
  }
}

/// x o y.
template <int N>
inline void jordan_product(const double* x, const double* y, double* product) {
  product[0] = dot<N>(x, y);
  for (int i = 1; i < N; ++i) product[i] = x[0] * y[i] + y[0] * x[i];
}

}  // namespace stiction::solvers::lorentz

namespace stiction::solvers {

/// f<N>() for the number of rows of a cone; nothing for other numbers.
template <class F>
void with_cone_size(int dim, F f) {
  switch (dim) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    case 4:
      return f.template operator()<4>();
    default:
      return;
  }
}

}  // namespace stiction::solvers
