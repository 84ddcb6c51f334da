// Functions of implicit solids: derivatives of polynomials against finite differences; callbacks are passed through.
#include "stiction/geometry/shapes/solids/implicit_function.h"

#include <gtest/gtest.h>

namespace stiction::geometry {
namespace {

const Polynomial mixed = {
    {{2, {3, 0, 0}}, {-1.5, {1, 2, 0}}, {0.75, {0, 1, 4}}, {3, {1, 1, 1}}, {-0.5, {0, 0, 1}}, {7, {0, 0, 0}}}};

TEST(ImplicitFunction, PolynomialHasTheValueOfItsTerms) {
  // 2 * 8 - 1.5 * 2 * 9 + 0.75 * (-3) * 1 + 3 * 2 * (-3) * (-1) + 0.5 + 7
  EXPECT_DOUBLE_EQ(evaluate(mixed, Vector3(2, -3, -1)).value, 16 - 27 - 2.25 + 18 + 0.5 + 7);
}

TEST(ImplicitFunction, DerivativesOfAPolynomialMatchFiniteDifferences) {
  const double h = 1e-5;      // central differences: truncation about h^2 times third derivatives (tens)
  const double bound = 2e-8;  // 1e-10 * tens + rounding 1e-16 * tens / h
  for (const Vector3& x : {Vector3(0.3, -0.8, 1.1), Vector3(0, 0, 0), Vector3(-1, 0.5, 0)}) {
    const ImplicitValue f = evaluate(mixed, x);
    for (int k = 0; k < 3; ++k) {
      const ImplicitValue above = evaluate(mixed, x + h * Vector3::Unit(k));
      const ImplicitValue below = evaluate(mixed, x - h * Vector3::Unit(k));
      EXPECT_NEAR(f.gradient[k], (above.value - below.value) / (2 * h), bound);
      EXPECT_LT((f.hessian.col(k) - (above.gradient - below.gradient) / (2 * h)).norm(), bound);
    }
  }
}

TEST(ImplicitFunction, ACallbackIsCalled) {
  const ImplicitCallback ball{"ball", [](const Vector3& x) {
                                return ImplicitValue{x.squaredNorm() - 1, 2 * x, 2 * Matrix3::Identity()};
                              }};
  EXPECT_EQ(evaluate(ball, Vector3(0, 2, 0)).value, 3);
  EXPECT_EQ(evaluate(ball, Vector3(0, 2, 0)).gradient, Vector3(0, 4, 0));
}

}  // namespace
}  // namespace stiction::geometry
