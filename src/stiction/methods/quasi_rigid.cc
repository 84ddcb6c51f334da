// quasi-rigid: bodies with a compliant layer over a rigid core, geometrically implicit: Chakraborty, Berard, Akella,
// Trinkle, "An implicit time-stepping method for quasi-rigid multibody systems with intermittent contact" (2007),
// (10)-(15).
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

#include <array>

#include "stiction/methods/implicit/implicit_islands.h"

namespace stiction::methods {

namespace {

using Tangential = QuasiRigidOptions::Tangential;
using Deflection = QuasiRigidOptions::Deflection;

std::string_view tangential_name(Tangential tangential) {
  return tangential == Tangential::passive ? "passive" : "series";
}

std::string_view deflection_name(Deflection deflection) {
  return deflection == Deflection::euclidean ? "euclidean" : "algebraic";
}

constexpr std::array all_tangentials = {Tangential::passive, Tangential::series};
constexpr std::array all_deflections = {Deflection::euclidean, Deflection::algebraic};

std::unique_ptr<Stepper> make(const MethodSetup& setup) {
  const QuasiRigidOptions& own = setup.options.of<QuasiRigidOptions>();
  const bool series = own.tangential == Tangential::series;
  const ImplicitOptions options{.tolerance = own.tolerance,
                                .acceptance = own.acceptance,
                                .max_iterations = own.max_iterations,
                                .layers = {.series = series, .algebraic = own.deflection == Deflection::algebraic},
                                .assembly = {.max_recovery_speed = 0, .layers = true, .deflection_slips = series}};
  // The certificate knows layers that are pressed in to their parallel surface.
  const bool judged_by_end = own.deflection == Deflection::euclidean;
  return make_implicit_stepper(setup.model, options, own.halvings, judged_by_end, setup.threads);
}

}  // namespace

extern const MethodDescription quasi_rigid = {
    .name = "quasi-rigid",
    .source = "chakraborty2007",
    .sentence = "viscoelastic layers over rigid cores, with the geometry of the end of the step",
    .knows = {.layers = true},
    .overlap = {.kind = Overlap::moved, .speed = recover_by_exact_cone},
    .options = {option<&QuasiRigidOptions::tolerance>("tolerance", "", above_zero, "as for `implicit-geometry`"),
                option<&QuasiRigidOptions::acceptance>("acceptance", "", above_zero, "as for `implicit-geometry`"),
                option<&QuasiRigidOptions::max_iterations>("max_iterations", "", {1, 1000},
                                                           "as for `implicit-geometry`"),
                option<&QuasiRigidOptions::halvings>("halvings", "", {0, 10}, "as for `implicit-geometry`"),
                choice<&QuasiRigidOptions::tangential, tangential_name, all_tangentials>(
                    "tangential",
                    "friction acts on the slip of the bodies, or on that plus the rate of the layer's tangential "
                    "deflection"),
                choice<&QuasiRigidOptions::deflection, deflection_name, all_deflections>(
                    "deflection",
                    "a layer is pressed in to the parallel surface, or to a level set of the shape's function")},
    .make = make};

}  // namespace stiction::methods
