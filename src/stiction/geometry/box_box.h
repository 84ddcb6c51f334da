// Two boxes by separating axes: three face normals each and the nine products of edges.
#pragma once

#include "stiction/geometry/shapes/box.h"

namespace stiction::geometry {

/// The best of the 15 axes for two boxes.
struct BoxAxis {
  Vector3 normal = Vector3::UnitZ();  ///< unit, from A to B, world axes
  double separation = 0;              ///< along it; when negative this is exactly minus the penetration depth
  double best_separation = 0;         ///< of the best axis: a face normal wins when it is worse by rounding only
};

/// B's centre is p_AB away from A's. Stops early with a separation above `stop_above` when some axis shows that much.
BoxAxis box_box_axis(const Box& A, const Box& B, const Matrix3& R_WA, const Matrix3& R_WB, const Vector3& p_AB,
                     double size, double stop_above);

}  // namespace stiction::geometry
