// Trees of one free body: which they are, and the turn of one over a step (see free_motion.h).
#pragma once

#include "stiction/math/types.h"
#include "stiction/model/joint_traits.h"
#include "stiction/model/model.h"

namespace stiction {

/// Is the tree one free body?
inline bool is_free_body(const Model& model, const Tree& tree) {
  return tree.joint_count == 1 && is_free(model.tree_joints[tree.first_joint].type);
}

/// Angular velocity at the end of the step, and the impulse that leads to it: I (w - w_start) by the update's own
/// formula.
struct FreeTurn {
  Vector3 w = Vector3::Zero();
  Vector3 impulse = Vector3::Zero();
};

/// Solves E(h w / 2) I w = E(-h w_start / 2) I w_start + h moment for w; I in world axes at the start of the step.
FreeTurn turn_free_body(const Matrix3& I, const Vector3& w_start, const Vector3& moment, double h);

}  // namespace stiction
