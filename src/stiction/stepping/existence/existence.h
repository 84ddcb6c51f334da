// Does the theory promise that an island's problem has an answer, and impulses of bounded size? (anitescu1998, 3.1)
//
// It does when the total friction cone FC = sum of J_i^T K_i is pointed: no impulses in the contacts' cones, with any
// in the closing joints, balance each other (solvers/cone/pointedness.h). Closing joints are taken out by looking only
// at motions that they allow. The question does not depend on the metric; that of kinetic energy makes metres and
// radians comparable.
#pragma once

#include <cstdint>
#include <string_view>

#include "stiction/contact/islands.h"

namespace stiction {

/// What is known of an island's friction cone.
enum class Existence : std::uint8_t {
  unchecked,
  pointed,      ///< proved: the theory applies
  not_pointed,  ///< a self-stress is known: impulses may be of any size, velocities may chatter
  undecided,    ///< too near the border, or with rolling resistance, which the proof does not cover
  no_forces,    ///< proved: no contact forces satisfy the law of an acceleration-level method
};

/// A clause for messages: "the friction cone is pointed"; empty when unchecked.
std::string_view existence_clause(Existence existence);

/// Checks the friction sets that the scene states, whatever polygon a method puts in their place. Joint limits count as
/// contacts without friction. Allocates.
Existence check_existence(const StepProblem& problem, const contact::Island& island);

}  // namespace stiction
