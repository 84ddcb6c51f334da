// Coulomb's law (4.13) with (4.11) in the corner by enumeration: each contact sticks or slips either way, which makes a
// linear system for p. An answer counts when p and the slip agree with what was assumed. No part of the law is used.
//
//     v_n+ = -e v_n                                             both contacts
//     v_t+ = 0, |p_t| <= mu_s p_n    or    p_t = -s mu_d p_n, s v_t+ > 0, s = 1, -1
#pragma once

#include <vector>

#include "papers/rodriguez2010/corner.h"

namespace stiction::papers::rodriguez2010 {

/// An outcome that obeys Coulomb's law.
struct LawfulOutcome {
  int slip[2] = {0, 0};  ///< of ground and wall: 0 sticks, 1 and -1 slips along or against the tangent
  Vector4 impulse;
  Vector3 velocity;
};

/// All of them; both at rest is possible only for one ratio of velocities, and left out.
std::vector<LawfulOutcome> enumerate_slip_states(const ImpactProblem& problem);

}  // namespace stiction::papers::rodriguez2010
