// The interior point from a guess, and the pairs that it starts from; Newton's method that ends where it is not easy.
#include "stiction/solvers/friction/body/body_interior_point.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stiction/certify/friction_residual.h"
#include "stiction/solvers/friction/body/body_proximal_newton.h"
#include "stiction/solvers/friction/body/body_solver.h"
#include "support/random_bodies.h"

namespace stiction::solvers {
namespace {

using stiction::testing::condensed;
using stiction::testing::random_bodies;

template <int N>
void expect_central_pair(const double (&w)[N], double level) {
  double z[N], s[N], product[N];
  lorentz::central_pair<N>(w, level, z, s);
  lorentz::jordan_product<N>(z, s, product);
  double size = std::sqrt(level);
  for (const double x : w) size += std::abs(x);
  for (int i = 0; i < N; ++i) {
    EXPECT_NEAR(z[i] - s[i], w[i], 1e-15 * size) << N << ' ' << level;
    EXPECT_NEAR(product[i], i == 0 ? level : 0.0, 1e-15 * (level + size * size)) << N << ' ' << level;
  }
  EXPECT_GT(lorentz::determinant<N>(z), 0) << N << ' ' << level;
  EXPECT_GT(lorentz::determinant<N>(s), 0) << N << ' ' << level;
  EXPECT_GT(z[0], 0);
  EXPECT_GT(s[0], 0);
}

// A contact that carries, one that is open, one that slides, one at the tip of both cones, one without friction.
TEST(LorentzCone, APairOfAnyDifferenceAndLevel) {
  for (const double level : {1.0, 1e-3, 1e-8}) {
    expect_central_pair<3>({2, 0.5, 0.1}, level);
    expect_central_pair<3>({-2, 0.5, 0.1}, level);
    expect_central_pair<3>({0.1, 2, -1}, level);
    expect_central_pair<3>({0, 0, 0}, level);
    expect_central_pair<4>({0.1, 2, -1, 3}, level);
    expect_central_pair<2>({1, 1}, level);
    expect_central_pair<1>({-3}, level);
    expect_central_pair<1>({3}, level);
  }
}

// A problem in the units of solvers, and the interior point on it.
struct Case {
  explicit Case(const BodyFrictionProblem& problem) {
    EXPECT_TRUE(make_body_system(problem, system));
    matrix.analyze(system);
    progress.best.assign(system.row_count, 0.0);
  }
  std::vector<double> rows(const std::vector<double>& r) const {
    std::vector<double> z(system.row_count);
    to_system(system, r, z.data());
    return z;
  }
  std::vector<double> impulses(const std::vector<double>& z) const {
    std::vector<double> r(system.row_count);
    from_system(system, z.data(), r);
    return r;
  }
  BodySystem system;
  BodyMatrix matrix;
  BodyProgress progress;
  BodyInteriorPoint interior;
};

std::vector<double> solved(const BodyFrictionProblem& problem) {
  BodyWorkspace workspace;
  std::vector<double> r(problem.row_count(), 0.0);
  const BodyReport report = solve_body_friction(problem, {.tolerance = 1e-10}, workspace, r);
  EXPECT_EQ(report.solve.termination, Termination::solved);
  return r;
}

// Every law: contacts, joints, bounded rows, rolling. The answer of the step before leads to that of this one, and
// needs about half of the work of a cold start.
TEST(BodyInteriorPoint, StartsNearAGuess) {
  int warm = 0, cold = 0, arrived = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    BodyFrictionProblem problem = random_bodies({.bodies = 6, .contacts = 14}, seed);
    const std::vector<double> before = solved(problem);
    for (double& v : problem.v_free) v *= 1.003;
    Case one(problem), other(problem);
    std::vector<double> z = one.rows(before), from_nothing(z.size(), 0.0);
    const BodyInteriorOptions options = {.stop = 1e-6, .level = 1e-6};
    if (!(one.interior.run(one.system, options, one.matrix, one.progress, z) <= 1e-6)) continue;
    ++arrived;
    EXPECT_LE(certify::friction_residual(condensed(problem), one.impulses(z)).natural, 1.01e-6) << seed;
    other.interior.run(other.system, {.stop = 1e-6}, other.matrix, other.progress, from_nothing);
    warm += one.progress.factorizations;
    cold += other.progress.factorizations;
  }
  EXPECT_GE(arrived, 38);
  EXPECT_LE(warm, 0.7 * cold) << warm << ' ' << cold;
}

// A body on four corners, whose forces are not determined: from a guess that leans on one diagonal, steps to the curve
// lead nearer to the middle, where all corners carry the same.
TEST(BodyInteriorPoint, StepsToTheCurveLeadToTheMiddle) {
  BodyFrictionProblem problem;
  problem.bodies = {{.offset = 0, .size = 6, .mass_offset = 0}};
  const Matrix6 mass = Matrix6::Identity();
  problem.mass.assign(mass.data(), mass.data() + mass.size());
  problem.v_free = {0, 0, -1, 0, 0, 0};
  for (int corner = 0; corner < 4; ++corner) {
    const Vector3 at(corner % 2 == 0 ? 1 : -1, corner < 2 ? 1 : -1, -0.5);
    problem.blocks.push_back({.first_row = 3 * corner, .row_count = 3, .axes = {0.5, 0.5, 0}});
    problem.sides.push_back({.body = {0, -1}, .offset = {18 * corner, 0}});
    for (const Vector3& axis : {Vector3(0, 0, 1), Vector3(1, 0, 0), Vector3(0, 1, 0)}) {
      const Vector3 moment = at.cross(axis);
      problem.jacobian.insert(problem.jacobian.end(), axis.data(), axis.data() + 3);
      problem.jacobian.insert(problem.jacobian.end(), moment.data(), moment.data() + 3);
    }
  }
  problem.bias.assign(12, 0.0);
  std::vector<double> guess(12, 0.0);
  for (const auto& [corner, share] : {std::pair{0, 0.4}, {1, 0.05}, {2, 0.05}, {3, 0.4}}) guess[3 * corner] = share;
  const auto spread = [&](int centred) {
    Case one(problem);
    std::vector<double> z = one.rows(guess);
    const double residual = one.interior.run(one.system, {.stop = 1e-6, .level = 1e-3, .centred_steps = centred},
                                             one.matrix, one.progress, z);
    EXPECT_LE(residual, 1e-6) << centred;
    const std::vector<double> r = one.impulses(z);
    EXPECT_NEAR(r[0] + r[3] + r[6] + r[9], 1, 1e-5);
    return std::abs(r[0] - r[3]);
  };
  const double along = spread(0), to_the_curve = spread(2);
  EXPECT_GT(along, 0.01);
  EXPECT_LT(to_the_curve, 0.5 * along);
}

// Where one step does not bring Newton's method much further, it costs that step and no more, and leaves z alone.
TEST(BodyProximalNewton, EndsAtOnceWhereItIsNotEasy) {
  int easy = 0, hard = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    BodyFrictionProblem problem = random_bodies({.bodies = 6, .contacts = 14, .every_law = false}, seed);
    const std::vector<double> before = solved(problem);
    for (size_t i = 0; i < problem.v_free.size(); ++i) problem.v_free[i] *= i % 3 == 0 ? 1.2 : 0.9;
    Case one(problem), other(problem);
    std::vector<double> z = one.rows(before), same = z;
    BodyProximalNewton newton;
    const bool taken = newton.step(one.system, {.penalty = 1e4, .factorizations = 30, .only_if_easy = true}, 1e-9,
                                   one.matrix, one.progress, z);
    if (taken) {
      ++easy;
      continue;
    }
    EXPECT_EQ(z, same) << seed;
    if (!newton.step(other.system, {.penalty = 1e4, .factorizations = 30}, 1e-9, other.matrix, other.progress, same))
      continue;
    ++hard;  // Newton's method does get there, at a price
    EXPECT_EQ(one.progress.factorizations, 1) << seed;
    EXPECT_GT(other.progress.factorizations, 2) << seed;
  }
  EXPECT_GT(easy, 0);
  EXPECT_GT(hard, 5);
}

}  // namespace
}  // namespace stiction::solvers
