// `stiction run`: results, files and exit statuses as a user sees them.
#include <gmock/gmock.h>

#include "apps/command.h"
#include "stiction/base/stage_times.h"
#include "stiction/methods/registry.h"

namespace stiction::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using Json = nlohmann::json;

class Run : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write("a.toml", small_scene);
  }
  Json run_json(std::vector<std::string> arguments, int status = 0) {
    arguments.insert(arguments.begin(), "run");
    arguments.push_back("--json");
    const Outcome outcome = stiction(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    const std::vector<Json> lines = json_lines(outcome.out);
    EXPECT_EQ(lines.size(), 1U);
    return lines.empty() ? Json() : lines.front();
  }
};

// A pendulum let go 0.105 rad outside its limits.
TEST_F(Run, SaysHowFarAJointIsPastItsLimit) {
  const std::vector<std::string> outside = {scene("pendulum.toml"), "--duration", "0.01", "--set",
                                            "joint.pivot.limits=[0.2,1]"};
  EXPECT_NEAR(run_json(outside)["certificate"]["limit_violation"].get<double>(), 0.105, 1e-9);
  std::vector<std::string> arguments = outside;
  arguments.insert(arguments.begin(), "run");
  EXPECT_THAT(stiction(arguments).out, HasSubstr(" J, limit violation 1.05e-01 m or rad\n"));
}

TEST_F(Run, JsonHasAllKeysOfTheInterface) {
  const Json json = run_json({scene("pendulum.toml"), "--duration", "0.1"});
  EXPECT_THAT(keys_of(json), IsSupersetOf({"scene", "method", "solver", "step", "steps", "time", "wall_seconds",
                                           "steps_per_second", "contacts", "certificate", "fallbacks", "final"}));
  EXPECT_THAT(keys_of(json["contacts"]), IsSupersetOf({"mean", "max"}));
  EXPECT_THAT(keys_of(json["certificate"]), IsSupersetOf({"penetration", "normal", "friction", "cone", "momentum",
                                                          "energy_gain", "limit_violation", "steps_over_tolerance"}));
  EXPECT_THAT(keys_of(json["final"]),
              IsSupersetOf({"kinetic_energy", "potential_energy", "bodies", "joints", "contacts"}));
  ASSERT_FALSE(json["final"]["joints"].empty());
  for (const auto& [name, joint] : json["final"]["joints"].items()) {
    EXPECT_THAT(keys_of(joint), IsSupersetOf({"position", "velocity"})) << name;
  }
  for (const auto& [name, body] : json["final"]["bodies"].items()) {
    EXPECT_THAT(keys_of(body), IsSupersetOf({"position", "quaternion", "linear_velocity", "angular_velocity"})) << name;
    EXPECT_EQ(body["position"].size(), 3U);
    EXPECT_EQ(body["quaternion"].size(), 4U);
  }
}

TEST_F(Run, JsonHasTheAngleOfAScrew) {
  write("screw.toml", R"(
[[body]]
name = "nut"
mass = 2.0
inertia = [0.01, 0.01, 0.01, 0, 0, 0]
[[joint]]
name = "thread"
type = "screw"
parent = "world"
child = "nut"
pitch = 0.1
velocity = 30.0
)");
  for (const std::string coordinates : {"reduced", "maximal"}) {
    const Json json =
        run_json({"screw.toml", "--duration", "0.5", "--set", "method.exact-cone.coordinates=\"" + coordinates + "\""});
    const Json joint = json["final"]["joints"]["thread"];
    ASSERT_EQ(joint["position"].size(), 1U);
    const double angle = joint["position"][0], lead = 0.1 / (2 * M_PI);
    EXPECT_GT(angle, 2 * M_PI);  // whole turns count
    EXPECT_NEAR(json["final"]["bodies"]["nut"]["position"][2].get<double>(), lead * angle, 1e-9);
    // 2 kg on J = I + m lead^2
    const double slowed = 2 * 9.81 * lead / (0.01 + 2 * lead * lead) * 0.5;
    EXPECT_NEAR(joint["velocity"][0].get<double>(), 30 - slowed, 1e-8);
  }
  EXPECT_THAT(stiction({"inspect", "screw.toml"}).out, HasSubstr("screw"));
}

