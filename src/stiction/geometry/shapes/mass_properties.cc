// Volume, centre and inertia of solids of density one; exact polyhedral integrals for polytopes.
#include <cmath>
#include <numbers>

#include "stiction/geometry/shapes/shape.h"

namespace stiction::geometry {
namespace {

using std::numbers::pi;

/// Inertia about the centre from the second moments m_k = integral of x_k^2, products zero.
MassProperties symmetric_solid(double volume, const Vector3& moments) {
  const Vector3 inertia(moments.y() + moments.z(), moments.z() + moments.x(), moments.x() + moments.y());
  return {volume, Vector3::Zero(), inertia.asDiagonal()};
}

MassProperties of(const Plane&) {
  return {};
}

MassProperties of(const Bowl&) {
  return {};
}

MassProperties of(const Sphere& s) {
  const double volume = 4.0 / 3.0 * pi * s.radius * s.radius * s.radius;
  return symmetric_solid(volume, Vector3::Constant(volume * s.radius * s.radius / 5));
}

MassProperties of(const Box& s) {
  const double volume = 8 * s.half_size.prod();
  return symmetric_solid(volume, volume / 3 * s.half_size.cwiseAbs2());
}

MassProperties of(const Ellipsoid& s) {
  const double volume = 4.0 / 3.0 * pi * s.radii.prod();
  return symmetric_solid(volume, volume / 5 * s.radii.cwiseAbs2());
}

MassProperties of(const Cylinder& s) {
  const double r2 = s.radius * s.radius;
  const double volume = 2 * pi * r2 * s.half_length;
  return symmetric_solid(volume, volume * Vector3(r2 / 4, r2 / 4, s.half_length * s.half_length / 3));
}

/// A cylinder and two half balls; a half ball's centre is 3r/8 above its flat side.
MassProperties of(const Capsule& s) {
  const MassProperties middle = of(Cylinder{s.radius, s.half_length});
  const double r = s.radius;
  const double l = s.half_length;
  const double caps = 4.0 / 3.0 * pi * r * r * r;
  const double radial = middle.volume * r * r / 4 + caps * r * r / 5;
  const double axial = middle.volume * l * l / 3 + caps * (r * r / 5 + 2 * l * 3 * r / 8 + l * l);
  return symmetric_solid(middle.volume + caps, {radial, radial, axial});
}

/// Sum over the tetrahedra between an inner vertex and the fans of the faces: with edges a, b, c from it and volume V,
/// integral of x = V (a+b+c)/4 and of x x^T = V/20 (a a^T + b b^T + c c^T + s s^T), s = a+b+c.
MassProperties of(const Convex& s) {
  const ConvexHull& hull = *s.hull;
  const Vector3 origin = hull.vertices.front();
  double volume = 0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
  for (const std::vector<int>& face : hull.faces) {
    const Vector3 a = hull.vertices[face[0]] - origin;
    for (size_t k = 2; k < face.size(); ++k) {
      const Vector3 b = hull.vertices[face[k - 1]] - origin;
      const Vector3 c = hull.vertices[face[k]] - origin;
      const double V = a.dot(b.cross(c)) / 6;
      const Vector3 sum = a + b + c;
      volume += V;
      first += V / 4 * sum;
      second += V / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
    }
  }
  const Vector3 center = first / volume;
  const Matrix3 moments = second - volume * center * center.transpose();
  return {volume, origin + center, moments.trace() * Matrix3::Identity() - moments};
}

double beta(double x, double y) {
  return std::tgamma(x) * std::tgamma(y) / std::tgamma(x + y);
}

/// Jaklic, Leonardis, Solina (2000), section 2.4, with their exponents e = 2/q along z, f = 2/p across.
MassProperties of(const Superellipsoid& s) {
  const double e = 2 / s.q;
  const double f = 2 / s.p;
  const double scale = s.radii.prod() * e * f;
  const double volume = 2 * scale * beta(e / 2 + 1, e) * beta(f / 2, f / 2);
  const double across = 0.5 * scale * beta(1.5 * f, f / 2) * beta(e / 2, 2 * e + 1);
  const double along = scale * beta(f / 2, f / 2) * beta(1.5 * e, e + 1);
  return symmetric_solid(volume, Vector3(across, across, along).cwiseProduct(s.radii.cwiseAbs2()));
}

/// The centre is a quarter of the height above the base.
MassProperties of(const Cone& s) {
  const double r2 = s.radius * s.radius;
  const double height = 2 * s.half_length;
  const double volume = pi / 3 * r2 * height;
  MassProperties m = symmetric_solid(volume, volume * Vector3(0.15 * r2, 0.15 * r2, 0.0375 * height * height));
  m.center.z() = -0.5 * s.half_length;
  return m;
}

/// Integral of x_k^2 over the core box, its six slabs, twelve quarter cylinders and eight octants of a ball.
double rounded_moment(const Vector3& c, double r, int k) {
  const double x = c[k];
  const double y = c[(k + 1) % 3];
  const double z = c[(k + 2) % 3];
  const double within = 8 * x * y * z + 8 * r * x * (y + z) + 2 * pi * r * r * x;  // x_k uniform in [-x, x]
  const double slabs = 8.0 / 3 * y * z * (std::pow(x + r, 3) - std::pow(x, 3));
  const double quarters = 2 * pi * r * r * (y + z) * (x * x + 8 * r * x / (3 * pi) + r * r / 4);
  const double octants = 4.0 / 3 * pi * r * r * r * (x * x + 0.75 * r * x + r * r / 5);
  return within * x * x / 3 + slabs + quarters + octants;
}

MassProperties of(const RoundedBox& s) {
  const Vector3 c = core_half_size(s);
  const double r = s.radius;
  const double faces = c.x() * c.y() + c.y() * c.z() + c.z() * c.x();
  const double volume = 8 * c.prod() + 8 * r * faces + 2 * pi * r * r * c.sum() + 4.0 / 3 * pi * r * r * r;
  return symmetric_solid(volume, {rounded_moment(c, r, 0), rounded_moment(c, r, 1), rounded_moment(c, r, 2)});
}

MassProperties of(const Implicit& s) {
  return {s.solid->volume, s.solid->center, s.solid->inertia};
}

}  // namespace

MassProperties mass_properties(const Shape& shape) {
  return std::visit([](const auto& s) { return of(s); }, shape);
}

}  // namespace stiction::geometry
