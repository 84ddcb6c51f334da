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

namespace stiction::methods {

ImpulseHahn::ImpulseHahn(const ImpulseHahnOptions& options, int threads)
    : OneAtATime(options.max_impulses, options.integrator, threads) {}

Vector4 ImpulseHahn::collide(const PointLaw& law, const Matrix4& K, const Vector4& u, double e, bool) const {
  return closed_form_impulse(law, K, u, e);
}

}  // namespace stiction::methods
