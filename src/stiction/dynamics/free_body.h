// The turn of one free body over a step (see free_motion.h).
#pragma once

#include "stiction/math/types.h"

namespace stiction {

/// Angular velocity at the end of the step, and the impulse that leads to it: I (w - w_start) by the update's own
/// formula.
struct FreeTurn {
  Vector3 w = Vector3::Zero();
  Vector3 impulse = Vector3::Zero();
};

/// Solves E(h w / 2) I w = E(-h w_start / 2) I w_start + h moment for w; I in world axes at the start of the step.
FreeTurn turn_free_body(const Matrix3& I, const Vector3& w_start, const Vector3& moment, double h);

}  // namespace stiction
