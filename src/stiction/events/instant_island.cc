#include "stiction/events/instant_island.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>

namespace stiction {

namespace {

// Tangential mobility below this share of the contact's largest counts as zero.
constexpr double immobile = 1e-12;
// Closing joints' rows that depend on others to this are left out.
constexpr double joint_rank = 1e-10;

// Dense matrices of the island's trees.
class Trees {
 public:
  Trees(const StepProblem& problem, const contact::Island& island) : problem_(problem), island_(island) {
    place_.assign(problem.trees.size(), -1);
    for (const int t : island.trees) {
      place_[t] = size_;
      size_ += problem.trees[t].size;
    }
    MatrixX M = MatrixX::Zero(size_, size_);
    for (const int t : island.trees) {
      M.block(place_[t], place_[t], problem.trees[t].size, problem.trees[t].size) = problem.mass_block(t);
    }
    factor_.compute(M);
  }

  int size() const { return size_; }
  const Eigen::LLT<MatrixX>& factor() const { return factor_; }

  std::vector<int> velocities() const {
    std::vector<int> all;
    for (const int t : island_.trees) {
      for (int i = 0; i < problem_.trees[t].size; ++i) all.push_back(problem_.trees[t].offset + i);
    }
    return all;
  }

  VectorX row(int b, int r) const {
    VectorX J = VectorX::Zero(size_);
    for (int side = 0; side < 2; ++side) {
      const int tree = problem_.blocks[b].tree[side];
      if (tree >= 0) J.segment(place_[tree], problem_.trees[tree].size) += problem_.jacobian_block(b, side).row(r);
    }
    return J;
  }

  VectorX gather(const VectorX& v) const {
    VectorX x(size_);
    for (const int t : island_.trees) {
      x.segment(place_[t], problem_.trees[t].size) = v.segment(problem_.trees[t].offset, problem_.trees[t].size);
    }
    return x;
  }

  /// L^-1 J.
  VectorX lower(const VectorX& J) const { return factor_.matrixL().solve(J); }
  /// L^T v.
  VectorX upper(const VectorX& v) const { return factor_.matrixU() * v; }

