#include "stiction/geometry/shapes/solids/implicit_support.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

namespace stiction::geometry {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Multipliers = std::array<double, max_implicit_functions>;

/// One search: direction, solid, and the point where it stands.
class Farthest {
 public:
  Farthest(const ImplicitSolid& solid, const Vector3& d, double length) : solid_(solid), d_(d), length_(length) {}

  void start(const ImplicitStart& start) { move_to(start.x, start.multiplier); }
  /// Newton on the active set; true when the residual is at rounding.
  bool newton();
  /// Interior points from the solid's own; false when they run off along d.
  bool interior(double limit);
  double residual() const { return residual_; }
  ImplicitStart at() const { return {x_, lambda_}; }

 private:
  static constexpr int most = 3 + max_implicit_functions;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1>;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;

  void move_to(const Vector3& x, const Multipliers& lambda) {
    x_ = x;
    lambda_ = lambda;
    evaluate_all(solid_, x_, &values_);
    residual_ = residual(values_, lambda_);
  }
  double residual(const ImplicitValues& values, const Multipliers& lambda) const;
  bool newton_step(Vector3* move, Multipliers* lambda) const;
  bool try_step(const Vector3& move, const Multipliers& lambda);
  bool center(double mu, double limit);
  bool interior_step(double mu);
  Vector interior_residual(const ImplicitValues& values, const Multipliers& lambda, double mu) const;
  double barrier_value(const ImplicitValues& values, const Vector3& x, double mu) const;

