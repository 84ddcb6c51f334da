// One normal from the distance, then every corner of the overlap of the two facing features whose gap is below the
// margin.
#include "stiction/geometry/manifold.h"

#include <algorithm>
#include <cmath>

#include "stiction/geometry/bowl_contact.h"
#include "stiction/geometry/closed_form.h"
#include "stiction/geometry/contact_points.h"
#include "stiction/geometry/distance_internal.h"
#include "stiction/geometry/manifold_internal.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

void drop_above(double margin, ContactCandidates* list) {
  const auto end = std::remove_if(list->points.begin(), list->points.begin() + list->count,
                                  [&](const ContactCandidate& point) { return !(point.gap < margin); });
  list->count = static_cast<int>(end - list->points.begin());
}

/// Keeps the corners that span most: with the points in order about their middle, the one whose removal loses the least
/// area goes first, the deepest one never.
void thin_out(const Vector3& normal, ContactCandidates* list) {
  const int deepest = static_cast<int>(
      std::min_element(list->points.begin(), list->points.begin() + list->count,
                       [](const ContactCandidate& a, const ContactCandidate& b) { return a.gap < b.gap; }) -
      list->points.begin());
  const std::uint32_t keep = list->points[deepest].feature;
  const Vector3 t1 = any_orthogonal(normal);
  const Vector3 t2 = normal.cross(t1);
  Vector3 middle = Vector3::Zero();
  for (int k = 0; k < list->count; ++k) middle += list->points[k].point_A / list->count;
  struct Spot {
    Vector2 at;
    double angle;
    int index;
  };
  std::array<Spot, ContactCandidates::capacity> spots;
  int count = list->count;
  for (int k = 0; k < count; ++k) {
    const Vector3 x = list->points[k].point_A - middle;
    const Vector2 at(t1.dot(x), t2.dot(x));
    spots[k] = {at, std::atan2(at.y(), at.x()), k};
  }
  std::sort(spots.begin(), spots.begin() + count,
            [](const Spot& a, const Spot& b) { return a.angle != b.angle ? a.angle < b.angle : a.index < b.index; });
  while (count > max_manifold_points) {
    int worst = -1;
    double least = 0;
    for (int k = 0; k < count; ++k) {
      if (list->points[spots[k].index].feature == keep) continue;
      const Vector2 before = spots[k].at - spots[(k + count - 1) % count].at;
      const Vector2 after = spots[(k + 1) % count].at - spots[k].at;
      const double area = before.x() * after.y() - before.y() * after.x();
      if (worst < 0 || area < least) worst = k, least = area;
    }
    std::copy(spots.begin() + worst + 1, spots.begin() + count, spots.begin() + worst);
    --count;
  }
  std::sort(spots.begin(), spots.begin() + count, [](const Spot& a, const Spot& b) { return a.index < b.index; });
  for (int k = 0; k < count; ++k) list->points[k] = list->points[spots[k].index];
  list->count = count;
}

/// Hands the points over in world coordinates.
void fill(const Vector3& origin, ContactCandidates* list, Manifold* manifold) {
  if (list->count > max_manifold_points) thin_out(manifold->normal, list);
  for (int k = 0; k < list->count; ++k) {
    const ContactCandidate& point = list->points[k];
    manifold->points[k] = {point.point_A + origin, point.point_B + origin, point.gap, point.feature, Vector3::Zero()};
  }
  manifold->count = list->count;
}

/// The half-space A and any bounded shape B; gaps are heights above the plane, exact for every point.
void on_plane(const Placement& pair, const Vector3& n, double margin, ContactCandidates* list) {
  const PlanePoints plane(pair.R_WB, pair.p_AB, n, margin, list);
  if (ask_shape(pair.B, [&](auto traits, const auto& s) { return traits.on_plane(s, plane); })) return;
  SupportFeature feature;
  support_feature(pair.B, pair.R_WB, pair.p_AB, -n, &feature);
  for (int k = 0; k < feature.count; ++k) plane.add(feature.vertex[k], feature.id[k]);
  if (feature.count > 0) return;
  const Vector3 down = -(pair.R_WB.transpose() * n);
  const double gap = n.dot(pair.p_AB) - support_height(pair.B, down);
  const Vector3 x = pair.p_AB + pair.R_WB * support(pair.B, down);
  if (gap < margin) list->points[list->count++] = {x - gap * n, x, gap, 0};
}

Manifold plane_manifold(const Placement& pair, const Vector3& origin, double margin) {
  Manifold manifold;
  if (is_unbounded(pair.B)) return manifold;
  manifold.normal = pair.R_WA * std::get<Plane>(pair.A).normal;
  ContactCandidates list;
  on_plane(pair, manifold.normal, margin, &list);
  fill(origin, &list, &manifold);
  return manifold;
}

/// The half-space or bowl A, whose origin in the world is given, and anything.
Manifold unbounded_manifold(const Placement& pair, const Vector3& origin, double margin) {
  const bool hollow = kind_of(pair.A).extent == Extent::hollow;
  return hollow ? bowl_manifold(pair, origin, margin) : plane_manifold(pair, origin, margin);
}

}  // namespace

void finish_manifold(const Vector3& origin, double margin, ContactCandidates* list, Manifold* manifold) {
  drop_above(margin, list);
  fill(origin, list, manifold);
}

void exchange(Manifold* manifold) {
  manifold->normal = -manifold->normal;
  for (int k = 0; k < manifold->count; ++k) {
    ManifoldPoint& point = manifold->points[k];
    std::swap(point.point_A, point.point_B);
    point.own_normal = -point.own_normal;
  }
}

void PlanePoints::add(const Vector3& x, int id) const {
  const double gap = n_.dot(x);
  if (!(gap < margin_)) return;
  if (list_->count == ContactCandidates::capacity) thin_out(n_, list_);
  list_->points[list_->count++] = {x - gap * n_, x, gap, static_cast<std::uint32_t>(id)};
}

Manifold manifold(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, double margin) {
  const Placement pair{A, B, X_WA.R, X_WB.R, X_WB.p - X_WA.p};
  if (is_unbounded(A)) return unbounded_manifold(pair, X_WA.p, margin);
  if (is_unbounded(B)) {
    const Placement other{B, A, X_WB.R, X_WA.R, -pair.p_AB};
    Manifold result = unbounded_manifold(other, X_WB.p, margin);
    exchange(&result);
    return result;
  }
  Manifold result;
  const double size = pair.size();
  ContactCandidates list;
  list.count = -1;
  const Distance nearest = placed_distance(pair, size, {}, margin, &list);
  result.normal = nearest.normal;
  if (!(nearest.gap < margin)) return result;
  if (list.count < 0) contact_candidates(pair, nearest.normal, size, &list);
  // Curved shapes, and corners or edges that meet without overlapping in projection: the nearest points themselves.
  if (list.deepest() > nearest.gap + 1e-9 * size) {
    list.merge({nearest.point_A, nearest.point_A + nearest.gap * nearest.normal, nearest.gap, 0},
               merge_distance * size);
  }
  finish_manifold(X_WA.p, margin, &list, &result);
  return result;
}

}  // namespace stiction::geometry
