// `stiction reproduce rodriguez2010`: the impact law on the paper's cases and on other bodies.
#include <algorithm>
#include <cmath>

#include "apps/reproduce_paper.h"

namespace stiction::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double g = 9.81;
constexpr double of_optimum = 1e-6;  // spins of 10 rad/s from an optimum to 1e-8

class ReproduceRodriguez : public ReproducePaper {
 protected:
  ReproduceRodriguez() : ReproducePaper("rodriguez2010") {}

  void expect_figures(int first, int last) const {
    for (int k = first; k <= last; ++k) expect_plot("figure5_" + std::to_string(k));
  }

  // A sheet has the motion before the impact and a row for each outcome.
  void expect_rows(const std::string& sheet, long rows) const {
    const std::string csv = read_file(work() / "results" / "rodriguez2010" / sheet);
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), rows) << csv;
    EXPECT_THAT(csv, HasSubstr("wall p_t [N s]"));
  }
};

// The spin is where the wall's normal impulse vanishes: R w = 3 X + Y with X = -(1 + e) v_x, Y = (1 + e) |v_y|.
TEST_F(ReproduceRodriguez, CaseOneSlipsAtTheWall) {
  const Findings found = reproduce("case-1");
  EXPECT_THAT(found.not_ok, ElementsAre("angle of impact", "|p_t| beyond mu_s p_n"));
  EXPECT_NEAR(found.value.at("time of impact"), std::sqrt(9 / g), 1e-12);
  EXPECT_NEAR(found.value.at("place of the wall"), 4 * std::sqrt(9 / g) + 0.5, 1e-12);
  EXPECT_NEAR(found.value.at("angle of impact"), 66.94, 0.01);
  EXPECT_NEAR(found.value.at("spin after impact"), 2 * (-18 + 1.5 * std::sqrt(9 * g)), of_optimum);
  EXPECT_EQ(found.value.at("coulomb: violations of energy, cone and ground"), 0);
  expect_figures(1, 3);
}

// No slip at the ground: R w = e v_x.
TEST_F(ReproduceRodriguez, CaseTwoSticksAtTheGround) {
  const Findings found = reproduce("case-2");
  EXPECT_THAT(found.not_ok, ElementsAre("|p_t| beyond mu_s p_n"));
  EXPECT_NEAR(found.value.at("angle of impact"), 28.98, 0.01);
  EXPECT_NEAR(found.value.at("spin after impact"), 8, of_optimum);
  EXPECT_EQ(found.value.at("coulomb: outcomes by trying all slip states"), 2);
  EXPECT_EQ(found.value.at("coulomb: outcomes"), 3);
  EXPECT_EQ(found.value.at("coulomb: violations of energy, cone and ground"), 0);
  expect_figures(4, 6);
}

TEST_F(ReproduceRodriguez, CaseThreeHasBothSpins) {
  const Findings found = reproduce("case-3");
  EXPECT_THAT(found.not_ok,
              ElementsAre("|p_t| beyond mu_s p_n, ground constrained", "|p_t| beyond mu_s p_n, wall constrained"));
  EXPECT_NEAR(found.value.at("spin after impact, ground constrained"), -std::sqrt(2 * g), of_optimum);
  EXPECT_NEAR(found.value.at("spin after impact, wall constrained"), 4, of_optimum);
  EXPECT_GE(found.value.at("coulomb: outcomes"), 3);
  EXPECT_EQ(found.value.at("coulomb: outcomes by trying all slip states"), 3);
  EXPECT_EQ(found.value.at("coulomb: violations of energy, cone and ground"), 0);
  expect_figures(7, 12);
  expect_rows("case-3.csv", 7);  // a heading, the motion before, two published, three lawful
}

