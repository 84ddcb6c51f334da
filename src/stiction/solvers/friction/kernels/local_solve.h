// One block alone, exactly: the impulse r that obeys the block's law when u = W r + b, b being the velocity without it.
//
// Contact with n friction rows. Open if b_n >= 0. Stick, r = -W^-1 b, if that is in the cone. Otherwise it slides: with
//
//     A = W_tt - W_tn W_nt / W_nn,   c = b_t - W_tn b_n / W_nn,
//     r_t(l) = -(A + l I)^-1 c,      r_n(l) = -(b_n + W_nt r_t) / W_nn
//
// keep u_n = 0 and make u_t = -l r_t, so that l >= 0 with |r_t| = mu r_n is the answer. g(l) = mu r_n / |r_t| - 1 is
// nearly linear, negative at 0 and positive at infinity: Newton in a bracket. With two friction rows
//
//     p(l) = adj(A + l I) c = p(0) + l c,   d(l) = det(A + l I) = d(0) + l (trace A + l),   r_t = -p / d
//     g(l) = m / |p| - 1,   m(l) = mu (push d + W_nt . p / W_nn), a parabola,   push = -b_n / W_nn
//
// and a step takes a root and two divisions. A ball of radius R is the same with g(l) = R / |r| - 1,
// r(l) = -(W + l I)^-1 b.
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/math/types.h"

namespace stiction::solvers {

/// What a block's exact solve keeps between calls: inverses made once, and the last slip multiplier.
template <int N>
struct LocalContact {
  static constexpr int T = N - 1;
  using VectorN = Eigen::Matrix<double, N, 1>;
  using VectorT = Eigen::Matrix<double, T, 1>;
  Eigen::Matrix<double, N, N> W, inverse;
  Eigen::Matrix<double, T, T> A;
  VectorT W_tn, W_nt;  // both over W_nn
  double W_nn = 1;
  double mu = 0;
  double last = 0;                 // l of the last slip
  const double* source = nullptr;  // W of a block whose inverses were not needed yet
  bool can_stick = false;
  bool definite = false;  // det(A + l I) grows with l from zero or more

  /// Names the block; its inverses are made when it first touches (open contacts never need them).
  void set(const double* w, double friction);

  /// `accuracy`: of |r_t| = mu r_n along the slip, relative.
  void solve(const double* b, double accuracy, double* r);

