// Random pairs of bounded shapes for the tests, hard ones on purpose: touching, nested, aligned, flat, long, tiny,
// huge, far away.
#pragma once

#include <memory>
#include <random>
#include <utility>

#include "stiction/geometry/distance.h"
#include "stiction/geometry/shapes/solids/convex_hull.h"
#include "stiction/geometry/shapes/solids/implicit_solid.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry::testing {

struct Pair {
  Shape A;
  Shape B;
  Pose X_WA;
  Pose X_WB;
};

/// A pillow of the given half size, off the origin: sum ((x - c)_k / half)^4 <= 1, expanded.
inline Polynomial pillow(double half, const Vector3& c) {
  Polynomial f;
  constexpr double binomial[5] = {1, 4, 6, 4, 1};
  double constant = -1;
  for (int k = 0; k < 3; ++k) {
    for (int n = 1; n <= 4; ++n) {
      Monomial term{binomial[n] * std::pow(-c[k], 4 - n) / std::pow(half, 4), {0, 0, 0}};
      term.power[k] = n;
      if (term.coefficient != 0) f.terms.push_back(term);
    }
    constant += std::pow(c[k] / half, 4);
  }
  f.terms.push_back({constant, {0, 0, 0}});
  return f;
}

/// ((x/a)^2 + (y/b)^2 + (z/c)^2 <= 1.
inline Polynomial quadric(const Vector3& radii) {
  return {{{1 / (radii.x() * radii.x()), {2, 0, 0}},
           {1 / (radii.y() * radii.y()), {0, 2, 0}},
           {1 / (radii.z() * radii.z()), {0, 0, 2}},
           {-1, {0, 0, 0}}}};
}

/// Made once: pillows, an ellipsoid, a lens with an edge, a ball cut flat, one from a callback, an ellipsoid cut off
/// askew.
inline const std::vector<Implicit>& implicit_shapes() {
  static const std::vector<Implicit> shapes = [] {
    const auto ball = [](const Vector3& x) {
      return ImplicitValue{x.squaredNorm() - 0.09, 2 * x, 2 * Matrix3::Identity()};
    };
    const auto sphere = [](double z, double r) {
      return Polynomial{
          {{1, {2, 0, 0}}, {1, {0, 2, 0}}, {1, {0, 0, 2}}, {-2 * z, {0, 0, 1}}, {z * z - r * r, {0, 0, 0}}}};
    };
    const std::vector<std::vector<ImplicitFunction>> functions = {
        {pillow(0.1, Vector3::Zero())},
        {pillow(2, Vector3(0.3, -0.2, 0.5))},
        {quadric(Vector3(0.5, 1, 0.2))},
        {sphere(-0.8, 1), sphere(0.8, 1)},
        {quadric(Vector3(1, 1, 1)), Polynomial{{{1, {0, 0, 1}}, {-0.3, {0, 0, 0}}}}},
        {ImplicitCallback{"ball", ball}},
        {quadric(Vector3(0.5, 1, 0.2)),
         Polynomial{{{1, {1, 0, 0}}, {0.5, {0, 1, 0}}, {2, {0, 0, 1}}, {-0.4, {0, 0, 0}}}}}};
    std::vector<Implicit> made;
    for (const auto& f : functions)
      made.push_back({std::make_shared<const ImplicitSolid>(make_implicit_solid(f).value())});
    return made;
  }();
  return shapes;
}

class RandomPairs {
 public:
  /// `kinds`: 6 leaves out superellipsoids, cones, rounded boxes and implicit solids.
  explicit RandomPairs(unsigned seed, int kinds = 10) : engine_(seed), kinds_(kinds) {
    for (int k = 0; k < 40; ++k) hulls_.push_back(random_hull(k));
  }

  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  double log_uniform(double a, double b) { return std::exp(uniform(std::log(a), std::log(b))); }

  Vector3 direction() {
    std::normal_distribution<double> normal;
    return Vector3(normal(engine_), normal(engine_), normal(engine_)).normalized();
  }
  Matrix3 rotation() {
    std::normal_distribution<double> normal;
    return Quaternion(normal(engine_), normal(engine_), normal(engine_), normal(engine_))
        .normalized()
        .toRotationMatrix();
  }
  /// One of the 24 rotations of a cube: exact zeros and ones.
  Matrix3 axis_rotation() {
    Matrix3 R = Matrix3::Zero();
    const int i = below(3);
    const int j = (i + 1 + below(2)) % 3;
    R.col(0) = Vector3::Unit(i) * (below(2) ? 1 : -1);
    R.col(1) = Vector3::Unit(j) * (below(2) ? 1 : -1);
    R.col(2) = R.col(0).cross(R.col(1));
    return R;
  }

