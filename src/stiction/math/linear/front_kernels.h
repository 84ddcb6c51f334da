// Dense kernels of one front of a multifrontal factorisation, in the caller's memory.
//
// A front holds the rows and columns that a set of pivots touches, in four column-major pieces:
//
//     [ P  U^T ]    P: p x p, the pivots           U: m x p, the pivots' rows right of P, transposed
//     [ L   S  ]    L: m x p, below the pivots     S: m x m, what is left for the parent
//
// Factoring it leaves the factors of P in P, with the inverses of pivots on its diagonal, L := L U_P^-1, U := U L_P^-T
// and S := S - L U^T. A symmetric front has U = L and only the lower triangles of P and S. Every entry is the same sum
// in the same order whatever the width of the registers, and no product is fused with an addition: the same bits on
// every machine.
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

/// P = L L^T and what follows from it. False when a pivot is not positive.
bool factor_symmetric_front(const Front& front);

/// P = L U with row exchanges inside groups of pivots, and what follows from it. False when a group is singular.
bool factor_general_front(const Front& front);

/// The factors of a front, as the functions above left them.
struct FrontFactors {
  bool symmetric = false;
  int pivots = 0, rows = 0;
  const double *P = nullptr, *L = nullptr, *U = nullptr;  ///< U = L where symmetric
};

/// y := L_P^-1 y on the pivots, below := -L y on the padded rows below them. Reads and writes back numbers behind y up
/// to a whole lane.
void solve_front_forward(const FrontFactors& factors, double* y, double* below);

/// y := U_P^-1 (y - U^T below) on the pivots; `below` ends with zeros.
void solve_front_backward(const FrontFactors& factors, const double* below, double* y);

}  // namespace stiction
