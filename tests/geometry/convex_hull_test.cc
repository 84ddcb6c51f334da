// Hulls against what every hull must satisfy, and against solids counted on paper.
#include "stiction/geometry/shapes/solids/convex_hull.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "geometry/random_pairs.h"

namespace stiction::geometry {
namespace {

std::vector<Vector3> cube(double half) {
  std::vector<Vector3> points;
  for (int k = 0; k < 8; ++k) points.emplace_back(k & 1 ? half : -half, k & 2 ? half : -half, k & 4 ? half : -half);
  return points;
}

/// Every input point is below every face; faces are flat and turn counter-clockwise; Euler's formula; each edge has its
/// twin.
void expect_hull_of(const ConvexHull& hull, const std::vector<Vector3>& points, double tolerance) {
  std::set<std::pair<int, int>> edges;
  for (size_t f = 0; f < hull.faces.size(); ++f) {
    const Vector3& n = hull.face_normals[f];
    const Vector3& origin = hull.vertices[hull.faces[f][0]];
    EXPECT_NEAR(n.norm(), 1, 1e-12);
    for (const Vector3& point : points) ASSERT_LE(n.dot(point - origin), tolerance);
    const std::vector<int>& face = hull.faces[f];
    for (size_t k = 0; k < face.size(); ++k) {
      const Vector3& a = hull.vertices[face[k]];
      const Vector3& b = hull.vertices[face[(k + 1) % face.size()]];
      const Vector3& c = hull.vertices[face[(k + 2) % face.size()]];
      EXPECT_LE(std::abs(n.dot(a - origin)), tolerance);
      EXPECT_GT(n.dot((b - a).cross(c - b)), 0);
      EXPECT_TRUE(edges.insert({face[k], face[(k + 1) % face.size()]}).second);
    }
  }
  for (const auto& [from, to] : edges) {
    EXPECT_TRUE(edges.count({to, from}));
    const std::vector<int>& near = hull.neighbours[from];
    EXPECT_EQ(std::count(near.begin(), near.end(), to), 1);
  }
  EXPECT_EQ(
      static_cast<int>(hull.vertices.size()) - static_cast<int>(edges.size()) / 2 + static_cast<int>(hull.faces.size()),
      2);
}

TEST(ConvexHull, CubeWithPointsInsideOnFacesAndOnEdges) {
  std::vector<Vector3> points = cube(1);
  points.emplace_back(0, 0, 0);
  points.emplace_back(1, 0.2, 0.3);
  points.emplace_back(1, 1, 0.5);
  points.emplace_back(-1, -1, -1);
  const ConvexHull hull = convex_hull(points).value();
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.faces.size(), 6u);
  for (const auto& face : hull.faces) EXPECT_EQ(face.size(), 4u);
  for (const auto& near : hull.neighbours) EXPECT_EQ(near.size(), 3u);
  expect_hull_of(hull, points, 1e-14);
}

TEST(ConvexHull, PrismKeepsItsPolygons) {
  std::vector<Vector3> points;
  for (int i = 0; i < 24; ++i) {
    const double angle = 2 * M_PI * (i / 2) / 12;
    points.emplace_back(1e3 + std::cos(angle), std::sin(angle), i % 2);
  }
  const ConvexHull hull = convex_hull(points).value();
  EXPECT_EQ(hull.faces.size(), 14u);
  EXPECT_EQ(hull.vertices.size(), 24u);
  expect_hull_of(hull, points, 1e-11);
}

TEST(ConvexHull, RandomClouds) {
  testing::RandomPairs random(7);
  for (int k = 0; k < 200; ++k) {
    std::vector<Vector3> points;
    const int count = 4 + random.below(200);
    const Vector3 scale(random.log_uniform(1e-3, 1), random.log_uniform(1e-3, 1), random.log_uniform(1e-3, 1));
    for (int i = 0; i < count; ++i) {
      const Vector3 direction = random.direction();
      points.push_back((k % 2 ? direction : Vector3(direction * random.uniform(0, 1))).cwiseProduct(scale));
    }
    const Result<ConvexHull> hull = convex_hull(points);
    ASSERT_TRUE(hull.has_value()) << k;
    expect_hull_of(*hull, points, 3e-11 * hull->size);
  }
}

TEST(ConvexHull, LatticePointsAreMostlyCoplanar) {
  std::vector<Vector3> points;
  for (int x = 0; x < 6; ++x) {
    for (int y = 0; y < 6; ++y) {
      for (int z = 0; z < 6; ++z) points.emplace_back(x, y, z);
    }
  }
  const ConvexHull hull = convex_hull(points).value();
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.faces.size(), 6u);
}

TEST(ConvexHull, DegenerateInputIsAnErrorWithARemedy) {
  const std::vector<Vector3> three = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<Vector3> same(5, Vector3(1, 2, 3));
  const std::vector<Vector3> line = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
  const std::vector<Vector3> flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.2, 0}};
  const std::vector<Vector3> broken = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, std::nan("")}};
  for (const auto& points : {three, same, line, flat, broken}) {
    const Result<ConvexHull> hull = convex_hull(points);
    ASSERT_FALSE(hull.has_value());
    EXPECT_FALSE(hull.error().what.empty());
    EXPECT_FALSE(hull.error().remedy.empty());
  }
}

TEST(ConvexHull, HillClimbingFindsTheFarthestVertex) {
  testing::RandomPairs random(9);
  std::vector<Vector3> points;
  for (int i = 0; i < 500; ++i) points.push_back(random.direction());
  const Shape shape = Convex{std::make_shared<ConvexHull>(convex_hull(points).value())};
  for (int k = 0; k < 2000; ++k) {
    const Vector3 d = random.direction();
    double best = -2;
    for (const Vector3& p : points) best = std::max(best, p.dot(d));
    EXPECT_NEAR(support(shape, d).dot(d), best, 1e-15);
    EXPECT_NEAR(support_height(shape, d), best, 1e-15);
  }
}

TEST(ConvexHull, FacesTooLargeToClipAreAnErrorWithARemedy) {
  const auto prism = [](int sides) {
    std::vector<Vector3> points;
    for (int k = 0; k < 2 * sides; ++k) {
      const double angle = 2 * M_PI * (k / 2) / sides;
      points.emplace_back(std::cos(angle), std::sin(angle), k % 2 ? 1 : -1);
    }
    return convex_hull(points);
  };
  EXPECT_TRUE(prism(max_face_corners));
  const auto refused = prism(max_face_corners + 1);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().remedy.find("fewer points"), std::string::npos);
}

}  // namespace
}  // namespace stiction::geometry
