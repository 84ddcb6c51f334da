// What advances a state by a step, and what it tells of it. Plain steps, cut ones, halved ones, event-driven ones: each
// is a Stepper, built from the plain one or from another; a method puts them together once, when it is made.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/certify/step_certificate.h"
#include "stiction/stepping/island_solver.h"

namespace stiction {

struct StepEvents;

/// Of which instant the contacts of a record are.
enum class ContactsOf {
  start,    ///< of the start of the step: gaps move with the velocities of the answer
  end,      ///< of its end: gaps are what they are
  instant,  ///< of its end, with accelerations in place of velocities and a step of one second (events/event_report.h)
};

/// What a step did: its contacts, the problem made of them, the answer and the certificate.
struct StepRecord {
  ContactsOf contacts_of = ContactsOf::start;
  std::vector<contact::Contact> contacts;
  StepProblem problem;
  contact::Islands islands;
  std::vector<IslandReport> reports;  ///< one per island
  StepAnswer answer;
  certify::StepCertificate certificate;
  VectorX v_position;    ///< v_size: the velocity that moved the positions over the step
  VectorX row_velocity;  ///< of an instant only: velocities of the rows, where answer.v_end is an acceleration
};

/// How a step ended. When `ok` is false state and memory are as they were, and `failure` says what, which bodies and
/// which contacts.
struct StepOutcome {
  bool ok = false;
  std::string failure = {};
  int iterations = 0;  ///< of all islands, over all passes
  int islands = 0;
  int warm_started = 0;        ///< islands solved by their last basis
  bool overlapping = false;    ///< not solved, because the method wants bodies that do not overlap at the start
  int fallbacks = 0;           ///< islands that needed a fallback (reports[i].fallback names it)
  int passes = 0;              ///< times contacts were detected: more than one when an impact sped a body up
  int parts = 1;               ///< the step was cut into, where bodies hit each other
  int open_joint = -1;         ///< in Model::loop_joints: the worst of those that projection could not close; -1: none
  double joint_violation = 0;  ///< m or rad: how far it stays open
};

/// What a step is asked for.
struct StepInput {
  double h = 0;                        ///< s, > 0: its length
  long index = 0;                      ///< its number, from zero
  std::span<const double> force = {};  ///< v_size: generalised forces that the caller adds; empty: none
  StageTimes* times = nullptr;         ///< null: nobody asks for times
};

/// Advances a mechanism. Scratch apart it has no state of its own.
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Advances state and memory together; `record` then describes the step. A step that fails touches neither.
  virtual StepOutcome advance(const StepInput& input, State& state, contact::ContactMemory& memory,
                              StepRecord& record) = 0;

  /// How impacts are resolved apart from the steps' rows: "none", or the name of a law.
  virtual std::string_view impact_model() const { return "none"; }

  /// Name of the rule that moves velocities and positions between contacts.
  virtual std::string_view integrator() const { return "semi-implicit-euler"; }

  /// True where a step may be handed to another stepper that closes gaps by its own law (a last resort).
  virtual bool hands_on() const { return false; }

  /// True where contacts are those of the end of the step: its certificate has looked there.
  virtual bool judges_the_end() const { return false; }

  /// Events of the last step; null: the motion does not go from event to event.
  virtual const StepEvents* events() const { return nullptr; }
};

}  // namespace stiction
