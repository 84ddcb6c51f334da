#include "stiction/methods/registry.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "support/scenarios.h"

namespace stiction::methods {
namespace {

TEST(Registry, NamesAreUniqueAndEveryMethodIsDescribed) {
  std::set<std::string_view> names;
  for (const MethodDescription* method : all_methods()) {
    EXPECT_TRUE(names.insert(method->name).second) << method->name;
    EXPECT_FALSE(method->source.empty()) << method->name;
    EXPECT_FALSE(method->sentence.empty()) << method->name;
    EXPECT_EQ(find_method(method->name), method);
  }
  EXPECT_EQ(find_method("no-such-method"), nullptr);
}

TEST(Registry, TheDefaultIsThere) {
  EXPECT_EQ(default_method().name, "exact-cone");
  EXPECT_EQ(find_method("exact-cone"), &default_method());
}

TEST(Registry, EveryMethodCanBeMade) {
  const BuiltModel built = build_model(testing::on_ground()).value();
  EXPECT_FALSE(method_names().empty());
  for (const MethodDescription* method : all_methods()) {
    EXPECT_NE(method->make({built.model, {}, solvers::solver_infos().front(), 1}), nullptr) << method->name;
  }
}

TEST(Registry, OptionsGoWhereTheirDescriptionsSay) {
  for (const MethodDescription* method : all_methods()) {
    std::set<std::string_view> names;
    for (const Option& option : method->options) {
      EXPECT_TRUE(names.insert(option.name).second) << method->name << "." << option.name;
      EXPECT_FALSE(option.meaning.empty()) << method->name << "." << option.name;
      MethodOptions options;
      OptionValue value = option.get(options);
      if (auto* truth = std::get_if<bool>(&value)) *truth = !*truth;
      if (auto* whole = std::get_if<int>(&value)) {
        const int low = static_cast<int>(option.range.lower) + 1;
        *whole = *whole == low ? low + 1 : low;
      }
      if (auto* number = std::get_if<double>(&value)) *number = 0.0625;
      if (auto* name = std::get_if<std::string>(&value)) {
        EXPECT_EQ(*name, option.choices[option.choices.front() == *name ? 0 : 1]) << option.name;
        *name = option.choices.back();
      }
      option.set(options, value);
      EXPECT_EQ(option.get(options), value) << method->name << "." << option.name;
      EXPECT_NE(option.get(MethodOptions{}), value) << method->name << "." << option.name;
    }
  }
}

}  // namespace
}  // namespace stiction::methods
