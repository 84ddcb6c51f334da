// `stiction compare`: tables, JSON lines, report and exit statuses as a user sees them.
#include <gmock/gmock.h>

#include "apps/command.h"

namespace stiction::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using Json = nlohmann::json;

const std::string three = "exact-cone,stewart-trinkle,implicit-geometry";

class Compare : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write("a.toml", small_scene);
  }

  void expect_rejected(const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
    SCOPED_TRACE(::testing::PrintToString(arguments));
    const std::set<std::string> before = files();
    const Outcome outcome = stiction(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("error: "), HasSubstr("remedy: ")));
    for (const std::string& word : words) EXPECT_THAT(outcome.err, HasSubstr(word));
    EXPECT_EQ(files(), before);
  }

  static size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  static size_t longest_line(const std::string& text) {
    size_t longest = 0, begin = 0;
    for (size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
      longest = std::max(longest, end - begin);
    }
    return longest;
  }
};

TEST_F(Compare, TableHasOneRowPerMethodAndFits) {
  const Outcome outcome = stiction({"compare", "a.toml", "--methods", three, "--drift", "ground,ball"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("drift"), HasSubstr("overlap"), HasSubstr("energy"), HasSubstr("violation"),
                                 HasSubstr("us/step"), Not(HasSubstr("\r"))));
  for (const char* method : {"\nexact-cone ", "\nstewart-trinkle ", "\nimplicit-geometry "}) {
    EXPECT_EQ(count(outcome.out, method), 1U) << outcome.out;
  }
  EXPECT_LE(longest_line(outcome.out), 100U) << outcome.out;
  const Outcome all = stiction({"compare", "a.toml"});
  EXPECT_EQ(all.status, 0);
  EXPECT_THAT(all.out, AllOf(HasSubstr("\nexact-cone "), HasSubstr("\nquasi-rigid "), Not(HasSubstr("drift"))));
}

TEST_F(Compare, JsonHasOneLinePerMethod) {
  const Outcome outcome =
      stiction({"compare", "a.toml", "--methods", three, "--drift", "ground,ball", "--set",
                "body.ball.linear_velocity=[0, 0, 1]", "--set", "simulation.gravity=[0, 0, 0]", "--threads", "2",
                "--drift", "world,ball", "--drift-normal", "0,0,1", "--duration", "0.02", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<Json> lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1]["method"], "stewart-trinkle");
  for (const Json& json : lines) {
    EXPECT_THAT(keys_of(json), IsSupersetOf({"scene",
                                             "method",
                                             "solver",
                                             "integrator",
                                             "step",
                                             "steps",
                                             "time",
                                             "started",
                                             "ok",
                                             "failure",
                                             "failed_at",
                                             "penetration",
                                             "energy",
                                             "certificate",
                                             "fallbacks",
                                             "contacts",
                                             "drift",
                                             "wall_seconds",
                                             "seconds_per_step",
                                             "methods_at_once"}));
    EXPECT_EQ(json["steps"], 20);
    EXPECT_EQ(json["ok"], true);
    EXPECT_EQ(json["methods_at_once"], 2);
    ASSERT_EQ(json["drift"].size(), 2U);
    EXPECT_NEAR(json["drift"][0]["largest"].get<double>(), 0, 1e-15);  // it leaves straight up: along the normal
    EXPECT_EQ(json["drift"][1]["normal"], (Json{0.0, 0.0, 1.0}));
  }
  const Json free = json_lines(stiction({"compare", "a.toml", "--methods", "exact-cone", "--drift", "ground,ball",
                                         "--set", "body.ball.linear_velocity=[0, 0, 1]", "--set",
                                         "simulation.gravity=[0, 0, 0]", "--duration", "0.02", "--json"})
                                   .out)
                        .at(0);
  EXPECT_NEAR(free["drift"][0]["largest"].get<double>(), 0.02, 1e-15);  // 1 m/s for 0.02 s
  EXPECT_NEAR(free["drift"][0]["dropped_at"].get<double>(), 0.01, 1.01e-3);
}

