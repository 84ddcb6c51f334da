// The velocity constraint that rigidity implies between contact points, rodriguez2010 (3.16)-(3.29), and the impact
// law (4.9).
//
//     J = z J*         J*: independent rows of J; z: 1 for those, the others in terms of them (3.25)
//     p = z (z^T z)^-1 p*,    p* = (J* A^-1 J*^T)^-1 (theta*(t + eps) - theta*(t))                          (4.6)-(4.9)
//
// p is the shortest impulse with J^T p = A (change of velocity), whichever rows are in J*.
#pragma once

#include <vector>

#include "stiction/events/impacts/simultaneous_impact.h"

namespace stiction {

/// One choice of constrained velocities. Rows are those of ImpactProblem::J.
struct VelocityConstraint {
  std::vector<int> examined;          ///< contacts that take part and have no constrained row
  std::vector<int> free_rows;         ///< of J*: independent normals first, then tangents
  int normals = 0;                    ///< how many of free_rows are normals
  std::vector<int> constrained_rows;  ///< tangents that follow from the others
  std::vector<int> rows;              ///< of all contacts that take part: of J in (3.25)
  MatrixX z;                          ///< rows x free_rows
  MatrixX law;                        ///< rows x free_rows: p = law * change of theta*, (4.9)
  MatrixX response;                   ///< nv x free_rows: change of q_dot = response * change of theta*
};

/// All of them, at most options' max_choices.
struct ConstraintChoices {
  std::vector<VelocityConstraint> choices;
  int count = 0;  ///< how many there are
  int rank = 0, normal_rank = 0;
};

/// The choices for the contacts that take part; see the readings of simultaneous_impact.h.
ConstraintChoices find_constraints(const ImpactProblem& problem, const std::vector<int>& contacts, int max_choices);

}  // namespace stiction
