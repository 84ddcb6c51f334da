// The frictional contact problem in local (Delassus) form as plain data: what is left of a step once velocities are
// eliminated, and what the field's collections store.
//
// With one impulse r_i and one relative velocity u_i per row,
//
//     u = W r + q
//     bilateral block:  u = 0
//     contact block:    0 <= r_n, 0 <= u_n, r_n u_n = 0                                       rows n [, friction rows]
//                       r_f in r_n E and of maximum dissipation: -u_f in the normal cone of r_n E at r_f
//     bounded block:    r in R E, R = bound + r_n(link), and of maximum dissipation, as r_f above
//
// E = { x : sum (x_i / axis_i)^2 <= 1 } is an ellipsoid. A contact may have the friction rows t, o (axes: mu, mu), or
// t, o, spin (mu_t, mu_o, mu * torsion length), or none (a joint limit is such a contact). Bounded blocks are dry joint
// friction and motors with a largest force (link = -1), or rolling friction (link = its contact, bound = 0). Compliance
// stands on the diagonal of W; restitution and gap / h stand in q. W = J M^-1 J^T where it comes from a mechanism, but
// files may hold any matrix: not symmetric, singular, slightly indefinite.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace stiction {

/// One block of rows that obey a law together.
struct FrictionBlock {
  enum class Law : std::uint8_t { bilateral, contact, bounded };
  Law law = Law::contact;
  int first_row = 0;
  int row_count = 3;                       ///< bilateral 1..6; contact 1..4, normal first; bounded 1..3
  std::array<double, 3> axes = {0, 0, 0};  ///< contact: of rows 1.., per unit of r_n; bounded: of rows 0..; all zero (a
                                           ///< frictionless contact with friction rows) or all positive
  double bound = 0;                        ///< bounded only: constant part of the radius
  int link = -1;                           ///< bounded only: block of the contact whose r_n adds to the radius, or -1
};

/// See the top of the file. W is stored by blocks, compressed rows: the blocks of block row i are
/// row_start[i] .. row_start[i + 1], columns ascending, the diagonal block always among them.
struct FrictionProblem {
  std::vector<FrictionBlock> blocks;
  std::vector<int> row_start;    ///< blocks + 1
  std::vector<int> column;       ///< block column of each stored block
  std::vector<int> value_start;  ///< where each stored block starts in `value`
  std::vector<double> value;     ///< row-major row_count(row) x row_count(column)
  std::vector<double> q;         ///< one per row

  int row_count() const { return static_cast<int>(q.size()); }
  int block_count() const { return static_cast<int>(blocks.size()); }
};

}  // namespace stiction
