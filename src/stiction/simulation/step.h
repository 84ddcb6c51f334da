// One time step, from state to state: the arrows of the architecture page, top to bottom.
#pragma once

#include <string>
#include <vector>

#include "stiction/certify/step_certificate.h"
#include "stiction/contact/anchors.h"
#include "stiction/contact/assemble.h"
#include "stiction/contact/islands.h"
#include "stiction/dynamics/free_motion.h"
#include "stiction/methods/method.h"

namespace stiction {

/// Everything a step reuses, sized by make_step_workspace. After a step it describes that step: kinematics at its
/// start, its contacts, problem, answer and certificate.
struct StepWorkspace {
  Kinematics kinematics;
  FreeMotion free_motion;
  contact::DetectionWorkspace detection;
  contact::AssemblyWorkspace assembly;
  std::vector<contact::Contact> contacts;
  contact::Anchors anchors;
  StepProblem problem;
  contact::Islands islands;
  std::vector<methods::IslandReport> reports;  ///< one an island
  StepAnswer answer;
  certify::CertifyWorkspace certify;
  certify::StepCertificate certificate;
  VectorX q_next, v_position;            ///< configuration at the end of the step and the velocity that led there
  std::vector<double> controller_force;  ///< v_size: generalised force that the caller adds this step; zero by default
};

/// Memory for a model.
StepWorkspace make_step_workspace(const Model& model);

/// How a step ended. When `ok` is false the state is as it was and `failure` says what, which bodies and which
/// contacts.
struct StepOutcome {
  bool ok = false;
  std::string failure;
  int iterations = 0;  ///< pivots of all islands
  int islands = 0;
  int warm_started = 0;  ///< islands solved by their last basis
  int fallbacks = 0;     ///< islands that needed a fallback (reports[i].fallback names it)
  int passes = 0;        ///< times contacts were detected: more than one when an impact sped a body up
};

/// Advances `state` by h.
StepOutcome advance(const Model& model, methods::Method& method, double h, int threads, State& state,
                    StepWorkspace& workspace);

}  // namespace stiction
