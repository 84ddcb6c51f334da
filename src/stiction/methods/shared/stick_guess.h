// The answer in which everything that touches sticks, if that is one: the common case of things at rest.
//
// Lemke's basis does not last there: a resting contact needs no friction and redundant contacts carry nothing, so the
// corner it finds is degenerate, and the next step's rounding makes it infeasible. Held rows H (stuck contacts, stuck
// joints, active limits) are solved as equations instead,
//
//     W_HH p = -q_H,  the shortest p where contacts are redundant and W_HH singular,
//
// which shares a load among all contacts that can carry it and so stays off the corners. The answer is taken only if it
// solves the same complementarity problem: impulses in their polygons, no row that is not held violated.
#pragma once

#include <span>
#include <vector>

namespace stiction::methods {

/// Caller-owned; allocates only for islands larger than ever before.
struct StickGuess {
  std::vector<int> held;         ///< local rows to hold, set by the caller
  std::vector<double> impulse;   ///< one per local row: p0, set by the caller; p after solve()
  std::vector<double> velocity;  ///< one per local row: q + W p after solve()

  double tolerance = 0;  ///< after solve(): how fast a row at rest may move [m/s]

  /// Solves the held rows. W is column-major n x n, rows before `first` are left alone. True if every held row is at
  /// rest to `wanted` [m/s], or to the rounding of the products W p where these are much larger (a heavy body on a
  /// light one).
  bool solve(const double* W, const double* q, int n, int first, double wanted);

 private:
  void update_velocity(const double* W, const double* q, int n, int first);
  std::vector<double> factor_, gram_, scale_, rhs_, change_, scratch_;
  std::vector<int> pivots_;
};

/// Least sum of non-negative weights that make (x, y) of the unit vectors at angle + 2 pi j / directions; infinity if
/// none.
double polygon_gauge(double x, double y, int directions, double angle);

}  // namespace stiction::methods
