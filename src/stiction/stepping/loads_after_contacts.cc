#include "stiction/stepping/loads_after_contacts.h"

#include <algorithm>
#include <array>

#include "stiction/base/stage_times.h"
#include "stiction/model/joint_traits.h"

namespace stiction {

namespace {

// First velocity of a joint's turning part, or -1: those are vectors that do not add up.
int turning_part(const Joint& joint) {
  const JointTraits& traits = joint_traits(joint.type);
  return traits.quaternion ? joint.v_offset + traits.vector_size : -1;
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

}  // namespace

LoadsAfterContacts::LoadsAfterContacts(const Model& model, std::unique_ptr<IslandSolver> solver,
                                       const PlainStepOptions& options, Integrator integrator)
    : PlainStep(model, std::move(solver), options), integrator_(integrator), kinematics_(make_kinematics(model)) {}

void LoadsAfterContacts::move_freely(const StepInput& input, const State& state) {
  const StageTimer timer(input.times, Stage::free_motion);
  update_kinematics(model(), state, input.h, scratch().kinematics);
  FreeMotion& motion = scratch().free_motion;
  motion.v_free = state.v;
  motion.external_impulse.setZero();
  std::fill(motion.implicit_diagonal.begin(), motion.implicit_diagonal.end(), 0.0);
}

std::optional<int> LoadsAfterContacts::follow_answer(const StepInput& input, const State& state, StepRecord& record) {
  const StageTimer timer(input.times, Stage::integrate);
  StepScratch& s = scratch();
  update_velocities(model(), record.answer.v_end, s.kinematics);
  if (integrator_ == Integrator::runge_kutta) {
    follow_runge_kutta(input, state, record);
  } else {
    follow_euler(input, state, record);
  }
  s.q_next = state.q;
  return integrate_positions(model(), record.v_position, input.h, options().representation, s.q_next);
}

void LoadsAfterContacts::follow_euler(const StepInput& input, const State& state, StepRecord& record) {
  StepScratch& s = scratch();
  stage_ = state;
  stage_.v = record.answer.v_end;
  s.forces.gather(model(), stage_, s.kinematics, input.force);
  compute_free_motion(model(), stage_, input.h, s.forces.total, s.kinematics, s.free_motion);
  s.v_next = s.free_motion.v_free;
  record.v_position = integrator_ == Integrator::explicit_euler ? record.answer.v_end : s.v_next;
}

// Runge, Kutta and Munthe-Kaas: the classical four stages on the chart of the start.
void LoadsAfterContacts::follow_runge_kutta(const StepInput& input, const State& start, StepRecord& record) {
  constexpr std::array<double, 4> part = {0, 0.5, 0.5, 1}, weight = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  StepScratch& s = scratch();
  const double h = input.h;
  const VectorX& v_plus = record.answer.v_end;
  mean_rate_.setZero(model().v_size);
  mean_acceleration_.setZero(model().v_size);
  rate_.setZero(model().v_size);
  acceleration_.setZero(model().v_size);
  stage_.v = v_plus;
  for (int i = 0; i < 4; ++i) {
    moved_ = rate_;
    place_stage(model(), start, moved_, part[i] * h, stage_);
    stage_.v = v_plus + part[i] * h * acceleration_;
    update_kinematics(model(), stage_, 0, kinematics_);
    s.forces.gather(model(), stage_, kinematics_, input.force);
    compute_acceleration(model(), stage_, s.forces.total, kinematics_, s.free_motion, acceleration_);
    chart_rates(model(), moved_, part[i] * h, stage_.v, rate_);
    mean_rate_ += weight[i] * rate_;
    mean_acceleration_ += weight[i] * acceleration_;
  }
  s.v_next = v_plus + h * mean_acceleration_;
  record.v_position = mean_rate_;
}

}  // namespace stiction
