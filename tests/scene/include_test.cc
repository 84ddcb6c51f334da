// [[include]]: prefixes, poses, overrides that reach into included files, and circles.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/scene/scene.h"

namespace stiction::scene {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Include : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("stiction_include_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "parts");
    write("parts/arm.toml", R"(
[simulation]
step = 0.5
[material.skin]
friction = 0.3
[[pair]]
materials = ["skin", "skin"]
[[body]]
name = "upper"
mass = 1
position = [1, 0, 0]
linear_velocity = [1, 0, 0]
angular_velocity = [0, 2, 0]
shape = { type = "sphere", radius = 0.1, material = "skin", position = [0.5, 0, 0] }
[[body]]
name = "table"
motion = { velocity = [3, 0, 0], translation = [{ amplitude = [4, 0, 0], frequency = 1 }], rotation = [
  { amplitude = [5, 0, 0], frequency = 1 }] }
[[joint]]
name = "shoulder"
type = "revolute"
parent = "world"
child = "upper"
position = [1, 0, 0]
axis = [1, 0, 0]
[[joint]]
name = "mount"
type = "fixed"
parent = "upper"
child = "table"
position = [1, 0, 0]
[[actuator]]
name = "motor"
joint = "shoulder"
)");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_;
};

// A quarter turn about z takes x to y.
constexpr const char* placed = R"(
[simulation]
step = 0.25
[[body]]
name = "ground"
fixed = true

[[include]]
file = "parts/arm.toml"
prefix = "left_"
position = [10, 0, 0]
orientation = [1, 0, 0, 1]
)";

TEST_F(Include, AddsPrefixAndPose) {
  const Result<Scene> scene = load_scene(write("s.toml", placed));
  ASSERT_TRUE(scene.has_value()) << scene.error().message();
  EXPECT_EQ(scene->settings.step, 0.25);  // the including scene says how to run
  const ModelDescription& model = scene->model;
  EXPECT_EQ(model.materials.at(0).name, "left_skin");
  EXPECT_THAT(model.pairs.at(0).materials, ElementsAre("left_skin", "left_skin"));
  ASSERT_EQ(model.bodies.size(), 3u);
  const BodyDescription& upper = model.bodies[1];
  EXPECT_EQ(upper.name, "left_upper");
  EXPECT_TRUE(upper.position.isApprox(Vector3(10, 1, 0)));
  EXPECT_TRUE((upper.orientation * Vector3::UnitX()).isApprox(Vector3::UnitY()));
  EXPECT_TRUE(upper.linear_velocity->isApprox(Vector3(0, 1, 0)));
  EXPECT_TRUE(upper.angular_velocity->isApprox(Vector3(-2, 0, 0)));
  EXPECT_EQ(upper.shapes.at(0).material, "left_skin");
  EXPECT_EQ(upper.shapes[0].X_BS.p, Vector3(0.5, 0, 0));  // the body's frame moved, not what is in it
  EXPECT_EQ(upper.line, 8);                               // of the [[include]]
  const MotionDescription& motion = *model.bodies[2].motion;
  EXPECT_TRUE(motion.velocity.isApprox(Vector3(0, 3, 0)));
  EXPECT_TRUE(motion.translation.at(0).amplitude.isApprox(Vector3(0, 4, 0)));
  EXPECT_TRUE(motion.rotation.at(0).amplitude.isApprox(Vector3(0, 5, 0)));
}

TEST_F(Include, PlacesJoints) {
  const Result<Scene> scene = load_scene(write("s.toml", placed));
  ASSERT_TRUE(scene.has_value());
  const JointDescription& shoulder = scene->model.joints.at(0);
  EXPECT_EQ(shoulder.name, "left_shoulder");
  EXPECT_EQ(shoulder.parent, "world");  // the world keeps its name, the joint's pose in it moves
  EXPECT_EQ(shoulder.child, "left_upper");
  EXPECT_TRUE(shoulder.position.isApprox(Vector3(10, 1, 0)));
  EXPECT_TRUE((shoulder.orientation * shoulder.axis).isApprox(Vector3::UnitY()));
  const JointDescription& mount = scene->model.joints.at(1);
  EXPECT_EQ(mount.parent, "left_upper");
  EXPECT_EQ(mount.position, Vector3(1, 0, 0));
  EXPECT_EQ(scene->model.actuators.at(0).name, "left_motor");
  EXPECT_EQ(scene->model.actuators.at(0).joint, "left_shoulder");
}

