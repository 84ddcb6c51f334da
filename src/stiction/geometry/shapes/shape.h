// The closed list of shapes, and what can be asked of any of them. Each shape is a file of plain data and traits,
// convex (but for the bowl, whose complement is) and given in its own frame (SI units); see shape_traits.h for adding
// one.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "stiction/geometry/shapes/bowl.h"
#include "stiction/geometry/shapes/box.h"
#include "stiction/geometry/shapes/capsule.h"
#include "stiction/geometry/shapes/cone.h"
#include "stiction/geometry/shapes/convex.h"
#include "stiction/geometry/shapes/cylinder.h"
#include "stiction/geometry/shapes/ellipsoid.h"
#include "stiction/geometry/shapes/implicit.h"
#include "stiction/geometry/shapes/plane.h"
#include "stiction/geometry/shapes/rounded_box.h"
#include "stiction/geometry/shapes/sphere.h"
#include "stiction/geometry/shapes/superellipsoid.h"

namespace stiction::geometry {

/// One line per shape, which the empty comments keep; lists and messages have this order.
using Shape = std::variant<Plane,           //
                           Sphere,          //
                           Box,             //
                           Capsule,         //
                           Cylinder,        //
                           Ellipsoid,       //
                           Convex,          //
                           Superellipsoid,  //
                           Cone,            //
                           RoundedBox,      //
                           Implicit,        //
                           Bowl>;

/// What a shape's keys in a scene file make.
struct KeyedShape {
  Shape shape;
  std::optional<Vector3> shift;       ///< of the shape's origin, in its frame
  std::optional<KeyMistake> mistake;  ///< keys that do not go together
};

/// What is the same for all shapes of a kind; from their traits, which explain the members.
struct ShapeKind {
  std::string_view name, source, sentence;
  std::string_view needs, instead;
  Extent extent = Extent::bounded;
  bool round = false, single_point = false, rims = false, maxima_from_axes = false;
  std::span<const ShapeKey> keys;
  /// From the numbers of all keys, one after the other; null: the shape's keys have a reader of their own.
  KeyedShape (*from_keys)(std::span<const double> values) = nullptr;
};

namespace detail {

template <class S>
constexpr ShapeKind kind_of_shape() {
  using T = ShapeTraits<S>;
  ShapeKind kind{T::name,         T::source, T::sentence,         T::needs, T::instead, T::extent, T::round,
                 T::single_point, T::rims,   T::maxima_from_axes, {},       nullptr};
  if constexpr (requires { T::keys; }) {
    kind.keys = T::keys;
    kind.from_keys = [](std::span<const double> v) -> KeyedShape {
      return {T::from_keys(v), T::shift(v), T::mistake(v)};
    };
  }
  return kind;
}

template <class... S>
constexpr std::array<ShapeKind, sizeof...(S)> kinds_of(std::type_identity<std::variant<S...>>) {
  return {kind_of_shape<S>()...};
}

}  // namespace detail

/// All kinds of shapes, in the order of the variant.
inline constexpr auto shape_kinds = detail::kinds_of(std::type_identity<Shape>{});

inline const ShapeKind& kind_of(const Shape& shape) {
  return shape_kinds[shape.index()];
}

/// Calls ask(traits, s) with the shape as what it is.
template <class Ask>
decltype(auto) ask_shape(const Shape& shape, const Ask& ask) {
  return std::visit([&]<class S>(const S& s) { return ask(ShapeTraits<S>{}, s); }, shape);
}

/// Planes and bowls: they reach everywhere, have no volume and meet bounded shapes only.
inline bool is_unbounded(const Shape& shape) {
  return kind_of(shape).extent != Extent::bounded;
}

/// "sphere", "box", ...: the name used in scene files.
inline std::string_view shape_name(const Shape& shape) {
  return kind_of(shape).name;
}

/// Whether its numbers make a shape; what it needs otherwise is kind_of(shape).needs.
bool is_valid(const Shape& shape);

/// The shape as models keep it: a plane's normal has unit length.
Shape prepared(const Shape& shape);

/// Radius of a ball about the shape's origin that holds the shape; infinity for a plane or a bowl.
double bounding_radius(const Shape& shape);

/// A length that tolerances are relative to: the diameter of the shape's bounding box; 1 for a plane, that of
/// its hollow for a bowl.
double shape_size(const Shape& shape);

/// Mass properties of the shape; volume 0 for a plane or a bowl.
MassProperties mass_properties(const Shape& shape);

/// Farthest point of a bounded shape along `direction` (any length but zero), both in the shape's frame.
Vector3 support(const Shape& shape, const Vector3& direction);

/// Largest value of direction . x over the shape, direction of any length, in the shape's frame; infinity for a
/// bowl, and for a half-space unless the direction is its normal.
double support_height(const Shape& shape, const Vector3& direction);

/// Directions besides the axes along which the shape may be narrowest: a polytope's face normals.
std::span<const Vector3> narrow_directions(const Shape& shape);

/// World box of a shape at pose X_WS; infinite where a half-space or a bowl is.
Aabb bounding_box(const Shape& shape, const Pose& X_WS);

/// The core of a bounded shape, which must outlive it.
CoreShape core_shape(const Shape& shape);

/// The feature of `shape` (orientation R, origin p) that faces the unit vector d. A face is taken when it is the one
/// most aligned with d, tilted or not: the gaps of its corners tell what touches. Curved shapes give a point (count 0:
/// the caller has the witness).
void support_feature(const Shape& shape, const Matrix3& R, const Vector3& p, const Vector3& d, SupportFeature* feature);

/// Outward unit normal of the flat part (box and polytope faces, cylinder caps, a cone's base) nearest to d in world
/// axes; false when there is none.
bool aligned_face_normal(const Shape& shape, const Matrix3& R, const Vector3& d, Vector3* normal);

}  // namespace stiction::geometry
