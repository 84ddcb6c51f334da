#include "stiction/certify/lcp_residual.h"

#include <limits>

#include <gtest/gtest.h>

namespace stiction::certify {
namespace {

// M = [2 1; 1 2], q = (-5, -1): z = (2.5, 0), w = (0, 1.5).
const Lcp example = {(MatrixX(2, 2) << 2, 1, 1, 2).finished(), Vector2(-5, -1)};

TEST(LcpResidual, ZeroAtTheAnswer) {
  EXPECT_EQ(lcp_residual(example, Vector2(2.5, 0)), 0);
}

TEST(LcpResidual, EveryViolationCounts) {
  const double size = std::sqrt(26.0);
  EXPECT_NEAR(lcp_residual(example, Vector2(2.5, -0.1)), std::hypot(0.1, 0.2) / size, 1e-15);  // w_0 = -0.1, z_1 < 0
  EXPECT_NEAR(lcp_residual(example, Vector2(2.4, 0)), 0.2 / size, 1e-15);                      // w_0 < 0
  EXPECT_NEAR(lcp_residual(example, Vector2(2.6, 0)), 0.2 / size, 1e-15);                      // z_0 w_0 > 0
}

TEST(LcpResidual, NotFiniteIsInfinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(lcp_residual(example, Vector2(nan, 0)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(lcp_residual(example, Vector2(0, std::numeric_limits<double>::infinity())),
            std::numeric_limits<double>::infinity());
}

TEST(LcpResidual, ZeroQCountsAsOne) {
  EXPECT_NEAR(lcp_residual({MatrixX::Identity(1, 1), VectorX::Zero(1)}, VectorX::Constant(1, 3)), 3, 1e-15);
}

TEST(MixedLcpResidual, EquationsCountWithTheirSign) {
  const MixedLcp problem = {example.M, example.q, {0, 1}};
  EXPECT_EQ(mixed_lcp_residual(problem, Vector2(2.5, 0)), 0);
  const MixedLcp free = {example.M, Vector2(5, 3), {0, 1}};  // z_0 = -2.5 is allowed: w = (0, 0.5)
  EXPECT_EQ(mixed_lcp_residual(free, Vector2(-2.5, 0)), 0);
  EXPECT_NEAR(mixed_lcp_residual(free, Vector2(-2.4, 0)), 0.2 / free.q.norm(), 1e-15);
}

}  // namespace
}  // namespace stiction::certify
