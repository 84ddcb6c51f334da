// Every kind of mistake: the message names file, line, offending name and a remedy.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/scene/scene.h"

namespace stiction::scene {
namespace {

using ::testing::HasSubstr;

struct Mistake {
  const char* label;
  const char* text;
  int line;
  const char* name;
  const char* what;
  const char* remedy;
};

void PrintTo(const Mistake& mistake, std::ostream* stream) {
  *stream << mistake.label;
}

class Mistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreReported) {
  const Mistake& mistake = GetParam();
  const Result<Scene> scene = parse_scene(mistake.text, "dir/bad.toml");
  ASSERT_FALSE(scene.has_value());
  const Error& error = scene.error();
  EXPECT_EQ(error.file, "dir/bad.toml");
  EXPECT_EQ(error.line, mistake.line) << error.message();
  EXPECT_EQ(error.name, mistake.name) << error.message();
  EXPECT_THAT(error.what, HasSubstr(mistake.what));
  EXPECT_THAT(error.remedy, HasSubstr(mistake.remedy));
  EXPECT_FALSE(error.remedy.empty());
}

#define BODY "[[body]]\nname = 'b'\nmass = 1\n"
#define IMPLICIT BODY "shape = { type = 'implicit', functions = [{ terms = ["
#define END "] }] }\n"
#define JOINT BODY "[[joint]]\nname = 'j'\nparent = 'world'\nchild = 'b'\n"

const Mistake mistakes[] = {
    // Syntax and structure.
    {"syntax", BODY "position = [0, 0\nfixed = true\n", 5, "fixed = true", "not valid TOML", "toml.io"},
    {"duplicate_key", BODY "mass = 2\n", 4, "mass = 2", "not valid TOML", "column"},
    {"empty", "", 1, "dir/bad.toml", "empty", "[[body]]"},
    {"blank", " \n\t\n", 1, "dir/bad.toml", "empty", "[[body]]"},
    {"no_body", "# nothing\n[simulation]\nstep = 1\n", 1, "body", "no body", "[[body]]"},
    {"unknown_table", BODY "[simulaton]\nstep = 1\n", 4, "simulaton", "unknown key in the scene", "'simulation'"},
    {"unknown_array", BODY "[[bodies]]\nname = 'c'\n", 4, "bodies", "unknown key", "body"},
    {"unknown_root_key", "step = 1\n" BODY, 1, "step", "unknown key", "simulation"},
    {"table_for_array", "[body]\nname = 'b'\n", 1, "body", "[[body]]", "array of tables"},
    {"array_for_table", BODY "[[simulation]]\nstep = 1\n", 4, "simulation", "expected a table, found an array",
     "table"},
    {"body_not_table", "body = [1]\n", 1, "body", "expected a table, found an integer", "table"},
    // Keys.
    {"unknown_key", "[[body]]\nname = 'b'\nmas = 1\n", 3, "body.b.mas", "unknown key in 'body.b'",
     "Did you mean 'mass'?"},
    {"lists_keys", BODY "colour = 1\n", 4, "body.b.colour", "unknown key", "name, fixed, mass, density"},
    {"unknown_before_missing", "[[body]]\nnam = 'b'\n", 2, "body.0.nam", "unknown key", "Did you mean 'name'?"},
    {"missing_name", "\n[[body]]\nmass = 1\n", 2, "body.0.name", "missing key", "name = ..."},
    {"empty_name", "[[body]]\nname = ''\nmass = 1\n", 2, "body.0.name", "empty name", "name"},
    {"unknown_shape_key", BODY "shape = { type = 'sphere', radius = 1, size = 2 }\n", 4, "body.b.shape.size",
     "unknown key", "radius"},
    {"missing_radius", BODY "shape = { type = 'sphere' }\n", 4, "body.b.shape.radius", "missing key", "radius = ..."},
    {"missing_type", BODY "shape = { radius = 1 }\n", 4, "body.b.shape.type", "missing key", "sphere"},
    {"unknown_material_key", BODY "[material.m]\nrestitutoin = 1\n", 5, "material.m.restitutoin", "unknown key",
     "'restitution'"},
    {"unknown_motion_key", "[[body]]\nname = 'b'\nmotion = { speed = [1, 0, 0] }\n", 3, "body.b.motion.speed",
     "unknown key", "velocity"},
    {"missing_frequency", "[[body]]\nname = 'b'\nmotion = { rotation = [{ amplitude = [1, 0, 0] }] }\n", 3,
     "body.b.motion.rotation.0.frequency", "missing key", "frequency"},
    {"unknown_option", BODY "[method.stewart-trinkle]\nfriction_direction = 4\n", 5,
     "method.stewart-trinkle.friction_direction", "unknown key", "'friction_directions'"},
    // Types.
    {"string_for_number", "[[body]]\nname = 'b'\nmass = '1'\n", 3, "body.b.mass", "expected a number, found a string",
     "a number"},
    {"bool_for_number", "[simulation]\nstep = true\n" BODY, 2, "simulation.step",
     "expected a number, found true or false", ""},
    {"number_for_string", "[[body]]\nname = 3\nmass = 1\n", 2, "body.0.name", "expected a string, found an integer",
     ""},
    {"number_for_bool", BODY "fixed = 1\n", 4, "body.b.fixed", "expected true or false, found an integer", ""},
    {"float_for_int", "[simulation]\nthreads = 1.5\n" BODY, 2, "simulation.threads",
     "expected an integer, found a number", ""},
    {"number_for_vector", BODY "position = 1\n", 4, "body.b.position", "expected an array of 3, found an integer", ""},
    {"date_for_number", "[simulation]\nduration = 2020-01-01\n" BODY, 2, "simulation.duration", "found a date", ""},
    {"string_in_vector", BODY "position = [0,\n 'x', 0]\n", 5, "body.b.position.1", "expected a number, found a string",
     ""},
    {"short_vector", BODY "position = [0, 1]\n", 4, "body.b.position", "expected 3 values, found 2", "exactly 3"},
    {"long_quaternion", BODY "orientation = [1, 0, 0, 0, 0]\n", 4, "body.b.orientation", "expected 4 values, found 5",
     ""},
    {"short_inertia", BODY "inertia = [1, 1, 1]\n", 4, "body.b.inertia", "expected 6 values, found 3", ""},
    {"shape_not_table", BODY "shape = 'sphere'\n", 4, "body.b.shape", "expected a table, found a string", ""},
    {"shapes_not_array", BODY "shapes = { type = 'sphere' }\n", 4, "body.b.shapes", "expected an array of tables", ""},
    {"one_material", BODY "[[pair]]\nmaterials = ['a']\n", 5, "pair.0.materials", "two materials", "[\"a\", \"b\"]"},
    {"no_materials", BODY "[[pair]]\nfriction = 1\n", 4, "pair.0.materials", "missing key", ""},
    {"material_not_table", BODY "[material]\nfriction = 1\n", 5, "material.friction", "expected a table", ""},
    {"vertices_not_points", BODY "shape = { type = 'convex', vertices = [1, 2] }\n", 4, "body.b.shape.vertices.0",
     "expected an array of 3", ""},
    // Ranges.
    {"zero_step", "[simulation]\nstep = 0\n" BODY, 2, "simulation.step", "0 is out of range", "greater than 0"},
    {"negative_step", "[simulation]\nstep = -1e-3\n" BODY, 2, "simulation.step", "-0.001 is out of range",
     "greater than 0"},
    {"negative_duration", "[simulation]\nduration = -1\n" BODY, 2, "simulation.duration", "out of range", "at least 0"},
    {"nan", BODY "position = [0, nan, 0]\n", 4, "body.b.position.1", "nan is out of range", "finite"},
    {"inf", "[[body]]\nname = 'b'\nmass = inf\n", 3, "body.b.mass", "inf is out of range", "finite"},
    {"nan_limit", JOINT "type = 'revolute'\nlimits = [nan, 1]\n", 9, "joint.j.limits.0", "nan", "number"},
    {"negative_mass", "[[body]]\nname = 'b'\nmass = -2\n", 3, "body.b.mass", "-2 is out of range", "greater than 0"},
    {"zero_density", "[[body]]\nname = 'b'\ndensity = 0\n", 3, "body.b.density", "out of range", "greater than 0"},
    {"negative_friction", BODY "[material.m]\nfriction = -0.1\n", 5, "material.m.friction", "out of range",
     "at least 0"},
    {"negative_friction_pair", BODY "[material.m]\nfriction = [0.1, -0.1]\n", 5, "material.m.friction.1",
     "out of range", ""},
    {"big_restitution", BODY "[material.m]\nrestitution = 1.1\n", 5, "material.m.restitution", "out of range",
     "from 0 to 1"},
    {"negative_stiffness", BODY "[material.m]\nstiffness = -1\n", 5, "material.m.stiffness", "-1 is out of range",
     "at least 0"},
    {"negative_tangent", BODY "[material.m]\nstiffness = [1, -1]\n", 5, "material.m.stiffness.1", "out of range",
     "at least 0"},
    {"four_dampings", BODY "[material.m]\nstiffness = 1\ndamping = [1, 2, 3, 4]\n", 6, "material.m.damping",
     "expected 2 or 3 values, or 3 rows, found 4", "damping = [n, t, o]"},
    {"short_row", BODY "[material.m]\nstiffness = [[1, 0, 0],\n[0, 1],\n[0, 0, 1]]\n", 6, "material.m.stiffness.1",
     "expected 3 values, found 2", "exactly 3"},
    {"mixed_rows", BODY "[material.m]\nstiffness = [[1, 0, 0], 2, 3]\n", 5, "material.m.stiffness.1",
     "expected an array of 3", ""},
    {"stiffness_string", BODY "[material.m]\nstiffness = 'soft'\n", 5, "material.m.stiffness", "expected a number", ""},
    {"contact_law", BODY "[material.m]\nstiffness = 1\ncontact_law = 'herz'\n", 6, "herz",
     "unknown material.m.contact_law", "'hertz'"},
    {"contact_exponent", BODY "[material.m]\nstiffness = 1\ncontact_law = 'hertz'\ncontact_exponent = 0.5\n", 7,
     "material.m.contact_exponent", "0.5 is out of range", "at least 1"},
    {"exponent_of_linear", BODY "[material.m]\nstiffness = 1\ncontact_exponent = 2\n", 6, "material.m.contact_exponent",
     "no such exponent", "hertz"},
    {"rate_of_hertz", BODY "[material.m]\nstiffness = 1\ncontact_law = 'hertz'\nrate_exponent = 2\n", 7,
     "material.m.rate_exponent", "no such exponent", "hunt-crossley"},
    {"no_thickness", BODY "[[pair]]\nmaterials = ['default', 'default']\nstiffness = 1\nlayer_thickness = 0\n", 7,
     "pair.0.layer_thickness", "0 is out of range", "greater than 0"},
    {"low_static_friction", BODY "[material.m]\nfriction = 0.5\nstatic_friction = 0.4\n", 6,
     "material.m.static_friction", "0.4 is less than friction, 0.5", "leave static_friction out"},
    {"zero_radius", BODY "shape = { type = 'sphere', radius = 0 }\n", 4, "body.b.shape.radius", "out of range", ""},
    {"flat_box", BODY "shape = { type = 'box', size = [1, 0, 1] }\n", 4, "body.b.shape.size.1", "out of range", ""},
    {"zero_threads", "[simulation]\nthreads = 0\n" BODY, 2, "simulation.threads", "0 is out of range",
     "from 1 to 1024"},
    {"two_directions", BODY "[method.stewart-trinkle]\nfriction_directions = 2\n", 5,
     "method.stewart-trinkle.friction_directions", "2 is out of range", "from 3 to 256"},
    {"zero_tolerance", "[simulation]\ncertificate_tolerance = 0\n" BODY, 2, "simulation.certificate_tolerance",
     "out of range", ""},
    {"zero_quaternion", BODY "orientation = [0, 0, 0, 0]\n", 4, "body.b.orientation", "length zero", "[1, 0, 0, 0]"},
    {"zero_normal", BODY "shape = { type = 'plane', normal = [0, 0, 0] }\n", 4, "body.b.shape.normal", "length zero",
     ""},
    {"zero_axis", JOINT "type = 'revolute'\naxis = [0, 0, 0]\n", 9, "joint.j.axis", "length zero", "Any length"},
    {"reversed_limits", JOINT "type = 'revolute'\nlimits = [1, -1]\n", 9, "joint.j.limits", "above the upper",
     "[lower, upper]"},
    {"wrong_limit_count", JOINT "type = 'universal'\nlimits = [[0, 1]]\n", 9, "joint.j.limits",
     "expected 2 pairs, found 1", ""},
    {"wrong_friction_count", JOINT "type = 'universal'\nfriction = [1, 2, 3]\n", 9, "joint.j.friction",
     "expected 2 values, found 3", ""},
    {"friction_of_fixed", JOINT "type = 'fixed'\nfriction = 1\n", 9, "joint.j.friction", "no coordinate", "Leave"},
    {"reference_of_spherical", JOINT "type = 'spherical'\nreference = 1\n", 9, "joint.j.reference", "no coordinate",
     "Leave"},
    {"no_pitch", JOINT "type = 'screw'\n", 4, "joint.j.pitch", "missing key", "Add 'pitch"},
    {"zero_pitch", JOINT "type = 'screw'\npitch = 0\n", 9, "joint.j.pitch", "0 is not a pitch", "m per turn"},
    {"infinite_pitch", JOINT "type = 'screw'\npitch = inf\n", 9, "joint.j.pitch", "out of range", "finite"},
    {"pitch_string", JOINT "type = 'screw'\npitch = 'fine'\n", 9, "joint.j.pitch", "expected a number", ""},
    {"pitch_of_revolute", JOINT "type = 'revolute'\npitch = 0.1\n", 9, "joint.j.pitch", "revolute joint has no pitch",
     "screw"},
    {"negative_damping", JOINT "type = 'revolute'\ndamping = -1\n", 9, "joint.j.damping", "out of range", "at least 0"},
    {"zero_max_force", BODY "[[actuator]]\nname = 'a'\njoint = 'j'\nmax_force = 0\n", 7, "actuator.a.max_force",
     "out of range", ""},
    {"coordinate_six", BODY "[[actuator]]\nname = 'a'\njoint = 'j'\ncoordinate = 6\n", 7, "actuator.a.coordinate",
     "out of range", ""},
    // Names and choices.
    {"unknown_method", "[simulation]\nmethod = 'stewart-trinckle'\n" BODY, 2, "stewart-trinckle",
     "unknown simulation.method", "Did you mean 'stewart-trinkle'?"},
    {"unknown_method_table", BODY "[method.magic]\nx = 1\n", 4, "magic", "unknown method", "stewart-trinkle"},
    {"event_rule", BODY "[method.event-driven]\nrule = 'coulomp'\n", 5, "coulomp", "unknown", "coulomb"},
    {"event_tolerance", BODY "[method.event-driven]\ntolerance = 1e-15\n", 5, "method.event-driven.tolerance",
     "out of range", "1e-13"},
    {"unknown_solver", "[simulation]\nsolver = 'lemmke'\n" BODY, 2, "lemmke", "unknown simulation.solver", "'lemke'"},
    {"unknown_coordinates", BODY "[method.stewart-trinkle]\ncoordinates = 'minimal'\n", 5, "minimal", "unknown",
     "maximal"},
    {"unknown_shape", BODY "shape = { type = 'sphre', radius = 1 }\n", 4, "sphre", "unknown body.b.shape.type",
     "'sphere'"},
    {"later_shape", BODY "shape = { type = 'mesh', file = 'a.obj' }\n", 4, "body.b.shape.type", "'mesh' is announced",
     "convex"},
    {"exponent_of_one", BODY "shape = { type = 'superellipsoid', radii = [1, 1, 1], exponents = [1, 2] }\n", 4,
     "body.b.shape.exponents.0", "1 is out of range", "from 2 to 16"},
    {"round_too_much", BODY "shape = { type = 'rounded-box', size = [1, 2, 3], radius = 0.6 }\n", 4,
     "body.b.shape.radius", "radius 0.6 is more than half of the smallest size", "at most 0.5"},
    {"cone_without_length", BODY "shape = { type = 'cone', radius = 1 }\n", 4, "body.b.shape.length", "missing key",
     ""},
    {"no_functions", BODY "shape = { type = 'implicit' }\n", 4, "body.b.shape.functions", "missing key", ""},
    {"not_convex", IMPLICIT "[1, 4, 0, 0], [-1, 2, 0, 0], [1, 0, 4, 0], [1, 0, 0, 4], [-1, 0, 0, 0]" END, 4,
     "body.b.shape.functions", "function 1 of 1 is not convex", "several shapes"},
    {"flat_on_its_surface",
     IMPLICIT "[1, 6, 0, 0], [3, 4, 2, 0], [3, 4, 0, 2], [3, 2, 4, 0], [6, 2, 2, 2], [3, 2, 0, 4], [1, 0, 6, 0], "
              "[3, 0, 4, 2], [3, 0, 2, 4], [1, 0, 0, 6], [-3, 4, 0, 0], [-6, 2, 2, 0], [-6, 2, 0, 2], [-3, 0, 4, 0], "
              "[-6, 0, 2, 2], [-3, 0, 0, 4], [3, 2, 0, 0], [3, 0, 2, 0], [3, 0, 0, 2], [-1, 0, 0, 0]" END,
     4, "body.b.shape.functions", "no gradient on its surface", "slope"},
    {"unbounded_solid", IMPLICIT "[1, 2, 0, 0], [1, 0, 2, 0], [-1, 0, 0, 0]" END, 4, "body.b.shape.functions",
     "unbounded along", "bounds it"},
    {"empty_solid", IMPLICIT "[1, 2, 0, 0], [1, 0, 2, 0], [1, 0, 0, 2], [1, 0, 0, 0]" END, 4, "body.b.shape.functions",
     "no interior", "signs"},
    {"negative_power", IMPLICIT "[1, -2, 0, 0]" END, 4, "body.b.shape.functions.0.terms.0", "-2 is not a power",
     "whole"},
    {"broken_power", IMPLICIT "[1, 2, 0, 0], [1, 0, 2.5, 0]" END, 4, "body.b.shape.functions.0.terms.1",
     "2.5 is not a power", "whole"},
    {"short_term", IMPLICIT "[1, 2, 0]" END, 4, "body.b.shape.functions.0.terms.0", "expected 4 values", ""},
    {"unknown_function_key", BODY "shape = { type = 'implicit', functions = [{ term = [] }] }\n", 4,
     "body.b.shape.functions.0.term", "unknown key", "terms"},
    {"unknown_joint", JOINT "type = 'hinge'\n", 8, "hinge", "unknown joint.j.type", "revolute"},
    {"missing_joint_type", JOINT, 4, "joint.j.type", "missing key", ""},
    {"missing_parent", BODY "[[joint]]\nname = 'j'\ntype = 'fixed'\nchild = 'b'\n", 4, "joint.j.parent", "missing key",
     ""},
    // Keys that exclude each other.
    {"shape_and_shapes", BODY "shape = { type = 'sphere', radius = 1 }\nshapes = []\n", 5, "body.b.shapes", "exclude",
     "one"},
    {"mass_and_density", BODY "density = 2\n", 4, "body.b.density", "exclude", "one"},
    {"fixed_and_motion", "[[body]]\nname = 'b'\nfixed = true\nmotion = {}\n", 4, "body.b.motion", "exclude", "one"},
    {"vertices_and_file", BODY "shape = { type = 'convex', vertices = [], file = 'x.obj' }\n", 4, "body.b.shape.file",
     "exclude", ""},
    // Files.
    {"missing_vertices_file", BODY "shape = { type = 'convex', file = 'nowhere.obj' }\n", 4, "dir/nowhere.obj",
     "no such file", ""},
    {"degenerate_hull", BODY "shape = { type = 'convex', vertices = [[0, 0, 0]] }\n", 4, "body.b.shape.vertices", "",
     ""},
    {"missing_include", BODY "\n[[include]]\nfile = 'nowhere.toml'\n", 6, "dir/nowhere.toml", "no such file", ""},
    // The first mistake in the file is the one reported, whatever the order of reading.
    {"first_of_two", "[[body]]\nname = 'b'\nmass = -1\n[simulation]\nstep = 0\n", 3, "body.b.mass", "out of range", ""},
};

INSTANTIATE_TEST_SUITE_P(Scene, Mistakes, ::testing::ValuesIn(mistakes),
                         [](const auto& instance) { return std::string(instance.param.label); });

// A folder of its own for each test that needs files.
class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("stiction_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_;
};

Error error_of(const Result<Scene>& scene) {
  EXPECT_FALSE(scene.has_value());
  return scene ? Error{} : scene.error();
}

TEST_F(Files, MissingFile) {
  const Error error = error_of(load_scene((folder_ / "none.toml").string()));
  EXPECT_THAT(error.what, HasSubstr("no such file"));
  EXPECT_THAT(error.name, HasSubstr("none.toml"));
  EXPECT_FALSE(error.remedy.empty());
}

TEST_F(Files, Directory) {
  std::filesystem::create_directories(folder_ / "x.toml");
  EXPECT_THAT(error_of(load_scene((folder_ / "x.toml").string())).what, HasSubstr("directory"));
  EXPECT_THAT(error_of(load_scene(folder_.string())).what, HasSubstr("directory"));
}

TEST_F(Files, EmptyFile) {
  EXPECT_THAT(error_of(load_scene(write("e.toml", ""))).what, HasSubstr("empty"));
}

TEST_F(Files, LaterFormats) {
  EXPECT_THAT(error_of(load_scene(write("r.urdf", "<robot/>"))).what, HasSubstr("URDF files come in a later version"));
  EXPECT_THAT(error_of(load_scene(write("r.xml", "<mujoco/>"))).what, HasSubstr("MJCF files come in a later version"));
  EXPECT_THAT(error_of(load_scene(write("r.json", "{}"))).what, HasSubstr("not a scene file"));
}

TEST_F(Files, VerticesOfAnObjFile) {
  write("t.obj", "# a tetrahedron\no t\nv 0 0 0\nv 1 0 0 1.0\nv 0 +1 0\nvn 0 0 1\nv 0 0 1e0\nf 1 2 3\n");
  const Result<Scene> scene = load_scene(write("s.toml", BODY "shape = { type = 'convex', file = 't.obj' }\n"));
  ASSERT_TRUE(scene.has_value()) << scene.error().message();
  const auto& convex = std::get<geometry::Convex>(scene->model.bodies[0].shapes[0].shape);
  EXPECT_EQ(convex.hull->vertices.size(), 4u);
}

TEST_F(Files, VerticesOfATextFile) {
  write("t.txt", "# x y z\n0 0 0\n\n1 0 0  # on x\n0\t1 0\r\n0 0 1");
  const Result<Scene> scene = load_scene(write("s.toml", BODY "shape = { type = 'convex', file = 't.txt' }\n"));
  ASSERT_TRUE(scene.has_value()) << scene.error().message();
  const auto& convex = std::get<geometry::Convex>(scene->model.bodies[0].shapes[0].shape);
  EXPECT_EQ(convex.hull->vertices.size(), 4u);
}

TEST_F(Files, BadVerticesNameTheirOwnFileAndLine) {
  for (const std::string line : {"1 2", "1 2 x", "1 2 nan", "1 2 3 4", "1e999 0 0"}) {
    write("t.txt", "0 0 0\n" + line + "\n");
    const Error error = error_of(load_scene(write("s.toml", BODY "shape = { type = 'convex', file = 't.txt' }\n")));
    EXPECT_THAT(error.file, HasSubstr("t.txt"));
    EXPECT_EQ(error.line, 2);
    EXPECT_EQ(error.name, line);
  }
}

TEST(Errors, MessageShowsEverything) {
  const Result<Scene> scene = parse_scene("[[body]]\nname = 'b'\nmas = 1\n", "bad.toml");
  ASSERT_FALSE(scene.has_value());
  EXPECT_THAT(scene.error().message(),
              ::testing::StartsWith("bad.toml:3: error: unknown key in 'body.b': 'body.b.mas'\n  remedy: "
                                    "Did you mean 'mass'? Keys here: name, fixed, mass, "));
}

TEST(SceneErrors, TooManyTermsOfAFunction) {
  std::string text = IMPLICIT;
  for (int i = 0; i < 129; ++i) text += "[1, 2, 0, 0], ";
  const Result<Scene> scene = parse_scene(text + END, "scene.toml");
  ASSERT_FALSE(scene.has_value());
  EXPECT_NE(scene.error().what.find("129 terms"), std::string::npos) << scene.error().what;
  EXPECT_EQ(scene.error().line, 4);
}

}  // namespace
}  // namespace stiction::scene
