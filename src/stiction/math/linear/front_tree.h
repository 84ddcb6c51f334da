// Symbolic analysis of a symmetric pattern of blocks for a multifrontal factorisation: order of elimination, fronts,
// tree.
//
// Blocks (bodies with six velocities, trees with more) are the nodes of a graph. SuiteSparse's AMD orders them
// (Amestoy, Davis, Duff 1996); the elimination tree is put in postorder; columns with the same rows below them become
// one front, and a front swallows its neighbour in the tree where few zeros come in (Ashcraft and Grimes 1989). METIS
// did not give better orders for piles. Everything is kept in this memory: a graph no larger than before allocates
// nothing.
#pragma once

#include <span>
#include <vector>

namespace stiction {

/// Two blocks that the matrix couples.
struct BlockEdge {
  int a = 0, b = 0;
  bool operator==(const BlockEdge&) const = default;
};

/// One front: pivots are the blocks at positions [first, end).
struct FrontNode {
  int first = 0, end = 0;
  int rows_first = 0, rows_end = 0;  ///< its rows below the pivots in FrontTree::rows
  int parent = -1;                   ///< front, or -1
  int pivots = 0, rows = 0;          ///< counted in scalars
};

/// See the top of the file. "Position" counts in the order of elimination.
class FrontTree {
 public:
  /// Analyses blocks of the given sizes and the edges between them (repeated edges and a == b are welcome).
  void analyze(std::span<const int> sizes, std::span<const BlockEdge> edges);

  int block_count() const { return n_; }
  const std::vector<int>& order() const { return order_; }        ///< block at each position
  const std::vector<int>& position() const { return position_; }  ///< position of each block
  const std::vector<FrontNode>& fronts() const { return fronts_; }
  const std::vector<int>& rows() const { return rows_; }  ///< positions, ascending inside a front

  /// The neighbours of block b: adjacency()[adjacency_start()[b] .. adjacency_start()[b + 1]), without b, in no order.
  const std::vector<int>& adjacency_start() const { return adjacency_start_; }
  const std::vector<int>& adjacency() const { return adjacency_; }

 private:
  void build_adjacency(std::span<const BlockEdge> edges);
  void minimum_degree();
  void find_parents();
  void postorder();
  void find_columns();
  void form_fronts(std::span<const int> sizes);
  void merge_fronts(std::span<const int> sizes);
  bool worth_merging(const FrontNode& child, const FrontNode& parent, double zeros) const;
  void link_fronts();

  int n_ = 0;
  std::vector<int> adjacency_start_, adjacency_, order_, position_, parent_, mark_;
  std::vector<int> column_start_, column_;  // rows of each column of L below the diagonal
  std::vector<int> amd_[9];                 // memory of the ordering
  std::vector<int> head_, next_, stack_;
  std::vector<FrontNode> fronts_;
  std::vector<double> zeros_;
  std::vector<int> rows_, front_of_;
};

}  // namespace stiction
