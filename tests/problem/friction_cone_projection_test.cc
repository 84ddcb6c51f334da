// The projection onto c_n F: nearest by the variational inequality, derivatives against differences.
#include "stiction/problem/friction_cone_projection.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "support/friction_cones.h"

namespace stiction {
namespace {

class Sampler {
 public:
  explicit Sampler(unsigned seed) : random_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  std::array<double, 3> point(const FrictionCone& cone, double c_n) {
    double size = 0;
    for (int i = 0; i < cone.dimension; ++i) size = std::max(size, cone_extent(cone, i));
    std::array<double, 3> x = {};
    const double far = uniform(0, 1) < 0.1 ? 100 : 2;
    for (double& value : x) value = uniform(0, 1) < 0.1 ? 0 : far * c_n * std::max(size, 0.1) * uniform(-1, 1);
    return x;
  }

 private:
  std::mt19937 random_;
};

// y is nearest to x exactly when (x - y) . (c b - y) <= 0 for every b in F: c h_F(x - y) = (x - y) . y.
TEST(ConeProjection, IsNearestByTheSupportFunction) {
  Sampler sampler(1);
  for (const auto& [name, cone] : stiction::testing::every_cone()) {
    for (int k = 0; k < 500; ++k) {
      const double c = std::pow(10, sampler.uniform(-6, 3));
      const auto x = sampler.point(cone, c);
      ConeProjection p;
      project_on_cone(cone, c, x.data(), p);
      double away[3], along = 0, size = 0, moved = 0;
      for (int i = 0; i < cone.dimension; ++i) {
        away[i] = x[i] - p.y[i];
        along += away[i] * p.y[i];
        size += x[i] * x[i];
        moved += away[i] * away[i];
      }
      EXPECT_NEAR(c * cone_support(cone, away), along, 1e-12 * size) << name << " " << k;
      for (int i = 0; i < constraint_count(cone); ++i)
        EXPECT_LE(constraint_value(cone, i, c, p.y.data()), 1e-13 * std::pow(c, homogeneity(cone))) << name;
      EXPECT_EQ(p.inside, moved == 0) << name;
    }
  }
}

TEST(ConeProjection, DerivativesAreThoseOfTheProjection) {
  Sampler sampler(2);
  int compared = 0, kinks = 0;
  for (const auto& [name, cone] : stiction::testing::every_cone()) {
    const int d = cone.dimension;
    for (int k = 0; k < 200; ++k) {
      const double c = sampler.uniform(0.5, 2), step = 1e-7 * c;
      const auto x = sampler.point(cone, c);
      ConeProjection p, low, high;
      project_on_cone(cone, c, x.data(), p);
      for (int j = 0; j <= d; ++j) {  // j = d: with respect to c_n
        auto before = x, after = x;
        if (j < d) before[j] -= step, after[j] += step;
        const double h = j < d ? 0 : step;
        project_on_cone(cone, c - h, before.data(), low);
        project_on_cone(cone, c + h, after.data(), high);
        for (int i = 0; i < d; ++i) {
          const double slope = (high.y[i] - low.y[i]) / (2 * step);
          const double claimed = j < d ? p.dy_dx[i * d + j] : p.dy_dc[i];
          const double size = 1 + std::abs(slope);
          ++compared;
          if (std::abs(claimed - slope) > 1e-4 * size) ++kinks;  // the step crosses a kink
        }
      }
    }
  }
  EXPECT_GT(compared, 20000);
  EXPECT_LT(kinks, compared / 200);
}

TEST(ConeProjection, WithoutNormalImpulseIsTheOrigin) {
  for (const auto& [name, cone] : stiction::testing::every_cone()) {
    const double x[3] = {1, -2, 3};
    for (const double c : {0.0, -1.0, 1e-300}) {
      ConeProjection p;
      project_on_cone(cone, c, x, p);
      for (int i = 0; i < cone.dimension; ++i) EXPECT_LE(std::abs(p.y[i]), 1e-290) << name << " " << c;
    }
  }
}

}  // namespace
}  // namespace stiction
