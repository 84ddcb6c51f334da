// One step of Newton's method on impulses with the contacts' states as they stand: what presses stays closed, what
// sticks goes on sticking, what slips slips on in its direction.
//
//     dz = -rho G (u + H x),    x = H^T dz,    (I + rho H^T G H) x = -rho H^T G u
//
// with G of a block that is open 0; sticking, bilateral or inside its disc I; slipping [1 0; z_t / |z_t| 0]. Rows that
// take part end with u = 0 but for one part in rho. Where the states of the answer are those of z, one step is all it
// takes; the proximal Newton method (body_proximal_newton.h) starts from y = z - rho u instead, where a small u times a
// large rho looks like slip.
#pragma once

#include <vector>

#include "stiction/solvers/friction/body/body_matrix.h"
#include "stiction/solvers/friction/body/body_progress.h"

namespace stiction::solvers {

/// Caller-owned memory and the step above. Friction sets that are not ellipsoids are not for it.
class BodyActiveStep {
 public:
  /// z, whose velocities are u, moves by dz, which may take it out of its cones. False where the matrix is singular.
  bool take(const BodySystem& system, const double* u, double rho, BodyMatrix& matrix, BodyProgress& progress,
            std::vector<double>& z);

  /// Takes the memory that a step needs.
  void reserve(const BodySystem& system);

 private:
  bool find_states(const BodySystem& system, const double* u, const double* z);
  void multiply(const BodySystem& system, double factor, const double* u, double* out) const;

  std::vector<double> G_;           // as BodySystem::W
  std::vector<double> change_, x_;  // dz and x
  std::vector<double> rates_;       // H x
};

}  // namespace stiction::solvers
