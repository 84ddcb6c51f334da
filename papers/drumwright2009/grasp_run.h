// The grasp of section 4, run with any method and watched: how far the ball moves in the gripper, and how much of that
// is the scheme's own.
//
// Drift is the displacement of the ball's centre relative to the mean of the jaws, in the plane of the pads (x and z of
// the palm). A method whose stick is one of velocities lets the ball move straight on by h v while the gripper moves on
// an arc: the point of the palm where the ball is moves by h v + c, c about h^2/2 times the centripetal acceleration.
// The sum of -c is the scheme's part; it needs no friction law to be wrong.
#pragma once

#include <string>
#include <vector>

#include "papers/paper.h"

namespace stiction::papers::drumwright2009 {

/// Pads are 40 mm high: beyond this drift the ball has left them [m].
inline constexpr double dropped_drift = 0.02;

/// One grasp, to its end or until the ball is lost.
struct GraspRun {
  std::string method;
  double h = 0, duration = 0;
  std::vector<double> time, drift;  ///< s, m: every few steps
  double worst_drift = 0;           ///< m: largest over all steps
  double worst_scheme = 0;          ///< m: largest of the scheme's part
  double worst_excess = 0;          ///< m: largest of drift less the scheme's part, as vectors
  double worst_penetration = 0;     ///< m: measured, at every sample
  double friction_used = 0;         ///< largest tangential over normal force of a contact
  double grip = 0;                  ///< N: mean normal force of a contact
  double lost_at = -1;              ///< s: the ball left the pads; negative: it did not
  double failed_at = -1;            ///< s: a step could not be taken
  std::string failure;
  certify::StepCertificate certificate;  ///< worst of all steps
  long steps = 0, fallbacks = 0;
  double wall_seconds = 0;

  /// Still holds the ball at the end.
  bool holds() const { return lost_at < 0 && failed_at < 0; }
};

/// What to draw of a moment of the grasp.
struct Snapshot {
  double time = 0;
  std::vector<Pose> X_WB;  ///< of all bodies
};

/// Runs the scene with the method and more overrides; stops shortly after the ball is lost. Snapshots are taken at the
/// given times.
Result<GraspRun> run_grasp(const std::string& method, double duration, std::vector<std::string> overrides = {},
                           std::span<const double> snapshot_times = {}, std::vector<Snapshot>* snapshots = nullptr);

/// Overrides for a ball `factor` times heavier, and for a motion `factor` times faster.
std::vector<std::string> heavier_ball(double factor);
std::vector<std::string> faster_motion(double factor);

/// The two lists after one another.
std::vector<std::string> join(std::vector<std::string> a, const std::vector<std::string>& b);

}  // namespace stiction::papers::drumwright2009
