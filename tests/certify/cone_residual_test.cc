// The residual of general cones on answers known in closed form, and on each part of them made wrong.
#include "stiction/certify/cone_residual.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "stiction/solvers/cone/general_cone.h"
#include "support/friction_cones.h"
#include "support/random_cone.h"

namespace stiction::certify {
namespace {

constexpr double accepted = 1e-14;  // rounding of closed forms

// A particle of unit mass on a plane: u = r + q, rows n and as many tangents as the cone has.
ConeProblem particle(const FrictionCone& cone, std::vector<double> q) {
  ConeProblem problem;
  problem.contacts = {{0, &cone}};
  problem.W.assign(q.size() * q.size(), 0.0);
  for (size_t i = 0; i < q.size(); ++i) problem.W[i * q.size() + i] = 1;
  problem.q = std::move(q);
  return problem;
}

struct Answer {
  std::vector<double> r, lambda;
};

// Slides: c_n = 2; beta = c_n a s with s the unit vector at which the ellipse's normal is along -u.
TEST(ConeResidual, AcceptsASlidingAnswerOfAnEllipse) {
  const FrictionCone cone = *make_ellipsoid_cone(std::array{0.5, 0.25});
  // Choose u = (0, 3, -4) after the step: h = |(1.5, -1)|, b = -a (a u) / h.
  const double h = std::hypot(1.5, 1.0), b[2] = {-0.5 * 1.5 / h, 0.25 * 1.0 / h};
  const std::vector<double> r = {2, 2 * b[0], 2 * b[1]};
  const ConeProblem problem = particle(cone, {-2, 3 - r[1], -4 - r[2]});
  EXPECT_LT(cone_residual(problem, r).worst(), accepted);
  // (22): c_n^2 u = -lambda 2 beta / a^2.
  const std::vector<double> lambda = {4 * 3 * 0.25 / (-2 * r[1])};
  EXPECT_LT(fritz_john_residual(problem, r, lambda).worst(), accepted);

  // Each part made wrong shows where it belongs.
  const auto spoiled = [&](int row, double by) {
    std::vector<double> wrong = r;
    wrong[row] += by;
    return wrong;
  };
  EXPECT_GT(cone_residual(problem, spoiled(0, 1e-6)).normal, 1e-8);
  EXPECT_GT(cone_residual(problem, spoiled(0, -1e-6)).cone, 1e-8);
  EXPECT_GT(cone_residual(problem, spoiled(1, -1e-6)).cone, 1e-8);
  EXPECT_GT(cone_residual(problem, spoiled(1, 1e-6)).dissipation, 1e-8);
  EXPECT_GT(fritz_john_residual(problem, r, std::vector{lambda[0] * (1 + 1e-6)}).stationarity, 1e-8);
  EXPECT_GT(fritz_john_residual(problem, r, std::vector{-lambda[0]}).sign, 1e-2);
  EXPECT_GT(fritz_john_residual(problem, spoiled(1, 1e-6), lambda).complementarity, 1e-8);
  std::vector<double> reversed = {2, -r[1], -r[2]};
  EXPECT_GT(cone_residual(problem, reversed).dissipation, 0.1);
  EXPECT_LT(cone_residual(problem, reversed).cone, accepted);
  // Turned along the boundary, the gap sees it in second order and (22) in first.
  const double turn = 1e-5;
  const std::vector<double> turned = {2, 2 * 0.5 * std::cos(std::atan2(b[1] / 0.25, b[0] / 0.5) + turn),
                                      2 * 0.25 * std::sin(std::atan2(b[1] / 0.25, b[0] / 0.5) + turn)};
  EXPECT_GT(fritz_john_residual(problem, turned, lambda).stationarity, 1e-7);
  EXPECT_GT(cone_residual(problem, turned).dissipation, 1e-13);
}

TEST(ConeResidual, AcceptsStickingAndOpenContactsOfEveryKind) {
  for (const auto& [name, cone] : stiction::testing::every_cone()) {
    const std::vector<double> none(constraint_count(cone), 0.0);
    std::vector<double> q(1 + cone.dimension, 0.0), r(1 + cone.dimension, 0.0);
    q[0] = -3, r[0] = 3;
    EXPECT_LT(cone_residual(particle(cone, q), r).worst(), accepted) << name;
    EXPECT_LT(fritz_john_residual(particle(cone, q), r, none).worst(), accepted) << name;
    q[0] = 1, q[1] = 5, r[0] = 0;
    EXPECT_LT(cone_residual(particle(cone, q), r).worst(), accepted) << name;
    EXPECT_LT(fritz_john_residual(particle(cone, q), r, none).worst(), accepted) << name;
    r[1] = 1e-6;  // friction without a normal impulse
    EXPECT_GT(cone_residual(particle(cone, q), r).cone, 1e-10) << name;
    r[1] = 0, r[0] = 1e-6;  // a normal impulse on an open contact
    EXPECT_GT(cone_residual(particle(cone, q), r).normal, 1e-8) << name;
    q[0] = -1, r[0] = 0;  // penetration
    EXPECT_GT(cone_residual(particle(cone, q), r).normal, 0.1) << name;
  }
}

TEST(ConeResidual, AcceptsAnyPointOfAnEdgeThatSlidingFaces) {
  const FrictionCone square =
      *make_polygon_cone(std::vector<Vector2>{{0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}});
  for (const double along : {-0.5, 0.0, 0.3, 0.5}) {
    const std::vector<double> r = {2, -1, 2 * along};
    const ConeProblem problem = particle(square, {-2, 4, -2 * along});
    EXPECT_LT(cone_residual(problem, r).worst(), accepted);
    // c_n u + lambda nu / h = 0 on the edge x = -0.5 (the second): nu / h = (-2, 0), u = (3, 0).
    EXPECT_LT(fritz_john_residual(problem, r, std::vector<double>{0, 3, 0, 0}).worst(), accepted);
    EXPECT_GT(fritz_john_residual(problem, r, std::vector<double>{3, 0, 0, 0}).worst(), 0.1);
  }
}

TEST(ConeResidual, FrictionOutsideTheSpanOfASegmentIsRejected) {
  const FrictionCone blade = *make_polygon_cone(std::vector<Vector2>{{0, 0.5}, {0, -0.5}});
  const ConeProblem problem = particle(blade, {-1, 2, -0.3});
  EXPECT_LT(cone_residual(problem, std::vector<double>{1, 0, 0.3}).worst(), accepted);
  EXPECT_GT(cone_residual(problem, std::vector<double>{1, -1e-6, 0.3}).cone, 1e-8);
}

TEST(ConeResidual, BilateralRowsCount) {
  ConeProblem problem;
  problem.bilateral_rows = 1;
  problem.W = {2};
  problem.q = {-4};
  EXPECT_LT(cone_residual(problem, std::vector{2.0}).worst(), accepted);
  EXPECT_NEAR(cone_residual(problem, std::vector{1.0}).bilateral, 0.5, 1e-15);
}

TEST(ConeResidual, NumbersThatAreNotFiniteAreRejected) {
  const FrictionCone cone = *make_ellipsoid_cone(std::array{0.5, 0.5});
  const ConeProblem problem = particle(cone, {-1, 0, 0});
  EXPECT_EQ(cone_residual(problem, std::vector<double>{NAN, 0, 0}).worst(), INFINITY);
  EXPECT_EQ(fritz_john_residual(problem, std::vector<double>{1, 0, 0}, std::vector<double>{NAN}).worst(), INFINITY);
}

// Answers of the solver, each pressed impulse then changed by a thousandth: never accepted.
TEST(ConeResidual, RejectsEveryPerturbedAnswer) {
  stiction::testing::RandomConeMaker maker(11);
  solvers::GeneralConeWorkspace workspace;
  int rejected = 0;
  for (int k = 0; k < 260; ++k) {
    const auto family = static_cast<stiction::testing::ConeFamily>(k % stiction::testing::cone_families);
    const auto made = maker.make(family);
    std::vector<double> r(made.problem.row_count());
    if (solve_general_cone(made.problem, {}, workspace, r).solve.termination != solvers::Termination::solved) continue;
    for (size_t i = 0; i < r.size(); ++i) {
      if (r[i] == 0) continue;
      for (const double factor : {1 - 1e-3, 1 + 1e-3}) {
        std::vector<double> wrong = r;
        wrong[i] *= factor;
        const double before = cone_residual(made.problem, r).worst(),
                     after = cone_residual(made.problem, wrong).worst();
        // What the change does to u is its size at least where the diagonal is not tiny.
        const double change = 1e-3 * std::abs(r[i]) * made.problem.W[i * r.size() + i];
        double q = 0;
        for (const double value : made.problem.q) q = std::max(q, std::abs(value));
        if (change < 1e-5 * q) continue;
        EXPECT_GT(after, 1e-9) << k << " row " << i << " " << stiction::testing::cone_family_name(family);
        EXPECT_LT(before, 1e-9);
        ++rejected;
      }
    }
  }
  EXPECT_GT(rejected, 1000);
}

}  // namespace
}  // namespace stiction::certify
