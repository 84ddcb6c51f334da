#include "stiction/solvers/friction/refute_friction.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "stiction/math/types.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;
constexpr double compliance = 1e-6;

bool small_enough(const ScaledFriction& s) {
  int normals = 0, bilateral = 0;
  for (int i = 0; i < s.block_count; ++i) {
    if (s.law[i] == Law::contact) ++normals;
    if (s.law[i] == Law::bilateral) bilateral += s.dim[i];
  }
  return normals > 0 && normals <= 300 && bilateral <= 300;
}

// Frictionless impulses with compliance; their growth says whether there is a ray.
bool frictionless(const ScaledFriction& s, RefuteWorkspace& w) {
  if (!w.eliminated.eliminate(s)) return false;
  w.normal.clear();
  for (int i = 0; i < s.block_count; ++i) {
    if (s.law[i] == Law::contact) w.normal.push_back(w.eliminated.place(s.first[i]));
  }
  const int n = static_cast<int>(w.normal.size());
  w.M.resize(static_cast<size_t>(n) * n);
  w.q.resize(n), w.z.resize(n), w.w.resize(n);
  for (int b = 0; b < n; ++b) {
    w.q[b] = w.eliminated.q()[w.normal[b]];
    for (int a = 0; a < n; ++a) {
      w.M[static_cast<size_t>(b) * n + a] = w.eliminated.W(w.normal[a], w.normal[b]) + (a == b ? compliance : 0.0);
    }
  }
  solve_lemke({n, w.M.data(), w.q.data()}, false, {}, w.lemke, w.z.data(), w.w.data());
  const double largest = *std::max_element(w.z.begin(), w.z.end());
  return std::isfinite(largest) && largest > 0;  // found or not: only the direction matters, and it is checked
}

// y_A <- its part in the null space of W_AA, A the rows where y acts; negative rounding is cut off.
bool project_on_null_space(const ScaledFriction& s, VectorX& y) {
  std::vector<int> rows;
  std::vector<double> dense;
  for (int i = 0; i < s.block_count; ++i) {
    for (int a = 0; a < s.dim[i]; ++a) {
      if (s.law[i] == Law::bilateral || (s.law[i] == Law::contact && a == 0 && y[s.first[i]] > 1e-7)) {
        rows.push_back(s.first[i] + a);
      }
    }
  }
  dense_matrix(s, dense);
  const auto n = static_cast<Eigen::Index>(rows.size());
  MatrixX W(n, n);
  VectorX part(n);
  for (Eigen::Index a = 0; a < n; ++a) {
    part[a] = y[rows[a]];
    for (Eigen::Index b = 0; b < n; ++b) W(a, b) = dense[static_cast<size_t>(rows[a]) * s.row_count + rows[b]];
  }
  const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(0.5 * (W + W.transpose()));
  VectorX projected = VectorX::Zero(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    if (std::abs(eigen.eigenvalues()[k]) > 1e-11) continue;
    projected += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).dot(part);
  }
  y.setZero();
  for (Eigen::Index a = 0; a < n; ++a) y[rows[a]] = projected[a];
  for (int i = 0; i < s.block_count; ++i) {
    if (s.law[i] == Law::contact) y[s.first[i]] = std::max(0.0, y[s.first[i]]);
  }
  const double largest = y.lpNorm<Eigen::Infinity>();
  if (!(largest > 1e-3)) return false;
  y /= largest;
  return true;
}

// y . q < 0 by more than what is left of W^T y.
bool refutes(const ScaledFriction& s, const VectorX& y) {
  std::vector<double> dense;
  dense_matrix(s, dense);
  const Eigen::Map<const RowMatrixX> W(dense.data(), s.row_count, s.row_count);
  const double gain = -y.dot(Eigen::Map<const VectorX>(s.q.data(), s.row_count));
  return gain > 1e-7 * y.norm() && (W.transpose() * y).norm() <= 1e-7 * gain;
}

}  // namespace

bool find_refutation(const ScaledFriction& s, RefuteWorkspace& w, std::vector<double>& y) {
  y.clear();
  if (!small_enough(s) || !frictionless(s, w)) return false;
  VectorX scaled = VectorX::Zero(s.row_count);
  const double largest = *std::max_element(w.z.begin(), w.z.end());
  for (size_t a = 0; a < w.normal.size(); ++a) scaled[w.eliminated.rows()[w.normal[a]]] = w.z[a] / largest;
  w.eliminated.complete(scaled.data(), false);
  if (!project_on_null_space(s, scaled) || !refutes(s, scaled)) return false;
  y.resize(s.row_count);
  for (int i = 0; i < s.row_count; ++i) y[i] = s.row_scale[i] * scaled[i];
  return true;
}

}  // namespace stiction::solvers
