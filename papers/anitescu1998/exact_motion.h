// Three motions in the x-z plane with a closed form: a block that slides and stops, a ball that bounces, a sphere that
// slides until it rolls. All have unit mass and g = 9.81; their events fall on multiples of 1/12 s, so that with steps
// of 2^-k an event lies one or two thirds into its step at every k, and orders do not jump from step to step.
#pragma once

#include <string>
#include <vector>

#include "stiction/math/types.h"

namespace stiction::papers::anitescu1998 {

/// A motion with its exact values; z is the gap under the body.
class ExactMotion {
 public:
  enum class Kind { block, ball, sphere };
  explicit ExactMotion(Kind kind) : kind_(kind) {}

  Vector3 q(double t) const;  ///< (x, z, turn about y)
  Vector3 v(double t) const;  ///< their rates, after a jump where t is one
  /// What the ground gave up to t, along x and z.
  Vector2 impulse(double t) const;
  /// Integral of cos(3 t) over the measure of impulses on [0, duration].
  Vector2 impulse_against_cosine() const;
  /// Times where velocities jump.
  std::vector<double> jumps() const;

  std::string name() const;
  std::string scene() const { return "anitescu1998/" + name() + ".toml"; }
  double duration() const { return kind_ == Kind::ball ? 0.875 : 0.625; }
  /// The ball's is finer: coarser ones shift its third bounce by a good part of a flight, and errors of opposite sign
  /// cancel at some of them.
  double coarsest_step() const { return kind_ == Kind::ball ? 1.0 / 256 : 1.0 / 16; }
  /// Height of the centre of mass over the point that touches.
  double rest_height() const;

 private:
  struct Flight {  // starts at `start` from height `height` with upward speed `speed`
    double start, height, speed;
  };
  std::vector<Flight> flights() const;
  Flight flight_at(double t) const;
  double v0() const { return kind_ == Kind::block ? mu_ * g_ / 3 : 7 * mu_ * g_ / 6; }

  static constexpr double g_ = 9.81, mu_ = 0.2, restitution_ = 0.5;
  static constexpr double event_ = 1.0 / 3;  // stop, first impact, start of rolling [s]
  Kind kind_;
};

}  // namespace stiction::papers::anitescu1998
