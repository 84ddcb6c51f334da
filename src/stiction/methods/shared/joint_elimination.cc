#include "stiction/methods/shared/joint_elimination.h"

#include "stiction/math/linear/dense.h"

namespace stiction::methods {

namespace {

// Rows of joints whose pivot falls below this, with unit diagonal, depend on the others.
constexpr double rank_tolerance = 1e-10;

// What is left of a diagonal entry of W_GG when the joints allow no motion along its row.
constexpr double rounding_of_elimination = 1e-13;

}  // namespace

// W_BB in unit diagonal, by pivoted Cholesky.
void JointElimination::factor(const std::vector<double>& W) {
  const int nB = joint_rows_;
  scale_.resize(nB);
  // A row that no coordinate moves (out of its plane, a plane loop in a turned world) gets zero: else it would lock the
  // loop.
  unit_diagonal(W.data(), nB, rows_, scale_.data());
  factor_.resize(static_cast<size_t>(nB) * nB);
  for (int j = 0; j < nB; ++j) {
    const double* column = W.data() + static_cast<size_t>(j) * rows_;
    for (int i = 0; i < nB; ++i) factor_[static_cast<size_t>(j) * nB + i] = scale_[i] * column[i] * scale_[j];
  }
  pivots_.resize(nB);
  rank_ = pivoted_cholesky(factor_.data(), nB, rank_tolerance, pivots_);
}

// x = W_BB^+ b.
void JointElimination::solve(const double* b, double* x) {
  const int nB = joint_rows_;
  for (int i = 0; i < nB; ++i) rhs_[i] = scale_[i] * b[i];
  solve_pivoted(factor_.data(), nB, rank_, pivots_, rhs_.data(), x);
  for (int i = 0; i < nB; ++i) x[i] *= scale_[i];
}

void JointElimination::form(std::vector<double>& W, int rows, int joint_rows) {
  rows_ = rows;
  joint_rows_ = joint_rows;
  const int nB = joint_rows, n = rows, nG = n - nB;
  if (nB == 0) return;
  factor(W);
  rhs_.resize(nB);
  coupling_.resize(static_cast<size_t>(nG + 1) * nB);
  const auto at = [&](int i, int j) -> double& { return W[static_cast<size_t>(j) * n + i]; };
  for (int g = 0; g < nG; ++g) solve(&at(0, nB + g), coupling_.data() + static_cast<size_t>(g) * nB);
  diagonal_.resize(nG);
  for (int g = 0; g < nG; ++g) diagonal_[g] = at(nB + g, nB + g);
  for (int g = 0; g < nG; ++g) {
    const double* x = coupling_.data() + static_cast<size_t>(g) * nB;
    for (int row = 0; row <= g; ++row) {
      double sum = 0;
      for (int i = 0; i < nB; ++i) sum += at(i, nB + row) * x[i];
      at(nB + row, nB + g) -= sum;
      at(nB + g, nB + row) = at(nB + row, nB + g);
    }
  }
  // Where the joints leave a row no motion, what remains is rounding of either sign: it is zero.
  for (int g = 0; g < nG; ++g) {
    if (at(nB + g, nB + g) > rounding_of_elimination * diagonal_[g]) continue;
    for (int row = 0; row < nG; ++row) at(nB + row, nB + g) = at(nB + g, nB + row) = 0;
  }
}

void JointElimination::reduce(const std::vector<double>& W, std::span<double> q) {
  const int nB = joint_rows_, nG = rows_ - nB;
  if (nB == 0) return;
  double* x = coupling_.data() + static_cast<size_t>(nG) * nB;
  solve(q.data(), x);
  for (int g = 0; g < nG; ++g) {
    const double* column = W.data() + static_cast<size_t>(nB + g) * rows_;
    double sum = 0;
    for (int i = 0; i < nB; ++i) sum += column[i] * x[i];
    q[nB + g] -= sum;
  }
}

void JointElimination::recover(std::span<double> p) const {
  const int nB = joint_rows_, nG = rows_ - nB;
  for (int i = 0; i < nB; ++i) {
    double sum = coupling_[static_cast<size_t>(nG) * nB + i];
    for (int g = 0; g < nG; ++g) sum += coupling_[static_cast<size_t>(g) * nB + i] * p[nB + g];
    p[i] = -sum;
  }
}

}  // namespace stiction::methods
