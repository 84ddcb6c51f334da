// Implicit solids: support and mass against other shapes that are the same, and what is refused, with its message.
#include "stiction/geometry/shapes/solids/implicit_solid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "geometry/random_pairs.h"
#include "stiction/geometry/shapes/solids/implicit_support.h"

namespace stiction::geometry {
namespace {

using ::testing::HasSubstr;
using testing::RandomPairs;

ImplicitSolid made(std::vector<ImplicitFunction> functions) {
  return make_implicit_solid(std::move(functions)).value();
}

Error error_of(std::vector<ImplicitFunction> functions) {
  const Result<ImplicitSolid> solid = make_implicit_solid(std::move(functions));
  return solid ? Error{.what = "none"} : solid.error();
}

/// A pillow of exponent 4 is also a superellipsoid, whose support has a closed form; along axes both are flat.
TEST(ImplicitSolid, SupportOfAPillow) {
  const Vector3 c(0.3, -0.2, 0.5);
  const ImplicitSolid solid = made({testing::pillow(2, c)});
  const Superellipsoid same{Vector3::Constant(2), 4, 4};
  RandomPairs random(91);
  for (int k = 0; k < 3000; ++k) {
    Vector3 d = random.direction();
    if (k % 3 == 0) d = (Vector3::Unit(k % 9 / 3) + random.log_uniform(1e-16, 1e-2) * d).normalized();
    if (k % 30 == 0) d = Vector3::Unit(k % 9 / 3);
    const Vector3 x = implicit_support(solid, d) - c;
    EXPECT_NEAR(d.dot(x), support_height(same, d), 1e-14) << k;
    // Where the surface is flat the point across d is only as good as the cube root of the gradient's rounding, 1e-12
    // after the expansion about another origin.
    const bool flat = d.cwiseAbs().minCoeff() < 1e-3;
    EXPECT_LT((x - support(same, d)).norm(), flat ? 1e-3 : 1e-11) << k;
  }
}

TEST(ImplicitSolid, MassAndSupportOfAnEllipsoid) {
  const Vector3 radii(0.5, 1, 0.2);
  const ImplicitSolid solid = made({testing::quadric(radii)});
  const MassProperties exact = mass_properties(Ellipsoid{radii});
  EXPECT_NEAR(solid.volume, exact.volume, 1e-10 * exact.volume);
  EXPECT_LT((solid.inertia - exact.inertia).norm(), 1e-10 * exact.inertia.norm());
  EXPECT_LT(solid.center.norm(), 1e-12);
  EXPECT_LT((solid.upper - radii).norm() + (solid.lower + radii).norm(), 1e-14);
  RandomPairs random(92);
  for (int k = 0; k < 1000; ++k) {
    const Vector3 d = random.direction();
    EXPECT_LT((implicit_support(solid, d) - support(Ellipsoid{radii}, d)).norm(), 1e-13);
  }
}

/// x^4 + y^4 + z^4 <= 1 against the closed form of the superellipsoid.
TEST(ImplicitSolid, MassOfAPillow) {
  const ImplicitSolid solid = made({testing::pillow(1, Vector3::Zero())});
  const MassProperties exact = mass_properties(Superellipsoid{Vector3::Ones(), 4, 4});
  EXPECT_NEAR(solid.volume, exact.volume, 1e-8 * exact.volume);
  EXPECT_LT((solid.inertia - exact.inertia).norm(), 1e-8 * exact.inertia.norm());
}

/// Edges cost digits: the rule sees them as kinks. Caps of height h of the unit ball have pi h^2 (3 - h) / 3.
TEST(ImplicitSolid, MassOfSolidsWithEdges) {
  const auto cap = [](double h) { return M_PI * h * h * (3 - h) / 3; };
  const double lens = 2 * cap(0.2);
  EXPECT_NEAR(testing::implicit_shapes()[3].solid->volume, lens, 1e-4 * lens);
  const double cut = 4.0 / 3 * M_PI - cap(0.7);
  EXPECT_NEAR(testing::implicit_shapes()[4].solid->volume, cut, 1e-4 * cut);
}

/// Two balls' lens: farthest points on both caps and on the edge between them; no point of the solid is farther.
TEST(ImplicitSolid, SupportOfSolidsWithEdges) {
  RandomPairs random(93);
  for (const int which : {3, 4}) {
    const ImplicitSolid& solid = *testing::implicit_shapes()[which].solid;
    const Shape shape = testing::implicit_shapes()[which];
    std::vector<Vector3> points;
    for (int k = 0; k < 20000; ++k) {
      const Vector3 w = random.direction();
      points.push_back(solid.interior + ray_length(solid, solid.interior, w, 0.1, 1e9) * w);
    }
    for (int k = 0; k < 200; ++k) {
      const Vector3 d = k == 0 ? Vector3(Vector3::UnitZ()) : random.direction();
      const Vector3 x = implicit_support(solid, d);
      EXPECT_LT(testing::outside_by(shape, {}, x), 1e-14);
      double most = -1e300;
      for (const Vector3& y : points) most = std::max(most, d.dot(y));
      EXPECT_LE(most, d.dot(x) + 1e-14);
      EXPECT_GE(most, d.dot(x) - 0.03);  // 20000 rays are 0.025 apart, and an edge falls off with its slope
    }
  }
}

/// An ellipsoid cut by the plane a.x <= b: h(d) = min over m >= 0 of h_ellipsoid(d - m a) + m b, by ternary search;
/// near a the farthest points run over the flat.
TEST(ImplicitSolid, SupportNearAFlat) {
  const ImplicitSolid& solid = *testing::implicit_shapes()[6].solid;
  const Vector3 radii(0.5, 1, 0.2), a(1, 0.5, 2);
  const auto height = [&](const Vector3& d) {
    const auto at = [&](double m) { return radii.cwiseProduct(d - m * a).norm() + m * 0.4; };
    double low = 0, high = 10;
    for (int i = 0; i < 200; ++i) {
      const double third = (high - low) / 3;
      if (at(low + third) <= at(high - third)) {
        high -= third;
      } else {
        low += third;
      }
    }
    return std::min(at(0), at(low));
  };
  RandomPairs random(95);
  for (int k = 0; k < 2000; ++k) {
    Vector3 d = random.direction();
    if (k % 2) d = (a.normalized() + random.log_uniform(1e-15, 1) * d).normalized();
    // A residual of 1e-12 counts as rounding: so much times the size, 2, may a point be short of the farthest.
    EXPECT_NEAR(implicit_support(solid, d).dot(d), height(d), 1e-12) << k;
  }
}

/// log(sum of cosh) is smooth and convex; its level set is a pillow.
TEST(ImplicitSolid, FromACallback) {
  const auto pillow = [](const Vector3& x) {
    const Vector3 e = (4 * x).array().cosh();
    const Vector3 s = (4 * x).array().sinh();
    ImplicitValue f;
    f.value = std::log(e.sum()) - 3;
    f.gradient = 4 * s / e.sum();
    f.hessian = (16 * e / e.sum()).asDiagonal();
    f.hessian -= f.gradient * f.gradient.transpose();
    return f;
  };
  const ImplicitSolid solid = made({ImplicitCallback{"pillow", pillow}});
  // On an axis cosh(4x) + 2 = e^3.
  const double reach = std::acosh(std::exp(3) - 2) / 4;
  EXPECT_LT((solid.upper - Vector3::Constant(reach)).norm(), 1e-14);
  EXPECT_LT((implicit_support(solid, Vector3::UnitX()) - reach * Vector3::UnitX()).norm(), 1e-7);
  RandomPairs random(94);
  for (int k = 0; k < 200; ++k) {
    const Vector3 d = random.direction();
    const ImplicitValue f = pillow(implicit_support(solid, d));
    EXPECT_NEAR(f.value, 0, 1e-14);
    EXPECT_LT((f.gradient.normalized() - d).norm(), 1e-13);
  }
}

TEST(ImplicitSolid, OffTheOriginAndWithAHint) {
  const ImplicitSolid solid = made({testing::pillow(0.1, Vector3(3, 2, -1))});
  EXPECT_LT((solid.center - Vector3(3, 2, -1)).norm(), 1e-9);
  EXPECT_TRUE(make_implicit_solid({testing::pillow(0.1, Vector3(3, 2, -1))}, Vector3(3, 2, -1)));
}

TEST(ImplicitSolid, RefusesWhatIsNotConvex) {
  const Error valley =
      error_of({Polynomial{{{1, {4, 0, 0}}, {-1, {2, 0, 0}}, {1, {0, 4, 0}}, {1, {0, 0, 4}}, {-1, {0, 0, 0}}}}});
  EXPECT_THAT(valley.what, HasSubstr("function 1 of 1 is not convex"));
  EXPECT_THAT(valley.what, HasSubstr("at ["));
  EXPECT_THAT(valley.remedy, HasSubstr("several shapes"));
  const Error second = error_of(
      {testing::quadric({1, 1, 1}), Polynomial{{{-1, {2, 0, 0}}, {1, {0, 2, 0}}, {1, {0, 0, 2}}, {-1, {0, 0, 0}}}}});
  EXPECT_THAT(second.what, HasSubstr("function 2 of 2 is not convex"));
}

/// (|x|^2 - 1)^3 is zero on the sphere with all its derivatives up to the second; (|x|^2 - 1)^2 has no inside.
TEST(ImplicitSolid, RefusesAGradientThatVanishesOnTheSurface) {
  Polynomial cube;
  const int multinomial[4] = {1, 3, 3, 1};
  const int factorial[4] = {1, 1, 2, 6};
  for (int n = 0; n <= 3; ++n) {
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; i + j <= n; ++j) {
        const int k = n - i - j;
        const double ways = factorial[n] / (factorial[i] * factorial[j] * factorial[k]);
        cube.terms.push_back({(n % 2 ? 1 : -1) * multinomial[n] * ways, {2 * i, 2 * j, 2 * k}});
      }
    }
  }
  EXPECT_THAT(error_of({cube}).what, HasSubstr("function 1 of 1 has no gradient on its surface, at ["));
  EXPECT_THAT(error_of({cube}).remedy, HasSubstr("slope"));
  const Polynomial point{{{1, {2, 0, 0}}, {1, {0, 2, 0}}, {1, {0, 0, 2}}}};
  EXPECT_THAT(error_of({point}).what, HasSubstr("no interior"));
}

