// Mistakes in a scene as the command reports them: exit 2, file, line, name and remedy on stderr, nothing written.
#include <gmock/gmock.h>

#include "apps/command.h"

namespace stiction::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What is added after the 14 lines of small_scene, the line of the mistake, and what the message must name.
struct Mistake {
  const char* what;
  const char* text;
  int line;
  std::vector<const char*> words;
};

const std::vector<Mistake> mistakes = {
    {"unknown key", "masss = 2\n", 15, {"masss", "'mass'"}},
    {"unknown section", "[simulatoin]\nstep = 1\n", 15, {"simulatoin", "simulation"}},
    {"unknown body in a joint",
     "[[joint]]\nname = \"j\"\ntype = \"revolute\"\nparent = \"bal\"\nchild = \"ball\"\n",
     15,
     {"unknown body", "'bal'", "'ball'"}},
    {"negative mass", "[[body]]\nname = \"b\"\nmass = -1\n", 17, {"body.b.mass", "greater than 0"}},
    {"inertia that no mass distribution has",
     "[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 3, 0, 0, 0]\n",
     15,
     {"triangle inequality", "'b'"}},
    {"zero axis",
     "[[joint]]\nname = \"j\"\ntype = \"revolute\"\nparent = \"world\"\nchild = \"ball\"\naxis = [0, 0, 0]\n",
     20,
     {"joint.j.axis"}},
    {"NaN", "[[body]]\nname = \"b\"\nmass = nan\n", 17, {"body.b.mass", "nan"}},
    {"NaN in a vector", "[[body]]\nname = \"b\"\nmass = 1\nposition = [0, nan, 0]\n", 18, {"body.b.position", "nan"}},
    {"cycle in the tree",
     "[[body]]\nname = \"b\"\nmass = 1\nshape = { type = \"sphere\", radius = 1 }\n"
     "[[joint]]\nname = \"j\"\ntype = \"revolute\"\nparent = \"ball\"\nchild = \"b\"\n"
     "[[joint]]\nname = \"k\"\ntype = \"revolute\"\nparent = \"b\"\nchild = \"ball\"\n",
     24,
     {"cycle", "'k'", "loop = true"}},
    {"missing file", "[[include]]\nfile = \"none.toml\"\n", 16, {"no such file", "'none.toml'"}},
    {"mesh", "[[body]]\nname = \"b\"\nmass = 1\nshape = { type = \"mesh\" }\n", 18, {"mesh", "not in this version"}},
    {"unknown shape", "[[body]]\nname = \"b\"\nmass = 1\nshape = { type = \"spere\" }\n", 18, {"spere", "sphere"}},
    {"option of event-driven", "[method.event-driven]\nruel = 'coulomb'\n", 16, {"method.event-driven.ruel", "'rule'"}},
    {"not TOML", "[[body\n", 15, {"TOML"}},
    {"dent in a friction polygon",
     "[material.m]\nfriction_polygon = [[0.5, 0], [0.1, 0.1], [0, 0.5], [-0.5, 0], [0, -0.5]]\n",
     15,
     {"'m'", "convex", "corner 1"}},
    {"friction polygon beside the origin",
     "[material.m]\nfriction_polygon = [[0.5, 0.1], [0.6, 0.4], [0.2, 0.3]]\n",
     15,
     {"'m'", "origin", "edge 2"}},
    {"one corner", "[material.m]\nfriction_polygon = [[0.5, 0]]\n", 15, {"'m'", "2 to 64 corners"}},
    {"corners that are not pairs", "[material.m]\nfriction_polygon = [0.5, 0]\n", 16, {"material.m.friction_polygon"}},
    {"friction exponent below 1", "[material.m]\nfriction_exponent = 0.5\n", 15, {"'m'", "0.5", "from 1 to 64"}},
    {"friction exponent above 64", "[material.m]\nfriction_exponent = 65\n", 15, {"'m'", "65", "from 1 to 64"}},
    {"restitution", "[material.m]\nrestitution = 1.5\n", 16, {"material.m.restitution", "1.5", "0 to 1"}},
    {"tangential restitution",
     "[material.m]\ntangential_restitution = -0.1\n",
     16,
     {"material.m.tangential_restitution", "-0.1", "0 to 1"}},
    {"friction polygon with torsion",
     "[material.m]\nfriction_polygon = [[0.5, 0], [0, 0.5], [-0.5, -0.5]]\ntorsional_friction = 0.1\n",
     15,
     {"'m'", "torsional_friction", "friction_polygon"}},
    {"friction polygon and exponent",
     "[material.m]\nfriction_polygon = [[0.5, 0], [0, 0.5], [-0.5, -0.5]]\nfriction_exponent = 3\n",
     15,
     {"'m'", "exclude each other"}},
    {"two friction sets without a pair",
     "[material.m]\nfriction_polygon = [[0.5, 0], [0, 0.5], [-0.5, -0.5]]\n[material.k]\nfriction_exponent = 3\n",
     17,
     {"k/m", "[[pair]]"}},
    {"unknown impact model", "[method.anitescu-potra]\nimpact = \"poison\"\n", 16, {"'poison'", "'poisson'"}},
    {"unknown representation",
     "[method.anitescu-potra]\nrepresentation = \"quaternoin\"\n",
     16,
     {"'quaternoin'", "'quaternion'"}},
    {"unknown cone", "[method.anitescu-potra]\ncone = \"polihedral\"\n", 16, {"'polihedral'", "'polyhedral'"}},
    {"check that is not boolean", "[method.anitescu-potra]\ncheck_existence = 1\n", 16, {"check_existence", "true"}},
    {"duplicate name", "[[body]]\nname = \"ball\"\nmass = 1\n", 15, {"'ball'"}},
};

