#include "stiction/solvers/friction/body/body_matrix.h"

#include <algorithm>

#include "stiction/solvers/friction/body/rows/plain_block.h"
#include "stiction/solvers/friction/body/rows/tree_block.h"

namespace stiction::solvers {
namespace {

// out += A^T B of N rows, column-major with `stride` rows; `lower`: left and right have the same columns, and only the
// lower triangle counts.
template <int N>
void add_sparse(const SideRows& left, const SideRows& right, bool lower, int stride, double* out) {
  for (int j = 0; j < right.width; ++j) {
    double factor[N], *column = out + right.columns[j] * stride;
    for (int r = 0; r < N; ++r) factor[r] = right.values[r * right.width + j];
    for (int i = lower ? j : 0; i < left.width; ++i) {
      double sum = 0;
      for (int r = 0; r < N; ++r) sum += left.values[r * left.width + i] * factor[r];
      column[left.columns[i]] += sum;
    }
  }
}

// out = scale G H of N rows, row-major.
template <int N>
void multiply_rows(const double* G, const SideRows& H, double scale, double* out) {
  double scaled[N * N];
  for (int i = 0; i < N * N; ++i) scaled[i] = scale * G[i];
  for (int k = 0; k < H.width; ++k) {
    for (int r = 0; r < N; ++r) {
      double sum = 0;
      for (int j = 0; j < N; ++j) sum += scaled[r * N + j] * H.values[j * H.width + k];
      out[r * H.width + k] = sum;
    }
  }
}

STICTION_INLINE void add_plain(const double* const (&H)[2], const double* G, double scale, const PairBlocks& out) {
  double product[2][plain::rows * plain::width];
  for (int side = 0; side < 2; ++side) {
    if (out.diagonal[side] == nullptr) continue;
    plain::multiply(G, scale, H[side], product[side]);
    plain::add_product(H[side], product[side], out.diagonal[side]);
  }
  const int later = out.later, earlier = 1 - later;
  if (out.lower != nullptr) plain::add_product(H[later], product[earlier], out.lower);
  if (out.upper != nullptr) plain::add_product(product[later], H[earlier], out.upper);
}
STICTION_WIDE void add_plain_wide(const double* const (&H)[2], const double* G, double scale, const PairBlocks& out) {
  add_plain(H, G, scale, out);
}

// The same four blocks of two trees, or of one.
template <int N>
STICTION_INLINE void add_trees(const SideRows (&H)[2], const int (&size)[2], const double* G, double scale,
                               const PairBlocks& out, double* const (&product)[2]) {
  const bool symmetric = out.symmetric;
  SideRows right[2];
  for (int side = 0; side < 2; ++side) {
    if (out.diagonal[side] == nullptr) continue;
    right[side] = {product[side], H[side].columns, H[side].width};
    tree::multiply<N>(G, scale, H[side], product[side]);
    tree::add_product<N>(H[side], right[side], symmetric, size[side], out.diagonal[side]);
  }
  const int later = out.later, earlier = 1 - later;
  if (out.lower != nullptr) tree::add_product<N>(H[later], right[earlier], false, size[later], out.lower);
  if (out.upper != nullptr) tree::add_product<N>(right[later], H[earlier], false, size[later], out.upper);
}
STICTION_INLINE void add_tree_rows(int dim, const SideRows (&H)[2], const int (&size)[2], const double* G, double scale,
                                   const PairBlocks& out, double* const (&product)[2]) {
  with_rows(
      dim, [&]<int N>() __attribute__((always_inline)) { add_trees<N>(H, size, G, scale, out, product); });
}
STICTION_WIDE void add_tree_rows_wide(int dim, const SideRows (&H)[2], const int (&size)[2], const double* G,
                                      double scale, const PairBlocks& out, double* const (&product)[2]) {
  add_tree_rows(dim, H, size, G, scale, out, product);
}

bool less(const BlockEdge& x, const BlockEdge& y) {
  return x.a != y.a ? x.a < y.a : x.b < y.b;
}

BlockEdge edge_of(const SystemBlock& block) {
  return {std::min(block.body[0], block.body[1]), std::max(block.body[0], block.body[1])};
}

}  // namespace

bool BodyMatrix::analyze(const BodySystem& system, double most_work) {
  const int largest = system.sizes.empty() ? 1 : *std::max_element(system.sizes.begin(), system.sizes.end());
  for (auto& product : product_) product.resize(most_rows * static_cast<size_t>(largest));
  edges_.clear();
  for (const SystemBlock& block : system.blocks) {
    if (block.size[0] > 0 && block.size[1] > 0 && block.dim > 0) edges_.push_back(edge_of(block));
  }
  std::sort(edges_.begin(), edges_.end(), less);
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  edge_.assign(system.blocks.size(), -1);
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const SystemBlock& block = system.blocks[b];
    if (block.size[0] == 0 || block.size[1] == 0 || block.dim == 0) continue;
    edge_[b] = static_cast<int>(std::lower_bound(edges_.begin(), edges_.end(), edge_of(block), less) - edges_.begin());
  }
  is_new_ = factors_.analyze(system.sizes, edges_, most_work);
  return factors_.fits();
}

