#include "stiction/simulation/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "stiction/dynamics/energy.h"
#include "stiction/events/event_loop.h"
#include "stiction/methods/registry.h"
#include "stiction/solvers/registry.h"

namespace stiction {

namespace {

// Slip below this fraction of the velocities that the step had to stop counts as stick: two decimal digits above the
// rounding of a solved step, far below any motion of interest.
constexpr double stick_fraction = 1e-9;

Result<void> check_settings(const SimulationSettings& settings) {
  const auto bad = [](const char* what, double value, const char* remedy) {
    return failure({.what = what, .remedy = remedy, .name = fmt::format("{}", value)});
  };
  if (!(settings.step > 0) || !std::isfinite(settings.step)) {
    return bad("step must be a positive number of seconds", settings.step, "Give a step such as 1e-3.");
  }
  if (!(settings.duration >= 0) || !std::isfinite(settings.duration)) {
    return bad("duration must be zero or a positive number of seconds", settings.duration,
               "Give a duration such as 2.0.");
  }
  if (settings.threads < 1) return bad("threads must be at least 1", settings.threads, "Give --threads 1 or more.");
  if (!(settings.certificate_tolerance > 0)) {
    return bad("certificate tolerance must be positive", settings.certificate_tolerance,
               "Give a tolerance such as 1e-8.");
  }
  const methods::MethodInfo* method = methods::find_method(settings.method);
  if (method == nullptr) {
    return failure({.what = "unknown method",
                    .remedy = "Run 'stiction list methods' for the methods there are.",
                    .name = settings.method});
  }
  if (solvers::find_solver(settings.solver) == nullptr) {
    return failure({.what = "unknown solver",
                    .remedy = "Run 'stiction list solvers' for the solvers there are.",
                    .name = settings.solver});
  }
  if (!methods::method_takes_solver(settings.method, settings.solver)) {
    return failure({.what = fmt::format("method {} has no use for this solver", settings.method),
                    .remedy = "Take solver auto, or method exact-cone.",
                    .name = settings.solver});
  }
  return {};
}

// A material, or else a pair, with a friction set that is no ellipse; null: there is none.
const Material* find_general_set(const Model& model) {
  const auto states = [](const Material& m) { return !m.friction_polygon.empty() || m.friction_exponent != 2; };
  for (const auto* materials : {&model.materials, &model.pair_table}) {
    const auto found = std::find_if(materials->begin(), materials->end(), states);
    if (found != materials->end()) return &*found;
  }
  return nullptr;
}

// event-driven looks for directions of slip on ellipses.
Result<void> check_ellipses(const Model& model) {
  const Material* general = find_general_set(model);
  if (general == nullptr) return {};
  return failure({.what = "a friction set that is no ellipse has no place in method event-driven",
                  .remedy = "Leave out friction_polygon and friction_exponent, or take method anitescu-potra.",
                  .name = general->name,
                  .line = general->line});
}

// What the method cannot bring together.
Result<void> check_model(const Model& model, const SimulationSettings& settings) {
  if (settings.options.coordinates == methods::Coordinates::maximal && !model.controllers.empty()) {
    return failure({.what = "controllers need reduced coordinates: inverse dynamics works along the tree of joints",
                    .remedy = "Leave out coordinates = \"maximal\", or drive the joints by [[actuator]].",
                    .name = model.controllers.front().name,
                    .line = model.controllers.front().line});
  }
  if (settings.method == "event-driven") return check_ellipses(model);
  if (settings.method != "anitescu-potra") return {};
  const Material* general = find_general_set(model);
  if (general == nullptr) return {};
  const auto has_friction = [](const Joint& joint) {
    return std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                       [](const JointCoordinate& c) { return c.friction > 0; });
  };
  for (const auto* joints : {&model.tree_joints, &model.loop_joints}) {
    const auto joint = std::find_if(joints->begin(), joints->end(), has_friction);
    if (joint == joints->end()) continue;
    return failure(
        {.what = fmt::format("a friction set that is no ellipse and the dry friction of joint '{}' do not go "
                             "together in method anitescu-potra",
                             joint->name),
         .remedy = "Take friction out of the joint, or give the material an elliptic friction.",
         .name = general->name,
         .line = general->line});
  }
  for (const Material& material : model.pair_table) {
    if (!material.cone || material.rolling_friction == 0) continue;
    return failure({.what = "rolling_friction needs an elliptic friction set in method anitescu-potra",
                    .remedy = "Leave out rolling_friction, or friction_polygon and friction_exponent.",
                    .name = material.name,
                    .line = material.line});
  }
  return {};
}

ContactReport report_contact(const contact::Contact& contact, const StepProblem& problem, const ContactRows& rows,
                             const StepAnswer& answer, double scale) {
  const RowBlock& block = problem.blocks[rows.block];
  const Vector4 u = contact::contact_velocity(problem, rows, answer.v_end);
  const auto impulse = [&](int r) { return r < block.row_count ? answer.impulse[block.first_row + r] : 0.0; };
  ContactReport report;
  report.body_A = contact.body_A;
  report.body_B = contact.body_B;
  report.key = contact.key;
  report.point = contact.point;
  report.normal = contact.normal;
  const double repaired =
      answer.position.size() > 0 ? contact::contact_velocity(problem, rows, answer.position)[0] - rows.surface[0] : 0.0;
  report.gap = contact.gap + problem.step * (u[0] + repaired);
  report.force =
      (contact.normal * impulse(0) + contact.tangent * impulse(1) + contact.binormal() * impulse(2)) / problem.step;
  report.moment = impulse(3) / problem.step;
  report.slip = block.row_count > 1 ? Vector3(contact.tangent * u[1] + contact.binormal() * u[2]) : Vector3::Zero();
  const bool slips = report.slip.norm() > stick_fraction * scale;
  report.state = impulse(0) <= 0 ? ContactState::open : slips ? ContactState::slip : ContactState::stick;
  return report;
}

}  // namespace