class BadScene : public CommandLine {
 protected:
  // Runs with every kind of output asked for, expects exit 2 and nothing but the message.
  std::string rejection(const std::string& file, std::vector<std::string> more = {}) {
    const std::set<std::string> before = files();
    std::vector<std::string> arguments = {"run",    file,           "--record", "a.h5",  "--report",
                                          "a.html", "--checkpoint", "a.ck",     "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = stiction(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("remedy: "));
    EXPECT_EQ(files(), before);
    return outcome.err;
  }
};

TEST_F(BadScene, EveryMistakeIsReportedWithFileLineNameAndRemedy) {
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.what);
    write("bad.toml", std::string(small_scene) + mistake.text);
    const std::string message = rejection("bad.toml");
    EXPECT_EQ(message.rfind("bad.toml:" + std::to_string(mistake.line) + ": error: ", 0), 0U) << message;
    for (const char* word : mistake.words) EXPECT_THAT(message, HasSubstr(word));
    const Outcome inspected = stiction({"inspect", "bad.toml"});
    EXPECT_EQ(inspected.status, 2);
    EXPECT_EQ(inspected.err, message);
  }
}

// What one method cannot bring together, though the scene as such is right.
TEST_F(BadScene, FrictionSetsBesideWhatTheirMethodCannotSolve) {
  const std::string polygon = "[material.m]\nfriction_polygon = [[0.5, 0], [0, 0.5], [-0.5, -0.5]]\n";
  const std::string hinge =
      "[[joint]]\nname = \"j\"\ntype = \"revolute\"\nparent = \"world\"\nchild = \"ball\"\nfriction = 0.1\n";
  write("joint.toml", small_scene + polygon + hinge);
  const std::string joint = rejection("joint.toml", {"--method", "anitescu-potra"});
  EXPECT_EQ(joint.rfind("joint.toml:15: error: ", 0), 0U) << joint;
  EXPECT_THAT(joint, HasSubstr("joint 'j'"));
  EXPECT_THAT(joint, HasSubstr(": 'm'"));
  write("rolling.toml", small_scene + polygon + "rolling_friction = 0.1\n");
  const std::string rolling = rejection("rolling.toml", {"--method", "anitescu-potra"});
  EXPECT_EQ(rolling.rfind("rolling.toml:15: error: rolling_friction", 0), 0U) << rolling;
  for (const char* file : {"joint.toml", "rolling.toml"}) {
    EXPECT_EQ(stiction({"run", file, "--method", "exact-cone"}).status, 0) << file;
  }
  const std::string events = rejection("joint.toml", {"--method", "event-driven"});
  EXPECT_EQ(events.rfind("joint.toml:15: error: a friction set other than an ellipse", 0), 0U) << events;
  EXPECT_THAT(events, HasSubstr(": 'm'\n  remedy: Leave out friction_polygon"));
}

TEST_F(BadScene, SettingsAreCheckedWithTheirLine) {
  write("step.toml", "[simulation]\nstep = 0\n");
  EXPECT_THAT(rejection("step.toml"), HasSubstr("step.toml:2: error: 0 is out of range: 'simulation.step'"));
  write("method.toml", "[simulation]\nmethod = \"stewart-trinkel\"\n");
  EXPECT_THAT(rejection("method.toml"), HasSubstr("'stewart-trinkle'"));
}

TEST_F(BadScene, EmptyAndMissingFiles) {
  write("empty.toml", "");
  EXPECT_THAT(rejection("empty.toml"), HasSubstr("empty.toml:1: error: "));
  write("nobody.toml", "[simulation]\nstep = 1e-3\n");
  EXPECT_THAT(rejection("nobody.toml"), HasSubstr("no body"));
  EXPECT_THAT(rejection("none.toml"), HasSubstr("no such file: 'none.toml'"));
  EXPECT_THAT(rejection("."), HasSubstr("directory"));
}

TEST_F(BadScene, FormatsOfLaterVersionsSaySo) {
  write("a.urdf", "<robot/>");
  EXPECT_THAT(rejection("a.urdf"), HasSubstr("later version"));
  write("a.xml", "<mujoco/>");
  EXPECT_THAT(rejection("a.xml"), HasSubstr("later version"));
  write("a.stl", "solid");
  EXPECT_THAT(rejection("a.stl"), HasSubstr(".toml"));
  write("include.toml", std::string(small_scene) + "[[include]]\nfile = \"a.urdf\"\n");
  EXPECT_THAT(rejection("include.toml"), HasSubstr("later version"));
}

TEST_F(BadScene, OverridesAreCheckedLikeTheScene) {
  write("a.toml", small_scene);
  EXPECT_THAT(rejection("a.toml", {"--set", "body.ball.mass=-1"}), HasSubstr("--set"));
  EXPECT_THAT(rejection("a.toml", {"--set", "body.bal.mass=1"}), HasSubstr("'ball'"));
  EXPECT_THAT(rejection("a.toml", {"--set", "simulation.stepp=1"}), HasSubstr("simulation.stepp"));
  EXPECT_THAT(rejection("a.toml", {"--set", "nonsense"}), HasSubstr("KEY=VALUE"));
}

}  // namespace
}  // namespace stiction::cli
