// Conservative advancement with axes that turn and a bound of second order; see the header for the proof.
#include "stiction/geometry/time_of_impact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stiction/base/assert.h"
#include "stiction/geometry/distance_internal.h"
#include "stiction/geometry/manifold.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Matrix3 turned_by(const Vector3& w) {
  return exp_rotation(w).toRotationMatrix();
}

/// x turned for the time t at the angular velocity w.
Vector3 turned(const Vector3& w, double t, const Vector3& x) {
  return w.isZero(0) ? x : Vector3(exp_rotation(w * t) * x);
}

bool is_plane(const MovingShape& S) {
  return kind_of(S.shape).extent == Extent::half_space;
}

bool is_bowl(const MovingShape& S) {
  return kind_of(S.shape).extent == Extent::hollow;
}

/// Largest distance from the body's centre to a point of the shape whose turning matters: a ball that sweeps a core
/// adds the same to every axis. Of a half-space and of a bowl only the point at the origin is used, the former with
/// axes that turn with it.
double turning_radius(const MovingShape& S) {
  const double arm = (S.X_WS.p - S.center).norm();
  return is_unbounded(S.shape) ? arm : arm + bounding_radius(S.shape) - core_shape(S.shape).radius;
}

/// A direction n(t) = exp(w (t - t0)) n0 and what it proves.
struct Axis {
  Vector3 n0;
  Vector3 w;
  double t0;
  double curvature;  ///< K: |d^2/dt^2 n.(b - a)| is at most this for all points a, b until the end
};

/// From when until when something can happen; empty when end < begin.
struct Window {
  double begin;
  double end;
};

/// How far an axis proves the shapes apart.
struct Reach {
  double time;
  double separation;  ///< s then
  int evaluations;
};

/// Two moving shapes, seen from A's centre so that nothing is lost far from the world's origin.
class MovingPair {
 public:
  MovingPair(const MovingShape& A, const MovingShape& B)
      : A_(A),
        B_(B),
        radius_A_(turning_radius(A)),
        radius_B_(turning_radius(B)),
        arm_A_(A.X_WS.p - A.center),
        arm_B_(B.X_WS.p - B.center),
        between_(B.center - A.center),
        velocity_(B.velocity.linear - A.velocity.linear) {
    STICTION_DASSERT(between_.allFinite() && velocity_.allFinite(), "centres and velocities must be finite");
    STICTION_DASSERT(A.velocity.angular.allFinite() && B.velocity.angular.allFinite(), "velocities must be finite");
    size_ = Placement{A.shape, B.shape, A.X_WS.R, B.X_WS.R, Vector3::Zero()}.size();
  }

  double size() const { return size_; }

  /// distance() at time t, points in world axes; stops early when the gap is above `stop_above`.
  Distance distance_at(double t, double stop_above) const {
    const Matrix3 E_A = turned_by(A_.velocity.angular * t);
    const Matrix3 E_B = turned_by(B_.velocity.angular * t);
    const Matrix3 R_WA = E_A * A_.X_WS.R;
    const Matrix3 R_WB = E_B * B_.X_WS.R;
    const Placement pair{A_.shape, B_.shape, R_WA, R_WB, between_ + velocity_ * t + E_B * arm_B_ - E_A * arm_A_};
    Distance d = placed_distance(pair, size_, {}, stop_above, nullptr);
    const Vector3 origin_A = A_.center + A_.velocity.linear * t + E_A * arm_A_;
    d.point_A += origin_A;
    d.point_B += origin_A;
    return d;
  }

  /// When the balls about the centres that hold the shapes however they turn come within the target: a line's passage
  /// through a ball, for which no shape is looked at.
  Window near(double target, double duration) const {
    const Window whole{0, duration};
    if (is_unbounded(A_.shape) || is_unbounded(B_.shape)) return whole;
    const double reach = 1.000001 * (arm_A_.norm() + bounding_radius(A_.shape) + arm_B_.norm() +
                                     bounding_radius(B_.shape) + std::max(target, 0.0));
    const double vv = velocity_.squaredNorm();
    if (vv * duration * duration < 1e-12 * reach * reach) {
      return between_.norm() <= reach + std::sqrt(vv) * duration ? whole : Window{0, -1};
    }
    const double middle = -between_.dot(velocity_) / vv;
    const double passing = (between_ + middle * velocity_).squaredNorm();
    if (passing > reach * reach) return {0, -1};
    const double half = std::sqrt((reach * reach - passing) / vv);
    return {std::max(0.0, middle - half), std::min(duration, middle + half)};
  }

  /// Most by which the gap can fall in the time `span`: bodies turn, so no point moves by more than a diameter for it.
  double travel(double span) const {
    const auto turning = [&](const MovingShape& S, double radius) {
      const double angle = S.velocity.angular.norm() * span;
      if (angle == 0) return 0.0;
      return is_plane(S) ? infinity : radius * std::min(angle, 2.0);
    };
    return velocity_.norm() * span + turning(A_, radius_A_) + turning(B_, radius_B_);
  }