void BodyMatrix::start(MatrixKind kind) {
  kind_ = kind;
  factors_.clear(kind);
  for (int b = 0; const int size : factors_.sizes()) {
    double* diagonal = factors_.diagonal(b++);
    for (int i = 0; i < size; ++i) diagonal[i * (size + 1)] = 1;
  }
}

// Where the blocks of an edge stand for block b, and which of its sides is eliminated later.
const Multifrontal::Place& BodyMatrix::place(const SystemBlock& block, int b, int& later) const {
  const Multifrontal::Place& place = factors_.place(edge_[b]);
  const bool first_is_a = block.body[0] < block.body[1];  // edges have the smaller body first
  later = place.a_is_later == first_is_a ? 0 : 1;
  return place;
}

// H^T times `right`, one piece per side.
void BodyMatrix::add_product(const BodySystem& s, int b, const std::array<SideRows, 2>& right) {
  const SystemBlock& block = s.blocks[b];
  const std::array<SideRows, 2> H = {side_rows(s, block, 0), side_rows(s, block, 1)};
  const bool symmetric = kind_ == MatrixKind::symmetric;
  with_rows(block.dim, [&]<int N>() {
    for (int side = 0; side < 2; ++side) {
      if (block.size[side] == 0) continue;
      add_sparse<N>(H[side], right[side], symmetric, block.size[side], factors_.diagonal(block.body[side]));
    }
    if (edge_[b] < 0) return;
    int later = 0;
    const Multifrontal::Place& to = place(block, b, later);
    const int earlier = 1 - later, stride = block.size[later];
    add_sparse<N>(H[later], right[earlier], false, stride, factors_.values() + to.lower);
    if (!symmetric) add_sparse<N>(right[later], H[earlier], false, stride, factors_.values() + to.upper);
  });
}

PairBlocks BodyMatrix::pair_blocks(const SystemBlock& block, int b) {
  PairBlocks out;
  out.symmetric = kind_ == MatrixKind::symmetric;
  for (int side = 0; side < 2; ++side) {
    if (block.size[side] > 0) out.diagonal[side] = factors_.diagonal(block.body[side]);
  }
  if (edge_[b] >= 0) {
    const Multifrontal::Place& to = place(block, b, out.later);
    out.lower = factors_.values() + to.lower;
    if (!out.symmetric) out.upper = factors_.values() + to.upper;
  }
  return out;
}

void BodyMatrix::add(const BodySystem& s, int b, const double* G, double scale) {
  const SystemBlock& block = s.blocks[b];
  if (block.plain) {
    const double* const H[2] = {s.H.data() + block.H[0], s.H.data() + block.H[1]};
    const PairBlocks out = pair_blocks(block, b);
    return use_wide_registers ? add_plain_wide(H, G, scale, out) : add_plain(H, G, scale, out);
  }
  if (block.on_trees) {
    const SideRows H[2] = {side_rows(s, block, 0), side_rows(s, block, 1)};
    const int size[2] = {block.size[0], block.size[1]};
    double* const product[2] = {product_[0].data(), product_[1].data()};
    const PairBlocks out = pair_blocks(block, b);
    return use_wide_registers ? add_tree_rows_wide(block.dim, H, size, G, scale, out, product)
                              : add_tree_rows(block.dim, H, size, G, scale, out, product);
  }
  std::array<SideRows, 2> right;
  for (int side = 0; side < 2; ++side) {
    const SideRows H = side_rows(s, block, side);
    double* product = product_[side].data();
    right[side] = {product, H.columns, H.width};
    if (block.size[side] > 0) with_rows(block.dim, [&]<int N>() { multiply_rows<N>(G, H, scale, product); });
  }
  add_product(s, b, right);
}

void BodyMatrix::add_link(const BodySystem& s, int b, const double* c, double scale) {
  const SystemBlock &block = s.blocks[b], &contact = s.blocks[block.link];
  std::array<SideRows, 2> right;
  for (int side = 0; side < 2; ++side) {
    double* product = product_[side].data();
    right[side] = {product, nullptr, 0};
    if (block.size[side] == 0) continue;
    const int twin = contact.body[0] == block.body[side] ? 0 : contact.body[1] == block.body[side] ? 1 : -1;
    if (twin < 0) continue;
    const SideRows H = side_rows(s, contact, twin);
    right[side].columns = H.columns, right[side].width = H.width;
    for (int r = 0; r < block.dim; ++r) {
      for (int i = 0; i < H.width; ++i) product[r * H.width + i] = scale * c[r] * H.values[i];
    }
  }
  add_product(s, b, right);
}

}  // namespace stiction::solvers