 private:
  struct Slide {
    VectorT r_t = VectorT::Zero();
    double r_n = 0, inverse_norm = 0, g = 0, slope = 0;
  };
  void prepare();
  void slide(double l, const VectorT& c, double push, Slide& at) const;
  void solve_slip(const double* b, double accuracy, double* r);
  void solve_plane_slip(const double* b, double accuracy, double* r);
};

template <int N>
void LocalContact<N>::set(const double* w, double friction) {
  source = w;
  mu = friction;
  last = 0;
}

template <int N>
void LocalContact<N>::prepare() {
  W = Eigen::Map<const Eigen::Matrix<double, N, N, Eigen::RowMajor>>(source);
  source = nullptr;
  W_nn = W(0, 0) > 0 ? W(0, 0) : 1;
  W_tn = W.template block<T, 1>(1, 0) / W_nn;
  W_nt = W.template block<1, T>(0, 1).transpose() / W_nn;
  A = W.template block<T, T>(1, 1) - W_tn * W.template block<1, T>(0, 1);
  // W^-1 from the same Schur complement.
  const double det = A.determinant();
  definite = det >= 0 && A.trace() >= 0;
  can_stick = std::abs(det) > 1e-300 && W(0, 0) > 0;
  if (!can_stick) return;
  const Eigen::Matrix<double, T, T> A_inverse = A.inverse();
  inverse.template block<T, T>(1, 1) = A_inverse;
  inverse.template block<T, 1>(1, 0) = -A_inverse * W_tn;
  inverse.template block<1, T>(0, 1) = -W_nt.transpose() * A_inverse;
  inverse(0, 0) = 1 / W_nn + W_nt.dot(A_inverse * W_tn);
  can_stick = inverse.allFinite();
}

template <int N>
void LocalContact<N>::slide(double l, const VectorT& c, double push, Slide& at) const {
  Eigen::Matrix<double, T, T> K = A;
  K.diagonal().array() += l;
  const Eigen::Matrix<double, T, T> K_inverse = K.inverse();
  at.r_t.noalias() = -(K_inverse * c);
  at.r_n = push - W_nt.dot(at.r_t);
  const VectorT change = -(K_inverse * at.r_t);
  at.inverse_norm = 1 / std::sqrt(at.r_t.squaredNorm());
  at.g = mu * at.r_n * at.inverse_norm - 1;
  const double turn = at.r_t.dot(change) * at.inverse_norm * at.inverse_norm;
  at.slope = mu * at.inverse_norm * (-W_nt.dot(change) - at.r_n * turn);
}

template <int N>
void LocalContact<N>::solve_slip(const double* b, double accuracy, double* r) {
  const VectorT c = Eigen::Map<const VectorT>(b + 1) - W_tn * b[0];
  const double push = -b[0] / W_nn;
  double low = 0, high = infinity;
  double l = last > 0 ? last : c.norm() / (mu * push);
  Slide at;
  for (int iteration = 0; iteration < 60; ++iteration) {
    slide(l, c, push, at);
    if (std::abs(at.g) <= accuracy || !std::isfinite(at.g)) break;
    (at.g < 0 ? low : high) = l;
    double next = l - at.g / at.slope;
    if (!(next > low && next < high)) next = high < infinity ? 0.5 * (low + high) : 4 * l + 1e-300;
    if (std::abs(next - l) <= 4e-16 * l) break;
    l = next;
  }
  last = std::isfinite(l) ? l : 0;
  // Exactly on the cone's surface, in the direction found.
  const bool usable = std::isfinite(at.g);
  r[0] = usable ? std::max(at.r_n, 0.0) : push;
  const double factor = usable ? mu * r[0] * at.inverse_norm : 0.0;
  for (int i = 0; i < T; ++i) r[1 + i] = usable ? factor * at.r_t[i] : 0.0;
}

// The same by p, d and m. The last step of Newton's method is not checked: it squares an error that is small.
template <int N>
void LocalContact<N>::solve_plane_slip(const double* b, double accuracy, double* r) {
  const double push = -b[0] / W_nn, c0 = b[1] - W_tn[0] * b[0], c1 = b[2] - W_tn[1] * b[0];
  const double start0 = A(1, 1) * c0 - A(0, 1) * c1, start1 = A(0, 0) * c1 - A(1, 0) * c0;
  const double det = A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0), trace = A(0, 0) + A(1, 1);
  const double m_0 = mu * (push * det + (W_nt[0] * start0 + W_nt[1] * start1));
  const double m_1 = mu * (push * trace + (W_nt[0] * c0 + W_nt[1] * c1)), m_2 = mu * push;
  double low = 0, high = infinity, l = last > 0 ? last : std::sqrt(c0 * c0 + c1 * c1) / (mu * push);
  double p0 = 0, p1 = 0, m = 0, size = 0;
  bool close = false;
  for (int iteration = 0; iteration < 60; ++iteration) {
    p0 = start0 + l * c0, p1 = start1 + l * c1;
    m = m_0 + l * (m_1 + l * m_2);
    const double squared = p0 * p0 + p1 * p1;
    size = std::sqrt(squared);
    const double excess = m - size;  // g |p|
    if (close || !(std::abs(excess) > accuracy * size) || !std::isfinite(excess)) break;
    (excess < 0 ? low : high) = l;
    double next = l - excess * squared / ((m_1 + 2 * l * m_2) * squared - m * (p0 * c0 + p1 * c1));
    close = next > low && next < high;
    if (!close) next = high < infinity ? 0.5 * (low + high) : 4 * l + 1e-300;
    if (std::abs(next - l) <= 4e-16 * l) break;
    close = close && excess * excess <= 1e-2 * accuracy * squared;  // what is left is about the square of g
    l = next;
  }
  last = std::isfinite(l) ? l : 0;
  // Exactly on the cone's surface, in the direction found.
  const double normal = push + (W_nt[0] * p0 + W_nt[1] * p1) / (det + l * (trace + l));
  const bool usable = std::isfinite(normal) && size > 0;
  r[0] = usable ? std::max(normal, 0.0) : push;
  const double factor = -mu * r[0] / size;
  r[1] = usable ? factor * p0 : 0.0;
  r[2] = usable ? factor * p1 : 0.0;
}

