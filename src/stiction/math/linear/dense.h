// Small dense kernels on caller-owned memory that never allocate: Cholesky, triangular solves, pivoted Cholesky.
//
// Why not Eigen's: its blocked factorisations take heap memory past a size, and a time step must not. All matrices are
// column-major n x n with leading dimension n.
#pragma once

#include <span>

namespace stiction {

/// Overwrites the lower triangle of A by L with A = L L^T; false (A then garbage) when A is not positive definite.
bool cholesky(double* A, int n);

/// b := L^-1 b.
void solve_lower(const double* L, int n, double* b);

/// The same for `count` right-hand sides, one after the other in memory.
void solve_lower_rows(const double* L, int n, double* b, int count);

/// b := L^-T b.
void solve_lower_transposed(const double* L, int n, double* b);

/// scale[i] = A_ii^(-1/2) of the leading n x n part of a matrix with leading dimension `stride`; zero where A_ii is
/// zero up to the rounding of the rows it is made of (a row that nothing moves: to scale it up would make a constraint
/// of noise).
void unit_diagonal(const double* A, int n, int stride, double* scale);

/// Diagonally pivoted Cholesky of a positive semidefinite A: P^T A P = L L^T with L of `rank` columns in A's lower
/// triangle, permutation[k] = index of the k-th pivot. Pivots below `tolerance` times the largest diagonal entry count
/// as zero.
int pivoted_cholesky(double* A, int n, double tolerance, std::span<int> permutation);

/// x with A x = b in the pivot rows of a pivoted_cholesky, zero in the others; b and x have n numbers, may not overlap.
void solve_pivoted(const double* L, int n, int rank, std::span<const int> permutation, const double* b, double* x);

/// The Gram matrix L^T L of a pivoted_cholesky's factor (n x rank), factored by cholesky(), for solve_least_norm; rank
/// x rank.
bool factor_gram(const double* L, int n, int rank, double* gram);

/// The shortest x with A x = b (b in A's range): x = L (L^T L)^-2 L^T b in the order of the pivots. `scratch` has rank
/// numbers.
void solve_least_norm(const double* L, int n, int rank, std::span<const int> permutation, const double* gram,
                      const double* b, double* x, double* scratch);

}  // namespace stiction
