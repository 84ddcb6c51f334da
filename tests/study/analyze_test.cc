// What contacts allow, against cases whose answer is known in closed form.
#include "stiction/study/analyze.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/simulate.h"

namespace stiction {
namespace {

using solvers::SlipState;
using testing::open_text;
using testing::set;

const std::string ground = R"([simulation]
step = 1e-3
duration = 1.0
[material.m]
friction = 0.5
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", material = "m" }
)";

const std::string box = ground + R"([[body]]
name = "box"
mass = 2.0
position = [0, 0, 0.25]
shape = { type = "box", size = [1, 1, 0.5], material = "m" }
)";

// Three balls as feet on a circle of radius 0.3.
const std::string stool = ground + R"([[body]]
name = "stool"
mass = 3.0
center_of_mass = [0, 0, 0.2]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
position = [0, 0, 0.01]
shapes = [
  { type = "sphere", radius = 0.01, position = [0.3, 0, 0], material = "m" },
  { type = "sphere", radius = 0.01, position = [-0.15, 0.2598076211353316, 0], material = "m" },
  { type = "sphere", radius = 0.01, position = [-0.15, -0.2598076211353316, 0], material = "m" },
]
)";

const std::string ball_in_wedge = R"([simulation]
[material.wall]
friction = 0.5
[[body]]
name = "wedge"
fixed = true
shapes = [
  { type = "plane", normal = [0, -1, 1], material = "wall" },
  { type = "plane", normal = [0, 1, 1], material = "wall" },
]
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.14142135623730951]
shape = { type = "sphere", radius = 0.1, material = "wall" }
)";

constexpr double g = 9.81;

// The laws of Coulomb and Signorini, and Newton's for one free body, without the code under test.
void expect_lawful(const Analysis& analysis, const IslandAnalysis& island, double tolerance = 1e-6) {
  for (const AnalyzedSolution& solution : island.solutions) {
    for (size_t i = 0; i < solution.force.size(); ++i) {
      const AnalyzedContact& contact = analysis.contacts[island.contacts[i]];
      const double f_n = contact.normal.dot(solution.force[i]), a_n = solution.normal_acceleration[i];
      const Vector3 f_t = solution.force[i] - f_n * contact.normal;
      EXPECT_GE(f_n, -tolerance);
      EXPECT_GE(a_n, -tolerance);
      EXPECT_NEAR(f_n * a_n, 0, tolerance);
      EXPECT_LE(f_t.norm(), contact.friction[0] * f_n + tolerance);
      const Vector3 against = contact.kind == TouchKind::slides ? contact.slip : solution.slip_acceleration[i];
      if (against.norm() > 1e-5) {
        EXPECT_LT((f_t + contact.friction[0] * f_n * against.normalized()).norm(), tolerance);
      }
    }
  }
}

Vector3 total_force(const AnalyzedSolution& solution) {
  Vector3 sum = Vector3::Zero();
  for (const Vector3& force : solution.force) sum += force;
  return sum;
}

TEST(Analyze, FreeBodyHasNoContacts) {
  const Analysis analysis = analyze(open_text(box, {"body.box.position=[0, 0, 1]"}));
  EXPECT_TRUE(analysis.contacts.empty());
  EXPECT_TRUE(analysis.islands.empty());
  EXPECT_EQ(analysis.answers(), AnswerCount::one);
}

// J has six columns and twelve rows; four normals at the corners of a square balance as (+, -, +, -) round it.
TEST(Analyze, BoxOnFourCorners) {
  const Analysis analysis = analyze(open_text(box));
  ASSERT_EQ(analysis.islands.size(), 1u);
  const IslandAnalysis& island = analysis.islands[0];
  ASSERT_EQ(island.contacts.size(), 4u);
  EXPECT_EQ(island.rows, 12);
  EXPECT_EQ(island.rank, 6);
  EXPECT_EQ(island.patterns.size(), 6u);
  EXPECT_EQ(island.normal_rank, 3);
  ASSERT_EQ(island.normal_patterns.size(), 1u);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t k = 0; k < 4; ++k) {
      const Vector3 apart = analysis.contacts[island.contacts[i]].point - analysis.contacts[island.contacts[k]].point;
      const bool neighbours = std::abs(apart.norm() - 1) < 1e-6;
      const double product = island.normal_patterns[0][i][0] * island.normal_patterns[0][k][0];
      EXPECT_NEAR(product, neighbours ? -1 : 1, 1e-9);
    }
  }
  EXPECT_EQ(island.cone, Existence::pointed);
  EXPECT_EQ(island.answers, AnswerCount::forces_undetermined);
  ASSERT_EQ(island.solutions.size(), 1u);
  EXPECT_EQ(island.solutions[0].force_freedom, 6);
  EXPECT_NEAR(total_force(island.solutions[0]).z(), 2 * g, 1e-6);
  expect_lawful(analysis, island);
}