  /// An axis from time t0 to `end` that turns with w. In axes that turn with w a point of a body has u = omega - w for
  /// angular velocity and the acceleration u x (u x r) + (u x w) x r, at most (|u|^2 + |omega x w|) |r|; n.d with
  /// d = c_B - c_A has n''.d + 2 n'.v, and |d| is convex, so largest at an end.
  Axis axis(const Vector3& n0, const Vector3& w, double t0, double end) const {
    const auto turning = [&](const Vector3& omega) { return (omega - w).squaredNorm() + omega.cross(w).norm(); };
    const double sway = w.cross(n0).norm();
    const double farthest = std::max((between_ + velocity_ * t0).norm(), (between_ + velocity_ * end).norm());
    const double K = turning(A_.velocity.angular) * radius_A_ + turning(B_.velocity.angular) * radius_B_ +
                     sway * (w.norm() * farthest + 2 * velocity_.norm());
    return {n0, w, t0, K};
  }

  /// s(t): min over B minus max over A along the axis; in a bowl the gap itself (see the header).
  double separation(const Axis& axis, double t) const {
    if (is_bowl(A_) || is_bowl(B_)) return distance_at(t, infinity).gap;
    const Vector3 n = turned(axis.w, t - axis.t0, axis.n0);
    return n.dot(between_ + velocity_ * t) + lowest(B_, arm_B_, n, t) + lowest(A_, arm_A_, -n, t);
  }

 private:
  /// min n.x over a shape at time t, relative to its centre.
  static double lowest(const MovingShape& S, const Vector3& arm, const Vector3& n, double t) {
    const Vector3 n0 = turned(S.velocity.angular, -t, n);  // seen from the shape as it stood at time 0
    return n0.dot(arm) - (is_plane(S) ? 0 : support_height(S.shape, -(S.X_WS.R.transpose() * n0)));
  }

  const MovingShape& A_;
  const MovingShape& B_;
  double radius_A_;
  double radius_B_;
  Vector3 arm_A_;
  Vector3 arm_B_;
  Vector3 between_;   ///< c_B - c_A at time 0
  Vector3 velocity_;  ///< v_B - v_A
  double size_ = 1;
};

/// First x in [0, r] with y0 + (y1 - y0) x / r - K x (r - x) / 2 = 0, where y0 > 0; r when there is none.
double first_root(double y0, double y1, double r, double K) {
  const double slope = (y1 - y0) / r - 0.5 * K * r;
  if (slope >= 0) return r;
  const double discriminant = slope * slope - 2 * K * y0;
  if (discriminant < 0) return r;
  return std::min(r, 2 * y0 / (-slope + std::sqrt(discriminant)));  // the smaller root, without cancellation
}

/// The levels of one query: impact at gap <= target, proof of gap >= level, and where to stop in between.
struct Levels {
  double target;
  double level;
  double stop;
};

/// From axis.t0 on to where s may fall to the level: in few long steps, each from s at its ends alone.
Reach reach_along(const MovingPair& pair, const Axis& axis, double end, const Levels& levels) {
  constexpr int max_steps = 12;
  const double K = axis.curvature;
  double t = axis.t0;
  double s = pair.separation(axis, t);
  int evaluations = 1;
  const double enough = std::max(levels.stop - levels.level, 1e-3 * (s - levels.level));
  double fall = 0;  // how fast s fell over the last step
  for (int step = 0; step < max_steps && t < end && s - levels.level > enough; ++step) {
    const double room = s - levels.level;
    double span = end - t;
    if (K > 0) span = std::min(span, std::sqrt(8 * room / K));  // what a level s would be proved for
    if (fall > 0 && K > 0) span = std::min(span, 1.5 * room / fall);
    const double next = span < end - t ? t + span : end;
    const double s_next = pair.separation(axis, next);
    ++evaluations;
    const double span_free = first_root(room, s_next - levels.level, next - t, K);
    fall = (s - s_next) / (next - t);
    if (span_free >= next - t) {
      t = next;
      s = s_next;
      continue;
    }
    t += span_free;
    s = pair.separation(axis, t);
    ++evaluations;
  }
  return {t, s, evaluations};
}

/// The angular velocity, across the normal, that brought n_before to n_now.
Vector3 normal_spin(const Vector3& n_before, const Vector3& n_now, double span) {
  return n_before.dot(n_now) > 0 ? Vector3(n_before.cross(n_now) / span) : Vector3::Zero();
}

/// d gap/dt: the least over all nearest pairs of points of n.(v_B - v_A); where faces meet, over the corners of the
/// area in which they do.
double rate_of_gap(const MovingShape& A, const MovingShape& B, double t, const Distance& nearest, double size) {
  const Vector3 center_A = A.center + A.velocity.linear * t;
  const Vector3 center_B = B.center + B.velocity.linear * t;
  const auto rate = [&](const Vector3& point_A, const Vector3& point_B, const Vector3& n) {
    return n.dot(B.velocity.at(point_B - center_B) - A.velocity.at(point_A - center_A));
  };
  double least = rate(nearest.point_A, nearest.point_B, nearest.normal);
  const Manifold points = manifold(A.shape, A.pose(t), B.shape, B.pose(t), nearest.gap + 1e-9 * size);
  for (const ManifoldPoint& point : points.view()) {
    least = std::min(least, rate(point.point_A, point.point_B, points.normal_at(point)));
  }
  return least;
}

