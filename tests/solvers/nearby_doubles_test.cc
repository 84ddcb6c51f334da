// The last digits of answers that are right but for rounding.
#include "stiction/solvers/friction/nearby_doubles.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stiction/certify/friction_residual.h"
#include "support/small_friction.h"

namespace stiction::solvers {
namespace {

using namespace stiction::testing;

// A body of 1e-8 kg between two of 1 kg that press on it at 1 m/s from both sides, and a third contact that parts. The
// impulses are 1, 1 and 0; a unit of the last digit between the first two makes 1e8 * 2.2e-16 m/s, twice the tolerance.
FrictionProblem squeezed() {
  MatrixX W(3, 3);
  W << 1e8 + 1, -1e8, 0, -1e8, 1e8 + 1, 0, 0, 0, 1;
  return friction_problem(std::vector<FrictionBlock>(3, contact_block(1)), W, Vector3(-1, -1, 1));
}

class NearbyDoubles : public ::testing::Test {
 protected:
  NearbyDoubles() : problem(squeezed()), r(3) {
    EXPECT_TRUE(scale_friction(problem, s));
    to_scaled(s, std::vector<double>{1, 1, 0}, r.data());
  }
  double certified() const {
    std::vector<double> impulses(3);
    from_scaled(s, r.data(), impulses);
    return certify::friction_residual(problem, impulses).natural;
  }
  void move(int row, int units) {
    for (int k = 0; k < std::abs(units); ++k) r[row] = std::nextafter(r[row], units < 0 ? 0.0 : 1e300);
  }

  FrictionProblem problem;
  ScaledFriction s;
  std::vector<double> r;
};

TEST_F(NearbyDoubles, FindsTheLastDigitsOfASqueezedBody) {
  move(0, 4);
  move(1, -3);
  EXPECT_GT(certified(), 5e-8);
  const NearbyResult result = run_nearby_doubles(s, {}, r.data());
  EXPECT_TRUE(result.applicable);
  EXPECT_GE(result.moves, 2);  // no single one goes over seven units
  EXPECT_LE(result.residual, 1e-8);
  EXPECT_LE(certified(), 1e-8);
  EXPECT_EQ(r[2], 0.0);
}

TEST_F(NearbyDoubles, LeavesAnAnswerAsItIs) {
  const std::vector<double> before = r;
  EXPECT_EQ(run_nearby_doubles(s, {}, r.data()).moves, 0);
  EXPECT_EQ(r, before);
}

TEST_F(NearbyDoubles, NeverEndsWorseAndStopsAtItsLimit) {
  move(0, 20);
  NearbyOptions options;
  options.most_moves = 1;
  const double before = certified();
  const NearbyResult result = run_nearby_doubles(s, options, r.data());
  EXPECT_EQ(result.moves, 1);
  EXPECT_LT(certified(), before);
  EXPECT_GT(certified(), 1e-8);  // three or four units of twenty
}

TEST_F(NearbyDoubles, RefusesWhatIsFarFromAnAnswer) {
  r[0] *= 1 + 1e-13;
  const std::vector<double> before = r;
  EXPECT_FALSE(run_nearby_doubles(s, {}, r.data()).applicable);
  EXPECT_EQ(r, before);
}

}  // namespace
}  // namespace stiction::solvers
