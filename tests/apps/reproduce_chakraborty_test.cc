// `stiction reproduce chakraborty2007`: both examples run, meet every value that follows from the printed constants,
// and own up to the three statements that do not.
#include <cmath>
#include <map>

#include <gmock/gmock.h>

#include "apps/reproduce_paper.h"

namespace stiction::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class ReproduceChakraborty : public ReproducePaper {
 protected:
  ReproduceChakraborty() : ReproducePaper("chakraborty2007") {}

  void expect_plots(const std::string& figure, const std::string& panels) const {
    for (const char panel : panels) expect_plot(figure + panel);
  }
};

// Closed forms: fall of 0.5 m; energy of the spring pressed in by 0.05 m, from which the disc rises to
// 1 m - 0.05 m + k 0.05^2 / (2 m g); m v at the core from the energy of the fall.
TEST_F(ReproduceChakraborty, DiscStopsOnTheCoreAndSwingsAfterwards) {
  const Findings found = reproduce("disc");
  EXPECT_THAT(found.not_ok, IsEmpty());
  const auto value = [&](const char* quantity) { return found.value.at(quantity); };
  EXPECT_NEAR(value("experiment 1: first step that ends in contact"), 0.319275, 1e-4);
  EXPECT_NEAR(value("experiment 1: first step with a core impulse ends at"), 0.335542, 2e-4);
  EXPECT_NEAR(value("experiment 1: velocity right after the core"), 0, 1e-9);
  EXPECT_NEAR(value("experiment 1: sum of the core impulse"), std::sqrt(2 * 9.81 * 0.55 - 1000 * 0.05 * 0.05), 0.012);
  // The scheme's damping of the swing costs 0.5 mm at this h.
  EXPECT_NEAR(value("experiment 1: height of the next apex"), 0.95 + 1.25 / 9.81, 1e-3);
  EXPECT_EQ(value("experiment 2: core force at any time"), 0);
  for (const char* experiment : {"experiment 1: ", "experiment 2: "}) {
    const std::string of = experiment;
    EXPECT_LT(found.value.at(of + "E (1 + k h^2/m) / E before - 1, largest over contact steps"), 1e-9);
    EXPECT_LT(found.value.at(of + "loss per step less m g^2 h^2 / 2, largest over flight"), 1e-13);
    EXPECT_NEAR(found.value.at(of + "observed order, position [m]"), 1, 0.3);
  }
  expect_plots("figure4", "abcde");
  expect_plots("figure5", "abcd");
}

TEST_F(ReproduceChakraborty, EllipsoidSticksOrRollsAndDoesNotReachTheCore) {
  const Findings found = reproduce("ellipsoid");
  EXPECT_THAT(found.not_ok,
              UnorderedElementsAre("level: sum of the core's impulse", "tilted: sum of the core's impulse",
                                   "tilted: sliding turns to rolling"));
  const auto value = [&](const char* quantity) { return found.value.at(quantity); };
  EXPECT_NEAR(value("level: sliding turns to sticking"), 0.39835, 1e-4);
  EXPECT_NEAR(value("level: height at the end"), 0.005 - 9.81 / 36000, 1e-9);
  EXPECT_NEAR(value("level: normal force of the layer at the end"), 9.81, 1e-6);
  EXPECT_NEAR(value("level: largest deflection"), 3.344e-3, 0.05e-3);
  EXPECT_EQ(value("level: sum of the core's impulse"), 0);
  EXPECT_NEAR(value("tilted: sliding turns to rolling"), 0.21, 0.01);
  EXPECT_GT(value("level, a quarter of the normal damping: sum of the core's impulse"), 0.1);
  expect_plots("figure6", "abcd");
  expect_plots("figure7", "abcde");
}

}  // namespace
}  // namespace stiction::cli
