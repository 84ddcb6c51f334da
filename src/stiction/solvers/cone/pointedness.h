// Is the total friction cone FC = sum of J_i^T K_i pointed? (anitescu1998, 3.1)
//
// K_i = { (c_n, c_n b) : c_n >= 0, b in F_i } is the cone of contact i, J_i its rows (normal, friction). FC is pointed,
// and closed, when no impulses other than zero balance each other: no self-stress r in the cones with J^T r = 0. Where
// it is not, the existence and convergence theory of the time-stepping schemes does not apply: impulses may be of any
// size, and velocities may chatter.
//
// The question is one of distance. C is the convex hull of the vectors J_i^T (1, b), b in F_i, which is compact:
//
//     min { |x| : x in C }  =  max { min over i of  n_i . v - h_Fi(-D_i^T v) : |v| <= 1 }
//
// x = 0: the weights are a self-stress. x != 0: v = x / |x| moves every contact apart faster than it slides, friction
// weighed in, which proves that there is none. The nearest point comes from Wolfe's algorithm (1976), which only asks
// for the point of C furthest in a direction: the support functions of F.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/math/types.h"
#include "stiction/problem/cone_problem.h"

namespace stiction::solvers {

/// What could be shown.
enum class Pointedness : std::uint8_t {
  pointed,      ///< `separating` proves it
  not_pointed,  ///< `self_stress` shows it, to the tolerance
  undecided,    ///< the margin is between rounding and the tolerance, or the steps ran out
};

/// The outcome with its proof.
struct PointednessReport {
  Pointedness verdict = Pointedness::undecided;
  double margin = 0;    ///< min over contacts of n_i . v - h_Fi(-D_i^T v) for the best v found, |v| = 1; 0 without one
  double distance = 0;  ///< |J^T r| of the best r found with normal impulses that add up to 1: never below the margin
  VectorX separating = {};   ///< v, when pointed
  VectorX self_stress = {};  ///< r, one value per row, when not pointed
  int steps = 0;
};

/// Contacts point to rows of J (rows x nv). `tolerance` is relative to the largest |J_i^T (1, b)|: FC counts as not
/// pointed when the distance is below it. No contacts: pointed.
PointednessReport check_pointedness(const MatrixX& J, const std::vector<ConeContact>& contacts, double tolerance = 1e-9,
                                    int max_steps = 2000);

}  // namespace stiction::solvers
