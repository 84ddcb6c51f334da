#include "stiction/report/description_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "stiction/report/option_table.h"
#include "stiction/solvers/registry.h"

namespace stiction::report {

namespace {

using Json = nlohmann::ordered_json;
using methods::MethodDescription;
using methods::OptionValue;

Json value_json(const OptionValue& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>) {
          if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
        }
        return v;
      },
      value);
}

Json bound_json(double bound) {
  return std::isinf(bound) ? Json() : Json(bound);
}

Json range_json(const methods::OptionRange& range) {
  return {{"lower", bound_json(range.lower)},
          {"upper", bound_json(range.upper)},
          {"lower_open", range.lower_open},
          {"infinite", range.infinite}};
}

std::string_view treatment_name(methods::Overlap overlap) {
  switch (overlap) {
    case methods::Overlap::moved:
      return "moved";
    case methods::Overlap::thrown:
      return "thrown";
    case methods::Overlap::pushed:
      return "pushed";
    case methods::Overlap::left:
      break;
  }
  return "left";
}

Json knowledge_json(const methods::Knowledge& knows) {
  return {{"restitution", knows.restitution},
          {"tangential_restitution", knows.tangential_restitution},
          {"rolling", knows.rolling},
          {"torsion", knows.torsion},
          {"static_friction", knows.static_friction},
          {"layers", knows.layers},
          {"general_cones", knows.general_cones},
          {"accuracy", knows.accuracy}};
}

Json solvers_json(const MethodDescription& method) {
  Json names = Json::array();
  for (const solvers::SolverInfo& solver : solvers::solver_infos()) {
    if (methods::takes_solver(method, solver)) names.push_back(solver.name);
  }
  return names;
}

}  // namespace

Json option_json(const methods::Option& option) {
  const OptionValue value = option.get({});
  const bool is_number = std::holds_alternative<int>(value) || std::holds_alternative<double>(value);
  return {{"name", option.name},
          {"type", type_name(value)},
          {"unit", option.unit},
          {"default", value_json(value)},
          {"range", is_number ? range_json(option.range) : Json()},
          {"choices", option.choices},
          {"meaning", option.meaning}};
}

Json keys_json(const geometry::ShapeKind& kind) {
  Json keys = Json::array();
  for (const geometry::ShapeKey& key : kind.keys) {
    keys.push_back({{"name", key.name},
                    {"unit", key.unit},
                    {"numbers", key.size()},
                    {"required", key.required},
                    {"range", range_json({key.lower, key.upper, key.lower_open, false})},
                    {"meaning", key.meaning}});
  }
  return keys;
}

Json method_json(const MethodDescription& method) {
  Json options = Json::array();
  for (const methods::Option& option : options_of(method)) options.push_back(option_json(option));
  return {{"name", method.name},
          {"source", method.source},
          {"sentence", method.sentence},
          {"available", true},
          {"solves_law", method.solves_law},
          {"knows", knowledge_json(method.knows)},
          {"overlap", {{"treatment", treatment_name(method.overlap.kind)}, {"remedy", method.overlap.remedy}}},
          {"solvers", solvers_json(method)},
          {"polygon", method.polygon == nullptr ? 0 : method.polygon({})},
          {"reports_events", method.reports_events},
          {"options", options}};
}

}  // namespace stiction::report
