// The object of `run --json`: all keys of the interface, in its order, and nothing that JSON cannot say.
#include "stiction/report/json.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "recording/test_scenes.h"

namespace stiction::report {
namespace {

using namespace recording;  // what is reported, and the scenes of its tests

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> keys(const ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& item : object.items()) names.push_back(item.key());
  return names;
}

class RunJson : public ::testing::Test {
 protected:
  void SetUp() override {
    SimulationSettings settings;
    settings.step = 0.01;
    settings.duration = 0.2;
    simulation_.emplace(make_simulation(ball_and_pendulum(), settings));
    summary_ = run(*simulation_);
    json_ = run_json(*simulation_, summary_, "ball.toml");
  }
  std::optional<Simulation> simulation_;
  RunSummary summary_;
  ordered_json json_;
};

TEST_F(RunJson, HasTheKeysOfTheInterfaceInItsOrder) {
  EXPECT_THAT(keys(json_),
              ElementsAre("scene", "method", "solver", "step", "steps", "time", "wall_seconds", "steps_per_second",
                          "contacts", "certificate", "fallbacks", "repairs", "repair_iterations", "final", "ok",
                          "failure", "certificate_tolerance", "iterations", "stiction_version", "notes"));
  EXPECT_THAT(keys(json_["contacts"]), ElementsAre("mean", "max"));
  EXPECT_THAT(keys(json_["certificate"]),
              ElementsAre("penetration", "normal", "friction", "cone", "momentum", "energy_gain", "limit_violation",
                          "steps_over_tolerance", "impacts", "impact_energy", "impact_model"));
  EXPECT_TRUE(json_["fallbacks"].is_object());
  EXPECT_THAT(keys(json_["final"]), ElementsAre("kinetic_energy", "potential_energy", "bodies", "joints", "contacts"));
  EXPECT_THAT(keys(json_["final"]["bodies"]), ElementsAre("ground", "ball", "bob"));
  EXPECT_THAT(keys(json_["final"]["bodies"]["ball"]),
              ElementsAre("position", "quaternion", "linear_velocity", "angular_velocity"));
  EXPECT_THAT(keys(json_["final"]["joints"]), ElementsAre("hinge"));
  EXPECT_THAT(keys(json_["final"]["joints"]["hinge"]), ElementsAre("position", "velocity"));
  ASSERT_EQ(json_["final"]["contacts"].size(), 1U);
  EXPECT_THAT(keys(json_["final"]["contacts"][0]),
              ElementsAre("bodies", "point", "normal", "gap", "force", "moment", "state", "slip"));
}

TEST_F(RunJson, SaysWhatTheSimulationSays) {
  EXPECT_EQ(json_["scene"], "ball.toml");
  EXPECT_EQ(json_["method"], "exact-cone");
  EXPECT_EQ(json_["steps"], 20);
  EXPECT_EQ(json_["time"].get<double>(), simulation_->state().time);
  EXPECT_EQ(json_["contacts"]["max"], 1);
  EXPECT_EQ(json_["certificate"]["friction"].get<double>(), summary_.certificate.friction);
  EXPECT_EQ(json_["ok"], true);
  EXPECT_TRUE(json_["failure"].is_null());
  const ordered_json& ball = json_["final"]["bodies"]["ball"];
  EXPECT_NEAR(ball["linear_velocity"][0].get<double>(), 2 - 0.2 * 9.81 * 0.2, 1e-9);
  EXPECT_EQ(ball["quaternion"].size(), 4U);
  EXPECT_GT(ball["angular_velocity"][1].get<double>(), 0);
  const ordered_json& contact = json_["final"]["contacts"][0];
  EXPECT_EQ(contact["state"], "slip");
  const double up = contact["bodies"][1] == "ball" ? 1 : -1;
  EXPECT_NEAR(contact["force"][2].get<double>(), up * 2 * 9.81, 1e-9);
  EXPECT_EQ(json_["final"]["joints"]["hinge"]["position"].size(), 1U);
}

TEST_F(RunJson, SurvivesItsOwnText) {
  const ordered_json again = ordered_json::parse(json_.dump());
  EXPECT_EQ(again, json_);
}

TEST_F(RunJson, NumbersThatAreNotFiniteAreNullWithANote) {
  EXPECT_TRUE(json_["notes"].empty());
  summary_.certificate.friction = infinity;
  summary_.certificate.cone = std::nan("");
  const ordered_json json = run_json(*simulation_, summary_, "ball.toml");
  EXPECT_TRUE(json["certificate"]["friction"].is_null());
  EXPECT_TRUE(json["certificate"]["cone"].is_null());
  ASSERT_EQ(json["notes"].size(), 2U);
  EXPECT_THAT(json["notes"][0].get<std::string>(), HasSubstr("certificate.friction is infinite"));
  EXPECT_THAT(json["notes"][1].get<std::string>(), HasSubstr("certificate.cone is not a number"));
  EXPECT_EQ(ordered_json::parse(json.dump()), json);
}

TEST_F(RunJson, AFailedRunSaysWhy) {
  summary_.ok = false;
  summary_.failure = "step at t = 1 s not solved";
  summary_.fallbacks[{Fallback::rung, "minimum-map"}] = 3;
  summary_.fallbacks[{Fallback::exact_cone}] = 2;
  summary_.fallbacks[{Fallback::joint_left_open, "hinge"}] = 1;
  const ordered_json json = run_json(*simulation_, summary_, "ball.toml");
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["failure"], "step at t = 1 s not solved");
  // By name, whatever their kinds.
  EXPECT_EQ(json["fallbacks"].dump(), R"({"exact-cone":2,"joint 'hinge' left open":1,"minimum-map":3})");
}

}  // namespace
}  // namespace stiction::report