// Every pattern is in balance: no resultant force, no moment.
TEST(Analyze, PatternsBalance) {
  for (const std::string& scene : {box, stool, ball_in_wedge}) {
    const Analysis analysis = analyze(open_text(scene));
    const IslandAnalysis& island = analysis.islands.at(0);
    for (const auto* patterns : {&island.patterns, &island.normal_patterns}) {
      for (const ForcePattern& pattern : *patterns) {
        Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
        for (size_t i = 0; i < pattern.size(); ++i) {
          const AnalyzedContact& c = analysis.contacts[island.contacts[i]];
          const Vector3 f =
              c.normal * pattern[i][0] + c.tangent * pattern[i][1] + c.normal.cross(c.tangent) * pattern[i][2];
          force += f;
          moment += c.point.cross(f);
        }
        EXPECT_LT(force.norm() + moment.norm(), 1e-8);  // ten times the rank tolerance
      }
    }
  }
}

TEST(Analyze, StoolOnThreeLegs) {
  const Analysis analysis = analyze(open_text(stool));
  const IslandAnalysis& island = analysis.islands.at(0);
  EXPECT_EQ(island.normal_rows, 3);
  EXPECT_EQ(island.normal_rank, 3);
  EXPECT_TRUE(island.normal_patterns.empty());
  EXPECT_EQ(island.rows, 9);
  EXPECT_EQ(island.patterns.size(), 3u);
  EXPECT_EQ(island.answers, AnswerCount::forces_undetermined);
  for (const Vector3& force : island.solutions.at(0).force) EXPECT_NEAR(force.z(), g, 1e-6);  // a third of 3 kg
  expect_lawful(analysis, island);
}

// Without friction a stool's forces are unique, a box's are not.
TEST(Analyze, WithoutFriction) {
  const Analysis legs = analyze(open_text(stool, {"material.m.friction=0"}));
  EXPECT_EQ(legs.answers(), AnswerCount::one);
  const Analysis corners = analyze(open_text(box, {"material.m.friction=0"}));
  EXPECT_EQ(corners.answers(), AnswerCount::forces_undetermined);
  EXPECT_EQ(corners.islands.at(0).solutions.at(0).force_freedom, 1);
}

TEST(Analyze, BallOnTheGround) {
  const std::string ball = ground + R"([[body]]
name = "ball"
mass = 2.0
position = [0, 0, 0.1]
shape = { type = "sphere", radius = 0.1, material = "m" }
)";
  const Analysis rest = analyze(open_text(ball));
  EXPECT_EQ(rest.answers(), AnswerCount::one);
  EXPECT_EQ(rest.islands.at(0).solutions.at(0).states[0], SlipState::sticks);
  // Rolling: the centre goes on straight, so that the contact's acceleration is zero though the ball's points turn.
  const Analysis rolls =
      analyze(open_text(ball, {"body.ball.linear_velocity=[1, 0, 0]", "body.ball.angular_velocity=[0, 10, 0]"}));
  ASSERT_EQ(rolls.answers(), AnswerCount::one);
  EXPECT_NEAR(rolls.islands.at(0).solutions.at(0).force[0].z(), 2 * g, 1e-6);
  EXPECT_EQ(rolls.islands.at(0).solutions.at(0).states[0], SlipState::sticks);
  // Sliding without turning: friction mu m g against the slip.
  const Analysis slides = analyze(open_text(ball, {"body.ball.linear_velocity=[1, 0, 0]"}));
  ASSERT_EQ(slides.answers(), AnswerCount::one);
  EXPECT_LT((slides.islands.at(0).solutions.at(0).force[0] - Vector3(-g, 0, 2 * g)).norm(), 1e-6);
  // Falling on it: an impact; leaving it: no force.
  EXPECT_EQ(analyze(open_text(ball, {"body.ball.linear_velocity=[0, 0, -1]"})).answers(), AnswerCount::impact);
  const Analysis leaves = analyze(open_text(ball, {"body.ball.linear_velocity=[0, 0, 1]"}));
  EXPECT_EQ(leaves.contacts.at(0).kind, TouchKind::leaves);
  EXPECT_TRUE(leaves.islands.empty());
}

