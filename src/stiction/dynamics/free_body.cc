// With b the right-hand side, the equation is g(w) = I w - E(-h w / 2) b = 0. It always has a solution, because
// w -> I^-1 E(-h w / 2) b maps the ball |w| <= |b| / I_min into itself; it is unique while h |w| is small. Newton with
// halving of steps that do not reduce |g|; should that fail, one explicit substitution, which has |I w| = |b| as well.
#include "stiction/dynamics/free_body.h"

#include <limits>

#include <Eigen/LU>

#include "stiction/math/rotation.h"

namespace stiction {
namespace {

constexpr int max_newton = 20;
constexpr int max_halvings = 12;

struct Equation {
  const Matrix3& I;
  const Vector3& b;
  double h;

  Vector3 turned(const Vector3& w) const { return exp_rotation(-0.5 * h * w) * b; }
  Vector3 residual(const Vector3& w) const { return I * w - turned(w); }
  // d(E(-y) b) = -(J(-y) dy) x (E(-y) b) with J the left Jacobian of the exponential, y = h w / 2.
  Matrix3 slope(const Vector3& w) const { return I - 0.5 * h * skew(turned(w)) * exponential_jacobian(-0.5 * h * w); }
};

// One damped Newton step; false when no step reduces the residual any more.
bool newton_step(const Equation& equation, Vector3& w, Vector3& g) {
  const Vector3 step = equation.slope(w).partialPivLu().solve(g);
  double length = 1;
  for (int i = 0; i < max_halvings; ++i, length *= 0.5) {
    const Vector3 candidate = w - length * step;
    const Vector3 candidate_g = equation.residual(candidate);
    if (candidate_g.norm() < g.norm()) {
      w = candidate;
      g = candidate_g;
      return true;
    }
  }
  return false;
}

}  // namespace

FreeTurn turn_free_body(const Matrix3& I, const Vector3& w_start, const Vector3& moment, double h) {
  const Vector3 L = I * w_start;
  const Vector3 b = exp_rotation(-0.5 * h * w_start) * L + h * moment;
  const Equation equation{I, b, h};
  const Eigen::PartialPivLU<Matrix3> I_lu(I);
  Vector3 w = I_lu.solve(b);
  Vector3 g = equation.residual(w);
  const double rounding = 2 * std::numeric_limits<double>::epsilon() * b.norm();
  for (int i = 0; i < max_newton && g.norm() > rounding; ++i)
    if (!newton_step(equation, w, g)) break;
  // Not below 1e-9: Newton is stuck away from a solution. (The negation also catches a residual that is not a number.)
  const Vector3 at = g.norm() <= 1e-9 * b.norm() ? w : w_start;
  const Vector3 L_end = equation.turned(at);
  return {I_lu.solve(L_end), L_end - L};
}

}  // namespace stiction
