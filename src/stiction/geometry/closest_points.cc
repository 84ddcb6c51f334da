// Semismooth Newton with the exact Jacobian and a search along the step; then what a solution must show besides a small
// residual.
#include "stiction/geometry/closest_points.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "stiction/base/infinity.h"
#include "stiction/geometry/closest_system.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

constexpr double singular_pivot = 1e-11;
constexpr double negative_multiplier = -1e-10;

ClosestVector negated(const ClosestVector& v, int size) {
  ClosestVector w;
  for (int i = 0; i < size; ++i) w[i] = -v[i];
  return w;
}

/// Largest part of a step that moves the points by two lengths and turns the normal by half a radian at most.
double step_limit(const ClosestVector& step) {
  const Eigen::Map<const Vector3> a(step.data());
  const Eigen::Map<const Vector3> b(step.data() + 3);
  const Eigen::Map<const Vector3> n(step.data() + 6);
  return std::min({1.0, 2 / a.norm(), 2 / b.norm(), 0.5 / n.norm()});
}

ClosestUnknowns moved(const ClosestUnknowns& from, const ClosestVector& step, double part, double length) {
  ClosestUnknowns to = from;
  for (int i = 0; i < from.size; ++i) {
    const bool is_length = i < 6 || i == 9;
    to.y[i] += part * step[i] * (is_length ? length : 1);
  }
  return to;
}

/// Takes the first of the step's halves that shrinks the residual; false when none does.
bool search(const ClosestVector& step, double length, ClosestSystem& system, ClosestUnknowns& unknowns) {
  const double before = system.residual_norm();
  double part = step_limit(step);
  if (!std::isfinite(part)) return false;
  for (int halving = 0; halving < 10; ++halving, part /= 2) {
    const ClosestUnknowns trial = moved(unknowns, step, part, length);
    system.evaluate_at(trial);
    if (system.residual_norm() <= (1 - 1e-3 * part) * before) {
      unknowns = trial;
      return true;
    }
  }
  system.evaluate_at(unknowns);
  return false;
}

/// Newton steps until the residual is at rounding; false when it stays above.
bool iterate(double length, ClosestSystem& system, ClosestUnknowns& unknowns) {
  constexpr int max_iterations = 60;
  constexpr double stagnation = 100;  // times rounding: no step improves what is already this small
  system.evaluate_at(unknowns);
  ClosestVector step;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const double norm = system.residual_norm();
    if (!std::isfinite(norm)) return false;
    if (norm <= system.rounding()) return true;
    const ClosestVector rhs = negated(system.residual(), system.size());
    system.factor(singular_pivot);
    system.solve(rhs, step);
    if (search(step, length, system, unknowns)) continue;
    if (norm <= stagnation * system.rounding()) return true;
    if (!system.full_rank()) return false;
    system.factor_least_norm();
    system.solve(rhs, step);
    if (!search(step, length, system, unknowns)) return false;
  }
  return system.residual_norm() <= stagnation * system.rounding();
}

/// Down the path of smoothed equations from far to near: for guesses that have the wrong faces active.
bool follow_path(double length, ClosestSystem& system, ClosestUnknowns& unknowns) {
  constexpr double first = 0.3;
  constexpr double last = 1e-6;
  ClosestVector step;
  for (double smoothing = first; smoothing > last; smoothing *= 0.3) {
    system.set_smoothing(smoothing);
    system.evaluate_at(unknowns);
    for (int k = 0; k < 3 && system.residual_norm() > 0.1 * smoothing; ++k) {
      system.factor(singular_pivot);
      system.solve(negated(system.residual(), system.size()), step);
      if (!search(step, length, system, unknowns)) break;
    }
  }
  system.set_smoothing(0);
  return iterate(length, system, unknowns);
}

/// Whether the gap is a local maximum over the normals, as it must be where bodies cross: dn/dp_B, symmetric in the
/// tangent plane, is the inverse of (sum of both radii of curvature + gap), which is negative on the far sides.
bool locally_deepest(ClosestSystem& system, const Vector3& n) {
  constexpr double negative = -1e-9;
  system.settle_active_set();
  system.factor(singular_pivot);
  const Vector3 t1 = any_orthogonal(n);
  const Vector3 t2 = n.cross(t1);
  const auto turn = [&](const Vector3& shift) {
    ClosestVector rhs = {};
    for (int i = 0; i < 3; ++i) rhs[6 + i] = -shift[i];
    ClosestVector x;
    system.solve(rhs, x);
    return Vector3(x[6], x[7], x[8]);
  };
  const Vector3 d1 = turn(t1);
  const Vector3 d2 = turn(t2);
  const double m11 = t1.dot(d1);
  const double m22 = t2.dot(d2);
  const double m12 = (t1.dot(d2) + t2.dot(d1)) / 2;
  const double least = (m11 + m22) / 2 - std::hypot((m11 - m22) / 2, m12);
  return least >= negative * std::max(1.0, std::abs(m11) + std::abs(m22));
}

