// Scene and model together: every example builds, and what the readers leave to build_model() is an Error with the
// line.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/model/model.h"
#include "stiction/scene/scene.h"
#include "support/places.h"

namespace stiction::scene {
namespace {

const std::filesystem::path scenes = stiction::testing::source_path("scenes");

BuiltModel build(const std::string& name) {
  const Result<Scene> scene = load_scene((scenes / (name + ".toml")).string());
  EXPECT_TRUE(scene.has_value()) << (scene ? "" : scene.error().message());
  if (!scene) return {};
  Result<BuiltModel> built = build_model(scene->model);
  EXPECT_TRUE(built.has_value()) << (built ? "" : built.error().message());
  return built ? std::move(*built) : BuiltModel{};
}

TEST(Build, EveryExampleWithoutAWarning) {
  for (const auto& entry : std::filesystem::directory_iterator(scenes)) {
    if (entry.path().extension() != ".toml") continue;
    EXPECT_THAT(build(entry.path().stem()).warnings, ::testing::IsEmpty()) << entry.path();
  }
}

TEST(Build, FrictionOfThePublishedSphere) {
  const Model model = build("sphere_slide_roll").model;
  const int surface = model.shapes.at(0).material;
  EXPECT_DOUBLE_EQ(model.pair_material(surface, surface).friction[0], 0.2);
  EXPECT_DOUBLE_EQ(model.bodies.at(1).inertia_B(0, 0), 0.4);  // 2/5 m r^2
}

TEST(Build, ChainIsOneTreeOfThirty) {
  const Model model = build("chain").model;
  EXPECT_EQ(model.trees.size(), 1u);
  EXPECT_EQ(model.v_size, 30);
}

TEST(Build, FourBarHasThreeTreeJointsAndALoop) {
  const Model model = build("four_bar").model;
  EXPECT_EQ(model.tree_joints.size(), 3u);
  EXPECT_EQ(model.loop_joints.size(), 1u);
}

TEST(Build, PendulumStartsAtItsReference) {
  const BuiltModel built = build("pendulum");
  ASSERT_EQ(built.state.q.size(), 1);
  EXPECT_DOUBLE_EQ(built.state.q[0], 0.095);
}

TEST(Build, TumblingBoxHasTheStatedInertia) {
  const BuiltModel built = build("tumble");
  EXPECT_TRUE(built.model.bodies.at(0).inertia_B.diagonal().isApprox(Vector3(13, 10, 5), 1e-14));
}

TEST(Build, MistakesAcrossTablesNameTheLine) {
  struct Case {
    const char* text;
    int line;
    const char* name;
  };
  for (const Case& mistake : {
           Case{"[[body]]\nname = 'b'\nmass = 1\nshape = { type = 'sphere', radius = 1, material = 'x' }\n", 4, "x"},
           Case{"[[body]]\nname = 'b'\nfixed = true\n\n[[body]]\nname = 'c'\n", 5, "c"},
           Case{"[[body]]\nname = 'b'\nfixed = true\n\n[[body]]\nname = 'b'\nfixed = true\n", 5, "b"},
           Case{"[[body]]\nname = 'b'\nmass = 1\ninertia = [1, 1, 3, 0, 0, 0]\n", 1, "b"},
           Case{"[[body]]\nname = 'b'\nmass = 1\ninertia = [1, 1, 1, 0, 0, 0]\n[[joint]]\nname = 'j'\ntype = "
                "'fixed'\nparent = "
                "'world'\nchild = 'q'\n",
                5, "q"},
           Case{"[material.m]\nstiffness = [[1, 2, 0], [2, 1, 0], [0, 0, 1]]\n[[body]]\nname = 'b'\nmass = 1\n", 1,
                "m"},
           Case{"[[body]]\nname = 'b'\nmass = 1\nshape = { type = 'sphere', radius = 0.01, material = 'm' }\n"
                "[material.m]\nstiffness = 1e4\nlayer_thickness = 0.02\n",
                4, "b"},
       }) {
    const Result<Scene> scene = parse_scene(mistake.text, "bad.toml");
    ASSERT_TRUE(scene.has_value()) << scene.error().message();
    const Result<BuiltModel> built = build_model(scene->model);
    ASSERT_FALSE(built.has_value()) << mistake.text;
    EXPECT_EQ(built.error().file, "bad.toml");
    EXPECT_EQ(built.error().line, mistake.line) << built.error().message();
    EXPECT_EQ(built.error().name, mistake.name) << built.error().message();
    EXPECT_FALSE(built.error().remedy.empty());
  }
}

}  // namespace
}  // namespace stiction::scene
