#include "stiction/methods/shared/stick_guess.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/math/linear/dense.h"

namespace stiction::methods {

namespace {

// Rows whose pivot falls below this, with unit diagonal, depend on the others.
constexpr double rank_tolerance = 1e-10;

// Rounding of a sum of a few dozen products, relative to the largest.
constexpr double product_rounding = 1e-14;

}  // namespace

void StickGuess::update_velocity(const double* W, const double* q, int n, int first) {
  velocity.assign(q, q + n);
  for (int j = first; j < n; ++j) {
    if (impulse[j] == 0) continue;
    const double* column = W + static_cast<long>(j) * n;
    for (int i = first; i < n; ++i) velocity[i] += column[i] * impulse[j];
  }
}

bool StickGuess::solve(const double* W, const double* q, int n, int first, double wanted) {
  const int size = static_cast<int>(held.size());
  scale_.resize(size);
  factor_.resize(static_cast<size_t>(size) * size);
  pivots_.resize(size);
  rhs_.resize(size);
  change_.resize(size);
  const auto entry = [&](int i, int j) { return W[static_cast<long>(held[j]) * n + held[i]]; };
  for (int i = 0; i < size; ++i) scale_[i] = entry(i, i) > 0 ? 1.0 / std::sqrt(entry(i, i)) : 0.0;
  for (int j = 0; j < size; ++j) {
    for (int i = j; i < size; ++i) factor_[static_cast<size_t>(j) * size + i] = scale_[i] * entry(i, j) * scale_[j];
  }
  const int rank = pivoted_cholesky(factor_.data(), size, rank_tolerance, pivots_);
  gram_.resize(static_cast<size_t>(rank) * rank);
  scratch_.resize(rank);
  if (!factor_gram(factor_.data(), size, rank, gram_.data())) return false;
  impulse.assign(n, 0.0);
  velocity.assign(q, q + n);
  // The first pass solves, the others take up its rounding: the Gram matrix squares the condition of W.
  for (int pass = 0; pass < 3; ++pass) {
    for (int i = 0; i < size; ++i) rhs_[i] = -scale_[i] * velocity[held[i]];
    solve_least_norm(factor_.data(), size, rank, pivots_, gram_.data(), rhs_.data(), change_.data(), scratch_.data());
    for (int i = 0; i < size; ++i) impulse[held[i]] += scale_[i] * change_[i];
    update_velocity(W, q, n, first);
  }
  double largest = 0;
  for (const int row : held) largest = std::max(largest, W[static_cast<long>(row) * n + row] * std::abs(impulse[row]));
  tolerance = std::max(wanted, product_rounding * largest);
  return std::all_of(held.begin(), held.end(), [&](int row) { return std::abs(velocity[row]) <= tolerance; });
}

double polygon_gauge(double x, double y, int directions, double angle) {
  if (x == 0 && y == 0) return 0;
  // In the sector between two neighbours, (x, y) = a d_j + b d_{j+1} with a, b >= 0; for fewer than three directions,
  // or where the sector reaches pi, there is none.
  const double sector = 2 * std::numbers::pi / directions;
  const double phi = std::atan2(y, x) - angle;
  const double inside = phi - sector * std::floor(phi / sector);
  return std::hypot(x, y) * (std::sin(sector - inside) + std::sin(inside)) / std::sin(sector);
}

}  // namespace stiction::methods
