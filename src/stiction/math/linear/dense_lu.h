// A = P^T L U with partial pivoting in the caller's memory: no allocation, and columns of zeros in U cost nothing.
#pragma once

namespace stiction {

/// Factors the column-major n x n matrix `a` (leading dimension `stride`) in place; `rows` gets n row exchanges. False
/// when a pivot is below `singular` times the largest entry of the matrix, or not finite; `a` is then half factored and
/// of no use.
bool factor_lu(int n, double* a, int stride, int* rows, double singular);

/// x <- A^-1 x with the factors of factor_lu.
void solve_lu(int n, const double* a, int stride, const int* rows, double* x);

}  // namespace stiction
