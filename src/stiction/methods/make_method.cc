#include "stiction/base/assert.h"
#include "stiction/methods/acceleration_lcp.h"
#include "stiction/methods/anitescu_potra.h"
#include "stiction/methods/convex_impulse.h"
#include "stiction/methods/event_driven.h"
#include "stiction/methods/exact_cone.h"
#include "stiction/methods/implicit_geometry.h"
#include "stiction/methods/impulse_hahn.h"
#include "stiction/methods/impulse_mirtich.h"
#include "stiction/methods/method.h"
#include "stiction/methods/penalty.h"
#include "stiction/methods/quasi_rigid.h"
#include "stiction/methods/sequential_impulse.h"
#include "stiction/methods/stewart_trinkle.h"

namespace stiction::methods {

namespace {

// Every name of the registry that solves friction problems.
solvers::FrictionSolver friction_solver(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(solvers::FrictionSolver::polyhedral_lemke); ++i) {
    const auto solver = static_cast<solvers::FrictionSolver>(i);
    if (solvers::friction_solver_name(solver) == name) return solver;
  }
  STICTION_ASSERT(false, "make_method wants a solver that solves the method's problems");
}

}  // namespace

std::unique_ptr<Method> make_method(std::string_view name, const MethodOptions& options, std::string_view solver,
                                    int threads) {
  if (name == "exact-cone") return std::make_unique<ExactCone>(options.exact_cone, friction_solver(solver), threads);
  if (name == "anitescu-potra") return std::make_unique<AnitescuPotra>(options.anitescu_potra, solver, threads);
  if (name == "stewart-trinkle") return std::make_unique<StewartTrinkle>(options.stewart_trinkle, threads);
  if (name == "implicit-geometry") return std::make_unique<ImplicitGeometry>(options.implicit_geometry, threads);
  if (name == "quasi-rigid") return std::make_unique<QuasiRigid>(options.quasi_rigid, threads);
  if (name == "convex-impulse") return std::make_unique<ConvexImpulse>(options.convex_impulse, threads);
  if (name == "event-driven") return std::make_unique<EventDriven>(options.event_driven, threads);
  if (name == "sequential-impulse") return std::make_unique<SequentialImpulse>(options.sequential_impulse, threads);
  if (name == "impulse-hahn") return std::make_unique<ImpulseHahn>(options.impulse_hahn, threads);
  if (name == "impulse-mirtich") return std::make_unique<ImpulseMirtich>(options.impulse_mirtich, threads);
  if (name == "acceleration-lcp") return std::make_unique<AccelerationLcp>(options.acceleration_lcp, threads);
  if (name == "penalty") return std::make_unique<Penalty>(options.penalty, threads);
  STICTION_ASSERT(false, "make_method wants a name from available_method_names()");
}

}  // namespace stiction::methods
