// Closest points by Newton against the distance by other means, and against closed forms.
#include "stiction/geometry/closest/closest_points.h"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/closest_pairs.h"

namespace stiction::geometry {
namespace {

using namespace testing;

constexpr double tight = 1e-12;  // the residual's 1e-13 times a condition of some units

Pose at(double x, double y, double z) {
  return {Matrix3::Identity(), {x, y, z}};
}

bool polytope(const Shape& shape) {
  return std::holds_alternative<Box>(shape) || std::holds_alternative<Convex>(shape);
}

TEST(ClosestPoints, AgreeWithTheDistanceFromGuessesNearby) {
  RandomPairs random(1);
  constexpr int trials = 24000;
  int missed = 0;
  int elsewhere = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const double gap = trial % 3 == 0 ? random.uniform(0, 1) : trial % 3 == 1 ? 0 : -random.uniform(0, 0.05);
    const Pair pair = pair_near(random, gap);
    const double size = size_of(pair);
    const Distance there = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    const Distance guess = distance(pair.A, nudged(random, pair.X_WA, 0.01 * size, 0.02), pair.B,
                                    nudged(random, pair.X_WB, 0.01 * size, 0.02));
    Pieces pieces(pair, there);
    ClosestUnknowns u;
    guess_closest(pieces.pair, guess.point_A, guess.point_B, guess.normal, u);
    if (solve_closest(pieces.pair, size, u) != ClosestOutcome::solved) {
      ++missed;
      continue;
    }
    // Polytopes that cross have several ways out; another than the shortest one is deeper.
    if (there.gap < 0 && (polytope(pair.A) || polytope(pair.B)) && u.gap() < there.gap - 1e-10 * size) {
      ++elsewhere;
      continue;
    }
    EXPECT_NEAR(u.gap(), there.gap, 1e-10 * size) << shape_name(pair.A) << " " << shape_name(pair.B);
    // Where a small turn costs little gap the distance's own normal is good to the root of its tolerance only; two
    // corners that touch have many normals.
    const bool unique = std::abs(there.gap) > 1e-9 * size || !(polytope(pair.A) && polytope(pair.B));
    if (unique) {
      EXPECT_LT((u.normal() - there.normal).norm(), 1e-4) << shape_name(pair.A) << " " << shape_name(pair.B);
    }
    const Vector3 a = pair.X_WA * u.a();
    const Vector3 b = pair.X_WB * u.b();
    EXPECT_LT((b - a - u.gap() * u.normal()).norm(), 1e-12 * (size + pair.X_WA.p.norm()));
    // The points lie in the shapes and on the support planes: judged by the support functions.
    EXPECT_NEAR(u.normal().dot(a - pair.X_WA.p), support_height(pair.A, pair.X_WA.R.transpose() * u.normal()),
                1e-10 * size + (std::holds_alternative<Plane>(pair.A) ? infinity : 0));
  }
  EXPECT_LT(missed, trials / 200);
  EXPECT_LT(elsewhere, trials / 1000);
}

TEST(ClosestPoints, AreFoundFromTheDistanceItself) {
  RandomPairs random(2);
  constexpr int trials = 6000;
  int missed = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const Pair pair = pair_near(random, random.uniform(-0.05, 0.5));
    const Distance there = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    Pieces pieces(pair, there);
    ClosestUnknowns u;
    guess_closest(pieces.pair, there.point_A, there.point_B, there.normal, u);
    if (solve_closest(pieces.pair, size_of(pair), u) != ClosestOutcome::solved) {
      ++missed;
      continue;
    }
    EXPECT_NEAR(u.gap(), there.gap, 1e-10 * size_of(pair));
  }
  EXPECT_LE(missed, 3);
}

TEST(ClosestPoints, SpheresApartAndCrossing) {
  for (const double d : {5.0, 3.0, 2.0}) {
    const Pair pair{Sphere{1}, Sphere{2}, at(0, 0, 0), at(0, d, 0)};
    Pieces pieces(pair, distance(pair.A, pair.X_WA, pair.B, pair.X_WB));
    ClosestUnknowns u;
    const Vector3 n = Vector3(0.2, 1, -0.1).normalized();
    guess_closest(pieces.pair, n, pair.X_WB.p - 2 * n, n, u);
    ASSERT_EQ(solve_closest(pieces.pair, 1, u), ClosestOutcome::solved);
    EXPECT_NEAR(u.gap(), d - 3, tight);
    EXPECT_LT((u.normal() - Vector3::UnitY()).norm(), tight);
    EXPECT_LT((u.a() - Vector3(0, 1, 0)).norm(), tight);
    EXPECT_LT((u.b() - Vector3(0, -2, 0)).norm(), tight);
  }
}

TEST(ClosestPoints, EllipsoidAbovePlane) {
  RandomPairs random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3 radii(random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1));
    const Matrix3 R = random.rotation();
    const double q_z = random.uniform(0.2, 2);
    const Pair pair{Plane{}, Ellipsoid{radii}, at(0, 0, 0), {R, Vector3(1, 2, q_z)}};
    Pieces pieces(pair, distance(pair.A, pair.X_WA, pair.B, pair.X_WB));
    const Vector3 n = Vector3::UnitZ();
    ClosestUnknowns u;
    const Vector3 lowest = pair.X_WB.p - R * (radii.asDiagonal() * (R.transpose() * n));
    guess_closest(pieces.pair, lowest, lowest, n, u);
    ASSERT_EQ(solve_closest(pieces.pair, 1, u), ClosestOutcome::solved);
    const double reach = radii.cwiseProduct(R.transpose() * n).norm();  // sqrt(n^T R D^2 R^T n)
    EXPECT_NEAR(u.gap(), q_z - reach, tight);
    EXPECT_LT((u.b() + Vector3(radii.array().square()).cwiseProduct(R.transpose() * n) / reach).norm(), tight);
  }
}

