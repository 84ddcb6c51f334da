// W of a FrictionProblem from and to a sparse matrix of single entries, and the check that a problem is well formed.
#pragma once

#include <span>
#include <string>

#include <Eigen/SparseCore>

#include "stiction/problem/friction_problem.h"

namespace stiction {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;  ///< compressed rows

/// Adds contacts of `row_count` rows each with round cones, one for each friction coefficient, after the last block.
void append_contacts(FrictionProblem& problem, int row_count, std::span<const double> mu);

/// Adds `count` bilateral blocks of one row each after the last block.
void append_bilaterals(FrictionProblem& problem, int count);

/// Stores W by the blocks of the problem (which must cover its rows in order): every block with a stored entry, and the
/// diagonal ones.
void set_matrix(FrictionProblem& problem, const SparseRows& W);

/// W with every entry of every stored block, zeros too.
SparseRows matrix_of(const FrictionProblem& problem);

/// What is wrong with the problem (blocks out of order, a link to no contact, a number that is not finite, ...), one
/// clause; empty when it is well formed.
std::string defect_of(const FrictionProblem& problem);

}  // namespace stiction
