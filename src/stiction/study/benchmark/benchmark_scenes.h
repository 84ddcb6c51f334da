// The scenes that `stiction bench` runs, here and on the simulators beside it. They stand here once, so that everyone
// simulates the same masses, sizes, positions, friction and steps. Gravity is 9.81 m/s^2, nothing bounces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stiction/model/description.h"

namespace stiction {

/// What is read off the motion of the bodies.
enum class BenchmarkMeasure {
  rolling,   ///< final speed and time of rolling of body "ball"
  sticking,  ///< creep of body "cube" in the last second
  slipping,  ///< acceleration of body "cube"
  stopping,  ///< distance and sideways drift of body "cube"
  standing,  ///< overlap, drift and sag of body "top"
  settling,  ///< overlap and speeds of all bodies
  holding,   ///< slip of body "ball" against "left" and "right"
  swinging,  ///< energy and joints
  resting,   ///< overlap, creep, joints and limits in the last second
};

/// One motion of a scene: what moves, what is measured, and the closed form where there is one.
struct BenchmarkMotion {
  ModelDescription model = {};
  BenchmarkMeasure measure = BenchmarkMeasure::standing;
  Vector3 direction = Vector3::UnitX();  ///< unit, horizontal: where it slides or would slide
  double expected = 0;                   ///< speed [m/s], acceleration [m/s^2] or distance [m] by the closed form
  double expected_time = 0;              ///< s: when it rolls
};

/// A scene: its motions, and the steps with which each is simulated. Figures are the worst of the motions.
struct BenchmarkScene {
  std::string name = {};
  std::string sentence = {};
  double duration = 1;             ///< s
  std::vector<double> steps = {};  ///< s
  std::vector<BenchmarkMotion> motions = {};
  int bodies = 0;            ///< that move, in one motion
  bool has_links = false;    ///< a mechanism without contacts
  bool has_figure = false;   ///< a mechanism with contacts
  bool last_second = false;  ///< the last simulated second is timed apart
  bool on_request = false;   ///< only run when it is named
};

/// Names of all scenes, in order.
std::vector<std::string> benchmark_names();

/// The scene of that name, which must be one of benchmark_names().
BenchmarkScene benchmark_scene(std::string_view name);

}  // namespace stiction
