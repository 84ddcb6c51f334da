// Contacts that start to slide in a direction that is not known: where the part of a_t across it vanishes.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/solvers/cone/slip_patterns.h"

namespace stiction::solvers {

// One unknown direction: every change of sign, and every direction that fits by itself.
void SlipPatterns::scan_direction() {
  const auto value = [&](double angle) { return cross_at(VectorX::Constant(1, angle))[0]; };
  const double width = 2 * std::numbers::pi / options_.directions;
  double last = value(0);
  for (int k = 1; k <= options_.directions; ++k) {
    double low = (k - 1) * width, high = k * width;
    const double next = value(high);
    if (std::abs(last) < options_.tolerance) candidate(VectorX::Constant(1, low));
    if ((last > 0) != (next > 0)) {
      for (int halving = 0; halving < 60; ++halving) {
        const double middle = (low + high) / 2;
        ((value(middle) > 0) == (last > 0) ? low : high) = middle;
      }
      candidate(VectorX::Constant(1, (low + high) / 2));
    }
    last = next;
  }
}

void SlipPatterns::newton(VectorX angles) {
  const auto count = angles.size();
  VectorX value = cross_at(angles);
  for (int step = 0; step < 20 && value.lpNorm<Eigen::Infinity>() > 1e-13; ++step) {
    MatrixX slope(count, count);
    for (Eigen::Index k = 0; k < count; ++k) {
      VectorX moved = angles;
      moved[k] += 1e-6;
      slope.col(k) = (cross_at(moved) - value) / 1e-6;
    }
    VectorX move = -Eigen::CompleteOrthogonalDecomposition<MatrixX>(slope).solve(value);
    if (!move.allFinite()) return;
    move *= std::min(1.0, 0.5 / std::max(move.lpNorm<Eigen::Infinity>(), 1e-300));
    double length = 1;
    VectorX trial = cross_at(angles + move);
    while (length > 1e-3 && !(trial.norm() < value.norm())) {
      length /= 2;
      trial = cross_at(angles + length * move);
    }
    if (!(trial.norm() < value.norm())) break;
    angles += length * move;
    value = trial;
  }
  if (value.allFinite() && value.lpNorm<Eigen::Infinity>() < consistent) candidate(angles);
}

// From the directions in which the contacts would move without forces, common ones, and seeded ones.
void SlipPatterns::search_directions() {
  const auto count = static_cast<Eigen::Index>(starting_.size());
  VectorX free(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const InstantContact& c = contacts_[starting_[k]];
    free[k] = std::atan2(s_.a0[c.first + 2] * c.friction[1], s_.a0[c.first + 1] * c.friction[0]);
  }
  newton(free);
  std::uint64_t seed = 0x9e3779b97f4a7c15ull;
  for (int trial = 1; trial < options_.starts; ++trial) {
    VectorX angles = VectorX::Constant(count, trial * std::numbers::pi / 3);
    for (Eigen::Index k = 0; trial > 6 && k < count; ++k) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      angles[k] = static_cast<double>(seed >> 11) * 0x1p-53 * 2 * std::numbers::pi;
    }
    newton(angles);
  }
}

}  // namespace stiction::solvers
