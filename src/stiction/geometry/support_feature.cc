#include "stiction/geometry/support_feature.h"

#include <cmath>

#include "stiction/base/assert.h"

namespace stiction::geometry {
namespace {

using Kind = SupportFeature::Kind;

/// A face steeper than this against d touches with an edge or a corner only.
constexpr double steepest_cosine = 0.2;
/// A cylinder tilted more than 45 degrees from standing touches with its side, otherwise with a cap.
constexpr double cap_cosine = 0.70710678118654752;

int aligned_box_axis(const Vector3& d) {
  int axis = 0;
  d.cwiseAbs().maxCoeff(&axis);
  return axis;
}

int aligned_hull_face(const ConvexHull& hull, const Vector3& d) {
  int best = 0;
  double cosine = -2;
  for (int f = 0; f < static_cast<int>(hull.face_normals.size()); ++f) {
    const double c = hull.face_normals[f].dot(d);
    if (c > cosine) cosine = c, best = f;
  }
  return best;
}

void add_vertex(SupportFeature* feature, const Vector3& x, int id) {
  feature->vertex[feature->count] = x;
  feature->id[feature->count++] = id;
}

/// Corners counter-clockwise about the outward normal; the number of a corner has one bit an axis.
void box_face(const Box& box, const Matrix3& R, const Vector3& p, const Vector3& local, SupportFeature* feature) {
  const int k = aligned_box_axis(local);
  const double side = std::copysign(1.0, local[k]);
  const int i = side > 0 ? (k + 1) % 3 : (k + 2) % 3;
  const int j = side > 0 ? (k + 2) % 3 : (k + 1) % 3;
  constexpr double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  feature->kind = Kind::polygon;
  feature->normal = side * R.col(k);
  feature->edge_base = 4 * (2 * k + (side > 0));
  for (const auto& corner : corners) {
    Vector3 x;
    x[k] = side * box.half_size[k];
    x[i] = corner[0] * box.half_size[i];
    x[j] = corner[1] * box.half_size[j];
    add_vertex(feature, p + R * x, (x.x() > 0) + 2 * (x.y() > 0) + 4 * (x.z() > 0));
  }
}

void hull_face(const ConvexHull& hull, const Matrix3& R, const Vector3& p, const Vector3& local,
               SupportFeature* feature) {
  const int f = aligned_hull_face(hull, local);
  if (hull.face_normals[f].dot(local) < steepest_cosine) return;
  const std::vector<int>& face = hull.faces[f];
  STICTION_ASSERT(face.size() <= SupportFeature::max_vertices, "convex_hull() refuses larger faces");
  feature->kind = Kind::polygon;
  feature->normal = R * hull.face_normals[f];
  feature->edge_base = f * SupportFeature::max_vertices;
  for (const int corner : face) add_vertex(feature, p + R * hull.vertices[corner], corner);
}

/// Four rim points fixed in the cylinder, and the deepest one when the cap is tilted by more than rounding.
void cylinder_cap(const Cylinder& c, const Matrix3& R, const Vector3& p, const Vector3& local,
                  SupportFeature* feature) {
  const double side = std::copysign(1.0, local.z());
  feature->kind = Kind::disc;
  feature->normal = side * R.col(2);
  feature->center = p + (side * c.half_length) * R.col(2);
  feature->radius = c.radius;
  feature->edge_base = side > 0;
  const int base = side > 0 ? 8 : 0;
  add_vertex(feature, feature->center + c.radius * R.col(0), base);
  add_vertex(feature, feature->center + c.radius * R.col(1), base + 1);
  add_vertex(feature, feature->center - c.radius * R.col(0), base + 2);
  add_vertex(feature, feature->center - c.radius * R.col(1), base + 3);
  const double tilt = std::hypot(local.x(), local.y());
  if (tilt <= 1e-9) return;
  const Vector3 toward(local.x() / tilt, local.y() / tilt, 0);
  // Not a fifth point where it is (almost) one of the four.
  if (std::max(std::abs(toward.x()), std::abs(toward.y())) < 1 - 1e-9) {
    add_vertex(feature, feature->center + c.radius * (R * toward), base + 4);
  }
}

void side_line(double radius, double half_length, const Vector3& outward, const Matrix3& R, const Vector3& p,
               SupportFeature* feature) {
  feature->kind = Kind::segment;
  const Vector3 offset = p + radius * outward;
  add_vertex(feature, offset - half_length * R.col(2), 0);
  add_vertex(feature, offset + half_length * R.col(2), 1);
}

}  // namespace

void support_feature(const Shape& shape, const Matrix3& R, const Vector3& p, const Vector3& d,
                     SupportFeature* feature) {
  feature->count = 0;
  feature->kind = Kind::point;
  const Vector3 local = R.transpose() * d;
  if (const auto* box = std::get_if<Box>(&shape)) {
    box_face(*box, R, p, local, feature);
  } else if (const auto* convex = std::get_if<Convex>(&shape)) {
    hull_face(*convex->hull, R, p, local, feature);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    if (capsule->half_length > 0) side_line(capsule->radius, capsule->half_length, d, R, p, feature);
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    if (std::abs(local.z()) >= cap_cosine) {
      cylinder_cap(*cylinder, R, p, local, feature);
    } else {
      const Vector3 radial = (d - local.z() * R.col(2)).normalized();
      side_line(cylinder->radius, cylinder->half_length, radial, R, p, feature);
    }
  }
}

bool aligned_face_normal(const Shape& shape, const Matrix3& R, const Vector3& d, Vector3* normal) {
  const Vector3 local = R.transpose() * d;
  if (std::holds_alternative<Box>(shape)) {
    const int k = aligned_box_axis(local);
    *normal = std::copysign(1.0, local[k]) * R.col(k);
  } else if (const auto* convex = std::get_if<Convex>(&shape)) {
    *normal = R * convex->hull->face_normals[aligned_hull_face(*convex->hull, local)];
  } else if (std::holds_alternative<Cylinder>(shape)) {
    *normal = std::copysign(1.0, local.z()) * R.col(2);
  } else {
    return false;
  }
  return true;
}

}  // namespace stiction::geometry
