// `stiction run` by method event-driven: the file of events, what is printed of them, and what is refused.
#include <cmath>

#include <gmock/gmock.h>

#include "apps/command.h"

namespace stiction::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

constexpr double g = 9.81, height = 0.5, e = 0.5;

// A ball of 0.1 m falls by 0.5 m and bounces with restitution 0.5.
const std::string bouncing = R"([simulation]
method = "event-driven"
step = 0.05
duration = 1.2
[material.m]
restitution = 0.5
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", material = "m" }
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.6]
shape = { type = "sphere", radius = 0.1, material = "m" }
)";

// A ball that hits ground and wall at the same time (rodriguez2010, case 1): several outcomes.
const std::string corner = R"([simulation]
method = "event-driven"
gravity = [0, 0, 0]
step = 0.01
duration = 0.2
[material.m]
restitution = 0.5
friction = 0.25
static_friction = 0.5
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", material = "m" }
[[body]]
name = "wall"
fixed = true
position = [1, 0, 0]
shape = { type = "plane", normal = [-1, 0, 0], material = "m" }
[[body]]
name = "ball"
mass = 1.0
position = [0.8, 0, 0.2]
linear_velocity = [1, 0, -1]
shape = { type = "sphere", radius = 0.1, material = "m" }
)";

class Events : public CommandLine {
 protected:
  std::vector<Json> events_of(const std::string& scene, std::vector<std::string> more = {}) {
    write("a.toml", scene);
    more.insert(more.begin(), {"run", "a.toml", "--events", "a.jsonl"});
    const Outcome outcome = stiction(more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    printed_ = outcome;
    return json_lines(read_file(work() / "a.jsonl"));
  }
  Outcome printed_;
};

// t_0 = sqrt(2 h / g), then 2 e^k v_0 / g between bounces; v_k = e^k v_0. Issue: times to 1e-10 s. A speed is as good
// as the time since the last impact times g.
TEST_F(Events, TimesAndSpeedsOfABouncingBallAreReadBack) {
  const std::vector<Json> events = events_of(bouncing);
  const double fall = std::sqrt(2 * height / g), v0 = g * fall;
  double time = fall, speed = v0;
  int impacts = 0, accumulations = 0;
  for (const Json& event : events) {
    if (event["kind"] == "accumulation") ++accumulations;
    if (event["kind"] != "impact" || accumulations > 0) continue;
    EXPECT_EQ(event["impact"], impacts);
    EXPECT_NEAR(event["time"].get<double>(), time, 1e-10) << impacts;
    EXPECT_NEAR(event["speed"].get<double>(), speed, 1e-9) << impacts;
    time += 2 * e * speed / g;
    speed *= e;
    ++impacts;
  }
  EXPECT_GE(impacts, 30);
  EXPECT_EQ(accumulations, 1);
  EXPECT_EQ(events.back()["kind"], "contact made");
  EXPECT_THAT(printed_.out, HasSubstr("  events: "));
  EXPECT_THAT(printed_.out, HasSubstr(" 1 contact made, 1 accumulation passed\n"));
  EXPECT_THAT(printed_.err, IsEmpty());
}

TEST_F(Events, AnImpactHasItsBodiesAndTheOutcomeThatWasPicked) {
  const Json event = events_of(bouncing, {"--duration", "0.4"}).at(0);
  EXPECT_EQ(event["kind"], "impact");
  EXPECT_EQ(event["bodies"], Json({"ground", "ball"}));
  EXPECT_NEAR(event["point"][2].get<double>(), 0, 1e-9);
  ASSERT_EQ(event["contacts"].size(), 1U);
  EXPECT_EQ(event["contacts"][0]["bodies"], event["bodies"]);
  EXPECT_EQ(event["contacts"][0]["hits"], true);
  EXPECT_EQ(event["contacts"][0]["restitution"], e);
  const double v = event["speed"];
  int picked = 0;
  for (const Json& outcome : event["outcomes"]) {
    for (const char* flag : {"gains_energy", "leaves_cone", "penetrates"}) EXPECT_EQ(outcome[flag], false) << flag;
    if (outcome["picked"] != true) continue;
    ++picked;
    EXPECT_EQ(outcome["obeys_coulomb"], true);
    EXPECT_NEAR(outcome["energy_change"].get<double>(), 0.5 * v * v * (e * e - 1), 1e-9);  // mass 1
    EXPECT_NEAR(outcome["contacts"][0]["velocity"][0].get<double>(), e * v, 1e-9);
    EXPECT_NEAR(outcome["contacts"][0]["impulse"][0].get<double>(), (1 + e) * v, 1e-9);
  }
  EXPECT_EQ(picked, 1);
}

// Outcomes that differ by rounding are one, also where nothing moves afterwards.
TEST_F(Events, ABallThatStaysHasOneOutcome) {
  const std::vector<Json> events = events_of(bouncing, {"--set", "material.m.restitution=0"});
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0]["outcomes"].size(), 1U);
  EXPECT_EQ(events[1]["kind"], "contact made");
  EXPECT_THAT(printed_.out, HasSubstr("  events: 1 impact, 1 contact made\n"));
}

