// `stiction list` and `stiction inspect`.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "apps/command.h"
#include "stiction/geometry/shapes/shape.h"
#include "stiction/model/joint_traits.h"
#include "stiction/solvers/registry.h"
#include "support/places.h"

namespace stiction::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using Json = nlohmann::json;

class List : public CommandLine {
 protected:
  // The items of the one object that `list WHAT --json` prints.
  Json items(const std::string& what) {
    const Outcome outcome = stiction({"list", what, "--json"});
    EXPECT_EQ(outcome.status, 0);
    const std::vector<Json> objects = json_lines(outcome.out);
    EXPECT_EQ(objects.size(), 1U);
    EXPECT_EQ(keys_of(objects.at(0)), std::set<std::string>{what});
    return objects.at(0)[what];
  }
  std::map<std::string, bool> names(const std::string& what) {
    std::map<std::string, bool> available;
    for (const Json& item : items(what)) {
      EXPECT_THAT(keys_of(item), IsSupersetOf({"name", "source", "sentence"}));
      available[item["name"]] = item["available"];
    }
    return available;
  }
};
class Inspect : public CommandLine {};

TEST_F(List, MethodsOfTheInterface) {
  const auto methods = names("methods");
  for (const char* name :
       {"exact-cone", "stewart-trinkle", "anitescu-potra", "implicit-geometry", "quasi-rigid", "convex-impulse",
        "event-driven", "acceleration-lcp", "penalty", "sequential-impulse", "impulse-hahn", "impulse-mirtich"}) {
    EXPECT_TRUE(methods.contains(name)) << name;
  }
  EXPECT_TRUE(methods.at("exact-cone"));
  EXPECT_TRUE(methods.at("stewart-trinkle"));
}

TEST_F(List, ShapesJointsAndSolvers) {
  const auto shapes = names("shapes"), joints = names("joints"), solvers = names("solvers");
  for (const char* name : {"plane", "sphere", "box", "capsule", "cylinder", "ellipsoid", "convex", "superellipsoid",
                           "cone", "rounded-box", "implicit", "bowl"}) {
    EXPECT_TRUE(shapes.contains(name) && shapes.at(name)) << name;
  }
  EXPECT_EQ(joints.size(), all_joint_traits().size());
  for (const JointTraits& traits : all_joint_traits()) {
    EXPECT_TRUE(joints.contains(std::string(traits.name))) << traits.name;
  }
  std::map<std::string, bool> registered;
  for (const stiction::solvers::SolverInfo& info : stiction::solvers::solver_infos())
    registered[std::string(info.name)] = true;
  EXPECT_EQ(solvers, registered);
  for (const Json& item : items("solvers")) {
    const auto takes = stiction::solvers::find_solver(item["name"].get<std::string>())->takes();
    EXPECT_EQ(item["takes"], Json(takes)) << item;
  }
  EXPECT_THAT(stiction({"list", "solvers"}).out, HasSubstr("\nbody "));
}

TEST_F(List, MethodsSayEverythingThatTheirDescriptionsKnow) {
  const Json methods = items("methods");
  const auto is_default = [](const Json& method) { return method["name"] == "exact-cone"; };
  const Json& exact_cone = *std::find_if(methods.begin(), methods.end(), is_default);
  EXPECT_EQ(exact_cone["solves_law"], true);
  EXPECT_EQ(exact_cone["knows"]["rolling"], true);
  EXPECT_THAT(exact_cone["solvers"], Contains("newton"));
  const Json& coordinates = exact_cone["options"].at(0);
  EXPECT_EQ(coordinates["name"], "coordinates");
  EXPECT_EQ(coordinates["choices"], Json({"reduced", "maximal"}));
  EXPECT_EQ(coordinates["range"], nullptr);
  const Json& tolerance = exact_cone["options"].at(1);
  EXPECT_EQ(tolerance["name"], "tolerance");
  EXPECT_EQ(tolerance["type"], "number");
  EXPECT_EQ(tolerance["default"], 0.0);
  EXPECT_EQ(tolerance["range"], Json({{"lower", 0.0}, {"upper", nullptr}, {"lower_open", false}, {"infinite", false}}));
  for (const Json& method : methods) {
    for (const Json& option : method["options"]) {
      EXPECT_EQ(keys_of(option),
                (std::set<std::string>{"name", "type", "unit", "default", "range", "choices", "meaning"}));
      EXPECT_NE(option["meaning"], "") << option;
    }
  }
}

