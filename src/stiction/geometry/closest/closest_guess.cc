// A guess of the multipliers: at most three surfaces carry the normal, as in a basic solution, so that the matrix of
// the first Newton step is regular also in corners where many faces meet.
#include <algorithm>
#include <array>
#include <span>

#include "stiction/base/infinity.h"
#include "stiction/geometry/closest/closest_points.h"

namespace stiction::geometry {
namespace {

/// Gradients of a piece's surfaces at a point, and what each costs for being away from it.
struct Fit {
  Piece const& piece;
  Vector3 outward;
  std::array<Vector3, max_piece_surfaces> gradient;
  std::array<double, max_piece_surfaces> cost;
  double best = infinity;
  std::array<double, max_piece_surfaces> multipliers = {};

  Fit(const Piece& of, const Vector3& x, const Vector3& normal) : piece(of), outward(normal) {
    constexpr double cost_of_slack = 100;
    const double length2 = std::max(x.squaredNorm(), 1e-300);
    for (int k = 0; k < piece.count; ++k) {
      const ImplicitValue f = evaluate(piece.surfaces[k], x);
      gradient[k] = f.gradient;
      cost[k] = piece.surfaces[k].held || piece.count == 1 ? 0 : cost_of_slack * f.value * f.value / length2;
    }
  }

  /// Tries the surfaces in `set` (up to three): least squares of (sum lambda_k grad f_k - outward) with costs.
  void attempt(std::span<const int> set) {
    constexpr double better = 1 - 1e-9;  // ties go to the set tried first
    Matrix3 gram = Matrix3::Identity();
    Vector3 rhs = Vector3::Zero();
    for (size_t i = 0; i < set.size(); ++i) {
      for (size_t j = 0; j < set.size(); ++j) gram(i, j) = gradient[set[i]].dot(gradient[set[j]]);
      gram(i, i) += cost[set[i]] + 1e-14;
      rhs[i] = gradient[set[i]].dot(outward);
    }
    const Vector3 lambda = gram.inverse() * rhs;
    for (size_t i = 0; i < set.size(); ++i) {
      if (!piece.surfaces[set[i]].held && !(lambda[i] >= 0)) return;
    }
    const double objective = 1 - lambda.dot(rhs);
    if (!(objective < better * best - 1e-12)) return;
    best = objective;
    multipliers.fill(0);
    for (size_t i = 0; i < set.size(); ++i) multipliers[set[i]] = lambda[i];
  }
};

/// Multipliers >= 0 (held ones free) of at most three surfaces that bring sum lambda_k grad f_k nearest to `outward`,
/// far surfaces made dear: every set is tried.
void fit_multipliers(const Piece& piece, const Vector3& x, const Vector3& outward, double* multipliers) {
  Fit fit(piece, x, outward);
  for (int i = 0; i < piece.count; ++i) fit.attempt(std::array{i});
  for (int i = 0; i < piece.count; ++i) {
    for (int j = i + 1; j < piece.count; ++j) fit.attempt(std::array{i, j});
  }
  for (int i = 0; i < piece.count; ++i) {
    for (int j = i + 1; j < piece.count; ++j) {
      for (int k = j + 1; k < piece.count; ++k) fit.attempt(std::array{i, j, k});
    }
  }
  std::copy_n(fit.multipliers.begin(), piece.count, multipliers);
}

}  // namespace

void guess_closest(const PiecePair& pair, const Vector3& point_A, const Vector3& point_B, const Vector3& normal,
                   ClosestUnknowns& unknowns) {
  unknowns.size = 10 + pair.A.count + pair.B.count;
  unknowns.a() = pair.X_WA.R.transpose() * (point_A - pair.X_WA.p);
  unknowns.b() = pair.X_WB.R.transpose() * (point_B - pair.X_WB.p);
  unknowns.normal() = normal;
  unknowns.gap() = normal.dot(point_B - point_A);
  double* multipliers = unknowns.y.data() + 10;
  fit_multipliers(pair.A, unknowns.a(), pair.X_WA.R.transpose() * normal, multipliers);
  fit_multipliers(pair.B, unknowns.b(), -(pair.X_WB.R.transpose() * normal), multipliers + pair.A.count);
}

}  // namespace stiction::geometry
