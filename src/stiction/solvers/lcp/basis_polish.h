// From a good guess of z to the answer of its basis: which z are basic is read off, the rest is one sparse LU.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/math/linear/sparse_lu.h"
#include "stiction/solvers/lcp/lcp_scaling.h"

namespace stiction::solvers {

/// Memory of polish_basis; keeps its capacity.
struct PolishWorkspace {
  SparseColumns B;
  SparseLu lu;
  std::vector<int> slots, preferred;
  std::vector<double> x, right, correction;
};

/// Solves the complementary basis {z_i : equation, or z'_i > w'_i} of the scaled mixed LCP for z', with `order` the
/// order of elimination. z' and w' are in: the guess; out: the basis' answer, negative parts cut off. False, z' and w'
/// untouched, where the basis is singular. `is_complementarity` null: all rows are.
bool polish_basis(const ScaledLcp& problem, const std::uint8_t* is_complementarity, const std::vector<int>& order,
                  PolishWorkspace& workspace, double* z, double* w);

/// The residual of certify/lcp_residual.h, computed from scaled z' and w'.
double scaled_measure(const ScaledLcp& problem, const std::uint8_t* is_complementarity, const double* diagonal,
                      const double* z, const double* w);

/// w' = M' z' + q'.
void evaluate_w(const ScaledLcp& problem, const double* z, double* w);

/// M'_ii.
void read_diagonal(const SparseColumns& M, std::vector<double>& diagonal);

}  // namespace stiction::solvers
