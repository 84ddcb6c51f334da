// Looks for a proof that a friction problem has no answer: multipliers y under which normal velocities contradict q.
//
// y >= 0 on normal rows, free on bilateral rows, zero elsewhere, with W^T y = 0 and y . q < 0: then y . u = y . q < 0
// for every r, yet u_n >= 0 and u = 0 on bilateral rows ask for y . u >= 0. For a symmetric positive semidefinite W no
// other refutation of this kind exists, and one exists exactly when the frictionless problem has no answer. It is the
// ray along which the frictionless impulses grow when compliance goes to zero: they come from Lemke with a touch of
// compliance, and their direction is projected on the null space of W. certify/friction_no_solution.h checks it.
#pragma once

#include <vector>

#include "stiction/solvers/friction/kernels/dense_friction.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"
#include "stiction/solvers/lcp/lemke.h"

namespace stiction::solvers {

/// Its memory.
struct RefuteWorkspace {
  EliminatedFriction eliminated;
  std::vector<int> normal;  ///< normal rows among the eliminated problem's
  std::vector<double> M, q, z, w;
  LemkeWorkspace lemke;
};

/// True when y (one value per row, of the unscaled problem, largest 1 in scaled units) looks like a proof. Refuses
/// problems with more than 300 contacts or bilateral rows. Allocates where the frictionless problem fails.
bool find_refutation(const ScaledFriction& s, RefuteWorkspace& workspace, std::vector<double>& y);

}  // namespace stiction::solvers
