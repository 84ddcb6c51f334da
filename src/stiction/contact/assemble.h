// Contacts, joints, limits and dry friction -> StepProblem: the Jacobians and right-hand sides of trinkle2003
// (25)-(38).
#pragma once

#include <span>

#include "stiction/contact/contact_set.h"
#include "stiction/dynamics/free_motion.h"
#include "stiction/dynamics/joint_rows.h"
#include "stiction/problem/step_problem.h"

namespace stiction::contact {

/// What a method may choose about the rows.
struct AssemblyOptions {
  double max_recovery_speed = infinity;  ///< m/s: overlaps are driven apart no faster than this
  bool newton_restitution = true;        ///< impacting contacts leave with restitution * approach speed
  bool velocity_level = false;           ///< NormalLaw::rate: no gap and no violation in any bias
  bool layers = false;                   ///< contacts have the compliant layers of their materials
  bool deflection_slips = false;         ///< StepProblem::deflection_slips
};

/// Names a row of StepProblem::scalars: which joint, which coordinate, and which side of a limit.
struct ScalarSource {
  int joint = -1;
  bool loop_joint = false;
  int coordinate = 0;
  bool upper = false;  ///< of a limit
};

/// What assembly remembers besides the problem itself.
struct AssemblyWorkspace {
  /// Two flags (lower, upper) per coordinate of tree, then loop joints: keep this limit in.
  std::vector<std::uint8_t> forced_limit;
  std::vector<ScalarSource> scalar_source;  ///< one per scalar row
  std::vector<int> bilateral_joint;         ///< one for each of StepProblem::bilaterals: index of its loop joint
  Workers* workers = nullptr;               ///< share the rows of contacts; null: the caller alone
};

/// Memory for a model.
AssemblyWorkspace make_assembly(const Model& model);

/// Fills `problem`. Contacts keep their order: problem.contacts[i] belongs to contacts[i].
void assemble_problem(const Model& model, const State& state, const Kinematics& kinematics,
                      const FreeMotion& free_motion, std::span<const Contact> contacts, double h,
                      const AssemblyOptions& options, AssemblyWorkspace& workspace, StepProblem& problem);

/// Rewrites the rows of contact `index` (and its rolling rows) and its gap for the contact's place at other kinematics.
void restate_contact(const Model& model, const Kinematics& kinematics, const Contact& contact, int index,
                     StepProblem& problem);

/// Forces in the limits that v_end would overrun though they were left out; true if there are any.
bool force_missed_limits(const Model& model, const State& state, const Kinematics& kinematics, const VectorX& v_end,
                         double h, AssemblyWorkspace& workspace);

}  // namespace stiction::contact