Levels levels_of(const TimeOfImpactOptions& options, double size) {
  double tolerance = options.tolerance * size;
  if (options.target > 0) tolerance = std::min(tolerance, 0.5 * options.target);
  return {options.target, options.target - tolerance, options.target - 0.5 * tolerance};
}

/// The axes worth a try: turning with a half-space where there is one, else the four of the header.
struct AxisSpins {
  Vector3 w[4];
  int count = 0;

  void add(const Vector3& spin) {
    for (int k = 0; k < count; ++k) {
      if (w[k] == spin) return;
    }
    w[count++] = spin;
  }
};

/// In the order in which they are tried.
AxisSpins axis_spins(const MovingShape& A, const MovingShape& B, const Vector3& normal_spin) {
  AxisSpins spins;
  const Vector3& omega_A = A.velocity.angular;
  const Vector3& omega_B = B.velocity.angular;
  if (is_plane(A) && is_plane(B) && !(omega_A.isZero(0) && omega_B.isZero(0))) return spins;  // no axis stays normal
  if (is_plane(A) || is_plane(B)) {
    spins.add(is_plane(A) ? omega_A : omega_B);
    return spins;
  }
  if (is_bowl(A) || is_bowl(B)) {
    spins.add(Vector3::Zero());
    return spins;
  }
  spins.add(normal_spin);  // most often the best, after the first step
  spins.add(Vector3::Zero());
  spins.add(omega_A);
  spins.add(omega_B);
  return spins;
}

/// The axis that reaches farthest through the window, all along n at its beginning.
Reach farthest_reach(const MovingPair& pair, const Vector3& n, const AxisSpins& spins, const Window& window,
                     const Levels& levels) {
  const auto [begin, end] = window;
  Reach best{begin, 0, 0};
  for (int k = 0; k < spins.count; ++k) {
    const Axis axis = pair.axis(n, spins.w[k], begin, end);
    // An axis along which they overlap at the best time so far reaches less.
    if (best.time > begin) ++best.evaluations;
    if (best.time > begin && pair.separation(axis, best.time) < levels.level) continue;
    const Reach reach = reach_along(pair, axis, end, levels);
    const int evaluations = best.evaluations + reach.evaluations;
    const bool farther = std::pair(reach.time, reach.separation) > std::pair(best.time, best.separation);
    if (farther) best = reach;
    best.evaluations = evaluations;
    if (best.time >= end && best.separation > levels.target) break;
  }
  return best;
}

TimeOfImpact free_until(double duration, TimeOfImpact result) {
  result.status = TimeOfImpact::Status::none;
  result.time = duration;
  result.nearest = {};
  return result;
}

}  // namespace

Pose MovingShape::pose(double t) const {
  const Matrix3 E = turned_by(velocity.angular * t);
  return {E * X_WS.R, center + velocity.linear * t + E * (X_WS.p - center)};
}

TimeOfImpact time_of_impact(const MovingShape& A, const MovingShape& B, double duration,
                            const TimeOfImpactOptions& options) {
  STICTION_ASSERT(duration >= 0 && std::isfinite(duration), "the duration must be finite and not negative");
  const MovingPair pair(A, B);
  const Levels levels = levels_of(options, pair.size());
  const Window window = pair.near(levels.target, duration);
  TimeOfImpact result;
  if (window.end < window.begin) return free_until(duration, result);
  result.time = window.begin;
  Vector3 n_before = Vector3::Zero();
  double last_step = 1;
  while (result.iterations < options.max_iterations) {
    ++result.iterations;
    const double reachable = levels.target + pair.travel(window.end - result.time);
    result.nearest = pair.distance_at(result.time, reachable);
    if (result.nearest.gap <= levels.target) {
      result.status = TimeOfImpact::Status::found;
      result.touching_at_start = result.time == 0;
      result.gap_rate = rate_of_gap(A, B, result.time, result.nearest, pair.size());
      return result;
    }
    if (result.nearest.gap > reachable || result.time >= window.end) return free_until(duration, result);
    const Vector3 n = result.nearest.normal;
    const AxisSpins spins = axis_spins(A, B, normal_spin(n_before, n, last_step));
    const Reach reach = farthest_reach(pair, n, spins, {result.time, window.end}, levels);
    result.axis_evaluations += reach.evaluations;
    if (reach.time >= window.end && reach.separation > levels.target) return free_until(duration, result);
    if (!(reach.time > result.time)) break;
    last_step = reach.time - result.time;
    n_before = n;
    result.time = reach.time;
  }
  result.status = TimeOfImpact::Status::undecided;
  return result;
}

}  // namespace stiction::geometry
