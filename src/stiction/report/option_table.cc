#include "stiction/report/option_table.h"

#include <cmath>

#include <fmt/format.h>

namespace stiction::report {

namespace {

using methods::Option;
using methods::OptionValue;

// The shortest text that reads back as the same number; powers of ten beyond three digits as 1e5.
std::string number_text(double value) {
  if (std::isinf(value)) return "inf";
  const double power = std::log10(std::abs(value));
  if (value != 0 && power == std::round(power) && std::abs(power) > 2) return fmt::format("1e{:g}", power);
  return fmt::format("{}", value);
}

struct TypeName {
  std::string_view operator()(bool) const { return "true or false"; }
  std::string_view operator()(int) const { return "integer"; }
  std::string_view operator()(double) const { return "number"; }
  std::string_view operator()(const std::string&) const { return "string"; }
};

struct ValueText {
  std::string operator()(bool value) const { return value ? "`true`" : "`false`"; }
  std::string operator()(int value) const { return fmt::format("`{}`", value); }
  std::string operator()(double value) const { return fmt::format("`{}`", number_text(value)); }
  std::string operator()(const std::string& value) const { return fmt::format("`\"{}\"`", value); }
};

std::string range_text(const Option& option, const OptionValue& value) {
  if (std::holds_alternative<bool>(value)) return "";
  std::string text;
  for (const std::string_view choice : option.choices)
    text += fmt::format("{}`\"{}\"`", text.empty() ? "" : ", ", choice);
  if (!text.empty()) return text;
  const methods::OptionRange& range = option.range;
  const bool integer = std::holds_alternative<int>(value);
  const auto bound = [&](double b) { return integer ? fmt::format("{:.0f}", b) : number_text(b); };
  if (std::isinf(range.lower) && std::isinf(range.upper)) return range.infinite ? "any" : "finite";
  if (std::isfinite(range.upper)) return fmt::format("{} to {}", bound(range.lower), bound(range.upper));
  return fmt::format("{} {}{}", range.lower_open ? ">" : ">=", bound(range.lower),
                     range.infinite ? ", may be `inf`" : "");
}

std::string with_unit(const std::string& type, std::string_view unit) {
  return unit.empty() ? type : fmt::format("{}, {}", type, unit);
}

Table empty_table() {
  return {
      {{"key", "", true}, {"type, unit", "", true}, {"default", "", true}, {"range", "", true}, {"meaning", "", true}},
      {}};
}

using geometry::ShapeKey;

std::string type_text(ShapeKey::Kind kind) {
  switch (kind) {
    case ShapeKey::Kind::number:
      return "number";
    case ShapeKey::Kind::two_numbers:
      return "two numbers";
    case ShapeKey::Kind::vector:
      return "vector";
    case ShapeKey::Kind::direction:
      break;
  }
  return "direction";
}

std::string default_text(const ShapeKey& key) {
  if (key.required) return "required";
  std::string text;
  for (int k = 0; k < key.size(); ++k) text += (k > 0 ? ", " : "") + number_text(key.otherwise[k]);
  return key.size() > 1 ? fmt::format("`[{}]`", text) : fmt::format("`{}`", text);
}

std::string range_text(const ShapeKey& key) {
  if (key.kind == ShapeKey::Kind::direction) return "not zero";
  const std::string each = key.size() > 1 ? "each " : "";
  const std::string relation = key.relation.empty() ? "" : fmt::format(", {}", key.relation);
  if (std::isfinite(key.upper))
    return fmt::format("{}{} to {}{}", each, number_text(key.lower), number_text(key.upper), relation);
  if (std::isinf(key.lower)) return "finite" + relation;
  return fmt::format("{}{} {}{}", each, key.lower_open ? ">" : ">=", number_text(key.lower), relation);
}

Option coordinates_option() {
  return {.name = "coordinates",
          .unit = {},
          .range = {},
          .choices = {"reduced", "maximal"},
          .meaning = "joint coordinates, or every body free with every joint as a constraint",
          .get = [](const methods::MethodOptions& options) -> OptionValue {
            return std::string(options.coordinates == methods::Coordinates::reduced ? "reduced" : "maximal");
          }};
}

}  // namespace

Table key_table(const geometry::ShapeKind& kind) {
  Table table = empty_table();
  for (const ShapeKey& key : kind.keys) {
    table.rows.push_back({fmt::format("`{}`", key.name), with_unit(type_text(key.kind), key.unit), default_text(key),
                          range_text(key), std::string(key.meaning)});
  }
  return table;
}

std::vector<Option> options_of(const methods::MethodDescription& method) {
  std::vector<Option> options = {coordinates_option()};
  options.insert(options.end(), method.options.begin(), method.options.end());
  return options;
}

std::string_view type_name(const OptionValue& value) {
  return std::visit(TypeName{}, value);
}

Table option_table(const methods::MethodDescription& method) {
  Table table = empty_table();
  for (const Option& option : options_of(method)) {
    const OptionValue value = option.get({});
    table.rows.push_back({fmt::format("`{}`", option.name), with_unit(std::string(type_name(value)), option.unit),
                          std::visit(ValueText{}, value), range_text(option, value), std::string(option.meaning)});
  }
  return table;
}

}  // namespace stiction::report
