// One island of what touches, as matrices: the rank of its rows, and its instantaneous problem with closing joints
// eliminated.
//
// With M = L L^T, B = L^-1 J^T and C = L^-1 G^T for the closing joints' rows G: motions that these allow are orthogonal
// to C, so W = B^T P B with P = 1 - C C^+, and the free acceleration y = L^T vdot moves to y - C^+T (C^T y + dG/dt v).
#pragma once

#include <Eigen/Cholesky>
#include <array>
#include <vector>

#include "stiction/contact/islands.h"
#include "stiction/events/instant_rows.h"
#include "stiction/solvers/cone/slip_states.h"

namespace stiction {

/// A contact (index into InstantRows::contacts) or a scalar row (into its problem's scalars) of an island.
struct InstantItem {
  int contact = -1, scalar = -1;
  bool slides = false;
  bool full = false;        ///< with its spin and rolling rows, where friction has them
  int first = 0, rows = 0;  ///< among the columns of InstantIsland::B; rolling rows apart
  int rolling = -1;         ///< column of the first of two rolling rows; -1: none
};

/// See the top of the file. Rows are those of the items, in order: n, t, o of a contact, one of a scalar row.
struct InstantIsland {
  std::vector<InstantItem> items;
  MatrixX B;                        ///< P B, one column per row of J
  VectorX a0;                       ///< J vdot_free + dJ/dt v, with the forces of dry friction in moving joints
  VectorX y;                        ///< L^T vdot under those and the forces of closing joints
  VectorX y_free;                   ///< L^T vdot_free
  MatrixX unconstrained;            ///< L^-1 J^T, before P
  MatrixX C;                        ///< of closing joints, one column per row of G
  std::vector<int> joint_rows;      ///< of each column: its row in the problem
  VectorX joint_velocity;           ///< G v + what prescribed motion adds
  std::vector<int> velocities;      ///< which of the model's velocities are the island's
  Eigen::LLT<MatrixX> factor = {};  ///< M = L L^T

  /// Adds L^-T x to `v`, a vector of the model's size.
  void add_motion(const VectorX& x, VectorX& v) const;
  /// Forces of closing joints, one per column of C, with C times them as near to x as can be.
  VectorX joint_forces(const VectorX& x) const;
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

/// Directions in (t, o) of tangential rows that a contact keeps, with friction along them: none without friction or
/// where nothing moves.
struct Tangents {
  std::vector<Vector2> axes;
  std::array<double, 2> friction = {0, 0};

  void add(const Vector2& axis, double mu);
};

/// Of a contact with the 3 x 3 block W of n, t, o.
Tangents mobile_tangents(const MatrixX& W, const std::array<double, 2>& mu);

/// The enumeration's problem and where its rows come from.
struct ReducedProblem {
  solvers::InstantProblem problem;
  MatrixX T;  ///< its rows out of the island's: f = T^T f_reduced
};

/// Contacts lose tangential rows that move nothing (planar mechanisms) or have no friction.
ReducedProblem reduce_problem(const InstantRows& rows, const InstantIsland& island);

}  // namespace stiction
