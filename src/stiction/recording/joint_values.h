// Coordinates and velocities of the joints that a scene names, in the tree or closing a loop.
#pragma once

#include <string>
#include <vector>

#include "stiction/dynamics/kinematics.h"

namespace stiction::recording {

/// Which joints are reported, and where their values stand: joint j owns positions
/// [position_offset[j], position_offset[j + 1]) and velocities likewise.
struct JointLayout {
  std::vector<std::string> names;  ///< tree joints that the scene named, then loop joints
  std::vector<std::string> types;  ///< as in scene files
  std::vector<int> source;         ///< index in Model::tree_joints, or -1 - index in Model::loop_joints
  std::vector<int> position_offset = {0};
  std::vector<int> velocity_offset = {0};
};

/// Values of all joints of a layout, packed.
struct JointValues {
  std::vector<double> position;  ///< m or rad; quaternions w, x, y, z
  std::vector<double> velocity;  ///< m/s or rad/s
};

/// The joints of a model that users know by name (free joints that no scene named are left out).
JointLayout make_joint_layout(const Model& model);

/// Reads the joints at a state. Tree joints give their own coordinates; loop joints those of their free directions,
/// angles within (-pi, pi], a spherical one its rotation vector.
void read_joints(const Model& model, const State& state, const Kinematics& kinematics, const JointLayout& layout,
                 JointValues& values);

}  // namespace stiction::recording
