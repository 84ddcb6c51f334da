// A solid given by smooth convex functions; making one: implicit_solid.h.
#pragma once

#include <memory>

#include "stiction/geometry/shapes/shape_traits.h"
#include "stiction/geometry/shapes/solids/implicit_support.h"

namespace stiction::geometry {

/// Where all of several smooth convex functions are <= 0; shared and never changes.
struct Implicit {
  std::shared_ptr<const ImplicitSolid> solid;
};

/// The surface of a user's `function`, times `scale`.
ImplicitValue function_surface(const PieceSurface& surface, const Vector3& x);

/// Its keys, a list of functions, have a reader of their own.
template <>
struct ShapeTraits<Implicit> : CommonTraits {
  static constexpr std::string_view name = "implicit";
  static constexpr std::string_view source = "chakraborty2007";
  static constexpr std::string_view sentence = "functions: polynomials, convex, <= 0 inside";

  static constexpr std::string_view needs = "a solid of make_implicit_solid()";
  static constexpr bool single_point = true;
  static constexpr bool slow = true;
  static bool valid(const Implicit& s) { return s.solid != nullptr && !s.solid->starts.empty(); }
  static double bounding_radius(const Implicit& s) { return s.solid->reach; }
  static double size(const Implicit& s) { return (s.solid->upper - s.solid->lower).norm(); }
  static Vector3 support(const Implicit& s, const Vector3& d) { return implicit_support(*s.solid, d); }
  static double support_height(const Implicit& s, const Vector3& d) { return implicit_support(*s.solid, d).dot(d); }
  static MassProperties mass_properties(const Implicit& s) {
    return {s.solid->volume, s.solid->center, s.solid->inertia};
  }
  static CoreShape core(const Implicit& s) { return general_core(s); }
  static int surface_count(const Implicit& s) { return static_cast<int>(s.solid->functions.size()); }
  static void surfaces(const Implicit& s, const Vector3& x, ImplicitValues* values) {
    evaluate_all(*s.solid, x, values);
  }
  static void whole(const Implicit& s, const PieceSpot& at, Piece& piece);
};

}  // namespace stiction::geometry
