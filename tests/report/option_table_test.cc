// docs/scene.md has the options that the methods and the keys that the shapes describe, and no others.
#include "stiction/report/option_table.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/methods/registry.h"
#include "support/places.h"

namespace stiction::report {
namespace {

std::string read_page() {
  std::ifstream stream(stiction::testing::source_path("docs/scene.md"));
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(OptionTable, ThePageHasTheTablesOfAllMethods) {
  const std::string page = read_page();
  for (const methods::MethodDescription* method : methods::all_methods()) {
    const std::string marker = "<!-- keys: method." + std::string(method->name) + " -->\n\n";
    EXPECT_THAT(page, ::testing::HasSubstr(marker + markdown_table(option_table(*method)) + "\n"))
        << "script/option-tables writes the tables anew";
  }
}

TEST(KeyTable, ThePageHasTheTablesOfAllShapes) {
  const std::string page = read_page();
  for (const geometry::ShapeKind& kind : geometry::shape_kinds) {
    const std::string marker = "<!-- keys: shape." + std::string(kind.name) + " -->\n\n";
    EXPECT_THAT(page, ::testing::HasSubstr(marker));
    if (kind.keys.empty()) continue;
    EXPECT_THAT(page, ::testing::HasSubstr(marker + markdown_table(key_table(kind)) + "\n"))
        << "script/option-tables writes the tables anew";
  }
}

TEST(OptionTable, SaysTypeDefaultRangeAndMeaning) {
  const Table table = option_table(methods::default_method());
  EXPECT_EQ(table.rows[1], (std::vector<std::string>{"`tolerance`", "number", "`0`", ">= 0",
                                                     "normalised residual at which a step counts as solved; 0: what "
                                                     "`accuracy` asks for"}));
  EXPECT_EQ(table.rows[3][1], "number, m/s");
  EXPECT_EQ(table.rows[3][3], "> 0, may be `inf`");
  EXPECT_EQ(table.rows[4][2], "`true`");
}

}  // namespace
}  // namespace stiction::report
