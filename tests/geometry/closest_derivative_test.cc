// How closest points move with the poses: against central differences, the envelope theorem, and where they are not
// unique.
#include <gtest/gtest.h>

#include <cmath>

#include "geometry/closest_pairs.h"

namespace stiction::geometry {
namespace {

using namespace testing;

Pose moved(const Pose& X, int column, double h) {
  Pose Y = X;
  if (column < 3) Y.p[column] += h;
  if (column >= 3) Y.R = exp_rotation(h * Vector3::Unit(column - 3)).toRotationMatrix() * X.R;
  return Y;
}

/// The pair with one of 12 pose numbers or 2 levels changed by h.
PiecePair changed(const PiecePair& pair, int column, double h) {
  PiecePair other = pair;
  if (column < 6) other.X_WA = moved(pair.X_WA, column, h);
  if (column >= 6 && column < 12) other.X_WB = moved(pair.X_WB, column - 6, h);
  if (column == 12) other.level_A += h;
  if (column == 13) other.level_B += h;
  return other;
}

Eigen::Matrix<double, 10, 1> solution(const PiecePair& pair, double length, ClosestUnknowns guess, bool* solved) {
  *solved &= solve_closest(pair, length, guess) == ClosestOutcome::solved;
  return Eigen::Map<const Eigen::Matrix<double, 10, 1>>(guess.y.data());
}

TEST(ClosestDerivative, IsTheDerivativeOfTheSolution) {
  RandomPairs random(11);
  int compared = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Pair pair = pair_near(random, random.uniform(-0.03, 0.3));
    const double size = size_of(pair);
    const Distance there = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    Pieces pieces(pair, there);
    ClosestUnknowns u;
    guess_closest(pieces.pair, there.point_A, there.point_B, there.normal, u);
    if (solve_closest(pieces.pair, size, u) != ClosestOutcome::solved) continue;
    ClosestDerivative D;
    ASSERT_TRUE(closest_derivative(pieces.pair, size, u, D));
    for (int column = 0; column < 14; ++column) {
      constexpr double h = 1e-6;
      bool solved = true;
      const auto up = solution(changed(pieces.pair, column, h), size, u, &solved);
      const auto down = solution(changed(pieces.pair, column, -h), size, u, &solved);
      const auto here = solution(pieces.pair, size, u, &solved);
      // A kink (another face or cap takes over within h) shows as a second difference of first order.
      const bool kink = (up - 2 * here + down).norm() > 1e-3 * h;
      if (!solved || kink) continue;
      const auto expected = column < 12 ? D.pose.col(column).eval() : D.level.col(column - 12).eval();
      // Second differences below 1e-3 h leave third-order terms far below; the solutions carry 1e-13 / h = 1e-7.
      EXPECT_LT(((up - down) / (2 * h) - expected).norm(), 2e-6 * (1 + expected.norm()))
          << shape_name(pair.A) << " " << shape_name(pair.B) << " column " << column;
      ++compared;
    }
  }
  EXPECT_GT(compared, 15000);
}

/// The gap's derivative needs no derivative of the points: -n with A's origin, n with B's, and their moments.
TEST(ClosestDerivative, OfTheGapIsTheNormalAndItsMoment) {
  RandomPairs random(12);
  for (int trial = 0; trial < 2000; ++trial) {
    const Pair pair = pair_near(random, random.uniform(-0.03, 0.3));
    const double size = size_of(pair);
    const Distance there = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    Pieces pieces(pair, there);
    ClosestUnknowns u;
    guess_closest(pieces.pair, there.point_A, there.point_B, there.normal, u);
    if (solve_closest(pieces.pair, size, u) != ClosestOutcome::solved) continue;
    ClosestDerivative D;
    ASSERT_TRUE(closest_derivative(pieces.pair, size, u, D));
    const Vector3 n = u.normal();
    Eigen::Matrix<double, 1, 12> envelope;
    envelope << -n.transpose(), -(pair.X_WA.R * u.a()).cross(n).transpose(), n.transpose(),
        (pair.X_WB.R * u.b()).cross(n).transpose();
    EXPECT_LT((D.pose.row(9) - envelope).norm(), 1e-8 * (1 + size)) << shape_name(pair.A) << " " << shape_name(pair.B);
  }
}

/// Flat on flat: nothing is huge, and what is unique is right.
TEST(ClosestDerivative, WhereThePointsAreNotUniqueTheyDoNotRunAway) {
  const Pair pair{Plane{}, Cylinder{0.5, 1}, {}, {exp_rotation({M_PI / 2, 0, 0}).toRotationMatrix(), {0, 0, 0.6}}};
  Manifold manifold;
  manifold.count = 1;
  manifold.points[0] = {{0, 0, 0}, {0, 0, 0.1}, 0.1, 0};
  Pieces pieces(pair, manifold, 0);
  ClosestUnknowns u;
  guess_closest(pieces.pair, {0, 0, 0}, {0, 0, 0.1}, Vector3::UnitZ(), u);
  ASSERT_EQ(solve_closest(pieces.pair, 1, u), ClosestOutcome::solved);
  ClosestDerivative D;
  ASSERT_TRUE(closest_derivative(pieces.pair, 1, u, D));
  EXPECT_LT(D.pose.cwiseAbs().maxCoeff(), 10);
  EXPECT_NEAR(D.pose(9, 8), 1, 1e-9);  // gap with B's height
}

}  // namespace
}  // namespace stiction::geometry
