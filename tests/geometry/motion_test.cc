// Pairs moved through small steps: gaps follow the velocities of the contact points, normals turn smoothly, and no
// contact point is below the proved gap.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "stiction/geometry/manifold.h"
#include "stiction/geometry/shapes/solids/convex_hull.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

struct Motion {
  const char* name;
  Shape A;
  Shape B;
  Pose X_WB;        ///< at the start; A rests at the origin
  Twist V;          ///< of B's origin, world axes
  double duration;  ///< s; the touching features stay the same
  bool moves_normal = true;
};

Pose moved(const Motion& m, double t) {
  return {exp_rotation(m.V.angular * t).toRotationMatrix() * m.X_WB.R, m.X_WB.p + t * m.V.linear};
}

Shape cone() {
  std::vector<Vector3> points = {Vector3(0, 0, -0.5)};
  for (int k = 0; k < 16; ++k) {
    points.emplace_back(0.5 * std::cos(2 * M_PI * k / 16), 0.5 * std::sin(2 * M_PI * k / 16), 0.5);
  }
  return Convex{std::make_shared<ConvexHull>(convex_hull(points).value())};
}

Matrix3 rotation(const Vector3& w) {
  return exp_rotation(w).toRotationMatrix();
}

std::vector<Motion> motions() {
  const Box box{Vector3(0.5, 0.5, 0.5)};
  const Cylinder cylinder{0.3, 0.4};
  const Matrix3 lying = rotation({M_PI / 2, 0, 0});
  const Matrix3 on_edge = rotation({0, 0, 1.1}) * rotation({M_PI / 4, 0, 0});
  // A's own edge on top, too: A is a box on its edge, given as a hull so that the other path is taken as well.
  std::vector<Vector3> roof;
  for (int k = 0; k < 8; ++k) {
    roof.push_back(rotation({0, M_PI / 4, 0}) * Vector3(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5));
  }
  const Shape ridge = Convex{std::make_shared<ConvexHull>(convex_hull(roof).value())};
  const double h = std::sqrt(0.5);
  return {
      {"box edge on ridge",
       ridge,
       box,
       {on_edge, {0.05, 0.02, 2 * h + 1e-4}},
       {{0.1, 0.2, -0.01}, {0.1, 0.2, 0.3}},
       0.2},
      {"cylinder rolling on plane", Plane{}, cylinder, {lying, {0, 0, 0.3}}, {{0.3, 0, -1e-3}, {0, 1, 0}}, 1, false},
      {"cylinder rolling on box",
       box,
       cylinder,
       {lying, {-0.1, 0.05, 0.8 + 1e-4}},
       {{0.3, 0, -1e-3}, {0, 1, 0}},
       0.5,
       false},
      {"capsule on box edge",
       ridge,
       Capsule{0.1, 0.4},
       {rotation({0, 1.3, 0}), {0.01, 0, h + 0.12}},
       {{0.05, 0.1, -0.02}, {0.1, 0.2, 0.1}},
       0.2},
      {"cylinder rim on box edge",
       ridge,
       cylinder,
       {rotation({0.2, 0.5, 0}), {0.02, 0.03, h + 0.52}},
       {{0.05, 0.1, -0.02}, {0.1, 0.2, 0.1}},
       0.1},
      {"cone tip on box",
       box,
       cone(),
       {rotation({0.2, 0.1, 0}), {0, 0, 1}},
       {{0.1, 0.1, -0.01}, {0.2, 0.3, 0.5}},
       0.5,
       false},
      {"ellipsoid on cylinder",
       cylinder,
       Ellipsoid{Vector3(0.3, 0.2, 0.25)},
       {rotation({0.3, 0.4, 0.5}), {0.55, 0.05, 0}},
       {{-0.02, 0.2, 0.1}, {1, 0.5, 0.3}},
       0.3},
  };
}

/// gap(t + h) = gap(t) + h n . v_B(point) + O(h^2): the point of B moves with B, A rests.
TEST(Motion, GapFollowsTheVelocityToSecondOrder) {
  for (const Motion& m : motions()) {
    const auto error = [&](double h) {
      double worst = 0;
      for (double t = 0; t + h < m.duration; t += m.duration / 40) {
        const Pose X = moved(m, t);
        const Distance now = distance(m.A, {}, m.B, X);
        const Distance next = distance(m.A, {}, m.B, moved(m, t + h));
        const double predicted = now.gap + h * now.normal.dot(m.V.at(now.point_B - X.p));
        worst = std::max(worst, std::abs(next.gap - predicted));
      }
      return worst;
    };
    // Second derivatives are of order (1 m/s)^2 over the smallest length, 0.1 m.
    for (const double h : {1e-2, 1e-3, 1e-4}) EXPECT_LT(error(h), 10 * h * h + 1e-14) << m.name << " h " << h;
  }
}

TEST(Motion, NormalsDoNotFlicker) {
  for (const Motion& m : motions()) {
    Vector3 last = distance(m.A, {}, m.B, m.X_WB).normal;
    const double h = 1e-4;
    for (double t = h; t < m.duration / 5; t += h) {
      const Vector3 n = distance(m.A, {}, m.B, moved(m, t)).normal;
      EXPECT_LT((n - last).norm(), m.moves_normal ? 20 * h : 1e-14) << m.name << " t " << t;
      last = n;
    }
  }
}

TEST(Motion, ManifoldsKeepAboveTheProvedGapAndReachIt) {
  for (const Motion& m : motions()) {
    for (double t = 0; t < m.duration; t += m.duration / 200) {
      const Distance d = distance(m.A, {}, m.B, moved(m, t));
      const Manifold points = manifold(m.A, {}, m.B, moved(m, t), 1);
      double deepest = 1e300;
      for (const ManifoldPoint& point : points.view()) {
        EXPECT_GE(point.gap, d.lower_bound - 1e-14) << m.name << " t " << t;
        deepest = std::min(deepest, point.gap);
      }
      EXPECT_NEAR(deepest, d.gap, 2e-9) << m.name << " t " << t;
    }
  }
}

}  // namespace
}  // namespace stiction::geometry
