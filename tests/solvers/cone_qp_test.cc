// Quadratic programmes over cones: closed forms, programmes made from their answers, sets without interior, programmes
// without solution, scales, memory.
#include "stiction/solvers/cone/cone_qp.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stiction/certify/cone_qp_residual.h"
#include "stiction/solvers/cone/cone_kernels.h"
#define STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE
#include "support/allocation_counter.h"
#include "support/cone_programme.h"

namespace stiction::solvers {
namespace {

using ::stiction::testing::cone_programme;
using ::stiction::testing::known_programme;
using ::stiction::testing::KnownProgramme;
using ::stiction::testing::projection;

struct Found {
  SolveReport report;
  VectorX y;
  std::vector<double> z;
  certify::ConeQpResidual residual;
};

// `box`: bound of all |y*_j|.
Found solve(const ConeQp& qp, double box = 1e3, const ConeQpOptions& options = {}) {
  Found found;
  ConeQpWorkspace workspace;
  std::vector<double> y;
  found.report = solve_cone_qp(qp, options, workspace, y);
  found.z = workspace.multipliers;
  found.residual = certify::cone_qp_residual(qp, y, found.z, std::vector<double>(y.size(), box));
  found.y = Eigen::Map<VectorX>(y.data(), static_cast<long>(y.size()));
  EXPECT_TRUE(found.y.allFinite());
  return found;
}

// y itself is known to the root of the gap, 1e-10 of f(0), or better.
constexpr double point_error = 1e-5, value_error = 1e-9;

void expect_found(const Found& found, const VectorX& y, double least) {
  EXPECT_EQ(found.report.termination, Termination::solved) << found.report.residual;
  EXPECT_LT((found.y - y).norm(), point_error) << found.y.transpose() << " for " << y.transpose();
  EXPECT_NEAR(found.residual.objective, least, value_error);
  EXPECT_LT(found.residual.cone, value_error);
  EXPECT_LT(found.residual.gap, 10 * value_error);
}

VectorX project(const VectorX& p) {
  const double tail = p.tail(p.size() - 1).norm();
  if (tail <= p[0]) return p;
  if (tail <= -p[0]) return VectorX::Zero(p.size());
  VectorX y = p * ((p[0] + tail) / (2 * tail));
  y[0] = (p[0] + tail) / 2;
  return y;
}

// Along -x the quadratic has a double root, which rounding must not lose: the apex is one step away.
TEST(ConeQp, StepToTheApex) {
  std::mt19937_64 random(10);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    double x[3] = {0, normal(random), normal(random)};
    x[0] = std::hypot(x[1], x[2]) + std::abs(normal(random)) + 0.01;
    const double d[3] = {-3 * x[0], -3 * x[1], -3 * x[2]};
    EXPECT_NEAR(step_to_boundary(x, d, 3), 1.0 / 3, 1e-6) << i;  // the root of rounding
  }
}

TEST(ConeQp, ProjectsOnACone) {
  for (const VectorX& p : {VectorX{{2, 1, 1}}, VectorX{{1, 3, -4}}, VectorX{{-1, 0.5, 0.5}}, VectorX{{-1, 2, 0}},
                           VectorX{{0.2, 1, 2, -2}}, VectorX{{-3, 0}}, VectorX{{-1, 4}}}) {
    const long n = p.size();
    const VectorX y = project(p);
    expect_found(solve(projection(p, MatrixX::Identity(n, n), VectorX::Zero(n), {static_cast<int>(n)})), y,
                 (y - p).squaredNorm() / 2);
  }
}

// A disc and a half plane; at (1/2, sqrt(3)/2) both hold p back: p - y lies between their normals.
TEST(ConeQp, ProjectsOnAnIntersection) {
  const MatrixX G{{0, 0}, {1, 0}, {0, 1}, {-1, 0}};
  const VectorX g{{1, 0, 0, 0.5}};
  const auto at = [&](double x, double y) { return projection(VectorX{{x, y}}, G, g, {3, 1}); };
  const VectorX corner{{0.5, std::sqrt(0.75)}};
  expect_found(solve(at(2, 2)), corner, (corner - VectorX{{2, 2}}).squaredNorm() / 2);
  expect_found(solve(at(2, 0.1)), VectorX{{0.5, 0.1}}, 1.125);
  expect_found(solve(at(-3, 4)), VectorX{{-0.6, 0.8}}, 8);
  expect_found(solve(at(-0.3, 0.4)), VectorX{{-0.3, 0.4}}, 0);
}

// max 3 x + 5 y, x <= 4, 2 y <= 12, 3 x + 2 y <= 18, both >= 0: 36 at (2, 6).
TEST(ConeQp, SolvesALinearProgramme) {
  const MatrixX G{{-1, 0}, {0, -2}, {-3, -2}, {1, 0}, {0, 1}};
  const VectorX g{{4, 12, 18, 0, 0}};
  const Found found = solve(cone_programme(MatrixX::Zero(2, 2), VectorX{{-3, -5}}, 0, G, g, {1, 1, 1, 1, 1}), 10);
  EXPECT_EQ(found.report.termination, Termination::solved);
  EXPECT_LT((found.y - VectorX{{2, 6}}).norm(), 1e-6);
  EXPECT_NEAR(found.residual.objective, -36, 1e-6);
  EXPECT_LT(found.residual.gap, 1e-6);
}

// The lowest point of a ball along (1, 2, 2).
TEST(ConeQp, SolvesALinearProgrammeOverABall) {
  MatrixX G = MatrixX::Zero(4, 3);
  G.bottomRows(3).setIdentity();
  const Found found = solve(cone_programme(MatrixX::Zero(3, 3), VectorX{{1, 2, 2}}, 0, G, VectorX{{2, 0, 0, 0}}, {4}));
  expect_found(found, VectorX{{-2.0 / 3, -4.0 / 3, -4.0 / 3}}, -6);
}

// f sees y_0 + y_1 alone.
TEST(ConeQp, SingularHessian) {
  const MatrixX U = MatrixX::Ones(2, 2), disc{{0, 0}, {1, 0}, {0, 1}};
  const double root = std::sqrt(0.5);
  expect_found(solve(cone_programme(U, VectorX{{-2, -2}}, 2, disc, VectorX{{1, 0, 0}}, {3})), VectorX{{root, root}},
               std::pow(2 * root - 2, 2) / 2);
  // Many minima, all of value zero, one side of the free ones outside.
  const Found many =
      solve(cone_programme(U, VectorX{{-1, -1}}, 0.5, MatrixX{{-1, 0}, {1, 1}}, VectorX{{-3, 0}}, {1, 1}));
  EXPECT_EQ(many.report.termination, Termination::solved);
  EXPECT_NEAR(many.residual.objective, 0, value_error);
  EXPECT_LE(many.y[0], -3 + value_error);
}

// Programmes made from their answers; U of any rank, cones with s = z = 0 among them.
TEST(ConeQp, FindsTheLeastValueOfProgrammesMadeFromTheirAnswers) {
  std::mt19937_64 random(11);
  const std::vector<int> kinds[] = {{1, 1, 1, 1}, {3, 3}, {3, 1, 3, 1, 1}, {4, 2, 5}, {3, 3, 3, 3, 3, 1}};
  int unsolved = 0;
  double worst = 0, gap = 0;
  for (int i = 0; i < 500; ++i) {
    const int m = 2 + i % 6;
    const KnownProgramme known = known_programme(m, i % (m + 1), kinds[i % 5], random);
    // With a U that is singular f may have no box of minima: one solution is inside this one.
    const Found found = solve(known.qp, known.y.cwiseAbs().maxCoeff());
    const double scale = known.qp.constant;
    unsolved += found.report.termination != Termination::solved;
    worst = std::max(worst, std::abs(found.residual.objective - known.least) / scale);
    gap = std::max(gap, found.residual.gap / scale);
    EXPECT_GE(found.residual.gap, found.residual.objective - known.least - 1e-13 * scale) << i;  // a bound, always
    EXPECT_LT(found.residual.dual_cone, 1e-14) << i;                                             // rounding of a head
  }
  EXPECT_LE(unsolved, 5);  // sets whose only point has s = z = 0 in several cones end a little above the tolerance
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(gap, 1e-9);
}

// y_0 = 0 by two inequalities: no interior.
TEST(ConeQp, TheSetIsAFace) {
  const MatrixX G{{1, 0}, {-1, 0}, {0, -1}};
  const Found found = solve(projection(VectorX{{1, 1}}, G, VectorX{{0, 0, 0.5}}, {1, 1, 1}));
  expect_found(found, VectorX{{0, 0.5}}, 0.625);
}

// |y| <= 0.
TEST(ConeQp, TheSetIsAPoint) {
  const MatrixX G{{0, 0}, {1, 0}, {0, 1}};
  const Found found = solve(projection(VectorX{{1, 1}}, G, VectorX{{0, 0, 0}}, {3}));
  expect_found(found, VectorX{{0, 0}}, 1);
}

TEST(ConeQp, InfeasibleIsNotFound) {
  const Found line = solve(projection(VectorX{{2}}, MatrixX{{1}, {-1}}, VectorX{{-1, 0}}, {1, 1}));
  EXPECT_EQ(line.report.termination, Termination::not_found);
  EXPECT_GT(line.residual.cone, 0.1);
  const MatrixX two_discs{{0, 0}, {1, 0}, {0, 1}, {0, 0}, {1, 0}, {0, 1}};
  const Found discs = solve(projection(VectorX{{0, 1}}, two_discs, VectorX{{1, 2, 0, 1, -2, 0}}, {3, 3}));
  EXPECT_EQ(discs.report.termination, Termination::not_found);
  EXPECT_GT(discs.residual.cone, 0.1);
  const Found never = solve(projection(VectorX{{1, 1}}, MatrixX{{0, 0}, {1, 0}}, VectorX{{-1, 0}}, {2}));
  EXPECT_EQ(never.report.termination, Termination::not_found);
}

TEST(ConeQp, UnboundedIsNotFound) {
  const Found ray =
      solve(cone_programme(MatrixX::Zero(2, 2), VectorX{{-1, 0}}, 0, MatrixX::Identity(2, 2), VectorX{{1, 1}}, {1, 1}));
  EXPECT_EQ(ray.report.termination, Termination::not_found);
  const Found cone = solve(
      cone_programme(MatrixX::Zero(3, 3), VectorX{{-1, 0.5, 0}}, 1, MatrixX::Identity(3, 3), VectorX::Zero(3), {3}));
  EXPECT_EQ(cone.report.termination, Termination::not_found);
}

// The same programme in other units: each unknown by up to 1e6 and each cone by up to 1e6.
TEST(ConeQp, ScalesOfRowsAndColumns) {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> decades(-3, 3);
  double worst = 0, gap = 0;
  int unsolved = 0;
  for (int i = 0; i < 200; ++i) {
    const int m = 3 + i % 3;
    KnownProgramme known = known_programme(m, m, {3, 1, 3, 1}, random);
    ConeQp& qp = known.qp;
    VectorX column(m);
    for (double& x : column) x = std::pow(10.0, decades(random));
    int first = 0;
    for (const int n : qp.cone_sizes) {
      const double row = std::pow(10.0, decades(random));
      for (int r = first; r < first + n; ++r) {
        qp.g[r] *= row;
        for (int j = 0; j < m; ++j) qp.G[static_cast<size_t>(r) * m + j] *= row * column[j];
      }
      first += n;
    }
    for (int j = 0; j < m; ++j) {
      qp.v[j] *= column[j];
      for (int k = 0; k < m; ++k) qp.U[static_cast<size_t>(j) * m + k] *= column[j] * column[k];
    }
    ConeQpWorkspace workspace;
    std::vector<double> y, reach(m);
    unsolved += solve_cone_qp(qp, {}, workspace, y).termination != Termination::solved;
    for (int j = 0; j < m; ++j) reach[j] = std::abs(known.y[j] / column[j]);
    const certify::ConeQpResidual residual = certify::cone_qp_residual(qp, y, workspace.multipliers, reach);
    worst = std::max(worst, std::abs(residual.objective - known.least) / qp.constant);
    gap = std::max(gap, residual.gap / qp.constant);
  }
  EXPECT_EQ(unsolved, 0);
  EXPECT_LT(worst, 1e-9);  // the tolerance is 1e-10
  EXPECT_LT(gap, 1e-9);
}

TEST(ConeQp, AllocatesNothingWithinCapacity) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  std::mt19937_64 random(13);
  const KnownProgramme large = known_programme(7, 7, {3, 3, 3, 3, 1, 1}, random);
  const KnownProgramme small = known_programme(5, 2, {3, 3, 1}, random);
  const ConeQp infeasible = projection(VectorX{{2, 1}}, MatrixX{{1, 0}, {-1, 0}}, VectorX{{-1, 0}}, {1, 1});
  ConeQpWorkspace workspace;
  std::vector<double> y;
  solve_cone_qp(large.qp, {}, workspace, y);
  const long count = ::stiction::testing::allocations_during([&] {
    for (const ConeQp* qp : {&small.qp, &large.qp, &infeasible}) {
      solve_cone_qp(*qp, {}, workspace, y);
      solve_cone_qp(*qp, {.tolerance = 1e-30}, workspace, y);  // reflections too
    }
  });
  EXPECT_EQ(count, 0);
}

TEST(ConeQp, SameBitsWhateverTheWorkspaceSawBefore) {
  std::mt19937_64 random(14);
  ConeQpWorkspace used;
  for (int i = 0; i < 50; ++i) {
    const KnownProgramme known = known_programme(2 + i % 7, i % 3, {3, 1 + i % 4, 1}, random);
    ConeQpWorkspace fresh;
    std::vector<double> first, second;
    solve_cone_qp(known.qp, {}, used, first);
    solve_cone_qp(known.qp, {}, fresh, second);
    EXPECT_EQ(first, second);
    EXPECT_EQ(used.multipliers, fresh.multipliers);
  }
}

}  // namespace
}  // namespace stiction::solvers
