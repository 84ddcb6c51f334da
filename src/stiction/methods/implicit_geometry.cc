// implicit-geometry: the geometrically implicit time-stepping of Chakraborty, Berard, Akella, Trinkle, "An implicit
// time-stepping method for quasi-rigid multibody systems with intermittent contact" (2007), its rigid part (4)-(9).
//
//   paper                              here
//   M v^{l+1} = M v^l + W p + p_app    v_free holds the loads; W is that of the end of the step
//   q^{l+1} = q^l + h G v^{l+1}        the exponential map; v as in dynamics/kinematics.h
//   0 <= p_n, psi_n(q^{l+1}) >= 0 (6)  psi_n: the signed gap g of geometry/closest/closest_points.h
//   a_1, a_2 (9)                       ClosestUnknowns a, b, kept on their equations at every evaluation
//   p_t, p_o, p_r, sigma, zeta (5)     a FrictionBall in coordinates in which the ellipsoid is round
//
// Assumptions: convex shapes (unions of them on one body); one closest point per pair, or several where faces or lines
// meet (contact_pieces); joints' rows are those of the start of the step.
//
// Deviations, with reasons:
//  - (9) is written with the signed gap and one multiplier per surface instead of |a_1 - a_2| and unit gradients: the
//    same solutions where bodies do not cross, smooth at contact, and it holds for intersections; the far side of a
//    body is excluded by the multipliers' sign (ERRATA).
//  - (5) is solved as a natural map on the ball, not as Fritz John conditions: those are singular at p_n = 0.
//  - a contact with restitution that closes in the step asks for the speed of Newton's law instead of a gap; the paper
//    has no restitution.
//  - bodies that overlap at the start of a step by more than a micron or so are left to exact-cone, which moves them
//    apart without a speed; the paper starts without overlap.
#include "stiction/methods/implicit_geometry.h"

#include "stiction/methods/implicit/implicit_islands.h"

namespace stiction::methods {

extern const MethodDescription implicit_geometry = {
    .name = "implicit-geometry",
    .source = "chakraborty2007",
    .sentence = "closest points, velocities and impulses of the end of the step solved together",
    .overlap = {.kind = Overlap::moved, .speed = recover_by_exact_cone},
    .options =
        {option<&ImplicitGeometryOptions::tolerance>(
             "tolerance", "", above_zero, "residual at which a step counts as solved, relative to the step's motion"),
         option<&ImplicitGeometryOptions::acceptance>(
             "acceptance", "", above_zero,
             "residual above which a step is not taken; between the two it is taken and counted as `tolerance-missed`"),
         option<&ImplicitGeometryOptions::max_iterations>("max_iterations", "", {1, 1000},
                                                          "Newton steps, and again as many for each fallback"),
         option<&ImplicitGeometryOptions::halvings>("halvings", "", {0, 10},
                                                    "a step that cannot be solved is cut into up to 2^halvings parts")},
    .make = [](const MethodSetup& setup) {
      const ImplicitGeometryOptions& own = setup.options.of<ImplicitGeometryOptions>();
      const ImplicitOptions options{
          .tolerance = own.tolerance, .acceptance = own.acceptance, .max_iterations = own.max_iterations};
      return make_implicit_stepper(setup.model, options, own.halvings, true, setup.threads);
    }};

}  // namespace stiction::methods
