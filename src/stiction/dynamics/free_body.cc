// With b the right-hand side, the equation is g(w) = I w - E(-h w / 2) b = 0. It always has a solution, because
// w -> I^-1 E(-h w / 2) b maps the ball |w| <= |b| / I_min into itself; it is unique while h |w| is small. Newton with
// halving of steps that do not reduce |g|; should that fail, one explicit substitution, which has |I w| = |b| as well.
#include "stiction/dynamics/free_body.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "stiction/math/rotation.h"

namespace stiction {
namespace {

constexpr int max_newton = 20;
constexpr int max_halvings = 12;

// P A = L U with partial pivoting of three rows, written out: one per body and step.
class Lu3 {
 public:
  explicit Lu3(const Matrix3& A) : lu_(A) {
    for (int k = 0; k < 2; ++k) {
      exchange(k);
      for (int i = k + 1; i < 3; ++i) {
        if (lu_(k, k) != 0) lu_(i, k) /= lu_(k, k);
        for (int j = k + 1; j < 3; ++j) lu_(i, j) -= lu_(i, k) * lu_(k, j);
      }
    }
  }

  Vector3 solve(const Vector3& b) const {
    Vector3 x(b[order_[0]], b[order_[1]], b[order_[2]]);
    x[1] -= lu_(1, 0) * x[0];
    x[2] -= lu_(2, 0) * x[0] + lu_(2, 1) * x[1];
    x[2] /= lu_(2, 2);
    x[1] -= lu_(1, 2) * x[2];
    x[1] /= lu_(1, 1);
    x[0] -= lu_(0, 1) * x[1] + lu_(0, 2) * x[2];
    x[0] /= lu_(0, 0);
    return x;
  }

 private:
  // Brings the largest of what is left of column k to row k.
  void exchange(int k) {
    int largest = k;
    for (int i = k + 1; i < 3; ++i) {
      if (std::abs(lu_(i, k)) > std::abs(lu_(largest, k))) largest = i;
    }
    if (largest == k) return;
    lu_.row(k).swap(lu_.row(largest));
    std::swap(order_[k], order_[largest]);
  }

  Matrix3 lu_;
  std::array<int, 3> order_ = {0, 1, 2};
};

// g at an angular velocity, and what it was made of.
struct Trial {
  Vector3 w;
  Vector3 turned;  // E(-h w / 2) b
  Vector3 g;
};

struct Equation {
  const Matrix3& I;
  const Vector3& b;
  double h;

  Vector3 turned(const Vector3& w) const { return exp_rotation(-0.5 * h * w) * b; }
  Trial at(const Vector3& w) const {
    const Vector3 turned_b = turned(w);
    return {w, turned_b, I * w - turned_b};
  }
  // d(E(-y) b) = -(J(-y) dy) x (E(-y) b) with J the left Jacobian of the exponential, y = h w / 2.
  Matrix3 slope(const Trial& trial) const {
    return I - 0.5 * h * skew(trial.turned) * exponential_jacobian(-0.5 * h * trial.w);
  }
};

// One damped Newton step; false when no step reduces the residual any more.
bool newton_step(const Equation& equation, Trial& trial) {
  const Vector3 step = Lu3(equation.slope(trial)).solve(trial.g);
  double length = 1;
  for (int i = 0; i < max_halvings; ++i, length *= 0.5) {
    const Trial candidate = equation.at(trial.w - length * step);
    if (candidate.g.norm() < trial.g.norm()) {
      trial = candidate;
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
  const Lu3 I_lu(I);
  Trial trial = equation.at(I_lu.solve(b));
  const double rounding = 2 * std::numeric_limits<double>::epsilon() * b.norm();
  for (int i = 0; i < max_newton && trial.g.norm() > rounding; ++i)
    if (!newton_step(equation, trial)) break;
  // Not below 1e-9: Newton is stuck away from a solution. (The negation also catches a residual that is not a number.)
  const Vector3 L_end = trial.g.norm() <= 1e-9 * b.norm() ? trial.turned : equation.turned(w_start);
  return {I_lu.solve(L_end), L_end - L};
}

}  // namespace stiction
