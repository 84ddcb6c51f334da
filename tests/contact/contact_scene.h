// A model with everything that detection and assembly need at its start state.
#pragma once

#include <stdexcept>
#include <string>

#include "stiction/contact/assemble.h"
#include "stiction/contact/islands.h"
#include "stiction/dynamics/crba.h"
#include "stiction/math/rotation.h"
#include "stiction/problem/row_velocity.h"

namespace stiction::testing {

inline BodyDescription body_of(const std::string& name, double mass, geometry::Shape shape, const Vector3& position) {
  BodyDescription body;
  body.name = name;
  if (mass > 0) {
    body.mass = mass;
  } else {
    body.fixed = true;
  }
  body.position = position;
  ShapeDescription description;
  description.shape = std::move(shape);
  body.shapes.push_back(description);
  return body;
}

inline BodyDescription cube(const std::string& name, double mass, const Vector3& position) {
  return body_of(name, mass, geometry::Box{Vector3::Constant(0.5)}, position);
}

inline BodyDescription ground() {
  return body_of("ground", 0, geometry::Plane{}, Vector3::Zero());
}

/// One step up to the assembled problem, with v_free = v unless the caller changes it.
struct ContactScene {
  BuiltModel built;
  double h;
  Kinematics kinematics;
  FreeMotion free_motion;
  contact::DetectionWorkspace detection;
  contact::AssemblyWorkspace assembly;
  std::vector<contact::Contact> contacts;
  StepProblem problem;

  explicit ContactScene(const ModelDescription& description, double step = 1e-2) : h(step) {
    Result<BuiltModel> result = build_model(description);
    if (!result) throw std::runtime_error(result.error().message());
    built = std::move(*result);
    kinematics = make_kinematics(built.model);
    free_motion = make_free_motion(built.model);
    detection = contact::make_detection(built.model);
    assembly = contact::make_assembly(built.model);
    problem.mass.resize(built.model.mass_size);
  }

  /// Detects at the current state, with the reach of the current velocities.
  void detect() {
    update_kinematics(built.model, built.state, h, kinematics);
    contact::set_reach(built.model, kinematics, h, detection);
    contact::detect_contacts(built.model, kinematics, detection, contacts);
  }

  void assemble(const contact::AssemblyOptions& options = {}) {
    compute_free_motion(built.model, built.state, h, {}, kinematics, free_motion);
    crba(built.model, kinematics, free_motion.implicit_diagonal, free_motion.recursion, problem.mass);
    contact::assemble_problem(built.model, built.state, kinematics, free_motion, contacts, h, options, assembly,
                              problem);
  }

  const std::string& name(int body) const { return built.model.bodies[body].name; }

  /// J v of one row of a block.
  double row_velocity(int block, int row, const VectorX& v) const {
    return stiction::row_velocity(problem, block, row, v);
  }
};

}  // namespace stiction::testing
