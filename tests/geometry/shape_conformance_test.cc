// What every shape owes the rest of the project, checked for each kind of the list that describes its keys: a newcomer
// is tested by being there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "geometry/random_pairs.h"
#include "stiction/geometry/closest/closest_points.h"
#include "stiction/geometry/manifold.h"

namespace stiction::geometry {
namespace {

using testing::RandomPairs;

/// Shapes from keys: a few of each kind, with random numbers in the range of each key.
std::vector<Shape> keyed_shapes(RandomPairs& random, bool bounded) {
  std::vector<Shape> shapes;
  for (const ShapeKind& kind : shape_kinds) {
    if (!kind.from_keys || (bounded && kind.extent != Extent::bounded)) continue;
    for (int made = 0, trial = 0; made < 8 && trial < 1000; ++trial) {
      std::vector<double> values;
      for (const ShapeKey& key : kind.keys) {
        const double lower = std::max(key.lower, 0.2), upper = std::min(key.upper, 1.5 + key.lower);
        const bool drawn = key.required || std::isfinite(key.upper);
        for (int k = 0; k < key.size(); ++k) values.push_back(drawn ? random.uniform(lower, upper) : key.otherwise[k]);
      }
      const KeyedShape shape = kind.from_keys(values);
      if (shape.mistake) continue;
      shapes.push_back(shape.shape);
      ++made;
    }
  }
  return shapes;
}

TEST(ShapeKinds, SayWhatTheyAre) {
  for (const ShapeKind& kind : shape_kinds) {
    EXPECT_FALSE(kind.name.empty() || kind.source.empty() || kind.sentence.empty() || kind.needs.empty()) << kind.name;
    EXPECT_EQ(kind.extent == Extent::bounded, kind.instead.empty()) << kind.name;
    for (const ShapeKey& key : kind.keys) EXPECT_FALSE(key.name.empty()) << kind.name;
    EXPECT_EQ(std::count_if(shape_kinds.begin(), shape_kinds.end(), [&](const auto& k) { return k.name == kind.name; }),
              1);
  }
}

TEST(ShapeKinds, AreValidWithGoodKeysOnly) {
  RandomPairs random(31);
  for (const Shape& shape : keyed_shapes(random, false)) EXPECT_TRUE(is_valid(shape)) << shape_name(shape);
  for (const ShapeKind& kind : shape_kinds) {
    if (!kind.from_keys) continue;
    const std::vector<double> zeros(16, 0.0), nans(16, NAN);
    EXPECT_FALSE(is_valid(kind.from_keys(zeros).shape)) << kind.name;
    EXPECT_FALSE(is_valid(kind.from_keys(nans).shape)) << kind.name;
  }
}

TEST(ShapeKinds, SupportHeightBoxAndBallAgree) {
  RandomPairs random(32);
  for (const Shape& shape : keyed_shapes(random, true)) {
    const Pose X{random.rotation(), random.direction()};
    const Aabb box = bounding_box(shape, X);
    for (int trial = 0; trial < 100; ++trial) {
      const Vector3 d = random.direction();
      const Vector3 x = support(shape, d);
      EXPECT_NEAR(d.dot(x), support_height(shape, d), 1e-13) << shape_name(shape);
      EXPECT_LE(x.norm(), bounding_radius(shape) * (1 + 1e-14)) << shape_name(shape);
      EXPECT_LE(((X * x) - box.upper).maxCoeff(), 1e-13) << shape_name(shape);
      EXPECT_LE((box.lower - (X * x)).maxCoeff(), 1e-13) << shape_name(shape);
      EXPECT_LE(d.dot(support(shape, random.direction())), d.dot(x) + 1e-13) << shape_name(shape);
    }
    EXPECT_NEAR(shape_size(shape), (bounding_box(shape, {}).upper - bounding_box(shape, {}).lower).norm(), 1e-13)
        << shape_name(shape);
  }
}

/// The core swept by its ball is the shape.
TEST(ShapeKinds, CoresSweepTheShape) {
  RandomPairs random(33);
  for (const Shape& shape : keyed_shapes(random, true)) {
    const CoreShape core = core_shape(shape);
    for (int trial = 0; trial < 100; ++trial) {
      const Vector3 d = random.direction();
      EXPECT_NEAR(d.dot(core.support(d)) + core.radius, support_height(shape, d), 1e-13) << shape_name(shape);
    }
  }
}

/// At the farthest point along d the shape's surfaces carry d: f_k <= 0 there, some f_k = 0, and the gradients of those
/// span d with multipliers that are not negative. guess_closest() fits the multipliers.
TEST(ShapeKinds, SurfacesBoundTheShape) {
  RandomPairs random(34);
  for (const Shape& shape : keyed_shapes(random, true)) {
    for (int trial = 0; trial < 100; ++trial) {
      const Vector3 d = random.direction();
      const Vector3 x = support(shape, d);
      Piece piece, ground;
      ask_shape(shape, [&](auto traits, const auto& s) { traits.whole(s, PieceSpot{x, d, d}, piece); });
      add(ground, half_space(-d, x));
      ASSERT_GE(piece.count, 1) << shape_name(shape);
      for (int k = 0; k < piece.count; ++k) {
        const double f = evaluate(piece.surfaces[k], x).value;
        EXPECT_LE(piece.surfaces[k].held ? std::abs(f) : f, 1e-7) << shape_name(shape);
      }
      const PiecePair pair{piece, ground, {}, {}};
      ClosestUnknowns unknowns;
      guess_closest(pair, x, x, d, unknowns);
      Vector3 carried = Vector3::Zero();
      for (int k = 0; k < piece.count; ++k) {
        carried += unknowns.y[10 + k] * evaluate(piece.surfaces[k], x).gradient;
      }
      EXPECT_LT((carried - d).norm(), 1e-6) << shape_name(shape);
    }
  }
}

TEST(ShapeKinds, MassIsThatOfTheSolid) {
  RandomPairs random(35);
  constexpr int samples = 20000;
  for (const Shape& shape : keyed_shapes(random, true)) {
    const Aabb box = bounding_box(shape, {});
    const PieceSpot center_spot{Vector3::Zero(), -Vector3::UnitZ(), -Vector3::UnitZ()};
    Piece piece;
    ask_shape(shape, [&](auto traits, const auto& s) { traits.whole(s, center_spot, piece); });
    const auto inside = [&](const Vector3& x) {
      return std::none_of(piece.surfaces.begin(), piece.surfaces.begin() + piece.count,
                          [&](const PieceSurface& surface) { return evaluate(surface, x).value > 0; });
    };
    Vector3 sum = Vector3::Zero();
    Matrix3 second = Matrix3::Zero();
    int hits = 0;
    for (int k = 0; k < samples; ++k) {
      const Vector3 u(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1));
      const Vector3 x = box.lower + u.cwiseProduct(box.upper - box.lower);
      if (!inside(x)) continue;
      ++hits;
      sum += x;
      second += x * x.transpose();
    }
    // Counting: errors of 1 / sqrt(samples), a few of them.
    constexpr double error = 5e-2;
    const MassProperties mass = mass_properties(shape);
    const double size = shape_size(shape);
    const Vector3 center = sum / hits;
    const Matrix3 moments = second / hits - center * center.transpose();
    const Matrix3 inertia = moments.trace() * Matrix3::Identity() - moments;
    EXPECT_NEAR(mass.volume, (box.upper - box.lower).prod() * hits / samples, error * mass.volume) << shape_name(shape);
    EXPECT_LT((mass.center - center).norm(), error * size) << shape_name(shape);
    EXPECT_LT((mass.inertia / mass.volume - inertia).norm(), error * inertia.norm()) << shape_name(shape);
  }
}

/// On a plane the lowest point of the manifold is the lowest of the shape, and the distance says so too.
TEST(ShapeKinds, MeetPlanesAtTheirLowestPoint) {
  RandomPairs random(36);
  for (const Shape& shape : keyed_shapes(random, true)) {
    for (int trial = 0; trial < 20; ++trial) {
      const Pose X{trial % 2 ? random.rotation() : random.axis_rotation(), Vector3(0.1, -0.2, 0.3)};
      const double lowest = bounding_box(shape, X).lower.z();
      EXPECT_NEAR(distance(Plane{}, {}, shape, X).gap, lowest, 1e-13) << shape_name(shape);
      const Manifold points = manifold(Plane{}, {}, shape, X, lowest + 1e-3);
      ASSERT_GE(points.count, 1) << shape_name(shape);
      double least = 1;
      for (const ManifoldPoint& point : points.view()) least = std::min(least, point.gap);
      EXPECT_NEAR(least, lowest, 1e-9) << shape_name(shape);
    }
  }
}

/// Any two of them have a gap that a separating plane proves.
TEST(ShapeKinds, MeetEachOther) {
  RandomPairs random(37);
  const std::vector<Shape> shapes = keyed_shapes(random, true);
  for (const Shape& A : shapes) {
    const Shape& B = shapes[random.below(static_cast<int>(shapes.size()))];
    const Pose X_WA{random.rotation(), Vector3::Zero()};
    const Pose X_WB{random.rotation(), random.uniform(0.3, 3) * random.direction()};
    const Distance d = distance(A, X_WA, B, X_WB);
    EXPECT_TRUE(d.converged) << shape_name(A) << " " << shape_name(B);
    EXPECT_NEAR(testing::separation({A, B, X_WA, X_WB}, d.normal), d.gap, 1e-8)
        << shape_name(A) << " " << shape_name(B);
  }
}

}  // namespace
}  // namespace stiction::geometry
