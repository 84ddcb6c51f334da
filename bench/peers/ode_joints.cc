#include "ode_joints.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace stiction::bench {

namespace {

// Infinite limits stay as they are in ODE: none.
void set_stops(dJointID id, void (*set)(dJointID, int, dReal), int group, const JointCoordinate& own) {
  const auto& [low, high] = own.limits;
  if (std::isfinite(low)) set(id, dParamLoStop + group, low);
  if (std::isfinite(high)) set(id, dParamHiStop + group, high);
}

void check(const Joint& joint, const State& start) {
  if (joint.type != JointType::revolute && joint.type != JointType::prismatic && joint.type != JointType::universal) {
    throw std::invalid_argument("the ODE peer knows revolute, prismatic and universal joints only");
  }
  if (joint.type == JointType::universal && std::abs(joint.axis.dot(joint.axis2)) > 1e-12) {
    throw std::invalid_argument("the ODE peer knows universal joints with a right angle only");
  }
  for (int i = 0; i < joint.v_size; ++i) {
    const JointCoordinate& own = joint.coordinates[i];
    if (start.q[joint.q_offset + i] != 0) throw std::invalid_argument("the ODE peer knows joints that start at zero");
    if (own.friction != 0) throw std::invalid_argument("the ODE peer knows joints without dry friction only");
    for (const double limit : own.limits) {  // ODE lets go of stops beyond half a turn
      if (joint.type != JointType::prismatic && std::isfinite(limit) && std::abs(limit) >= std::numbers::pi) {
        throw std::invalid_argument("the ODE peer knows limits within half a turn only");
      }
    }
    if (joint.type == JointType::prismatic && has_soft_row(own)) {
      throw std::invalid_argument("the ODE peer knows prismatic joints without springs, damping and armature only");
    }
  }
}

// Of a body of a joint; of the world: none.
Vector3 spin(dJointID joint, int index) {
  const dBodyID body = dJointGetBody(joint, index);
  if (body == nullptr) return Vector3::Zero();
  const dReal* w = dBodyGetAngularVel(body);
  return {w[0], w[1], w[2]};
}

}  // namespace

void OdeJoints::add(const PeerScene& scene, const Joint& joint, const std::vector<dBodyID>& bodies, dWorldID world) {
  if (joint.type == JointType::free) return;
  check(joint, scene.state);
  const Pose parent = joint.parent == world_index ? Pose{} : scene.bodies[joint.parent].X_WB;
  const Vector3 at = parent * joint.X_PJ.p;
  const Vector3 axis = parent.R * joint.X_PJ.R * joint.axis, axis2 = parent.R * joint.X_PJ.R * joint.axis2;
  const dBodyID child = bodies[joint.child], carrier = joint.parent == world_index ? nullptr : bodies[joint.parent];
  dJointID id = nullptr;
  if (joint.type == JointType::revolute) {
    id = dJointCreateHinge(world, nullptr);
    dJointAttach(id, child, carrier);
    dJointSetHingeAnchor(id, at.x(), at.y(), at.z());
    dJointSetHingeAxis(id, axis.x(), axis.y(), axis.z());
    set_stops(id, dJointSetHingeParam, dParamGroup1, joint.coordinates[0]);
    add_motors(joint, id, {axis}, world);
  } else if (joint.type == JointType::prismatic) {
    id = dJointCreateSlider(world, nullptr);
    dJointAttach(id, child, carrier);
    dJointSetSliderAxis(id, axis.x(), axis.y(), axis.z());
    set_stops(id, dJointSetSliderParam, dParamGroup1, joint.coordinates[0]);
  } else {
    // ODE's first axis is fixed in the first body, which is the child, so that angles have the sign of ours.
    id = dJointCreateUniversal(world, nullptr);
    dJointAttach(id, child, carrier);
    dJointSetUniversalAnchor(id, at.x(), at.y(), at.z());
    dJointSetUniversalAxis1(id, axis2.x(), axis2.y(), axis2.z());
    dJointSetUniversalAxis2(id, axis.x(), axis.y(), axis.z());
    set_stops(id, dJointSetUniversalParam, dParamGroup1, joint.coordinates[1]);
    set_stops(id, dJointSetUniversalParam, dParamGroup2, joint.coordinates[0]);
    add_motors(joint, id, {axis, axis2}, world);
  }
}

// A motor turns about an axis that one of the bodies carries: the first one is the parent's, the second the child's.
void OdeJoints::add_motors(const Joint& joint, dJointID id, const std::vector<Vector3>& axes_W, dWorldID world) {
  const auto soft = [&](const JointCoordinate& own) { return has_soft_row(own); };
  if (std::none_of(joint.coordinates.begin(), joint.coordinates.end(), soft)) return;
  constexpr int carried_by_first = 1, carried_by_second = 2;
  const bool hinge = joint.type == JointType::revolute;
  const dJointID motor = dJointCreateAMotor(world, nullptr);
  dJointAttach(motor, dJointGetBody(id, 0), dJointGetBody(id, 1));
  dJointSetAMotorMode(motor, dAMotorUser);
  dJointSetAMotorNumAxes(motor, static_cast<int>(axes_W.size()));
  for (int i = 0; i < static_cast<int>(axes_W.size()); ++i) {
    const bool of_child = hinge || i == 1;
    const Vector3& axis = axes_W[i];
    dJointSetAMotorAxis(motor, i, of_child ? carried_by_first : carried_by_second, axis.x(), axis.y(), axis.z());
    if (!soft(joint.coordinates[i])) continue;
    dJointSetAMotorParam(motor, dParamFMax + dParamGroup * i, dInfinity);
    Motor own{.motor = motor, .axis = i, .joint = id, .own = joint.coordinates[i]};
    own.angle = hinge ? dJointGetHingeAngle : of_child ? dJointGetUniversalAngle1 : dJointGetUniversalAngle2;
    own.axis_W = axis;
    motors_.push_back(own);
  }
}

// The velocity of a coordinate is taken about the axis of the last step, for which its bodies' velocities were solved:
// about that of now it is off by a share of the step that adds up.
void OdeJoints::drive(double h) {
  for (Motor& motor : motors_) {
    const double rate = motor.axis_W.dot(spin(motor.motor, 0) - spin(motor.motor, 1));
    const SoftRow row = soft_row(motor.own, motor.angle(motor.joint), rate, h);
    dJointSetAMotorParam(motor.motor, dParamVel + dParamGroup * motor.axis, row.target);
    dJointSetAMotorParam(motor.motor, dParamCFM + dParamGroup * motor.axis, 1 / row.resistance);
    dVector3 axis;
    dJointGetAMotorAxis(motor.motor, motor.axis, axis);
    motor.axis_W = {axis[0], axis[1], axis[2]};
  }
}

}  // namespace stiction::bench
