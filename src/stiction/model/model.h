// The mechanism, immutable once built. Mutable state is State's; scratch is Kinematics' and the workspaces'.
//
// Bodies stand in the order of the scene. Every simulated body has exactly one tree joint, the one to its parent (a
// free joint where the scene names none). Tree joints are sorted so that parents come before children and every tree's
// velocities are contiguous. Joints that close a loop are bilateral constraints and own no coordinates.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/model/description.h"

namespace stiction {

/// How a body moves.
enum class BodyKind { simulated, fixed, prescribed };

inline constexpr int world_index = -1;  ///< parent of a joint to the world

/// A body with everything constant about it.
struct Body {
  std::string name;
  BodyKind kind = BodyKind::simulated;
  double mass = 0;
  Vector3 com_B = Vector3::Zero();      ///< centre of mass in the body's frame
  Matrix3 inertia_B = Matrix3::Zero();  ///< about the centre of mass, body axes
  Pose X_WB0;                           ///< pose in the scene (the pose of a fixed body)
  Quaternion orientation0 = Quaternion::Identity();
  MotionDescription motion;  ///< of a prescribed body
  bool moves = false;        ///< has a degree of freedom: simulated, and not tied to the world by fixed joints
  int joint = -1;            ///< its tree joint; -1 for fixed and prescribed bodies
  int root = -1;             ///< the fixed or prescribed body its tree hangs on, or -1 (world, or floating)
};

/// A joint, in the tree or closing a loop.
struct Joint {
  std::string name;
  JointType type = JointType::free;
  int parent = world_index;                  ///< body index
  int child = -1;                            ///< body index; world_index only for a loop joint
  Pose X_PJ;                                 ///< joint frame in the parent's frame (world: in the world)
  Pose X_CJ;                                 ///< joint frame in the child's frame
  Vector3 axis = Vector3::UnitZ();           ///< unit, in the joint frame
  Vector3 axis2 = Vector3::UnitX();          ///< unit, in the joint frame, orthogonal to axis for planar
  double pitch = 0;                          ///< of a screw: m of travel along axis per turn about it
  std::vector<JointCoordinate> coordinates;  ///< one for each velocity
  int q_offset = -1, q_size = 0;             ///< -1 for a loop joint
  int v_offset = -1, v_size = 0;             ///< v_size is the joint's freedom for loop joints too
  int tree = -1;
  int parent_joint = -1;  ///< the parent's tree joint; -1 where the parent is not simulated (a tree's root)
  bool implicit = false;  ///< a free joint that the scene did not name
};

/// A connected set of simulated bodies: one dense block of the mass matrix.
struct Tree {
  int first_joint = 0, joint_count = 0;  ///< in Model::tree_joints
  int v_offset = 0, v_size = 0;
  int mass_offset = 0;  ///< of its v_size x v_size block, blocks one after the other
};

/// A shape on a body, ready for collision.
struct BodyShape {
  int body = -1;
  geometry::Shape shape;
  Pose X_BS;
  int material = 0;  ///< in Model::materials
  Vector3 friction_direction_S = Vector3::UnitX();
  bool collide = true;
  bool has_friction_direction = false;  ///< the scene gave it
  Vector3 surface_velocity_S = Vector3::Zero();
};

/// See ActuatorDescription.
struct Actuator {
  std::string name;
  int joint = -1;  ///< in tree_joints, or in loop_joints when `on_loop_joint`
  bool on_loop_joint = false;
  int coordinate = 0;
  double force = 0, stiffness = 0, damping = 0, target = 0, target_velocity = 0, max_force = infinity;
};

/// See ControllerDescription; on a coordinate of a tree joint.
struct Controller {
  std::string name;
  int joint = -1;      ///< in Model::tree_joints
  int coordinate = 0;  ///< of the joint
  double offset = 0, velocity = 0;
  std::vector<TrajectoryTerm> terms;
  std::optional<double> acceleration;
  double stiffness = 0, damping = 0, max_force = infinity;
  int line = 0;
};

/// The mechanism.
struct Model {
  Vector3 gravity = Vector3(0, 0, -9.81);
  std::vector<Body> bodies;
  std::vector<Joint> tree_joints;
  std::vector<Joint> loop_joints;
  std::vector<Tree> trees;
  std::vector<BodyShape> shapes;
  std::vector<Material> materials;
  std::vector<Material> pair_table;  ///< materials x materials, row-major: what holds where two meet
  /// Bodies (lower index first, sorted) that do not collide: they share a joint.
  std::vector<std::pair<int, int>> joined;
  std::vector<Actuator> actuators;
  std::vector<Controller> controllers;
  std::vector<double> armature;      ///< v_size: the coordinates' armature, flat for the recursions
  std::vector<int> tree_of_body;     ///< bodies: the tree that each moves with; -1: none
  std::vector<int> prescribed_root;  ///< bodies: the prescribed body that each is or hangs on; -1: none
  int q_size = 0;
  int v_size = 0;
  int mass_size = 0;  ///< sum of v_size^2 over trees

  /// Index of a body by name, or -1.
  int find_body(const std::string& name) const;
  /// May these two shapes collide? Not on one body, not where neither moves, not across a joint unless the scene says
  /// so.
  bool may_collide(int shape_a, int shape_b) const;
  /// What holds where two materials meet.
  const Material& pair_material(int a, int b) const { return pair_table[a * materials.size() + b]; }
};

/// Configuration and velocity at a time; the layout is the tree joints' q_offset and v_offset.
struct State {
  double time = 0;
  VectorX q;
  VectorX v;
};

/// A model, the state its scene starts from, and what a user should be told.
struct BuiltModel {
  Model model;
  State state;
  std::vector<std::string> warnings;
};

/// Checks the description and builds the model; the Error names item, line and remedy.
Result<BuiltModel> build_model(const ModelDescription& description);

/// The same mechanism in maximal coordinates: every simulated body free, every joint a bilateral constraint.
BuiltModel to_maximal(const BuiltModel& reduced);

}  // namespace stiction
