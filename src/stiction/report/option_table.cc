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

std::vector<Option> options_of(const methods::MethodDescription& method) {
  std::vector<Option> options = {coordinates_option()};
  options.insert(options.end(), method.options.begin(), method.options.end());
  return options;
}

std::string_view type_name(const OptionValue& value) {
  return std::visit(TypeName{}, value);
}

Table option_table(const methods::MethodDescription& method) {
  Table table{
      {{"key", "", true}, {"type, unit", "", true}, {"default", "", true}, {"range", "", true}, {"meaning", "", true}},
      {}};
  for (const Option& option : options_of(method)) {
    const OptionValue value = option.get({});
    const std::string type(type_name(value));
    table.rows.push_back({fmt::format("`{}`", option.name),
                          option.unit.empty() ? type : fmt::format("{}, {}", type, option.unit),
                          std::visit(ValueText{}, value), range_text(option, value), std::string(option.meaning)});
  }
  return table;
}

}  // namespace stiction::report
