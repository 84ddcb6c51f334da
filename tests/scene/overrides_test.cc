// KEY=VALUE overrides: what they change, create and refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/methods/stewart_trinkle.h"
#include "stiction/scene/scene.h"

namespace stiction::scene {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* text = R"(
[simulation]
step = 1e-3
[material.rubber]
friction = 0.8
[[pair]]
materials = ["rubber", "rubber"]
[[body]]
name = "ball"
mass = 1
shape = { type = "sphere", radius = 0.1 }
[[body]]
name = "a.b c"
mass = 1
shapes = [{ type = "sphere", radius = 0.1 }, { type = "sphere", radius = 0.2 }]
[[joint]]
name = "elbow"
type = "revolute"
parent = "world"
child = "ball"
limits = [-2, 2]
)";

Scene with(const std::vector<std::string>& overrides) {
  Result<Scene> scene = parse_scene(text, "o.toml", overrides);
  EXPECT_TRUE(scene.has_value()) << (scene ? "" : scene.error().message());
  return scene ? *scene : Scene{};
}

Error error_with(const std::string& change) {
  const Result<Scene> scene = parse_scene(text, "o.toml", {change});
  EXPECT_FALSE(scene.has_value()) << change;
  return scene ? Error{} : scene.error();
}

TEST(Overrides, ChangeWhatIsThere) {
  const Scene scene = with({"simulation.step=1e-4", "material.rubber.friction=[0.3, 0.4]", "body.ball.mass=2",
                            "body.ball.shape.radius=0.2", "joint.elbow.limits=[-1,1]", "pair.0.restitution=0.5"});
  EXPECT_EQ(scene.settings.step, 1e-4);
  EXPECT_THAT(scene.model.materials.at(0).friction, ElementsAre(0.3, 0.4));
  EXPECT_EQ(scene.model.bodies.at(0).mass, 2.0);
  EXPECT_EQ(std::get<geometry::Sphere>(scene.model.bodies[0].shapes.at(0).shape).radius, 0.2);
  EXPECT_THAT(scene.model.joints.at(0).coordinates.at(0).limits, ElementsAre(-1, 1));
  EXPECT_EQ(scene.model.pairs.at(0).values.restitution, 0.5);
}

TEST(Overrides, DefaultMaterialNeedNotBeWrittenDown) {
  const Scene scene = with({"material.default.friction=0.25"});
  ASSERT_EQ(scene.model.materials.size(), 2U);
  for (const Material& material : scene.model.materials) {
    if (material.name != "default") continue;
    EXPECT_THAT(material.friction, ElementsAre(0.25, 0.25));
  }
}

TEST(Overrides, CreateWhatIsNot) {
  const Scene scene = with({"simulation.duration=7", "method.stewart-trinkle.friction_directions=16",
                            "body.ball.position=[1,2,3]", "body.ball.motion.velocity=[1,0,0]"});
  EXPECT_EQ(scene.settings.duration, 7);
  EXPECT_EQ(scene.settings.options.of<methods::StewartTrinkleOptions>().friction_directions, 16);
  EXPECT_EQ(scene.model.bodies.at(0).position, Vector3(1, 2, 3));
  ASSERT_TRUE(scene.model.bodies[0].motion.has_value());
  EXPECT_EQ(scene.model.bodies[0].motion->velocity, Vector3(1, 0, 0));
}

TEST(Overrides, AddressByIndexByQuotedNameAndInsideArrays) {
  const Scene scene =
      with({"body.0.mass=5", "body.\"a.b c\".mass=6", "body.1.shapes.1.radius=0.7", "joint.elbow.limits.0=-9"});
  EXPECT_EQ(scene.model.bodies.at(0).mass, 5.0);
  EXPECT_EQ(scene.model.bodies.at(1).mass, 6.0);
  EXPECT_EQ(std::get<geometry::Sphere>(scene.model.bodies[1].shapes.at(1).shape).radius, 0.7);
  EXPECT_THAT(scene.model.joints.at(0).coordinates.at(0).limits, ElementsAre(-9, 2));
}

TEST(Overrides, BareWordsAreStringsAndTablesReplace) {
  const Scene scene = with({"simulation.method=stewart-trinkle", "simulation.solver = lemke",
                            "body.ball.shape={ type = 'box', size = [1, 1, 1] }", "body.ball.fixed=true"});
  EXPECT_EQ(scene.settings.method, "stewart-trinkle");
  EXPECT_TRUE(std::holds_alternative<geometry::Box>(scene.model.bodies.at(0).shapes.at(0).shape));
  EXPECT_TRUE(scene.model.bodies[0].fixed);
}

TEST(Overrides, TheLastOneWins) {
  EXPECT_EQ(with({"body.ball.mass=2", "body.ball.mass=3"}).model.bodies.at(0).mass, 3.0);
}

TEST(Overrides, MistakesNameTheCommandLine) {
  struct Case {
    const char* change;
    const char* name;
    const char* what;
    const char* remedy;
  };
  for (const Case& expected : {
           Case{"simulation.step=0", "simulation.step", "0 is out of range", "greater than 0"},
           Case{"simulation.stpe=1", "simulation.stpe", "unknown key", "'step'"},
           Case{"simulation.method=magic", "magic", "unknown", "stewart-trinkle"},
           Case{"body.bal.mass=2", "bal", "no body of that name", "Did you mean 'ball'?"},
           Case{"body.7.mass=2", "7", "no body of that name", "ball"},
           Case{"joint.knee.friction=2", "knee", "no joint of that name", "elbow"},
           Case{"actuator.motor.force=2", "motor", "no actuator of that name", "none"},
           Case{"material.ruber.friction=2", "ruber", "no material of that name", "'rubber'"},
           Case{"body.ball.shape.raduis=2", "body.ball.shape.raduis", "unknown key", "'radius'"},
           Case{"body.ball.mass.x=2", "body.ball.mass.x=2", "not a table", "Shorten"},
           Case{"boddy.ball.mass=2", "boddy", "unknown key", "'body'"},
           Case{"method.event-drivn.x=2", "event-drivn", "unknown method", "'event-driven'"},
           Case{"method.event-driven.x=2", "method.event-driven.x", "unknown key", "rule"},
           Case{"body.ball.mass=heavy", "body.ball.mass", "expected a number, found a string", ""},
           Case{"body=2", "body", "expected an array of tables", ""},
           Case{"joint.elbow.limits.5=2", "5", "no such entry", ""},
           Case{"simulation.step", "simulation.step", "not KEY=VALUE", "--set"},
           Case{"=3", "", "not a dotted key", "--set"},
           Case{"a b=3", "a b", "not a dotted key", "quotes"},
           Case{"", "", "not KEY=VALUE", "--set"},
       }) {
    const Error error = error_with(expected.change);
    EXPECT_EQ(error.file, "--set") << expected.change << "\n" << error.message();
    EXPECT_EQ(error.line, 0) << expected.change;
    EXPECT_EQ(error.name, expected.name) << expected.change << "\n" << error.message();
    EXPECT_THAT(error.what, HasSubstr(expected.what)) << expected.change;
    EXPECT_THAT(error.remedy, HasSubstr(expected.remedy)) << expected.change;
  }
}

TEST(Overrides, LeaveLinesAsTheyWere) {
  const Scene scene = with({"body.ball.mass=2"});
  EXPECT_EQ(scene.model.bodies.at(0).line, 8);
  EXPECT_EQ(scene.model.bodies.at(1).line, 12);
}

}  // namespace
}  // namespace stiction::scene