TEST(ImplicitSolid, RefusesTheUnboundedAndTheEmpty) {
  // A slanted cylinder: no ray of the sample runs along it.
  const Polynomial slanted{{{1, {2, 0, 0}}, {-0.4, {1, 0, 1}}, {0.04, {0, 0, 2}}, {1, {0, 2, 0}}, {-1, {0, 0, 0}}}};
  EXPECT_THAT(error_of({slanted}).what, HasSubstr("function 1 of 1 leaves the solid unbounded along ["));
  const Polynomial half_space{{{1, {0, 0, 1}}, {-1, {0, 0, 0}}}};
  EXPECT_THAT(error_of({half_space}).what, HasSubstr("unbounded"));
  const Polynomial paraboloid{{{1, {2, 0, 0}}, {1, {0, 2, 0}}, {-1, {0, 0, 1}}}};
  EXPECT_THAT(error_of({paraboloid}).what, HasSubstr("unbounded"));
  const Polynomial above{{{-1, {0, 0, 1}}, {2, {0, 0, 0}}}};
  const Error empty = error_of({testing::quadric({1, 1, 1}), above});
  EXPECT_THAT(empty.what, HasSubstr("no interior"));
  EXPECT_THAT(empty.remedy, HasSubstr("signs"));
}

TEST(ImplicitSolid, RefusesBadNumbers) {
  EXPECT_THAT(error_of({}).what, HasSubstr("0 functions"));
  EXPECT_THAT(error_of({Polynomial{}}).what, HasSubstr("no terms"));
  EXPECT_THAT(error_of({Polynomial{{{1, {-1, 0, 0}}}}}).what, HasSubstr("power -1"));
  EXPECT_THAT(error_of({Polynomial{{{1, {17, 0, 0}}}}}).what, HasSubstr("power 17"));
  EXPECT_THAT(error_of({Polynomial{{{NAN, {1, 0, 0}}}}}).what, HasSubstr("not finite"));
  EXPECT_THAT(error_of({Polynomial{std::vector<Monomial>(129)}}).what, HasSubstr("129 terms"));
  EXPECT_THAT(error_of({ImplicitCallback{"mine", {}}}).what, HasSubstr("function 'mine' has no callback"));
  const auto wrong = [](const Vector3& x) {
    return ImplicitValue{x.squaredNorm() - 1, 3 * x, 3 * Matrix3::Identity()};
  };
  EXPECT_THAT(error_of({ImplicitCallback{"mine", wrong}}).what, HasSubstr("'mine' has a gradient"));
  const auto hole = [](const Vector3& x) {
    return ImplicitValue{std::sqrt(1 - x.x()) - 1, Vector3::Zero(), Matrix3::Zero()};
  };
  EXPECT_THAT(error_of({testing::quadric({2, 2, 2}), ImplicitCallback{"root", hole}}).what, HasSubstr("'root'"));
}

}  // namespace
}  // namespace stiction::geometry
