// The memory behind FrictionWorkspace: one struct a solver, all kept from solve to solve.
#pragma once

#include <vector>

#include "stiction/solvers/friction/admm_friction.h"
#include "stiction/solvers/friction/block_gauss_seidel.h"
#include "stiction/solvers/friction/enumerate_friction.h"
#include "stiction/solvers/friction/interior_point_friction.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"
#include "stiction/solvers/friction/newton_friction.h"
#include "stiction/solvers/friction/polyhedral_lemke.h"
#include "stiction/solvers/friction/projected_gauss_seidel.h"
#include "stiction/solvers/friction/proximal_friction.h"
#include "stiction/solvers/friction/refute_friction.h"

namespace stiction::solvers {

/// See the top of the file.
struct FrictionMemory {
  ScaledFriction scaled;
  GaussSeidelWorkspace sweeps;
  NewtonWorkspace newton;
  ProximalWorkspace proximal;
  ProjectedWorkspace projected;
  AdmmWorkspace admm;
  PatternWorkspace enumeration;
  PolyhedralWorkspace polyhedral;
  RefuteWorkspace refute;
  std::vector<double> refutation;  ///< multipliers of the last proof, or empty
  InteriorPointWorkspace interior;
  std::vector<double> r;     ///< current iterate, scaled
  std::vector<double> best;  ///< best so far by the residual, scaled
  std::vector<double> u;
  double best_residual = 0;
  bool all_rungs = false;  ///< see FrictionWorkspace::reserve_all_rungs
  size_t reserved_rows = 0, reserved_values = 0;
};

}  // namespace stiction::solvers
