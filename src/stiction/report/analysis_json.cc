#include <nlohmann/json.hpp>

#include "stiction/report/analysis_report.h"

namespace stiction::report {

namespace {

using Json = nlohmann::ordered_json;

Json numbers(const Vector3& v) {
  return Json::array({v.x(), v.y(), v.z()});
}

std::string_view cone_name(Existence existence) {
  switch (existence) {
    case Existence::pointed:
      return "pointed";
    case Existence::not_pointed:
      return "not pointed";
    default:
      return "undecided";
  }
}

Json contact_json(const AnalyzedContact& contact) {
  Json json = {{"bodies", Json::array({contact.body_A, contact.body_B})}};
  if (!contact.joint.empty()) json["limit"] = contact.joint;
  json.update({{"point", numbers(contact.point)},
               {"normal", numbers(contact.normal)},
               {"tangent", numbers(contact.tangent)},
               {"gap", contact.gap},
               {"gap_rate", contact.approach},
               {"slip", numbers(contact.slip)},
               {"friction", contact.friction},
               {"state", touch_kind_name(contact.kind)}});
  return json;
}

Json patterns_json(const std::vector<ForcePattern>& patterns) {
  Json all = Json::array();
  for (const ForcePattern& pattern : patterns) {
    Json one = Json::array();
    for (const Vector3& force : pattern) one.push_back(numbers(force));
    all.push_back(one);
  }
  return all;
}

Json solution_json(const AnalyzedSolution& solution) {
  Json contacts = Json::array();
  for (size_t i = 0; i < solution.states.size(); ++i) {
    contacts.push_back({{"state", slip_state_name(solution.states[i])},
                        {"normal_force", solution.normal_force[i]},
                        {"force", numbers(solution.force[i])},
                        {"normal_acceleration", solution.normal_acceleration[i]},
                        {"slip_acceleration", numbers(solution.slip_acceleration[i])}});
  }
  return {{"force_freedom", solution.force_freedom},
          {"acceleration_varies", solution.acceleration_varies},
          {"borderline", solution.borderline},
          {"contacts", contacts}};
}

Json island_json(const IslandAnalysis& island) {
  Json solutions = Json::array();
  for (const AnalyzedSolution& solution : island.solutions) solutions.push_back(solution_json(solution));
  return {{"bodies", island.bodies},
          {"contacts", island.contacts},
          {"rows", island.rows},
          {"rank", island.rank},
          {"undetermined", island.rows - island.rank},
          {"patterns", patterns_json(island.patterns)},
          {"normal_rows", island.normal_rows},
          {"normal_rank", island.normal_rank},
          {"normal_undetermined", island.normal_rows - island.normal_rank},
          {"normal_patterns", patterns_json(island.normal_patterns)},
          {"friction_cone", cone_name(island.cone)},
          {"answers", answer_count_name(island.answers)},
          {"slip_states_tried", island.state_patterns},
          {"slip_states_searched", island.searched},
          {"solutions", solutions}};
}

}  // namespace

std::string analysis_json(const std::string& scene, const Analysis& analysis) {
  Json json = {{"scene", scene},
               {"time", analysis.time},
               {"answers", answer_count_name(analysis.answers())},
               {"contacts", Json::array()},
               {"islands", Json::array()},
               {"notes", analysis.notes}};
  for (const AnalyzedContact& contact : analysis.contacts) json["contacts"].push_back(contact_json(contact));
  for (const IslandAnalysis& island : analysis.islands) json["islands"].push_back(island_json(island));
  return json.dump();
}

}  // namespace stiction::report
