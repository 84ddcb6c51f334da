// A run that is stopped and resumed goes on as if nothing had happened; a checkpoint of something else is refused.
#include "stiction/recording/checkpoint.h"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "recording/test_scenes.h"
#include "stiction/methods/registry.h"

namespace stiction::recording {
namespace {

using ::testing::HasSubstr;

void advance_by(Simulation& simulation, int steps) {
  for (int k = 0; k < steps; ++k) {
    const StepOutcome outcome = simulation.step();
    ASSERT_TRUE(outcome.ok) << outcome.failure;
  }
}

TEST(Checkpoint, StateComesBackBitForBit) {
  const TemporaryFolder folder;
  Simulation before = make_simulation(ball_and_pendulum());
  advance_by(before, 37);
  ASSERT_TRUE(save_checkpoint(before, folder.file("c.json")));
  Simulation after = make_simulation(ball_and_pendulum());
  const auto loaded = load_checkpoint(folder.file("c.json"), after);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(after.step_index(), 37);
  EXPECT_EQ(after.state().time, before.state().time);
  EXPECT_EQ(after.state().q, before.state().q);
  EXPECT_EQ(after.state().v, before.state().v);
  EXPECT_EQ(folder.count(), 1) << "no .part";
}

// 200 steps, or 100, a checkpoint, and 100 more: the same bits under every method.
TEST(Checkpoint, ResumedRunsGoOnAsBefore) {
  const TemporaryFolder folder;
  for (const std::string& method : methods::method_names()) {
    SCOPED_TRACE(method);
    SimulationSettings settings;
    settings.method = method;
    Simulation whole = make_simulation(ball_and_pendulum(), settings);
    Simulation first = make_simulation(ball_and_pendulum(), settings);
    advance_by(whole, 200);
    advance_by(first, 100);
    ASSERT_TRUE(save_checkpoint(first, folder.file("c.json")));
    Simulation second = make_simulation(ball_and_pendulum(), settings);
    ASSERT_TRUE(load_checkpoint(folder.file("c.json"), second));
    advance_by(second, 100);
    EXPECT_EQ(second.step_index(), whole.step_index());
    EXPECT_EQ(second.state().time, whole.state().time);
    EXPECT_EQ(second.state().v, whole.state().v);
    EXPECT_EQ(second.state().q, whole.state().q);
  }
}

TEST(Checkpoint, ADamagedMemoryIsRefused) {
  const TemporaryFolder folder;
  Simulation before = make_simulation(ball_and_pendulum());
  advance_by(before, 20);
  ASSERT_TRUE(save_checkpoint(before, folder.file("c.json")));
  auto json = nlohmann::ordered_json::parse(read_text(folder.file("c.json")));
  auto& lists = json["memory"];
  const auto list = std::find_if(lists.begin(), lists.end(), [](const auto& l) { return l.size() > 2; });
  ASSERT_NE(list, lists.end()) << "contacts remember nothing";
  const std::string name = (*list)[0];
  list->erase(list->size() - 1);
  std::ofstream(folder.file("c.json")) << json.dump();
  Simulation after = make_simulation(ball_and_pendulum());
  const auto loaded = load_checkpoint(folder.file("c.json"), after);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().name, "memory." + name);
  EXPECT_EQ(after.step_index(), 0);
}

TEST(Checkpoint, AnotherModelIsRefusedByTheNameOfWhatDiffers) {
  const TemporaryFolder folder;
  Simulation original = make_simulation(ball_and_pendulum());
  ASSERT_TRUE(save_checkpoint(original, folder.file("c.json")));
  const auto refused = [&](const ModelDescription& description, const SimulationSettings& settings, const char* part) {
    Simulation other = make_simulation(description, settings);
    const VectorX q = other.state().q;
    const auto loaded = load_checkpoint(folder.file("c.json"), other);
    ASSERT_FALSE(loaded) << part;
    EXPECT_EQ(loaded.error().name, part);
    EXPECT_THAT(loaded.error().remedy, HasSubstr("Resume with the scene"));
    EXPECT_EQ(other.state().q, q) << "untouched";
  };
  ModelDescription heavier = ball_and_pendulum(), renamed = heavier, rougher = heavier, larger = heavier,
                   softer = heavier, lighter_world = heavier, turned = heavier;
  heavier.bodies[1].mass = 2.5;
  refused(heavier, {}, "bodies");
  renamed.bodies[0].name = "floor";
  refused(renamed, {}, "bodies");
  turned.joints[0].coordinates.resize(1);
  turned.joints[0].coordinates[0].damping = 0.1;
  refused(turned, {}, "joints");
  larger.bodies[0].shapes[0].X_BS.p = Vector3(0, 0, -0.5);
  refused(larger, {}, "shapes");
  rougher.materials[0].friction = {0.3, 0.3};
  refused(rougher, {}, "materials");
  softer.materials[0].layer.stiffness(0, 0) = 1e4;
  refused(softer, {}, "materials");
  lighter_world.gravity = Vector3(0, 0, -1.62);
  refused(lighter_world, {}, "forces");
  SimulationSettings finer;
  finer.step = 5e-4;
  refused(ball_and_pendulum(), finer, "settings");
}

// What a resumed run may change: how long it goes on and on how many threads; where bodies started does not matter.
TEST(Checkpoint, DurationThreadsAndInitialPosesMayDiffer) {
  const TemporaryFolder folder;
  Simulation original = make_simulation(ball_and_pendulum());
  ASSERT_TRUE(save_checkpoint(original, folder.file("c.json")));
  SimulationSettings longer;
  longer.duration = 99;
  longer.threads = 2;
  ModelDescription moved = ball_and_pendulum();
  moved.bodies[1].position.x() = 3;
  Simulation other = make_simulation(moved, longer);
  const auto loaded = load_checkpoint(folder.file("c.json"), other);
  EXPECT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(other.state().q, original.state().q);
}

TEST(Checkpoint, DamagedFilesAreErrors) {
  const TemporaryFolder folder;
  Simulation simulation = make_simulation(ball_and_pendulum());
  ASSERT_TRUE(save_checkpoint(simulation, folder.file("c.json")));
  const auto good = nlohmann::json::parse(read_text(folder.file("c.json")));
  const auto refused = [&](const nlohmann::json& json) {
    std::ofstream(folder.file("bad.json")) << json.dump();
    const auto loaded = load_checkpoint(folder.file("bad.json"), simulation);
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().file, HasSubstr("bad.json"));
  };
  for (const char* key : {"format", "format_version", "fingerprint", "step_index", "time", "q", "v"}) {
    nlohmann::json bad = good;
    bad.erase(key);
    refused(bad);
    bad[key] = nullptr;
    refused(bad);
  }
  nlohmann::json bad = good;
  bad["q"][0] = "nan";
  refused(bad);
  bad["q"][0] = "0x1p+3 metres";
  refused(bad);
  bad["q"].erase(0);
  refused(bad);
  refused(nlohmann::json::array());
  std::ofstream(folder.file("text.json")) << "{ not json";
  EXPECT_FALSE(load_checkpoint(folder.file("text.json"), simulation));
  EXPECT_FALSE(load_checkpoint(folder.file("none.json"), simulation));
  EXPECT_FALSE(save_checkpoint(simulation, folder.file("none/c.json")));
}

}  // namespace
}  // namespace stiction::recording