 private:
  const StepProblem& problem_;
  const contact::Island& island_;
  std::vector<int> place_;
  int size_ = 0;
  Eigen::LLT<MatrixX> factor_;
};

// Puts y on the closing joints' accelerations and takes their directions out of B.
void eliminate_joints(const InstantRows& rows, const contact::Island& island, const Trees& trees,
                      InstantIsland& result) {
  std::vector<VectorX> columns;
  std::vector<double> product, velocity;
  for (const int b : island.bilaterals) {
    const int block = rows.problem.bilaterals[b].block;
    for (int r = 0; r < rows.problem.blocks[block].row_count; ++r) {
      columns.push_back(trees.lower(trees.row(block, r)));
      product.push_back(rows.product[rows.problem.blocks[block].first_row + r]);
      velocity.push_back(rows.velocity[rows.problem.blocks[block].first_row + r]);
      result.joint_rows.push_back(rows.problem.blocks[block].first_row + r);
    }
  }
  const auto count = static_cast<Eigen::Index>(columns.size());
  MatrixX& C = result.C;
  C.resize(trees.size(), count);
  for (Eigen::Index k = 0; k < count; ++k) C.col(k) = columns[k];
  result.joint_velocity.resize(count);
  for (Eigen::Index k = 0; k < count; ++k) result.joint_velocity[k] = velocity[k];
  if (columns.empty()) return;
  const Eigen::Map<const VectorX> g(product.data(), count);
  Eigen::CompleteOrthogonalDecomposition<MatrixX> cod(C.rows(), C.cols()), transposed(C.cols(), C.rows());
  cod.setThreshold(joint_rank);
  transposed.setThreshold(joint_rank);
  cod.compute(C);
  transposed.compute(C.transpose());
  result.y -= transposed.solve(VectorX(C.transpose() * result.y + g));
  if (result.B.cols() > 0) result.B -= C * cod.solve(result.B);
}

int block_of(const StepProblem& problem, const InstantItem& item) {
  return item.contact >= 0 ? problem.contacts[item.contact].block : problem.scalars[item.scalar].block;
}

// Coulomb's friction per unit of f_n at that slip: of maximum dissipation in the ellipse.
std::array<double, 2> sliding_ratio(const std::array<double, 2>& mu, double t, double o) {
  const double length = std::hypot(mu[0] * t, mu[1] * o);
  if (!(length > 0)) return {0, 0};
  return {-mu[0] * mu[0] * t / length, -mu[1] * mu[1] * o / length};
}

}  // namespace

InstantIsland make_instant_island(const InstantRows& rows, const contact::Island& island,
                                  std::vector<InstantItem> items, const std::vector<int>& moving) {
  const StepProblem& problem = rows.problem;
  const Trees trees(problem, island);
  InstantIsland result;
  std::vector<std::pair<int, int>> columns;  // block and row of each
  const auto add = [&](int block, int count) {
    for (int r = 0; r < count; ++r) columns.emplace_back(block, r);
  };
  for (InstantItem& item : items) {
    const int block = block_of(problem, item);
    item.first = static_cast<int>(columns.size());
    item.rows = std::min(item.full ? 4 : 3, problem.blocks[block].row_count);
    add(block, item.rows);
    const int rolling = item.full && item.contact >= 0 ? problem.contacts[item.contact].rolling : -1;
    if (rolling < 0) continue;
    item.rolling = static_cast<int>(columns.size());
    add(problem.rollings[rolling].block, 2);
  }
  result.items = std::move(items);
  const auto count = static_cast<Eigen::Index>(columns.size());
  result.B.resize(trees.size(), count);
  result.a0.resize(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto [block, r] = columns[k];
    result.B.col(k) = trees.lower(trees.row(block, r));
    result.a0[k] = rows.product[problem.blocks[block].first_row + r];
  }
  result.y = trees.upper(trees.gather(rows.vdot));
  result.y_free = result.y;
  for (const int k : moving) {
    const ScalarRow& row = problem.scalars[k];
    const double rate = rows.velocity[problem.blocks[row.block].first_row];
    result.y -= std::copysign(row.bound, rate) * trees.lower(trees.row(row.block, 0));
  }
  result.unconstrained = result.B;
  eliminate_joints(rows, island, trees, result);
  result.a0 += result.unconstrained.transpose() * result.y;
  result.velocities = trees.velocities();
  result.factor = trees.factor();
  return result;
}

void InstantIsland::add_motion(const VectorX& x, VectorX& v) const {
  const VectorX motion = factor.matrixU().solve(x);
  for (size_t i = 0; i < velocities.size(); ++i) v[velocities[i]] += motion[static_cast<Eigen::Index>(i)];
}

VectorX InstantIsland::joint_forces(const VectorX& x) const {
  if (C.cols() == 0) return VectorX(0);
  Eigen::CompleteOrthogonalDecomposition<MatrixX> cod(C.rows(), C.cols());
  cod.setThreshold(joint_rank);
  cod.compute(C);
  return cod.solve(x);
}

RowRank rank_rows(const MatrixX& B, const std::vector<int>& columns, double tolerance) {
  const auto n = static_cast<Eigen::Index>(columns.size());
  RowRank result;
  if (n == 0) return result;
  MatrixX scaled = B(Eigen::all, columns);
  VectorX scale(n);
  double largest = 0;
  for (Eigen::Index j = 0; j < n; ++j) largest = std::max(largest, scaled.col(j).norm());
  for (Eigen::Index j = 0; j < n; ++j) {
    const double norm = scaled.col(j).norm();
    scale[j] = norm > tolerance * largest ? 1 / norm : 0.0;
  }
  scaled *= scale.asDiagonal();
  const Eigen::ColPivHouseholderQR<MatrixX> qr(scaled);
  const Eigen::Index most = std::min(scaled.rows(), n);
  while (result.rank < most && std::abs(qr.matrixQR()(result.rank, result.rank)) > tolerance) ++result.rank;
  const int r = result.rank;
  MatrixX null = MatrixX::Zero(n, n - r);
  if (r > 0 && r < n) {
    null.topRows(r) = -qr.matrixQR().topLeftCorner(r, r).triangularView<Eigen::Upper>().solve(
        qr.matrixQR().topRows(r).rightCols(n - r));
  }
  null.bottomRows(n - r).setIdentity();
  null = qr.colsPermutation() * null;
  for (Eigen::Index k = 0; k < null.cols(); ++k) {
    for (Eigen::Index j = 0; j < n; ++j) null(j, k) *= scale[j] > 0 ? scale[j] : 1.0;
    Eigen::Index place = 0;
    const double size = null.col(k).cwiseAbs().maxCoeff(&place);
    null.col(k) /= std::copysign(size, null(place, k));
    for (Eigen::Index j = 0; j < n; ++j) {
      if (std::abs(null(j, k)) < tolerance) null(j, k) = 0;
    }
  }
  result.null = null;
  return result;
}

void Tangents::add(const Vector2& axis, double mu) {
  if (mu <= 0) return;
  friction[axes.size()] = mu;
  axes.push_back(axis);
}

Tangents mobile_tangents(const MatrixX& W, const std::array<double, 2>& mu) {
  Tangents result;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(Eigen::Matrix2d(W.bottomRightCorner(2, 2)));
  const double least = immobile * W.diagonal().maxCoeff();
  if (eigen.eigenvalues()[0] > least) {
    result.add(Vector2::UnitX(), mu[0]);
    result.add(Vector2::UnitY(), mu[1]);
  } else if (eigen.eigenvalues()[1] > least) {
    const Vector2 axis = eigen.eigenvectors().col(1);
    result.add(axis, std::hypot(mu[0] * axis[0], mu[1] * axis[1]));
  }
  return result;
}

ReducedProblem reduce_problem(const InstantRows& rows, const InstantIsland& island) {
  const StepProblem& problem = rows.problem;
  const MatrixX W = island.B.transpose() * island.B;
  std::vector<VectorX> lines;
  ReducedProblem result;
  const auto unit = [&](int row) { return VectorX(VectorX::Unit(island.a0.size(), row)); };
  for (const InstantItem& item : island.items) {
    solvers::InstantContact contact;
    contact.first = static_cast<int>(lines.size());
    lines.push_back(unit(item.first));
    if (item.scalar >= 0) {
      const ScalarRow& row = problem.scalars[item.scalar];
      if (row.kind == ScalarRow::Kind::friction) contact.bound = row.bound;
    } else if (item.rows == 3) {
      const ContactRows& c = problem.contacts[item.contact];
      const int first = problem.blocks[c.block].first_row;
      Tangents tangents = mobile_tangents(W.block(item.first, item.first, 3, 3), c.friction);
      if (item.slides) {
        tangents = {{Vector2::UnitX(), Vector2::UnitY()}, c.friction};
        contact.ratio = sliding_ratio(c.friction, rows.velocity[first + 1], rows.velocity[first + 2]);
      }
      contact.slides = item.slides;
      contact.tangents = static_cast<int>(tangents.axes.size());
      contact.friction = tangents.friction;
      for (const Vector2& axis : tangents.axes) {
        lines.push_back(axis[0] * unit(item.first + 1) + axis[1] * unit(item.first + 2));
      }
    }
    result.problem.contacts.push_back(contact);
  }
  result.T.resize(static_cast<Eigen::Index>(lines.size()), island.a0.size());
  for (size_t i = 0; i < lines.size(); ++i) result.T.row(static_cast<Eigen::Index>(i)) = lines[i];
  result.problem.W = result.T * W * result.T.transpose();
  result.problem.a0 = result.T * island.a0;
  return result;
}

}  // namespace stiction