TEST(Analyze, SlidingBlock) {
  const Analysis analysis = analyze(open_text(box, {"body.box.linear_velocity=[1, 0, 0]"}));
  const IslandAnalysis& island = analysis.islands.at(0);
  EXPECT_EQ(island.answers, AnswerCount::forces_undetermined);  // four corners in a row of forces
  ASSERT_EQ(island.solutions.size(), 1u);
  EXPECT_LT((total_force(island.solutions[0]) - Vector3(-g, 0, 2 * g)).norm(), 1e-6);  // 0.5 * 2 kg * g
  EXPECT_FALSE(island.solutions[0].acceleration_varies);
  expect_lawful(analysis, island);
}

// A plane tilted by more than the angle of friction: the stool starts to slide down, sum of forces m g cos (n - mu d).
TEST(Analyze, StoolStartsToSlide) {
  const double angle = 0.6;  // tan = 0.684 > 0.5
  const Vector3 pull(g * std::sin(angle), 0, -g * std::cos(angle));
  const Analysis analysis =
      analyze(open_text(stool, {fmt::format("simulation.gravity=[{:.17g}, 0, {:.17g}]", pull.x(), pull.z())}));
  const IslandAnalysis& island = analysis.islands.at(0);
  ASSERT_EQ(island.solutions.size(), 1u);
  for (const SlipState state : island.solutions[0].states) EXPECT_EQ(state, SlipState::starts_to_slide);
  const double normal = 3 * g * std::cos(angle);
  EXPECT_LT((total_force(island.solutions[0]) - Vector3(-0.5 * normal, 0, normal)).norm(), 1e-6);
  EXPECT_EQ(island.answers, AnswerCount::one);
  expect_lawful(analysis, island);
}

// Friction 0.5 cannot hold walls at 90 degrees together, 1.5 can. Pulled out of the wedge the ball leaves or jams.
TEST(Analyze, BallInAWedge) {
  const Analysis loose = analyze(open_text(ball_in_wedge));
  EXPECT_EQ(loose.islands.at(0).cone, Existence::pointed);
  EXPECT_EQ(loose.islands.at(0).patterns.size(), 1u);  // along the line between the contacts
  EXPECT_EQ(loose.islands.at(0).answers, AnswerCount::forces_undetermined);
  expect_lawful(loose, loose.islands.at(0));
  const testing::Overrides pulled = {"simulation.gravity=[0, 0, 9.81]"};
  const Analysis leaves = analyze(open_text(ball_in_wedge, pulled));
  EXPECT_EQ(leaves.islands.at(0).answers, AnswerCount::one);
  EXPECT_EQ(leaves.islands.at(0).solutions.at(0).states[0], SlipState::separates);

  const Analysis jams =
      analyze(open_text(ball_in_wedge, {"simulation.gravity=[0, 0, 9.81]", "material.wall.friction=1.5"}));
  const IslandAnalysis& island = jams.islands.at(0);
  EXPECT_EQ(island.cone, Existence::not_pointed);
  EXPECT_EQ(island.answers, AnswerCount::many);
  bool stuck = false, free = false;
  for (const AnalyzedSolution& solution : island.solutions) {
    stuck |= solution.states[0] == SlipState::sticks && solution.states[1] == SlipState::sticks;
    free |= solution.states[0] == SlipState::separates && solution.states[1] == SlipState::separates;
  }
  EXPECT_TRUE(stuck && free);
  expect_lawful(jams, island);
}

// Painleve's uniform rod of length 2 l under an angle: its lower end slides away from the centre at 2 m/s.
class Painleve : public ::testing::Test {
 protected:
  static constexpr double l = 0.5;

  static Analysis rod(double angle, double mu, double speed = -2, double rate = 0) {
    const std::string scene = R"([simulation]
[material.rough]
friction = 1
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", material = "rough" }
[[body]]
name = "rod"
mass = 1.0
inertia = [1e-4, 0.083333333333333333, 0.083333333333333333, 0, 0, 0]
center_of_mass = [0, 0, 0]
shape = { type = "convex", material = "rough", vertices = [
  [-0.5, 0, 0], [0.5, 0, 0], [0, 0.01, 0], [0, -0.01, 0], [0, 0, 0.01], [0, 0, -0.01]] }
)";
    const double c = std::cos(angle), s = std::sin(angle);
    // The tip moves at `speed` along x and not along z while the rod turns at `rate` (angle's).
    const auto list = [](const std::string& key, double x, double y, double z) {
      return fmt::format("body.rod.{}=[{:.17g}, {:.17g}, {:.17g}]", key, x, y, z);
    };
    return analyze(open_text(
        scene,
        {set("material.rough.friction", mu), list("position", l * c, 0, l * s),
         fmt::format("body.rod.orientation=[{:.17g}, 0, {:.17g}, 0]", std::cos(angle / 2), -std::sin(angle / 2)),
         list("linear_velocity", speed - l * rate * s, 0, l * rate * c), list("angular_velocity", 0, -rate, 0)}));
  }

  // The criterion: W_nn of the sliding contact is negative, in units of 1/m.
  static double criterion(double angle, double mu) {
    const double c = std::cos(angle), s = std::sin(angle);
    return 1 + 3 * c * c - 3 * mu * s * c;
  }
};