TEST_F(Events, ContactsThatHitTogetherShareAnImpactWithAllItsOutcomes) {
  const std::vector<Json> events = events_of(corner);
  ASSERT_GE(events.size(), 2U);
  EXPECT_NEAR(events[0]["time"].get<double>(), 0.1, 1e-10);
  EXPECT_EQ(events[0]["impact"], events[1]["impact"]);
  EXPECT_FALSE(events[1].contains("outcomes"));  // once an impact
  ASSERT_EQ(events[0]["contacts"].size(), 2U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(events[0]["contacts"][i]["bodies"], events[i]["bodies"]);
    EXPECT_NEAR(events[0]["contacts"][i]["velocity"][0].get<double>(), -1, 1e-9);
  }
  EXPECT_GT(events[0]["outcomes"].size(), 1U);
  EXPECT_THAT(printed_.out, HasSubstr("  events: 2 impacts (1 with several outcomes)"));
}

TEST_F(Events, OutcomesThatAreFlaggedAreWarnedOf) {
  const std::vector<Json> events = events_of(corner, {"--set", "method.event-driven.rule=published"});
  int flags = 0;
  for (const Json& outcome : events.at(0)["outcomes"]) {
    if (outcome["picked"] != true) continue;
    for (const char* flag : {"gains_energy", "leaves_cone", "penetrates"}) flags += outcome[flag] == true ? 1 : 0;
  }
  EXPECT_GT(flags, 0);
  EXPECT_THAT(printed_.err, HasSubstr("warning: 1 impacts went on with an outcome"));
}

TEST_F(Events, JsonCountsThem) {
  write("a.toml", corner);
  const Json json = json_lines(stiction({"run", "a.toml", "--json"}).out).at(0);
  EXPECT_EQ(json["events"]["count"]["impact"], 2);
  EXPECT_EQ(json["events"]["ambiguous"], 1);
  EXPECT_EQ(json["events"]["flagged"], 0);
  EXPECT_GT(json["events"]["outcomes"], 1);
  EXPECT_EQ(json["certificate"]["impact_model"], "coulomb");
  const Json other = json_lines(stiction({"run", "a.toml", "--json", "--method", "exact-cone"}).out).at(0);
  EXPECT_FALSE(other.contains("events"));
}

TEST_F(Events, TheReportListsThem) {
  write("a.toml", bouncing);
  ASSERT_EQ(stiction({"run", "a.toml", "--report", "a.html", "--quiet"}).status, 0);
  const std::string page = read_file(work() / "a.html");
  EXPECT_THAT(page, HasSubstr("<h2>Events</h2>"));
  EXPECT_THAT(page, HasSubstr("<td>impact</td><td>ground, ball</td>"));
  ASSERT_EQ(stiction({"run", "a.toml", "--report", "b.html", "--quiet", "--method", "exact-cone"}).status, 0);
  EXPECT_THAT(read_file(work() / "b.html"), Not(HasSubstr("<h2>Events</h2>")));
}

TEST_F(Events, OtherMethodsAndWrongPlacesAreRefusedBeforeTheRun) {
  write("a.toml", bouncing);
  const std::set<std::string> before = files();
  const auto refused = [&](std::vector<std::string> arguments, const char* word) {
    arguments.insert(arguments.begin(), {"run", "a.toml"});
    const Outcome outcome = stiction(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(word));
    EXPECT_THAT(outcome.err, HasSubstr("remedy: "));
    EXPECT_EQ(files(), before);
  };
  refused({"--events", "a.jsonl", "--method", "exact-cone"}, "Add --method event-driven");
  refused({"--events", "a.toml"}, "overwrite");
  refused({"--events", "a.jsonl", "--report", "a.jsonl"}, "overwrite");
  refused({"--events", "no/a.jsonl"}, "mkdir -p 'no'");
}

TEST_F(Events, HelpShowsTheOption) {
  const std::string help = stiction({"run", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("--events F.jsonl"));
  EXPECT_THAT(help, HasSubstr("--method event-driven --events boxes.jsonl"));
}

}  // namespace
}  // namespace stiction::cli
