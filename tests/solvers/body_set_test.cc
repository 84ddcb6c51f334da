// The solver in body space on contacts with polygons and superellipses: judged by certify/, against the solver of
// general cones, against the elliptic cone that a set may be, in the limit of many corners.
#include "stiction/solvers/friction/body/body_set.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stiction/certify/cone_residual.h"
#include "stiction/certify/friction_residual.h"
#include "stiction/solvers/cone/general_cone.h"
#include "stiction/solvers/friction/body/body_solver.h"
#define STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE
#include "support/allocation_counter.h"
#include "support/friction_cones.h"
#include "support/random_bodies.h"
#include "support/random_cone.h"

namespace stiction::solvers {
namespace {

using stiction::testing::condensed;
using stiction::testing::ConeFamily;
using stiction::testing::random_bodies;
using stiction::testing::RandomBodies;
using stiction::testing::RandomConeMaker;
using stiction::testing::regular_polygon;

constexpr double tolerance = 1e-8;
constexpr ConeFamily families[] = {ConeFamily::polygon, ConeFamily::segment, ConeFamily::diamond,
                                   ConeFamily::superellipse, ConeFamily::sharp};

// A problem with the cones that it points to.
struct SetProblem {
  BodyFrictionProblem body;
  std::vector<std::unique_ptr<FrictionCone>> cones;

