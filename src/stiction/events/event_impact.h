// Impacts of event-driven motion: what hits on an island, and what touches it, as a problem of the simultaneous impact
// law (events/impacts/simultaneous_impact.h).
//
// Velocities are those that closing joints allow, in coordinates z in which the mass matrix is one: v = L^-T (Q z + c),
// Q an orthonormal basis of what is orthogonal to the joints' columns C. Where surfaces move by themselves (belts,
// prescribed bodies) z is that of an observer who moves with them: J z_s = surface velocities; the energy that the law
// looks at is then the work done in the contacts, which is what must not be positive. Where no such observer exists
// (a ball between plates that move differently) Coulomb's law with Newton's restitution is solved instead, as in a step
// of exact-cone, and `by_step` says so.
//
// Friction ellipses are made discs by scaling tangential rows; rows of directions in which nothing moves are left out.
// Torsional and rolling friction and tangential restitution take no part.
#pragma once

#include <vector>

#include "stiction/events/impacts/simultaneous_impact.h"
#include "stiction/events/instant_island.h"

namespace stiction {

/// One impact of one island.
struct EventImpact {
  std::vector<int> contacts;  ///< into InstantRows::contacts: those that took part, in the order of the problem's
  std::vector<int> limits;    ///< into its scalars: after those
  ImpactProblem problem;
  ImpactResult result;
  bool by_step = false;     ///< see the top of the file; then result is empty
  VectorX row_impulse;      ///< one per row of InstantRows::problem
  VectorX velocity_change;  ///< of the model's size
};

/// What an impact is resolved with.
struct ImpactSettings {
  ImpactOptions law;
  std::vector<double> restitution;  ///< one for each of InstantRows::contacts
};

/// Resolves an impact of the island whose matrices have the contacts and limits that take part as items. False: the
/// surfaces' motion has no common observer, nothing is done.
bool resolve_event_impact(const InstantRows& rows, const VectorX& v, const InstantIsland& island,
                          const ImpactSettings& settings, EventImpact& impact);

}  // namespace stiction
