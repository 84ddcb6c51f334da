// Phase two of drumwright2009 (section 3.2): impulses x = w + R y of least tangential velocity after the contact.
//
//     minimise  1/2 |D x + b_T|^2     D = [ B^T  A_T ],   R a basis of the null space of C = [ A_N  B ]             (2)
//     with      x in its friction cones, x_N >= 0, and the bound on normal impulses
//
// R has a column for every tangent, e_t with the normal impulses that keep the normal velocities, -A_N^+ B e_t, and one
// for every redundant normal, the null space of A_N. The programme is that of problem/cone_qp.h with
//
//     U = R^T D^T D R,   v = R^T D^T (D w + b_T),   constant = 1/2 |D w + b_T|^2
//
// Cones: |x_t / axes| <= x_n of a contact, with its spin; the same of its rolling rows; |x| <= bound of dry friction in
// a joint; x_n >= 0 of limits and of contacts without friction; A_N x + b_N >= 0 of contacts that separate after phase
// one, which stay without impulse and are not rows of C.
#pragma once

#include <vector>

#include "stiction/methods/convex/convex_options.h"
#include "stiction/methods/convex/convex_rows.h"
#include "stiction/methods/convex/normal_impulses.h"
#include "stiction/solvers/cone/cone_qp.h"

namespace stiction::methods {

/// Phase two's programme, answer and memory, in the units of ConvexRows; caller-owned, keeps its capacity.
struct TangentialImpulses {
  std::vector<double> x;  ///< one per row of ConvexRows

  ConeQp qp;
  std::vector<double> y;      ///< of the programme
  std::vector<int> tangents;  ///< rows of A that take part, ascending
  std::vector<double> R;      ///< size() x unknowns, column-major: x = w + R y
  int unknowns = 0;           ///< columns of R
  std::vector<double> left;   ///< D w + b_T, one per tangent
  std::vector<double> DR;     ///< tangents x unknowns, column-major
  std::vector<double> restricted, matrix, right, weights;
  std::vector<int> all;
  std::vector<std::uint8_t> rubs;  ///< one per normal: has friction here
  NormalFactor factor, face;
  solvers::ConeQpWorkspace memory;
};

/// Fills `result.qp` and what maps its unknowns to impulses.
void form_tangential_programme(const ConvexRows& rows, const NormalImpulses& normal,
                               const ConvexImpulseOptions& options, TangentialImpulses& result);

/// Forms the programme and solves it; `result.x` are the best impulses found.
solvers::SolveReport find_tangential_impulses(const ConvexRows& rows, const NormalImpulses& normal,
                                              const ConvexImpulseOptions& options, TangentialImpulses& result);

}  // namespace stiction::methods
