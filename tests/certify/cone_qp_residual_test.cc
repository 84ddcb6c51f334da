// The residual of cone programmes on answers known in closed form, on each part of them made wrong, and as a bound on
// programmes made from their answers.
#include "stiction/certify/cone_qp_residual.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "stiction/base/infinity.h"
#include "support/cone_programme.h"

namespace stiction::certify {
namespace {

using testing::known_programme;
using testing::KnownProgramme;

// (-1, 2) on |x| <= a: y = (1/2, 1/2), f = 9/4, z = y - p = (3/2, -3/2).
struct Wedge {
  ConeQp qp = testing::projection(VectorX{{-1, 2}}, MatrixX::Identity(2, 2), VectorX::Zero(2), {2});
  std::vector<double> y = {0.5, 0.5}, z = {1.5, -1.5}, reach = {10, 10};

  ConeQpResidual residual() const { return cone_qp_residual(qp, y, z, reach); }
};

TEST(ConeQpResidual, AcceptsAClosedForm) {
  const ConeQpResidual residual = Wedge().residual();
  EXPECT_EQ(residual.objective, 2.25);
  EXPECT_EQ(residual.cone, 0);
  EXPECT_EQ(residual.gap, 0);
  EXPECT_EQ(residual.dual_cone, 0);
}

// Feasible but not least: f = 1/2 (2^2 + 1^2) at (1, 1), 1/4 too high.
TEST(ConeQpResidual, SeesAnotherPointOfTheSet) {
  Wedge wedge;
  wedge.y = {1, 1};
  const ConeQpResidual residual = wedge.residual();
  EXPECT_EQ(residual.cone, 0);
  EXPECT_GE(residual.gap, residual.objective - 2.25);
  EXPECT_GT(residual.gap, 0.25);
}

// With better multipliers for it, z = y - p = (2, -1), and no reach needed: the gap is s^T z alone, still a bound.
TEST(ConeQpResidual, NeedsNoReachWhereTheGradientBalances) {
  Wedge wedge;
  wedge.y = {1, 1};
  wedge.z = {2, -1};
  wedge.reach = {infinity, infinity};
  EXPECT_EQ(wedge.residual().gap, 1);
  wedge.z = {2, -1.5};
  EXPECT_EQ(wedge.residual().gap, infinity);
}

TEST(ConeQpResidual, SeesWrongMultipliers) {
  for (const double by : {1e-9, 1e-6, 1e-3, 1.0}) {
    Wedge wedge;
    wedge.z[0] += by;
    EXPECT_GE(wedge.residual().gap, 10 * by);  // |r| reach
    wedge = {};
    wedge.z[1] += by;
    EXPECT_GE(wedge.residual().gap, 10 * by);
  }
  Wedge none;
  none.z.clear();
  EXPECT_GT(none.residual().gap, 30);
}

// z outside its cone would "prove" anything: it is judged as the nearest above it, and said.
TEST(ConeQpResidual, DoesNotTrustMultipliersOutsideTheirCone) {
  Wedge wedge;
  wedge.y = {2, -1};  // of the set; f = 9
  wedge.z = {3, -3};  // balances r_0
  wedge.z[0] = -1;    // s^T z = 1 as it stands
  const ConeQpResidual residual = wedge.residual();
  EXPECT_EQ(residual.dual_cone, 4);
  EXPECT_GE(residual.gap, residual.objective - 2.25);
}

TEST(ConeQpResidual, SeesAPointOutside) {
  Wedge wedge;
  wedge.y = {-1, 2};  // the free minimum
  const ConeQpResidual residual = wedge.residual();
  EXPECT_EQ(residual.cone, 3);
  EXPECT_GE(residual.gap, residual.objective - 2.25);  // still a bound from below, of what y is not part of
  wedge.y = {0.5, 0.5 + 1e-7};
  EXPECT_NEAR(wedge.residual().cone, 1e-7, 1e-15);
}

TEST(ConeQpResidual, NotANumberIsNotAnAnswer) {
  Wedge wedge;
  wedge.y[0] = std::nan("");
  EXPECT_EQ(wedge.residual().gap, infinity);
  EXPECT_EQ(wedge.residual().cone, infinity);
  wedge = {};
  wedge.z[1] = std::nan("");
  EXPECT_EQ(wedge.residual().gap, infinity);
}

// objective - gap is below the least value for whatever y and z.
TEST(ConeQpResidual, BoundsTheLeastValueFromBelow) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  double tightest = infinity;
  for (int i = 0; i < 2000; ++i) {
    const KnownProgramme known = known_programme(4, 1 + i % 4, {3, 1, 2, 4}, random);
    const double size = std::pow(10.0, -(i % 12));
    std::vector<double> y(known.y.begin(), known.y.end()), z(known.z.begin(), known.z.end()), reach;
    for (const double x : known.y) reach.push_back(std::abs(x));
    const double exact = cone_qp_residual(known.qp, y, z, reach).gap / known.qp.constant;
    EXPECT_LT(std::abs(exact), 1e-12);
    for (double& x : y) x += i % 3 != 1 ? size * normal(random) : 0.0;
    for (double& x : z) x += i % 3 != 0 ? size * normal(random) : 0.0;
    const ConeQpResidual residual = cone_qp_residual(known.qp, y, z, reach);
    // known.least itself is rounded
    EXPECT_LE(residual.objective - residual.gap, known.least + 1e-13 * known.qp.constant) << i;
    tightest = std::min(tightest, residual.gap / (size * known.qp.constant));
    EXPECT_GT(std::max(residual.gap, residual.cone), 1e-3 * size) << i;  // and no wrong answer passes
  }
  EXPECT_LT(tightest, 1);
}

}  // namespace
}  // namespace stiction::certify
