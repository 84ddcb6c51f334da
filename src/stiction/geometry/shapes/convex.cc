#include "stiction/geometry/shapes/convex.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/assert.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

Vector3 half_extent(const ConvexHull& hull) {
  Vector3 lower = hull.vertices.front();
  Vector3 upper = lower;
  for (const Vector3& vertex : hull.vertices) {
    lower = lower.cwiseMin(vertex);
    upper = upper.cwiseMax(vertex);
  }
  return 0.5 * (upper - lower);
}

int aligned_face(const ConvexHull& hull, const Vector3& d) {
  int best = 0;
  double cosine = -2;
  for (int f = 0; f < static_cast<int>(hull.face_normals.size()); ++f) {
    const double c = hull.face_normals[f].dot(d);
    if (c > cosine) cosine = c, best = f;
  }
  return best;
}

/// Of the many faces that meet in one corner: the one most along the normal in each of eight sectors round it, so that
/// the normal stays between those chosen.
class SectorFaces {
 public:
  explicit SectorFaces(const Vector3& outward)
      : outward_(outward), t1_(any_orthogonal(outward)), t2_(outward.cross(t1_)) {
    face_.fill(-1);
  }
  void offer(const Vector3& normal, int face) {
    const double angle = std::atan2(t2_.dot(normal), t1_.dot(normal));
    const int sector = std::clamp(static_cast<int>((angle + M_PI) / (2 * M_PI) * sectors), 0, sectors - 1);
    const double cosine = outward_.dot(normal);
    if (face_[sector] >= 0 && cosine <= cosine_[sector]) return;
    face_[sector] = face;
    cosine_[sector] = cosine;
  }
  bool holds(int face) const { return std::find(face_.begin(), face_.end(), face) != face_.end(); }

 private:
  static constexpr int sectors = max_piece_surfaces;
  Vector3 outward_, t1_, t2_;
  std::array<int, sectors> face_;
  std::array<double, sectors> cosine_;
};

}  // namespace

double ShapeTraits<Convex>::bounding_radius(const Convex& s) {
  double radius = 0;
  for (const Vector3& v : s.hull->vertices) radius = std::max(radius, v.norm());
  return radius;
}

double ShapeTraits<Convex>::size(const Convex& s) {
  return s.hull->size > 0 ? s.hull->size : 2 * half_extent(*s.hull).norm();
}

/// Sum over the tetrahedra between an inner vertex and the fans of the faces: with edges a, b, c from it and volume V,
/// integral of x = V (a+b+c)/4 and of x x^T = V/20 (a a^T + b b^T + c c^T + s s^T), s = a+b+c.
MassProperties ShapeTraits<Convex>::mass_properties(const Convex& s) {
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

CoreShape ShapeTraits<Convex>::core(const Convex& s) {
  CoreShape core;
  core.kind = CoreShape::Kind::hull;
  core.hull = s.hull.get();
  return core;
}

void ShapeTraits<Convex>::feature(const Convex& s, const FeatureView& view, SupportFeature* feature) {
  const ConvexHull& hull = *s.hull;
  const int f = aligned_face(hull, view.local);
  if (hull.face_normals[f].dot(view.local) < steepest_cosine) return;
  const std::vector<int>& face = hull.faces[f];
  STICTION_ASSERT(face.size() <= SupportFeature::max_vertices, "convex_hull() refuses larger faces");
  feature->kind = SupportFeature::Kind::polygon;
  feature->normal = view.R * hull.face_normals[f];
  feature->edge_base = f * SupportFeature::max_vertices;
  for (const int corner : face) feature->add_vertex(view.p + view.R * hull.vertices[corner], corner);
}

bool ShapeTraits<Convex>::face_normal(const Convex& s, const Matrix3& R, const Vector3& local, Vector3* normal) {
  *normal = R * s.hull->face_normals[aligned_face(*s.hull, local)];
  return true;
}

bool ShapeTraits<Convex>::on_plane(const Convex& s, const PlanePoints& plane) {
  const std::vector<Vector3>& vertices = s.hull->vertices;
  for (int k = 0; k < static_cast<int>(vertices.size()); ++k) plane.add(plane.p() + plane.R() * vertices[k], k);
  return true;
}

bool ShapeTraits<Convex>::in_bowl(const Convex& s, const BowlCollector& bowl) {
  const std::vector<Vector3>& vertices = s.hull->vertices;
  for (int k = 0; k < static_cast<int>(vertices.size()); ++k) bowl.add(vertices[k], 0, k);
  return true;
}

void ShapeTraits<Convex>::whole(const Convex& s, const PieceSpot& at, Piece& piece) {
  const ConvexHull& hull = *s.hull;
  const int count = static_cast<int>(hull.faces.size());
  const double length = size(s);
  const auto slack = [&](int f) { return hull.face_normals[f].dot(hull.vertices[hull.faces[f][0]] - at.point); };
  SectorFaces meeting(at.outward);
  for (int f = 0; f < count; ++f) {
    if (slack(f) < 1e-6 * length) meeting.offer(hull.face_normals[f], f);
  }
  NearestSurfaces faces;
  for (int f = 0; f < count; ++f) faces.offer(slack(f) - (meeting.holds(f) ? length : 0), f);
  for (const int f : faces.view()) add(piece, half_space(hull.face_normals[f], hull.vertices[hull.faces[f][0]]));
}

}  // namespace stiction::geometry
