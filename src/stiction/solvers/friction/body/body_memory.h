// What a solve in body space keeps; for the files of this folder only.
#pragma once

#include <vector>

#include "stiction/solvers/friction/body/body_interior_point.h"
#include "stiction/solvers/friction/body/body_proximal_newton.h"
#include "stiction/solvers/friction/body/body_solver.h"
#include "stiction/solvers/friction/body/body_sweeps.h"

namespace stiction::solvers {

/// One struct an algorithm, all kept from solve to solve.
struct BodyMemory {
  BodySystem system;
  BodyMatrix matrix;
  BodySweeps sweeps;
  BodyInteriorPoint interior;
  BodyProximalNewton proximal;
  BodyProgress progress;
  std::vector<double> z, u, x;
  bool all_rungs = false;
  size_t reserved_rows = 0, reserved_values = 0;
};

}  // namespace stiction::solvers
