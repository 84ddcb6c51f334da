// Semismooth Newton with the exact Jacobian and a search along the step; then what a solution must show besides a small
// residual.
#include "stiction/geometry/closest/closest_points.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/geometry/closest/closest_system.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

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
    system.factor();
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
      system.factor();
      system.solve(negated(system.residual(), system.size()), step);
      if (!search(step, length, system, unknowns)) break;
    }
  }
  system.set_smoothing(0);
  return iterate(length, system, unknowns);
}

bool meets_bowl(const PiecePair& pair) {
  return pair.A.surfaces[0].concave || pair.B.surfaces[0].concave;
}

/// Whether the gap is a local maximum over the normals, as it must be where bodies cross: dn/dp_B, symmetric in the
/// tangent plane, is the inverse of (sum of both radii of curvature + gap), which is negative on the far sides. In a
/// bowl, whose radius of curvature is negative, that sum is (radius of the body - distance from the centre): it must
/// not be positive (sign = -1).
bool locally_deepest(ClosestSystem& system, const Vector3& n, double sign) {
  constexpr double negative = -1e-9;
  system.settle_active_set();
  system.factor();
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
  const double m11 = sign * t1.dot(d1);
  const double m22 = sign * t2.dot(d2);
  const double m12 = sign * (t1.dot(d2) + t2.dot(d1)) / 2;
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

}  // namespace

void closest_residual(const PiecePair& pair, const ClosestUnknowns& unknowns, double length, double* residual) {
  ClosestSystem system(pair, length);
  system.evaluate_at(unknowns);
  std::copy_n(system.residual().begin(), system.size(), residual);
  for (int k = 10; k < system.size(); ++k) {
    if (!system.surface(k - 10).held) residual[k] = std::min(residual[k], system.multiplier(k - 10));
  }
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
  const bool bowl = meets_bowl(pair);
  if (crossing && !share_a_point(pair, length, found)) return ClosestOutcome::not_found;
  if ((crossing || bowl) && !locally_deepest(system, found.normal(), bowl ? -1 : 1)) return ClosestOutcome::not_found;
  unknowns = found;
  return ClosestOutcome::solved;
}

}  // namespace stiction::geometry
