// quasi-rigid: bodies with a compliant layer over a rigid core, geometrically implicit: Chakraborty, Berard, Akella, Trinkle, "An
// implicit time-stepping method for quasi-rigid multibody systems with intermittent contact" (2007), (10)-(15).
//
//   paper                                    here
//   lambda_n = lambda_ns + lambda_nr (10)    p_n = layer_impulse(delta)_n + core
//   K, C, delta, delta_n^o                   CompliantLayer: stiffness, damping, deflection (n, t, o), thickness
//   algebraic deflection (11), (12)          deflection = "algebraic": ClosestUnknowns on the level set f = -level, and
//                                            delta_n from f(a + delta_n grad f / |grad f|) = 0
//   0 <= p_ns, psi + delta >= 0 (13)         0 <= p_n, gap + sum of delta_n >= 0
//   0 <= p_nr, delta_n^o - delta_n >= 0      0 <= core, thickness - delta_n >= 0
//   p = h K delta + C (delta - delta^l)      problem/compliant_layer.h; hertz and hunt-crossley are further laws
//
// Readings (ERRATA): the law of (14) gives [p_ns, p_t, p_o], so that the core can add to p_n; the second row of (22) is
// delta_n^o - delta_n. tangential = "passive" is the printed text: slip is that of the bodies, and the tangential
// deflection follows from the friction force; "series": slip is what the bodies' motion and the layer's leave.
//
// Assumptions: each contact point of a pair has a layer of its own (a line contact on two points has twice the
// stiffness of one); two layers carry the same impulse; contacts without layers are rigid, as in implicit-geometry.
// deflection = "euclidean", the default, deflects a layer to its parallel surface, which needs no level sets and is the
// same for half-spaces and spheres; a shape made of several surfaces has no level set of one function, and is deflected
// so in both cases.
#include "stiction/methods/quasi_rigid.h"

namespace stiction::methods {

namespace {

using Tangential = QuasiRigidOptions::Tangential;
using Deflection = QuasiRigidOptions::Deflection;

}  // namespace

QuasiRigid::QuasiRigid(const QuasiRigidOptions& options, int threads)
    : options_(options),
      stepper_({.tolerance = options.tolerance,
                .acceptance = options.acceptance,
                .max_iterations = options.max_iterations,
                .layers = {.series = options.tangential == Tangential::series,
                           .algebraic = options.deflection == Deflection::algebraic}},
               threads) {}

contact::AssemblyOptions QuasiRigid::assembly_options() const {
  return {.max_recovery_speed = 0, .layers = true, .deflection_slips = options_.tangential == Tangential::series};
}

StepScheme QuasiRigid::scheme() const {
  // The certificate knows layers that are pressed in to their parallel surface.
  return {.end_geometry = true,
          .judged_by_end = options_.deflection == Deflection::euclidean,
          .halvings = options_.halvings};
}

IslandReport QuasiRigid::solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                      StepAnswer& answer) {
  return stepper_.solve_island(problem, island, worker, answer);
}

}  // namespace stiction::methods
