// The contact problem with general convex friction cones (anitescu1998 (22), velocities eliminated) as plain data.
//
// With W = J M^-1 J^T, one impulse r_i and one relative velocity u_i per row, u = W r + q,
//
//     bilateral rows, first:      u = 0
//     contact, rows n, then f:    0 <= c_n  complements  u_n >= 0,  c_n = r_n, beta = r_f, u_f = D^T v
//                                 0 <= lambda_i complements  phi_i(c_n, beta) <= 0
//                                 c_n^gamma u_f + sum lambda_i grad phi_i(c_n, beta) = 0
//     contact without a cone:     the first line only: a joint limit, a frictionless contact
//
// The sign in the last equation of (22) is that which belongs to phi <= 0 and to the largest dissipation -u_f . beta:
// the printed minus belongs to the printed phi of (19), which is that of a set turned inside out.
#pragma once

#include <vector>

#include "stiction/problem/friction_cone.h"

namespace stiction {

/// One contact; the cone outlives the problem.
struct ConeContact {
  int first_row = 0;                   ///< normal row; d friction rows follow
  const FrictionCone* cone = nullptr;  ///< none: no friction rows
};

/// See the top of the file. Contacts' rows follow the bilateral ones in order, without holes.
struct ConeProblem {
  int bilateral_rows = 0;
  std::vector<ConeContact> contacts;
  std::vector<double> W;  ///< dense rows x rows, symmetric positive semidefinite
  std::vector<double> q;

  int row_count() const { return static_cast<int>(q.size()); }
};

/// Friction rows of a contact.
inline int friction_rows(const ConeContact& contact) {
  return contact.cone ? contact.cone->dimension : 0;
}

/// How many lambda (22) has: the constraints of every contact in order.
inline int multiplier_count(const ConeProblem& problem) {
  int count = 0;
  for (const ConeContact& contact : problem.contacts) count += contact.cone ? constraint_count(*contact.cone) : 0;
  return count;
}

/// Whether rows, contacts and W fit together and all numbers are finite.
bool well_formed(const ConeProblem& problem);

}  // namespace stiction
