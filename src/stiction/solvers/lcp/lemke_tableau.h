// The tableau of Lemke's method: w - M z - e z0 = q, pivoted until z0 leaves.
//
//   variables   w_i is i, z_i is n + i, z0 is 2 n
//   columns     one for each of the n + 1 non-basic variables, then the values of the basic ones: n x (n + 2) numbers
//
// The lexicographic rule needs the inverse of the basis. It is present: the inverse's column j is the column of w_j
// where w_j is non-basic, and a unit vector where it is basic. So no further n x n numbers are kept.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/solvers/deadline.h"

namespace stiction::solvers {

/// Memory of a tableau; keeps its capacity.
struct LemkeTableau {
  /// How the pivoting ended.
  enum class End { complementary, ray, pivot_limit, time_limit, breakdown };

  /// Tolerances of one run.
  struct Rules {
    double tie_tolerance = 1e-11;    ///< ratios this close, relative to the smallest, are tied
    double pivot_tolerance = 1e-11;  ///< entries below this fraction of the column's largest are not pivots
    /// z0 leaves as soon as a pivot would bring it below this fraction of its first value.
    double z0_tolerance = 4e-14;
    int max_pivots = 0;
    Deadline deadline;          ///< looked at every few pivots
    int refactor_interval = 0;  ///< pivots between recomputations of the tableau from the problem; 0: never
  };

  int n = 0;
  int stride = 0;
  int pivots = 0;
  double z0_start = 0;           ///< value of z0 when it entered
  std::vector<double> a;         ///< column-major, columns padded to whole lanes
  std::vector<double> entering;  ///< the pivot column before the exchange
  std::vector<int> basic;        ///< variable of each row
  std::vector<int> nonbasic;     ///< variable of each of the n + 1 columns
  std::vector<int> place;        ///< of each variable: its row, or -1 - column
  std::vector<int> lanes;        ///< lanes of the pivot column that are not zero
  std::vector<int> tied;         ///< candidate rows of the ratio test
  std::vector<double> original;  ///< the scaled [-M, -e, q] that the tableau started from
  std::vector<double> factor;    ///< LU of the basic z over the non-basic w
  std::vector<double> part;      ///< one right-hand side of it
  std::vector<int> index;        ///< rows of the LU, basic z, row exchanges

  /// Gets the memory for problems up to this size.
  void reserve(int size);

  /// Starts from w = q. `M` is column-major n x n, scaled by `scale` on both sides; q is scaled already.
  void start(int size, const double* M, const double* scale, const double* q);

  /// Pivots until z0 leaves (complementary) or something else ends it.
  End run(const Rules& rules);

  /// Which z are basic, 1 for each that is.
  void read_basis(std::vector<std::uint8_t>& basis) const;

  /// The index whose w and z are both outside the basis, as long as z0 is in it; -1 once z0 has left.
  int missing_pair() const;

  double* column(int c) { return a.data() + c * stride; }
  const double* column(int c) const { return a.data() + c * stride; }
  double* values() { return column(n + 1); }

  int choose_first_row(const Rules& rules);
  int choose_row(int entering_column, const Rules& rules);
  int lexicographic_minimum(const double* pivot_column, double sign, double tie_tolerance);
  void exchange(int row, int entering_column);
  bool recompute();
  void recompute_column(int c, int block_size);
  int complement(int variable) const { return variable < n ? variable + n : variable - n; }
};

}  // namespace stiction::solvers
