#include "stiction/report/json.h"

#include <fmt/format.h>

#include "stiction/base/version.h"
#include "stiction/certify/certificate_values.h"
#include "stiction/recording/sample.h"
#include "stiction/report/event_json.h"
#include "stiction/report/json_numbers.h"

namespace stiction::report {

using Json = nlohmann::ordered_json;

Json certificate_json(const RunSummary& summary, Numbers& numbers) {
  const certify::StepCertificate& c = summary.certificate;
  const auto number = [&](double x, const char* name) {
    return numbers.number(x, fmt::format("certificate.{}", name));
  };
  Json json = Json::object();
  for (const certify::CertificateValue& value : certify::certificate_values) {
    json[value.name] = number(c.*value.member, value.name);
  }
  json["steps_over_tolerance"] = summary.steps_over_tolerance;
  json["impacts"] = c.impacts;
  json["impact_energy"] = number(c.impact_energy, "impact_energy");
  json["impact_model"] = std::string(summary.impact_model);
  return json;
}

namespace {

using recording::JointLayout;
using recording::JointValues;
using recording::RecordingLayout;
using recording::Sample;

Json bodies_json(const Sample& sample, const std::vector<std::string>& names, Numbers& numbers) {
  Json bodies = Json::object();
  for (size_t b = 0; b < names.size(); ++b) {
    const std::string where = "final.bodies." + names[b];
    bodies[names[b]] = {{"position", numbers.vector(sample.position[b], where + ".position")},
                        {"quaternion", numbers.array(sample.quaternion[b].data(), 4, where + ".quaternion")},
                        {"linear_velocity", numbers.vector(sample.linear_velocity[b], where + ".linear_velocity")},
                        {"angular_velocity", numbers.vector(sample.angular_velocity[b], where + ".angular_velocity")}};
  }
  return bodies;
}

Json joints_json(const JointValues& values, const JointLayout& layout, Numbers& numbers) {
  const auto slice = [&](const std::vector<double>& all, const std::vector<int>& offset, size_t j,
                         const std::string& where) {
    return numbers.array(all.data() + offset[j], offset[j + 1] - offset[j], where);
  };
  Json joints = Json::object();
  for (size_t j = 0; j < layout.names.size(); ++j) {
    const std::string where = "final.joints." + layout.names[j];
    joints[layout.names[j]] = {{"position", slice(values.position, layout.position_offset, j, where + ".position")},
                               {"velocity", slice(values.velocity, layout.velocity_offset, j, where + ".velocity")}};
  }
  return joints;
}

Json contacts_json(const std::vector<ContactReport>& reports, const std::vector<std::string>& names, Numbers& numbers) {
  const auto name = [&](int body) { return body < 0 ? std::string("world") : names[body]; };
  Json contacts = Json::array();
  for (size_t c = 0; c < reports.size(); ++c) {
    const ContactReport& report = reports[c];
    const std::string where = fmt::format("final.contacts[{}]", c);
    contacts.push_back({{"bodies", Json::array({name(report.body_A), name(report.body_B)})},
                        {"point", numbers.vector(report.point, where + ".point")},
                        {"normal", numbers.vector(report.normal, where + ".normal")},
                        {"gap", numbers.number(report.gap, where + ".gap")},
                        {"force", numbers.vector(report.force, where + ".force")},
                        {"moment", numbers.number(report.moment, where + ".moment")},
                        {"state", contact_state_name(report.state)},
                        {"slip", numbers.vector(report.slip, where + ".slip")}});
  }
  return contacts;
}

Json final_json(Simulation& simulation, const std::string& scene, Numbers& numbers) {
  const RecordingLayout layout = recording::make_layout(simulation, scene, 1);
  Sample sample;
  recording::capture(simulation, layout.joints, sample);
  return {{"kinetic_energy", numbers.number(sample.energies.kinetic, "final.kinetic_energy")},
          {"potential_energy", numbers.number(sample.energies.potential, "final.potential_energy")},
          {"bodies", bodies_json(sample, layout.body_names, numbers)},
          {"joints", joints_json(sample.joints, layout.joints, numbers)},
          {"contacts", contacts_json(simulation.measured_contacts(), layout.body_names, numbers)}};
}

Json existence_json(const ExistenceSummary& existence) {
  const bool lost = existence.not_pointed > 0;
  return {{"steps_checked", existence.checked},
          {"not_pointed", existence.not_pointed},
          {"undecided", existence.undecided},
          {"first_time", lost ? Json(existence.first_time) : Json(nullptr)},
          {"first_bodies", existence.first_bodies}};
}

}  // namespace

Json run_json(Simulation& simulation, const RunSummary& summary, const std::string& scene) {
  const SimulationSettings& settings = simulation.settings();
  Numbers numbers;
  const double rate = summary.wall_seconds > 0 ? static_cast<double>(summary.steps) / summary.wall_seconds : 0;
  Json json = {{"scene", scene},
               {"method", settings.method},
               {"solver", settings.solver},
               {"step", settings.step},
               {"steps", summary.steps},
               {"time", numbers.number(summary.time, "time")},
               {"wall_seconds", summary.wall_seconds},
               {"steps_per_second", rate},
               {"contacts", {{"mean", summary.mean_contacts}, {"max", summary.max_contacts}}},
               {"certificate", certificate_json(summary, numbers)},
               {"fallbacks", Json::object()},
               {"repairs", Json::object()},
               {"repair_iterations", summary.repair_iterations},
               {"final", final_json(simulation, scene, numbers)},
               {"ok", summary.ok},
               {"failure", summary.ok ? Json(nullptr) : Json(summary.failure)},
               {"certificate_tolerance", settings.certificate_tolerance},
               {"iterations", summary.iterations},
               {"stiction_version", version()},
               {"notes", Json::array()}};
  for (const auto& [name, count] : summary.fallback_names()) json["fallbacks"][name] = count;
  for (const auto& [name, count] : summary.repairs) json["repairs"][name] = count;
  json["notes"] = numbers.notes();
  for (const auto& [stage, seconds] : summary.profile) json["profile"][std::string(stage_name(stage))] = seconds;
  if (summary.events.any()) json["events"] = event_summary_json(summary.events);
  if (summary.existence.checked > 0) json["existence"] = existence_json(summary.existence);
  return json;
}

}  // namespace stiction::report
