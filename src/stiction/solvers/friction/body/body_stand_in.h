// A start for problems with friction sets that are not ellipsoids: the interior point on elliptic cones in their place.
//
// An interior point for every kind of set would be a solver of its own. Sets near their ellipse make most contacts slip
// or stick as the ellipse does: the proximal Newton method, which knows the sets, goes on from there.
#pragma once

#include <vector>

#include "stiction/solvers/friction/body/body_interior_point.h"

namespace stiction::solvers {

/// Caller-owned memory of the stand-in.
class BodyStandIn {
 public:
  /// Runs `interior` on the stand-in of `system`; z gets its best iterate, moved into the sets. Offers z to `progress`
  /// and returns its residual.
  double run(const BodySystem& system, const BodyInteriorOptions& options, BodyInteriorPoint& interior,
             BodyMatrix& matrix, BodyProgress& progress, std::vector<double>& z);

  /// Takes the memory that a run needs.
  void reserve(const BodySystem& system);

 private:
  void form(const BodySystem& system);

  BodySystem round_;
  BodyProgress progress_;
  std::vector<double> x_, u_;
};

}  // namespace stiction::solvers