  void set_cone(int block, const FrictionCone& cone, double scale = 1) {
    body.sets.resize(body.blocks.size());
    cones.push_back(std::make_unique<FrictionCone>(cone));
    body.sets[block] = {cones.back().get(), scale};
    const double reach = scale * std::hypot(cone_extent(cone, 0), cone_extent(cone, 1));
    body.blocks[block].axes = {reach, reach, 0};
  }
};

// Contacts of three rows, each with a set of the family.
SetProblem random_sets(const RandomBodies& wanted, ConeFamily family, unsigned seed) {
  SetProblem problem;
  problem.body = random_bodies(wanted, seed);
  RandomConeMaker maker(seed);
  for (int b = 0; b < problem.body.block_count(); ++b) problem.set_cone(b, maker.cone(family), maker.uniform(0.5, 1));
  return problem;
}

// The same for solvers/cone and certify/, dense.
struct DenseCones {
  ConeProblem problem;
  std::vector<FrictionCone> cones;
};

DenseCones dense(const SetProblem& from) {
  DenseCones result;
  const FrictionProblem local = condensed(from.body);
  const MatrixX W = MatrixX(matrix_of(local));
  result.problem.W.assign(W.data(), W.data() + W.size());
  result.problem.q = local.q;
  result.cones.resize(from.body.blocks.size());
  for (int b = 0; b < from.body.block_count(); ++b) {
    scale_cone(*from.body.sets[b].cone, from.body.sets[b].scale, result.cones[b]);
    result.problem.contacts.push_back({from.body.blocks[b].first_row, &result.cones[b]});
  }
  return result;
}

struct SetAnswer {
  std::vector<double> r, v;
  BodyReport report;
};

SetAnswer solve(const BodyFrictionProblem& problem, const BodyOptions& options = {}) {
  BodyWorkspace workspace;
  SetAnswer answer;
  answer.r.assign(problem.row_count(), 0.0);
  answer.v.assign(problem.velocity_count(), 0.0);
  answer.report = solve_body_friction(problem, options, workspace, answer.r, answer.v);
  return answer;
}

// With sweeps, and without them: Newton's method and the stand-in must do it alone.
TEST(BodySet, SolvesRandomBodiesWithSetsOfEveryFamily) {
  for (const int sweeps : {60, 0}) {
    int missed = 0;
    for (const ConeFamily family : families) {
      for (unsigned seed = 1; seed <= 40; ++seed) {
        const RandomBodies wanted = {2 + static_cast<int>(seed % 6), 3 + static_cast<int>(seed % 14), 10, false};
        const SetProblem problem = random_sets(wanted, family, seed);
        const SetAnswer answer = solve(problem.body, {.sweeps = sweeps});
        const DenseCones judged = dense(problem);
        const certify::ConeResidual residual = certify::cone_residual(judged.problem, answer.r);
        if (answer.report.solve.termination != Termination::solved) {
          ++missed;
          continue;
        }
        // certify/ weighs the rows of a set by its reach along them, and the solver does not.
        EXPECT_LE(residual.worst(), 2 * tolerance) << cone_family_name(family) << ' ' << seed;
        EXPECT_LE(residual.cone, 1e-12) << cone_family_name(family) << ' ' << seed;
      }
    }
    EXPECT_LE(missed, 1) << sweeps;  // of 200: random rows through one body may lock; measured 0
  }
}

TEST(BodySet, AgreesWithTheSolverOfGeneralCones) {
  GeneralConeWorkspace workspace;
  int compared = 0, same = 0;
  for (const ConeFamily family : families) {
    for (unsigned seed = 1; seed <= 30; ++seed) {
      const SetProblem problem = random_sets({4, 4, 10, false}, family, seed);
      const DenseCones oracle = dense(problem);
      std::vector<double> r(problem.body.row_count());
      if (solve_general_cone(oracle.problem, {}, workspace, r).solve.termination != Termination::solved) continue;
      const SetAnswer answer = solve(problem.body, {.tolerance = 1e-10});
      if (answer.report.solve.termination != Termination::solved) continue;
      const VectorX v = body_velocity(problem.body, Eigen::Map<const VectorX>(r.data(), problem.body.row_count()));
      const VectorX own = Eigen::Map<const VectorX>(answer.v.data(), problem.body.velocity_count());
      ++compared;
      same += (v - own).norm() <= 1e-6 * (1 + v.norm()) ? 1 : 0;
    }
  }
  EXPECT_GE(compared, 145);
  EXPECT_GE(same, compared * 95 / 100);  // others have more than one answer; all are certified above
}

// An ellipse stated as a set is the elliptic cone, beside every other law: rolling discs follow it, joints pull at it.
TEST(BodySet, AnEllipseAsASetIsTheEllipticCone) {
  int missed = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SetProblem problem;
    problem.body = random_bodies({.bodies = 4, .contacts = 3 + static_cast<int>(seed % 10)}, seed);
    const FrictionProblem local = condensed(problem.body);
    for (int b = 0; b < problem.body.block_count(); ++b) {
      const FrictionBlock block = problem.body.blocks[b];
      const bool friction = block.law == FrictionBlock::Law::contact && block.row_count == 3 && block.axes[0] > 0;
      if (friction) problem.set_cone(b, *make_ellipsoid_cone(std::span(block.axes).first(2)));
    }
    for (const int sweeps : {60, 0}) {
      const SetAnswer answer = solve(problem.body, {.sweeps = sweeps});
      if (answer.report.solve.termination == Termination::solved) {
        EXPECT_LE(certify::friction_residual(local, answer.r).natural, 4 * tolerance) << seed;
      } else {
        ++missed;
      }
    }
  }
  EXPECT_LE(missed, 4);  // random rows through one body may lock
}

// The answer tends to that of the disc, with the number of corners: the force of an edge also pulls aside.
TEST(BodySet, APolygonOfManyCornersTendsToTheDisc) {
  double distance[4] = {};
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SetProblem problem;
    problem.body = random_bodies({.bodies = 4, .contacts = 4, .every_law = false}, seed);
    for (FrictionBlock& block : problem.body.blocks) block.axes = {0.5, 0.5, 0};
    const SetAnswer round = solve(problem.body, {.tolerance = 1e-11});
    for (int k = 0; k < 4; ++k) {
      const int corners = 8 << k;
      for (int b = 0; b < problem.body.block_count(); ++b) problem.set_cone(b, regular_polygon(corners, 0.5));
      const SetAnswer answer = solve(problem.body, {.tolerance = 1e-11});
      for (size_t i = 0; i < round.v.size(); ++i) {
        distance[k] = std::max(distance[k], std::abs(answer.v[i] - round.v[i]));
      }
    }
  }
  EXPECT_GT(distance[0], 1e-3);
  for (int k = 1; k < 4; ++k) EXPECT_LT(distance[k], 0.75 * distance[k - 1]) << k;
  EXPECT_LT(distance[3], 0.15 * distance[0]);  // 3.0e-2, 1.8e-2, 8.8e-3, 3.7e-3 m/s
}

