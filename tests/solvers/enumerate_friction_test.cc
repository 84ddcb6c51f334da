// Enumeration: all answers of small problems; proofs that there is none; Lemke on polyhedral cones.
#include "stiction/solvers/friction/enumerate_friction.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stiction/certify/friction_no_solution.h"
#include "stiction/certify/friction_residual.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/polyhedral_lemke.h"
#include "support/small_friction.h"

namespace stiction::solvers {
namespace {

using namespace stiction::testing;

// One planar contact with W = [a c; c b]: where mu c < -a, r_n = 0 with u_n > 0 and a second answer that jams exist
// side by side (Painleve). a = b = 1, c = -0.9, mu = 2, q = (0.1, 1): open has u_n = 0.1. Slip with r_t = -mu r_n has
// u_n = (1 + 1.8) r_n + 0.1 > 0: none. q = (0.1, -1): slip with r_t = 2 r_n has u_n = (1 - 1.8) r_n + 0.1 = 0,
// r_n = 1/8, u_t = (2 - 0.9)/8 - 1 < 0 against r_t: an answer. Stick: r = -W^-1 q = (0.8, 0.91) / 0.19, inside the
// cone: the third answer.
TEST(EnumerateFriction, FindsAllThreeAnswersOfAPainleveContact) {
  MatrixX W(2, 2);
  W << 1, -0.9, -0.9, 1;
  std::vector<std::vector<double>> all;
  const FrictionProblem jamming = friction_problem({contact_block(2, 2.0)}, W, Vector2(0.1, -1));
  const PatternResult result = enumerate_friction_solutions(jamming, {}, all);
  EXPECT_TRUE(result.solved);
  EXPECT_EQ(result.patterns, 3);
  ASSERT_EQ(all.size(), 3u);
  bool open = false, stick = false, slip = false;
  for (const std::vector<double>& r : all) {
    EXPECT_LE(certify::friction_residual(jamming, r).natural, 1e-8);
    open |= r[0] == 0 && r[1] == 0;
    stick |= std::abs(r[0] - 0.8 / 0.19) < 1e-9 && std::abs(r[1] - 0.91 / 0.19) < 1e-9;
    slip |= std::abs(r[0] - 0.125) < 1e-9 && std::abs(r[1] - 0.25) < 1e-9;
  }
  EXPECT_TRUE(open && stick && slip);
  enumerate_friction_solutions(friction_problem({contact_block(2, 2.0)}, W, Vector2(0.1, 1)), {}, all);
  EXPECT_EQ(all.size(), 1u);
}

TEST(EnumerateFriction, RefusesLargeProblems) {
  const std::vector<FrictionBlock> blocks(9, contact_block(3, 0.5, 0.5));
  const FrictionProblem problem = friction_problem(blocks, MatrixX::Identity(27, 27), -VectorX::Ones(27));
  std::vector<std::vector<double>> all;
  const PatternResult result = enumerate_friction_solutions(problem, {}, all);
  EXPECT_FALSE(result.applicable);
  EXPECT_TRUE(all.empty());
}

// A unit mass between two walls that approach each other: no velocity keeps both gaps open.
FrictionProblem pinched() {
  MatrixX J(6, 3);
  J << 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, -1;
  VectorX q(6);
  q << -1, 0.2, 0, -0.5, 0.1, 0;
  const FrictionBlock block = contact_block(3, 0.5, 0.5);
  return friction_problem({block, block}, J * J.transpose(), q);
}

TEST(RefuteFriction, ProvesThatAPinchedMassHasNoAnswer) {
  const FrictionProblem problem = pinched();
  FrictionWorkspace workspace;
  std::vector<double> r(6);
  const FrictionReport report = solve_friction(auto_friction, problem, {}, workspace, r);
  EXPECT_EQ(report.solve.termination, Termination::no_solution);
  const certify::FrictionNoSolutionCheck check =
      certify::check_friction_no_solution(problem, friction_refutation(workspace));
  EXPECT_TRUE(check.proved) << check.reason;
  for (const double x : r) EXPECT_TRUE(std::isfinite(x));
}

TEST(RefuteFriction, KeepsNoProofForAProblemWithAnAnswer) {
  FrictionProblem problem = pinched();
  FrictionWorkspace workspace;
  std::vector<double> r(6);
  solve_friction(auto_friction, problem, {}, workspace, r);
  problem.q[3] = 1.5;  // the walls part
  const FrictionReport report = solve_friction(auto_friction, problem, {}, workspace, r);
  EXPECT_EQ(report.solve.termination, Termination::solved);
  EXPECT_TRUE(friction_refutation(workspace).empty());
}

// The corner nearest to the true direction is at most pi/k away: |r - r_k| <= 2 sin(pi/2k) mu m, order one in 1/k.
TEST(PolyhedralLemke, TendsToTheRoundConeAsDirectionsGrow) {
  const double mu = 0.5;
  const FrictionProblem problem =
      friction_problem({contact_block(3, mu, mu)}, MatrixX::Identity(3, 3), Vector3(-1, 1.1, -0.77));
  ScaledFriction s;
  ASSERT_TRUE(scale_friction(problem, s));
  const Vector2 d = Vector2(1.1, -0.77).normalized();
  const Vector3 exact(1, -mu * d[0], -mu * d[1]);
  for (const int k : {4, 8, 16, 32, 64, 128}) {
    PolyhedralOptions options;
    options.directions = k;
    PolyhedralWorkspace workspace;
    std::vector<double> scaled(3), r(3);
    const PolyhedralResult result = run_polyhedral_lemke(s, options, workspace, scaled.data());
    ASSERT_TRUE(result.solved) << k;
    from_scaled(s, scaled.data(), r);
    EXPECT_LE((Eigen::Map<Vector3>(r.data()) - exact).norm(), 2 * std::sin(M_PI / (2 * k)) * mu + 1e-12) << k;
    EXPECT_NEAR(result.residual, certify::friction_residual(problem, r).natural, 1e-12);
  }
}

TEST(PolyhedralLemke, SaysWhetherItsHypothesesHold) {
  const FrictionBlock block = contact_block(3, 0.5, 0.5);
  const auto hypotheses = [&](const MatrixX& W, const VectorX& q) {
    ScaledFriction s;
    const std::vector<FrictionBlock> blocks(q.size() / 3, block);
    const FrictionProblem problem = friction_problem(blocks, W, q);
    EXPECT_TRUE(scale_friction(problem, s));
    PolyhedralWorkspace workspace;
    std::vector<double> r(q.size());
    return run_polyhedral_lemke(s, {}, workspace, r.data()).hypotheses;
  };
  EXPECT_EQ(hypotheses(MatrixX::Identity(3, 3), Vector3(-1, 0, 0)), Hypotheses::hold);
  MatrixX indefinite = MatrixX::Identity(3, 3);
  indefinite(0, 1) = indefinite(1, 0) = 2;
  EXPECT_EQ(hypotheses(indefinite, Vector3(-1, 0, 0)), Hypotheses::fail);
  // Two contacts of one mass at one point, singular: q = J v holds, a gap more holds, penetration is not shown.
  MatrixX J(6, 3);
  J << MatrixX::Identity(3, 3), MatrixX::Identity(3, 3);
  VectorX q = J * Vector3(-1, 0.5, 0);
  EXPECT_EQ(hypotheses(J * J.transpose(), q), Hypotheses::hold);
  q[3] += 0.4;
  EXPECT_EQ(hypotheses(J * J.transpose(), q), Hypotheses::hold);
  EXPECT_EQ(hypotheses(matrix_of(pinched()), Eigen::Map<const VectorX>(pinched().q.data(), 6)), Hypotheses::unknown);
}

TEST(PolyhedralLemke, RefusesMoreThanItsLimit) {
  const std::vector<FrictionBlock> blocks(65, contact_block(1));
  const FrictionProblem problem = friction_problem(blocks, MatrixX::Identity(65, 65), -VectorX::Ones(65));
  ScaledFriction s;
  ASSERT_TRUE(scale_friction(problem, s));
  PolyhedralWorkspace workspace;
  std::vector<double> r(65, 0.5);
  EXPECT_FALSE(run_polyhedral_lemke(s, {}, workspace, r.data()).applicable);
  EXPECT_EQ(r, std::vector<double>(65, 0.5));
}

}  // namespace
}  // namespace stiction::solvers
