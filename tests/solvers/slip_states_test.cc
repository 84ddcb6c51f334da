// Enumerated slip states against problems whose number of answers is known.
#include "stiction/solvers/cone/slip_states.h"

#include <gtest/gtest.h>

#include "stiction/solvers/cone/margin.h"

namespace stiction::solvers {
namespace {

double random(std::uint64_t& seed) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<double>(seed >> 11) * 0x1p-52 - 1;
}

MatrixX random_matrix(int rows, int columns, std::uint64_t& seed) {
  MatrixX M(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) M(i, j) = random(seed);
  }
  return M;
}

// max over z of min(0.5 - z, z) is 0.25; of 0.5 - |z - c| it is 0.5; an empty set has a negative one.
TEST(Margin, HalfSpacesAndBall) {
  const VectorX up = VectorX::Constant(1, 1.0);
  const std::vector<LorentzCondition> strip = {{0.5, -up, {}, {}}, {0, up, {}, {}}};
  const DeepestPoint middle = find_deepest_point(strip, 1, 10);
  EXPECT_NEAR(middle.margin, 0.25, 1e-9);
  EXPECT_NEAR(middle.z[0], 0.25, 1e-9);
  const std::vector<LorentzCondition> ball = {
      {0.5, VectorX::Zero(2), Vector2(-1, 2), MatrixX::Identity(2, 2)}};  // 0.5 - |z - (1, -2)|
  const DeepestPoint centre = find_deepest_point(ball, 2, 10);
  EXPECT_NEAR(centre.margin, 0.5, 1e-6);
  const std::vector<LorentzCondition> empty = {{-1, up, {}, {}}, {-1, -up, {}, {}}};
  EXPECT_NEAR(find_deepest_point(empty, 1, 10).margin, -1, 1e-9);
}

// Without friction and with a definite W the problem is an LCP with exactly one answer.
TEST(SlipStates, DefiniteProblemWithoutFrictionHasOneAnswer) {
  std::uint64_t seed = 1;
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 1 + trial % 6;
    const MatrixX B = random_matrix(n + 2, n, seed);
    InstantProblem problem{B.transpose() * B, random_matrix(n, 1, seed), {}};
    for (int i = 0; i < n; ++i) problem.contacts.push_back({.first = i});
    const InstantReport report = enumerate_slip_states(problem);
    ASSERT_EQ(report.solutions.size(), 1u) << trial;
    const InstantSolution& s = report.solutions[0];
    EXPECT_EQ(s.force_freedom, 0);
    EXPECT_LT((problem.W * s.force + problem.a0 - s.acceleration).norm(), 1e-9);
    EXPECT_GE(s.force.minCoeff(), -1e-9);
    EXPECT_GE(s.acceleration.minCoeff(), -1e-9);
    EXPECT_NEAR(s.force.dot(s.acceleration), 0, 1e-8);
  }
}

// A planar contact that slides: a_n = (W_nn + ratio W_nt) f_n + a0_n; four cases of signs, Painleve's table.
TEST(SlipStates, SignsOfASlidingContact) {
  const auto answers = [](double slope, double free) {
    InstantProblem problem{MatrixX::Identity(3, 3), VectorX::Zero(3), {}};
    problem.W(0, 1) = problem.W(1, 0) = 0.5;
    problem.a0[0] = free;
    problem.contacts.push_back(
        {.first = 0, .tangents = 2, .friction = {9, 9}, .slides = true, .ratio = {(slope - 1) / 0.5, 0}});
    return enumerate_slip_states(problem).solutions.size();
  };
  EXPECT_EQ(answers(0.5, -1), 1u);
  EXPECT_EQ(answers(0.5, 1), 1u);
  EXPECT_EQ(answers(-0.5, -1), 0u);
  EXPECT_EQ(answers(-0.5, 1), 2u);
}

// A point mass pushed along the ground in space: it sticks up to mu m g, then starts to slide along the push.
TEST(SlipStates, PushedPoint) {
  const double mu = 0.4, g = 10;
  for (const double push : {3.9, 4.1}) {
    InstantProblem problem{MatrixX::Identity(3, 3), Vector3(-g, push * 0.6, push * 0.8), {}};
    problem.contacts.push_back({.first = 0, .tangents = 2, .friction = {mu, mu}});
    const InstantReport report = enumerate_slip_states(problem);
    ASSERT_EQ(report.solutions.size(), 1u);
    const InstantSolution& s = report.solutions[0];
    EXPECT_EQ(s.states[0], push < mu * g ? SlipState::sticks : SlipState::starts_to_slide);
    const double friction = std::min(push, mu * g);
    EXPECT_LT((s.force - Vector3(g, -friction * 0.6, -friction * 0.8)).norm(), 1e-8);
  }
}

// An ellipse: a slip along neither axis is not opposite to its friction. f_t = -D^2 a_t f_n / |D a_t|.
TEST(SlipStates, EllipticFrictionDissipatesMost) {
  InstantProblem problem{MatrixX::Identity(3, 3), Vector3(-10, 5, 4), {}};
  problem.contacts.push_back({.first = 0, .tangents = 2, .friction = {0.4, 0.1}});
  const InstantReport report = enumerate_slip_states(problem);
  ASSERT_EQ(report.solutions.size(), 1u);
  const VectorX &f = report.solutions[0].force, &a = report.solutions[0].acceleration;
  const Vector2 Da(0.4 * a[1], 0.1 * a[2]);
  EXPECT_NEAR(f[1], -0.4 * Da[0] / Da.norm() * f[0], 1e-8);
  EXPECT_NEAR(f[2], -0.1 * Da[1] / Da.norm() * f[0], 1e-8);
}

// A joint with dry friction: held below the bound, moved above it.
TEST(SlipStates, JointFriction) {
  for (const double load : {0.9, 1.1, -1.1}) {
    InstantProblem problem{MatrixX::Identity(1, 1), VectorX::Constant(1, load), {}};
    problem.contacts.push_back({.first = 0, .bound = 1});
    const InstantReport report = enumerate_slip_states(problem);
    ASSERT_EQ(report.solutions.size(), 1u);
    const double moved = load > 1 ? 0.1 : load < -1 ? -0.1 : 0;
    EXPECT_NEAR(report.solutions[0].acceleration[0], moved, 1e-12);
  }
}

}  // namespace
}  // namespace stiction::solvers
