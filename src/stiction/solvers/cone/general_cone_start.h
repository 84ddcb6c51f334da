// A start for Newton's method from Lemke's on polyhedral cones; internal to general_cone.cc.
//
// With corners d_k of F (all of a polygon's, support points in spread directions of other kinds), r_f = D beta:
//
//     0 <= c_n    complements  u_n                   >= 0
//     0 <= beta   complements  D^T u_f + lambda e    >= 0          anitescu1998 (7), mu inside D
//     0 <= lambda complements  c_n - e^T beta        >= 0
#pragma once

#include "stiction/solvers/cone/general_cone.h"

namespace stiction::solvers {

/// z of the polyhedral problem, in the workspace's scaled units; false when Lemke finds none or the
/// problem is too large for it.
bool polyhedral_start(int corners, GeneralConeWorkspace& w, double* z);

/// The same with one more corner per contact, where the last polyhedral answer slides: the one that dissipates most.
bool polyhedral_refine(GeneralConeWorkspace& w, double* z);

}  // namespace stiction::solvers
