// A mechanism, its state and a method, advanced step by step; and the run that a command line or a test makes of it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/events/events.h"
#include "stiction/simulation/settings.h"
#include "stiction/stepping/existence_summary.h"
#include "stiction/stepping/step.h"

namespace stiction {

/// What a contact did in a step.
enum class ContactState { open, stick, slip };

/// "open", "stick" or "slip".
std::string_view contact_state_name(ContactState state);

/// One contact as users see it, world axes; the force acts on body_B, the opposite on body_A.
struct ContactReport {
  int body_A = -1, body_B = -1;
  std::uint64_t key = 0;
  Vector3 point = Vector3::Zero();
  Vector3 normal = Vector3::UnitZ();  ///< from A to B
  double gap = 0;                     ///< m, at the end of the step
  Vector3 force = Vector3::Zero();    ///< N: impulse over step
  double moment = 0;                  ///< N m about the normal
  Vector3 slip = Vector3::Zero();     ///< m/s: tangential velocity of B over A at the end of the step
  ContactState state = ContactState::open;
};

/// Energies of the whole system [J].
struct Energies {
  double kinetic = 0;
  double potential = 0;
};

/// Advances a model in time. Not copyable; movable.
class Simulation {
 public:
  /// Checks the settings against the model; takes maximal coordinates where the settings ask for them.
  static Result<Simulation> create(BuiltModel built, const SimulationSettings& settings);

  /// One step of settings().step. When it fails the state is untouched and the outcome says why.
  StepOutcome step();

  const Model& model() const { return *model_; }
  const State& state() const { return state_; }
  const SimulationSettings& settings() const { return settings_; }
  /// What the method does around its rows.
  methods::StepScheme scheme() const { return method_->scheme(); }
  /// Steps taken since time zero of the scene.
  long step_index() const { return step_index_; }
  /// What the last step did: contacts, problem, answer, certificate.
  const StepWorkspace& last_step() const { return *workspace_; }
  /// Events of the last step; null unless the method is event-driven and has taken one.
  const StepEvents* step_events() const;
  /// Generalised force to add in the coming steps (v_size numbers, zero at first): the place for controllers.
  std::vector<double>& controller_force() { return workspace_->controller_force; }

  /// Goes on from another state of the same model (a checkpoint).
  void restore(const State& state, long step_index);

  /// Poses and velocities of all bodies at the current state.
  const Kinematics& kinematics();
  Energies energies();

  /// Contacts of the last step with the gaps its law imposes (linear in the velocities): allocates nothing within
  /// capacity.
  void contact_reports(std::vector<ContactReport>& reports) const;
  /// The same with gaps measured anew at the current state.
  std::vector<ContactReport> measured_contacts();

  /// Deepest overlap at the current state [m].
  double measure_penetration();

 private:
  Simulation() = default;
  void observe();

  std::unique_ptr<const Model> model_;
  SimulationSettings settings_;
  State state_;
  double start_time_ = 0;
  long start_index_ = 0;
  long step_index_ = 0;
  bool stepped_ = false;  // the workspace describes the step that led to state_
  std::unique_ptr<methods::Method> method_;
  std::unique_ptr<StepWorkspace> workspace_;
  Kinematics observed_;  // kinematics at state_, when observed_index_ == step_index_
  long observed_index_ = -1;
  contact::DetectionWorkspace observer_;
  std::vector<contact::Contact> observed_contacts_;
};

/// The worst of a run, and how it went.
struct RunSummary {
  long steps = 0;
  double time = 0;  ///< s, at the end
  double wall_seconds = 0;
  double mean_contacts = 0;
  int max_contacts = 0;
  certify::StepCertificate certificate;  ///< worst over all steps; penetration includes the final state
  long steps_over_tolerance = 0;
  std::string_view impact_model = "none";  ///< how impacts were resolved apart from the steps' rows
  std::map<std::string, long> fallbacks;
  ExistenceSummary existence;
  EventSummary events;                        ///< of method event-driven
  std::map<std::string, double> open_joints;  ///< closing joints that projection left open: m or rad at most
  long iterations = 0;
  bool ok = true;
  std::string failure;  ///< of the step that could not be solved
};

/// Number of steps of length `step` that cover `duration` (a ratio within 1e-9 of a whole number counts as that
/// number).
long steps_for(double duration, double step);

/// Steps until settings().duration, or until a step fails; calls `after_step` (may be empty) after each taken step.
RunSummary run(Simulation& simulation, const std::function<void(const StepOutcome&)>& after_step = {});

}  // namespace stiction
