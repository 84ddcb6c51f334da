#include "stiction/simulation/simulation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stiction/contact/sorted_keys.h"
#include "stiction/dynamics/energy.h"
#include "stiction/methods/registry.h"
#include "stiction/problem/row_velocity.h"
#include "stiction/solvers/registry.h"

namespace stiction {

namespace {

// Slip below this fraction of the velocities that the step had to stop counts as stick: two decimal digits above the
// rounding of a solved step, far below any motion of interest.
constexpr double stick_fraction = 1e-9;

// The methods that have a use for a solver.
std::vector<std::string_view> methods_with(const solvers::SolverInfo& solver) {
  std::vector<std::string_view> names;
  for (const methods::MethodDescription* method : methods::all_methods()) {
    if (methods::takes_solver(*method, solver)) names.push_back(method->name);
  }
  return names;
}

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
  const methods::MethodDescription* method = methods::find_method(settings.method);
  if (method == nullptr) {
    return failure({.what = "unknown method",
                    .remedy = "Run 'stiction list methods' to see all methods.",
                    .name = settings.method});
  }
  const solvers::SolverInfo* solver = solvers::find_solver(settings.solver);
  if (solver == nullptr) {
    return failure({.what = "unknown solver",
                    .remedy = "Run 'stiction list solvers' to see all solvers.",
                    .name = settings.solver});
  }
  if (!methods::takes_solver(*method, *solver)) {
    return failure({.what = fmt::format("method {} has no use for this solver", settings.method),
                    .remedy = fmt::format("Take solver {}, or a method that has: {}.", solvers::auto_friction.name,
                                          fmt::join(methods_with(*solver), ", ")),
                    .name = settings.solver});
  }
  return {};
}

// What the method cannot bring together.
Result<void> check_model(const Model& model, const SimulationSettings& settings) {
  if (settings.options.coordinates == methods::Coordinates::maximal && !model.controllers.empty()) {
    return failure({.what = "controllers need reduced coordinates: inverse dynamics works along the tree of joints",
                    .remedy = "Leave out coordinates = \"maximal\", or drive the joints by [[actuator]].",
                    .name = model.controllers.front().name,
                    .line = model.controllers.front().line});
  }
  const methods::MethodDescription& method = *methods::find_method(settings.method);
  return method.check == nullptr ? Result<void>{} : method.check(model, settings.options);
}

// Gap at the end of the step: that of its law, linear in the velocities, where the contact is one of its start. At an
// instant u_n is an acceleration, and moves nothing.
double end_gap(const contact::Contact& contact, const StepRecord& step, const ContactRows& rows, double u_n) {
  if (step.contacts_of != ContactsOf::start) return contact.gap;
  const VectorX& position = step.answer.position;
  const double repaired =
      position.size() > 0 ? contact_velocity(step.problem, rows, position)[0] - rows.surface[0] : 0.0;
  return contact.gap + step.problem.step * (u_n + repaired);
}

// Tangential velocities at the end of the step. The law's are that, but for an instant: there they are accelerations
// where a contact begins or ends to slip.
Vector2 end_slip(const StepRecord& step, const RowBlock& block, const Vector4& u) {
  if (block.row_count == 1) return Vector2::Zero();
  return step.contacts_of == ContactsOf::instant ? Vector2(step.row_velocity.segment<2>(block.first_row + 1))
                                                 : Vector2(u.segment<2>(1));
}

// Velocities over the step that ended, for bodies with prescribed motion and what hangs on them.
void use_last_step(const Model& model, const State& state, double h, Kinematics& kinematics) {
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (body.kind == BodyKind::prescribed) kinematics.velocity[b] = prescribed_mean_twist(body, state.time - h, h);
  }
  update_velocities(model, state.v, kinematics);
}