TEST_F(Include, TwiceWithTwoPrefixes) {
  const std::string again = std::string(placed) + "[[include]]\nfile = 'parts/arm.toml'\nprefix = 'right_'\n";
  const Result<Scene> scene =
      load_scene(write("s.toml", again), {"body.right_upper.mass=7", "material.left_skin.friction=0.9"});
  ASSERT_TRUE(scene.has_value()) << scene.error().message();
  ASSERT_EQ(scene->model.bodies.size(), 5u);
  EXPECT_EQ(scene->model.bodies[1].mass, 1.0);
  EXPECT_EQ(scene->model.bodies[3].name, "right_upper");
  EXPECT_EQ(scene->model.bodies[3].mass, 7.0);
  EXPECT_EQ(scene->model.bodies[3].position, Vector3(1, 0, 0));
  EXPECT_EQ(scene->model.materials.at(0).friction[0], 0.9);
  EXPECT_EQ(scene->model.materials.at(1).friction[0], 0.3);
}

TEST_F(Include, DefaultMaterialStaysUnlessTheIncludedSceneHasItsOwn) {
  const std::string body =
      "[[body]]\nname = 'b'\nmass = 1\nshapes = [{ type = 'sphere', radius = 1 }, { type = 'sphere', radius = 1, "
      "material = 'default' }]\n";
  write("parts/plain.toml", body);
  write("parts/own.toml", "[material.default]\nfriction = 0.1\n" + body);
  const Result<Scene> scene = load_scene(write(
      "s.toml",
      "[[include]]\nfile = 'parts/plain.toml'\nprefix = 'p_'\n[[include]]\nfile = 'parts/own.toml'\nprefix = 'o_'\n"));
  ASSERT_TRUE(scene.has_value()) << scene.error().message();
  EXPECT_EQ(scene->model.bodies.at(0).shapes.at(0).material, "");
  EXPECT_EQ(scene->model.bodies[0].shapes.at(1).material, "default");
  EXPECT_EQ(scene->model.bodies.at(1).shapes.at(0).material, "o_default");
  EXPECT_EQ(scene->model.bodies[1].shapes.at(1).material, "o_default");
  EXPECT_EQ(scene->model.materials.at(0).name, "o_default");
}

TEST_F(Include, MistakesInsideNameTheIncludedFile) {
  write("parts/bad.toml", "\n[[body]]\nname = 'x'\nmass = 0\n");
  const Result<Scene> scene = load_scene(write("s.toml", "[[include]]\nfile = 'parts/bad.toml'\n"));
  ASSERT_FALSE(scene.has_value());
  EXPECT_THAT(scene.error().file, HasSubstr("parts/bad.toml"));
  EXPECT_EQ(scene.error().line, 4);
  EXPECT_EQ(scene.error().name, "body.x.mass");
}

TEST_F(Include, UnknownNameInsideNamesTheCommandLine) {
  const Result<Scene> scene = load_scene(write("s.toml", placed), {"body.left_lower.mass=7"});
  ASSERT_FALSE(scene.has_value());
  EXPECT_EQ(scene.error().file, "--set");
  EXPECT_EQ(scene.error().name, "lower");
  EXPECT_THAT(scene.error().remedy, HasSubstr("upper"));
}

TEST_F(Include, CirclesAreErrors) {
  write("parts/a.toml", "[[include]]\nfile = 'b.toml'\n");
  write("parts/b.toml", "# b\n[[include]]\nfile = '../parts/a.toml'\n");
  const Result<Scene> scene = load_scene((folder_ / "parts/a.toml").string());
  ASSERT_FALSE(scene.has_value());
  EXPECT_THAT(scene.error().what, HasSubstr("includes itself"));
  EXPECT_THAT(scene.error().file, HasSubstr("b.toml"));
  EXPECT_EQ(scene.error().line, 3);
}

TEST_F(Include, LaterFormatsAreErrors) {
  write("parts/r.urdf", "<robot/>");
  const std::string file = write("s.toml", "[[body]]\nname = 'b'\nmass = 1\n[[include]]\nfile = 'parts/r.urdf'\n");
  const Result<Scene> scene = load_scene(file);
  ASSERT_FALSE(scene.has_value());
  EXPECT_THAT(scene.error().what, HasSubstr("later version"));
  EXPECT_EQ(scene.error().file, file);
  EXPECT_EQ(scene.error().line, 5);
}

}  // namespace
}  // namespace stiction::scene
