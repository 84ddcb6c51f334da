// `stiction list` and `stiction inspect`.
#include <gmock/gmock.h>

#include "apps/command.h"
#include "stiction/solvers/registry.h"

namespace stiction::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using Json = nlohmann::json;

class List : public CommandLine {
 protected:
  std::map<std::string, bool> names(const std::string& what) {
    const Outcome outcome = stiction({"list", what, "--json"});
    EXPECT_EQ(outcome.status, 0);
    std::map<std::string, bool> available;
    for (const Json& line : json_lines(outcome.out)) {
      EXPECT_THAT(keys_of(line), IsSupersetOf({"name", "source", "sentence"}));
      available[line["name"]] = line["available"];
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
  for (const char* name :
       {"fixed", "revolute", "prismatic", "spherical", "planar", "universal", "cylindrical", "free"}) {
    EXPECT_TRUE(joints.contains(name)) << name;
  }
  std::map<std::string, bool> registered;
  for (const stiction::solvers::SolverInfo& info : stiction::solvers::solver_infos())
    registered[std::string(info.name)] = true;
  EXPECT_EQ(solvers, registered);
}

TEST_F(List, TextHasALineEach) {
  for (const std::string what : {"methods", "solvers", "shapes", "joints"}) {
    const Outcome outcome = stiction({"list", what});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), static_cast<long>(names(what).size()));
  }
  EXPECT_THAT(stiction({"list", "shapes"}).out, HasSubstr("not in this version"));
}

// A list that offers a shape or joint that the scene reader refuses would send users astray.
TEST_F(List, WhatIsListedAsAvailableLoads) {
  const std::map<std::string, std::string> sizes = {{"plane", ""},
                                                    {"sphere", ", radius = 1"},
                                                    {"bowl", ", radius = 1"},
                                                    {"box", ", size = [1, 1, 1]"},
                                                    {"capsule", ", radius = 1, length = 1"},
                                                    {"cylinder", ", radius = 1, length = 1"},
                                                    {"ellipsoid", ", radii = [1, 2, 3]"},
                                                    {"superellipsoid", ", radii = [1, 2, 3], exponents = [4, 3]"},
                                                    {"cone", ", radius = 1, length = 1"},
                                                    {"rounded-box", ", size = [1, 1, 1], radius = 0.1"},
                                                    {"implicit",
                                                     ", functions = [{ terms = [[1, 2, 0, 0], "
                                                     "[1, 0, 2, 0], [1, 0, 0, 2], [-1, 0, 0, 0]] }]"},
                                                    {"convex", ", vertices = [[0,0,0], [1,0,0], [0,1,0], [0,0,1]]"}};
  for (const auto& [name, available] : names("shapes")) {
    const std::string size = sizes.contains(name) ? sizes.at(name) : "";
    write("shape.toml", "[[body]]\nname = \"b\"\nfixed = true\nshape = { type = \"" + name + "\"" + size + " }\n");
    EXPECT_EQ(stiction({"inspect", "shape.toml"}).status, available ? 0 : 2) << name;
  }
  for (const auto& [name, available] : names("joints")) {
    write("joint.toml", std::string(small_scene) + "[[joint]]\nname = \"j\"\nparent = \"world\"\nchild = \"ball\"\n" +
                            "axis2 = [1, 0, 0]\ntype = \"" + name + "\"\n");
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

TEST_F(Inspect, TextNamesBodiesAndJoints) {
  const Outcome outcome = stiction({"inspect", scene("four_bar.toml")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("revolute"));
  EXPECT_THAT(outcome.out, HasSubstr("closes a loop"));
}

TEST_F(Inspect, EverySceneOfTheRepositoryLoads) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(STICTION_SOURCE_DIR "/scenes")) {
    if (entry.path().extension() != ".toml") continue;
    const Outcome outcome = stiction({"inspect", entry.path().string()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    ++count;
  }
  EXPECT_GT(count, 5);
}

}  // namespace
}  // namespace stiction::cli
