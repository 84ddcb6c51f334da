#include "stiction/report/event_json.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stiction::report {

namespace {

using Json = nlohmann::ordered_json;

std::string body_name(const Model& model, int body) {
  return body < 0 ? "world" : model.bodies[body].name;
}

const std::string& joint_name(const Model& model, const Event& event) {
  return (event.loop_joint ? model.loop_joints : model.tree_joints)[event.joint].name;
}

bool of_contact(const Event& event) {
  return event.body_A >= 0 || event.body_B >= 0;
}

std::string_view origin_name(ImpactOrigin origin) {
  switch (origin) {
    case ImpactOrigin::constrained:
      return "constrained";
    case ImpactOrigin::complementarity:
      return "complementarity";
    case ImpactOrigin::reduced:
      return "reduced";
    case ImpactOrigin::least_energy:
      return "least energy";
  }
  return "";
}

std::string_view state_name(ImpactState state) {
  switch (state) {
    case ImpactState::open:
      return "open";
    case ImpactState::stick:
      return "stick";
    case ImpactState::slip:
      return "slip";
  }
  return "";
}

// Normal first, then tangents.
Json rows_json(const ImpactContact& contact, const VectorX& rows) {
  Json values = Json::array();
  for (int r = 0; r <= contact.tangents; ++r) values.push_back(rows[contact.first_row + r]);
  return values;
}

// Whom and where: what every event has.
void add_subject(const Model& model, const Event& event, Json& json) {
  if (event.joint >= 0) {
    json["joint"] = joint_name(model, event);
  } else if (of_contact(event)) {
    json["bodies"] = Json::array({body_name(model, event.body_A), body_name(model, event.body_B)});
    json["point"] = Json::array({event.point.x(), event.point.y(), event.point.z()});
  }
}

// For each contact of the impact the event that tells who hit there, or null. Contacts that only touched take part,
// too, and have no event: events are those of the fastest approaches, in the order of the contacts.
std::vector<const Event*> match_events(const StepEvents& step, int number, const VectorX& before) {
  const std::vector<ImpactContact>& contacts = step.impacts[number].problem.contacts;
  std::vector<const Event*> own;
  for (const Event& event : step.events) {
    if (event.kind == EventKind::impact && event.impact == number) own.push_back(&event);
  }
  std::vector<size_t> order(contacts.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return before[contacts[a].first_row] < before[contacts[b].first_row]; });
  order.resize(std::min(own.size(), order.size()));
  std::sort(order.begin(), order.end());
  std::vector<const Event*> matched(contacts.size(), nullptr);
  for (size_t k = 0; k < order.size(); ++k) matched[order[k]] = own[k];
  return matched;
}

Json participants_json(const Model& model, const StepEvents& step, int number) {
  const ImpactProblem& problem = step.impacts[number].problem;
  const VectorX before = problem.J * problem.velocity;
  const std::vector<const Event*> events = match_events(step, number, before);
  Json contacts = Json::array();
  for (size_t i = 0; i < problem.contacts.size(); ++i) {
    Json contact = {{"hits", events[i] != nullptr}};
    if (events[i] != nullptr) add_subject(model, *events[i], contact);
    contact["velocity"] = rows_json(problem.contacts[i], before);
    contact["restitution"] = problem.contacts[i].restitution;
    contacts.push_back(std::move(contact));
  }
  return contacts;
}

Json outcome_json(const ImpactProblem& problem, const ImpactOutcome& outcome, bool picked) {
  Json contacts = Json::array();
  for (size_t i = 0; i < problem.contacts.size(); ++i) {
    contacts.push_back({{"state", state_name(outcome.state[i])},
                        {"velocity", rows_json(problem.contacts[i], outcome.contact_velocity)},
                        {"impulse", rows_json(problem.contacts[i], outcome.impulse)}});
  }
  return {{"origin", origin_name(outcome.origin)}, {"picked", picked},
          {"contacts", std::move(contacts)},       {"energy_change", outcome.energy_change},
          {"gains_energy", outcome.gains_energy},  {"leaves_cone", outcome.leaves_cone},
          {"penetrates", outcome.penetrates},      {"keeps_restitution", outcome.keeps_restitution},
          {"obeys_coulomb", outcome.obeys_coulomb}};
}

void add_impact(const Model& model, const StepEvents& step, int number, Json& json) {
  const EventImpact& impact = step.impacts[number];
  json["contacts"] = participants_json(model, step, number);
  json["by_step"] = impact.by_step;
  json["choices"] = impact.result.choices;
  json["refused"] = impact.result.refused;
  Json& outcomes = json["outcomes"] = Json::array();
  for (size_t i = 0; i < impact.result.outcomes.size(); ++i) {
    const bool picked = static_cast<int>(i) == impact.result.picked;
    outcomes.push_back(outcome_json(impact.problem, impact.result.outcomes[i], picked));
  }
}

bool first_of_impact(const StepEvents& step, size_t index) {
  const int number = step.events[index].impact;
  return std::none_of(step.events.begin(), step.events.begin() + static_cast<long>(index),
                      [&](const Event& event) { return event.impact == number; });
}

}  // namespace

std::string event_subject(const Model& model, const Event& event) {
  if (event.joint >= 0) return "joint " + joint_name(model, event);
  if (!of_contact(event)) return "";
  return fmt::format("{}, {}", body_name(model, event.body_A), body_name(model, event.body_B));
}

Json event_summary_json(const EventSummary& summary) {
  Json counts = Json::object();
  for (int kind = 0; kind < event_kind_count; ++kind) {
    counts[event_kind_name(static_cast<EventKind>(kind))] = summary.count[kind];
  }
  return {{"count", std::move(counts)}, {"outcomes", summary.outcomes}, {"ambiguous", summary.ambiguous},
          {"flagged", summary.flagged}, {"by_step", summary.by_step},   {"evaluations", summary.evaluations}};
}

Json event_json(const Model& model, const StepEvents& step, size_t index, long impacts_before) {
  const Event& event = step.events[index];
  Json json = {{"time", event.time}, {"kind", event_kind_name(event.kind)}};
  add_subject(model, event, json);
  if (event.impact < 0) return json;
  json["speed"] = event.speed;
  json["impact"] = impacts_before + event.impact;
  if (first_of_impact(step, index)) add_impact(model, step, event.impact, json);
  return json;
}

Result<EventFile> EventFile::create(const std::string& path) {
  auto file = OutputFile::create(path);
  if (!file) return failure(file.error());
  std::ofstream stream(file->part_path(), std::ios::binary);
  return EventFile(std::move(*file), std::move(stream));
}

Error EventFile::not_whole() const {
  return {.what = "cannot write the whole file", .remedy = "Free space on the disk.", .file = file_.path()};
}

Result<void> EventFile::append(const Simulation& simulation) {
  const StepEvents* step = simulation.step_events();
  if (step == nullptr) return {};
  for (size_t i = 0; i < step->events.size(); ++i) {
    stream_ << event_json(simulation.model(), *step, i, impacts_).dump() << '\n';
  }
  impacts_ += static_cast<long>(step->impacts.size());
  if (!stream_) return failure(not_whole());
  return {};
}

Result<void> EventFile::finish() {
  stream_.close();
  if (!stream_) return failure(not_whole());
  return file_.commit();
}

}  // namespace stiction::report
