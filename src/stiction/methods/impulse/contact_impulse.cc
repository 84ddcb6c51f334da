#include "stiction/methods/impulse/contact_impulse.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "stiction/base/infinity.h"
#include "stiction/math/linear/dense.h"

namespace stiction::methods {

namespace {

constexpr double rank_tolerance = 1e-12;
// Slip below this share of the contact's speed has no direction: friction then opposes what would start.
constexpr double no_slip = 1e-12;
// Sliding contacts that respond less than this share of the frictionless response are wedged.
constexpr double wedged = 0.05;
// Rounding of an impulse on the boundary of its friction set.
constexpr double cone_rounding = 1e-14;

// The p_n whose friction set has b on its boundary; infinite outside the span of a flat set.
double gauge(const PointLaw& law, const Vector3& b) {
  if (law.cone == nullptr) return b.norm();
  Vector3 inside = b;
  restrict_to_span(*law.cone, inside.data());
  if ((inside - b).norm() > no_slip * b.norm()) return infinity;
  double most = 0;
  for (int i = 0; i < constraint_count(*law.cone); ++i) {
    most = std::max(most, constraint_value(*law.cone, i, 0, b.data()));
  }
  return std::pow(most, 1 / homogeneity(*law.cone));
}

// The point of the friction set of p_n = 1 that opposes the slip w most.
Vector3 opposing(const PointLaw& law, const Vector3& w) {
  if (law.cone == nullptr) return -w.normalized();
  Vector3 b = Vector3::Zero();
  const Vector3 against = -w;
  cone_support_point(*law.cone, against.data(), b.data());
  return b;
}

// Where friction acts when the contact slides; `stick` is the impulse that would have stopped it.
Vector3 sliding_friction(const PointLaw& law, const Vector4& u, const Vector4& stick) {
  const Vector3 w = u.tail<3>(), p_t = stick.tail<3>();
  if (w.norm() > no_slip * u.norm()) return opposing(law, w);
  const double size = gauge(law, p_t);
  return size > 0 ? Vector3(p_t / size) : Vector3::Zero();
}

}  // namespace

ScaledContact scale_contact(const PointLaw& law, const Matrix4& K, const Vector4& u) {
  Vector4 scale = Vector4::Zero();
  scale[0] = 1;
  for (int r = 1; r < law.count; ++r) scale[r] = law.axes[r - 1];
  return {scale.asDiagonal() * K * scale.asDiagonal(), scale.cwiseProduct(u)};
}

Vector4 unscale_impulse(const PointLaw& law, const Vector4& p) {
  Vector4 result = Vector4::Zero();
  result[0] = p[0];
  for (int r = 1; r < law.count; ++r) result[r] = law.axes[r - 1] * p[r];
  return result;
}

bool within_friction(const PointLaw& law, const Vector4& p) {
  return p[0] >= 0 && gauge(law, p.tail<3>()) <= p[0] * (1 + cone_rounding);
}

Vector4 solve_semidefinite(const Matrix4& K, int n, const Vector4& b) {
  std::array<double, 16> A;
  std::array<int, 4> pivots;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) A[j * n + i] = K(i, j);
  }
  const int rank = pivoted_cholesky(A.data(), n, rank_tolerance, std::span(pivots).first(n));
  Vector4 x = Vector4::Zero();
  solve_pivoted(A.data(), n, rank, std::span<const int>(pivots).first(n), b.data(), x.data());
  return x;
}

Vector4 closed_form_impulse(const PointLaw& law, const Matrix4& K, const Vector4& u, double e) {
  const ScaledContact scaled = scale_contact(law, K, u);
  const double change = -(1 + e) * scaled.u[0];
  Vector4 wanted = -scaled.u;
  wanted[0] = change;
  Vector4 p = solve_semidefinite(scaled.K, law.count, wanted);
  if (within_friction(law, p)) return unscale_impulse(law, p);
  Vector4 direction = Vector4::UnitX();
  direction.tail<3>() = sliding_friction(law, scaled.u, p);
  double response = scaled.K.row(0).dot(direction);
  if (response < wedged * scaled.K(0, 0)) {
    direction = Vector4::UnitX();
    response = scaled.K(0, 0);
  }
  return unscale_impulse(law, change / response * direction);
}

}  // namespace stiction::methods
