// One option of a method as data: what scene files may say, what documentation prints, where the value goes.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/methods/method_options.h"

namespace stiction::methods {

/// The numbers an option accepts. NaN never is, infinities only where `infinite` says so.
struct OptionRange {
  double lower = -infinity;
  double upper = infinity;
  bool lower_open = false;
  bool infinite = false;
};

inline constexpr OptionRange any_value = {};
inline constexpr OptionRange above_zero = {0, infinity, true, false};
inline constexpr OptionRange above_zero_or_infinite = {0, infinity, true, true};
inline constexpr OptionRange zero_or_above = {0, infinity, false, false};
inline constexpr OptionRange zero_to_one = {0, 1, false, false};

/// true or false, an integer, a number, or one of the option's choices.
using OptionValue = std::variant<bool, int, double, std::string>;

/// See the top of the file.
struct Option {
  std::string_view name;
  std::string_view unit;                  ///< SI; empty: none
  OptionRange range;                      ///< of numbers and integers
  std::vector<std::string_view> choices;  ///< of a name; empty: a number, an integer or a truth value
  std::string_view meaning;               ///< a clause for tables
  OptionValue (*get)(const MethodOptions& options) = nullptr;
  void (*set)(MethodOptions& options, const OptionValue& value) = nullptr;
};

namespace detail {

template <class>
struct MemberOf;
template <class Struct, class Value>
struct MemberOf<Value Struct::*> {
  using struct_type = Struct;
  using value_type = Value;
};

template <auto member>
using StructOf = typename MemberOf<decltype(member)>::struct_type;
template <auto member>
using ValueOf = typename MemberOf<decltype(member)>::value_type;

template <auto member>
OptionValue get_value(const MethodOptions& options) {
  return options.of<StructOf<member>>().*member;
}

template <auto member>
void set_value(MethodOptions& options, const OptionValue& value) {
  options.of<StructOf<member>>().*member = std::get<ValueOf<member>>(value);
}

}  // namespace detail

/// A number, an integer or a truth value: the member of an options struct with that name.
template <auto member>
Option option(std::string_view name, std::string_view unit, const OptionRange& range, std::string_view meaning) {
  return {name, unit, range, {}, meaning, detail::get_value<member>, detail::set_value<member>};
}

/// One of the values of an enum, which has a function `name_of(value)` and lists all its values in `all`.
template <auto member, auto name_of, const auto& all>
Option choice(std::string_view name, std::string_view meaning) {
  Option result{.name = name, .unit = {}, .range = {}, .choices = {}, .meaning = meaning};
  for (const auto value : all) result.choices.push_back(name_of(value));
  result.get = [](const MethodOptions& options) -> OptionValue {
    return std::string(name_of(options.of<detail::StructOf<member>>().*member));
  };
  result.set = [](MethodOptions& options, const OptionValue& value) {
    for (const auto candidate : all) {
      if (name_of(candidate) == std::get<std::string>(value))
        options.of<detail::StructOf<member>>().*member = candidate;
    }
  };
  return result;
}

}  // namespace stiction::methods
