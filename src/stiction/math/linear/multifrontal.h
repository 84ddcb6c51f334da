// Multifrontal factorisation of a sparse matrix of dense blocks, A = L L^T or A = L U (Duff and Reid 1983).
//
// A couples blocks (bodies, trees) by a symmetric pattern; its numbers are symmetric or not. One symbolic analysis
// serves both kinds and every matrix with the same graph. Row exchanges stay inside small groups of pivots: with
// A = I + H^T G H the pivots are far from zero, and an order that the numbers decide could not be kept. Why not a
// library: CHOLMOD's supernodal code takes its kernels from a BLAS, whose bits change with the machine and the number
// of threads, it has no unsymmetric twin, and on fronts of 6 x 6 blocks it was slower (see docs/solvers.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/math/linear/front_kernels.h"
#include "stiction/math/linear/front_tree.h"

namespace stiction {

/// What is known of the numbers of a matrix.
enum class MatrixKind : std::uint8_t {
  symmetric,  ///< positive definite; only lower blocks are read, and the lower triangles of diagonal ones
  general,
};

/// Caller-owned memory; graphs no larger than before allocate nothing. Use: analyze once per graph; then, per matrix,
/// clear, add to diagonal(..) and to the blocks of place(..), factor, solve.
class Multifrontal {
 public:
  /// Where the two blocks of an edge (a, b), a != b, stand. The one that is eliminated later names the rows of both:
  /// `lower` is A_later,earlier and `upper` the transpose of A_earlier,later, column-major.
  struct Place {
    int lower = -1, upper = -1;  ///< into values()
    bool a_is_later = false;
  };

  /// Symbolic analysis; does nothing and returns false where sizes and edges are those of the last call. Where a
  /// factorisation would take more than `most_work` multiplications, that is all that is found out.
  bool analyze(std::span<const int> sizes, std::span<const BlockEdge> edges, double most_work = infinity);
  /// Did the work stay within what the last analysis was given? Otherwise nothing can be factored.
  bool fits() const { return fits_; }

  /// Sets every block to zero (of a symmetric matrix: those that are read).
  void clear(MatrixKind kind);
  /// The diagonal block b, column-major.
  double* diagonal(int b) { return values_.data() + diagonal_[b]; }
  /// The blocks of edge number e of the last analysis.
  const Place& place(int e) const { return places_[e]; }
  /// All blocks; diagonal and place say where.
  double* values() { return values_.data(); }

  /// Factors what has been added up. False where a pivot fails: the factors are then of no use.
  bool factor(MatrixKind kind);
  /// x <- A^-1 x, blocks one after the other in the order of `sizes`.
  void solve(double* x) const;
  /// -1 or 1: the sign of the determinant of the matrix that was factored.
  int determinant_sign() const;
  /// Multiplications of one general factorisation (a symmetric one takes half of them): a measure of its cost.
  double work() const { return work_; }
  const FrontTree& tree() const { return tree_; }
  /// Of the blocks of the last analysis.
  std::span<const int> sizes() const { return sizes_; }

 private:
  // A block of A on its way into a front: rows x columns numbers from `value` to (row, column) of a piece.
  struct Entry {
    int value = 0, rows = 0, columns = 0;
    int row = 0, column = 0;
    bool below = false;     // the row is below the pivots: pieces L and U
    bool diagonal = false;  // a diagonal block: there is no upper twin
  };
  void count_work();
  void place_values(std::span<const BlockEdge> edges);
  void place_fronts();
  void list_entries();
  void map_children();
  void list_row_scalars();
  Front front(int f);
  FrontFactors factors(size_t f) const;
  void gather(MatrixKind kind, int f, const Front& front);
  void add_child(MatrixKind kind, int child, const double* update, const Front& front);

  std::vector<int> sizes_;
  std::vector<BlockEdge> edges_;
  FrontTree tree_;
  std::vector<int> start_;                    // of each block's scalars in the vector x
  std::vector<int> diagonal_, pair_start_;    // by block; by position
  std::vector<int> pair_later_, pair_value_;  // later positions that a position is coupled to, and their lower blocks
  std::vector<Place> places_;
  int lower_size_ = 0;  // values of all lower blocks with the diagonals; the upper ones follow
  std::vector<Entry> entries_;
  std::vector<int> entry_start_;                            // by front
  std::vector<int> child_start_, child_, map_start_, map_;  // rows of a child's S as rows of its parent's front
  std::vector<int> row_scalar_start_, row_scalar_;          // rows below a front's pivots as scalars of the order
  std::vector<int> local_;                                  // of each position: its first scalar in the front at hand
  std::vector<size_t> P_, L_;                               // where each front's pieces start
  std::vector<int> exchange_start_, exchange_;
  std::vector<double> values_, factor_P_, factor_L_, factor_U_, stack_;
  mutable std::vector<double> work_vector_;
  MatrixKind kind_ = MatrixKind::general;
  double work_ = 0;
  bool analyzed_ = false, fits_ = false;
};

}  // namespace stiction
