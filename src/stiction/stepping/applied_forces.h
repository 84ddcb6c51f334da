// Generalised forces that callers and the model's controllers add at an instant.
#pragma once

#include <span>
#include <vector>

#include "stiction/stepping/controllers.h"

namespace stiction {

/// Caller-owned scratch and result.
struct AppliedForces {
  std::vector<double> total;  ///< v_size
  ControllerWorkspace controllers;

  /// Memory for a model.
  explicit AppliedForces(const Model& model)
      : total(static_cast<size_t>(model.v_size), 0.0), controllers(make_controller_workspace(model)) {}

  /// Sets `total` to `force` (v_size numbers, or none) and what controllers add at (state, kinematics).
  void gather(const Model& model, const State& state, const Kinematics& kinematics, std::span<const double> force) {
    std::fill(total.begin(), total.end(), 0.0);
    std::copy(force.begin(), force.end(), total.begin());
    add_controller_forces(model, state, kinematics, controllers, total);
  }
};

}  // namespace stiction
