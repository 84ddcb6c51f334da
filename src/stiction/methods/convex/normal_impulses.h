// Phase one of drumwright2009 (section 3.1): normal impulses w that give Newton's rebound where there is no friction.
//
//     A_N w_s = -b_N,  b_N with (1 + epsilon) in it                                                        (1)
//
// `pseudo_inverse`: as printed, of least norm, over the contacts that do not separate by themselves; may pull.
// `nonnegative`: 0 <= w, A_N w + b_N >= 0, orthogonal, of least norm among all such w. The velocities A_N w + b_N are
// the same for all of them, so those that vanish say which contacts stay closed, and the rest is
//
//     minimise |w|  over  w >= 0,  A_SS w = -b_S,   S = closed contacts,
//
// solved at once where the least norm without w >= 0 has no negative entry, by solvers/cone/cone_qp.h otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/methods/convex/convex_options.h"
#include "stiction/methods/convex/convex_rows.h"
#include "stiction/solvers/cone/cone_qp.h"
#include "stiction/solvers/lcp/lemke.h"

namespace stiction::methods {

/// Phase one's answer and memory, in the units of ConvexRows; caller-owned, keeps its capacity.
struct NormalImpulses {
  std::vector<double> w;         ///< one per normal
  std::vector<double> velocity;  ///< A_N w + b_N
  std::vector<int> closed;       ///< normals whose velocity is that of Newton's law, ascending
  double fastest = 0;            ///< largest |b|, tangents too: what velocities are compared with

  std::vector<double> right, x, matrix, weights;
  std::vector<int> support;
  NormalFactor factor;  ///< of A over some normals; scratch
  solvers::LemkeWorkspace lemke;
  ConeQp qp;
  solvers::ConeQpWorkspace qp_memory;
  std::vector<double> y;
};

/// Fills `result`. not_found where the contacts contradict each other (a body squeezed between walls that close).
solvers::SolveReport find_normal_impulses(const ConvexRows& rows, ConvexImpulseOptions::PhaseOne phase_one,
                                          NormalImpulses& result);

}  // namespace stiction::methods
