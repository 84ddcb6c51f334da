// The constraint qualification (16) of anitescu1998: which closing joints depend on others, and joints that contradict.
#include "stiction/study/qualification.h"

#include <gmock/gmock.h>

#include "stiction/stepping/projection.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A rod that hangs from two points by closing joints of the given types.
std::string rod(const std::string& left, const std::string& right, const std::string& motion = "") {
  return fmt::format(R"(
[[body]]
name = "frame"
fixed = true
[[body]]
name = "mover"
position = [0.5, 0, 0]
{}
[[body]]
name = "rod"
mass = 1
shape = {{ type = "box", size = [1, 0.02, 0.02], collide = false }}
[[joint]]
name = "left"
type = "{}"
parent = "frame"
child = "rod"
position = [-0.5, 0, 0]
axis = [0, 1, 0]
loop = true
[[joint]]
name = "right"
type = "{}"
parent = "mover"
child = "rod"
axis = [0, 1, 0]
loop = true
)",
                     motion.empty() ? "fixed = true" : motion, left, right);
}

Qualification qualification(const std::string& text) {
  const Simulation simulation = open_text(text, {"simulation.method=\"anitescu-potra\""});
  return check_qualification(simulation.model(), simulation.state());
}

TEST(Qualification, OneJointAloneIsIndependent) {
  const std::string both = rod("revolute", "revolute");
  const Qualification one = qualification(both.substr(0, both.find("[[joint]]\nname = \"right\"")));
  EXPECT_EQ(one.rows, 5);
  EXPECT_EQ(one.rank, 5);
  EXPECT_TRUE(one.holds());
  EXPECT_THAT(describe(one), IsEmpty());
}

// Two balls leave the spin about the rod: both state its length, one row too many.
TEST(Qualification, TwoBallsShareOneRow) {
  const Qualification balls = qualification(rod("spherical", "spherical"));
  EXPECT_EQ(balls.rows, 6);
  EXPECT_EQ(balls.rank, 5);
  ASSERT_EQ(balls.dependent.size(), 1U);
  EXPECT_EQ(balls.dependent[0].name, "right");
  EXPECT_EQ(balls.dependent[0].dependent, 1);
  EXPECT_THAT(describe(balls), HasSubstr("'right' in 1 of its 3 rows"));
}

// Two revolute joints hold all six freedoms with ten rows.
TEST(Qualification, TwoRevoluteJointsHaveFourRowsTooMany) {
  const Qualification revolute = qualification(rod("revolute", "revolute"));
  EXPECT_EQ(revolute.rows, 10);
  EXPECT_EQ(revolute.rank, 6);
  int dependent = 0;
  for (const DependentJoint& joint : revolute.dependent) dependent += joint.dependent;
  EXPECT_EQ(dependent, 4);
}

// Rows that depend on others and agree with them are met.
TEST(Qualification, DependentJointsThatAgreeHold) {
  Simulation simulation =
      open_text(rod("spherical", "spherical"), timing(1e-3, 0.1, {"simulation.method=\"anitescu-potra\""}));
  const RunSummary summary = run(simulation);
  EXPECT_TRUE(summary.ok) << summary.failure;
  EXPECT_THAT(summary.open_joints, IsEmpty());
  EXPECT_LT(position(simulation, "rod").norm(), 1e-12);
}

// The right end is drawn away at 0.1 m/s: no step may pass this over in silence.
TEST(Qualification, JointsThatContradictAreNamed) {
  const std::string text = rod("spherical", "spherical", "motion = { velocity = [0.1, 0, 0] }");
  Simulation general = open_text(text, timing(1e-3, 0.1, {"simulation.method=\"anitescu-potra\""}));
  const RunSummary failed = run(general);
  EXPECT_FALSE(failed.ok);
  EXPECT_EQ(failed.steps, 0);
  EXPECT_THAT(failed.failure, HasSubstr("[left, closing] [right, closing]"));

  Simulation polyhedral = open_text(
      text, timing(1e-3, 0.1, {"simulation.method=\"anitescu-potra\"", "method.anitescu-potra.cone=\"polyhedral\""}));
  const RunSummary left_open = run(polyhedral);
  ASSERT_EQ(left_open.open_joints.size(), 1U);
  const auto& [name, violation] = *left_open.open_joints.begin();
  EXPECT_GT(violation, 0.00499);  // the end moves by 0.01 m, which a joint or both take up
  EXPECT_LT(violation, 0.01001);
  EXPECT_EQ(left_open.fallbacks.at({Fallback::joint_left_open, name}), 100);
  EXPECT_EQ(left_open.fallback_names().at(fmt::format("joint '{}' left open", name)), 100);
  EXPECT_EQ(left_open.steps_over_tolerance, 100);
}

}  // namespace
}  // namespace stiction::testing
