// The memory behind FrictionWorkspace, all kept from solve to solve: the iterates, a struct per solver of the
// portfolio, and what other solvers bring along (own).
#pragma once

#include <any>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "stiction/solvers/friction/admm_friction.h"
#include "stiction/solvers/friction/block_gauss_seidel.h"
#include "stiction/solvers/friction/body/body_solver.h"
#include "stiction/solvers/friction/enumerate_friction.h"
#include "stiction/solvers/friction/interior_point_friction.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"
#include "stiction/solvers/friction/newton_friction.h"
#include "stiction/solvers/friction/polyhedral_lemke.h"
#include "stiction/solvers/friction/proximal_friction.h"
#include "stiction/solvers/friction/refute_friction.h"
#include "stiction/solvers/friction/velocity_newton.h"

namespace stiction::solvers {

/// Memory that is made when somebody first asks for it: small problems never do.
template <class T>
class OnFirstUse {
 public:
  operator T&() {  // NOLINT: stands for the T
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

/// See the top of the file.
struct FrictionMemory {
  ScaledFriction scaled;
  GaussSeidelWorkspace sweeps;
  NewtonWorkspace newton;
  ProximalWorkspace proximal;
  AdmmWorkspace admm;
  OnFirstUse<PatternWorkspace> enumeration;
  OnFirstUse<PolyhedralWorkspace> polyhedral;
  OnFirstUse<RefuteWorkspace> refute;
  std::vector<double> refutation;  ///< multipliers of the last proof, or empty
  InteriorPointWorkspace interior;
  VelocityNewtonWorkspace velocity;
  OnFirstUse<BodyWorkspace> body;  ///< of problems in global form
  std::vector<double> r;           ///< current iterate, scaled
  std::vector<double> best;        ///< best so far by the residual, scaled
  std::vector<double> u;           ///< scratch: the velocities of an iterate
  double best_residual = 0;
  bool all_rungs = false;  ///< see FrictionWorkspace::reserve_all_rungs
  size_t reserved_rows = 0, reserved_values = 0;
  std::list<std::any> others;  ///< see own

  /// Memory of type T, made on first use: a solver that stands outside the portfolio has its own this way.
  template <class T>
  T& own() {
    for (std::any& other : others) {
      if (T* found = std::any_cast<T>(&other)) return *found;
    }
    return std::any_cast<T&>(others.emplace_back(std::in_place_type<T>));
  }

  /// A simulation wants no allocation once it has seen its largest problem: the rungs of `auto` that it has not needed
  /// so far get their memory too, where all_rungs is set.
  void reserve_rungs();
};

}  // namespace stiction::solvers