TEST_F(ReproduceRodriguez, OtherBodies) {
  const Findings found = reproduce("impacts");
  EXPECT_THAT(found.not_ok, IsEmpty());
  EXPECT_NEAR(found.value.at("flat box, coulomb, e = 0.5: sum of normal impulses"), 9, 1e-7);
  EXPECT_NEAR(found.value.at("flat box, published, e = 0: change of energy"), -6, 1e-7);
  EXPECT_EQ(found.value.at("rod with one end in the corner: impulses undetermined by"), 2);
  EXPECT_NEAR(found.value.at("three equal elastic balls, at once: velocity of the last"), 2.0 / 3, 1e-9);
}

TEST_F(ReproduceRodriguez, RandomImpactsAreLawfulUnderCoulombOnly) {
  const Findings found = reproduce("random");
  EXPECT_THAT(found.not_ok, IsEmpty());
  EXPECT_EQ(found.value.at("space, coulomb: outcomes that leave a cone"), 0);
  EXPECT_GT(found.value.at("space, published: outcomes that leave a cone"), 100);
  EXPECT_GT(found.value.at("plane, published: outcomes that gain energy"), 0);
}

// The scenes of the cases end as the law does on the problems written down by hand.
TEST_F(ReproduceRodriguez, CornerAsScenes) {
  const Findings found = reproduce("corner");
  EXPECT_THAT(found.not_ok, IsEmpty());
  EXPECT_NEAR(found.value.at("case-1, published: spin after the impact"), 2 * (-18 + 1.5 * std::sqrt(9 * g)),
              of_optimum);
  EXPECT_NEAR(found.value.at("case-2, published: spin after the impact"), 8, of_optimum);
  for (const char* rule : {"published", "coulomb"}) {
    EXPECT_EQ(found.value.at(std::string("case-3, ") + rule + ": contacts of the impact"), 2);
  }
  expect_plot("corner");
}

// Impacts up to where 2 t_1 e^k / (1 - e) falls below 1e-9 s: 31, 100 and 460 or so, with t_1 = sqrt(2 / g).
TEST_F(ReproduceRodriguez, BouncesToRest) {
  const Findings found = reproduce("bouncing");
  EXPECT_THAT(found.not_ok, IsEmpty());
  const double t_1 = std::sqrt(2 / g);
  EXPECT_NEAR(found.value.at("e = 0.5: accumulation passed at"), 3 * t_1, 2e-9);
  EXPECT_NEAR(found.value.at("e = 0.8: accumulation passed at"), 9 * t_1, 2e-9);
  EXPECT_NEAR(found.value.at("e = 0.95: accumulation passed at"), 39 * t_1, 2e-9);
  EXPECT_LT(found.value.at("e = 0.95: error of the first 30 impact times"), 1e-10);
  EXPECT_GT(found.value.at("e = 0.95: impacts before the accumulation is passed"), 400);
  expect_plot("bouncing");
}

TEST_F(ReproduceRodriguez, BlocksRock) {
  const Findings found = reproduce("rocking");
  EXPECT_THAT(found.not_ok, IsEmpty());
  EXPECT_GE(found.value.at("slender block: impacts"), 20);
  EXPECT_NEAR(found.value.at("squat block: ratio at the first impact"), 0, 1e-8);
  expect_plot("rocking");
}

TEST_F(ReproduceRodriguez, LandsAsScenes) {
  const Findings found = reproduce("landing");
  EXPECT_THAT(found.not_ok, IsEmpty());
  EXPECT_EQ(found.value.at("flat box: fewest contacts of an impact"), 4);
  EXPECT_LT(found.value.at("three balls 1e-6 m apart: velocities against impacts in turn"), 1e-9);
  expect_plot("landing_box");
}

TEST_F(ReproduceRodriguez, TimeSteppingConverges) {
  const Findings found = reproduce("convergence");
  EXPECT_THAT(found.not_ok, IsEmpty());
  EXPECT_NEAR(found.value.at("rod at a wall: sine of its angle where it leaves the wall"), std::sqrt(1.0 / 3), 1e-9);
  expect_plot("convergence");
}

}  // namespace
}  // namespace stiction::cli
