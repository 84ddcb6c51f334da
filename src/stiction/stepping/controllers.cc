#include "stiction/stepping/controllers.h"

#include <algorithm>
#include <cmath>

namespace stiction {

ControllerWorkspace make_controller_workspace(const Model& model) {
  return {VectorX::Zero(model.v_size), VectorX::Zero(model.v_size), make_recursion(model)};
}

Wanted wanted_motion(const Controller& controller, double time) {
  if (controller.acceleration) return {0, 0, *controller.acceleration};
  Wanted wanted{controller.offset + controller.velocity * time, controller.velocity, 0};
  for (const TrajectoryTerm& term : controller.terms) {
    const double angle = term.frequency * time + term.phase;
    wanted.position += term.amplitude * std::sin(angle);
    wanted.velocity += term.amplitude * term.frequency * std::cos(angle);
    wanted.acceleration -= term.amplitude * term.frequency * term.frequency * std::sin(angle);
  }
  return wanted;
}

void add_controller_forces(const Model& model, const State& state, const Kinematics& kinematics, ControllerWorkspace& w,
                           std::span<double> force) {
  if (model.controllers.empty()) return;
  w.wanted.setZero();
  for (const Controller& controller : model.controllers) {
    const Joint& joint = model.tree_joints[controller.joint];
    w.wanted[joint.v_offset + controller.coordinate] = wanted_motion(controller, state.time).acceleration;
  }
  rnea(model, kinematics, w.wanted, {}, w.recursion, w.tau);
  for (const Controller& controller : model.controllers) {
    const Joint& joint = model.tree_joints[controller.joint];
    const int i = joint.v_offset + controller.coordinate;
    const Wanted wanted = wanted_motion(controller, state.time);
    double tau = w.tau[i];
    if (!controller.acceleration) {
      tau += controller.stiffness * (wanted.position - state.q[joint.q_offset + controller.coordinate]);
      tau += controller.damping * (wanted.velocity - state.v[i]);
    }
    force[i] += std::clamp(tau, -controller.max_force, controller.max_force);
  }
}

}  // namespace stiction
