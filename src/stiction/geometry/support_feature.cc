#include "stiction/geometry/support_feature.h"

#include <algorithm>
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

int corner_id(const Vector3& x) {
  return (x.x() > 0) + 2 * (x.y() > 0) + 4 * (x.z() > 0);
}

/// Corners counter-clockwise about the outward normal; the number of a corner has one bit an axis.
void box_face(const Vector3& half_size, const Matrix3& R, const Vector3& p, const Vector3& local,
              SupportFeature* feature) {
  const int k = aligned_box_axis(local);
  const double side = std::copysign(1.0, local[k]);
  const int i = side > 0 ? (k + 1) % 3 : (k + 2) % 3;
  const int j = side > 0 ? (k + 2) % 3 : (k + 1) % 3;
  constexpr double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  feature->kind = Kind::polygon;
  feature->normal = side * R.col(k);
  feature->edge_base = 4 * (2 * k + (side > 0));
  for (const auto& corner : corners) {
    Vector3 sign;
    sign[k] = side;
    sign[i] = corner[0];
    sign[j] = corner[1];
    add_vertex(feature, p + R * sign.cwiseProduct(half_size), corner_id(sign));
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

/// A cap of a cylinder, or the base of a cone: four rim points fixed in the shape, and the deepest one when the cap is tilted by more than rounding.
void disc_face(double radius, double half_length, const Matrix3& R, const Vector3& p, const Vector3& local,
               SupportFeature* feature) {
  const double side = std::copysign(1.0, local.z());
  feature->kind = Kind::disc;
  feature->normal = side * R.col(2);
  feature->center = p + (side * half_length) * R.col(2);
  feature->radius = radius;
  feature->edge_base = side > 0;
  const int base = side > 0 ? 8 : 0;
  add_vertex(feature, feature->center + radius * R.col(0), base);
  add_vertex(feature, feature->center + radius * R.col(1), base + 1);
  add_vertex(feature, feature->center - radius * R.col(0), base + 2);
  add_vertex(feature, feature->center - radius * R.col(1), base + 3);
  const double tilt = std::hypot(local.x(), local.y());
  if (tilt <= 1e-9) return;
  const Vector3 toward(local.x() / tilt, local.y() / tilt, 0);
  // Not a fifth point where it is (almost) one of the four.
  if (std::max(std::abs(toward.x()), std::abs(toward.y())) < 1 - 1e-9) {
    add_vertex(feature, feature->center + radius * (R * toward), base + 4);
  }
}

void side_line(double radius, double half_length, const Vector3& outward, const Matrix3& R, const Vector3& p,
               SupportFeature* feature) {
  feature->kind = Kind::segment;
  const Vector3 offset = p + radius * outward;
  add_vertex(feature, offset - half_length * R.col(2), 0);
  add_vertex(feature, offset + half_length * R.col(2), 1);
}

/// The core's face, edge or corner moved out by the radius along d: nearly flat on, a face; then a line or a point.
void rounded_box_feature(const RoundedBox& box, const Matrix3& R, const Vector3& p, const Vector3& d,
                         const Vector3& local, SupportFeature* feature) {
  constexpr double face_cosine = 0.98;
  constexpr double edge_sine = 0.2;
  const Vector3 core = core_half_size(box);
  const Vector3 offset = p + box.radius * d;
  int along = 0;
  const double flat = 1e-9 * box.half_size.maxCoeff();  // a core no wider than that is none
  int across = 0;
  if (local.cwiseAbs().maxCoeff(&across) >= face_cosine) {
    const int i = (across + 1) % 3;
    const int j = (across + 2) % 3;
    if (std::min(core[i], core[j]) > flat) return box_face(core, R, offset, local, feature);
    along = core[i] > core[j] ? i : j;
  } else if (local.cwiseAbs().minCoeff(&along) > edge_sine) {
    return;
  }
  if (core[along] <= flat) return;
  feature->kind = Kind::segment;
  feature->edge_base = 64 + along;
  for (const double end : {-1.0, 1.0}) {
    Vector3 sign(local.x() < 0 ? -1 : 1, local.y() < 0 ? -1 : 1, local.z() < 0 ? -1 : 1);
    sign[along] = end;
    add_vertex(feature, offset + R * sign.cwiseProduct(core), corner_id(sign));
  }
}

/// The base, or the side line from rim to apex, whichever faces d more; straight on the apex, a point.
void cone_feature(const Cone& cone, const Matrix3& R, const Vector3& p, const Vector3& d, const Vector3& local,
                  SupportFeature* feature) {
  const double radial = std::hypot(local.x(), local.y());
  const double slant = std::hypot(2 * cone.half_length, cone.radius);
  const double side_cosine = (2 * cone.half_length * radial + cone.radius * local.z()) / slant;
  if (-local.z() >= side_cosine) return disc_face(cone.radius, cone.half_length, R, p, local, feature);
  if (radial <= 1e-9) return;
  feature->kind = Kind::segment;
  const Vector3 outward = (d - local.z() * R.col(2)).normalized();
  add_vertex(feature, p - cone.half_length * R.col(2) + cone.radius * outward, 0);
  add_vertex(feature, p + cone.half_length * R.col(2), 1);
}

}  // namespace

void support_feature(const Shape& shape, const Matrix3& R, const Vector3& p, const Vector3& d,
                     SupportFeature* feature) {
  feature->count = 0;
  feature->kind = Kind::point;
  const Vector3 local = R.transpose() * d;
  if (const auto* box = std::get_if<Box>(&shape)) {
    box_face(box->half_size, R, p, local, feature);
  } else if (const auto* convex = std::get_if<Convex>(&shape)) {
    hull_face(*convex->hull, R, p, local, feature);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    if (capsule->half_length > 0) side_line(capsule->radius, capsule->half_length, d, R, p, feature);
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    if (std::abs(local.z()) >= cap_cosine) {
      disc_face(cylinder->radius, cylinder->half_length, R, p, local, feature);
    } else {
      const Vector3 radial = (d - local.z() * R.col(2)).normalized();
      side_line(cylinder->radius, cylinder->half_length, radial, R, p, feature);
    }
  } else if (const auto* rounded = std::get_if<RoundedBox>(&shape)) {
    rounded_box_feature(*rounded, R, p, d, local, feature);
  } else if (const auto* cone = std::get_if<Cone>(&shape)) {
    cone_feature(*cone, R, p, d, local, feature);
  }
}

bool aligned_face_normal(const Shape& shape, const Matrix3& R, const Vector3& d, Vector3* normal) {
  const Vector3 local = R.transpose() * d;
  if (std::holds_alternative<Box>(shape) || std::holds_alternative<RoundedBox>(shape)) {
    const int k = aligned_box_axis(local);
    *normal = std::copysign(1.0, local[k]) * R.col(k);
  } else if (const auto* convex = std::get_if<Convex>(&shape)) {
    *normal = R * convex->hull->face_normals[aligned_hull_face(*convex->hull, local)];
  } else if (std::holds_alternative<Cylinder>(shape)) {
    *normal = std::copysign(1.0, local.z()) * R.col(2);
  } else if (std::holds_alternative<Cone>(shape)) {
    *normal = -R.col(2);
  } else {
    return false;
  }
  return true;
}

}  // namespace stiction::geometry