// b = -g + l sin rate^2 decides: inconsistent when the end would fall, indeterminate when it would rise.
TEST_F(Painleve, ExactlyWhereTheCriterionIsNegative) {
  int inconsistent = 0;
  for (const double mu : {1.0, 1.3, 1.34, 2.0, 3.0}) {
    for (double angle = 0.3; angle < 1.5; angle += 0.1) {
      const AnswerCount still = rod(angle, mu).answers();
      EXPECT_EQ(still, criterion(angle, mu) < 0 ? AnswerCount::none : AnswerCount::one) << mu << " " << angle;
      inconsistent += still == AnswerCount::none ? 1 : 0;
      const double rate = std::sqrt(2 * g / (l * std::sin(angle)));  // b = g
      EXPECT_EQ(rod(angle, mu, -2, rate).answers(), criterion(angle, mu) < 0 ? AnswerCount::many : AnswerCount::one)
          << mu << " " << angle;
    }
  }
  EXPECT_GT(inconsistent, 10);
}

TEST_F(Painleve, JustBelowAndAboveTheThreshold) {
  const double angle = std::atan(2.0);               // where least friction is enough
  EXPECT_NEAR(criterion(angle, 4.0 / 3), 0, 1e-12);  // mu = 4/3
  EXPECT_EQ(rod(angle, 4.0 / 3 - 1e-6).answers(), AnswerCount::one);
  EXPECT_EQ(rod(angle, 4.0 / 3 + 1e-6).answers(), AnswerCount::none);
}

TEST_F(Painleve, AtRestOrTheOtherWayItIsFine) {
  EXPECT_EQ(rod(std::atan(2.0), 2, 0).answers(), AnswerCount::one);
  EXPECT_EQ(rod(std::atan(2.0), 2, 2).answers(), AnswerCount::one);
}

// Indeterminate: the end leaves with b, or slides with f_n = -b / a; a = criterion / m.
TEST_F(Painleve, BothAnswers) {
  const double angle = std::atan(2.0), rate = 10, b = -g + l * std::sin(angle) * rate * rate;
  const Analysis analysis = rod(angle, 2, -2, rate);
  const IslandAnalysis& island = analysis.islands.at(0);
  ASSERT_EQ(island.solutions.size(), 2u);
  for (const AnalyzedSolution& solution : island.solutions) {
    const bool leaves = solution.states[0] == SlipState::separates;
    EXPECT_NEAR(solution.normal_force[0], leaves ? 0 : -b / criterion(angle, 2), 1e-5 * b);
    EXPECT_NEAR(solution.normal_acceleration[0], leaves ? b : 0, 1e-6 * b);
  }
  expect_lawful(analysis, island, 1e-4);
}

// A block of two feet in its plane: slip states are exhausted, nothing is searched.
TEST(Analyze, PlanarMechanismIsExhausted) {
  const Analysis analysis = analyze(open_text(stool + R"([[joint]]
name = "plane"
type = "planar"
parent = "world"
child = "stool"
axis = [0, 1, 0]
)"));
  const IslandAnalysis& island = analysis.islands.at(0);
  EXPECT_EQ(island.searched, 0);
  EXPECT_EQ(island.rank, 3);
  EXPECT_EQ(island.answers, AnswerCount::forces_undetermined);
}

TEST(Analyze, ManyContactsAreNotEnumerated) {
  const Analysis analysis = analyze(testing::open_scene("tower"));
  for (const IslandAnalysis& island : analysis.islands) {
    EXPECT_GT(island.contacts.size(), 6u);
    EXPECT_EQ(island.answers, AnswerCount::some);
    EXPECT_LT(island.rank, island.rows);
  }
  EXPECT_EQ(analysis.islands.size(), 1u);
}

}  // namespace
}  // namespace stiction
