// An island's end-of-step contact as a sequence of friction problems with frozen geometry: for islands whose many
// contacts leave forces undetermined, where Newton's method on everything at once cycles between sticking and slipping.
//
// At the contacts of an iterate v_k, with W_k their rows and g_k their gaps,
//
//     M (v - v_free) = W_k p,    0 <= p_n  orthogonal to  W_n,k^T (v - v_k) + g_k / h >= 0,    friction on W_f,k^T v
//
// is a problem of exact-cone's kind, and its solvers are used. What is frozen is of the order h^2 times forces times
// curvatures, so an iteration gains three digits or more where steps are sensible.
#pragma once

#include <vector>

#include "stiction/methods/implicit/implicit_island.h"
#include "stiction/methods/shared/island_friction_problem.h"
#include "stiction/solvers/friction/friction_solver.h"

namespace stiction::methods {

/// Caller-owned memory and the iteration.
class SuccessiveCones {
 public:
  SuccessiveCones();

  /// Starts at the island's last evaluation. One iteration: true with the next velocities and impulses in `answer`.
  bool advance(const StepProblem& problem, const StepContext& context, const contact::Island& island,
               const ImplicitIsland& implicit, const EndState& end, double tolerance, StepAnswer& answer);

  /// Forgets the impulses of the last iteration.
  void restart() { warm_ = false; }

 private:
  StepProblem frozen_;
  std::vector<int> blocks_;
  contact::IslandRows rows_;
  IslandFrictionProblem velocity_;
  std::vector<double> p_, r_;
  solvers::FrictionWorkspace solver_;
  bool warm_ = false;
};

}  // namespace stiction::methods
