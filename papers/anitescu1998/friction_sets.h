// Friction sets F as the examples state them, with formulas of their own: gauge and support function. Nothing here
// comes from the code of the cones, of a solver or of the certificate.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/math/types.h"

namespace stiction::papers::anitescu1998 {

/// F: |x_1/a_1|^p + |x_2/a_2|^p (+ |x_3/a_3|^p) <= 1, or the convex hull of corners in order, anticlockwise.
struct FrictionSet {
  std::string name;
  std::vector<std::string> overrides;  ///< that state it in a scene
  std::vector<double> axes;
  double exponent = 2;
  std::vector<Vector2> corners = {};

  /// The least t with x in t F.
  double gauge(const double* x) const {
    if (!corners.empty()) return polygon_gauge({x[0], x[1]});
    double sum = 0;
    for (size_t i = 0; i < axes.size(); ++i) sum += std::pow(std::abs(x[i] / axes[i]), exponent);
    return std::pow(sum, 1 / exponent);
  }

  /// max of b . x over F: the dual norm.
  double support(const double* x) const {
    if (!corners.empty()) {
      double most = -infinity;
      for (const Vector2& corner : corners) most = std::max(most, corner.x() * x[0] + corner.y() * x[1]);
      return most;
    }
    const double dual = exponent / (exponent - 1);
    double sum = 0;
    for (size_t i = 0; i < axes.size(); ++i) sum += std::pow(std::abs(x[i] * axes[i]), dual);
    return std::pow(sum, 1 / dual);
  }

  int dimension() const { return corners.empty() ? static_cast<int>(axes.size()) : 2; }

  /// How far F reaches in sliding.
  double reach() const {
    if (corners.empty()) return std::max(axes[0], axes[1]);
    double most = 0;
    for (const Vector2& corner : corners) most = std::max(most, corner.norm());
    return most;
  }

 private:
  double polygon_gauge(const Vector2& x) const {
    double most = 0;
    for (size_t k = 0; k < corners.size(); ++k) {
      const Vector2& from = corners[k];
      const Vector2 edge = corners[(k + 1) % corners.size()] - from;
      const Vector2 outward(edge.y(), -edge.x());
      most = std::max(most, outward.dot(x) / outward.dot(from));
    }
    return most;
  }
};

}  // namespace stiction::papers::anitescu1998