  const ImplicitSolid& solid_;
  Vector3 d_;
  double length_;
  Vector3 x_ = Vector3::Zero();
  Multipliers lambda_ = {};
  ImplicitValues values_;
  double residual_ = infinity;
};

/// Of stationarity and of complementarity as the min map, lengths divided by the solid's.
double Farthest::residual(const ImplicitValues& values, const Multipliers& lambda) const {
  Vector3 r = d_;
  double off = 0;
  for (int k = 0; k < values.count; ++k) {
    r -= lambda[k] * values.f[k].gradient;
    off += std::abs(std::min(lambda[k], -values.f[k].value / length_));
  }
  const double sum = r.norm() + off;
  return std::isfinite(sum) ? sum : infinity;
}

/// W move + sum over active k of lambda_k grad f_k = d, grad f_k . move = -f_k, with W = sum lambda_k Hess f_k.
bool Farthest::newton_step(Vector3* move, Multipliers* lambda) const {
  Matrix K;
  Vector rhs;
  std::array<int, max_implicit_functions> active{};
  int n = 0;
  const int largest = values_.largest();
  for (int k = 0; k < values_.count; ++k)
    if (k == largest || lambda_[k] > -values_.f[k].value / length_) active[n++] = k;
  K.setZero(3 + n, 3 + n);
  rhs.resize(3 + n);
  // Where the surface is flat Newton's step is endless; so much keeps it to the solid, and goes away with the residual.
  K.topLeftCorner<3, 3>().diagonal().setConstant((2 * residual_ + 1e-14) / length_);
  for (int k = 0; k < values_.count; ++k)
    if (lambda_[k] > 0) K.topLeftCorner<3, 3>() += lambda_[k] * values_.f[k].hessian;
  rhs.head<3>() = d_;
  for (int i = 0; i < n; ++i) {
    K.block<3, 1>(0, 3 + i) = values_.f[active[i]].gradient;
    K.block<1, 3>(3 + i, 0) = values_.f[active[i]].gradient.transpose();
    rhs[3 + i] = -values_.f[active[i]].value;
  }
  // Lengths in units of the solid's, so that pivots compare.
  K.leftCols<3>() *= length_;
  K.bottomRows(n) /= length_;
  rhs.tail(n) /= length_;
  const Vector y = K.partialPivLu().solve(rhs);
  if (!y.allFinite()) return false;
  *move = length_ * y.head<3>();
  lambda->fill(0);
  for (int i = 0; i < n; ++i) (*lambda)[active[i]] = y[3 + i];
  return true;
}

/// The whole step, or a half, a quarter, ...: the first that lowers the residual.
bool Farthest::try_step(const Vector3& move, const Multipliers& lambda) {
  const double smallest = residual_ < 1e-13 ? 1 : 0.01;  // at rounding a shorter step is no better
  for (double part = 1; part >= smallest; part *= 0.5) {
    Multipliers mixed = lambda_;
    for (int k = 0; k < values_.count; ++k) mixed[k] += part * (lambda[k] - lambda_[k]);
    const Vector3 x = x_ + part * move;
    ImplicitValues values;
    evaluate_all(solid_, x, &values);
    const double r = residual(values, mixed);
    if (!(r < (1 - 0.1 * part) * residual_)) continue;
    x_ = x;
    lambda_ = mixed;
    values_ = values;
    residual_ = r;
    return true;
  }
  return false;
}

bool Farthest::newton() {
  constexpr double rounding = 2e-16;
  constexpr double enough = 1e-12;  // a residual that no longer falls is rounding if it is below this
  for (int step = 0; step < 60 && residual_ > rounding; ++step) {
    Vector3 move;
    Multipliers lambda;
    if (!newton_step(&move, &lambda) || !try_step(move, lambda)) break;
  }
  for (int k = 0; k < values_.count; ++k)
    if (lambda_[k] < -enough) return false;
  return residual_ <= enough;
}

double Farthest::barrier_value(const ImplicitValues& values, const Vector3& x, double mu) const {
  double sum = -d_.dot(x - solid_.interior) / mu;
  for (int k = 0; k < values.count; ++k) {
    if (!(values.f[k].value < 0)) return infinity;
    sum -= std::log(-values.f[k].value / length_);
  }
  return std::isfinite(sum) ? sum : infinity;
}

/// Damped Newton to the centre of one mu. False when x leaves the ball.
bool Farthest::center(double mu, double limit) {
  for (int step = 0; step < 60; ++step) {
    Vector3 gradient = -d_ / mu;
    Matrix3 H = Matrix3::Zero();
    for (int k = 0; k < values_.count; ++k) {
      const ImplicitValue& f = values_.f[k];
      const Vector3 g = f.gradient / -f.value;
      gradient += g;
      H += g * g.transpose() + f.hessian / -f.value;
    }
    H.diagonal().array() += 1e-12 * (H.trace() + gradient.norm() / length_);
    Vector3 move = -(H.inverse() * gradient);
    const double longest = 100 * length_;
    if (move.norm() > longest) move *= longest / move.norm();
    const double slope = gradient.dot(move);
    if (!(slope < -1e-10)) return true;
    const double before = barrier_value(values_, x_, mu);
    double part = 1;
    for (; part > 1e-12; part *= 0.5) {
      const Vector3 x = x_ + part * move;
      ImplicitValues values;
      evaluate_all(solid_, x, &values);
      if (!(barrier_value(values, x, mu) <= before + 0.1 * part * slope)) continue;
      x_ = x;
      values_ = values;
      break;
    }
    if (part <= 1e-12) return true;
    if ((x_ - solid_.interior).norm() > limit) return false;
  }
  return true;
}

/// One step of the primal-dual method (Boyd, Vandenberghe 2004, 11.7): optimality with -lambda_k f_k = mu in place of
/// zero, kept as one system so that nothing is lost where f_k is tiny. False when no step goes on.
bool Farthest::interior_step(double mu) {
  const int n = values_.count;
  Matrix K = Matrix::Zero(3 + n, 3 + n);
  const Vector r = interior_residual(values_, lambda_, mu);
  for (int k = 0; k < n; ++k) {
    const ImplicitValue& f = values_.f[k];
    K.topLeftCorner<3, 3>() += lambda_[k] * length_ * f.hessian;
    K.block<3, 1>(0, 3 + k) = f.gradient;
    K.block<1, 3>(3 + k, 0) = lambda_[k] * f.gradient.transpose();
    K(3 + k, 3 + k) = f.value / length_;
  }
  K.topLeftCorner<3, 3>().diagonal().array() += 1e-14;
  const Vector y = K.partialPivLu().solve(-r);
  if (!y.allFinite()) return false;
  double part = 1;
  for (int k = 0; k < n; ++k)
    if (y[3 + k] < 0) part = std::min(part, -0.99 * lambda_[k] / y[3 + k]);
  for (; part > 1e-8; part *= 0.5) {
    const Vector3 x = x_ + part * length_ * y.head<3>();
    ImplicitValues values;
    evaluate_all(solid_, x, &values);
    if (!(values.f[values.largest()].value < 0)) continue;
    Multipliers lambda = lambda_;
    for (int k = 0; k < n; ++k) lambda[k] += part * y[3 + k];
    if (!(interior_residual(values, lambda, mu).norm() <= (1 - 0.01 * part) * r.norm())) continue;
    x_ = x;
    lambda_ = lambda;
    values_ = values;
    return true;
  }
  return false;
}

Farthest::Vector Farthest::interior_residual(const ImplicitValues& values, const Multipliers& lambda, double mu) const {
  Vector r = Vector::Zero(3 + values.count);
  r.head<3>() = -d_;
  for (int k = 0; k < values.count; ++k) {
    r.head<3>() += lambda[k] * values.f[k].gradient;
    r[3 + k] = (lambda[k] * values.f[k].value + mu) / length_;
  }
  return r;
}

bool Farthest::interior(double limit) {
  move_to(solid_.interior, {});
  double mu = length_;
  for (; mu > 1e-3 * length_; mu *= 0.1) {
    if (!center(mu, limit)) return false;
  }
  Multipliers lambda = {};
  for (int k = 0; k < values_.count; ++k) lambda[k] = 10 * mu / -values_.f[k].value;
  move_to(x_, lambda);
  for (int step = 0; step < 100; ++step) {
    double gap = 0;  // how much farther another point can be, once the first rows are met
    for (int k = 0; k < values_.count; ++k) gap -= lambda_[k] * values_.f[k].value;
    if (gap < 1e-16 * length_ || !interior_step(0.1 * gap / values_.count)) break;
  }
  move_to(x_, lambda_);
  return true;
}

/// Where direction d falls on the cube's faces.
int start_index(const Vector3& d) {
  int axis = 0;
  const double most = d.cwiseAbs().maxCoeff(&axis);
  const auto cell = [&](double v) {
    return std::clamp(static_cast<int>(std::lround((v / most + 1) * 0.5 * (start_grid - 1))), 0, start_grid - 1);
  };
  const int face = 2 * axis + (d[axis] > 0);
  return (face * start_grid + cell(d[(axis + 1) % 3])) * start_grid + cell(d[(axis + 2) % 3]);
}

}  // namespace