template <int N>
void LocalContact<N>::solve(const double* b, double accuracy, double* r) {
  const Eigen::Map<const VectorN> b_N(b);
  Eigen::Map<VectorN> r_N(r);
  if (b[0] >= 0) {
    r_N.setZero();
    return;
  }
  if (source != nullptr) prepare();
  if (mu <= 0) {
    r_N.setZero();
    r[0] = -b[0] / W_nn;
    return;
  }
  if (can_stick) {
    VectorN s = -(inverse * b_N);
    if (s[0] > 0 && s.template tail<T>().squaredNorm() <= 1.000001 * mu * mu * s[0] * s[0]) {
      const int refinements = accuracy > 1e-9 ? 1 : 2;  // they matter where W is nearly singular
      for (int k = 0; k < refinements; ++k) {
        const VectorN correction = inverse * (W * s + b_N);
        s -= correction;
        if (correction.squaredNorm() <= 1e-28 * s.squaredNorm()) break;
      }
      if (s.template tail<T>().squaredNorm() <= mu * mu * s[0] * s[0]) {
        r_N = s;
        return;
      }
    }
  }
  if constexpr (T == 2) {
    if (definite) return solve_plane_slip(b, accuracy, r);
  }
  solve_slip(b, accuracy, r);
}

/// The same for a bounded block of N rows.
template <int N>
struct LocalBall {
  using VectorN = Eigen::Matrix<double, N, 1>;
  Eigen::Matrix<double, N, N> W;
  double last = 0;

  void set(const double* w);
  void solve(const double* b, double radius, double* r);
};

template <int N>
void LocalBall<N>::set(const double* w) {
  W = Eigen::Map<const Eigen::Matrix<double, N, N, Eigen::RowMajor>>(w);
  last = 0;
}

template <int N>
void LocalBall<N>::solve(const double* b, double radius, double* r) {
  const Eigen::Map<const VectorN> b_N(b);
  Eigen::Map<VectorN> r_N(r);
  const double size = b_N.norm();
  if (radius <= 0 || size <= 0) {
    r_N.setZero();
    return;
  }
  const VectorN stick = -(W.inverse() * b_N);
  if (stick.allFinite() && stick.norm() <= radius) {
    r_N = stick;
    return;
  }
  double low = 0, high = size / radius;  // |(W + l I)^-1 b| <= |b| / l
  double l = last > low && last < high ? last : 0.5 * high;
  for (int iteration = 0; iteration < 60; ++iteration) {
    Eigen::Matrix<double, N, N> K = W;
    K.diagonal().array() += l;
    const Eigen::Matrix<double, N, N> K_inverse = K.inverse();
    r_N.noalias() = -(K_inverse * b_N);
    const double norm = r_N.norm(), g = radius / norm - 1;
    if (std::abs(g) <= 4e-15) break;
    (g < 0 ? low : high) = l;
    const double slope = radius / (norm * norm * norm) * r_N.dot(K_inverse * r_N);
    double next = l - g / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - l) <= 4e-16 * l) break;
    l = next;
  }
  last = l;
  r_N *= radius / r_N.norm();
}

}  // namespace stiction::solvers
