// How far a body has moved in the frame of others since the start: the drift of what is held, stacked or standing.
//
//   d(t) = R_WA(t)^T (c_B(t) - c_A(t)) - R_WA(0)^T (c_B(0) - c_A(0)),    drift = |d - (d . n) n|
//
// with c_B the body's centre of mass, c_A the mean of the reference bodies' centres of mass, R_WA the axes of the first
// of them, and n a direction in these axes that does not count (none unless stated).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/dynamics/kinematics.h"

namespace stiction {

/// Whose drift, against what. "world" is a reference, too: its axes and its origin.
struct DriftPair {
  std::vector<std::string> reference;  ///< at least one body; several (two jaws): the mean of their centres
  std::string body;
  std::optional<Vector3> normal = {};  ///< in the first reference's axes; displacement along it does not count

  /// "A,B", or "A+C,B" for several references.
  std::string name() const;
};

/// Reads "A,B" or "A+C,B" and looks the bodies up; the Error has the name that is not there and the nearest that is.
Result<DriftPair> parse_drift_pair(const Model& model, const std::string& text);

/// Measures one pair.
class DriftMeter {
 public:
  /// All names of the pair must be bodies of the model (or "world" as reference).
  DriftMeter(const Model& model, const Kinematics& start, const DriftPair& pair);

  /// d(t), less its part along the normal [m].
  Vector3 displacement(const Kinematics& kinematics) const;

 private:
  Vector3 place(const Kinematics& kinematics) const;

  std::vector<int> reference_;  // world_index: the world
  int body_ = 0;
  Vector3 normal_ = Vector3::Zero();
  Vector3 start_ = Vector3::Zero();
};

/// The distance beyond which a pair counts as dropped: 0.01 m, or the smaller body's extent where that is less.
double default_drop_distance(const Model& model, const DriftPair& pair);

}  // namespace stiction
