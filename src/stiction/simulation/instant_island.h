// One island of what touches, as matrices: the rank of its rows, and its instantaneous problem with closing joints
// eliminated.
//
// With M = L L^T, B = L^-1 J^T and C = L^-1 G^T for the closing joints' rows G: motions that these allow are orthogonal to
// C, so W = B^T P B with P = 1 - C C^+, and the free acceleration y = L^T vdot moves to y - C^+T (C^T y + dG/dt v).
#pragma once

#include <vector>

#include "stiction/contact/islands.h"
#include "stiction/simulation/instant_rows.h"
#include "stiction/solvers/slip_states.h"

namespace stiction {

/// A contact (index into InstantRows::contacts) or a scalar row (into its problem's scalars) of an island.
struct InstantItem {
  int contact = -1, scalar = -1;
  bool slides = false;
  int first = 0, rows = 0;  ///< among the columns of InstantIsland::B
};

/// See the top of the file. Rows are those of the items, in order: n, t, o of a contact, one of a scalar row.
struct InstantIsland {
  std::vector<InstantItem> items;
  MatrixX B;   ///< P B, one column a row of J
  VectorX a0;  ///< J vdot_free + dJ/dt v, with the forces of dry friction in moving joints
};

/// `items` name contacts and scalar rows; dry friction of moving joints (`moving`, into scalars) is a load.
InstantIsland make_instant_island(const InstantRows& rows, const contact::Island& island,
                                  std::vector<InstantItem> items, const std::vector<int>& moving);

/// Rank of some columns of B, and a basis of what they do not see: each with a largest number of one.
struct RowRank {
  int rank = 0;
  MatrixX null;  ///< one column a pattern, one row a selected column
};

/// Columns are scaled to one; pivots of QR below `tolerance` times the largest count as zero.
RowRank rank_rows(const MatrixX& B, const std::vector<int>& columns, double tolerance);

/// The enumeration's problem and where its rows come from.
struct ReducedProblem {
  solvers::InstantProblem problem;
  MatrixX T;  ///< its rows out of the island's: f = T^T f_reduced
};

/// Contacts lose tangential rows that move nothing (planar mechanisms) or have no friction.
ReducedProblem reduce_problem(const InstantRows& rows, const InstantIsland& island);

}  // namespace stiction
