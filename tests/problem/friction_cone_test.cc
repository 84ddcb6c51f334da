// The friction cones: the paper's conditions on phi, derivatives against differences, support, and what is refused.
#include "stiction/problem/friction_cone.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/friction_cones.h"

namespace stiction {
namespace {

using stiction::testing::every_cone;
using ::testing::HasSubstr;

class Sampler {
 public:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  // A point of the span of F, about twice the size of F.
  std::array<double, 3> point(const FrictionCone& cone) {
    std::array<double, 3> x = {};
    for (int i = 0; i < cone.dimension; ++i) x[i] = 2 * cone_extent(cone, i) * uniform(-1, 1);
    restrict_to_span(cone, x.data());
    return x;
  }

 private:
  std::mt19937 random_{3};
};

TEST(FrictionCone, EveryKindHasTheFourPropertiesOfThePaper) {
  Sampler sampler;
  for (const auto& [name, cone] : every_cone()) {
    EXPECT_EQ(cone_defect(cone), "") << name;
    const std::array<double, 3> zero = {};
    const double gamma = homogeneity(cone);
    for (int k = 0; k < 200; ++k) {
      const auto x = sampler.point(cone), y = sampler.point(cone);
      const double c = sampler.uniform(0.1, 3), share = sampler.uniform(0, 1);
      std::array<double, 3> mix = {}, scaled = {};
      for (int i = 0; i < 3; ++i) mix[i] = (1 - share) * x[i] + share * y[i], scaled[i] = 2.5 * x[i];
      double outside = 0;
      for (int i = 0; i < constraint_count(cone); ++i) {
        const auto phi = [&](double c_n, const std::array<double, 3>& b) {
          return constraint_value(cone, i, c_n, b.data());
        };
        const double size = std::abs(phi(c, x)) + std::abs(phi(c, y)) + 1;
        EXPECT_LE(phi(c, mix), (1 - share) * phi(c, x) + share * phi(c, y) + 1e-13 * size) << name;  // 1
        EXPECT_LT(phi(c, zero), 0) << name;                                                          // 2
        EXPECT_EQ(phi(0, zero), 0) << name;                                                          // 2
        EXPECT_NEAR(phi(2.5 * c, scaled), std::pow(2.5, gamma) * phi(c, x), 1e-12 * std::pow(2.5, gamma) * size)
            << name;
        outside = std::max(outside, phi(0, x));
      }
      EXPECT_TRUE(outside > 0 || constraint_count(cone) == 0) << name;  // 3
    }
  }
}

TEST(FrictionCone, GradientsAndHessiansAreThoseOfTheValues) {
  Sampler sampler;
  for (const auto& [name, cone] : every_cone()) {
    for (int k = 0; k < 50; ++k) {
      const auto x = sampler.point(cone);
      const double c = sampler.uniform(0.5, 2);
      for (int i = 0; i < constraint_count(cone); ++i) {
        double gradient[3], hessian[3], before[3], after[3];
        constraint_gradient(cone, i, c, x.data(), gradient);
        constraint_hessian(cone, i, c, x.data(), hessian);
        for (int a = 0; a < cone.dimension; ++a) {
          if (cone_extent(cone, a) == 0 || std::abs(x[a]) < 0.05 * cone_extent(cone, a)) continue;  // kinks of p < 2
          auto low = x, high = x;
          const double step = 1e-5 * cone_extent(cone, a);
          low[a] -= step, high[a] += step;
          const double slope =
              (constraint_value(cone, i, c, high.data()) - constraint_value(cone, i, c, low.data())) / (2 * step);
          const double scale = std::abs(slope) + 1 / cone_extent(cone, a);
          const double rounding =
              4e-16 * (std::abs(constraint_value(cone, i, c, x.data())) + std::pow(c, homogeneity(cone))) / step;
          EXPECT_NEAR(gradient[a], slope, 1e-6 * scale + rounding) << name;
          constraint_gradient(cone, i, c, low.data(), before);
          constraint_gradient(cone, i, c, high.data(), after);
          const double bend = (after[a] - before[a]) / (2 * step);
          EXPECT_NEAR(hessian[a], bend, 1e-5 * (std::abs(bend) + std::abs(slope) / cone_extent(cone, a) + 1e-9))
              << name;
        }
      }
    }
  }
}

TEST(FrictionCone, SupportIsTheLargestOverTheBoundary) {
  for (const auto& [name, cone] : every_cone()) {
    if (cone.dimension != 2) continue;
    for (int k = 0; k < 24; ++k) {
      const double x[2] = {std::cos(0.3 + k), std::sin(0.3 + k)};
      double most = 0, b[2];
      for (int j = 0; j < 4000; ++j) {  // rays from the origin to where the last phi reaches zero
        const double angle = 2 * std::numbers::pi * j / 4000;
        double ray[2] = {cone_extent(cone, 0) * std::cos(angle), cone_extent(cone, 1) * std::sin(angle)}, gauge = 0;
        restrict_to_span(cone, ray);
        const double gamma = homogeneity(cone);
        for (int i = 0; i < constraint_count(cone); ++i) {
          gauge = std::max(gauge, std::pow(std::max(0.0, constraint_value(cone, i, 0, ray)), 1 / gamma));
        }
        if (gauge > 1e-6) most = std::max(most, (ray[0] * x[0] + ray[1] * x[1]) / gauge);
      }
      const double support = cone_support(cone, x);
      const double size = std::max(cone_extent(cone, 0), cone_extent(cone, 1));
      EXPECT_LE(most, support + 1e-12 * size) << name;
      EXPECT_NEAR(most, support, 2e-3 * size) << name;  // the rays are that far apart where F is sharp
      cone_support_point(cone, x, b);
      EXPECT_NEAR(b[0] * x[0] + b[1] * x[1], support, 1e-14 * size) << name;
      for (int i = 0; i < constraint_count(cone); ++i) EXPECT_LE(constraint_value(cone, i, 1, b), 1e-13) << name;
    }
  }
}

TEST(FrictionCone, SupportOfASoftFingerIsClosedForm) {
  const FrictionCone cone = *make_ellipsoid_cone(std::array{0.5, 0.25, 0.1});
  const double x[3] = {2, -4, 10};
  EXPECT_DOUBLE_EQ(cone_support(cone, x), std::sqrt(3.0));
  double b[3];
  cone_support_point(cone, x, b);
  EXPECT_NEAR(b[0] * x[0] + b[1] * x[1] + b[2] * x[2], std::sqrt(3.0), 1e-15);
}

TEST(FrictionCone, ClockwiseCornersAreTurnedRound) {
  const FrictionCone cone = *make_polygon_cone(std::vector<Vector2>{{1, 0}, {0, -1}, {-1, 0}, {0, 1}});
  const double inside[2] = {0.3, 0.3}, outside[2] = {0.6, 0.6};
  for (int i = 0; i < 4; ++i) EXPECT_LT(constraint_value(cone, i, 1, inside), 0);
  double most = -1;
  for (int i = 0; i < 4; ++i) most = std::max(most, constraint_value(cone, i, 1, outside));
  EXPECT_NEAR(most, 0.2, 1e-15);
}

TEST(FrictionCone, ExponentOneIsTheDiamondAndAxesOfZeroAreSegments) {
  EXPECT_EQ(make_superellipse_cone(0.5, 0.2, 1)->vertices.size(), 4U);
  const FrictionCone blade = *make_superellipse_cone(0, 0.7, 4);
  const double x[2] = {5, -2};
  EXPECT_DOUBLE_EQ(cone_support(blade, x), 1.4);
  EXPECT_EQ(constraint_count(*make_polygon_cone(std::vector<Vector2>(5, Vector2::Zero()))), 0);
}

// What the message of a refused cone says.
std::string refusal(const Result<FrictionCone>& cone) {
  return cone ? "" : cone.error().message();
}

TEST(FrictionCone, BadConesAreRefusedNamingTheCondition) {
  using Corners = std::vector<Vector2>;
  EXPECT_THAT(refusal(make_superellipse_cone(1, 1, 0.9)), HasSubstr("condition 1 (convex) fails: the exponent 0.9"));
  EXPECT_THAT(refusal(make_superellipse_cone(1, 1, std::nan(""))), HasSubstr("condition 1"));
  EXPECT_THAT(refusal(make_superellipse_cone(1, 1, 65)), HasSubstr("condition 4"));
  EXPECT_THAT(refusal(make_superellipse_cone(1, -1, 3)), HasSubstr("condition 2"));
  EXPECT_THAT(refusal(make_ellipsoid_cone(std::array{1.0, -0.1})), HasSubstr("half axis is negative: -0.1"));
  EXPECT_THAT(refusal(make_ellipsoid_cone(std::array<double, 2>{1, INFINITY})), HasSubstr("condition 3 (bounded)"));
  EXPECT_THAT(refusal(make_ellipsoid_cone(std::array{1e-200, 1.0})), HasSubstr("out of range"));
  EXPECT_THAT(refusal(make_ellipsoid_cone(std::array<double, 4>{1, 1, 1, 1})), HasSubstr("4 half axes"));
  EXPECT_THAT(refusal(make_polygon_cone(Corners{})), HasSubstr("corners, not 0"));
  EXPECT_THAT(refusal(make_polygon_cone(Corners(65, Vector2(1, 0)))), HasSubstr("2 to 64 corners, not 65"));
  EXPECT_THAT(refusal(make_polygon_cone(Corners{{1, 0}, {0.1, 0.1}, {0, 1}, {-1, 0}, {0, -1}})),
              HasSubstr("condition 1 (convex) fails: the polygon has a dent"));
  EXPECT_THAT(refusal(make_polygon_cone(Corners{{1, 1}, {2, 1}, {2, 2}})),
              HasSubstr("condition 2 (the origin inside)"));
  EXPECT_THAT(refusal(make_polygon_cone(Corners{{1, 0}, {0, 1}, {-1, 0}})), HasSubstr("condition 2"));  // on an edge
  EXPECT_THAT(refusal(make_polygon_cone(Corners{{1, 0}, {0, 1}})), HasSubstr("does not pass through the origin"));
  EXPECT_THAT(refusal(make_polygon_cone(Corners{{1, 0}, {1, 0}, {0, 1}, {-1, -1}})), HasSubstr("are the same"));
  EXPECT_THAT(refusal(make_polygon_cone(Corners{{1, 0}, {0, NAN}, {-1, -1}})), HasSubstr("condition 3"));
  EXPECT_THAT(refusal(make_polygon_cone(Corners{{1, 1}, {2, 2}, {-1, -1}})), HasSubstr("fold"));  // flat
  Corners star;
  for (int k = 0; k < 5; ++k)
    star.emplace_back(std::cos(2.4 * std::numbers::pi / 3 * k), std::sin(2.4 * std::numbers::pi / 3 * k));
  EXPECT_THAT(refusal(make_polygon_cone(star)), HasSubstr("do not run once around"));
  EXPECT_THAT(refusal(make_polygon_cone(star)), HasSubstr("remedy: Give the corners of a convex polygon in order"));
}

}  // namespace
}  // namespace stiction
