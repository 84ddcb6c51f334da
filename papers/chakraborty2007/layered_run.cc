#include "papers/chakraborty2007/layered_run.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

namespace stiction::papers::chakraborty2007 {

namespace {

// Forces below this are what a solver leaves of a complementarity: deflections of 1e-12 m on the softest layer.
constexpr double rounding_N = 1e-9;

// Where the method lets deflections slip, friction opposes what the layer's motion leaves of the bodies'.
double slip_speed(const StepRecord& step, const Vector3& slip) {
  if (!step.problem.deflection_slips) return slip.norm();
  const Vector3 rate = (step.answer.deflection[0] - step.problem.layers[0].start) / step.problem.step;
  const contact::Contact& contact = step.contacts[0];
  return (slip + contact.tangent * rate[1] + contact.binormal() * rate[2]).norm();
}

void sample_contact(const Simulation& simulation, const ContactReport& contact, Sample& sample) {
  const StepProblem& problem = simulation.last_step().problem;
  const StepAnswer& answer = simulation.last_step().answer;
  const double normal = contact.normal.dot(contact.force);
  sample.closed = normal > rounding_N;
  sample.core = answer.core_impulse[0] / problem.step;
  sample.spring = normal - sample.core;
  sample.friction = contact.force - contact.normal * normal;
  sample.moment = contact.moment;
  sample.slip = slip_speed(simulation.last_step(), contact.slip);
  sample.deflection = answer.deflection[0];
  sample.stored = layer_energy(*problem.layers[0].layer, sample.deflection);
}

Sample observe(Simulation& simulation, int body, std::vector<ContactReport>& contacts) {
  Sample sample;
  const Kinematics& kinematics = simulation.kinematics();
  const Energies energies = simulation.energies();
  sample.t = simulation.state().time;
  sample.position = kinematics.com_W[body];
  sample.velocity = kinematics.velocity[body].linear;
  sample.angular_B = kinematics.X_WB[body].R.transpose() * kinematics.velocity[body].angular;
  sample.kinetic = energies.kinetic;
  sample.potential = energies.potential;
  simulation.contact_reports(contacts);
  if (contacts.size() == 1 && simulation.last_step().problem.layers.size() == 1)
    sample_contact(simulation, contacts[0], sample);
  return sample;
}

}  // namespace

std::vector<double> LayeredRun::times() const {
  return all([](const Sample& sample) { return sample.t; });
}

Result<void> LayeredRun::write(const std::filesystem::path& path) const {
  std::ofstream data(path);
  data << "t,x,y,z,v_x,v_y,v_z,omega_x_body,omega_y_body,omega_z_body,spring_force,core_force,friction_x,friction_y,"
          "moment,slip,delta_n,delta_t,delta_o,kinetic,potential,stored\n";
  for (const Sample& s : samples) {
    const Vector3 &x = s.position, &v = s.velocity, &w = s.angular_B, &d = s.deflection;
    data << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", s.t, x.x(), x.y(), x.z(),
                        v.x(), v.y(), v.z(), w.x(), w.y(), w.z(), s.spring, s.core, s.friction.x(), s.friction.y(),
                        s.moment, s.slip, d[0], d[1], d[2], s.kinetic, s.potential, s.stored);
  }
  data.flush();
  if (data) return {};
  return failure({.what = "cannot write", .remedy = "Give --out a folder that can be written.", .name = path.string()});
}

Result<LayeredRun> simulate(std::string_view scene, const std::vector<std::string>& overrides, std::string_view body) {
  auto opened = open_example(scene, overrides);
  if (!opened) return failure(opened.error());
  Simulation& simulation = *opened;
  const int watched = simulation.model().find_body(std::string(body));
  std::vector<ContactReport> contacts;
  LayeredRun result;
  result.h = simulation.settings().step;
  result.samples.push_back(observe(simulation, watched, contacts));
  const RunSummary summary = run(simulation, [&](const StepOutcome& outcome) {
    result.cut_steps += outcome.parts > 1;
    result.samples.push_back(observe(simulation, watched, contacts));
  });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  result.worst_certificate = summary.certificate.worst();
  result.rigid_steps = summary.count(Fallback::exact_cone);
  return result;
}

report::Plot time_panel(std::string title, std::string y_label, std::vector<report::Series> series) {
  report::Plot plot;
  plot.title = std::move(title);
  plot.x_label = "time [s]";
  plot.y_label = std::move(y_label);
  plot.series = std::move(series);
  return plot;
}

std::vector<double> cut_off(std::vector<double> values, double low, double high) {
  for (double& value : values) value = std::clamp(value, low, high);
  return values;
}

Result<void> write_panels(const Context& context, std::string_view prefix, const std::vector<report::Plot>& panels) {
  char letter = 'a';
  for (const report::Plot& panel : panels) {
    const std::filesystem::path path = context.out / fmt::format("{}{}.svg", prefix, letter++);
    if (auto written = report::write_svg(panel, path); !written) return written;
  }
  return {};
}

}  // namespace stiction::papers::chakraborty2007
