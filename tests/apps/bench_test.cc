// `stiction bench`: tables, JSON, files and mistakes as a user sees them. Times are never looked at.
#include <sys/stat.h>

#include <gmock/gmock.h>

#include "apps/command.h"
#include "support/places.h"

namespace stiction::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

class Bench : public CommandLine {
 protected:
  void TearDown() override {
    unsetenv("STICTION_BENCH_PEERS");
    CommandLine::TearDown();
  }

  // Stands for the program of the peers.
  void pretend(const std::string& script) const {
    write("peers", "#!/bin/sh\n" + script);
    chmod((work() / "peers").c_str(), 0700);
    setenv("STICTION_BENCH_PEERS", (work() / "peers").c_str(), 1);
  }

  static double figure(const Json& result, const std::string& name) {
    for (const Json& f : result.at("figures")) {
      if (f.at("name") == name) return f.at("value");
    }
    ADD_FAILURE() << "no figure " << name << " in " << result;
    return 0;
  }
};

constexpr const char* one_result =
    R"({"result": {"scene": "slide_roll", "engine": "other", "setting": "quick", "step": 0.01, "steps": 100, )"
    R"("completed": true, "note": "it complained", "seconds_per_step": 1e-6, "seconds_per_step_end": null, )"
    R"("certificate": null, "figures": [{"name": "speed error", "unit": "m/s", "value": 0.25}]}})";

