#include "stiction/solvers/friction/body/body_matrix.h"

#include <algorithm>

namespace stiction::solvers {
namespace {

using Plain = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;
using Transposed = Eigen::Matrix<double, 6, 3>;  // the same numbers

// The same for any number of rows N; `lower`: left and right have the same columns, and only the lower triangle counts.
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

// out += A^T B of one block, column-major with `stride` rows.
void add_block(bool plain, int rows, const SideRows& left, const SideRows& right, bool lower, int stride, double* out) {
  if (plain) {  // small enough to stay in registers: Eigen's fixed sizes
    Eigen::Map<Matrix6>(out) +=
        Eigen::Map<const Transposed>(left.values).lazyProduct(Eigen::Map<const Plain>(right.values));
    return;
  }
  with_rows(rows, [&]<int N>() { add_sparse<N>(left, right, lower, stride, out); });
}

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

// out = scale G H, row-major.
void multiply(const SystemBlock& block, const double* G, const SideRows& H, double scale, double* out) {
  if (block.plain) {
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> scaled = scale * Eigen::Map<const Matrix3>(G).transpose();
    Eigen::Map<Plain> product(out);
    product = scaled.lazyProduct(Eigen::Map<const Plain>(H.values));
    return;
  }
  with_rows(block.dim, [&]<int N>() { multiply_rows<N>(G, H, scale, out); });
}

bool less(const BlockEdge& x, const BlockEdge& y) {
  return x.a != y.a ? x.a < y.a : x.b < y.b;
}

BlockEdge edge_of(const SystemBlock& block) {
  return {std::min(block.body[0], block.body[1]), std::max(block.body[0], block.body[1])};
}

}  // namespace

void BodyMatrix::analyze(const BodyFrictionProblem& problem, const BodySystem& system) {
  sizes_.clear();
  int largest = 1;
  for (const VelocityBlock& body : problem.bodies) {
    sizes_.push_back(body.size);
    largest = std::max(largest, body.size);
  }
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
  is_new_ = factors_.analyze(sizes_, edges_);
}

void BodyMatrix::start(MatrixKind kind) {
  kind_ = kind;
  factors_.clear(kind);
  for (size_t b = 0; b < sizes_.size(); ++b) {
    double* diagonal = factors_.diagonal(static_cast<int>(b));
    for (int i = 0; i < sizes_[b]; ++i) diagonal[i * (sizes_[b] + 1)] = 1;
  }
}

// H^T times `right`, one piece per side.
void BodyMatrix::add_product(const BodySystem& s, int b, bool plain, const std::array<SideRows, 2>& right) {
  const SystemBlock& block = s.blocks[b];
  const int rows = block.dim;
  const std::array<SideRows, 2> H = {side_rows(s, block, 0), side_rows(s, block, 1)};
  const bool symmetric = kind_ == MatrixKind::symmetric;
  for (int side = 0; side < 2; ++side) {
    if (block.size[side] == 0) continue;
    add_block(plain, rows, H[side], right[side], symmetric, block.size[side], factors_.diagonal(block.body[side]));
  }
  if (edge_[b] < 0) return;
  const Multifrontal::Place& place = factors_.place(edge_[b]);
  const bool first_is_a = block.body[0] < block.body[1];  // edges have the smaller body first
  const int later = place.a_is_later == first_is_a ? 0 : 1, earlier = 1 - later, stride = block.size[later];
  add_block(plain, rows, H[later], right[earlier], false, stride, factors_.values() + place.lower);
  if (!symmetric) add_block(plain, rows, right[later], H[earlier], false, stride, factors_.values() + place.upper);
}

void BodyMatrix::add(const BodySystem& s, int b, const double* G, double scale) {
  const SystemBlock& block = s.blocks[b];
  std::array<SideRows, 2> right;
  for (int side = 0; side < 2; ++side) {
    const SideRows H = side_rows(s, block, side);
    double* product = product_[side].data();
    right[side] = {product, H.columns, H.width};
    if (block.size[side] > 0) multiply(block, G, H, scale, product);
  }
  add_product(s, b, block.plain, right);
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
  add_product(s, b, false, right);
}

}  // namespace stiction::solvers
