// B. V. Mirtich: Impulse-based dynamic simulation of rigid body systems (1996).
//
//   thesis                                             here
//   K, u(gamma), u' = K (-mu u_t / |u_t|, 1)           collision_integral.h, over the normal impulse gamma
//   stable sticking, the ray out of it                 the same
//   Stronge's hypothesis: W_r = -e^2 W_c               the same
//   micro-collisions                                   contacts that approach no faster than 2 g h, below
//   multibody K by test impulses                       K on joint coordinates, closing joints eliminated
//   collisions in the order of their times             the fastest first, within a step of fixed length
//
// Micro-collisions. Mirtich reverses the velocity of a slow contact where its friction cone allows that impulse,
// -2 K^-1 u, so that it stays where it is on average over many collisions. A step of fixed length has one collision in
// each step, between the loads of the last and the motion of this one: here the impulse -K^-1 u stops the contact, if
// the cone allows it, and the body does not move in this step. Otherwise the collision is integrated with e = 0.
//
// A friction set that is not an ellipsoid gets Hahn's impulse.
#include "stiction/methods/impulse_mirtich.h"

#include "stiction/methods/description.h"
#include "stiction/methods/shared/integrators.h"
#include "stiction/stepping/loads_after_contacts.h"
#include "stiction/stepping/project_joints.h"

#include "stiction/methods/impulse/collision_integral.h"

namespace stiction::methods {

ImpulseMirtich::ImpulseMirtich(const ImpulseMirtichOptions& options, int threads)
    : OneAtATime(options.max_impulses, threads), tolerance_(options.tolerance) {}

Vector4 ImpulseMirtich::collide(const PointLaw& law, const Matrix4& K, const Vector4& u, double e, bool resting) const {
  if (resting) {
    const ScaledContact scaled = scale_contact(law, K, u);
    const Vector4 stop = solve_semidefinite(scaled.K, law.count, -scaled.u);
    if (within_friction(law, stop)) return unscale_impulse(law, stop);
  }
  return integrate_collision(law, K, u, e, tolerance_);
}

extern const MethodDescription impulse_mirtich = {
    .name = "impulse-mirtich",
    .source = "mirtich1996",
    .sentence = "one contact at a time, integrated in impulse space",
    .solves_law = false,
    .knows = {.general_cones = true},
    .options = {option<&ImpulseMirtichOptions::max_impulses>("max_impulses", "", {1, 100000},
                                                             "impulses that a contact may get in one step"),
                option<&ImpulseMirtichOptions::tolerance>("tolerance", "", above_zero,
                                                          "relative error of the integration in impulse space"),
                choice<&ImpulseMirtichOptions::integrator, integrator_name, all_integrators>(
                    "integrator", "how loads move the bodies once the contacts are handled")},
    .make = [](const MethodSetup& setup) -> std::unique_ptr<Stepper> {
      const ImpulseMirtichOptions& options = setup.options.of<ImpulseMirtichOptions>();
      auto solver = std::make_unique<ImpulseMirtich>(options, setup.threads);
      auto step = std::make_unique<LoadsAfterContacts>(setup.model, std::move(solver),
                                                       PlainStepOptions{.threads = setup.threads}, options.integrator);
      return std::make_unique<ProjectJoints>(setup.model, std::move(step), 1);
    }};

}  // namespace stiction::methods