TEST_F(Run, JsonContactCarriesTheWeight) {
  const Json json = run_json({"a.toml"});
  ASSERT_EQ(json["final"]["contacts"].size(), 1U);
  const Json contact = json["final"]["contacts"][0];
  EXPECT_THAT(keys_of(contact), IsSupersetOf({"bodies", "point", "normal", "gap", "force", "moment", "state"}));
  EXPECT_EQ(contact["state"], "stick");
  const bool ground_first = contact["bodies"][0] == "ground";
  const double sign = ground_first ? 1 : -1;                          // force acts on bodies[1], normal points to it
  EXPECT_NEAR(contact["force"][2].get<double>(), sign * 9.81, 1e-9);  // rounding of an impulse of 1e-2 over h
  EXPECT_NEAR(contact["normal"][2].get<double>(), sign, 1e-15);
  EXPECT_EQ(json["steps"], 10);
  EXPECT_EQ(json["scene"], "a.toml");
  EXPECT_EQ(json["method"], "exact-cone");
}

// It takes problems in global form: one method states its steps so, the others say who does.
TEST_F(Run, TheSolverInBodySpaceIsForTheMethodThatHasIt) {
  const Json json = run_json({"a.toml", "--solver", "body"});
  EXPECT_EQ(json["solver"], "body");
  ASSERT_EQ(json["final"]["contacts"].size(), 1U);
  EXPECT_NEAR(std::abs(json["final"]["contacts"][0]["force"][2].get<double>()), 9.81, 1e-6);  // residual 1e-8 of it
  const Outcome other = stiction({"run", "a.toml", "--method", "stewart-trinkle", "--solver", "body"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("method stewart-trinkle has no use for this solver"));
  EXPECT_THAT(other.err, HasSubstr("remedy: Take solver auto, or a method that has: exact-cone."));
}

TEST_F(Run, TextGoesToStdoutAndNothingToStderr) {
  const Outcome outcome = stiction({"run", "a.toml"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("certificate"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\r")));
  EXPECT_THAT(outcome.err, IsEmpty());
  const Outcome quiet = stiction({"run", "a.toml", "--quiet"});
  EXPECT_EQ(quiet.status, 0);
  EXPECT_THAT(quiet.out + quiet.err, IsEmpty());
}

std::set<std::string> all_stages() {
  std::set<std::string> names;
  for (int s = 0; s < stage_count; ++s) names.emplace(stage_name(static_cast<Stage>(s)));
  return names;
}

// Steps go through every stage but one, motion from event to event through that one.
TEST_F(Run, ProfileHasEveryStageWhereItIsAskedFor) {
  const std::vector<std::string> plain = {"run", "a.toml", "--record", "a.h5"};
  const std::vector<std::string> events = {"run", "a.toml", "--method", "event-driven"};
  std::set<std::string> printed;
  for (const auto& arguments : {plain, events}) {
    std::vector<std::string> profiled = arguments;
    profiled.push_back("--profile");
    const std::string text = stiction(profiled).out;
    ASSERT_THAT(text, HasSubstr("\nstage "));
    const std::string table = text.substr(text.find("\nstage "));
    for (const std::string& name : all_stages()) {
      if (table.find("\n" + name + "  ") != std::string::npos) printed.insert(name);
    }
    EXPECT_THAT(table, HasSubstr("\nbetween stages "));
    EXPECT_THAT(stiction(arguments).out, Not(HasSubstr("stage")));
  }
  EXPECT_EQ(printed, all_stages());
}

TEST_F(Run, ProfileIsInTheJsonWithEveryStageWhereItIsAskedFor) {
  const Json json = run_json({"a.toml", "--profile"});
  EXPECT_EQ(keys_of(json["profile"]), all_stages());
  double sum = 0;
  for (const auto& [stage, seconds] : json["profile"].items()) {
    EXPECT_GE(seconds.get<double>(), 0) << stage;
    sum += seconds.get<double>();
  }
  EXPECT_GT(json["profile"]["solve"].get<double>(), 0);
  EXPECT_LE(sum, json["wall_seconds"].get<double>());  // one thread: stages do not overlap
  EXPECT_FALSE(run_json({"a.toml"}).contains("profile"));
}

TEST_F(Run, PropertiesThatTheMethodDoesNotKnowAreWarnedOf) {
  using Known = methods::Knowledge;
  const std::map<std::string, bool Known::*> properties = {{"rolling_friction", &Known::rolling},
                                                           {"static_friction", &Known::static_friction},
                                                           {"stiffness", &Known::layers},
                                                           {"damping", &Known::layers}};
  for (const auto& [key, known] : properties) {
    for (const std::string method : {"exact-cone", "stewart-trinkle", "quasi-rigid"}) {
      const Outcome outcome =
          stiction({"run", "a.toml", "--method", method, "--set", "material.default." + key + "=0.9", "--json"});
      EXPECT_EQ(outcome.status, 0);
      const bool knows = methods::find_method(method)->knows.*known;
      EXPECT_EQ(outcome.err.find("warning: " + key) == std::string::npos, knows) << method << ' ' << key;
      EXPECT_EQ(json_lines(outcome.out).size(), 1U);
    }
  }
  const Outcome thickness = stiction({"run", "a.toml", "--set", "material.default.layer_thickness=0.01"});
  EXPECT_EQ(thickness.status, 2);  // a layer needs a stiffness
  EXPECT_THAT(thickness.err, HasSubstr("layer_thickness"));
}

// Every method says what it does about overlap, not what another one would.
TEST_F(Run, OverlapAtTheStartIsWarnedOfAsTheMethodTreatsIt) {
  const std::map<std::string, std::string> said = {{"exact-cone", "moved apart at 0.5 m/s"},
                                                   {"implicit-geometry", "moved apart at 0.5 m/s"},
                                                   {"stewart-trinkle", "thrown apart at 10 m/s"},
                                                   {"acceleration-lcp", "or lower error_reduction"},
                                                   {"penalty", "springs of method penalty will throw them apart"},
                                                   {"convex-impulse", "method convex-impulse leaves it so"},
                                                   {"sequential-impulse", "method sequential-impulse leaves it so"},
                                                   {"event-driven", "method event-driven leaves it so"}};
  for (const auto& [method, words] : said) {
    const Outcome outcome =
        stiction({"inspect", "a.toml", "--set", "body.ball.position=[0, 0, 0.09]", "--method", method});
    EXPECT_THAT(outcome.err, HasSubstr(words)) << method;
  }
}

TEST_F(Run, OverlapAtTheStartIsWarnedOf) {
  const std::string sunk = "body.ball.position=[0, 0, 0.09]";
  const std::string polygon = "simulation.method=stewart-trinkle";
  for (const char* command : {"run", "inspect"}) {
    EXPECT_THAT(stiction({command, "a.toml", "--set", sunk, "--set", polygon}).err,
                ::testing::AllOf(HasSubstr("'ground' and 'ball' overlap by 0.01 m"), HasSubstr("10 m/s")));
    EXPECT_THAT(stiction({command, "a.toml", "--set", sunk}).err,
                ::testing::AllOf(HasSubstr("'ground' and 'ball' overlap by 0.01 m"), HasSubstr("moved apart")));
    EXPECT_THAT(stiction({command, "a.toml"}).err, IsEmpty());
  }
  EXPECT_THAT(stiction({"run", "a.toml", "--set", sunk, "--set", polygon, "--set",
                        "method.stewart-trinkle.max_recovery_speed=0.05"})
                  .err,
              IsEmpty());
  EXPECT_THAT(stiction({"run", "a.toml", "--set", sunk, "--quiet"}).err, IsEmpty());
}

// A press that moves as prescribed, whatever is under it: no velocity of the ball satisfies both contacts.
TEST_F(Run, StepWithoutSolutionSaysWhoWasInvolvedAndKeepsWhatWasRecorded) {
  write("squeeze.toml", std::string(small_scene) +
                            "[[body]]\nname = \"press\"\nposition = [0, 0, 0.2055]\n"
                            "motion = { velocity = [0, 0, -1] }\nshape = { type = \"plane\", normal = [0, 0, -1] }\n");
  const Outcome outcome = stiction({"run", "squeeze.toml", "--record", "s.h5", "--json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, ::testing::AllOf(HasSubstr("t = 0.005 s"), HasSubstr("press"), HasSubstr("ground - ball"),
                                            HasSubstr("remedy: ")));
  const Json json = json_lines(outcome.out).at(0);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["steps"], 5);
  EXPECT_THAT(outcome.err, HasSubstr(json["failure"].get<std::string>()));
  EXPECT_DOUBLE_EQ(json["final"]["bodies"]["ball"]["position"][2].get<double>(), 0.1);
  EXPECT_EQ(files().count("s.h5"), 1U);
}

TEST_F(Run, NoProgressBarInAPipe) {
  const Outcome outcome = stiction({"run", scene("tower.toml"), "--duration", "0.05"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(Run, OptionsOverrideTheScene) {
  const Json json = run_json({"a.toml", "--step", "0.002", "--duration", "0.02", "--threads", "2"});
  EXPECT_EQ(json["steps"], 10);
  EXPECT_DOUBLE_EQ(json["step"].get<double>(), 0.002);
  EXPECT_EQ(run_json({"a.toml", "--step", "0.002", "--step", "0.005"})["steps"], 2);  // the last one counts
}

TEST_F(Run, SetOverridesKeysOfTheScene) {
  // Free fall under another gravity: semi-implicit steps give v = g n h.
  const Json json = run_json({"a.toml", "--set", "simulation.gravity=[0, 0, -2]", "--set",
                              "body.ball.position=[0, 0, 5]", "--set", "body.ball.linear_velocity=[3, 0, 0]"});
  const Json velocity = json["final"]["bodies"]["ball"]["linear_velocity"];
  EXPECT_NEAR(velocity[0].get<double>(), 3, 1e-14);
  EXPECT_NEAR(velocity[2].get<double>(), -2 * 0.01, 1e-15);
}

TEST_F(Run, EveryOutputIsWritten) {
  const Outcome outcome = stiction({"run", "a.toml", "--record", "r.h5", "--report", "r.html", "--checkpoint", "r.ck"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(files(), (std::set<std::string>{"a.toml", "r.h5", "r.html", "r.ck"}));
  EXPECT_EQ(read_file(work() / "r.h5").substr(1, 3), "HDF");
  const std::string page = read_file(work() / "r.html");
  EXPECT_THAT(page, HasSubstr("</html>"));
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

TEST_F(Run, ResumeGoesOnFromACheckpoint) {
  const std::string sliding = "body.ball.linear_velocity=[1, 0, 0]";
  EXPECT_EQ(stiction({"run", "a.toml", "--set", sliding, "--checkpoint", "half.ck"}).status, 0);
  const Json resumed = run_json({"a.toml", "--set", sliding, "--resume", "half.ck", "--duration", "0.02"});
  const Json whole = run_json({"a.toml", "--set", sliding, "--duration", "0.02"});
  EXPECT_EQ(resumed["steps"], 10);
  EXPECT_DOUBLE_EQ(resumed["time"].get<double>(), whole["time"].get<double>());
  for (const char* key : {"position", "linear_velocity", "angular_velocity"}) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(resumed["final"]["bodies"]["ball"][key][i].get<double>(),
                  whole["final"]["bodies"]["ball"][key][i].get<double>(), 1e-12)  // rounding of 20 steps
          << key;
    }
  }
  const Outcome other = stiction({"run", "a.toml", "--resume", "half.ck", "--step", "0.002", "--record", "r.h5"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("step"));
  EXPECT_EQ(files().count("r.h5"), 0U);
}

TEST_F(Run, RequiredCertificateDecidesTheExitStatus) {
  // A polygon of three directions cannot meet the round cone that the certificate judges while the ball slides askew.
  const std::vector<std::string> askew = {"run",   "a.toml",
                                          "--set", "body.ball.linear_velocity=[1, 0.3, 0]",
                                          "--set", "method.stewart-trinkle.friction_directions=3",
                                          "--set", "simulation.method=stewart-trinkle"};
  auto with = [&](const std::string& tolerance) {
    std::vector<std::string> arguments = askew;
    arguments.insert(arguments.end(), {"--require-certificate", tolerance, "--json"});
    return stiction(arguments);
  };
  const Outcome missed = with("1e-8");
  EXPECT_EQ(missed.status, 1);
  EXPECT_THAT(missed.err, HasSubstr("certificate"));
  EXPECT_EQ(json_lines(missed.out).size(), 1U);
  EXPECT_EQ(with("10").status, 0);
  EXPECT_EQ(stiction({"run", "a.toml", "--require-certificate", "1e-8"}).status, 0);
}

TEST_F(Run, CertificateToleranceCountsSteps) {
  const std::vector<std::string> askew = {"a.toml", "--set", "body.ball.linear_velocity=[1, 0.3, 0]", "--method",
                                          "stewart-trinkle"};
  const Json strict = run_json(askew);
  EXPECT_EQ(strict["certificate"]["steps_over_tolerance"], 10);
  std::vector<std::string> lenient = askew;
  lenient.insert(lenient.end(), {"--certificate-tol", "10"});
  const Json loose = run_json(lenient);
  EXPECT_EQ(loose["certificate"]["steps_over_tolerance"], 0);
}

TEST_F(Run, SameInputSameOutput) {
  auto stable = [&](Json json) {
    json.erase("wall_seconds");
    json.erase("steps_per_second");
    return json.dump();
  };
  const std::vector<std::string> boxes = {scene("falling_boxes.toml"), "--duration", "0.4"};
  std::vector<std::string> threaded = boxes;
  threaded.insert(threaded.end(), {"--threads", "3"});
  EXPECT_EQ(stable(run_json(boxes)), stable(run_json(threaded)));
}

TEST_F(Run, ReaderThatGoesAwayCausesNoCrash) {
  EXPECT_EQ(shell("$STICTION run a.toml --json | head -c 10 > head.txt"), 0);
  EXPECT_EQ(read_file(work() / "head.txt").size(), 10U);
  EXPECT_EQ(shell("{ sleep 0.2; $STICTION run a.toml --json; echo $? > status.txt; } | true"), 0);
  EXPECT_EQ(read_file(work() / "status.txt"), "0\n");
}

TEST_F(Run, FullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(shell("$STICTION run a.toml > /dev/full 2> err.txt"), 2);
  EXPECT_THAT(read_file(work() / "err.txt"), HasSubstr("standard output"));
}

TEST_F(Run, MethodsThatKnowEllipsesOnlySayThatTheyIgnoreOtherFrictionSets) {
  write("polygon.toml",
        std::string(small_scene) + "[material.default]\nfriction_polygon = [[0.5, 0], [0, 0.5], [-0.5, -0.5]]\n");
  write("exponent.toml", std::string(small_scene) + "[material.default]\nfriction_exponent = 3\n");
  for (const std::string key : {"polygon", "exponent"}) {
    const Outcome outcome = stiction({"run", key + ".toml", "--method", "stewart-trinkle"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("friction_" + key + " of a material is ignored by method stewart-trinkle"));
    for (const std::string method : {"exact-cone", "anitescu-potra"}) {
      const Outcome known = stiction({"run", key + ".toml", "--method", method});
      EXPECT_EQ(known.status, 0) << known.err;
      EXPECT_EQ(known.err, "");
    }
  }
}

// The ball lies in a groove whose walls hold it from both sides.
TEST_F(Run, LossOfPointednessIsInTextAndJson) {
  write("groove.toml", R"([simulation]
method = "anitescu-potra"
step = 1e-3
duration = 0.01
[method.anitescu-potra]
check_existence = true
[material.default]
friction = 2
[[body]]
name = "groove"
fixed = true
shapes = [{ type = "plane", normal = [0, 3, 4] }, { type = "plane", normal = [0, -3, 4] }]
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.125]
shape = { type = "sphere", radius = 0.1 }
)");
  EXPECT_THAT(stiction({"run", "groove.toml"}).out,
              HasSubstr("pointedness lost in 10 of 10 steps with contacts, first at t = 0 s, bodies [ball]"));
  const Json existence = json_lines(stiction({"run", "groove.toml", "--json"}).out).at(0)["existence"];
  EXPECT_EQ(existence, (Json{{"steps_checked", 10},
                             {"not_pointed", 10},
                             {"undecided", 0},
                             {"first_time", 0.0},
                             {"first_bodies", {"ball"}}}));
  const Outcome off =
      stiction({"run", "groove.toml", "--json", "--set", "method.anitescu-potra.check_existence=false"});
  EXPECT_FALSE(json_lines(off.out).at(0).contains("existence"));
}

}  // namespace
}  // namespace stiction::cli
