#include "stiction/geometry/polish/polish_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include "stiction/geometry/shapes/solids/implicit_support.h"

namespace stiction::geometry {
namespace {

constexpr int most_unknowns = 4 + 2 * (3 + max_implicit_functions);
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_unknowns, 1>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_unknowns, most_unknowns>;
using Kind = PolishSide::Kind;

/// The functions of a general core at a point of A's frame, in A's axes.
void evaluate_surface(const PolishSide& side, const Vector3& x, ImplicitValues* values) {
  side.core->general->surfaces(side.core->shape, side.X.R.transpose() * (x - side.X.p), values);
  for (int k = 0; k < values->count; ++k) {
    values->f[k].gradient = side.X.R * values->f[k].gradient;
    values->f[k].hessian = side.X.R * values->f[k].hessian * side.X.R.transpose();
  }
}

int unknown_count(const PolishSide& side) {
  switch (side.kind) {
    case Kind::curved:
      return 0;
    case Kind::edge:
    case Kind::ruled:
      return 1;
    case Kind::surface:
      break;
  }
  return 3 + side.core->general->surface_count(side.core->shape);
}

/// The curved point along d, and its derivative with d.
void curved_point(const PolishSide& side, const Vector3& d, Vector3* x, Matrix3* dx) {
  *x = Vector3::Zero();
  *dx = Matrix3::Zero();
  if (!side.round) return;
  const Vector3 Md = side.M * d;
  const double length = Md.norm();
  if (!(length > 0)) return;
  const Vector3 Mu = side.M * (Md / length);
  *x = Mu - side.ball * d;
  *dx = (side.M * side.M - Mu * Mu.transpose()) / length - side.ball * Matrix3::Identity();
}

class System {
 public:
  System(const PolishSide& A, const PolishSide& B, double size)
      : A_(A), B_(B), size_(size), first_B_(4 + unknown_count(A)), n_(first_B_ + unknown_count(B)) {}

  bool solve(PolishTrial* trial);

 private:
  void start(const PolishSide& side, const Vector3& x, const Vector3& d, int at);
  /// Residual r (and its Jacobian J unless null) at y; lengths in units of the size.
  void assemble(const Vector& y, Vector* r, Matrix* J) const;
  void side_rows(const PolishSide& side, double sign, int at, const Vector& y, Vector* r, Matrix* J) const;
  void surface_rows(const PolishSide& side, double sign, int at, const Vector& y, Vector* r, Matrix* J) const;
  Vector3 point(const PolishSide& side, double sign, int at) const;
  bool within(const PolishSide& side, int at) const;