std::string_view contact_state_name(ContactState state) {
  switch (state) {
    case ContactState::open:
      return "open";
    case ContactState::stick:
      return "stick";
    case ContactState::slip:
      return "slip";
  }
  return "";
}

Result<Simulation> Simulation::create(BuiltModel built, const SimulationSettings& settings) {
  if (auto checked = check_settings(settings); !checked) return failure(checked.error());
  if (auto checked = check_model(built.model, settings); !checked) return failure(checked.error());
  if (settings.options.coordinates == methods::Coordinates::maximal) built = to_maximal(built);
  Simulation simulation;
  simulation.model_ = std::make_unique<const Model>(std::move(built.model));
  simulation.settings_ = settings;
  simulation.state_ = std::move(built.state);
  simulation.start_time_ = simulation.state_.time;
  simulation.method_ = methods::make_method(settings.method, settings.options, settings.solver, settings.threads);
  simulation.workspace_ = std::make_unique<StepWorkspace>(make_step_workspace(*simulation.model_));
  simulation.observed_ = make_kinematics(*simulation.model_);
  simulation.observer_ = contact::make_detection(*simulation.model_);
  return simulation;
}

StepOutcome Simulation::step() {
  StepOutcome outcome = advance(*model_, *method_, settings_.step, settings_.threads, state_, *workspace_, step_index_);
  if (!outcome.ok) return outcome;
  ++step_index_;
  stepped_ = true;
  // The product, not the sum: 10^6 additions of h would be off by more than rounding.
  state_.time = start_time_ + static_cast<double>(step_index_ - start_index_) * settings_.step;
  return outcome;
}

const StepEvents* Simulation::step_events() const {
  return workspace_->events && stepped_ ? &workspace_->events->last : nullptr;
}

void Simulation::restore(const State& state, long step_index) {
  // A checkpoint of this run keeps the run's own time origin, so that times come out with the same bits.
  const double expected = start_time_ + static_cast<double>(step_index - start_index_) * settings_.step;
  if (state.time != expected) {
    start_time_ = state.time;
    start_index_ = step_index;
  }
  state_ = state;
  step_index_ = step_index;
  stepped_ = false;
  observed_index_ = -1;
  workspace_->anchors.clear();
  workspace_->layers.clear();
  workspace_->events.reset();
  method_->restart();
}

void Simulation::observe() {
  if (observed_index_ == step_index_) return;
  update_kinematics(*model_, state_, settings_.step, observed_);
  observed_index_ = step_index_;
}

const Kinematics& Simulation::kinematics() {
  observe();
  return observed_;
}