// Friction that pushes instead of braking, an impulse that is too large, and one that pulls are no answers.
TEST(BodySet, CertificateAndSolverRejectFlippedAnswers) {
  for (const ConeFamily family : families) {
    const SetProblem problem = random_sets({4, 6, 10, false}, family, 3);
    const SetAnswer answer = solve(problem.body);
    const DenseCones judged = dense(problem);
    BodySystem system;
    ASSERT_TRUE(make_body_system(problem.body, system));
    const auto own_residual = [&](const std::vector<double>& r) {
      std::vector<double> z(system.row_count), x(system.velocity_count), u(system.row_count);
      to_system(system, r, z.data());
      velocity_of(system, z.data(), x.data());
      all_velocities(system, x.data(), u.data());
      return body_residual(system, z.data(), u.data());
    };
    ASSERT_LE(certify::cone_residual(judged.problem, answer.r).worst(), 2 * tolerance);
    EXPECT_LE(own_residual(answer.r), 1.01 * tolerance);
    std::vector<double> flipped = answer.r, larger = answer.r, pulling = answer.r;
    for (const FrictionBlock& block : problem.body.blocks) {
      for (int i = 1; i < 3; ++i) flipped[block.first_row + i] *= -1;
      pulling[block.first_row] *= -1;
    }
    for (double& r : larger) r *= 1.01;
    for (const auto& wrong : {flipped, larger, pulling}) {
      EXPECT_GT(certify::cone_residual(judged.problem, wrong).worst(), 1e-5) << cone_family_name(family);
      EXPECT_GT(own_residual(wrong), 1e-5) << cone_family_name(family);
    }
  }
}

// Newton's derivative is that of the projection: differences agree away from kinks.
TEST(BodySet, DerivativeOfTheProjectionAgreesWithDifferences) {
  for (const ConeFamily family : {ConeFamily::polygon, ConeFamily::superellipse, ConeFamily::sharp}) {
    const SetProblem problem = random_sets({2, 3, 10, false}, family, 7);
    BodySystem system;
    ASSERT_TRUE(make_body_system(problem.body, system));
    const double points[][3] = {{1, 2, 1.5}, {1, -2, 0.7}, {0.4, 0.01, 0.02}, {-1, 1, 1}};
    for (const auto& y : points) {
      double image[3], G[9], ahead[3], behind[3], unused[9];
      project_on_set(system.blocks[0], y, image, G);
      for (int j = 0; j < 3; ++j) {
        const double step = 1e-6;
        double moved[3] = {y[0], y[1], y[2]};
        moved[j] += step;
        project_on_set(system.blocks[0], moved, ahead, unused);
        moved[j] -= 2 * step;
        project_on_set(system.blocks[0], moved, behind, unused);
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(G[3 * i + j], (ahead[i] - behind[i]) / (2 * step), 1e-5);
      }
    }
  }
}

TEST(BodySet, TheSameBitsTwiceAndNoAllocationOnceWarm) {
  for (const ConeFamily family : families) {
    const SetProblem problem = random_sets({6, 15, 10, false}, family, 5);
    for (const int sweeps : {60, 3}) {
      BodyWorkspace workspace;
      workspace.reserve_all_rungs();
      std::vector<double> first(problem.body.row_count()), second(first.size());
      solve_body_friction(problem.body, {.sweeps = 1, .most_factorizations = 0}, workspace, first);
      const auto again = [&](std::vector<double>& r) {
        std::fill(r.begin(), r.end(), 0.0);
        solve_body_friction(problem.body, {.sweeps = sweeps}, workspace, r);
      };
#if STICTION_COUNTS_ALLOCATIONS
      EXPECT_EQ(stiction::testing::allocations_during([&] { again(first); }), 0);
#else
      again(first);
#endif
      again(second);
      EXPECT_EQ(first, second);
    }
  }
}

}  // namespace
}  // namespace stiction::solvers
