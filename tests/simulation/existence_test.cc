// check_existence of anitescu-potra: a ball in a groove, a box in a slot, what the summary says of them.
#include "support/simulate.h"

#include <numbers>

namespace stiction::testing {
namespace {

// Two walls whose normals point up at `tilt` from the horizontal; friction cones meet when mu = tan(tilt).
std::string groove(double tilt, double mu, bool check = true) {
  const double y = std::cos(tilt), z = std::sin(tilt);
  return fmt::format(R"(
[simulation]
method = "anitescu-potra"
step = 1e-2
duration = 0.1
[method.anitescu-potra]
check_existence = {}
[material.m]
friction = {:.17g}
[[body]]
name = "groove"
fixed = true
shapes = [{{ type = "plane", normal = [0, {:.17g}, {:.17g}], material = "m" }},
          {{ type = "plane", normal = [0, {:.17g}, {:.17g}], material = "m" }}]
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, {:.17g}]
shape = {{ type = "sphere", radius = 0.1, material = "m" }}
)",
                     check, mu, y, z, -y, z, 0.1 / z);
}

TEST(Existence, BallInAGrooveIsReportedExactlyWhereItsConesMeet) {
  for (const double degrees : {10.0, 30.0, 45.0}) {
    const double tilt = degrees * std::numbers::pi / 180;
    Simulation below = open_text(groove(tilt, 0.999 * std::tan(tilt)));
    const RunSummary pointed = run_all(below);
    EXPECT_EQ(pointed.existence.checked, 10) << degrees;
    EXPECT_EQ(pointed.existence.not_pointed, 0) << degrees;
    EXPECT_EQ(pointed.existence.undecided, 0) << degrees;
    Simulation above = open_text(groove(tilt, 1.001 * std::tan(tilt)));
    const RunSummary lost = run_all(above);
    EXPECT_EQ(lost.existence.not_pointed, 10) << degrees;
    EXPECT_EQ(lost.existence.first_time, 0);
    EXPECT_EQ(lost.existence.first_bodies, std::vector<std::string>{"ball"});
    EXPECT_EQ(describe_existence(lost.existence),
              "pointedness lost in 10 of 10 steps with contacts, first at t = 0 s, bodies [ball]");
  }
}

TEST(Existence, NothingIsCheckedUnlessAskedFor) {
  Simulation simulation = open_text(groove(0.5, 1, false));
  const RunSummary summary = run_all(simulation);
  EXPECT_EQ(summary.existence.checked, 0);
  EXPECT_EQ(describe_existence(summary.existence), "");
}

TEST(Existence, FirstTimeIsTheStartOfTheStepThatLostIt) {
  // The ball falls into the groove and touches both walls at once. After k steps it has fallen g h^2 k (k + 1) / 2:
  // 14.7 mm after five, 20.6 mm, past the 20 mm that there are, after six.
  Simulation simulation =
      open_text(groove(0.5, 1), {"body.ball.position=[0, 0, " + fmt::format("{:.17g}]", 0.1 / std::sin(0.5) + 0.02)});
  const RunSummary summary = run_all(simulation);
  EXPECT_EQ(summary.existence.checked, 5);
  EXPECT_EQ(summary.existence.not_pointed, 5);
  EXPECT_NEAR(summary.existence.first_time, 0.05, 1e-12);
}

TEST(Existence, ClosingJointsTakeUpImpulses) {
  const auto scene = [](bool held) {
    std::string text = R"(
[simulation]
method = "anitescu-potra"
step = 1e-2
duration = 0.02
[method.anitescu-potra]
check_existence = true
coordinates = "maximal"
[material.m]
friction = 0.1
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", normal = [0, 0, 1], material = "m" }
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.1]
shape = { type = "sphere", radius = 0.1, material = "m" }
)";
    // A joint along x alone leaves no motion away from the plane: contact and joint can press against each other.
    if (held)
      text +=
          "[[joint]]\nname = \"rail\"\ntype = \"prismatic\"\nparent = \"world\"\nchild = \"ball\"\naxis = [1, 0, 0]\n"
          "position = [0, 0, 0.1]\n";
    return text;
  };
  Simulation free = open_text(scene(false)), held = open_text(scene(true));
  EXPECT_EQ(run_all(free).existence.not_pointed, 0);
  EXPECT_EQ(run_all(held).existence.not_pointed, 2);
}

TEST(Existence, RollingResistanceLeavesPointednessUndecided) {
  Simulation simulation = open_text(groove(0.5, 0.1), {"material.m.rolling_friction=0.01"});
  const RunSummary summary = run_all(simulation);
  EXPECT_EQ(summary.existence.undecided, 10);
  EXPECT_EQ(describe_existence(summary.existence),
            "friction cones pointed in 0 of 10 steps with contacts; undecided in 10");
}

// A polygon with a flat side towards the other wall reaches less far than the disc round it.
TEST(Existence, ChecksTheStatedFrictionSet) {
  const double tilt = 0.5, mu = std::tan(tilt);
  const auto square = [&](double reach) {
    return fmt::format("material.m.friction_polygon=[[{0}, {0}], [-{0}, {0}], [-{0}, -{0}], [{0}, -{0}]]", reach);
  };
  Simulation below = open_text(groove(tilt, 0.1), {square(0.99 * mu)}),
             above = open_text(groove(tilt, 0.1), {square(1.01 * mu)});
  EXPECT_EQ(run_all(below).existence.not_pointed, 0);
  EXPECT_EQ(run_all(above).existence.not_pointed, 10);
}

// A press comes down on the ball: no answer, whether it was asked for or not.
TEST(Existence, MessageOfAFailedStepTellsThatTheConeWasNotPointed) {
  Simulation simulation = open_text(R"(
[simulation]
method = "anitescu-potra"
duration = 0.1
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", normal = [0, 0, 1] }
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.1]
shape = { type = "sphere", radius = 0.1 }
[[body]]
name = "press"
position = [0, 0, 0.25]
motion = { velocity = [0, 0, -1] }
shape = { type = "box", size = [1, 1, 0.1] }
)");
  const RunSummary summary = run(simulation);
  EXPECT_FALSE(summary.ok);
  EXPECT_NE(summary.failure.find("the friction cone is not pointed"), std::string::npos) << summary.failure;
  EXPECT_NE(summary.failure.find("[ball]"), std::string::npos) << summary.failure;
}

}  // namespace
}  // namespace stiction::testing