TEST_F(Bench, SphereRollsAtTenSevenths) {
  const Outcome outcome = stiction({"bench", "slide_roll", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  const Json json = Json::parse(outcome.out);
  EXPECT_THAT(keys_of(json), ::testing::ElementsAre("absent_peers", "results", "stiction_version", "time_limit"));
  ASSERT_EQ(json["results"].size(), 6U);  // three accuracies, two steps
  for (const Json& result : json["results"]) {
    EXPECT_EQ(result["engine"], "stiction");
    EXPECT_TRUE(result["completed"]);
    const bool exact = result["setting"] == "exact";
    // Exact: the tolerance of the steps. Otherwise a share of 2 m/s that the budget leaves; measured 3.1e-5.
    EXPECT_LT(figure(result, "speed error"), exact ? 1e-10 : 1e-3);
    if (exact) {
      EXPECT_LT(result["certificate"], 1e-8);
    }
  }
}

TEST_F(Bench, TableHasARowPerAccuracyAndFits) {
  const Outcome outcome = stiction({"bench", "slide_roll", "--accuracy", "exact,fast"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("slide_roll: "), HasSubstr("\nstiction exact "),
                                 HasSubstr("\nstiction fast "), Not(HasSubstr("balanced")), Not(HasSubstr("\r"))));
  EXPECT_THAT(stiction({"bench", "slide_roll", "--accuracy", "fast", "--quiet"}).out, IsEmpty());
}

TEST_F(Bench, FilesArePlotsAndJson) {
  const Outcome outcome = stiction({"bench", "slide_roll", "mass_ratio", "--accuracy", "fast", "--out", "a/b"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(files(), ::testing::ElementsAre("a/b/bench.json", "a/b/mass_ratio.svg", "a/b/slide_roll.svg"));
  EXPECT_EQ(Json::parse(read_file(work() / "a/b/bench.json"))["results"].size(), 4U);
  EXPECT_THAT(read_file(work() / "a/b/slide_roll.svg"), AllOf(HasSubstr("<svg"), HasSubstr("stiction fast")));
}

TEST_F(Bench, MistakesAreNamed) {
  expect_rejected({"bench", "slide_rol"}, {"unknown benchmark", "'slide_rol'", "'slide_roll'", "chain30"});
  expect_rejected({"bench", "slide_roll", "juggle"}, {"'juggle'", "There are slide_roll, incline, "});
  expect_rejected({"bench", "--accuracy", "exact,fats"}, {"unknown accuracy", "'fats'", "balanced"});
  expect_rejected({"bench", "--accuracy", ""}, {"no accuracy"});
  expect_rejected({"bench", "--time-limit", "0"}, {"'--time-limit 0'", "positive"});
  expect_rejected({"bench", "--tim", "3"}, {"unknown option", "'--tim'"});
  write("file", "");
  expect_rejected({"bench", "slide_roll", "--out", "file"}, {"cannot make the output folder", "'file'"});
  EXPECT_THAT(files(), ::testing::ElementsAre("file"));
}

TEST_F(Bench, MissingPeersAreSaidBeforeAnythingRuns) {
  setenv("STICTION_BENCH_PEERS", "nowhere/bench_peers", 1);
  expect_rejected({"bench", "--peers", "--out", "out"},
                  {"STICTION_BENCH_PEERS", "'nowhere/bench_peers'", "script/bench peers"});
  EXPECT_THAT(files(), IsEmpty());
  // A copy of the command that has no build around it.
  EXPECT_EQ(shell("unset STICTION_BENCH_PEERS && cp \"$STICTION\" alone && ./alone bench --peers 2> said"), 2);
  EXPECT_THAT(read_file(work() / "said"), AllOf(HasSubstr("'bench_peers'"), HasSubstr("script/bench peers")));
}

TEST_F(Bench, PeersStandBelowOurs) {
  pretend(std::string("echo \"$@\" > asked\necho '{\"fraction\": 0.5, \"part\": \"slide_roll other\"}'\n") +
          "echo '{\"absent\": \"ODE\", \"package\": \"libode-dev\"}'\ncat <<'END'\n" + one_result + "\nEND\n");
  const Outcome table = stiction({"bench", "slide_roll", "--accuracy", "exact", "--peers", "--time-limit", "7"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_EQ(read_file(work() / "asked"), "slide_roll --lines --time-limit 7\n");
  EXPECT_GT(table.out.find("\nother quick "), table.out.find("\nstiction exact "));
  EXPECT_THAT(table.out, AllOf(HasSubstr("2.5e-01"), HasSubstr("other quick, step 0.01: it complained"),
                               HasSubstr("without ODE"), HasSubstr("libode-dev")));
  const Json json = Json::parse(stiction({"bench", "slide_roll", "--accuracy", "exact", "--peers", "--json"}).out);
  EXPECT_EQ(json["results"].back()["engine"], "other");
  EXPECT_EQ(json["absent_peers"][0]["name"], "ODE");
}

TEST_F(Bench, PeersThatFailAreSaid) {
  const std::vector<std::string> bench = {"bench", "slide_roll", "--accuracy", "fast", "--peers"};
  pretend("exit 3\n");
  expect_rejected(bench, {"ended with status 3"});
  pretend("kill -9 $$\n");
  expect_rejected(bench, {"ended by signal 9"});
  pretend("echo hello\n");
  expect_rejected(bench, {"something else than results"});
}

// The program of this build, where benchmarks are built: every engine knows how a sphere rolls, MuJoCo's soft contacts
// to 3.4e-4 m/s (measured).
TEST_F(Bench, PeersOfThisBuildRollLikeOurs) {
  const std::string program = stiction::testing::binary_path("bench/bench_peers");
  if (access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "built without benchmarks";
  setenv("STICTION_BENCH_PEERS", program.c_str(), 1);
  const Outcome outcome = stiction({"bench", "slide_roll", "--accuracy", "exact", "--peers", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const Json& result : Json::parse(outcome.out)["results"]) {
    EXPECT_TRUE(result["completed"]) << result;
    EXPECT_LT(figure(result, "speed error"), 1e-3) << result;
    EXPECT_EQ(result["certificate"].is_null(), result["engine"] != "stiction");
  }
}

// An axis, a limit or an exclusion that a peer gets wrong shows as a joint beyond its limits, or as a figure that does
// not lie still. Quick settings overrun limits by 2.7e-2 rad, open joints by 4 mm and creep by 4 mm/s (measured).
TEST_F(Bench, FiguresOfPeersRestWithinTheirLimits) {
  const std::string program = stiction::testing::binary_path("bench/bench_peers");
  if (access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "built without benchmarks";
  setenv("STICTION_BENCH_PEERS", program.c_str(), 1);
  const Outcome outcome = stiction({"bench", "crawler", "humanoid", "--accuracy", "exact", "--peers", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const Json& result : Json::parse(outcome.out)["results"]) {
    EXPECT_TRUE(result["completed"]) << result;
    EXPECT_LT(figure(result, "overlap"), 1e-2) << result;
    EXPECT_LT(figure(result, "creep"), 1e-2) << result;
    EXPECT_LT(figure(result, "joint gap"), 1e-2) << result;
    EXPECT_LT(figure(result, "limit excess"), 5e-2) << result;
  }
}

}  // namespace
}  // namespace stiction::cli
