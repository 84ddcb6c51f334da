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

/// A bounded convex solid { x : f_k(x) <= 0 for all k }, checked by make_implicit_solid(). The frame is the functions'.
struct ImplicitSolid {
  std::vector<ImplicitFunction> functions;
  Vector3 interior = Vector3::Zero();  ///< a point well inside
  Vector3 lower = Vector3::Zero();     ///< of its bounding box
  Vector3 upper = Vector3::Zero();
};

}  // namespace stiction::geometry
