// What a solve in body space keeps; for the files of this folder only.
#pragma once

#include <vector>

#include "stiction/solvers/friction/body/body_active_step.h"
#include "stiction/solvers/friction/body/body_interior_point.h"
#include "stiction/solvers/friction/body/body_path.h"
#include "stiction/solvers/friction/body/body_proximal_newton.h"
#include "stiction/solvers/friction/body/body_solver.h"
#include "stiction/solvers/friction/body/body_stand_in.h"
#include "stiction/solvers/friction/body/body_sweeps.h"

namespace stiction::solvers {

/// One struct an algorithm, all kept from solve to solve.
struct BodyMemory {
  BodySystem system;
  BodyMatrix matrix;
  BodySweeps sweeps;
  BodyInteriorPoint interior;
  BodyPath path;
  BodyStandIn stand_in;
  BodyProximalNewton proximal;
  BodyActiveStep active;
  BodyProgress progress;
  std::vector<double> z, u, x;
  std::vector<double> guess;  ///< the caller's, or the same plus its trend where that is nearer
  bool all_rungs = false;
  bool reserved_sets = false;
  size_t reserved_rows = 0, reserved_values = 0;

  /// The interior point into z; where friction sets are not ellipsoids, that of their stand-in: a start only.
  double run_interior(const BodyInteriorOptions& options) {
    return system.has_sets ? stand_in.run(system, options, interior, matrix, progress, z)
                           : interior.run(system, options, matrix, progress, z);
  }
};

}  // namespace stiction::solvers
