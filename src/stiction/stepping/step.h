// One time step, from state to state: the arrows of the architecture page, top to bottom.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/certify/step_certificate.h"
#include "stiction/contact/anchors.h"
#include "stiction/contact/assemble.h"
#include "stiction/contact/island_delassus.h"
#include "stiction/contact/islands.h"
#include "stiction/contact/layer_memory.h"
#include "stiction/dynamics/free_motion.h"
#include "stiction/methods/method.h"
#include "stiction/stepping/controllers.h"

namespace stiction {

struct EventMemory;

/// Scratch of resolve_impact.
struct ImpactWorkspace {
  VectorX impulse;  ///< of all phases together, one a row
  VectorX given, change;
  std::vector<double> factor, restitution;
  /// How often a pair of shapes has hit in this step.
  struct Bounces {
    std::uint64_t pair;
    int count;
  };
  std::vector<Bounces> bounces;
};

/// Scratch of project_constraints.
struct ProjectionWorkspace {
  StepProblem problem;
  contact::AssemblyWorkspace assembly;
  contact::Islands islands;
  contact::IslandDelassus delassus;
  std::vector<int> blocks, pivots;
  std::vector<double> value, scale, multiplier;
  VectorX change, q;
};

/// Scratch of the Runge-Kutta integrator.
struct RungeKuttaWorkspace {
  State stage;
  VectorX rate, moved, acceleration, mean_rate, mean_acceleration;  ///< v_size
};

/// Everything a step reuses, sized by make_step_workspace. After a step it describes that step: kinematics at its
/// start, its contacts (of its end, where the method wants them there), problem, answer and certificate.
struct StepWorkspace {
  Kinematics kinematics;
  Kinematics end_kinematics;  ///< of a step whose contacts are those of its end
  FreeMotion free_motion;
  contact::DetectionWorkspace detection;
  contact::AssemblyWorkspace assembly;
  std::vector<contact::Contact> contacts, extra_contacts;
  contact::Anchors anchors;
  contact::LayerMemory layers;
  StepProblem problem;
  contact::Islands islands;
  std::vector<methods::IslandReport> reports;  ///< one an island
  StepAnswer answer;
  certify::CertifyWorkspace certify;
  certify::StepCertificate certificate;
  VectorX q_next, v_position;  ///< configuration at the end of the step and the velocity that led there
  VectorX v_next;              ///< velocity at the end of the step: the answer's, unless loads follow the contacts
  State after_contacts;        ///< of a step whose contacts are handled first
  RungeKuttaWorkspace runge_kutta;
  bool inelastic = false;     ///< this part of the step takes contacts without restitution
  State trial;                ///< of a step that is made of parts
  std::vector<State> halves;  ///< of a step that is halved, one a halving
  bool cut_inelastic = true;  ///< pairs without restitution cut the step, too
  double whole_step = 0;      ///< s: of which those parts are
  ImpactWorkspace impact;
  ProjectionWorkspace projection;
  std::vector<double> controller_force;  ///< v_size: generalised force that the caller adds this step; zero by default
  std::vector<double> applied_force;     ///< v_size: that, and what the model's controllers add
  ControllerWorkspace controllers;
  std::shared_ptr<EventMemory> events = {};  ///< of event-driven motion (event_loop.h); null: none yet
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
  int warm_started = 0;        ///< islands solved by their last basis
  bool overlapping = false;    ///< not solved, because the method wants bodies that do not overlap at the start
  int fallbacks = 0;           ///< islands that needed a fallback (reports[i].fallback names it)
  int passes = 0;              ///< times contacts were detected: more than one when an impact sped a body up
  int parts = 1;               ///< the step was cut into, where bodies hit each other
  int open_joint = -1;         ///< in Model::loop_joints: the worst of those that projection could not close; -1: none
  double joint_violation = 0;  ///< m or rad: how far it stays open
};

/// Advances `state` by h; `index` is the number of the step, from zero.
StepOutcome advance(const Model& model, methods::Method& method, double h, int threads, State& state,
                    StepWorkspace& workspace, long index = 0);

}  // namespace stiction
