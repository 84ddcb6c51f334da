// `stiction reproduce drumwright2009`: the short examples; tests/simulation/grasp_test.cc has the grasps.
#include <cmath>

#include "apps/reproduce_paper.h"

namespace stiction::cli {
namespace {

using ::testing::IsEmpty;

class ReproduceDrumwright : public ReproducePaper {
 protected:
  ReproduceDrumwright() : ReproducePaper("drumwright2009") {}
};

TEST_F(ReproduceDrumwright, RedundantFeetDoNotPullAndReboundAsStated) {
  const Findings found = reproduce("boxes");
  EXPECT_THAT(found.not_ok, IsEmpty());
  EXPECT_EQ(found.value.size(), 28u);
  // Three legs would fall on the same normal velocities; energy lost with restitution 1 is friction's alone.
  EXPECT_NEAR(found.value.at("4 feet, restitution 1: change of kinetic energy"),
              found.value.at("16 feet, restitution 1: change of kinetic energy"), 1e-6);
}

TEST_F(ReproduceDrumwright, EveryMethodPassesItsOwnChecks) {
  const Findings found = reproduce("checks");
  EXPECT_THAT(found.not_ok, IsEmpty());
  EXPECT_GE(found.value.size(), 40u);
  EXPECT_NEAR(found.value.at("impulse-mirtich: spin after an impact with backspin -20"), 60.0 / 7, 0.01);
}

// All the way, from the command to figures 2 and 3.
TEST_F(ReproduceDrumwright, TheConvexMethodHoldsTheBallSlow) {
  const Findings found = reproduce("grasp");
  EXPECT_THAT(found.not_ok, IsEmpty());
  EXPECT_LT(found.value.at("drift beyond the scheme's in 24 s"), 1e-6);
  EXPECT_GT(found.value.at("drift of the scheme in 24 s"), 5e-4);
  EXPECT_LT(found.value.at("drift of the scheme in 24 s"), 2e-3);
  expect_plot("figure2");
  expect_plot("figure3");
}

}  // namespace
}  // namespace stiction::cli