  const PolishSide& A_;
  const PolishSide& B_;
  double size_;
  int first_B_;
  int n_;
  Vector y_;
};

void System::start(const PolishSide& side, const Vector3& x, const Vector3& d, int at) {
  if (side.kind == Kind::edge) y_[at] = 0;
  if (side.kind == Kind::ruled) y_[at] = 0.5;
  if (side.kind != Kind::surface) return;
  ImplicitValues values;
  evaluate_surface(side, x, &values);
  y_.segment<3>(at) = x / size_;
  // The multiplier of the function that decides here; those of the others follow in a step or two.
  y_.segment(at + 3, values.count).setZero();
  const int k = values.largest();
  y_[at + 3 + k] = std::abs(d.dot(values.f[k].gradient)) / std::max(values.f[k].gradient.squaredNorm(), 1e-30);
}

void System::surface_rows(const PolishSide& side, double sign, int at, const Vector& y, Vector* r, Matrix* J) const {
  const Vector3 x = size_ * y.segment<3>(at);
  ImplicitValues values;
  evaluate_surface(side, x, &values);
  r->head<3>() += sign * -1 * y.segment<3>(at);
  r->segment<3>(at) = -sign * y.head<3>();
  if (J) {
    J->block<3, 3>(0, at) = -sign * Matrix3::Identity();
    J->block<3, 3>(at, 0) = -sign * Matrix3::Identity();
  }
  for (int k = 0; k < values.count; ++k) {
    const ImplicitValue& f = values.f[k];
    const double lambda = y[at + 3 + k];
    const double room = -f.value / size_;
    r->segment<3>(at) += lambda * f.gradient;
    (*r)[at + 3 + k] = std::min(lambda, room);
    if (!J) continue;
    J->block<3, 3>(at, at) += lambda * size_ * f.hessian;
    J->block<3, 1>(at, at + 3 + k) = f.gradient;
    if (lambda < room) {
      (*J)(at + 3 + k, at + 3 + k) = 1;
    } else {
      J->block<1, 3>(at + 3 + k, at) = -f.gradient.transpose();
    }
  }
}

void System::side_rows(const PolishSide& side, double sign, int at, const Vector& y, Vector* r, Matrix* J) const {
  if (side.kind == Kind::surface) return surface_rows(side, sign, at, y, r, J);
  const Vector3 d = sign * y.head<3>();
  Vector3 x;
  Matrix3 dx;  // with d; with n it is sign times that
  curved_point(side, d, &x, &dx);
  Vector3 along = side.e;  // derivative of the point with its own unknown
  if (side.kind == Kind::ruled) {
    along += x;
    x = y[at] * along;
    dx *= y[at];
  } else if (side.kind == Kind::edge) {
    x += y[at] * side.e;
  }
  r->head<3>() -= sign * (side.c + x) / size_;
  if (side.kind != Kind::curved) (*r)[at] = along.dot(d) / size_;
  if (!J) return;
  J->topLeftCorner<3, 3>() -= dx / size_;
  if (side.kind == Kind::curved) return;
  J->block<3, 1>(0, at) = -sign * along / size_;
  J->block<1, 3>(at, 0) = sign * along.transpose() / size_;  // the rim's own turning is across d
}

void System::assemble(const Vector& y, Vector* r, Matrix* J) const {
  r->setZero(n_);
  if (J) J->setZero(n_, n_);
  // x_B - x_A - g n: the sides add -sign x.
  side_rows(A_, 1, 4, y, r, J);
  side_rows(B_, -1, first_B_, y, r, J);
  r->head<3>() -= y[3] * y.head<3>();
  (*r)[3] = 0.5 * (y.head<3>().squaredNorm() - 1);
  if (!J) return;
  J->topLeftCorner<3, 3>() -= y[3] * Matrix3::Identity();
  J->block<3, 1>(0, 3) = -y.head<3>();
  J->block<1, 3>(3, 0) = y.head<3>().transpose();
}

Vector3 System::point(const PolishSide& side, double sign, int at) const {
  if (side.kind == Kind::surface) return size_ * y_.segment<3>(at);
  Vector3 x;
  Matrix3 dx;
  curved_point(side, sign * y_.head<3>(), &x, &dx);
  if (side.kind == Kind::ruled) return side.c + std::clamp(y_[at], 0.0, 1.0) * (side.e + x);
  return side.kind == Kind::edge ? Vector3(side.c + x + std::clamp(y_[at], -1.0, 1.0) * side.e) : Vector3(side.c + x);
}

bool System::within(const PolishSide& side, int at) const {
  constexpr double slack = 1e-12;
  if (side.kind == Kind::edge) return std::abs(y_[at]) <= 1 + slack;
  return side.kind != Kind::ruled || (y_[at] >= -slack && y_[at] <= 1 + slack);
}

bool System::solve(PolishTrial* trial) {
  y_.setZero(n_);
  y_.head<3>() = trial->n;
  start(A_, trial->a, trial->n, 4);
  start(B_, trial->b, trial->n, first_B_);
  Vector r;
  Matrix J;
  assemble(y_, &r, nullptr);
  y_[3] = y_.head<3>().dot(r.head<3>());
  assemble(y_, &r, &J);
  double norm = r.norm();
  for (int step = 0; step < 40 && norm > 1e-16; ++step) {
    const Vector move = J.partialPivLu().solve(-r);
    if (!move.allFinite()) return false;
    double part = 1;
    for (; part > 1e-2; part *= 0.5) {
      const Vector y = y_ + part * move;
      Vector there;
      assemble(y, &there, nullptr);
      if (!(there.norm() < (1 - 0.1 * part) * norm)) continue;
      y_ = y;
      break;
    }
    if (part <= 1e-2) break;
    assemble(y_, &r, &J);
    norm = r.norm();
  }
  if (!(norm < 1e-12) || !within(A_, 4) || !within(B_, first_B_)) return false;
  trial->n = y_.head<3>().normalized();
  trial->a = point(A_, 1, 4);
  trial->b = point(B_, -1, first_B_);
  return true;
}

}  // namespace

bool polish_newton(const PolishSide& A, const PolishSide& B, double size, PolishTrial* trial) {
  return System(A, B, size).solve(trial);
}

}  // namespace stiction::geometry