double largest_value(const Piece& piece, const Pose& X_WS, const Vector3& point, double level) {
  const Vector3 x = X_WS.R.transpose() * (point - X_WS.p);
  double largest = -infinity;
  for (int k = 0; k < piece.count; ++k) {
    const double f = evaluate(piece.surfaces[k], x).value + level;
    largest = std::max(largest, piece.surfaces[k].held ? std::abs(f) : f);
  }
  return largest;
}

/// Whether some point between a and b lies in both pieces: long bodies have gaps that are locally largest on their far
/// sides, and a point in common proves that they cross. A shallow crossing needs no proof (and with two sharp edges has
/// none on this line).
bool share_a_point(const PiecePair& pair, double length, ClosestUnknowns& unknowns) {
  constexpr double shallow = 0.02;
  constexpr double rounding = 1e-12;
  if (unknowns.gap() > -shallow * length) return true;
  const Vector3 a = pair.X_WA * unknowns.a();
  const Vector3 b = pair.X_WB * unknowns.b();
  for (const double t : {0.0, 1.0, 0.5, 0.25, 0.75}) {
    const Vector3 x = (1 - t) * a + t * b;
    if (largest_value(pair.A, pair.X_WA, x, pair.level_A) <= rounding * length &&
        largest_value(pair.B, pair.X_WB, x, pair.level_B) <= rounding * length) {
      return true;
    }
  }
  return false;
}

bool multipliers_hold(const ClosestSystem& system) {
  for (int k = 0; k < system.size() - 10; ++k) {
    if (!system.surface(k).held && !(system.multiplier(k) >= negative_multiplier)) return false;
  }
  return true;
}

/// Gradients of a piece's surfaces at a point, and what each costs for being away from it.
struct Fit {
  Piece const& piece;
  Vector3 outward;
  std::array<Vector3, max_piece_surfaces> gradient;
  std::array<double, max_piece_surfaces> cost;
  double best = infinity;
  std::array<double, max_piece_surfaces> multipliers = {};

  Fit(const Piece& of, const Vector3& x, const Vector3& normal) : piece(of), outward(normal) {
    constexpr double cost_of_slack = 100;
    const double length2 = std::max(x.squaredNorm(), 1e-300);
    for (int k = 0; k < piece.count; ++k) {
      const ImplicitValue f = evaluate(piece.surfaces[k], x);
      gradient[k] = f.gradient;
      cost[k] = piece.surfaces[k].held || piece.count == 1 ? 0 : cost_of_slack * f.value * f.value / length2;
    }
  }

  /// Tries the surfaces in `set` (up to three): least squares of (sum lambda_k grad f_k - outward) with costs.
  void attempt(std::span<const int> set) {
    constexpr double better = 1 - 1e-9;  // ties go to the set tried first
    Matrix3 gram = Matrix3::Identity();
    Vector3 rhs = Vector3::Zero();
    for (size_t i = 0; i < set.size(); ++i) {
      for (size_t j = 0; j < set.size(); ++j) gram(i, j) = gradient[set[i]].dot(gradient[set[j]]);
      gram(i, i) += cost[set[i]] + 1e-14;
      rhs[i] = gradient[set[i]].dot(outward);
    }
    const Vector3 lambda = gram.inverse() * rhs;
    for (size_t i = 0; i < set.size(); ++i) {
      if (!piece.surfaces[set[i]].held && !(lambda[i] >= 0)) return;
    }
    const double objective = 1 - lambda.dot(rhs);
    if (!(objective < better * best - 1e-12)) return;
    best = objective;
    multipliers.fill(0);
    for (size_t i = 0; i < set.size(); ++i) multipliers[set[i]] = lambda[i];
  }
};

/// Multipliers >= 0 (held ones free) of at most three surfaces that bring sum lambda_k grad f_k nearest to `outward`, far
/// surfaces made dear: every set is tried.
void fit_multipliers(const Piece& piece, const Vector3& x, const Vector3& outward, double* multipliers) {
  Fit fit(piece, x, outward);
  for (int i = 0; i < piece.count; ++i) fit.attempt(std::array{i});
  for (int i = 0; i < piece.count; ++i) {
    for (int j = i + 1; j < piece.count; ++j) fit.attempt(std::array{i, j});
  }
  for (int i = 0; i < piece.count; ++i) {
    for (int j = i + 1; j < piece.count; ++j) {
      for (int k = j + 1; k < piece.count; ++k) fit.attempt(std::array{i, j, k});
    }
  }
  std::copy_n(fit.multipliers.begin(), piece.count, multipliers);
}

}  // namespace

