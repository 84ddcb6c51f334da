#include "stiction/problem/global_friction_problem.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include "stiction/base/assert.h"
#include "stiction/math/types.h"

namespace stiction {
namespace {

using SparseColumns = Eigen::SparseMatrix<double>;

// (H, G) side by side.
SparseColumns join_columns(const SparseRows& H, const SparseRows& G) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(H.nonZeros() + G.nonZeros());
  const auto add = [&](const SparseRows& matrix, Eigen::Index first_column) {
    for (int row = 0; row < matrix.outerSize(); ++row) {
      for (SparseRows::InnerIterator entry(matrix, row); entry; ++entry) {
        if (entry.value() != 0) entries.emplace_back(row, first_column + entry.col(), entry.value());
      }
    }
  };
  add(H, 0);
  add(G, H.cols());
  SparseColumns A(H.rows(), H.cols() + G.cols());
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

// What the factorization of M gives.
struct Reduced {
  SparseColumns W;
  VectorX q;
};

template <class Factorization>
bool reduce(const SparseColumns& M, const SparseColumns& A, const VectorX& f, Reduced& result) {
  Factorization factorization;
  factorization.compute(M);
  if (factorization.info() != Eigen::Success) return false;
  const SparseColumns X = factorization.solve(A);  // zeros by structure are not stored
  const VectorX v = factorization.solve(f);
  if (!v.allFinite()) return false;
  result.W = A.transpose() * X;
  result.q = A.transpose() * v;
  return true;
}

// Cholesky gives a W as symmetric as M; LU takes what is left: M not symmetric, or indefinite with a zero pivot.
bool eliminate_velocities(const SparseColumns& M, const SparseColumns& A, const VectorX& f, Reduced& result) {
  const SparseColumns skew = M - SparseColumns(M.transpose());
  const bool symmetric = skew.norm() <= 1e-14 * M.norm();
  if (symmetric && reduce<Eigen::SimplicialLDLT<SparseColumns>>(M, A, f, result)) return true;
  return reduce<Eigen::SparseLU<SparseColumns>>(M, A, f, result);
}

}  // namespace

Result<FrictionProblem> condense(const GlobalFrictionProblem& global) {
  const auto contact_rows = static_cast<int>(global.w.size());
  const auto bilateral_rows = static_cast<int>(global.b.size());
  STICTION_ASSERT(global.M.rows() == global.M.cols() && global.H.rows() == global.M.rows(), "one velocity per row");
  STICTION_ASSERT(global.H.cols() == contact_rows && global.G.cols() == bilateral_rows, "sizes must agree");
  FrictionProblem problem;
  append_contacts(problem, global.dimension, global.mu);
  append_bilaterals(problem, bilateral_rows);
  const SparseColumns A = join_columns(global.H, global.G);
  Reduced reduced;
  const VectorX f = Eigen::Map<const VectorX>(global.f.data(), static_cast<Eigen::Index>(global.f.size()));
  if (!eliminate_velocities(global.M, A, f, reduced)) {
    return failure({.what = "the mass matrix is singular", .remedy = "Give every velocity a mass.", .name = "M"});
  }
  problem.q.assign(reduced.q.data(), reduced.q.data() + reduced.q.size());
  for (int i = 0; i < contact_rows; ++i) problem.q[i] += global.w[i];
  for (int i = 0; i < bilateral_rows; ++i) problem.q[contact_rows + i] += global.b[i];
  set_matrix(problem, SparseRows(reduced.W));
  if (const std::string defect = defect_of(problem); !defect.empty()) {
    return failure({.what = defect, .remedy = "The mass matrix is too close to singular to eliminate the velocities."});
  }
  return problem;
}

}  // namespace stiction
