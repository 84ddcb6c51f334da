// Joints in ODE with all that ours have: limits are stops; springs, damping and armature of a joint are motors beside
// it, one per coordinate, with the velocity and the softness that have the same effect.
#pragma once

#include <vector>

#include <ode/ode.h>

#include "peer.h"

namespace stiction::bench {

/// The joints of one world, which owns them.
class OdeJoints {
 public:
  /// Adds a joint; `bodies` are ODE's, by our index. Throws std::invalid_argument for what it cannot take.
  void add(const PeerScene& scene, const Joint& joint, const std::vector<dBodyID>& bodies, dWorldID world);
  /// Tells the motors what joints do now; to be called before every step of `h` seconds.
  void drive(double h);

 private:
  struct Motor {
    dJointID motor = nullptr;
    int axis = 0;  // of the motor
    dJointID joint = nullptr;
    dReal (*angle)(dJointID) = nullptr;
    JointCoordinate own = {};
    Vector3 axis_W = Vector3::Zero();  // at the last step
  };

  void add_motors(const Joint& joint, dJointID id, const std::vector<Vector3>& axes_W, dWorldID world);

  std::vector<Motor> motors_;
};

}  // namespace stiction::bench
