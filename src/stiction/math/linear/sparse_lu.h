// Left-looking sparse LU with threshold pivoting in the caller's memory, and the column order that keeps it sparse.
//
//   A Q = P^T L U column by column (Gilbert and Peierls, 1988): each column is solved with the part of L that exists,
//   over the pattern that a depth-first search finds, so that the work is that of the nonzero products.
#pragma once

#include <vector>

#include "stiction/math/linear/min_degree.h"

namespace stiction {

/// A square matrix by compressed columns.
struct SparseColumns {
  int n = 0;
  std::vector<int> start;  ///< n + 1: column j is at [start[j], start[j + 1])
  std::vector<int> row;
  std::vector<double> value;

  /// Takes the entries that are not zero of a column-major n x n matrix.
  void assign_dense(int size, const double* M);

  /// y += a times column j.
  void add_column(int j, double a, double* y) const {
    for (int p = start[j]; p < start[j + 1]; ++p) y[row[p]] += a * value[p];
  }
};

/// Memory of minimum_degree.
struct OrderingMemory {
  MinDegree engine;
  std::vector<int> start, column;                 ///< pattern of A + A^T
  std::vector<int> transposed_start, transposed;  ///< pattern of A^T
  std::vector<int> mark;
};

/// Order of elimination by minimum degree on the graph of A + A^T.
void minimum_degree(const SparseColumns& A, OrderingMemory& memory, std::vector<int>& order);

/// Factors and scratch; keeps its capacity.
struct SparseLu {
  int n = 0;
  std::vector<int> l_start, l_row, u_start, u_row;  ///< L by original row, U by pivot position
  std::vector<double> l_value, u_value, pivot;
  std::vector<int> pivot_row;  ///< original row of each pivot position
  std::vector<int> position;   ///< pivot position of each original row, -1: none yet
  std::vector<int> column;     ///< column of A at each pivot position
  std::vector<int> reach, stack, next, mark, row_count;
  std::vector<double> x;
  long operations = 0;  ///< products of the last factorisation

  /// Factors A taking its columns in `order`; row `preferred[j]` is the pivot of column j where it is within
  /// `threshold` of the largest, else the row with fewest entries that is. False where a pivot is below `singular`
  /// times the largest entry of its column of A, or not finite; the factors are then of no use.
  bool factor(const SparseColumns& A, const int* order, const int* preferred, double threshold, double singular);

  /// b -> x with A x = b; x by columns of A. b is destroyed.
  void solve(double* b, double* result) const;

  void find_reach(const SparseColumns& A, int j, int stamp);
  int choose_pivot(int preferred, double threshold) const;
};

}  // namespace stiction
