// `stiction reproduce`.
#include <gmock/gmock.h>

#include "apps/command.h"

namespace stiction::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

class Reproduce : public CommandLine {};

// The one statement of the paper that its own constants do not give is the sign in the printed F (48).
TEST_F(Reproduce, JsonHasTheKeysOfTheInterfaceAndEveryValueIsMet) {
  const Outcome outcome = stiction({"reproduce", "trinkle2003", "--out", "results", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  const std::vector<Json> lines = json_lines(outcome.out);
  EXPECT_GE(lines.size(), 10U);
  for (const Json& line : lines) {
    EXPECT_EQ(keys_of(line),
              (std::set<std::string>{"paper", "example", "quantity", "unit", "value", "published", "ok", "note"}));
    EXPECT_EQ(line["paper"], "trinkle2003");
    EXPECT_TRUE(line["value"].is_number());
    const bool printed_sign = line["quantity"] == "F of (48) between opposite friction directions";
    EXPECT_EQ(line["ok"].get<bool>(), !printed_sign) << line;
    if (printed_sign) {
      EXPECT_NEAR(line["value"].get<double>(), -3.5, 1e-12);
    }
  }
}

TEST_F(Reproduce, PlotsAreWellFormedAndNothingIsWrittenElsewhere) {
  ASSERT_EQ(stiction({"reproduce", "trinkle2003", "--out", "results", "--quiet"}).status, 0);
  int plots = 0;
  for (const std::string& name : files()) {
    EXPECT_EQ(name.rfind("results/trinkle2003/", 0), 0U) << name;
    if (!name.ends_with(".svg")) continue;
    const std::string svg = read_file(work() / name);
    EXPECT_THAT(svg, HasSubstr("<svg"));
    EXPECT_THAT(svg, HasSubstr("</svg>"));
    EXPECT_EQ(svg.find("nan"), std::string::npos) << name;
    ++plots;
  }
  EXPECT_GE(plots, 3);
}

TEST_F(Reproduce, OneExampleAlone) {
  const Outcome outcome = stiction({"reproduce", "trinkle2003/sphere", "--json"});
  EXPECT_EQ(outcome.status, 0);
  for (const Json& line : json_lines(outcome.out)) EXPECT_EQ(line["example"], "sphere");
  EXPECT_TRUE(std::filesystem::exists(work() / "out/trinkle2003/figure8_velocities.svg"));
}

TEST_F(Reproduce, TextShowsThePublishedValueBesideOurs) {
  const Outcome outcome = stiction({"reproduce", "trinkle2003/sphere"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("published: 0.291"));
  EXPECT_THAT(outcome.out, HasSubstr("plots and data in out/trinkle2003"));
}

TEST_F(Reproduce, FrictionConesOfAnitescuPotraAndStewart) {
  for (const std::string example : {"wedge", "cones"}) {
    const Outcome outcome = stiction({"reproduce", "anitescu1998/" + example, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::vector<Json> lines = json_lines(outcome.out);
    EXPECT_GE(lines.size(), 10U);
    for (const Json& line : lines) {
      EXPECT_EQ(line["example"], example);
      EXPECT_TRUE(line["ok"].get<bool>()) << line;
    }
  }
  EXPECT_TRUE(std::filesystem::exists(work() / "out/anitescu1998/wedge.svg"));
  EXPECT_TRUE(std::filesystem::exists(work() / "out/anitescu1998/cones_traces.svg"));
}

TEST_F(Reproduce, FolderThatCannotBeMadeIsReported) {
  write("file", "");
  const Outcome outcome = stiction({"reproduce", "trinkle2003", "--out", "file"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("remedy: "));
  EXPECT_THAT(outcome.out, IsEmpty());
}

class ReproduceAnitescu : public Reproduce, public ::testing::WithParamInterface<const char*> {};

// What these examples compare with is derived in them, so that every line must be met.
TEST_P(ReproduceAnitescu, EveryValueIsMetAndPlotsAreWellFormed) {
  const std::string example = GetParam();
  const Outcome outcome = stiction({"reproduce", "anitescu1998/" + example, "--out", "results", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<Json> lines = json_lines(outcome.out);
  EXPECT_GE(lines.size(), 5U);
  for (const Json& line : lines) {
    EXPECT_EQ(line["example"], example);
    EXPECT_TRUE(line["value"].is_number()) << line;
    EXPECT_TRUE(line["ok"].get<bool>()) << line;
  }
  int plots = 0;
  for (const std::string& name : files()) {
    if (!name.ends_with(".svg")) continue;
    EXPECT_THAT(read_file(work() / name), HasSubstr("</svg>"));
    EXPECT_EQ(read_file(work() / name).find("nan"), std::string::npos) << name;
    ++plots;
  }
  EXPECT_GE(plots, 1);
}

INSTANTIATE_TEST_SUITE_P(AsTheStepFalls, ReproduceAnitescu,
                         ::testing::Values("painleve", "convergence", "representations"));

}  // namespace
}  // namespace stiction::cli
