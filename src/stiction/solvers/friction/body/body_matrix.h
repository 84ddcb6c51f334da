// I + H^T G H over bodies: what the interior point and the proximal Newton method factor.
//
// G is block diagonal over blocks of rows, symmetric or not; a disc whose radius follows the normal impulse of a
// contact adds one column c beside its own block: rows c (normal row of H of the contact).
#pragma once

#include <vector>

#include "stiction/math/linear/multifrontal.h"
#include "stiction/solvers/friction/body/rows/body_side.h"

namespace stiction::solvers {

/// The four blocks that a pair of bodies has in the matrix; none: of a body that is not there, or of a symmetric
/// matrix.
struct PairBlocks {
  double* diagonal[2] = {nullptr, nullptr};
  double *lower = nullptr, *upper = nullptr;
  int later = 0;           ///< side of the body that is eliminated later
  bool symmetric = false;  ///< only lower triangles count
};

/// Caller-owned memory; the symbolic analysis is kept while the graph of bodies stays.
class BodyMatrix {
 public:
  /// Symbolic analysis of the graph of bodies, where it is not that of the last problem; of a graph that takes more
  /// than `most_work` multiplications, only that is found out: false then.
  bool analyze(const BodySystem& system, double most_work = infinity);
  /// Was the graph of the last analyze a new one?
  bool is_new() const { return is_new_; }
  /// Starts from the identity.
  void start(MatrixKind kind);
  /// Adds scale * H^T G H of block b; G is dim x dim, row-major.
  void add(const BodySystem& system, int b, const double* G, double scale);
  /// Adds scale * H^T c h of disc b, h the normal row of the contact that it is linked to. General matrices only.
  void add_link(const BodySystem& system, int b, const double* c, double scale);
  bool factor() { return factors_.factor(kind_); }
  /// x <- A^-1 x.
  void solve(double* x) const { factors_.solve(x); }
  /// -1 or 1: the sign of the determinant of what was factored.
  int determinant_sign() const { return factors_.determinant_sign(); }
  /// Multiplications of one factorisation.
  double work() const { return factors_.work(); }

 private:
  const Multifrontal::Place& place(const SystemBlock& block, int b, int& later) const;
  void add_product(const BodySystem& system, int b, const std::array<SideRows, 2>& right);
  PairBlocks pair_blocks(const SystemBlock& block, int b);

  Multifrontal factors_;
  MatrixKind kind_ = MatrixKind::general;
  bool is_new_ = false;
  std::vector<int> edge_;  // of each block, or -1
  std::vector<BlockEdge> edges_;
  std::vector<double> product_[2];  // G H of the block at hand, one per side
};

}  // namespace stiction::solvers
