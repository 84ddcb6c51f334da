// Lemke on a polyhedral cone: the last rung, which has an answer under the hypotheses of a theorem.
//
// In scaled units (scaled_friction.h), with bilateral rows eliminated (dense_friction.h): the disc of radius
// mu r_n becomes the polygon with corners mu r_n d_k, k directions at equal angles, r_t = D beta, and
//
//     0 <= r_n  complements  u_n               >= 0
//     0 <= beta complements  D^T u_t + lambda e >= 0           anitescu1998, trinkle2003 (14)-(15)
//     0 <= lambda complements  mu r_n - e^T beta >= 0
//
// Torsion (row 3 of a contact) is an interval of its own; a bounded block of one row is an interval, of two a polygon,
// of three a box of intervals. The answer is mapped back to r and is exact for that polyhedron only: its residual for
// the round cone is what the report gives.
//
// Hypotheses: (a) the symmetric part of W is positive semidefinite, so that the LCP's matrix is copositive; (b) q . r
// >= 0 for every r in the cones with (W + W^T) r = 0. Then Lemke with an anti-cycling rule ends in an answer
// (anitescu1998, after Cottle, Pang, Stone 1992, 4.4.12). (b) holds when W is definite, and when
// q = (W + W^T) x + p with p >= 0 on normal rows and 0 elsewhere, which is how problems of mechanisms without
// penetration are made; a p is looked for, and not finding one is reported as `unknown`.
#pragma once

#include <vector>

#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/kernels/dense_friction.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"
#include "stiction/solvers/lcp/lemke.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// What to run.
struct PolyhedralOptions {
  int directions = 0;        ///< of a disc, an even number; 0: 16 up to 8 blocks, 12 up to 24, 8 above
  int most_blocks = 64;      ///< contacts and bounded blocks; larger problems are refused: the pivoting is dense
  int most_bilateral = 400;  ///< rows
};

/// Its memory.
struct PolyhedralWorkspace {
  /// One unknown of the LCP: an impulse along `direction` in the rows of a block (normal, beta), or a lambda.
  struct Unknown {
    int block = 0;
    int fan = -1;             ///< which polygon or interval, or -1 for a normal
    bool multiplier = false;  ///< lambda of the fan
    double direction[4] = {0, 0, 0, 0};
  };
  EliminatedFriction eliminated;
  std::vector<Unknown> unknowns;
  std::vector<int> normal_of;  ///< unknown of a block's normal impulse, or -1
  std::vector<double> M, q, z, w, work, null, p;
  LemkeWorkspace lemke;
};

/// How it ended.
struct PolyhedralResult {
  bool applicable = true;  ///< false: too large; nothing was tried
  bool solved = false;     ///< the polyhedral problem, not the round one
  Hypotheses hypotheses = Hypotheses::not_checked;
  int pivots = 0;
  double residual = 0;  ///< of r, for the round cones
};

/// The polyhedral answer into r; r is left alone when there is none.
PolyhedralResult run_polyhedral_lemke(const ScaledFriction& s, const PolyhedralOptions& options,
                                      PolyhedralWorkspace& workspace, double* r);

/// "lemke": labelled as the answer of a polyhedral cone.
extern const FrictionSolver lemke_friction;

}  // namespace stiction::solvers