  /// A bounded shape of about this size, proportions up to 1:aspect; now and then an implicit one, of its own size.
  Shape shape(double size, double aspect, bool implicit = true) {
    const auto length = [&] { return size * log_uniform(1 / aspect, 1); };
    switch (below(implicit ? kinds_ : std::min(kinds_, 9))) {
      case 0:
        return Sphere{length()};
      case 1:
        return Box{Vector3(length(), length(), length())};
      case 2:
        return Capsule{length(), length()};
      case 3:
        return Cylinder{length(), length()};
      case 4: {
        Vector3 radii(length(), length(), length());
        const int equal = below(4);  // spheroids and spheres are the degenerate ones
        if (equal >= 2) radii.y() = radii.x();
        if (equal == 3) radii.z() = radii.x();
        return Ellipsoid{radii};
      }
      case 5:
        return scaled_hull(hulls_[below(static_cast<int>(hulls_.size()))], Vector3(length(), length(), length()));
      case 6: {
        Vector3 radii(length(), length(), uniform(0.6, 0.9) * length());
        if (below(3) == 0) radii.y() = radii.x();
        const auto exponent = [&] { return below(2) ? 4.0 : log_uniform(2, 16); };
        const double p = below(3) == 0 ? 2.0 : exponent();
        return Superellipsoid{radii, p, below(6) == 0 ? p : exponent()};
      }
      case 7:
        return Cone{length(), length()};
      case 8: {
        const Vector3 half(length(), length(), length());
        return RoundedBox{half, half.minCoeff() * (below(8) == 0 ? 1 : uniform(0.01, 1))};
      }
      default: {
        // Not those that are round: nothing proves a depth that is the same all round but a formula.
        constexpr int angular[4] = {0, 1, 2, 6};
        if (below(16) == 0) return implicit_shapes()[angular[below(4)]];
        return Sphere{length()};
      }
    }
  }

  /// A pair of one of many kinds; `kind` counts up.
  Pair pair(int kind) {
    const double scale = kind % 3 == 0 ? 1.0 : log_uniform(1e-3, 1e3);
    const double aspect = kind % 5 == 0 ? 1e3 : kind % 5 == 1 ? 1.0 : 10.0;
    const double ratio = kind % 7 == 0 ? log_uniform(1e-3, 1) : log_uniform(0.3, 1);
    Pair pair{shape(scale, aspect), shape(scale * ratio, aspect), {}, {}};
    if (below(2)) std::swap(pair.A, pair.B);
    pair.X_WA.R = below(2) ? rotation() : axis_rotation();
    pair.X_WB.R = aligned_rotation(pair.X_WA.R);
    pair.X_WA.p = below(3) ? Vector3::Zero() : Vector3(direction() * (below(2) ? 1e3 : scale));
    place(&pair, scale);
    return pair;
  }

 private:
  /// B against A: anything, parallel, or parallel up to a tiny tilt.
  Matrix3 aligned_rotation(const Matrix3& R) {
    switch (below(4)) {
      case 0:
        return R * axis_rotation();
      case 1:
        return R * axis_rotation() * exp_rotation(direction() * log_uniform(1e-12, 1e-2)).toRotationMatrix();
      default:
        return rotation();
    }
  }

  void place(Pair* pair, double scale) {
    const Vector3 d = below(2) ? direction() : Vector3(pair->X_WA.R * (Vector3::Unit(below(3)) * (below(2) ? 1 : -1)));
    const auto put = [&](double along) { pair->X_WB.p = pair->X_WA.p + along * d; };
    const double reach = support_height(pair->A, pair->X_WA.R.transpose() * d) +
                         support_height(pair->B, -(pair->X_WB.R.transpose() * d));
    switch (below(6)) {
      case 0:  // one origin
        return put(0);
      case 1:  // almost one origin
        return put(scale * log_uniform(1e-12, 1e-2));
      case 2:  // overlapping
        return put(reach * uniform(0, 1));
      case 3:  // touching along d
        return put(reach);
      case 4: {  // touching at the nearest points, up to a tiny gap or depth
        put(reach * uniform(0.5, 2));
        const Distance apart = distance(pair->A, pair->X_WA, pair->B, pair->X_WB);
        pair->X_WB.p -= apart.gap * apart.normal;
        if (below(2)) pair->X_WB.p += apart.normal * (scale * log_uniform(1e-15, 1e-5) * (below(2) ? 1 : -1));
        return;
      }
      default:  // apart
        return put(reach * uniform(1, 4));
    }
  }

