// Smooth convex functions f with gradient and Hessian: a solid is where all of its functions are <= 0.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "stiction/math/types.h"

namespace stiction::geometry {

/// f and its derivatives at a point.
struct ImplicitValue {
  double value = 0;
  Vector3 gradient = Vector3::Zero();
  Matrix3 hessian = Matrix3::Zero();
};

/// coefficient * x^power[0] * y^power[1] * z^power[2].
struct Monomial {
  double coefficient = 0;
  std::array<int, 3> power = {0, 0, 0};
};

/// A sum of monomials.
struct Polynomial {
  std::vector<Monomial> terms;
};

/// A function of the user's, from C++: value, gradient and Hessian at a point of the shape's frame. It must be smooth,
/// convex, quick, free of side effects, and callable from several threads.
struct ImplicitCallback {
  std::string name;  ///< for messages
  std::function<ImplicitValue(const Vector3&)> evaluate;
};

using ImplicitFunction = std::variant<Polynomial, ImplicitCallback>;

/// f and its derivatives at x.
ImplicitValue evaluate(const ImplicitFunction& function, const Vector3& x);

/// Most functions of one solid.
inline constexpr int max_implicit_functions = 8;

/// A farthest point of a solid with the multipliers of its functions (scaled): d = sum multiplier_k grad f_k.
struct ImplicitStart {
  Vector3 x = Vector3::Zero();
  std::array<double, max_implicit_functions> multiplier = {};
};

/// A bounded convex solid { x : f_k(x) <= 0 for all k }, checked by make_implicit_solid(). The frame is the functions'.
struct ImplicitSolid {
  std::vector<ImplicitFunction> functions;
  std::vector<double> scale;           ///< one per function: scale * f has a gradient of about one on the surface
  Vector3 interior = Vector3::Zero();  ///< a point well inside: the centre of mass
  Vector3 lower = Vector3::Zero();     ///< of its bounding box
  Vector3 upper = Vector3::Zero();
  double reach = 0;                   ///< no point is farther from the frame's origin
  double volume = 0;                  ///< by quadrature, as are:
  Vector3 center = Vector3::Zero();   ///< of mass
  Matrix3 inertia = Matrix3::Zero();  ///< about the centre, for density 1 kg/m^3
  std::vector<ImplicitStart> starts;  ///< where the search for a farthest point begins; see implicit_support.h
};

}  // namespace stiction::geometry
