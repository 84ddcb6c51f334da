// What every shape must say of itself, and what it may leave out. A shape is a struct of plain data and, in the same
// file, ShapeTraits of it; one line in shape.h makes it known. Nothing else in the project asks which shape it has
// before it, but for closed forms of pairs.
//
// ShapeTraits<S> must have, all lengths in metres and everything in the shape's frame unless a pose is given:
//
//     name                   "cone": in scene files and messages
//     source, sentence       for `stiction list shapes`
//     keys, from_keys(v)     its keys in scene files; the shape from their numbers, one after the other (a shape
//                            without them has a reader of its own in scene/read_shape.cc)
//     valid(s), needs        whether the numbers make a shape; "positive sizes": what it needs, after "Give"
//     bounding_radius(s)     of a ball about the origin that holds the shape
//     size(s)                what tolerances are relative to: the diameter of its bounding box
//     support(s, d)          farthest point along d (of any length but zero)
//     support_height(s, d)   the largest d . x
//     mass_properties(s)     of a solid of density one
//     core(s)                for GJK: see core_shape.h; general_core() will do for any convex shape
//     whole(s, at, piece)    its surfaces, as far as they can matter at a contact point: see pieces.h
//
// and, where CommonTraits does not say it right, the members of the latter.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "stiction/base/infinity.h"
#include "stiction/geometry/shapes/features/core_shape.h"
#include "stiction/geometry/shapes/features/pieces.h"
#include "stiction/geometry/shapes/features/shape_points.h"
#include "stiction/geometry/shapes/features/support_feature.h"
#include "stiction/geometry/shapes/mass_properties.h"
#include "stiction/geometry/shapes/shape_key.h"
#include "stiction/math/types.h"

namespace stiction::geometry {

/// Specialised beside each shape.
template <class S>
struct ShapeTraits;

/// Where a shape is: what decides how it meets others.
enum class Extent {
  bounded,     ///< convex, with a farthest point in every direction
  half_space,  ///< everywhere below a plane
  hollow,      ///< everywhere outside a ball
};

/// Axis-aligned box in world axes.
struct Aabb {
  Vector3 lower = Vector3::Zero();
  Vector3 upper = Vector3::Zero();
};

/// What holds for most shapes.
struct CommonTraits {
  static constexpr Extent extent = Extent::bounded;
  static constexpr std::string_view needs = "positive sizes";
  /// Unbounded: "use a box": what a simulated body can have instead.
  static constexpr std::string_view instead = "";
  /// Curved wherever it touches: the other body carries what drifts.
  static constexpr bool round = false;
  /// No faces, edges or lines: touches whatever is convex in one point.
  static constexpr bool single_point = false;
  /// Points that in_bowl() names may be fixed in a rim.
  static constexpr bool rims = false;
  /// Its points that are farthest from a bowl's centre are found from the ends of its axes; otherwise corners help.
  static constexpr bool maxima_from_axes = false;

  /// Keys that do not go together.
  static std::optional<KeyMistake> mistake(std::span<const double>) { return std::nullopt; }
  /// How far the keys move the shape's origin.
  static std::optional<Vector3> shift(std::span<const double>) { return std::nullopt; }

  /// The shape as models keep it.
  template <class S>
  static S prepared(const S& s) {
    return s;
  }
  /// Directions besides the axes along which it may be narrowest.
  template <class S>
  static std::span<const Vector3> narrow_directions(const S&) {
    return {};
  }
  template <class S>
  static Aabb bounding_box(const S& s, const Pose& X_WS) {
    Aabb box;
    for (int k = 0; k < 3; ++k) {
      const Vector3 axis = X_WS.R.row(k).transpose();
      box.upper[k] = X_WS.p[k] + ShapeTraits<S>::support_height(s, axis);
      box.lower[k] = X_WS.p[k] - ShapeTraits<S>::support_height(s, -axis);
    }
    return box;
  }
  /// The part of the surface that faces the view, into a feature that is a point so far: see support_feature.h.
  template <class S>
  static void feature(const S&, const FeatureView&, SupportFeature*) {}
  /// Outward unit normal, in R's axes, of the flat part nearest to the direction `local` of the shape's frame; false
  /// when it has none.
  template <class S>
  static bool face_normal(const S&, const Matrix3&, const Vector3&, Vector3*) {
    return false;
  }
  /// All points that can touch a half-space; false: those of its feature will do.
  template <class S>
  static bool on_plane(const S&, const PlanePoints&) {
    return false;
  }
  /// All points that are farthest from a bowl's centre near by; false: they must be searched.
  template <class S>
  static bool in_bowl(const S&, const BowlCollector&) {
    return false;
  }
  /// What of the shape is fixed at a point of a face or a line: a corner, the end of a capsule, the rim of a cylinder.
  template <class S>
  static void fixed_part(const S& s, const PieceSpot& at, Piece& piece) {
    ShapeTraits<S>::whole(s, at, piece);
  }
  /// How far the point is from the end of a line that the shape has; infinity without one.
  template <class S>
  static double to_end_of_line(const S&, const Vector3&) {
    return infinity;
  }
  /// Fills in the profile of a solid of revolution for the direction search: see revolution_profile.h.
  template <class S>
  static bool revolution(const S&, RevolutionProfile*) {
    return false;
  }
  /// Whether a support point of a general core costs fifty times as much as a box's.
  static constexpr bool slow = false;
};

/// The core of a shape that is not one of the simple ones: it is asked itself. ShapeTraits<S> must have
/// surface_count(s) and surfaces(s, x, values) besides: see GeneralCore.
template <class S>
CoreShape general_core(const S& s) {
  using Traits = ShapeTraits<S>;
  static constexpr GeneralCore ask = {
      [](const void* shape, const Vector3& d) -> Vector3 { return Traits::support(*static_cast<const S*>(shape), d); },
      [](const void* shape) { return Traits::surface_count(*static_cast<const S*>(shape)); },
      [](const void* shape, const Vector3& x, ImplicitValues* values) {
        Traits::surfaces(*static_cast<const S*>(shape), x, values);
      },
      [](const void* shape, RevolutionProfile* profile) {
        return Traits::revolution(*static_cast<const S*>(shape), profile);
      },
      Traits::slow};
  CoreShape core;
  core.kind = CoreShape::Kind::general;
  core.general = &ask;
  core.shape = &s;
  return core;
}

/// x > 0 and finite.
inline bool positive(double x) {
  return x > 0 && x < infinity;
}

/// All three > 0 and finite.
inline bool positive(const Vector3& x) {
  return x.allFinite() && x.minCoeff() > 0;
}

/// The diagonal of a box with these half sizes.
inline double box_diagonal(double x, double y, double z) {
  return 2 * std::sqrt(x * x + y * y + z * z);
}

}  // namespace stiction::geometry
