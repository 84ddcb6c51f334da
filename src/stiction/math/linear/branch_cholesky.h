// Cholesky factorisation from the last unknown to the first, M = U U^T with U upper triangular: for trees of joints.
//
// Where parents stand before their children, M_ij of two joints of different branches is zero, and from the last
// unknown to the first it stays so: U_ij is zero unless i is an ancestor of j, and U^-1 b is zero but for ancestors of
// what is not zero in b (Featherstone 2005, "Efficient factorization of the joint-space inertia matrix for branched
// kinematic trees", whose L is U^T). The ancestors are those of the elimination tree, which the exact zeros of M tell
// (Liu 1990, "The role of elimination trees in sparse factorization"): any positive definite M is factored rightly,
// and without zeros every unknown has all before it for ancestors. Matrices are column-major n x n; nothing allocates.
#pragma once

namespace stiction {

/// parent[j]: the last i < j with U_ij != 0 up to chance, or -1; from the zeros of M. `scratch` has n numbers.
void branch_parents(const double* M, int n, int* parent, int* scratch);

/// Overwrites the upper triangle of M by U; false (M then garbage) when M is not positive definite.
bool branch_cholesky(double* M, int n);

/// b := U^-1 b.
void solve_branches(const double* U, int n, double* b);

/// b := U^-T b.
void solve_branches_transposed(const double* U, int n, double* b);

}  // namespace stiction