TEST_F(Compare, ReportStandsAloneWithOneCurvePerMethod) {
  const Outcome outcome =
      stiction({"compare", "a.toml", "--methods", three, "--drift", "ground,ball", "--report", "c.html", "--quiet"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out + outcome.err, IsEmpty());
  EXPECT_EQ(files(), (std::set<std::string>{"a.toml", "c.html"}));
  const std::string page = read_file(work() / "c.html");
  EXPECT_THAT(page, AllOf(HasSubstr("</html>"), HasSubstr("Drift of ball in the frame of ground"), HasSubstr("<svg"),
                          Not(HasSubstr("<script")), Not(HasSubstr("href=")), Not(HasSubstr("src="))));
  // Three plots (drift, energy, overlap), and a curve and its legend for each of the three methods in each; the drift
  // plot has the limit besides.
  const std::string line = "stroke-width=\"1.8\"";
  EXPECT_EQ(count(page, line), 3U * 3U * 2U);
}

TEST_F(Compare, MistakesAreNamedAndSuggested) {
  expect_rejected({"compare"}, {"missing", "SCENE", "--standard"});
  expect_rejected({"compare", "a.toml", "--methods", "exact-con"}, {"unknown method", "'exact-cone'"});
  expect_rejected({"compare", "a.toml", "--methods", "exact-cone,"}, {"unknown method"});
  expect_rejected({"compare", "none.toml"}, {"none.toml"});
  expect_rejected({"compare", "a.toml", "--drift", "ground,bal"}, {"'bal'", "'ball'"});
  expect_rejected({"compare", "a.toml", "--drift", "ground"}, {"two bodies", "A,B"});
  expect_rejected({"compare", "a.toml", "--drift", "ground,ball", "--drift-normal", "0,0,0"}, {"--drift-normal 0,0,0"});
  expect_rejected({"compare", "a.toml", "--drift", "ground,ball", "--drift-normal", "1,0"}, {"--drift-normal 1,0"});
  expect_rejected({"compare", "a.toml", "--drift", "ground,ball", "--drop-distance", "0"}, {"--drop-distance 0"});
  expect_rejected({"compare", "a.toml", "--fail-on-drop"}, {"--fail-on-drop", "--drift A,B"});
  expect_rejected({"compare", "a.toml", "--threads", "0"}, {"--threads 0"});
  expect_rejected({"compare", "a.toml", "--step", "-1"}, {"--step -1"});
  expect_rejected({"compare", "a.toml", "--metods", "all"}, {"'--metods'", "'--methods'"});
  expect_rejected({"compare", "a.toml", "--report", "nowhere/c.html"}, {"nowhere", "mkdir"});
  expect_rejected({"compare", "a.toml", "--report", "./a.toml"}, {"overwrite"});
  expect_rejected({"compare", "a.toml", "--quick"}, {"--quick", "--standard"});
  expect_rejected({"compare", "--standard", "--step", "0.1"}, {"standard"});
  expect_rejected({"compare", "a.toml", "--standard"}, {"a.toml"});
}

TEST_F(Compare, AMethodThatFailsIsARow) {
  write("squeeze.toml", std::string(small_scene) +
                            "[[body]]\nname = \"press\"\nposition = [0, 0, 0.2055]\n"
                            "motion = { velocity = [0, 0, -1] }\nshape = { type = \"plane\", normal = [0, 0, -1] }\n");
  const Outcome outcome = stiction({"compare", "squeeze.toml", "--methods", "exact-cone"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("exact-cone: stopped at t = 0.005 s"), HasSubstr("press")));
  const Json json = json_lines(stiction({"compare", "squeeze.toml", "--methods", "exact-cone", "--json"}).out).at(0);
  EXPECT_EQ(json["ok"], false);
  EXPECT_NEAR(json["failed_at"].get<double>(), 0.005, 1e-12);
  EXPECT_THAT(json["failure"].get<std::string>(), HasSubstr("press"));
}

TEST_F(Compare, ADropDecidesTheExitStatusWhereAsked) {
  const std::vector<std::string> flying = {
      "compare", "a.toml",      "--methods", "exact-cone",
      "--drift", "ground,ball", "--set",     "body.ball.linear_velocity=[0, 0, 5]"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = flying;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return stiction(arguments).status;
  };
  EXPECT_EQ(with({}), 0);
  EXPECT_EQ(with({"--fail-on-drop"}), 1);
  EXPECT_EQ(with({"--fail-on-drop", "--drop-distance", "1"}), 0);
}

TEST_F(Compare, PipesMayClose) {
  EXPECT_EQ(shell("{ $STICTION compare a.toml --methods exact-cone 2>err; echo $? >status; } | head -c 5 >out"), 0);
  EXPECT_EQ(read_file(work() / "status"), "0\n");
  EXPECT_THAT(read_file(work() / "err"), IsEmpty());
}

TEST_F(Compare, StandardScenesQuickly) {
  const Outcome outcome = stiction(
      {"compare", "--standard", "--quick", "--methods", "exact-cone,stewart-trinkle", "--json", "--report", "s.html"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<Json> lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 2U);
  for (const Json& json : lines) {
    EXPECT_THAT(keys_of(json),
                IsSupersetOf({"method", "integrator", "penetration", "steps", "not_converged", "steps_over_tolerance",
                              "stack_creep", "grasp_creep", "restitution", "cost_exponent", "cost", "failures"}));
    EXPECT_EQ(json["failures"].size(), 0U) << json.dump();
    EXPECT_EQ(json["cost"].size(), 3U);
  }
  EXPECT_THAT(read_file(work() / "s.html"), AllOf(HasSubstr("</html>"), HasSubstr("drumwright2009")));
}

TEST_F(Compare, StandardTableAsTextAndMarkdown) {
  const Outcome text = stiction({"compare", "--standard", "--quick", "--methods", "exact-cone"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_LE(longest_line(text.out), 110U) << text.out;  // notes are sentences; the tables are narrower
  EXPECT_THAT(text.out, AllOf(HasSubstr("exact-cone"), HasSubstr("rebound"), HasSubstr("drumwright2009")));
  const Outcome markdown = stiction({"compare", "--standard", "--quick", "--methods", "exact-cone", "--markdown"});
  EXPECT_EQ(markdown.out.rfind("| method |", 0), 0U) << markdown.out;
  EXPECT_THAT(markdown.out, HasSubstr("| exact-cone |"));
}

}  // namespace
}  // namespace stiction::cli
