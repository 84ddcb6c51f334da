// Surfaces of pieces: derivatives against central differences, convexity, and the solids they bound.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "geometry/random_pairs.h"
#include "stiction/geometry/closest/closest_points.h"

namespace stiction::geometry {
namespace {

using Value = decltype(PieceSurface::value);
using testing::RandomPairs;

PieceSurface surface(Value value, const Vector3& size) {
  PieceSurface s;
  s.value = value;
  s.size = size;
  return s;
}

/// One surface of each kind (three superellipsoids), of size about one, proportions random.
std::vector<PieceSurface> surfaces(RandomPairs& random) {
  const auto lengths = [&] {
    return Vector3(random.uniform(0.4, 1.5), random.uniform(0.4, 1.5), random.uniform(0.4, 1.5));
  };
  static const ImplicitFunction quartic =
      Polynomial{{{1, {4, 0, 0}}, {2, {0, 2, 0}}, {1, {0, 0, 2}}, {0.5, {1, 1, 0}}, {-1, {0, 0, 0}}}};
  std::vector<PieceSurface> all;
  all.push_back(surface(half_space_surface, Vector3::Zero()));
  all.back().axis = random.direction();
  all.back().center = random.direction();
  all.push_back(surface(sphere_surface, lengths()));
  all.back().center = random.direction();
  all.push_back(surface(ellipsoid_surface, lengths()));
  for (const double p : {2.0, 3.5, 6.0}) {
    all.push_back(surface(superellipsoid_surface, lengths()));
    all.back().p = p;
    all.back().q = random.uniform(2, 6);
  }
  all.push_back(surface(capsule_surface, lengths()));
  all.push_back(surface(cylinder_side, lengths()));
  all.push_back(surface(cone_side, lengths()));
  all.push_back(surface(rounded_box_surface, lengths()));
  all.back().radius = random.uniform(0.05, 0.3);
  all.push_back(surface(function_surface, lengths()));
  all.back().function = &quartic;
  all.back().scale = 0.7;
  return all;
}

TEST(PieceSurface, GradientAndHessianAreDerivatives) {
  RandomPairs random(3);
  constexpr double h = 1e-6;
  // Central differences: rounding 1e-16 / h and third derivatives (up to some hundreds) times h^2.
  constexpr double tolerance = 1e-8;
  for (int trial = 0; trial < 300; ++trial) {
    for (const PieceSurface& s : surfaces(random)) {
      const Vector3 x = random.uniform(0.3, 2) * random.direction();
      const ImplicitValue f = evaluate(s, x);
      for (int i = 0; i < 3; ++i) {
        const ImplicitValue up = evaluate(s, x + h * Vector3::Unit(i));
        const ImplicitValue down = evaluate(s, x - h * Vector3::Unit(i));
        EXPECT_NEAR((up.value - down.value) / (2 * h), f.gradient[i], tolerance * (1 + f.gradient.norm()));
        EXPECT_LT(((up.gradient - down.gradient) / (2 * h) - f.hessian.col(i)).norm(),
                  tolerance * (1 + f.hessian.norm()) * 10)
            << "size " << s.size.transpose() << " p " << s.p << " q " << s.q << " x " << x.transpose();
      }
    }
  }
}

TEST(PieceSurface, IsConvex) {
  RandomPairs random(4);
  for (int trial = 0; trial < 3000; ++trial) {
    for (const PieceSurface& s : surfaces(random)) {
      const Vector3 x = random.uniform(0, 2) * random.direction();
      const Vector3 y = random.uniform(0, 2) * random.direction();
      const double t = random.uniform(0, 1);
      const double chord = (1 - t) * evaluate(s, x).value + t * evaluate(s, y).value;
      EXPECT_LE(evaluate(s, (1 - t) * x + t * y).value, chord + 1e-13 * (1 + std::abs(chord)));
    }
  }
}

TEST(PieceSurface, VanishesOnTheShapeWithTheOutwardNormal) {
  RandomPairs random(5);
  for (int trial = 0; trial < 500; ++trial) {
    const Vector3 size(random.uniform(0.4, 1.5), random.uniform(0.4, 1.5), random.uniform(0.4, 1.5));
    const std::pair<Shape, PieceSurface> both[] = {
        {Sphere{size.x()}, surface(sphere_surface, size)},
        {Ellipsoid{size}, surface(ellipsoid_surface, size)},
        {Ellipsoid{size}, surface(superellipsoid_surface, size)},
        {Capsule{size.x(), size.y()}, surface(capsule_surface, size)},
    };
    for (const auto& [shape, s] : both) {
      const Vector3 d = random.direction();
      const ImplicitValue f = evaluate(s, support(shape, d));
      EXPECT_NEAR(f.value, 0, 1e-14);
      EXPECT_LT((f.gradient.normalized() - d).norm(), 1e-14);
      EXPECT_GT(f.gradient.norm(), 0.25);
      EXPECT_LT(f.gradient.norm(), 4);
      EXPECT_LT(evaluate(s, Vector3::Zero()).value, -0.1);
    }
  }
}

TEST(PieceSurface, SuperellipsoidIsItsDefinition) {
  RandomPairs random(6);
  for (int trial = 0; trial < 500; ++trial) {
    PieceSurface s = surface(superellipsoid_surface, {0.5, 0.8, 1.2});
    s.p = random.uniform(2, 8);
    s.q = random.uniform(2, 8);
    Vector3 x = random.direction();
    const auto defined = [&] {
      const Vector3 y = x.cwiseQuotient(s.size).cwiseAbs();
      return std::pow(std::pow(y.x(), s.p) + std::pow(y.y(), s.p), s.q / s.p) + std::pow(y.z(), s.q);
    };
    x *= std::pow(defined(), -1 / s.q);
    ASSERT_NEAR(defined(), 1, 1e-13);
    EXPECT_NEAR(evaluate(s, x).value, 0, 1e-14);
  }
}

TEST(PieceSurface, ConeSideAndRoundedBoxAreDistances) {
  const double radius = 0.6, half_length = 0.8;
  const PieceSurface cone = surface(cone_side, {radius, half_length, 0});
  const double slant = std::hypot(radius, 2 * half_length);
  const Vector3 out(2 * half_length / slant, 0, radius / slant);
  const Vector3 on_side(radius / 2, 0, 0);  // half way up
  EXPECT_NEAR(evaluate(cone, on_side).value, 0, 1e-13);
  EXPECT_NEAR(evaluate(cone, on_side + 0.1 * out).value, 0.1, 1e-13);
  EXPECT_LT((evaluate(cone, on_side).gradient - out).norm(), 1e-13);
  PieceSurface box = surface(rounded_box_surface, {0.5, 0.6, 0.7});
  box.radius = 0.1;
  EXPECT_NEAR(evaluate(box, {0.5, 0.1, 0.2}).value, 0, 1e-15);
  EXPECT_NEAR(evaluate(box, Vector3(0.4, 0.5, 0.6) + 0.1 * Vector3(1, 2, 2) / 3).value, 0, 1e-15);
}

TEST(PieceSurface, HasNumbersAtItsSpecialPoints) {
  RandomPairs random(7);
  for (const PieceSurface& s : surfaces(random)) {
    for (const Vector3& x : {Vector3(0, 0, 0), Vector3(0, 0, s.size.y()), Vector3(0, 0, 1), Vector3(1, 0, 0),
                             Vector3(0, 1, 0), Vector3(1, 1, 0)}) {
      const ImplicitValue f = evaluate(s, x);
      EXPECT_TRUE(std::isfinite(f.value) && f.gradient.allFinite() && f.hessian.allFinite())
          << "size " << s.size.transpose() << " at " << x.transpose();
    }
  }
}

}  // namespace
}  // namespace stiction::geometry
