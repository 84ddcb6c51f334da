// The solver of (22) judged by certify/: every kind of cone, other solvers as oracles, hostile starts, the wedge.
#include "stiction/solvers/cone/general_cone.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stiction/certify/cone_residual.h"
#include "stiction/certify/friction_residual.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/lcp/lemke.h"
#define STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE
#include "support/allocation_counter.h"
#include "support/friction_cones.h"
#include "support/random_cone.h"
#include "support/small_friction.h"

namespace stiction::solvers {
namespace {

using stiction::testing::ConeFamily;
using stiction::testing::RandomConeMaker;
using stiction::testing::RandomConeProblem;

constexpr double certificate_tolerance = 1e-9;  // of the certificate, relative

VectorX velocity(const ConeProblem& problem, const std::vector<double>& r) {
  const auto n = static_cast<Eigen::Index>(r.size());
  return Eigen::Map<const MatrixX>(problem.W.data(), n, n) * Eigen::Map<const VectorX>(r.data(), n) +
         Eigen::Map<const VectorX>(problem.q.data(), n);
}

bool is_solved(const GeneralConeReport& report) {
  return report.solve.termination == Termination::solved;
}

// Certified by the law and by (22) itself.
void expect_answer(const ConeProblem& problem, const std::vector<double>& r, const std::string& what) {
  std::vector<double> lambda(multiplier_count(problem));
  recover_multipliers(problem, r, lambda);
  const certify::ConeResidual residual = certify::cone_residual(problem, r);
  EXPECT_LE(residual.normal, certificate_tolerance) << what;
  EXPECT_LE(residual.cone, certificate_tolerance) << what;
  EXPECT_LE(residual.dissipation, certificate_tolerance) << what;
  EXPECT_LE(residual.bilateral, certificate_tolerance) << what;
  EXPECT_LE(certify::fritz_john_residual(problem, r, lambda).worst(), certificate_tolerance) << what;
}

class EveryFamily : public ::testing::TestWithParam<int> {};

TEST_P(EveryFamily, FrictionIsInItsConeAndDissipatesMost) {
  const auto family = static_cast<ConeFamily>(GetParam());
  RandomConeMaker maker(1000 + GetParam());
  GeneralConeWorkspace workspace;
  const int problems = 300;
  int found = 0, steps = 0, by_rung[cone_rungs] = {};
  for (int k = 0; k < problems; ++k) {
    const RandomConeProblem made = maker.make(family);
    std::vector<double> r(made.problem.row_count());
    const GeneralConeReport report = solve_general_cone(made.problem, {}, workspace, r);
    steps += report.solve.iterations;
    if (!is_solved(report)) continue;
    ++found, ++by_rung[static_cast<int>(report.rung)];
    expect_answer(made.problem, r, stiction::testing::cone_family_name(family) + std::to_string(k));
  }
  EXPECT_EQ(found, problems);
  EXPECT_LT(steps, (family == ConeFamily::huge ? 50 : 15) * problems);
  EXPECT_GT(by_rung[0], problems * 8 / 10);
}

INSTANTIATE_TEST_SUITE_P(GeneralCone, EveryFamily, ::testing::Range(0, stiction::testing::cone_families));

// Each globalisation alone, so that none hides behind the others.
TEST(GeneralCone, EveryRungSolvesMostProblemsByItself) {
  for (int rung = 0; rung < cone_rungs; ++rung) {
    RandomConeMaker maker(77);
    GeneralConeWorkspace workspace;
    int found = 0;
    for (int k = 0; k < 100; ++k) {
      const RandomConeProblem made = maker.make(static_cast<ConeFamily>(k % stiction::testing::cone_families));
      std::vector<double> r(made.problem.row_count());
      GeneralConeOptions options;
      options.rungs = 1U << rung;
      const GeneralConeReport report = solve_general_cone(made.problem, options, workspace, r);
      if (!is_solved(report)) continue;
      ++found;
      EXPECT_LE(certify::cone_residual(made.problem, r).worst(), certificate_tolerance);
    }
    EXPECT_GE(found, 80) << cone_rung_name(static_cast<ConeRung>(rung));
  }
}

// The same problem for solve_friction.
FrictionProblem friction_problem_of(const ConeProblem& problem) {
  std::vector<FrictionBlock> blocks;
  for (int i = 0; i < problem.bilateral_rows; ++i) blocks.push_back(stiction::testing::bilateral_block(1));
  for (const ConeContact& contact : problem.contacts) {
    FrictionBlock block = stiction::testing::contact_block(1 + friction_rows(contact));
    if (contact.cone) block.axes = contact.cone->axes;
    blocks.push_back(block);
  }
  const auto n = static_cast<Eigen::Index>(problem.q.size());
  return stiction::testing::friction_problem(blocks, Eigen::Map<const MatrixX>(problem.W.data(), n, n),
                                             Eigen::Map<const VectorX>(problem.q.data(), n));
}

TEST(GeneralCone, AgreesWithTheFrictionSolversOnEllipsoids) {
  RandomConeMaker maker(31);
  GeneralConeWorkspace workspace;
  FrictionWorkspace other_workspace;
  int same = 0, compared = 0;
  for (int k = 0; k < 400; ++k) {
    const RandomConeProblem made = maker.make(static_cast<ConeFamily>(k % 4));
    std::vector<double> r(made.problem.row_count()), other(r.size());
    ASSERT_TRUE(is_solved(solve_general_cone(made.problem, {}, workspace, r))) << k;
    const FrictionProblem problem = friction_problem_of(made.problem);
    EXPECT_LE(certify::friction_residual(problem, r).natural, 1e-9) << k;
    const FrictionReport report = solve_friction(auto_friction, problem, {.tolerance = 1e-11}, other_workspace, other);
    if (report.solve.termination != Termination::solved) continue;
    EXPECT_LE(certify::cone_residual(made.problem, other).worst(), 1e-9) << k;
    const VectorX u = velocity(made.problem, r), v = velocity(made.problem, other);
    ++compared;
    same += (u - v).norm() <= 1e-6 * (1 + u.norm()) ? 1 : 0;
  }
  EXPECT_GE(compared, 390);
  EXPECT_GE(same, compared * 95 / 100);  // the others have more than one answer: both are certified above
}

// The LCP of the paper (7), assembled from the corners: r_f = D beta.
std::vector<double> lemke_answer(const ConeProblem& problem) {
  const auto n = static_cast<Eigen::Index>(problem.q.size());
  std::vector<VectorX> columns;
  std::vector<std::array<int, 3>> groups;  // normal, first corner, lambda
  for (const ConeContact& contact : problem.contacts) {
    std::array<int, 3> group = {static_cast<int>(columns.size()), 0, -1};
    columns.push_back(VectorX::Unit(n, contact.first_row));
    group[1] = static_cast<int>(columns.size());
    if (contact.cone) {
      for (const Vector2& corner : contact.cone->vertices) {
        columns.push_back(VectorX::Zero(n));
        columns.back().segment<2>(contact.first_row + 1) = corner;
      }
      group[2] = static_cast<int>(columns.size());
      columns.push_back(VectorX::Zero(n));
    }
    groups.push_back(group);
  }
  const auto m = static_cast<Eigen::Index>(columns.size());
  MatrixX D(n, m);
  for (Eigen::Index j = 0; j < m; ++j) D.col(j) = columns[j];
  Lcp lcp{D.transpose() * Eigen::Map<const MatrixX>(problem.W.data(), n, n) * D,
          D.transpose() * Eigen::Map<const VectorX>(problem.q.data(), n)};
  for (const auto& [normal, first, lambda] : groups) {
    for (int i = first; i < lambda; ++i) lcp.M(i, lambda) = 1, lcp.M(lambda, i) = -1;
    if (lambda >= 0) lcp.M(lambda, normal) = 1;
  }
  VectorX z;
  if (solve_lemke(lcp, z).termination != Termination::solved) return {};
  const VectorX r = D * z;
  return {r.data(), r.data() + n};
}

TEST(GeneralCone, AgreesWithLemkeOnPolygons) {
  RandomConeMaker maker(32);
  GeneralConeWorkspace workspace;
  int same = 0, compared = 0;
  for (int k = 0; k < 400; ++k) {
    const ConeFamily families[] = {ConeFamily::polygon, ConeFamily::segment, ConeFamily::diamond};
    const RandomConeProblem made = maker.make(families[k % 3]);
    if (made.problem.bilateral_rows > 0) continue;
    std::vector<double> r(made.problem.row_count());
    ASSERT_TRUE(is_solved(solve_general_cone(made.problem, {}, workspace, r))) << k;
    const std::vector<double> other = lemke_answer(made.problem);
    if (other.empty()) continue;
    EXPECT_LE(certify::cone_residual(made.problem, other).worst(), 1e-9) << k;
    ++compared;
    const VectorX u = velocity(made.problem, r), v = velocity(made.problem, other);
    same += (u - v).norm() <= 1e-6 * (1 + u.norm()) ? 1 : 0;
  }
  EXPECT_GE(compared, 300);
  EXPECT_GE(same, compared * 95 / 100);
}

TEST(GeneralCone, SuddenChangeOfContactStateIsSolvedFromTheOldAnswer) {
  RandomConeMaker maker(33);
  GeneralConeWorkspace workspace;
  int kept = 0;
  for (int k = 0; k < 260; ++k) {
    const auto family = static_cast<ConeFamily>(k % stiction::testing::cone_families);
    RandomConeProblem made = maker.make(family);
    if (family == ConeFamily::huge) continue;
    std::vector<double> r(made.problem.row_count());
    solve_general_cone(made.problem, {}, workspace, r);
    // The load turns round: what pressed opens, what was open presses, sliding reverses; and a thousand times as hard.
    for (double& x : r) x *= 1000;
    for (double& x : made.problem.q) x = -x;
    GeneralConeOptions options;
    options.warm_start = true;
    // -J v alone stays a problem with an answer; the gaps must not turn into penetration.
    for (const ConeContact& contact : made.problem.contacts) made.problem.q[contact.first_row] += 0.5;
    const GeneralConeReport report = solve_general_cone(made.problem, options, workspace, r);
    ASSERT_TRUE(is_solved(report)) << k << " " << report.solve.residual;
    expect_answer(made.problem, r, std::to_string(k));
    kept += report.solve.warm_started ? 1 : 0;
    // And from its own answer no step is needed but the two that polish.
    const GeneralConeReport again = solve_general_cone(made.problem, options, workspace, r);
    EXPECT_TRUE(is_solved(again) && again.solve.warm_started);
    EXPECT_LE(again.solve.iterations, 2);
  }
  EXPECT_GT(kept, 100);
}

TEST(GeneralCone, WarmStartThatIsNotFiniteIsPassedOver) {
  RandomConeMaker maker(34);
  GeneralConeWorkspace workspace;
  const RandomConeProblem made = maker.make(ConeFamily::round);
  std::vector<double> r(made.problem.row_count(), NAN);
  GeneralConeOptions options;
  options.warm_start = true;
  const GeneralConeReport report = solve_general_cone(made.problem, options, workspace, r);
  EXPECT_TRUE(is_solved(report));
  EXPECT_FALSE(report.solve.warm_started);
}

TEST(GeneralCone, WithoutFrictionThereIsNone) {
  RandomConeMaker maker(35);
  const FrictionCone none = *make_ellipsoid_cone(std::array{0.0, 0.0});
  GeneralConeWorkspace workspace;
  RandomConeProblem made = maker.make(ConeFamily::round);
  for (ConeContact& contact : made.problem.contacts) contact.cone = contact.cone ? &none : nullptr;
  std::vector<double> r(made.problem.row_count());
  ASSERT_TRUE(is_solved(solve_general_cone(made.problem, {}, workspace, r)));
  for (const ConeContact& contact : made.problem.contacts) {
    for (int i = 1; i <= friction_rows(contact); ++i) EXPECT_EQ(r[contact.first_row + i], 0);
  }
  expect_answer(made.problem, r, "frictionless");
}

TEST(GeneralCone, HugeFrictionSticks) {
  const FrictionCone cone = *make_ellipsoid_cone(std::array{1e6, 1e6});
  ConeProblem problem;
  problem.contacts = {{0, &cone}};
  problem.W = {1, 0.2, 0.1, 0.2, 1, 0, 0.1, 0, 1};
  problem.q = {-1, 2, -3};
  std::vector<double> r(3);
  GeneralConeWorkspace workspace;
  ASSERT_TRUE(is_solved(solve_general_cone(problem, {}, workspace, r)));
  EXPECT_LT(velocity(problem, r).norm(), 1e-11);
}

// A particle pushed across a skate blade: along t the friction is 0.02, along o 0.8, on a unit normal impulse.
TEST(GeneralCone, SkateHoldsAcrossAndGlidesAlong) {
  for (const FrictionCone& blade :
       {*make_ellipsoid_cone(std::array{0.02, 0.8}), *make_superellipse_cone(0.02, 0.8, 6)}) {
    ConeProblem problem;
    problem.contacts = {{0, &blade}};
    problem.W = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    problem.q = {-1, 0.5, 0.3};
    std::vector<double> r(3);
    GeneralConeWorkspace workspace;
    ASSERT_TRUE(is_solved(solve_general_cone(problem, {}, workspace, r)));
    const VectorX u = velocity(problem, r);
    EXPECT_GT(u[1], 0.48);
    EXPECT_LT(std::abs(u[2]), 0.1);
    expect_answer(problem, r, "skate");
  }
}

TEST(GeneralCone, AProblemWithoutAnAnswerIsReportedAsNotFound) {
  // Two opposite walls that both approach: u_1 + u_2 = -2 whatever the impulses.
  ConeProblem problem;
  problem.contacts = {{0, nullptr}, {1, nullptr}};
  problem.W = {1, -1, -1, 1};
  problem.q = {-1, -1};
  std::vector<double> r(2);
  GeneralConeWorkspace workspace;
  const GeneralConeReport report = solve_general_cone(problem, {}, workspace, r);
  EXPECT_EQ(report.solve.termination, Termination::not_found);
  EXPECT_GT(report.solve.residual, 0.1);
  EXPECT_TRUE(std::isfinite(r[0]) && std::isfinite(r[1]));
}

// Boxes on boxes, four contacts each: more rows than motions, so that impulses are not unique and W is singular.
RandomConeProblem box_stack(RandomConeMaker& maker, ConeFamily family, int boxes, double push) {
  RandomConeProblem made;
  std::vector<VectorX> rows;
  VectorX v(6L * boxes);
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = (i % 6 == 2 ? -0.0981 : 0) + push * maker.uniform(-1, 1);
  for (int k = 0; k < 4 * boxes; ++k) {
    made.cones.push_back(std::make_unique<FrictionCone>(maker.cone(family)));
    made.problem.contacts.push_back({static_cast<int>(rows.size()), made.cones.back().get()});
    const int box = k / 4;
    const Vector3 corner(k % 2 == 0 ? -0.5 : 0.5, k % 4 < 2 ? -0.5 : 0.5, 0), down(0, 0, -0.5);
    const Vector3 axes[4] = {Vector3::UnitZ(), Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
    for (int i = 0; i <= made.cones.back()->dimension; ++i) {
      VectorX row = VectorX::Zero(6L * boxes);
      const auto add = [&](int body, double sign, const Vector3& arm) {
        if (i < 3) row.segment<3>(6L * body) = sign * axes[i];
        row.segment<3>(6L * body + 3) = sign * (i < 3 ? Vector3(arm.cross(axes[i])) : axes[i]);
      };
      add(box, 1, corner + down);
      if (box > 0) add(box - 1, -1, corner - down);
      rows.push_back(row);
    }
  }
  made.J.resize(static_cast<Eigen::Index>(rows.size()), v.size());
  for (size_t i = 0; i < rows.size(); ++i) made.J.row(static_cast<Eigen::Index>(i)) = rows[i].transpose();
  const MatrixX W = made.J * made.J.transpose();
  const VectorX q = made.J * v;
  made.problem.W.assign(W.data(), W.data() + W.size());
  made.problem.q.assign(q.data(), q.data() + q.size());
  return made;
}

TEST(GeneralCone, RedundantContactsOfStacksAtRestAndPushedAreSolved) {
  GeneralConeWorkspace workspace;
  for (int f = 0; f < stiction::testing::cone_families; ++f) {
    RandomConeMaker maker(900 + f);
    for (int k = 0; k < 12; ++k) {
      const RandomConeProblem made = box_stack(maker, static_cast<ConeFamily>(f), 1 + k % 3, k % 2 == 0 ? 0.0 : 0.2);
      std::vector<double> r(made.problem.row_count());
      const GeneralConeReport report = solve_general_cone(made.problem, {}, workspace, r);
      const std::string what = stiction::testing::cone_family_name(static_cast<ConeFamily>(f)) + std::to_string(k);
      ASSERT_TRUE(is_solved(report)) << what << " " << report.solve.residual;
      expect_answer(made.problem, r, what);
    }
  }
}

TEST(GeneralCone, NumbersThatAreNotFiniteAreNotFound) {
  GeneralConeWorkspace workspace;
  RandomConeMaker maker(42);
  RandomConeProblem made = maker.make(ConeFamily::round);
  made.problem.q[0] = NAN;
  std::vector<double> r(made.problem.row_count(), 1.0);
  const GeneralConeReport report = solve_general_cone(made.problem, {}, workspace, r);
  EXPECT_EQ(report.solve.termination, Termination::not_found);
  EXPECT_EQ(report.solve.residual, INFINITY);
  for (const double x : r) EXPECT_EQ(x, 0);
}

TEST(GeneralCone, NothingToDoIsSolved) {
  GeneralConeWorkspace workspace;
  EXPECT_TRUE(is_solved(solve_general_cone({}, {}, workspace, {})));
  RandomConeMaker maker(40);
  RandomConeProblem made = maker.make(ConeFamily::mixed);
  std::fill(made.problem.q.begin(), made.problem.q.end(), 0.0);
  std::vector<double> r(made.problem.row_count());
  EXPECT_TRUE(is_solved(solve_general_cone(made.problem, {}, workspace, r)));
  for (const double x : r) EXPECT_EQ(x, 0);
}

// Exponents at both ends, where a superellipse is almost a diamond or a rectangle, and the largest polygon.
TEST(GeneralCone, AlmostPolygonsAreSolved) {
  GeneralConeWorkspace workspace;
  const FrictionCone cones[] = {*make_superellipse_cone(0.6, 0.3, 1.01), *make_superellipse_cone(0.6, 0.3, 64),
                                stiction::testing::regular_polygon(64, 0.5)};
  RandomConeMaker maker(41);
  for (int k = 0; k < 150; ++k) {
    RandomConeProblem made = maker.make(ConeFamily::round);
    for (ConeContact& contact : made.problem.contacts) contact.cone = contact.cone ? &cones[k % 3] : nullptr;
    std::vector<double> r(made.problem.row_count());
    const GeneralConeReport report = solve_general_cone(made.problem, {}, workspace, r);
    ASSERT_TRUE(is_solved(report)) << k << " " << report.solve.residual;
    EXPECT_LE(certify::cone_residual(made.problem, r).worst(), certificate_tolerance) << k;
  }
}

TEST(GeneralCone, TimeLimitIsReported) {
  RandomConeMaker maker(38);
  GeneralConeWorkspace workspace;
  const RandomConeProblem made = maker.make(ConeFamily::round);
  std::vector<double> r(made.problem.row_count());
  GeneralConeOptions options;
  options.time_limit = 0;
  EXPECT_EQ(solve_general_cone(made.problem, options, workspace, r).solve.termination, Termination::time_limit);
  for (const double x : r) EXPECT_TRUE(std::isfinite(x));
}

// Impulses scale with the load, and units of mass do not matter: powers of two change no digit.
TEST(GeneralCone, AnswersScaleWithLoadAndMass) {
  RandomConeMaker maker(39);
  GeneralConeWorkspace workspace;
  for (int k = 0; k < 50; ++k) {
    const RandomConeProblem made = maker.make(ConeFamily::elliptic);
    ConeProblem scaled = made.problem;
    for (double& x : scaled.W) x *= 0x1p-20;
    for (double& x : scaled.q) x *= 0x1p-30;
    std::vector<double> r(made.problem.row_count()), s(r.size());
    solve_general_cone(made.problem, {}, workspace, r);
    solve_general_cone(scaled, {}, workspace, s);
    for (size_t i = 0; i < r.size(); ++i) EXPECT_EQ(r[i] * 0x1p-10, s[i]) << k;
  }
}

TEST(GeneralCone, EqualInputGivesEqualBits) {
  RandomConeMaker maker(36);
  GeneralConeWorkspace used;
  for (int k = 0; k < 50; ++k) {
    const RandomConeProblem made = maker.make(ConeFamily::mixed);
    std::vector<double> r(made.problem.row_count()), s(r.size());
    GeneralConeWorkspace fresh;
    solve_general_cone(made.problem, {}, used, r);
    solve_general_cone(made.problem, {}, fresh, s);
    EXPECT_EQ(r, s);
  }
}

#if STICTION_COUNTS_ALLOCATIONS
TEST(GeneralCone, SecondSolvesAllocateNothing) {
  RandomConeMaker maker(37);
  for (int k = 0; k < 65; ++k) {
    const RandomConeProblem made = maker.make(static_cast<ConeFamily>(k % stiction::testing::cone_families));
    for (int rung = 0; rung < cone_rungs; ++rung) {
      if (made.problem.bilateral_rows > 0 && rung == static_cast<int>(ConeRung::polyhedral)) continue;
      GeneralConeOptions options;
      options.rungs = 1U << rung;
      GeneralConeWorkspace workspace;
      std::vector<double> r(made.problem.row_count());
      solve_general_cone(made.problem, options, workspace, r);
      EXPECT_EQ(stiction::testing::allocations_during([&] { solve_general_cone(made.problem, options, workspace, r); }),
                0)
          << k << cone_rung_name(static_cast<ConeRung>(rung));
    }
  }
}
#endif

}  // namespace
}  // namespace stiction::solvers