void closest_residual(const PiecePair& pair, const ClosestUnknowns& unknowns, double length, double* residual) {
  ClosestSystem system(pair, length);
  system.evaluate_at(unknowns);
  std::copy_n(system.residual().begin(), system.size(), residual);
  for (int k = 10; k < system.size(); ++k) {
    if (!system.surface(k - 10).held) residual[k] = std::min(residual[k], system.multiplier(k - 10));
  }
}

void guess_closest(const PiecePair& pair, const Vector3& point_A, const Vector3& point_B, const Vector3& normal,
                   ClosestUnknowns& unknowns) {
  unknowns.size = 10 + pair.A.count + pair.B.count;
  unknowns.a() = pair.X_WA.R.transpose() * (point_A - pair.X_WA.p);
  unknowns.b() = pair.X_WB.R.transpose() * (point_B - pair.X_WB.p);
  unknowns.normal() = normal;
  unknowns.gap() = normal.dot(point_B - point_A);
  double* multipliers = unknowns.y.data() + 10;
  fit_multipliers(pair.A, unknowns.a(), pair.X_WA.R.transpose() * normal, multipliers);
  fit_multipliers(pair.B, unknowns.b(), -(pair.X_WB.R.transpose() * normal), multipliers + pair.A.count);
}

ClosestOutcome solve_closest(const PiecePair& pair, double length, ClosestUnknowns& unknowns) {
  ClosestSystem system(pair, length);
  ClosestUnknowns found = unknowns;
  if (!iterate(length, system, found)) {
    found = unknowns;
    if (!follow_path(length, system, found)) return ClosestOutcome::not_found;
  }
  if (!multipliers_hold(system)) return ClosestOutcome::not_found;
  const bool crossing = found.gap() < 0;
  if (crossing && !(share_a_point(pair, length, found) && locally_deepest(system, found.normal()))) {
    return ClosestOutcome::not_found;
  }
  unknowns = found;
  return ClosestOutcome::solved;
}

bool closest_derivative(const PiecePair& pair, double length, const ClosestUnknowns& unknowns,
                        ClosestDerivative& derivative) {
  constexpr double largest = 1e7;  // scaled: above this the solution is taken as not unique
  ClosestSystem system(pair, length);
  system.evaluate_at(unknowns);
  system.settle_active_set();
  system.factor(singular_pivot);
  const Eigen::Map<const Vector3> a(unknowns.y.data());
  const Eigen::Map<const Vector3> b(unknowns.y.data() + 3);
  const Eigen::Map<const Vector3> n(unknowns.y.data() + 6);
  // - d residual / d parameter, rows 0..8; the rest depends on the levels only.
  Eigen::Matrix<double, 9, 12> rhs = Eigen::Matrix<double, 9, 12>::Zero();
  rhs.block<3, 3>(6, 0) = Matrix3::Identity() / length;
  rhs.block<3, 3>(6, 6) = -Matrix3::Identity() / length;
  rhs.block<3, 3>(0, 3) = skew(n);
  rhs.block<3, 3>(3, 9) = -skew(n);
  rhs.block<3, 3>(6, 3) = -skew(pair.X_WA.R * a) / length;
  rhs.block<3, 3>(6, 9) = skew(pair.X_WB.R * b) / length;
  const auto fill = [&] {
    double size = 0;
    ClosestVector full, x;
    for (int column = 0; column < 14; ++column) {
      full.fill(0);
      if (column < 12) Eigen::Map<Eigen::Matrix<double, 9, 1>>(full.data()) = rhs.col(column);
      for (int k = 0; column >= 12 && k < system.size() - 10; ++k) {
        const bool own = (k < pair.A.count) == (column == 12);
        if (own && system.active(k)) full[10 + k] = (system.surface(k).held ? -1 : 1) / length;
      }
      system.solve(full, x);
      for (int row = 0; row < 10; ++row) {
        const double value = x[row] * (row < 6 || row == 9 ? length : 1);
        (column < 12 ? derivative.pose(row, column) : derivative.level(row, column - 12)) = value;
        size = std::max(size, std::abs(value));
      }
    }
    return size;
  };
  const double size = fill();
  if (!(size < largest) && system.full_rank()) {
    system.factor_least_norm();
    fill();
  }
  return derivative.pose.allFinite() && derivative.level.allFinite();
}

}  // namespace stiction::geometry
