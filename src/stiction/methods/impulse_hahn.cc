// J. K. Hahn: Realistic animation of rigid bodies (1988).
//
//   paper                                              here
//   collision: impulse from the state before           u = J v_start + surface, K of one contact
//   no relative motion after it, friction permitting   sticking impulse, contact_impulse.h
//   else: friction mu times the normal impulse         sliding impulse, against the slip before the collision
//   restitution e                                      u_n+ = -e u_n
//   articulated figures answer as a whole              K on joint coordinates, closing joints eliminated
//   continuous contact as frequent collisions          the loop of one_at_a_time.h
//
// Deviations: of several contacts the one that approaches fastest comes first; contacts that approach no faster than
// 2 g h have no restitution; ellipses and other friction sets of the material in place of the circle.
#include "stiction/methods/impulse_hahn.h"

#include "stiction/methods/description.h"
#include "stiction/methods/shared/integrators.h"
#include "stiction/stepping/loads_after_contacts.h"
#include "stiction/stepping/project_joints.h"

namespace stiction::methods {

ImpulseHahn::ImpulseHahn(const ImpulseHahnOptions& options, int threads) : OneAtATime(options.max_impulses, threads) {}

Vector4 ImpulseHahn::collide(const PointLaw& law, const Matrix4& K, const Vector4& u, double e, bool) const {
  return closed_form_impulse(law, K, u, e);
}

extern const MethodDescription impulse_hahn = {
    .name = "impulse-hahn",
    .source = "hahn1988",
    .sentence = "one contact at a time, closed-form impulses",
    .solves_law = false,
    .knows = {.general_cones = true},
    .options = {option<&ImpulseHahnOptions::max_impulses>("max_impulses", "", {1, 100000},
                                                          "impulses that a contact may get in one step"),
                choice<&ImpulseHahnOptions::integrator, integrator_name, all_integrators>(
                    "integrator", "how loads move the bodies once the contacts are handled")},
    .make = [](const MethodSetup& setup) -> std::unique_ptr<Stepper> {
      const ImpulseHahnOptions& options = setup.options.of<ImpulseHahnOptions>();
      auto solver = std::make_unique<ImpulseHahn>(options, setup.threads);
      auto step = std::make_unique<LoadsAfterContacts>(setup.model, std::move(solver),
                                                       PlainStepOptions{.threads = setup.threads}, options.integrator);
      return std::make_unique<ProjectJoints>(setup.model, std::move(step), 1);
    }};

}  // namespace stiction::methods
