#include "stiction/solvers/friction/body/body_matrix.h"

#include <algorithm>

namespace stiction::solvers {
namespace {

using Plain = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;
using Transposed = Eigen::Matrix<double, 6, 3>;  // the same numbers

// out += A^T B, column-major a x b, with A rows x a and B rows x b row-major.
void add_block(bool plain, const double* left, const double* right, int rows, int a, int b, double* out) {
  if (plain) {  // small enough to stay in registers: Eigen's fixed sizes
    Eigen::Map<Matrix6>(out) += Eigen::Map<const Transposed>(left).lazyProduct(Eigen::Map<const Plain>(right));
    return;
  }
  for (int j = 0; j < b; ++j) {
    for (int r = 0; r < rows; ++r) {
      const double factor = right[r * b + j];
      for (int i = 0; i < a; ++i) out[j * a + i] += left[r * a + i] * factor;
    }
  }
}

// out = scale G H, row-major.
void multiply(bool plain, const double* G, const double* H, double scale, int rows, int n, double* out) {
  if (plain) {
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> scaled = scale * Eigen::Map<const Matrix3>(G).transpose();
    Eigen::Map<Plain> product(out);
    product = scaled.lazyProduct(Eigen::Map<const Plain>(H));
    return;
  }
  std::fill_n(out, rows * n, 0.0);
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < rows; ++k) {
      const double factor = scale * G[r * rows + k];
      for (int i = 0; i < n; ++i) out[r * n + i] += factor * H[k * n + i];
    }
  }
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
  for (auto& product : product_) product.resize(6 * largest);
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
void BodyMatrix::add_product(const BodySystem& s, int b, const double* const right[2]) {
  const SystemBlock& block = s.blocks[b];
  const double* H[2] = {s.H.data() + block.H[0], s.H.data() + block.H[1]};
  for (int side = 0; side < 2; ++side) {
    const int n = block.size[side];
    if (n > 0) add_block(block.plain, H[side], right[side], block.dim, n, n, factors_.diagonal(block.body[side]));
  }
  if (edge_[b] < 0) return;
  const Multifrontal::Place& place = factors_.place(edge_[b]);
  const bool first_is_a = block.body[0] < block.body[1];  // edges have the smaller body first
  const int later = place.a_is_later == first_is_a ? 0 : 1, earlier = 1 - later;
  const int rows = block.dim, n = block.size[later], m = block.size[earlier];
  add_block(block.plain, H[later], right[earlier], rows, n, m, factors_.values() + place.lower);
  if (kind_ == MatrixKind::general) {
    add_block(block.plain, right[later], H[earlier], rows, n, m, factors_.values() + place.upper);
  }
}

void BodyMatrix::add(const BodySystem& s, int b, const double* G, double scale) {
  const SystemBlock& block = s.blocks[b];
  for (int side = 0; side < 2; ++side) {
    const double* H = s.H.data() + block.H[side];
    if (block.size[side] == 0) continue;
    multiply(block.plain, G, H, scale, block.dim, block.size[side], product_[side].data());
  }
  const double* right[2] = {product_[0].data(), product_[1].data()};
  add_product(s, b, right);
}

void BodyMatrix::add_link(const BodySystem& s, int b, const double* c, double scale) {
  const SystemBlock &block = s.blocks[b], &contact = s.blocks[block.link];
  for (int side = 0; side < 2; ++side) {
    const int n = block.size[side];
    if (n == 0) continue;
    const int twin = contact.body[0] == block.body[side] ? 0 : contact.body[1] == block.body[side] ? 1 : -1;
    for (int r = 0; r < block.dim; ++r) {
      for (int i = 0; i < n; ++i) {
        product_[side][r * n + i] = twin < 0 ? 0.0 : scale * c[r] * s.H[contact.H[twin] + i];
      }
    }
  }
  const double* right[2] = {product_[0].data(), product_[1].data()};
  add_product(s, b, right);
}

}  // namespace stiction::solvers
