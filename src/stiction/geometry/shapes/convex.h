// A convex polytope, given by its vertices.
#pragma once

#include <memory>

#include "stiction/geometry/shapes/shape_traits.h"
#include "stiction/geometry/shapes/solids/convex_hull.h"
#include "stiction/geometry/shapes/solids/hull_support.h"

namespace stiction::geometry {

/// A convex polytope; the hull is shared and never changes.
struct Convex {
  std::shared_ptr<const ConvexHull> hull;
};

/// Its keys, a list of vertices or a file, have a reader of their own.
template <>
struct ShapeTraits<Convex> : CommonTraits {
  static constexpr std::string_view name = "convex";
  static constexpr std::string_view source = "GJK/EPA";
  static constexpr std::string_view sentence = "vertices, or a file of them: their convex hull";

  static constexpr std::string_view needs = "a hull of convex_hull()";
  static bool valid(const Convex& s) { return s.hull != nullptr && !s.hull->vertices.empty(); }
  static std::span<const Vector3> narrow_directions(const Convex& s) { return s.hull->face_normals; }
  static double bounding_radius(const Convex& s);
  static double size(const Convex& s);
  static Vector3 support(const Convex& s, const Vector3& d) {
    return s.hull->vertices[hull_support_vertex(*s.hull, d, 0)];
  }
  static double support_height(const Convex& s, const Vector3& d) {
    return s.hull->vertices[hull_support_vertex(*s.hull, d, 0)].dot(d);
  }
  /// Exact: a sum over tetrahedra.
  static MassProperties mass_properties(const Convex& s);
  static CoreShape core(const Convex& s);
  static void feature(const Convex& s, const FeatureView& view, SupportFeature* feature);
  static bool face_normal(const Convex& s, const Matrix3& R, const Vector3& local, Vector3* normal);
  static bool on_plane(const Convex& s, const PlanePoints& plane);
  static bool in_bowl(const Convex& s, const BowlCollector& bowl);
  /// The faces round the point.
  static void whole(const Convex& s, const PieceSpot& at, Piece& piece);
  static void fixed_part(const Convex&, const PieceSpot& at, Piece& piece) { add_corner(at.point, piece); }
};

}  // namespace stiction::geometry
