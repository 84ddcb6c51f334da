// A mechanism, its state and a method, advanced step by step.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/base/stage_times.h"
#include "stiction/simulation/settings.h"
#include "stiction/stepping/stepper.h"

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

/// Where a simulation is: everything that the steps to come depend on.
struct SimulationState {
  State state;
  contact::ContactMemory memory;
  long step_index = 0;  ///< steps taken since time zero of the scene
};

/// Advances a model in time. Not copyable; movable.
class Simulation {
 public:
  /// Checks the settings against the model; takes maximal coordinates where the settings ask for them.
  static Result<Simulation> create(BuiltModel built, const SimulationSettings& settings);

  /// One step of settings().step. When it fails the state is untouched and the outcome says why.
  StepOutcome step();

  const Model& model() const { return *model_; }
  const State& state() const { return now_.state; }
  const SimulationSettings& settings() const { return settings_; }
  /// How steps are taken.
  const Stepper& stepper() const { return *stepper_; }
  /// Steps taken since time zero of the scene.
  long step_index() const { return now_.step_index; }
  /// What the last step did: contacts, problem, answer, certificate.
  const StepRecord& last_step() const { return *record_; }
  /// Events of the last step; null unless the method is event-driven and has taken one.
  const StepEvents* step_events() const { return stepped_ ? stepper_->events() : nullptr; }
  /// Generalised force to add in the coming steps (v_size numbers, zero at first): the place for controllers.
  std::vector<double>& controller_force() { return controller_force_; }
  /// Steps from now on add their times here; null: nobody asks.
  void measure_times(StageTimes* times) { times_ = times; }
  const StageTimes* times() const { return times_; }

  /// Where it is now, to go on from there later: bit for bit as if nothing had been in between.
  const SimulationState& save() const { return now_; }
  /// Goes on from a place that save() gave, or a checkpoint.
  void restore(const SimulationState& saved);
  /// Goes on from another state of the same model, with contacts that remember nothing.
  void restore(const State& state, long step_index) {
    restore({.state = state, .memory = {}, .step_index = step_index});
  }
  /// Back to the start of the scene, as a new Simulation would be.
  void reset() { restore(initial_, 0); }

  /// Poses and velocities of all bodies at the current state. Velocities of bodies with prescribed motion are those
  /// that led here, as those of all other bodies are: over the step that ended, or at the start over the first one.
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
  State initial_;
  SimulationState now_;
  double start_time_ = 0;
  long start_index_ = 0;
  bool stepped_ = false;  // the record describes the step that led here
  std::unique_ptr<Stepper> stepper_;
  std::unique_ptr<StepRecord> record_;
  std::vector<double> controller_force_;
  StageTimes* times_ = nullptr;
  Kinematics observed_;  // kinematics at the current state, when observed_index_ is its index
  long observed_index_ = -1;
  contact::DetectionWorkspace observer_;
  std::vector<contact::Contact> observed_contacts_;
};

}  // namespace stiction
