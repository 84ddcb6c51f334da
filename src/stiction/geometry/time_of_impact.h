// When do two moving shapes come within a given distance of each other? Never too late: until the time that is
// returned they are proved apart.
//
// Each body moves with constant velocity of its centre c and constant angular velocity omega (world axes):
//   x(t) = c + v t + exp(omega t) (x(0) - c).
// Every axis n(t) of unit length, however it turns, bounds the gap from below (see distance.h):
//   gap(t) >= s(t) = min over a in A, b in B of n(t).(b(t) - a(t)),
// so where s > target the shapes are apart. Conservative advancement (Mirtich 1996; Zhang, Lee, Kim 2006) takes the
// nearest points' normal at a time t, goes on to the first time at which s may fall to the target, and repeats. Here
// the step comes from a bound of second order instead of the usual largest speed. For a pair of points that turn with
// the bodies f = n.(b - a) has |f''| <= K, so that for x in [0, r]
//   f(t + x) >= f(t) + (f(t + r) - f(t)) x / r - K x (r - x) / 2.
// The least over all pairs inherits it with s in place of f, and s at the two ends is exact: one support height a
// shape. Without rotation K = 0 and a step is exact. Axes that stand still, turn with A, turn with B, or turn as the
// nearest points' normal did are all tried and the farthest step is taken; a face that turns is met in a few steps only
// by an axis that turns with it.
// A bowl has no such axis, and needs none: the distance of its centre from a point that moves straight is convex in t,
// from one that turns with omega at radius r its second derivative is at least -omega^2 r. So f = radius - distance has
// f'' <= K with the K of a still axis, which is all that the bound above takes, and s is the gap.
#pragma once

#include "stiction/geometry/distance.h"

namespace stiction::geometry {

/// A shape of a body in free flight: its pose at time 0, the point that moves straight, and the velocities.
struct MovingShape {
  const Shape& shape;                ///< must outlive this
  Pose X_WS;                         ///< at time 0
  Vector3 center = Vector3::Zero();  ///< of mass, or any other point about which the body turns; world, at time 0
  Twist velocity = {};               ///< of `center`, and angular; world axes, constant

  /// Pose at time t.
  Pose pose(double t) const;
};

/// What to look for, and how hard.
struct TimeOfImpactOptions {
  double target = 0;          ///< m; the distance that counts as an impact
  double tolerance = 1e-10;   ///< of the larger shape's size; range 1e-13..1e-3. No more than half the target is used
  int max_iterations = 1000;  ///< evaluations of distance()
};

/// The first time at which two shapes are within the target distance.
struct TimeOfImpact {
  enum class Status {
    none,       ///< proved: gap > target - tolerance until the end, and no time with gap <= target was seen
    found,      ///< gap(time) <= target, and proved: gap >= target - tolerance until then
    undecided,  ///< out of iterations; proved free until `time`, not known after it
  };
  Status status = Status::none;
  double time = 0;                 ///< s; of the impact, or until when there is proved to be none
  bool touching_at_start = false;  ///< found at time 0: the rest of the motion was not looked at
  double gap_rate = 0;             ///< m/s; found: d gap/dt just after `time`, negative while the shapes approach
  Distance nearest;          ///< found: at `time`, world axes; undecided: where last looked, before it; none: not set
  int iterations = 0;        ///< evaluations of distance()
  int axis_evaluations = 0;  ///< evaluations of s
};

/// The earliest time in [0, duration] with gap <= target. Any pair that distance() takes, planes that move and turn as
/// well; exchanging A and B changes nothing but signs. Touching or overlapping at time 0 gives time 0: gap_rate says
/// whether they approach, and what comes after is found with a target below the gap there. Two half-spaces of which one
/// turns are undecided. Never allocates.
TimeOfImpact time_of_impact(const MovingShape& A, const MovingShape& B, double duration,
                            const TimeOfImpactOptions& options);

}  // namespace stiction::geometry
