// `stiction analyze`.
#include <gmock/gmock.h>

#include "apps/command.h"
#include "support/places.h"

namespace stiction::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using Json = nlohmann::json;

class Analyze : public CommandLine {
 protected:
  void expect_rejected(const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
    const Outcome outcome = stiction(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    for (const std::string& word : words) EXPECT_THAT(outcome.err, HasSubstr(word));
  }
};

TEST_F(Analyze, JsonIsOneObject) {
  write("a.toml", small_scene);
  const Outcome outcome = stiction({"analyze", "a.toml", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 1u);
  const Json& json = lines[0];
  EXPECT_THAT(keys_of(json), IsSupersetOf({"scene", "time", "answers", "contacts", "islands", "notes"}));
  EXPECT_EQ(json["answers"], "one");
  ASSERT_EQ(json["islands"].size(), 1u);
  EXPECT_NEAR(json["islands"][0]["solutions"][0]["contacts"][0]["normal_force"].get<double>(), 9.81, 1e-9);
}

TEST_F(Analyze, TextNamesPainleve) {
  const std::string rod = stiction::testing::source_path("papers/anitescu1998/painleve.toml");
  EXPECT_THAT(stiction({"analyze", rod}).out, AllOf(HasSubstr("answers: none"), HasSubstr("inconsistent")));
  EXPECT_THAT(stiction({"analyze", rod, "--set", "material.rough.friction=1.3"}).out, HasSubstr("answers: one"));
}

// Free fall for 0.05 s of a ball 1 cm over the ground: it has landed.
TEST_F(Analyze, AtALaterTime) {
  write("a.toml", small_scene);
  const std::vector<std::string> high = {"analyze", "a.toml", "--json", "--set", "body.ball.position=[0, 0, 0.11]"};
  EXPECT_EQ(json_lines(stiction(high).out).at(0)["contacts"].size(), 0u);
  std::vector<std::string> later = high;
  later.insert(later.end(), {"--at", "0.06"});
  const Json json = json_lines(stiction(later).out).at(0);
  EXPECT_NEAR(json["time"].get<double>(), 0.06, 1e-12);
  EXPECT_EQ(json["contacts"].size(), 1u);
}

TEST_F(Analyze, ReportIsAPageOfItsOwn) {
  write("a.toml", small_scene);
  const Outcome outcome = stiction({"analyze", "a.toml", "--report", "a.html", "--quiet"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  const std::string page = read_file(work() / "a.html");
  EXPECT_THAT(page, AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("<svg"), HasSubstr("ground - ball")));
  EXPECT_EQ(page.find("src="), std::string::npos);
}

TEST_F(Analyze, MistakesAreNamed) {
  write("a.toml", small_scene);
  expect_rejected({"analyze", "missing.toml"}, {"missing.toml", "remedy: "});
  expect_rejected({"analyse", "a.toml"}, {"'analyse'", "stiction analyze"});
  expect_rejected({"analyze", "a.toml", "--att", "1"}, {"'--att'", "'--at'"});
  expect_rejected({"analyze", "a.toml", "--at", "-1"}, {"--at", "remedy: "});
  expect_rejected({"analyze", "a.toml", "--speed-tol", "-1"}, {"--speed-tol", "remedy: "});
  expect_rejected({"analyze", "a.toml", "--method", "exact-con"}, {"exact-con", "exact-cone"});
  expect_rejected({"analyze", "a.toml", "--report", "nowhere/a.html"}, {"nowhere"});
  EXPECT_EQ(files(), std::set<std::string>{"a.toml"});
}

TEST_F(Analyze, PipeThatClosesEarlyIsNotAFailure) {
  write("a.toml", small_scene);
  EXPECT_EQ(shell("$STICTION analyze a.toml 2>err | head -1 > first; test ! -s err && grep -q contacts first"), 0);
}

}  // namespace
}  // namespace stiction::cli