TEST(ClosestPoints, SphereOnAnEllipsoidsAxis) {
  const Pair pair{Sphere{1}, Ellipsoid{Vector3(3, 2, 1)}, at(0, 0, 2.5), at(0, 0, 0)};
  Pieces pieces(pair, distance(pair.A, pair.X_WA, pair.B, pair.X_WB));
  ClosestUnknowns u;
  guess_closest(pieces.pair, {0.2, 0.1, 1.6}, {0.3, 0.2, 0.9}, Vector3(0.1, 0, -1).normalized(), u);
  ASSERT_EQ(solve_closest(pieces.pair, 1, u), ClosestOutcome::solved);
  EXPECT_NEAR(u.gap(), 0.5, tight);
  EXPECT_LT((u.normal() + Vector3::UnitZ()).norm(), tight);
}

/// From the far sides of both bodies (a critical point of the gap) and from any other wrong normal: the answer is right
/// or there is none.
TEST(ClosestPoints, FarSideIsNeverAnAnswer) {
  RandomPairs random(4);
  int found = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Pair pair = pair_near(random, trial % 2 == 0 ? random.uniform(0, 1) : -random.uniform(0, 0.02));
    if (polytope(pair.A) || polytope(pair.B)) continue;
    const Distance there = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    Pieces pieces(pair, there);
    const Vector3 n = trial % 4 < 2 ? Vector3(-there.normal) : random.direction();
    const auto extreme = [&](const Shape& shape, const Pose& X, const Vector3& d) {
      return std::holds_alternative<Plane>(shape) ? X.p : X * support(shape, X.R.transpose() * d);
    };
    ClosestUnknowns u;
    guess_closest(pieces.pair, extreme(pair.A, pair.X_WA, n), extreme(pair.B, pair.X_WB, -n), n, u);
    if (solve_closest(pieces.pair, size_of(pair), u) != ClosestOutcome::solved) continue;
    ++found;
    if (there.gap >= 0) {
      EXPECT_NEAR(u.gap(), there.gap, 1e-10 * size_of(pair));
    } else {
      EXPECT_LE(u.gap(), there.gap + 1e-10 * size_of(pair));  // another way out of a crossing
    }
  }
  EXPECT_GT(found, 200);
}

/// The top of a sphere above a plane obeys every equation with a negative multiplier.
TEST(ClosestPoints, FarSideOfOneBodyIsNotAnAnswer) {
  const Pair pair{Plane{}, Sphere{1}, at(0, 0, 0), at(0, 0, 2)};
  Pieces pieces(pair, distance(pair.A, pair.X_WA, pair.B, pair.X_WB));
  ClosestUnknowns u;
  guess_closest(pieces.pair, {0, 0, 0}, {0, 0, 3}, Vector3::UnitZ(), u);
  u.y[10] = 1;
  u.y[11] = -1;
  EXPECT_EQ(solve_closest(pieces.pair, 1, u), ClosestOutcome::not_found);
}

TEST(ClosestPoints, FailureLeavesTheGuess) {
  const Pair pair{Sphere{1}, Sphere{2}, at(0, 0, 0), at(0, 5, 0)};
  Pieces pieces(pair, distance(pair.A, pair.X_WA, pair.B, pair.X_WB));
  ClosestUnknowns u;
  guess_closest(pieces.pair, {0, -1, 0}, {0, 7, 0}, -Vector3::UnitY(), u);
  const ClosestUnknowns before = u;
  ASSERT_EQ(solve_closest(pieces.pair, 1, u), ClosestOutcome::not_found);
  EXPECT_EQ(u.y, before.y);
}

/// f + level = 0 of a sphere is the sphere of radius sqrt(r^2 - 2 r level).
TEST(ClosestPoints, LevelShrinksThePiece) {
  const double level = 0.2;
  const Pair pair{Sphere{1}, Plane{}, at(0, 0, 1.5), at(0, 0, 0)};
  Pieces pieces(pair, distance(pair.A, pair.X_WA, pair.B, pair.X_WB));
  pieces.pair.level_A = level;
  ClosestUnknowns u;
  guess_closest(pieces.pair, {0, 0, 0.5}, {0, 0, 0}, -Vector3::UnitZ(), u);
  ASSERT_EQ(solve_closest(pieces.pair, 1, u), ClosestOutcome::solved);
  EXPECT_NEAR(u.gap(), 1.5 - std::sqrt(1 - 2 * level), tight);
}

/// closest_residual states the equations: zero at a solution, and the min map on a multiplier that is wrong.
TEST(ClosestPoints, ResidualIsZeroAtASolutionOnly) {
  RandomPairs random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const Pair pair = pair_near(random, random.uniform(0.01, 0.5));
    const Distance there = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    Pieces pieces(pair, there);
    ClosestUnknowns u;
    guess_closest(pieces.pair, there.point_A, there.point_B, there.normal, u);
    if (solve_closest(pieces.pair, size_of(pair), u) != ClosestOutcome::solved) continue;
    std::array<double, max_closest_unknowns> r;
    const auto norm = [&] {
      closest_residual(pieces.pair, u, size_of(pair), r.data());
      return Eigen::Map<VectorX>(r.data(), u.size).norm();
    };
    EXPECT_LT(norm(), 1e-11);
    for (int k = 0; k < u.size; ++k) {
      const double right = u.y[k];
      u.y[k] -= 1e-3;
      EXPECT_GT(norm(), 1e-5) << k;
      u.y[k] = right;
    }
  }
}

}  // namespace
}  // namespace stiction::geometry
