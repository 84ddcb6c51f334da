// What a scene says about a mechanism, as plain data before anything is checked: the input of build_model().
//
// Defaults here are the defaults of the scene file. Every item carries the line it came from, so that build_model() can
// name it in an Error.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/geometry/shapes/shape.h"
#include "stiction/math/types.h"
#include "stiction/problem/compliant_layer.h"
#include "stiction/problem/friction_cone.h"

namespace stiction {

/// The joints; model/joint_traits.h says what each is. Coordinates, in order: revolute angle; prismatic travel;
/// cylindrical travel, angle; universal angle about axis, angle about axis2; planar travel along axis2, travel along
/// axis x axis2, angle about axis; spherical unit quaternion [w,x,y,z] (velocity: relative angular velocity in the
/// joint frame on the parent); free: position of the child's centre of mass in world axes, quaternion (velocity: of the
/// centre of mass and angular, both in world axes); screw angle.
enum class JointType { fixed, revolute, prismatic, spherical, planar, universal, cylindrical, free, screw };

/// Surface properties (scene: [material.NAME]).
struct Material {
  std::string name;
  std::array<double, 2> friction = {0.5, 0.5};  ///< along friction_direction and across it; >= 0
  double friction_exponent = 2;                 ///< p >= 1 of |x / along|^p + |y / across|^p <= 1; 2: an ellipse
  /// Corners [along, across] per unit of normal force; empty: `friction` holds.
  std::vector<Vector2> friction_polygon = {};
  std::optional<FrictionCone> cone = {};  ///< the friction set where it is not an ellipse; made by build_model()
  double torsional_friction = 0;          ///< m, >= 0: spin moment limit = friction[0] * this * normal force
  double rolling_friction = 0;            ///< m, >= 0: rolling moment limit = friction[0] * this * normal force
  double restitution = 0;                 ///< 0..1
  double tangential_restitution = 0;      ///< 0..1: share of the friction impulse that an impact gives back
  double static_friction = -1;            ///< >= friction; negative: same as friction
  double stribeck_velocity = 0;           ///< m/s
  CompliantLayer layer = {};              ///< for compliant methods; of a combination: only where a [[pair]] states one
  int line = 0;
};

/// Values that hold where two materials meet, instead of the mean of theirs (scene: [[pair]]).
struct MaterialPair {
  std::array<std::string, 2> materials;
  Material values;
  int line = 0;
};

/// A shape on a body.
struct ShapeDescription {
  geometry::Shape shape;
  Pose X_BS;                                     ///< in the body's frame
  std::string material;                          ///< empty: the default material
  Vector3 friction_direction = Vector3::Zero();  ///< in the shape's frame; zero: the shape's x axis
  Vector3 surface_velocity = Vector3::Zero();    ///< m/s in the shape's frame: a conveyor belt
  bool collide = true;
  int line = 0;
};

/// One harmonic of a prescribed motion: amplitude * sin(frequency * t + phase).
struct MotionTerm {
  Vector3 amplitude = Vector3::Zero();  ///< m, or rad for rotations
  double frequency = 0;                 ///< rad/s
  double phase = 0;                     ///< rad
};

/// Prescribed motion of a body's frame: p(t) = position + velocity t + sum of terms,
/// R(t) = exp(angular_velocity t + sum of rotation terms) * orientation, all in world axes.
struct MotionDescription {
  Vector3 velocity = Vector3::Zero();
  Vector3 angular_velocity = Vector3::Zero();
  std::vector<MotionTerm> translation;
  std::vector<MotionTerm> rotation;
};

/// A body (scene: [[body]]). Position and orientation are those of its frame in the world at time zero.
struct BodyDescription {
  std::string name;
  bool fixed = false;
  std::optional<MotionDescription> motion;       ///< prescribed instead of simulated
  std::optional<double> mass;                    ///< kg; needed unless fixed, prescribed or density is given
  std::optional<double> density;                 ///< kg/m^3, instead of mass
  std::optional<Vector3> center_of_mass;         ///< in the body's frame; default: that of the shapes
  std::optional<std::array<double, 6>> inertia;  ///< xx yy zz xy xz yz about the centre of mass in body axes
  Vector3 position = Vector3::Zero();
  Quaternion orientation = Quaternion::Identity();
  std::optional<Vector3> linear_velocity;   ///< of the centre of mass, world axes
  std::optional<Vector3> angular_velocity;  ///< world axes
  std::vector<ShapeDescription> shapes;
  int line = 0;
};

/// Per-coordinate properties of a joint; scalars in the file apply to every coordinate.
struct JointCoordinate {
  std::array<double, 2> limits = {-infinity, infinity};
  double friction = 0;   ///< N m or N, constant dry friction, >= 0
  double damping = 0;    ///< N m s/rad or N s/m, >= 0
  double stiffness = 0;  ///< spring, N m/rad or N/m, >= 0
  double rest = 0;       ///< coordinate where the spring is relaxed
  double armature = 0;   ///< kg m^2 or kg of reflected rotor inertia, >= 0
};

/// A joint (scene: [[joint]]). The bodies' poses in the scene show the joint at coordinate `reference`.
struct JointDescription {
  std::string name;
  JointType type = JointType::revolute;
  std::string parent;  ///< a body, or "world"
  std::string child;
  Vector3 position = Vector3::Zero();               ///< of the joint frame, in the parent's frame
  Quaternion orientation = Quaternion::Identity();  ///< of the joint frame, in the parent's frame
  Vector3 axis = Vector3::UnitZ();                  ///< in the joint frame
  std::optional<Vector3> axis2;                     ///< universal: second axis; planar: first direction of travel
  double pitch = 0;                                 ///< screw: m of travel along axis per turn about it; not zero
  std::vector<JointCoordinate> coordinates;         ///< empty, or one for each velocity of the joint
  std::vector<double> initial_velocity;             ///< empty: zero or from the bodies' velocities
  std::vector<double> reference;  ///< coordinates at the scene's poses; empty: zero (1-dof-like joints only)
  bool loop = false;              ///< closes a loop: always a bilateral constraint
  bool collide = false;           ///< do the joined bodies collide?
  int line = 0;
};

/// Drives one coordinate of a joint: force + stiffness (target - q) + damping (target_velocity - v), limited (scene:
/// [[actuator]]).
struct ActuatorDescription {
  std::string name;
  std::string joint;
  int coordinate = 0;
  double force = 0;      ///< N m or N
  double stiffness = 0;  ///< >= 0, treated implicitly
  double damping = 0;    ///< >= 0, treated implicitly
  double target = 0;
  double target_velocity = 0;
  double max_force = infinity;  ///< > 0
  int line = 0;
};

/// One harmonic of a coordinate's wanted motion: amplitude * sin(frequency * t + phase).
struct TrajectoryTerm {
  double amplitude = 0;  ///< rad or m
  double frequency = 0;  ///< rad/s
  double phase = 0;      ///< rad
};

/// Makes one coordinate of a joint follow q(t) = offset + velocity t + sum of terms, or accelerate: the forces that
/// inverse dynamics of the mechanism without contacts asks for, plus stiffness and damping on what is left (scene:
/// [[controller]]).
struct ControllerDescription {
  std::string name;
  std::string joint;
  int coordinate = 0;
  double offset = 0;    ///< rad or m
  double velocity = 0;  ///< rad/s or m/s
  std::vector<TrajectoryTerm> terms;
  std::optional<double> acceleration;  ///< rad/s^2 or m/s^2, wanted at all times, instead of a trajectory
  double stiffness = 0;                ///< N m/rad or N/m, >= 0
  double damping = 0;                  ///< N m s/rad or N s/m, >= 0
  double max_force = infinity;         ///< > 0
  int line = 0;
};

/// Everything build_model() needs.
struct ModelDescription {
  std::string file;  ///< for messages
  Vector3 gravity = Vector3(0, 0, -9.81);
  std::vector<Material> materials;
  std::vector<MaterialPair> pairs;
  std::vector<BodyDescription> bodies;
  std::vector<JointDescription> joints;
  std::vector<ActuatorDescription> actuators;
  std::vector<ControllerDescription> controllers;
};

}  // namespace stiction
