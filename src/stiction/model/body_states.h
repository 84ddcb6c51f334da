// Poses and twists of all bodies from a State, for building models; stepping uses dynamics/kinematics.h.
#pragma once

#include "stiction/model/model.h"

namespace stiction {

/// Pose of the frame and twist of the centre of mass, one per body.
struct BodyStates {
  std::vector<Pose> X_WB;
  std::vector<Twist> velocity;
};

/// Fixed and prescribed bodies at `time`; simulated bodies at rest at their scene poses.
BodyStates start_body_states(const Model& model, double time);

/// The child's pose from its parent's; returns the motion subspace (6 x v_size) of its centre of mass.
Matrix6X place_child(const Model& model, const Joint& joint, const VectorX& q, BodyStates& states);

/// The twist of the child's centre of mass when the joint is at rest.
Twist carried_twist(const Model& model, const Joint& joint, const BodyStates& states);

/// All bodies.
BodyStates body_states(const Model& model, const State& state);

}  // namespace stiction
