#include "stiction/stepping/integrate.h"

#include <algorithm>

#include "stiction/math/rotation.h"

namespace stiction {

namespace {

// First velocity of a joint's turning part, or -1: those are vectors that do not add up.
int turning_part(const Joint& joint) {
  const bool turns = joint.type == JointType::free || joint.type == JointType::spherical;
  return turns ? joint.v_offset + joint.v_size - 3 : -1;
}

// Rate of a rotation vector theta, in R = exp(theta) R_0, when R turns with w: the inverse of the exponential map's
// derivative to the order that a method of fourth order needs.
Vector3 rotation_rate(const Vector3& theta, const Vector3& w) {
  return w - 0.5 * theta.cross(w) + theta.cross(theta.cross(w)) / 12;
}

// The state reached from (start, v_plus) when positions move by `rate` for the time `part`.
void place_stage(const Model& model, const State& start, const VectorX& rate, double part, State& stage) {
  stage.q = start.q;
  integrate_positions(model, rate, part, stage.q);
  stage.time = start.time + part;
}

// Rates of the stage's coordinates on the chart at the start: its velocities, turning parts corrected.
void chart_rates(const Model& model, const VectorX& moved, double part, const VectorX& v, VectorX& rate) {
  rate = v;
  for (const Joint& joint : model.tree_joints) {
    const int i = turning_part(joint);
    if (i >= 0) rate.segment<3>(i) = rotation_rate(part * moved.segment<3>(i), v.segment<3>(i));
  }
}

// Runge, Kutta and Munthe-Kaas: the classical four stages on the chart of the start.
void runge_kutta(const Model& model, const State& start, const VectorX& v_plus, double h, StepWorkspace& w) {
  constexpr std::array<double, 4> part = {0, 0.5, 0.5, 1}, weight = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  RungeKuttaWorkspace& rk = w.runge_kutta;
  rk.mean_rate.setZero(model.v_size);
  rk.mean_acceleration.setZero(model.v_size);
  rk.rate.setZero(model.v_size);
  rk.acceleration.setZero(model.v_size);
  rk.stage.v = v_plus;
  for (int s = 0; s < 4; ++s) {
    rk.moved = rk.rate;
    place_stage(model, start, rk.moved, part[s] * h, rk.stage);
    rk.stage.v = v_plus + part[s] * h * rk.acceleration;
    update_kinematics(model, rk.stage, 0, w.end_kinematics);
    gather_applied_forces(model, rk.stage, w.end_kinematics, w);
    compute_acceleration(model, rk.stage, w.applied_force, w.end_kinematics, w.free_motion, rk.acceleration);
    chart_rates(model, rk.moved, part[s] * h, rk.stage.v, rk.rate);
    rk.mean_rate += weight[s] * rk.rate;
    rk.mean_acceleration += weight[s] * rk.acceleration;
  }
  w.v_next = v_plus + h * rk.mean_acceleration;
  w.v_position = rk.mean_rate;
}

}  // namespace

void gather_applied_forces(const Model& model, const State& state, const Kinematics& kinematics, StepWorkspace& w) {
  w.applied_force = w.controller_force;
  add_controller_forces(model, state, kinematics, w.controllers, w.applied_force);
}

std::optional<int> integrate_loads(const Model& model, methods::Integrator integrator, Representation representation,
                                   const State& state, const VectorX& v_plus, double h, StepWorkspace& w) {
  using methods::Integrator;
  update_velocities(model, v_plus, w.kinematics);
  if (integrator == Integrator::runge_kutta) {
    runge_kutta(model, state, v_plus, h, w);
  } else {
    w.after_contacts = state;
    w.after_contacts.v = v_plus;
    gather_applied_forces(model, w.after_contacts, w.kinematics, w);
    compute_free_motion(model, w.after_contacts, h, w.applied_force, w.kinematics, w.free_motion);
    w.v_next = w.free_motion.v_free;
    w.v_position = integrator == Integrator::explicit_euler ? v_plus : w.v_next;
  }
  w.q_next = state.q;
  return integrate_positions(model, w.v_position, h, representation, w.q_next);
}

}  // namespace stiction
