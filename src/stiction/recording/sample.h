// One row of a recording: what the mechanism did at the end of a step, as plain data.
#pragma once

#include <string>
#include <vector>

#include "stiction/recording/joint_values.h"
#include "stiction/simulation/simulation.h"

namespace stiction::recording {

/// How the steps of a row were solved, summed over them.
struct SolverFigures {
  int iterations = 0;    ///< pivots of all islands
  int islands = 0;       ///< islands solved
  int warm_started = 0;  ///< islands solved by their last basis
  int fallbacks = 0;     ///< islands that needed a fallback
  int passes = 0;        ///< times contacts were detected

  /// Adds what one more step took.
  void add(const StepOutcome& outcome);
};

/// The mechanism at one time. Certificate (worst) and solver figures (sums) cover all steps since the row before.
struct Sample {
  long step = 0;                          ///< steps since time zero of the scene
  double time = 0;                        ///< s
  std::vector<Vector3> position;          ///< bodies: origin of the body's frame [m]
  std::vector<Vector4> quaternion;        ///< bodies: w, x, y, z of the body's frame
  std::vector<Vector3> linear_velocity;   ///< bodies: of the centre of mass, world axes [m/s]
  std::vector<Vector3> angular_velocity;  ///< bodies: world axes [rad/s]
  JointValues joints;                     ///< packed by JointLayout
  std::vector<ContactReport> contacts;    ///< of the last step, gaps as its law imposes them
  Energies energies;
  certify::StepCertificate certificate;
  SolverFigures solver;
};

/// What does not change from row to row.
struct RecordingLayout {
  std::string scene, method, solver;
  double step = 0;  ///< s
  int every = 1;    ///< steps from row to row
  std::vector<std::string> body_names;
  JointLayout joints;
};

/// The layout of a simulation's recording.
RecordingLayout make_layout(const Simulation& simulation, const std::string& scene, int every);

/// Fills `sample` from the current state, all but certificate and solver figures; keeps its capacity.
void capture(Simulation& simulation, const JointLayout& layout, Sample& sample);

}  // namespace stiction::recording
