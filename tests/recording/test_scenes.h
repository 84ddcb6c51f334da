// Small simulations and files that the tests of recording/ share.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "stiction/simulation/simulation.h"

namespace stiction::recording {

/// A folder of its own for a test, removed afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "stiction-recording-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }
  /// Files in it.
  int count() const {
    return static_cast<int>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A ball (m = 2 kg, r = 1 m) on the ground, sliding at 2 m/s along x, and a pendulum of 1 m on a revolute joint.
inline ModelDescription ball_and_pendulum() {
  const auto shape = [](const geometry::Shape& geometry) {
    ShapeDescription description;
    description.shape = geometry;
    description.material = "rubber";
    return description;
  };
  ModelDescription description;
  Material& rubber = description.materials.emplace_back();
  rubber.name = "rubber";
  rubber.friction = {0.2, 0.2};
  description.bodies.resize(3);
  BodyDescription &ground = description.bodies[0], &ball = description.bodies[1], &bob = description.bodies[2];
  ground.name = "ground";
  ground.fixed = true;
  ground.shapes = {shape(geometry::Plane{})};
  ball.name = "ball";
  ball.mass = 2.0;
  ball.position = Vector3(0, 0, 1);
  ball.linear_velocity = Vector3(2, 0, 0);
  ball.shapes = {shape(geometry::Sphere{1.0})};
  bob.name = "bob";
  bob.mass = 1.0;
  bob.position = Vector3(1, 20, 5);
  bob.shapes = {shape(geometry::Sphere{0.1})};
  JointDescription& hinge = description.joints.emplace_back();
  hinge.name = "hinge";
  hinge.parent = "world";
  hinge.child = "bob";
  hinge.position = Vector3(0, 20, 5);
  hinge.axis = Vector3::UnitY();
  return description;
}

inline Simulation make_simulation(const ModelDescription& description, SimulationSettings settings = {}) {
  auto built = build_model(description);
  if (!built) throw std::runtime_error(built.error().message());
  auto simulation = Simulation::create(std::move(*built), settings);
  if (!simulation) throw std::runtime_error(simulation.error().message());
  return std::move(*simulation);
}

/// Output of a Python program given the words after it; empty with `ok` false when it fails.
struct PythonAnswer {
  bool ok = false;
  std::string output;
};

inline PythonAnswer run_python(const std::string& program, const std::string& arguments,
                               const TemporaryFolder& folder) {
  const std::string script = folder.file("script.py"), output = folder.file("output.txt");
  std::ofstream(script) << program;
  const std::string command = "/usr/bin/python3 '" + script + "' " + arguments + " >'" + output + "' 2>&1";
  PythonAnswer answer;
  answer.ok = std::system(command.c_str()) == 0;
  answer.output = read_text(output);
  return answer;
}

}  // namespace stiction::recording