Energies Simulation::energies() {
  observe();
  return {kinetic_energy(*model_, state_, observed_), potential_energy(*model_, state_, observed_)};
}

void Simulation::contact_reports(std::vector<ContactReport>& reports) const {
  reports.clear();
  const StepWorkspace& w = *workspace_;
  if (!stepped_) return;
  const double scale = contact::contact_velocity_scale(w.problem);
  for (size_t c = 0; c < w.contacts.size(); ++c) {
    reports.push_back(report_contact(w.contacts[c], w.problem, w.problem.contacts[c], w.answer, scale));
  }
}

std::vector<ContactReport> Simulation::measured_contacts() {
  std::vector<ContactReport> reports;
  contact_reports(reports);
  observe();
  contact::set_reach(*model_, observed_, settings_.step, observer_);
  contact::detect_contacts(*model_, observed_, observer_, observed_contacts_);
  for (ContactReport& report : reports) {
    const auto match = std::find_if(observed_contacts_.begin(), observed_contacts_.end(),
                                    [&](const contact::Contact& c) { return c.key == report.key; });
    if (match != observed_contacts_.end()) report.gap = match->gap;
  }
  return reports;
}

double Simulation::measure_penetration() {
  observe();
  std::fill(observer_.reach.begin(), observer_.reach.end(), 0.0);
  contact::detect_contacts(*model_, observed_, observer_, observed_contacts_);
  double deepest = 0;
  for (const contact::Contact& c : observed_contacts_) deepest = std::max(deepest, -c.gap);
  return deepest;
}

long steps_for(double duration, double step) {
  const double ratio = duration / step;
  const double whole = std::round(ratio);
  return static_cast<long>(std::abs(ratio - whole) <= 1e-9 * std::max(1.0, whole) ? whole : std::ceil(ratio));
}

namespace {

std::string_view impact_model_of(const methods::StepScheme& scheme) {
  return scheme.events != nullptr ? impact_rule_name(scheme.events->rule) : methods::impact_model_name(scheme.impact);
}

}  // namespace

RunSummary run(Simulation& simulation, const std::function<void(const StepOutcome&)>& after_step) {
  RunSummary summary;
  const SimulationSettings& settings = simulation.settings();
  const long steps = steps_for(settings.duration, settings.step);
  summary.impact_model = impact_model_of(simulation.scheme());
  const auto begin = std::chrono::steady_clock::now();
  double contact_sum = 0;
  while (simulation.step_index() < steps) {
    const double time = simulation.state().time;
    const StepOutcome outcome = simulation.step();
    if (!outcome.ok) {
      summary.ok = false;
      summary.failure = outcome.failure;
      break;
    }
    const StepWorkspace& last = simulation.last_step();
    ++summary.steps;
    summary.iterations += outcome.iterations;
    contact_sum += static_cast<double>(last.contacts.size());
    summary.max_contacts = std::max(summary.max_contacts, static_cast<int>(last.contacts.size()));
    summary.certificate.merge(last.certificate);
    if (last.certificate.worst() > settings.certificate_tolerance) ++summary.steps_over_tolerance;
    count_existence(simulation.model(), last, time, summary.existence);
    if (const StepEvents* events = simulation.step_events()) summary.events.add(*events);
    if (outcome.fallbacks > 0) {
      for (const methods::IslandReport& report : last.reports) {
        if (!report.fallback.empty()) ++summary.fallbacks[std::string(report.fallback)];
      }
    }
    if (outcome.open_joint >= 0) {
      const std::string& name = simulation.model().loop_joints[outcome.open_joint].name;
      double& most = summary.open_joints[name];
      most = std::max(most, outcome.joint_violation);
      ++summary.fallbacks[fmt::format("joint '{}' left open", name)];
    }
    if (after_step) after_step(outcome);
  }
  summary.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  summary.time = simulation.state().time;
  summary.mean_contacts = summary.steps > 0 ? contact_sum / static_cast<double>(summary.steps) : 0;
  // A method with contacts of the end of the step has been judged there already, with its layers' deflection.
  if (!simulation.scheme().end_geometry) {
    summary.certificate.penetration = std::max(summary.certificate.penetration, simulation.measure_penetration());
  }
  return summary;
}

}  // namespace stiction
