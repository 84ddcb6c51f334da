// Moving pairs for the tests of times of impact: an oracle by dense sampling, and random motions.
#pragma once

#include <cmath>
#include <optional>

#include "geometry/random_pairs.h"
#include "stiction/geometry/time_of_impact.h"

namespace stiction::geometry::testing {

/// The motion as a reader of the header would compute it, with Eigen's own rotations.
inline Pose moved(const MovingShape& S, double t) {
  const double speed = S.velocity.angular.norm();
  Matrix3 E = Matrix3::Identity();
  if (speed > 0) E = Eigen::AngleAxisd(speed * t, S.velocity.angular / speed).toRotationMatrix();
  return {E * S.X_WS.R, S.center + t * S.velocity.linear + E * (S.X_WS.p - S.center)};
}

inline double gap_at(const MovingShape& A, const MovingShape& B, double t) {
  return distance(A.shape, moved(A, t), B.shape, moved(B, t)).gap;
}

/// The first of `samples` times at which the gap is at most `level`, brought back by bisection to where it crosses.
inline std::optional<double> first_sampled(const MovingShape& A, const MovingShape& B, double duration, double level,
                                           int samples) {
  double before = 0;
  for (int k = 0; k <= samples; ++k) {
    double after = duration * k / samples;
    if (gap_at(A, B, after) > level) {
      before = after;
      continue;
    }
    for (int i = 0; k > 0 && i < 60; ++i) {
      const double middle = 0.5 * (before + after);
      (gap_at(A, B, middle) > level ? before : after) = middle;
    }
    return after;
  }
  return std::nullopt;
}

/// Random shapes, B sent roughly towards A, both turning; every eighth A is a half-space.
struct RandomMotion {
  Pair pair;
  Vector3 center_A, center_B;
  Twist velocity_A, velocity_B;
  double size;

  MovingShape A() const { return {pair.A, pair.X_WA, center_A, velocity_A}; }
  MovingShape B() const { return {pair.B, pair.X_WB, center_B, velocity_B}; }
};

inline RandomMotion random_motion(RandomPairs& random, int k) {
  const double size = k % 3 == 0 ? random.log_uniform(1e-2, 1e2) : 1;
  RandomMotion m{{random.shape(size, 10), random.shape(size * random.log_uniform(0.1, 1), 10), {}, {}},
                 Vector3::Zero(),
                 Vector3::Zero(),
                 {},
                 {},
                 size};
  m.pair.X_WA = {random.rotation(), size * random.direction()};
  const Vector3 aim = random.direction();
  double reach = bounding_radius(m.pair.A);
  if (k % 8 == 0) {
    m.pair.A = Plane{m.pair.X_WA.R.transpose() * aim};
    reach = 0;
  }
  reach += bounding_radius(m.pair.B);
  m.pair.X_WB = {random.rotation(), m.pair.X_WA.p + random.uniform(1.01, 2) * reach * aim};
  m.center_A = m.pair.X_WA.p + (k % 2 ? 0.3 * size : 0) * random.direction();
  m.center_B = m.pair.X_WB.p + (k % 2 ? 0.1 * size : 0) * random.direction();
  const double spin = k % 5 == 0 ? 0 : random.log_uniform(0.1, 20);
  m.velocity_A = {0.5 * size * random.direction(), (k % 8 == 0 ? 0.1 : 1) * spin * random.direction()};
  m.velocity_B = {random.uniform(0, 5) * size * (0.5 * random.direction() - aim), spin * random.direction()};
  return m;
}

}  // namespace stiction::geometry::testing
