// The pieces that stand for the points of a manifold: random manifolds, and closed forms after a motion.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "geometry/closest_pairs.h"

namespace stiction::geometry {
namespace {

using namespace testing;
using Value = decltype(PieceSurface::value);

/// Two shapes side by side, parallel to the tilt; one may be a plane.
Pair aligned_pair(RandomPairs& random, double gap, double tilt) {
  Pair pair{random.shape(1, 3), random.shape(random.uniform(0.5, 1), 3), {}, {}};
  if (random.below(4) == 0) pair.A = Plane{};
  if (random.below(2)) std::swap(pair.A, pair.B);
  pair.X_WA = {random.rotation(), random.direction()};
  pair.X_WB.R = pair.X_WA.R * random.axis_rotation() * exp_rotation(tilt * random.direction()).toRotationMatrix();
  pair.X_WB.p = pair.X_WA.p + pair.X_WA.R * Vector3(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0.5);
  for (int k = 0; k < 4; ++k) {
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    pair.X_WB.p += (gap * size_of(pair) - d.gap) * d.normal;
  }
  return pair;
}

TEST(ContactPieces, SolveToThePointsOfRandomManifolds) {
  RandomPairs random(21);
  int points = 0;
  int missed = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const double tilt = trial % 3 == 0 ? 0 : random.log_uniform(1e-12, 1e-1);
    const Pair pair = aligned_pair(random, 0.01 * random.below(3) - 0.01, tilt);
    // The line of a cone's side against a line of another round body: the piece is the whole cone, whose closest point
    // is one of the line, not the manifold's.
    if (std::holds_alternative<Cone>(pair.A) || std::holds_alternative<Cone>(pair.B)) continue;
    const double size = size_of(pair);
    const double margin = 0.05 * size;
    const Manifold m = manifold(pair.A, pair.X_WA, pair.B, pair.X_WB, margin);
    for (int k = 0; k < m.count; ++k, ++points) {
      Pieces pieces(pair, m, k);
      ClosestUnknowns u;
      guess_closest(pieces.pair, m.points[k].point_A, m.points[k].point_B, m.normal, u);
      if (solve_closest(pieces.pair, size, u) != ClosestOutcome::solved) {
        ++missed;
        continue;
      }
      // A face within acos(0.999) of the manifold's normal is met along its own: 1 - 0.999 of the gap, the root of
      // 2 (1 - 0.999) of the normal, and a tenth of that for round shapes whose lowest point follows it.
      EXPECT_NEAR(u.gap(), m.points[k].gap, 5e-4 * size) << shape_name(pair.A) << " " << shape_name(pair.B);
      EXPECT_LT((u.normal() - m.normal).norm(), 0.046) << shape_name(pair.A) << " " << shape_name(pair.B);
      EXPECT_LT((pair.X_WA * u.a() - m.points[k].point_A).norm(), 0.02 * size);
      const bool hull = std::holds_alternative<Convex>(pair.A) || std::holds_alternative<Convex>(pair.B);
      if (tilt == 0 && !hull) {
        EXPECT_NEAR(u.gap(), m.points[k].gap, 1e-9 * size) << shape_name(pair.A) << " " << shape_name(pair.B);
      }
      ClosestDerivative D;
      EXPECT_TRUE(closest_derivative(pieces.pair, size, u, D));
      EXPECT_LT(D.pose.row(9).norm(), 10 * (1 + size + pair.X_WA.p.norm() + pair.X_WB.p.norm()));
    }
  }
  EXPECT_GT(points, 8000);
  EXPECT_LE(missed, 3);
}

/// All points of a manifold on the ground z = 0, then the body moves: their gaps at the new pose.
std::vector<double> gaps_after(const Shape& shape, const Pose& from, const Pose& to, double margin = 0.05) {
  const Pair pair{Plane{}, shape, {}, from};
  const Manifold m = manifold(pair.A, pair.X_WA, pair.B, from, margin);
  std::vector<double> gaps;
  for (int k = 0; k < m.count; ++k) {
    Pieces pieces(pair, m, k);
    pieces.pair.X_WB = to;
    ClosestUnknowns u;
    guess_closest(pieces.pair, m.points[k].point_A, m.points[k].point_B, m.normal, u);
    EXPECT_EQ(solve_closest(pieces.pair, 1, u), ClosestOutcome::solved);
    EXPECT_LT((u.normal() - Vector3::UnitZ()).norm(), 1e-13);
    gaps.push_back(u.gap());
  }
  return gaps;
}

Pose turned(const Vector3& w, const Vector3& p) {
  return {exp_rotation(w).toRotationMatrix(), p};
}

TEST(ContactPieces, CornersOfABoxOnThePlane) {
  const Vector3 half(0.3, 0.4, 0.5);
  const Pose from = turned(Vector3::Zero(), {0, 0, 0.5});
  const Pose to = turned({0.02, -0.03, 0.1}, {0.1, 0, 0.51});
  const std::vector<double> gaps = gaps_after(Box{half}, from, to);
  ASSERT_EQ(gaps.size(), 4u);
  const Manifold m = manifold(Plane{}, {}, Box{half}, from, 0.05);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(gaps[k], (to * (from.inverse() * m.points[k].point_B)).z(), 1e-13);
}

/// A lying cylinder's rims: lowest point of a tilted circle, centre height - radius * sin(angle of its axis with z).
TEST(ContactPieces, RimsOfALyingCylinder) {
  const Cylinder cylinder{0.4, 1};
  const Pose from = turned({M_PI / 2, 0, 0}, {0, 0, 0.4});
  const Pose to = turned({M_PI / 2 + 0.03, 0, 0.2}, {0.1, 0.2, 0.45});
  std::vector<double> gaps = gaps_after(cylinder, from, to);
  ASSERT_EQ(gaps.size(), 2u);
  std::sort(gaps.begin(), gaps.end());
  const Vector3 axis = to.R.col(2);
  const double reach = cylinder.radius * std::sqrt(1 - axis.z() * axis.z());
  EXPECT_NEAR(gaps[0], to.p.z() - std::abs(axis.z()) - reach, 1e-13);
  EXPECT_NEAR(gaps[1], to.p.z() + std::abs(axis.z()) - reach, 1e-13);
}

/// A cylinder stands on four points fixed in its rim.
TEST(ContactPieces, RimPointsOfAStandingCylinder) {
  const Cylinder cylinder{0.4, 1};
  const Pose from = turned({0, 0, 0.3}, {0, 0, 1});
  const Pose to = turned({0.01, 0.02, 0.4}, {0.1, 0.2, 1.01});
  const std::vector<double> gaps = gaps_after(cylinder, from, to);
  ASSERT_EQ(gaps.size(), 4u);
  const Manifold m = manifold(Plane{}, {}, cylinder, from, 0.05);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(gaps[k], (to * (from.inverse() * m.points[k].point_B)).z(), 1e-13);
}

/// A whole cylinder that stands on one rim point: r sin t + l cos t below its centre, also after rolling on.
TEST(ContactPieces, RimOfATiltedCylinder) {
  const Cylinder cylinder{0.5, 1};
  const double t = 0.3;
  const Pose from = turned({t, 0, 0}, {0, 0, 0.5 * std::sin(t) + std::cos(t)});
  const Pose to{exp_rotation(Vector3(0, 0, 0.2)).toRotationMatrix() * turned({t + 0.1, 0, 0}, Vector3::Zero()).R,
                from.p};
  const std::vector<double> gaps = gaps_after(cylinder, from, to, 1e-3);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_NEAR(gaps[0], from.p.z() - 0.5 * std::sin(t + 0.1) - std::cos(t + 0.1), 1e-13);
}

TEST(ContactPieces, EndsOfALyingCapsule) {
  const Capsule capsule{0.2, 0.7};
  const Pose from = turned({M_PI / 2, 0, 0}, {0, 0, 0.2});
  const Pose to = turned({M_PI / 2 - 0.05, 0, 0.3}, {0, 0.1, 0.26});
  std::vector<double> gaps = gaps_after(capsule, from, to);
  ASSERT_EQ(gaps.size(), 2u);
  std::sort(gaps.begin(), gaps.end());
  const double rise = 0.7 * std::abs(to.R(2, 2));
  EXPECT_NEAR(gaps[0], 0.26 - rise - 0.2, 1e-13);
  EXPECT_NEAR(gaps[1], 0.26 + rise - 0.2, 1e-13);
}

Piece one_surface(Value value, const Vector3& size) {
  Piece piece;
  piece.count = 1;
  piece.surfaces[0].value = value;
  piece.surfaces[0].size = size;
  return piece;
}

/// Gap of a piece at X above z = 0, from a guess some way off the lowest point.
double gap_above_ground(const Piece& piece, const Pose& X, const Vector3& lowest) {
  Pieces pieces(one_surface(half_space_surface, Vector3::Zero()), piece, {}, X);
  ClosestUnknowns u;
  guess_closest(pieces.pair, lowest, lowest, Vector3::UnitZ(), u);
  EXPECT_EQ(solve_closest(pieces.pair, 1, u), ClosestOutcome::solved);
  return u.gap();
}

/// The support height of a superellipsoid is the dual norm: exponents p/(p-1), q/(q-1).
TEST(ContactPieces, SuperellipsoidAbovePlane) {
  RandomPairs random(22);
  for (int trial = 0; trial < 300; ++trial) {
    const Vector3 radii(random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1));
    Piece piece = one_surface(superellipsoid_surface, radii);
    const double p = piece.surfaces[0].p = random.uniform(2, 6);
    const double q = piece.surfaces[0].q = random.uniform(2, 6);
    const Pose X{random.rotation(), {0.3, -0.2, 2}};
    const Vector3 d = -(X.R.transpose() * Vector3::UnitZ());
    const Vector3 w = radii.cwiseProduct(d).cwiseAbs();
    const double r = p / (p - 1);
    const double s = q / (q - 1);
    const double height =
        std::pow(std::pow(std::pow(w.x(), r) + std::pow(w.y(), r), s / r) + std::pow(w.z(), s), 1 / s);
    EXPECT_NEAR(gap_above_ground(piece, X, X * radii.cwiseProduct(d)), 2 - height, 1e-11);
  }
}

