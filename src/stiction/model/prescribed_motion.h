// Motion that the scene prescribes: pose, twist and acceleration of a fixed or prescribed body at a time.
#pragma once

#include "stiction/model/model.h"

namespace stiction {

/// Pose of a fixed or prescribed body's frame at a time.
Pose prescribed_pose(const Body& body, double time);

/// Twist of the centre of mass and its (classical) time derivative at a time, in closed form.
struct PrescribedMotion {
  Twist velocity;
  Twist acceleration;
};
PrescribedMotion prescribed_motion(const Body& body, double time);

/// Mean twist of the centre of mass from `time` to `time + h`: displacement / h and rotation vector / h (h not zero).
Twist prescribed_mean_twist(const Body& body, double time, double h);

}  // namespace stiction
