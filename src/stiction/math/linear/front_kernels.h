// Dense kernels of one front of a multifrontal factorisation, in the caller's memory.
//
// A front holds the rows and columns that a set of pivots touches, in four column-major pieces:
//
//     [ P  U^T ]    P: p x p, the pivots           U: m x p, the pivots' rows right of P, transposed
//     [ L   S  ]    L: m x p, below the pivots     S: m x m, what is left for the parent
//
// Factoring it leaves the factors of P in P, L := L U_P^-1, U := U L_P^-T and S := S - L U^T. A symmetric front has U =
// L and only the lower triangles of P and S. Every entry is the same sum in the same order whatever the width of the
// registers, and no product is fused with an addition: the same bits on every machine.
#pragma once

namespace stiction {

/// Columns of fronts are padded with zeros to a multiple of this many doubles.
inline constexpr int front_lane = 4;

/// n rounded up to whole lanes.
inline constexpr int front_stride(int n) {
  return (n + front_lane - 1) / front_lane * front_lane;
}

/// See the top of the file; strides are front_stride(pivots) for P and front_stride(rows) for the others.
struct Front {
  int pivots = 0;           ///< p
  int rows = 0;             ///< m
  double* P = nullptr;      ///< row exchanges stay inside groups of eight pivots
  double* L = nullptr;      ///< m x p
  double* U = nullptr;      ///< m x p; not used where symmetric
  double* S = nullptr;      ///< m x m
  int* exchange = nullptr;  ///< p: row that pivot k was exchanged with; not used where symmetric
};

/// C -= A B^T with C m x n, A m x k and B(j, l) at b[j * step_n + l * step_k]; m is a multiple of front_lane.
void subtract_product(int m, int n, int k, const double* a, int stride_a, const double* b, int step_n, int step_k,
                      double* c, int stride_c);

/// y -= B^T x with B m x n of stride m, x of m numbers, y of n; m is a multiple of front_lane.
void subtract_transposed_product(int m, int n, const double* b, const double* x, double* y);

/// P = L L^T and what follows from it. False when a pivot is not positive.
bool factor_symmetric_front(const Front& front);

/// P = L U with row exchanges inside groups of pivots, and what follows from it. False when a group is singular.
bool factor_general_front(const Front& front);

}  // namespace stiction
