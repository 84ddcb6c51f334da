// The memory behind FrictionWorkspace: one struct a solver, all kept from solve to solve.
#pragma once

#include <vector>

#include "stiction/solvers/block_gauss_seidel.h"
#include "stiction/solvers/interior_point_friction.h"
#include "stiction/solvers/newton_friction.h"
#include "stiction/solvers/proximal_friction.h"
#include "stiction/solvers/scaled_friction.h"

namespace stiction::solvers {

/// See the top of the file.
struct FrictionMemory {
  ScaledFriction scaled;
  GaussSeidelWorkspace sweeps;
  NewtonWorkspace newton;
  ProximalWorkspace proximal;
  InteriorPointWorkspace interior;
  std::vector<double> r;     ///< current iterate, scaled
  std::vector<double> best;  ///< best so far by the residual, scaled
  std::vector<double> u;
  double best_residual = 0;
};

}  // namespace stiction::solvers