  std::vector<Vector3> random_hull(int k) {
    std::vector<Vector3> points;
    if (k % 4 == 0) {  // a regular prism
      const int sides = 3 + k % 9;
      for (int i = 0; i < 2 * sides; ++i) {
        const double angle = 2 * M_PI * (i / 2) / sides;
        points.emplace_back(std::cos(angle), std::sin(angle), i % 2 ? 1 : -1);
      }
    } else {
      const int count = k % 4 == 1 ? 4 : 5 + 3 * k;
      for (int i = 0; i < count; ++i)
        points.push_back(k % 4 == 2 ? direction() : Vector3(direction() * uniform(0.3, 1)));
    }
    return points;
  }
  Shape scaled_hull(std::vector<Vector3> points, const Vector3& scale) {
    for (Vector3& point : points) point = point.cwiseProduct(scale);
    return Convex{std::make_shared<ConvexHull>(convex_hull(points).value())};
  }

  std::mt19937 engine_;
  int kinds_;
  std::vector<std::vector<Vector3>> hulls_;
};

/// Largest amount by which the world point x is outside the shape, from support planes alone would need all directions;
/// here by the shape's own inequality instead. Zero or negative inside.
inline double outside_by(const Shape& shape, const Pose& X_WS, const Vector3& x_W) {
  const Vector3 q = X_WS.R.transpose() * (x_W - X_WS.p);
  if (const auto* s = std::get_if<Sphere>(&shape)) return q.norm() - s->radius;
  if (const auto* s = std::get_if<Box>(&shape)) return (q.cwiseAbs() - s->half_size).maxCoeff();
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    return (q - Vector3(0, 0, std::clamp(q.z(), -s->half_length, s->half_length))).norm() - s->radius;
  }
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    return std::max(std::hypot(q.x(), q.y()) - s->radius, std::abs(q.z()) - s->half_length);
  }
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) {
    return (q.cwiseQuotient(s->radii).norm() - 1) * s->radii.minCoeff();
  }
  if (const auto* s = std::get_if<Superellipsoid>(&shape)) {
    const Vector3 u = q.cwiseQuotient(s->radii).cwiseAbs();
    const double across = std::pow(std::pow(u.x(), s->p) + std::pow(u.y(), s->p), s->q / s->p);
    return (std::pow(across + std::pow(u.z(), s->q), 1 / s->q) - 1) * s->radii.minCoeff();
  }
  if (const auto* s = std::get_if<Cone>(&shape)) {
    const double slope = s->radius / (2 * s->half_length);  // of the radius with the depth below the apex
    const double side = (std::hypot(q.x(), q.y()) - slope * (s->half_length - q.z())) / std::hypot(1, slope);
    return std::max(side, -s->half_length - q.z());
  }
  if (const auto* s = std::get_if<RoundedBox>(&shape)) {
    const Vector3 core = s->half_size.array() - s->radius;
    return (q - q.cwiseMin(core).cwiseMax(-core)).norm() - s->radius;
  }
  if (const auto* s = std::get_if<Implicit>(&shape)) {
    double most = -1e300;
    for (const ImplicitFunction& function : s->solid->functions) {
      const ImplicitValue f = evaluate(function, q);
      most = std::max(most, f.value / f.gradient.norm());
    }
    return most;
  }
  const ConvexHull& hull = *std::get<Convex>(shape).hull;
  double most = -1e300;
  for (size_t f = 0; f < hull.faces.size(); ++f) {
    most = std::max(most, hull.face_normals[f].dot(q - hull.vertices[hull.faces[f][0]]));
  }
  return most;
}

inline double pair_size(const Pair& pair) {
  return std::max(shape_size(pair.A), shape_size(pair.B));
}

/// min over B minus max over A along n from support() points, as a reader of the header would compute it.
inline double separation(const Pair& pair, const Vector3& n) {
  const Vector3 a = pair.X_WA.R * support(pair.A, pair.X_WA.R.transpose() * n);
  const Vector3 b = pair.X_WB.R * support(pair.B, -(pair.X_WB.R.transpose() * n));
  return n.dot(pair.X_WB.p - pair.X_WA.p) + n.dot(b) - n.dot(a);
}

}  // namespace stiction::geometry::testing
