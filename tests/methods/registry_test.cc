#include "stiction/methods/registry.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "stiction/methods/method.h"

namespace stiction::methods {
namespace {

TEST(Registry, NamesAreUniqueAndEveryMethodIsDescribed) {
  std::set<std::string_view> names;
  for (const MethodInfo& info : method_infos()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
    EXPECT_FALSE(info.sentence.empty()) << info.name;
    EXPECT_EQ(find_method(info.name), &info);
  }
  EXPECT_EQ(find_method("no-such-method"), nullptr);
}

TEST(Registry, TheDefaultIsThere) {
  const MethodInfo* info = find_method(default_method());
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(default_method(), "exact-cone");
}

TEST(Registry, EveryMethodCanBeMade) {
  const std::vector<std::string> names = available_method_names();
  EXPECT_FALSE(names.empty());
  for (const std::string& name : names) EXPECT_NE(make_method(name, {}, "auto", 1), nullptr) << name;
  for (const MethodInfo& info : method_infos()) {
    EXPECT_EQ(std::count(names.begin(), names.end(), info.name), 1) << info.name;
  }
}

}  // namespace
}  // namespace stiction::methods