Vector3 start_direction(int index) {
  const int face = index / (start_grid * start_grid);
  const int i = index / start_grid % start_grid;
  const int j = index % start_grid;
  Vector3 d;
  d[face / 2] = face % 2 ? 1 : -1;
  d[(face / 2 + 1) % 3] = 2.0 * i / (start_grid - 1) - 1;
  d[(face / 2 + 2) % 3] = 2.0 * j / (start_grid - 1) - 1;
  return d;
}

int ImplicitValues::largest() const {
  int best = 0;
  for (int k = 1; k < count; ++k)
    if (f[k].value > f[best].value) best = k;
  return best;
}

void evaluate_all(const ImplicitSolid& solid, const Vector3& x, ImplicitValues* values) {
  values->count = static_cast<int>(solid.functions.size());
  for (int k = 0; k < values->count; ++k) {
    ImplicitValue& f = values->f[k];
    f = evaluate(solid.functions[k], x);
    f.value *= solid.scale[k];
    f.gradient *= solid.scale[k];
    f.hessian *= solid.scale[k];
  }
}

std::optional<ImplicitStart> implicit_farthest(const ImplicitSolid& solid, const Vector3& d, double length,
                                               double limit, const ImplicitStart* near) {
  Farthest search(solid, d, length);
  if (near) {
    search.start(*near);
    if (search.newton()) return search.at();
  }
  if (!search.interior(limit)) return std::nullopt;
  const ImplicitStart inner = search.at();
  return search.newton() ? search.at() : inner;
}

Vector3 implicit_support(const ImplicitSolid& solid, const Vector3& direction) {
  const Vector3 d = direction.stableNormalized();
  const double length = (solid.upper - solid.lower).norm();
  const ImplicitStart& near = solid.starts[start_index(d)];
  const auto found = implicit_farthest(solid, d, length, infinity, &near);
  return found ? found->x : near.x;
}

}  // namespace stiction::geometry
