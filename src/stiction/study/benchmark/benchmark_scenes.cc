#include "stiction/study/benchmark/benchmark_scenes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "stiction/base/assert.h"
#include "stiction/study/benchmark/figure_scenes.h"
#include "stiction/study/benchmark/scene_parts.h"

namespace stiction {

namespace {

Vector3 horizontal(double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  return {std::cos(angle), std::sin(angle), 0};
}

// A sphere rolls at 5/7 of its speed, 2 v / (7 mu g) after it was set down.
BenchmarkScene slide_roll() {
  constexpr double friction = 0.2, speed = 2;
  BenchmarkMotion motion{.model = ground_model(friction), .measure = BenchmarkMeasure::rolling};
  motion.model.bodies.push_back(body_of_mass("ball", 1, geometry::Sphere{1}, {0, 0, 1}));
  motion.model.bodies.back().linear_velocity = Vector3(speed, 0, 0);
  motion.expected = 5 * speed / 7;
  motion.expected_time = 2 * speed / (7 * friction * benchmark_gravity);
  return {.sentence = "a sphere of radius 1 m at 2 m/s without spin on a plane, friction 0.2",
          .duration = 1,
          .steps = {0.01, 0.001},
          .motions = {motion}};
}

// A cube on a plane under gravity that is tilted by `share` of the angle of friction.
BenchmarkMotion tilted_cube(double degrees, double share) {
  constexpr double friction = 0.5;
  const double tilt = share * std::atan(friction);
  const Vector3 down_hill = horizontal(degrees);
  BenchmarkMotion motion{.model = ground_model(friction), .direction = down_hill};
  motion.measure = share < 1 ? BenchmarkMeasure::sticking : BenchmarkMeasure::slipping;
  motion.model.gravity = benchmark_gravity * (std::sin(tilt) * down_hill - std::cos(tilt) * Vector3::UnitZ());
  motion.model.bodies.push_back(body_of_mass("cube", 1, cube_of(0.4), {0, 0, 0.2}));
  motion.expected = benchmark_gravity * (std::sin(tilt) - friction * std::cos(tilt));
  return motion;
}

BenchmarkScene incline() {
  BenchmarkScene scene{.sentence = "a cube of 0.4 m, gravity tilted to 0.98 and 1.02 of the angle of friction 0.5",
                       .duration = 5,
                       .steps = {1.0 / 240}};
  for (const double share : {0.98, 1.02}) {
    for (const double degrees : {0.0, 22.5, 45.0}) scene.motions.push_back(tilted_cube(degrees, share));
  }
  return scene;
}

BenchmarkScene slide() {
  constexpr double friction = 0.5, speed = 3;
  BenchmarkScene scene{.sentence = "a cube of 0.4 m slides to rest from 3 m/s in directions 0, 22.5, 45 degrees",
                       .duration = 2,
                       .steps = {0.001}};
  for (const double degrees : {0.0, 22.5, 45.0}) {
    BenchmarkMotion motion{
        .model = ground_model(friction), .measure = BenchmarkMeasure::stopping, .direction = horizontal(degrees)};
    motion.model.bodies.push_back(body_of_mass("cube", 1, cube_of(0.4), {0, 0, 0.2}));
    motion.model.bodies.back().linear_velocity = speed * motion.direction;
    motion.expected = speed * speed / (2 * friction * benchmark_gravity);
    scene.motions.push_back(std::move(motion));
  }
  return scene;
}

// Cubes of 1 m that touch exactly; the last is "top".
BenchmarkMotion tower_of(const std::vector<double>& masses) {
  BenchmarkMotion motion{.model = ground_model(0.5), .measure = BenchmarkMeasure::standing};
  for (size_t i = 0; i < masses.size(); ++i) {
    const std::string name = i + 1 == masses.size() ? "top" : fmt::format("cube{}", i);
    motion.model.bodies.push_back(body_of_mass(name, masses[i], cube_of(1), {0, 0, 0.5 + static_cast<double>(i)}));
  }
  return motion;
}

BenchmarkScene stack10() {
  return {.sentence = "ten cubes of 1 m and 1 kg on each other, friction 0.5",
          .duration = 10,
          .steps = {1.0 / 240, 1.0 / 60},
          .motions = {tower_of(std::vector<double>(10, 1.0))}};
}

BenchmarkScene mass_ratio() {
  return {.sentence = "a cube of 1000 kg on one of 1 kg, 1 m each, friction 0.5",
          .duration = 5,
          .steps = {1.0 / 240, 1.0 / 60},
          .motions = {tower_of({1, 1000})}};
}

// Numbers that are the same under every standard library.
class PileDraw {
 public:
  explicit PileDraw(int seed) : bits_(static_cast<std::uint64_t>(seed)) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
  }
  Quaternion orientation() {
    while (true) {
      const Vector4 q(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
      if (q.norm() > 0.1 && q.norm() <= 1) return Quaternion(q[0], q[1], q[2], q[3]).normalized();
    }
  }

 private:
  std::mt19937_64 bits_;
};

void add_bin(double half, ModelDescription& model) {
  model.bodies.push_back(fixed_plane("floor", Vector3::Zero(), Vector3::UnitZ()));
  model.bodies.push_back(fixed_plane("left", {-half, 0, 0}, Vector3::UnitX()));
  model.bodies.push_back(fixed_plane("right", {half, 0, 0}, -Vector3::UnitX()));
  model.bodies.push_back(fixed_plane("front", {0, -half, 0}, Vector3::UnitY()));
  model.bodies.push_back(fixed_plane("back", {0, half, 0}, -Vector3::UnitY()));
}

BenchmarkScene pile(int count) {
  constexpr double spacing = 0.32, jitter = 0.01;
  const int side = static_cast<int>(std::lround(std::cbrt(count)));
  BenchmarkMotion motion{.model = empty_model(0.5), .measure = BenchmarkMeasure::settling};
  add_bin(0.5 * spacing * side, motion.model);
  PileDraw draw(count);
  for (int number = 0; number < count; ++number) {
    const int i = number % side, j = number / side % side, k = number / side / side;
    Vector3 at(spacing * (i - 0.5 * (side - 1)), spacing * (j - 0.5 * (side - 1)), 0.2 + spacing * k);
    for (double& x : at) x += draw.uniform(-jitter, jitter);
    const Quaternion turned = draw.orientation();
    const bool round = (i + j + k) % 2 == 0;
    const std::string name = fmt::format("{}{}", round ? "ball" : "cube", number);
    BodyDescription body = round ? moving_body(name, geometry::Sphere{0.1}, at) : moving_body(name, cube_of(0.16), at);
    body.density = 1000;
    body.orientation = turned;
    motion.model.bodies.push_back(std::move(body));
  }
  return {
      .sentence = fmt::format("{} spheres of radius 0.1 m and cubes of 0.16 m fall into a bin, friction 0.5", count),
      .duration = 5,
      .steps = {1.0 / 120},
      .motions = {std::move(motion)},
      .last_second = true,
      .on_request = count > 1000};
}

void add_jaw(const std::string& name, double side, ModelDescription& model) {
  constexpr double radius = 0.033, thickness = 0.02, push = 10;
  const Vector3 at(side * (radius + thickness / 2), 0, 0);
  model.bodies.push_back(body_of_mass(name, 0.1, geometry::Box{{thickness / 2, 0.04, 0.04}}, at));
  JointDescription slide;
  slide.name = name + "_slide";
  slide.type = JointType::prismatic;
  slide.parent = "base";
  slide.child = name;
  slide.position = at;
  slide.axis = Vector3::UnitX();
  model.joints.push_back(slide);
  ActuatorDescription actuator;
  actuator.name = name + "_push";
  actuator.joint = slide.name;
  actuator.force = -side * push;
  model.actuators.push_back(actuator);
}

BenchmarkScene grasp() {
  BenchmarkMotion motion{.model = empty_model(0.5), .measure = BenchmarkMeasure::holding};
  BodyDescription base;
  base.name = "base";
  base.motion.emplace();
  base.motion->translation = {{.amplitude = {0, 0.25, 0}, .frequency = 1}, {.amplitude = {0, 0, 0.25}, .frequency = 2}};
  motion.model.bodies.push_back(base);
  add_jaw("left", -1, motion.model);
  add_jaw("right", 1, motion.model);
  motion.model.bodies.push_back(body_of_mass("ball", 0.058, geometry::Sphere{0.033}, Vector3::Zero()));
  motion.model.bodies.back().linear_velocity = Vector3(0, 0.25, 0.5);
  return {.sentence = "a ball of 0.058 kg between two jaws that push with 10 N and are shaken, friction 0.5",
          .duration = 25,
          .steps = {0.001},
          .motions = {std::move(motion)}};
}

BenchmarkScene chain(int count) {
  constexpr double length = 0.2, thickness = 0.05;
  BenchmarkMotion motion{.model = empty_model(0.5), .measure = BenchmarkMeasure::swinging};
  for (int i = 0; i < count; ++i) {
    const std::string name = fmt::format("link{}", i);
    motion.model.bodies.push_back(
        body_of_mass(name, 1, geometry::Box{{length / 2, thickness / 2, thickness / 2}}, {length * (i + 0.5), 0, 0}));
    motion.model.bodies.back().shapes.back().collide = false;
    JointDescription hinge;
    hinge.name = fmt::format("hinge{}", i);
    hinge.parent = i == 0 ? "world" : fmt::format("link{}", i - 1);
    hinge.child = name;
    hinge.position = Vector3(i == 0 ? 0 : length / 2, 0, 0);
    hinge.axis = i % 2 == 0 ? Vector3::UnitZ() : Vector3::UnitY();
    hinge.initial_velocity = {i == 0 ? 0.5 : 0.0};
    motion.model.joints.push_back(hinge);
  }
  return {.sentence = fmt::format("{} links of 0.2 m and 1 kg on hinges about z and y in turn, without damping", count),
          .duration = 10,
          .steps = {0.001},
          .motions = {std::move(motion)},
          .has_links = true};
}

struct NamedScene {
  std::string_view name;
  std::function<BenchmarkScene()> make;
};

const std::vector<NamedScene>& all_benchmarks() {
  static const std::vector<NamedScene> scenes = {
      {"slide_roll", slide_roll},
      {"incline", incline},
      {"slide", slide},
      {"stack10", stack10},
      {"mass_ratio", mass_ratio},
      {"pile100", [] { return pile(100); }},
      {"pile1000", [] { return pile(1000); }},
      {"pile5000", [] { return pile(5000); }},
      {"grasp", grasp},
      {"chain7", [] { return chain(7); }},
      {"chain30", [] { return chain(30); }},
      {"crawler", crawler},
      {"humanoid", humanoid},
  };
  return scenes;
}

int moving_bodies(const ModelDescription& model) {
  const auto moves = [](const BodyDescription& body) { return !body.fixed && !body.motion; };
  return static_cast<int>(std::count_if(model.bodies.begin(), model.bodies.end(), moves));
}

}  // namespace

std::vector<std::string> benchmark_names() {
  std::vector<std::string> names;
  for (const NamedScene& scene : all_benchmarks()) names.emplace_back(scene.name);
  return names;
}

BenchmarkScene benchmark_scene(std::string_view name) {
  for (const NamedScene& known : all_benchmarks()) {
    if (known.name != name) continue;
    BenchmarkScene scene = known.make();
    scene.name = name;
    scene.bodies = moving_bodies(scene.motions.front().model);
    return scene;
  }
  STICTION_ASSERT(false, "there is no benchmark scene of this name");
  return {};
}

}  // namespace stiction