/// Where it is flat (the Hessian vanishes at the ends of its axes) Newton is slow and the point vague, the gap is not.
TEST(ContactPieces, SuperellipsoidOnItsFlatSpot) {
  Piece piece = one_surface(superellipsoid_surface, {0.5, 0.6, 0.7});
  piece.surfaces[0].p = piece.surfaces[0].q = 6;
  const Pose X{Matrix3::Identity(), {0.3, -0.2, 0.69}};
  Pieces pieces(one_surface(half_space_surface, Vector3::Zero()), piece, {}, X);
  ClosestUnknowns u;
  guess_closest(pieces.pair, {0.35, -0.1, 0}, {0.35, -0.1, 0}, Vector3::UnitZ(), u);
  ASSERT_EQ(solve_closest(pieces.pair, 1, u), ClosestOutcome::solved);
  EXPECT_NEAR(u.gap(), -0.01, 1e-12);
  ClosestDerivative D;
  ASSERT_TRUE(closest_derivative(pieces.pair, 1, u, D));
  EXPECT_NEAR(D.pose(9, 8), 1, 1e-12);
  EXPECT_LT(D.pose.cwiseAbs().maxCoeff(), 1e6);
}

TEST(ContactPieces, RoundedBoxConeAndPolynomialAbovePlane) {
  RandomPairs random(23);
  for (int trial = 0; trial < 300; ++trial) {
    const Pose X{random.rotation(), {0.3, -0.2, 2}};
    const Vector3 d = -(X.R.transpose() * Vector3::UnitZ());
    Piece box = one_surface(rounded_box_surface, {0.5, 0.6, 0.7});
    box.surfaces[0].radius = 0.1;
    const Vector3 core(0.4, 0.5, 0.6);
    const Vector3 corner = core.cwiseProduct(d.cwiseSign());
    EXPECT_NEAR(gap_above_ground(box, X, X * (corner + 0.1 * d)), 2 - core.dot(d.cwiseAbs()) - 0.1, 1e-12);

    const ImplicitFunction sphere = Polynomial{{{1, {2, 0, 0}}, {1, {0, 2, 0}}, {1, {0, 0, 2}}, {-0.25, {0, 0, 0}}}};
    Piece ball = one_surface(function_surface, Vector3::Zero());
    ball.surfaces[0].function = &sphere;
    EXPECT_NEAR(gap_above_ground(ball, X, X * (0.4 * d + Vector3(0.1, 0, 0.1))), 1.5, 1e-12);

    // A cone that does not point down touches with its rim.
    Piece cone = one_surface(cone_side, {0.5, 0.8, 0});
    cone.surfaces[1].axis = -Vector3::UnitZ();
    cone.surfaces[1].center = {0, 0, -0.8};
    cone.count = 2;
    const double across = std::hypot(d.x(), d.y());
    const double rim = 0.5 * across - 0.8 * d.z();
    if (rim < 0.8 * d.z() + 0.05) continue;
    const Vector3 lowest(0.5 * d.x() / across, 0.5 * d.y() / across, -0.8);
    EXPECT_NEAR(gap_above_ground(cone, X, X * lowest), 2 - rim, 1e-12);
  }
}

}  // namespace
}  // namespace stiction::geometry