TEST_F(List, OptionsAreThoseOfTheMethods) {
  size_t count = 0;
  for (const Json& method : items("methods")) count += method["options"].size();
  const Json options = items("options");
  EXPECT_EQ(options.size(), count);
  EXPECT_GT(count, 40U);
  for (const Json& option : options) EXPECT_TRUE(option.contains("method") && option.contains("default")) << option;
  EXPECT_EQ(stiction({"list", "options"}).out.rfind("<!-- keys: method.exact-cone -->", 0), 0U);
}

TEST_F(List, TextHasOneLinePerName) {
  for (const std::string what : {"methods", "solvers", "shapes", "joints"}) {
    const Outcome outcome = stiction({"list", what});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), static_cast<long>(names(what).size()));
  }
  EXPECT_THAT(stiction({"list", "shapes"}).out, HasSubstr("not in this version"));
}

// A list that offers a shape or joint that the scene reader refuses would send users astray.
TEST_F(List, WhatIsListedAsAvailableLoads) {
  std::map<std::string, std::string> sizes = {
      {"implicit", ", functions = [{ terms = [[1, 2, 0, 0], [1, 0, 2, 0], [1, 0, 0, 2], [-1, 0, 0, 0]] }]"},
      {"convex", ", vertices = [[0,0,0], [1,0,0], [0,1,0], [0,0,1]]"}};
  for (const geometry::ShapeKind& kind : geometry::shape_kinds) {
    for (const geometry::ShapeKey& key : kind.keys) {
      if (key.required)
        sizes[std::string(kind.name)] += fmt::format(", {} = {}", key.name, key.size() == 3 ? "[1, 1, 1]" : "0.5");
    }
  }
  for (const auto& [name, available] : names("shapes")) {
    write("shape.toml",
          "[[body]]\nname = \"b\"\nfixed = true\nshape = { type = \"" + name + "\"" + sizes[name] + " }\n");
    EXPECT_EQ(stiction({"inspect", "shape.toml"}).status, available ? 0 : 2) << name;
  }
  for (const auto& [name, available] : names("joints")) {
    write("joint.toml", std::string(small_scene) + "[[joint]]\nname = \"j\"\nparent = \"world\"\nchild = \"ball\"\n" +
                            "axis2 = [1, 0, 0]\ntype = \"" + name + "\"\n" + (name == "screw" ? "pitch = 0.01\n" : ""));
    EXPECT_EQ(stiction({"inspect", "joint.toml"}).status, available ? 0 : 2) << name;
  }
}

TEST_F(Inspect, JsonSaysWhatWasLoaded) {
  write("a.toml", small_scene);
  const Outcome outcome = stiction({"inspect", "a.toml", "--json", "--set", "body.ball.mass=3"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = json_lines(outcome.out).at(0);
  EXPECT_EQ(json["degrees_of_freedom"], 6);
  EXPECT_EQ(json["bodies"][1]["name"], "ball");
  EXPECT_EQ(json["bodies"][1]["mass"], 3.0);
  EXPECT_NEAR(json["bodies"][1]["inertia"][0].get<double>(), 0.4 * 3 * 0.01, 1e-15);  // 2/5 m r^2
  EXPECT_EQ(json["bodies"][0]["kind"], "fixed");
}

TEST_F(Inspect, TellsThePitchOfAScrew) {
  write("screw.toml", R"([[body]]
name = "nut"
mass = 1.0
shape = { type = "sphere", radius = 0.1 }
[[joint]]
name = "spindle"
type = "screw"
parent = "world"
child = "nut"
axis = [0, 0, 1]
pitch = 0.005
)");
  EXPECT_NE(stiction({"inspect", "screw.toml"}).out.find("world -> nut  (0.005 m per turn)"), std::string::npos);
  EXPECT_EQ(json_lines(stiction({"inspect", "screw.toml", "--json"}).out).at(0)["joints"][0]["pitch"], 0.005);
}

TEST_F(Inspect, TextNamesBodiesAndJoints) {
  const Outcome outcome = stiction({"inspect", scene("four_bar.toml")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("revolute"));
  EXPECT_THAT(outcome.out, HasSubstr("closes a loop"));
}

TEST_F(Inspect, EverySceneOfTheRepositoryLoads) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(stiction::testing::source_path("scenes"))) {
    if (entry.path().extension() != ".toml") continue;
    const Outcome outcome = stiction({"inspect", entry.path().string()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    ++count;
  }
  EXPECT_GT(count, 5);
}

}  // namespace
}  // namespace stiction::cli