ContactReport report_contact(const contact::Contact& contact, const StepRecord& step, const ContactRows& rows,
                             double scale) {
  const StepProblem& problem = step.problem;
  const StepAnswer& answer = step.answer;
  const RowBlock& block = problem.blocks[rows.block];
  const Vector4 u = contact_velocity(problem, rows, answer.v_end);
  const auto impulse = [&](int r) { return r < block.row_count ? answer.impulse[block.first_row + r] : 0.0; };
  ContactReport report;
  report.body_A = contact.body_A;
  report.body_B = contact.body_B;
  report.key = contact.key;
  report.point = contact.point;
  report.normal = contact.normal;
  report.gap = end_gap(contact, step, rows, u[0]);
  report.force =
      (contact.normal * impulse(0) + contact.tangent * impulse(1) + contact.binormal() * impulse(2)) / problem.step;
  report.moment = impulse(3) / problem.step;
  const Vector2 slip = end_slip(step, block, u);
  report.slip = contact.tangent * slip[0] + contact.binormal() * slip[1];
  const bool slips = block.row_count > 1 && u.segment<2>(1).norm() > stick_fraction * scale;
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
  const Model& model = *simulation.model_;
  simulation.settings_ = settings;
  simulation.initial_ = built.state;
  simulation.now_.state = std::move(built.state);
  simulation.start_time_ = simulation.initial_.time;
  simulation.stepper_ = methods::find_method(settings.method)
                            ->make({model, settings.options, *solvers::find_solver(settings.solver), settings.threads});
  simulation.record_ = std::make_unique<StepRecord>();
  simulation.controller_force_.assign(static_cast<size_t>(model.v_size), 0.0);
  simulation.observed_ = make_kinematics(model);
  simulation.observer_ = contact::make_detection(model);
  return simulation;
}

StepOutcome Simulation::step() {
  const StepInput input{.h = settings_.step, .index = now_.step_index, .force = controller_force_, .times = times_};
  StepOutcome outcome = stepper_->advance(input, now_.state, now_.memory, *record_);
  if (!outcome.ok) return outcome;
  ++now_.step_index;
  stepped_ = true;
  // The product, not the sum: 10^6 additions of h would be off by more than rounding.
  now_.state.time = start_time_ + static_cast<double>(now_.step_index - start_index_) * settings_.step;
  return outcome;
}

void Simulation::restore(const SimulationState& saved) {
  // A place of this run keeps the run's own time origin, so that times come out with the same bits.
  const double expected = initial_.time + static_cast<double>(saved.step_index) * settings_.step;
  const bool own = saved.state.time == expected;
  start_time_ = own ? initial_.time : saved.state.time;
  start_index_ = own ? 0 : saved.step_index;
  if (&saved != &now_) now_ = saved;
  stepped_ = false;
  observed_index_ = -1;
}

void Simulation::observe() {
  if (observed_index_ == now_.step_index) return;
  const bool instantaneous = stepper_->events() != nullptr;  // velocities are derivatives, not means over a step
  update_kinematics(*model_, now_.state, instantaneous ? 0.0 : settings_.step, observed_);
  if (!instantaneous && now_.step_index > 0) use_last_step(*model_, now_.state, settings_.step, observed_);
  observed_index_ = now_.step_index;
}

const Kinematics& Simulation::kinematics() {
  observe();
  return observed_;
}

Energies Simulation::energies() {
  observe();
  return {kinetic_energy(*model_, now_.state, observed_), potential_energy(*model_, now_.state, observed_)};
}

void Simulation::contact_reports(std::vector<ContactReport>& reports) const {
  reports.clear();
  const StepRecord& step = *record_;
  if (!stepped_) return;
  const double scale = contact::contact_velocity_scale(step.problem);
  for (size_t c = 0; c < step.contacts.size(); ++c) {
    reports.push_back(report_contact(step.contacts[c], step, step.problem.contacts[c], scale));
  }
}

std::vector<ContactReport> Simulation::measured_contacts() {
  std::vector<ContactReport> reports;
  contact_reports(reports);
  observe();
  contact::set_reach(*model_, observed_, settings_.step, observer_);
  contact::detect_contacts(*model_, observed_, observer_, observed_contacts_);
  contact::sort_by_key(observed_contacts_);
  for (ContactReport& report : reports) {
    if (const contact::Contact* now = contact::find_item(observed_contacts_, report.key)) report.gap = now->gap;
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

}  // namespace stiction
