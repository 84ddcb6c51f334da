// Mixed nonlinear complementarity problems: known problems of the literature, friction against closed forms and against
// the friction solvers, homotopy, both factorisations, and what has no solution.
#include "stiction/solvers/ncp/mixed_ncp.h"

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "stiction/certify/friction_residual.h"
#include "stiction/math/types.h"
#include "support/random_friction.h"
#include "support/small_friction.h"

namespace stiction::solvers {
namespace {

using Kind = MixedNcpRows::Kind;

// F and dF/dz as dense functions of (z, t).
class DenseFunction final : public MixedNcpFunction {
 public:
  using F_of = std::function<VectorX(const VectorX&, double)>;
  using J_of = std::function<MatrixX(const VectorX&, double)>;
  DenseFunction(F_of F, J_of J) : F_(std::move(F)), J_(std::move(J)) {}

  bool evaluate(const double* z, double t, double* F) override {
    if (size_ == 0) return false;
    z_ = Eigen::Map<const VectorX>(z, size_);
    t_ = t;
    const VectorX value = F_(z_, t);
    if (value.size() != size_) return false;  // how a test says: not defined here
    Eigen::Map<VectorX>(F, size_) = value;
    return true;
  }
  void differentiate(BlockMatrix& J) override {
    Eigen::Map<RowMatrixX>(J.add(0, size_, 0, size_), size_, size_) = J_(z_, t_);
  }
  void set_size(int n) { size_ = n; }

 private:
  F_of F_;
  J_of J_;
  VectorX z_;
  double t_ = 1;
  int size_ = 0;
};

MixedNcpRows complementary_rows(int n) {
  MixedNcpRows rows;
  for (int i = 0; i < n; ++i) rows.add(Kind::complementary, 1, 1);
  return rows;
}

std::vector<double> to_std(const VectorX& x) {
  return {x.data(), x.data() + x.size()};
}

Eigen::Map<const VectorX> view(const std::vector<double>& z) {
  return {z.data(), static_cast<Eigen::Index>(z.size())};
}

SolveReport solve(DenseFunction& function, const MixedNcpRows& rows, std::vector<double>& z,
                  const MixedNcpOptions& options = {}) {
  function.set_size(rows.size());
  MixedNcpWorkspace workspace;
  const SolveReport report = solve_mixed_ncp(function, rows, options, 1.0, workspace, z);
  EXPECT_TRUE(view(z).allFinite());
  if (report.termination == Termination::solved) {
    EXPECT_LE(mixed_ncp_residual(function, rows, workspace, z), options.tolerance);
  }
  return report;
}

// An affine F = A z + b.
DenseFunction affine(const MatrixX& A, const VectorX& b) {
  return {[A, b](const VectorX& z, double) -> VectorX { return A * z + b; },
          [A](const VectorX&, double) -> MatrixX { return A; }};
}

// The quadratic part that Kojima and Shindo's and Josephy's problems share; c holds what differs: coefficients of x3
// and x4 in rows 2 and 3, and the constant of row 3.
struct QuadraticNcp {
  double c23, c34, d3;
  VectorX F(const VectorX& x) const {
    const double a = x[0], b = x[1], c = x[2], d = x[3];
    return Eigen::Vector4d(3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6,
                           2 * a * a + a + b * b + c23 * c + 2 * d - 2,
                           3 * a * a + a * b + 2 * b * b + 2 * c + c34 * d - d3, a * a + 3 * b * b + 2 * c + 3 * d - 3);
  }
  MatrixX J(const VectorX& x) const {
    const double a = x[0], b = x[1];
    Eigen::Matrix4d J;
    J << 6 * a + 2 * b, 2 * a + 4 * b, 1, 3, 4 * a + 1, 2 * b, c23, 2, 6 * a + b, a + 4 * b, 2, c34, 2 * a, 6 * b, 2, 3;
    return J;
  }
  DenseFunction function() const {
    return {[*this](const VectorX& x, double) { return F(x); }, [*this](const VectorX& x, double) { return J(x); }};
  }
};

const Eigen::Vector4d degenerate_solution(std::sqrt(6.0) / 2, 0, 0, 0.5);

TEST(MixedNcp, KojimaShindo) {
  const Eigen::Vector4d regular(1, 0, 3, 0);  // its other solution
  DenseFunction function = QuadraticNcp{10, 9, 9}.function();
  const MixedNcpRows rows = complementary_rows(4);
  int solved = 0;
  const std::vector<Eigen::Vector4d> starts = {{1, 1, 1, 1}, {0.5, 0, 0, 0.5}, {1.5, 0.1, 0.1, 0.6},
                                               {1, 0, 2, 0}, {2, 2, 2, 2},     {1, 0, 1, 0}};
  for (const Eigen::Vector4d& start : starts) {
    std::vector<double> z = to_std(start);
    if (solve(function, rows, z).termination != Termination::solved) continue;
    ++solved;
    // F's slope is of the order of one and the residual 1e-10; the degenerate one costs no digits of the min map.
    EXPECT_LT(std::min((view(z) - degenerate_solution).norm(), (view(z) - regular).norm()), 1e-8);
  }
  EXPECT_GE(solved, 5);
}

TEST(MixedNcp, Josephy) {
  DenseFunction function = QuadraticNcp{3, 3, 1}.function();
  const MixedNcpRows rows = complementary_rows(4);
  int solved = 0;
  const std::vector<Eigen::Vector4d> starts = {
      {1, 1, 1, 1}, {0.5, 0, 0, 0.5}, {2, 0, 0, 1}, {1.2, 0.3, 0.1, 0.4}, {2, 2, 2, 2}};
  for (const Eigen::Vector4d& start : starts) {
    std::vector<double> z = to_std(start);
    if (solve(function, rows, z).termination != Termination::solved) continue;
    ++solved;
    EXPECT_LT((view(z) - degenerate_solution).norm(), 1e-8);
  }
  EXPECT_GE(solved, 4);
}

// t (A z + z^3 + b) + (1 - t) (z - start), with b made so that a known z is the solution at t = 1. A is not symmetric,
// and A - 1 is positive semidefinite: one solution at every t.
struct MonotoneNcp {
  MatrixX A;
  VectorX b, known, start;

  MonotoneNcp(int n, std::mt19937& random) : A(n, n), known(n), start(n) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (double& x : A.reshaped()) x = uniform(random);
    A = (A * A.transpose() / n + 0.5 * (A - A.transpose()) + MatrixX::Identity(n, n)).eval();
    VectorX slack(n);
    for (int i = 0; i < n; ++i) {
      const double x = uniform(random);
      known[i] = std::max(0.0, x);
      slack[i] = std::max(0.0, -x);
      start[i] = std::max(0.0, 3 * uniform(random));
    }
    b = slack - A * known - known.array().cube().matrix();
  }
  DenseFunction function() const {
    return {[this](const VectorX& z, double t) -> VectorX {
              return t * (A * z + z.array().cube().matrix() + b) + (1 - t) * (z - start);
            },
            [this](const VectorX& z, double t) -> MatrixX {
              const VectorX diagonal = 3 * t * z.array().square() + (1 - t);
              return t * A + MatrixX(diagonal.asDiagonal());
            }};
  }
};

// Newton's method alone need not get there from afar (its merit, |natural map|, can have valleys); homotopy must.
TEST(MixedNcp, StronglyMonotoneProblemsFromAnywhere) {
  std::mt19937 random(7);
  int by_newton = 0;
  for (int trial = 0; trial < 80; ++trial) {
    const int n = 3 + trial % 60;
    const MonotoneNcp ncp(n, random);
    DenseFunction function = ncp.function();
    std::vector<double> z = to_std(ncp.start);
    if (solve(function, complementary_rows(n), z).termination == Termination::solved) {
      ++by_newton;
      EXPECT_LT((view(z) - ncp.known).norm(), 1e-8) << n;  // strong monotonicity of one: error <= residual sqrt(n)
    }
    z = to_std(ncp.start);
    MixedNcpWorkspace workspace;
    EXPECT_EQ(follow_mixed_ncp(function, complementary_rows(n), {.steps = 400}, workspace, z).termination,
              Termination::solved)
        << n;
    EXPECT_LT((view(z) - ncp.known).norm(), 1e-8) << n;
  }
  RecordProperty("by_newton", by_newton);
  EXPECT_GT(by_newton, 40);
}

// 0 <= z, M z + q >= 0, with M = tridiagonal (-1, 4, -1) and q so that every third component stays open.
TEST(MixedNcp, ALinearProblemWithItsKnownSolution) {
  const int n = 12;
  MatrixX M = 4 * MatrixX::Identity(n, n);
  for (int i = 0; i + 1 < n; ++i) M(i, i + 1) = M(i + 1, i) = -1;
  VectorX known(n), slack(n);
  for (int i = 0; i < n; ++i) known[i] = i % 3 == 0 ? 0 : i, slack[i] = i % 3 == 0 ? 1 + i : 0;
  DenseFunction function = affine(M, slack - M * known);
  std::vector<double> z(n, 0.0);
  EXPECT_EQ(solve(function, complementary_rows(n), z).termination, Termination::solved);
  EXPECT_LT((view(z) - known).norm(), 1e-9);
}

// Least |x - c|^2 over a.x = 1, x >= 0: multiplier of the equation first.
TEST(MixedNcp, EquationsBesideComplementarity) {
  const Vector3 c(2, 0.5, -1);
  MatrixX A = MatrixX::Zero(4, 4);
  A.bottomRightCorner<3, 3>().setIdentity();
  A.row(0).tail<3>().setOnes();
  A.col(0).tail<3>().setConstant(-1);
  VectorX b(4);
  b << -1, -c;
  DenseFunction function = affine(A, b);
  MixedNcpRows rows;
  rows.add(Kind::equation, 1, 1);
  for (int i = 0; i < 3; ++i) rows.add(Kind::complementary, 1, 1);
  std::vector<double> z(4, 0.3);
  EXPECT_EQ(solve(function, rows, z).termination, Termination::solved);
  EXPECT_LT((view(z) - Eigen::Vector4d(-1, 1, 0, 0)).norm(), 1e-9);  // the projection of c on the simplex
}

// A block of mass m on the ground: unknowns v (3), p_n, p_t, p_o.
struct PushedBlock {
  double m = 2, mu = 0.4;
  Vector3 v_free;
  int copies = 1;  // of the same contact: forces are not unique then, velocities are

  std::vector<double> solve_it() const {
    const int n = 3 + 3 * copies;
    MatrixX A = MatrixX::Zero(n, n);
    A.topLeftCorner<3, 3>() = m * Matrix3::Identity();
    MixedNcpRows rows;
    for (int i = 0; i < 3; ++i) rows.add(Kind::equation, m, 1 / std::sqrt(m));
    for (int k = 0; k < copies; ++k) {
      const int row = 3 + 3 * k;
      const int axis[3] = {2, 0, 1};
      for (int i = 0; i < 3; ++i) A(row + i, axis[i]) = 1, A(axis[i], row + i) = -1;
      rows.add(Kind::complementary, 1 / m, std::sqrt(m));
      for (int i = 0; i < 2; ++i) rows.add(Kind::ball, 1 / m, std::sqrt(m));
      rows.balls.push_back({row + 1, 2, row, mu, 0});
    }
    VectorX b = VectorX::Zero(n);
    b.head<3>() = -m * v_free;
    DenseFunction function = affine(A, b);
    std::vector<double> z(n, 0.0);
    EXPECT_EQ(solve(function, rows, z).termination, Termination::solved);
    return z;
  }
};

TEST(MixedNcp, ABlockSticksSlipsAndLeaves) {
  PushedBlock block;
  block.v_free = {0.03, -0.02, -0.1};  // |v_t| = 0.03606 < mu |v_n| = 0.04
  std::vector<double> z = block.solve_it();
  EXPECT_LT(view(z).head<3>().norm(), 1e-10);
  EXPECT_LT((view(z).tail<3>() - 2 * Vector3(0.1, -0.03, 0.02)).norm(), 1e-9);

  block.v_free = {0.3, -0.4, -0.1};  // slips: |v_t| falls by mu |v_n|
  z = block.solve_it();
  EXPECT_LT((view(z).head<3>() - Vector3(0.3, -0.4, 0) * (0.46 / 0.5)).norm(), 1e-10);
  EXPECT_LT((view(z).tail<3>() - Vector3(0.2, -0.6 * 0.08, 0.8 * 0.08)).norm(), 1e-9);

  block.v_free = {0.3, -0.4, 0.1};  // leaves
  z = block.solve_it();
  EXPECT_LT((view(z).head<3>() - block.v_free).norm(), 1e-10);
  EXPECT_LT(view(z).tail<3>().norm(), 1e-10);
}

TEST(MixedNcp, RedundantContactsCarryTheBlockTogether) {
  for (const int copies : {2, 4, 20}) {  // 20: by the sparse factorisation
    PushedBlock block;
    block.copies = copies;
    for (const double push : {0.03, 0.5}) {
      block.v_free = {push, 0, -0.1};
      const std::vector<double> z = block.solve_it();
      const double left = std::max(0.0, push - 0.04);
      EXPECT_LT((view(z).head<3>() - Vector3(left, 0, 0)).norm(), 1e-9) << copies;
      double normal = 0, tangential = 0;
      for (int k = 0; k < copies; ++k) {
        normal += z[3 + 3 * k];
        tangential += z[4 + 3 * k];
        EXPECT_LE(std::abs(z[4 + 3 * k]), 0.4 * z[3 + 3 * k] + 1e-9);
      }
      EXPECT_NEAR(normal, 0.2, 1e-9);
      EXPECT_NEAR(tangential, -2 * (push - left), 1e-9);
    }
  }
}

// A friction problem in the unknowns z, r = a z (z of friction rows: in which their ellipsoid is round).
struct PosedFriction {
  MatrixX A;
  VectorX b, axis;
  MixedNcpRows rows;

  explicit PosedFriction(const FrictionProblem& problem) {
    const MatrixX W = MatrixX(matrix_of(problem));
    const int n = problem.row_count();
    axis = VectorX::Ones(n);
    for (int i = 0; i < n; ++i) rows.add(Kind::equation, 1, 1);
    for (const FrictionBlock& block : problem.blocks) add(block, problem);
    A = axis.asDiagonal() * W * axis.asDiagonal();
    b = axis.asDiagonal() * Eigen::Map<const VectorX>(problem.q.data(), n);
    for (int i = 0; i < n; ++i) {
      if (axis[i] == 0) A(i, i) = 1;  // no friction: no impulse
    }
    find_weights();
  }

  void add(const FrictionBlock& block, const FrictionProblem& problem) {
    using Law = FrictionBlock::Law;
    if (block.law == Law::bilateral) return;
    const bool contact = block.law == Law::contact;
    const int first = block.first_row + (contact ? 1 : 0), count = block.row_count - (contact ? 1 : 0);
    if (contact) rows.kind[block.first_row] = Kind::complementary;
    for (int k = 0; k < count; ++k) axis[first + k] = block.axes[k];
    if (count == 0 || block.axes[0] == 0) return;
    for (int k = 0; k < count; ++k) rows.kind[first + k] = Kind::ball;
    const int link = contact ? block.first_row : block.link < 0 ? -1 : problem.blocks[block.link].first_row;
    rows.balls.push_back({first, count, link, 1, contact ? 0 : block.bound});
  }

  void find_weights() {
    for (int i = 0; i < rows.size(); ++i) rows.weight[i] = A(i, i) > 0 ? A(i, i) : 1;
    for (const FrictionBall& ball : rows.balls) {
      double mean = 0;
      for (int k = 0; k < ball.count; ++k) mean += rows.weight[ball.first + k] / ball.count;
      for (int k = 0; k < ball.count; ++k) rows.weight[ball.first + k] = mean;
    }
    for (int i = 0; i < rows.size(); ++i) rows.scale[i] = 1 / std::sqrt(rows.weight[i]);
  }

  SolveReport solve(std::vector<double>& r) const {
    DenseFunction function = affine(A, b);
    std::vector<double> z(rows.size(), 0.0);
    const SolveReport report = solvers::solve(function, rows, z);
    r = to_std(axis.cwiseProduct(view(z)));
    return report;
  }
};

TEST(MixedNcp, EveryFrictionLawAsTheFrictionSolversAnswerIt) {
  FrictionWorkspace workspace;
  for (const testing::NamedProblem& named : testing::every_law()) {
    std::vector<double> r, expected(named.problem.row_count());
    ASSERT_EQ(PosedFriction(named.problem).solve(r).termination, Termination::solved) << named.name;
    EXPECT_LT(certify::friction_residual(named.problem, r).natural, 1e-9) << named.name;
    const FrictionReport report =
        solve_friction(auto_friction, named.problem, {.tolerance = 1e-11}, workspace, expected);
    ASSERT_EQ(report.solve.termination, Termination::solved) << named.name;
    // W is definite with eigenvalues from one upwards, and these small frictions leave one answer.
    EXPECT_LT((view(r) - view(expected)).norm(), 1e-8) << named.name;
  }
}

// Rigid bodies, a third of the problems degenerate: judged by the certificate, as answers need not be unique.
TEST(MixedNcp, RandomFrictionProblemsAreSolvedOrNotFound) {
  testing::RandomFrictionMaker maker;
  int solved = 0, regular = 0, regular_solved = 0, pinched = 0;
  for (int seed = 1; seed <= 400; ++seed) {
    const testing::RandomFriction made = maker.make(seed);
    using RandomKind = testing::RandomKind;
    if (made.kind == RandomKind::mass_ratio || made.kind >= RandomKind::huge_friction) continue;
    std::vector<double> r;
    const SolveReport report = PosedFriction(made.problem).solve(r);
    const bool ok = report.termination == Termination::solved;
    solved += ok;
    if (made.pinched) {
      ++pinched;
      EXPECT_FALSE(ok) << seed;  // it has no solution
      continue;
    }
    if (made.kind == RandomKind::regular) ++regular, regular_solved += ok;
    // Residuals here are absolute: q is of the order of one, W at most a few hundred.
    if (!ok) continue;
    EXPECT_LT(certify::friction_residual(made.problem, r).natural, 1e-8) << seed;
  }
  EXPECT_GT(pinched, 3);
  EXPECT_GT(regular, 100);
  RecordProperty("solved", solved);
  // Newton alone, from zero, without a portfolio behind it: 94 of 100 or more.
  EXPECT_GT(regular_solved, 0.94 * regular) << regular;
}

// Both factorisations solve the same: a problem of 30 unknowns alone (dense) and two uncoupled copies (sparse).
TEST(MixedNcp, SparseAndDenseAgree) {
  const int n = 30, contacts = n / 3;
  std::vector<FrictionBlock> blocks(contacts, testing::contact_block(3, 0.4, 0.4));
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  VectorX q(n);
  for (double& x : q) x = uniform(random) - 0.3;
  const MatrixX W = testing::definite_matrix(n, 5);
  std::vector<double> one, two;
  ASSERT_EQ(PosedFriction(testing::friction_problem(blocks, W, q)).solve(one).termination, Termination::solved);
  blocks.resize(2 * contacts, testing::contact_block(3, 0.4, 0.4));
  MatrixX both = MatrixX::Zero(2 * n, 2 * n);
  both.topLeftCorner(n, n) = both.bottomRightCorner(n, n) = W;
  VectorX q_both(2 * n);
  q_both << q, q;
  ASSERT_EQ(PosedFriction(testing::friction_problem(blocks, both, q_both)).solve(two).termination, Termination::solved);
  EXPECT_LT((view(two).head(n) - view(one)).norm(), 1e-9);
  EXPECT_LT((view(two).tail(n) - view(one)).norm(), 1e-9);
}

// A string over an obstacle, z'' against a load: sizes round the limit of the dense factorisation, blocks instead of a
// full matrix, and the closed form of the string without contact.
class ObstacleString final : public MixedNcpFunction {
 public:
  ObstacleString(int n, double load) : n_(n), load_(load) {}
  bool evaluate(const double* z, double, double* F) override {
    for (int i = 0; i < n_; ++i) {
      F[i] = 2 * z[i] - (i > 0 ? z[i - 1] : 0) - (i + 1 < n_ ? z[i + 1] : 0) - load_;
    }
    return true;
  }
  void differentiate(BlockMatrix& J) override {
    for (int i = 0; i < n_; ++i) {
      J.add(i, 1, i, 1)[0] = 2;
      if (i > 0) J.add(i, 1, i - 1, 1)[0] = -1;
      if (i + 1 < n_) J.add(i, 1, i + 1, 1)[0] = -1;
    }
  }

 private:
  int n_;
  double load_;
};

TEST(MixedNcp, BlocksAreAddedUpRoundTheLimitOfTheDensePath) {
  MixedNcpWorkspace workspace;
  for (const int n : {47, 48, 49, 50, 300}) {
    ObstacleString string(n, 1e-3);
    std::vector<double> z(n, 0.0);
    const SolveReport report = solve_mixed_ncp(string, complementary_rows(n), {}, 1.0, workspace, z);
    ASSERT_EQ(report.termination, Termination::solved) << n;
    for (int i = 0; i < n; ++i) {
      const double expected = 1e-3 * (i + 1) * (n - i) / 2;
      // The compliance of 1e-8 that carries redundant rows does not move the answer: it is solved away.
      EXPECT_NEAR(z[i], expected, 1e-10 * n * n) << n << ' ' << i;
    }
    ObstacleString pressed(n, -1);
    EXPECT_EQ(solve_mixed_ncp(pressed, complementary_rows(n), {}, 1.0, workspace, z).termination, Termination::solved);
    EXPECT_LT(view(z).norm(), 1e-10);
  }
}

// x^3 - 3 x + 4 has its only root at -2.196, and a valley at x = 1 in which Newton's method from the right is caught.
// Moved along with t, the root is followed.
TEST(MixedNcp, HomotopyGoesWhereNewtonDoesNot) {
  const double root = -2.1958233454456471;
  const double shift = 2 - root;
  const auto value = [](double x) { return x * x * x - 3 * x + 4; };
  ASSERT_NEAR(value(root), 0, 1e-13);
  DenseFunction function(
      [&](const VectorX& z, double t) -> VectorX { return VectorX::Constant(1, value(z[0] - shift * (1 - t))); },
      [&](const VectorX& z, double t) -> MatrixX {
        const double x = z[0] - shift * (1 - t);
        return MatrixX::Constant(1, 1, 3 * x * x - 3);
      });
  MixedNcpRows rows;
  rows.add(Kind::equation, 1, 0.1);
  std::vector<double> z = {2.0};
  EXPECT_EQ(solve(function, rows, z, {.steps = 30}).termination, Termination::not_found);
  EXPECT_GT(z[0], 0);  // its best: in the valley
  z = {2.0};
  MixedNcpWorkspace workspace;
  const SolveReport report = follow_mixed_ncp(function, rows, {.steps = 200}, workspace, z);
  EXPECT_EQ(report.termination, Termination::solved);
  EXPECT_NEAR(z[0], root, 1e-9);
  // Its budget binds.
  z = {2.0};
  EXPECT_EQ(follow_mixed_ncp(function, rows, {.steps = 3}, workspace, z).termination, Termination::not_found);
}

TEST(MixedNcp, WhatHasNoSolutionIsNotFound) {
  // 0 <= z, F = -1 - z >= 0: nothing.
  DenseFunction infeasible = affine(MatrixX::Constant(1, 1, -1), VectorX::Constant(1, -1));
  std::vector<double> z = {0.5};
  EXPECT_EQ(solve(infeasible, complementary_rows(1), z).termination, Termination::not_found);
  // Two contacts that pinch: z1 - z2 = 1 and z2 - z1 = 1 at least.
  MatrixX A(2, 2);
  A << 1, -1, -1, 1;
  DenseFunction pinch = affine(A, Vector2(-1, -1));
  z = {0, 0};
  EXPECT_EQ(solve(pinch, complementary_rows(2), z).termination, Termination::not_found);
}

TEST(MixedNcp, WhatIsNotDefinedOrNotFiniteDoesNotLeave) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // log z - 1 = 0, not defined (an empty vector) or NaN for z <= 0: the line search shortens steps from z = 20 on.
  for (const bool empty : {true, false}) {
    DenseFunction logarithm(
        [&](const VectorX& z, double) -> VectorX {
          if (z[0] <= 0) return empty ? VectorX() : VectorX::Constant(1, nan);
          return VectorX::Constant(1, std::log(z[0]) - 1);
        },
        [](const VectorX& z, double) -> MatrixX { return MatrixX::Constant(1, 1, 1 / z[0]); });
    MixedNcpRows rows;
    rows.add(Kind::equation, 1, 1);
    std::vector<double> z = {20};
    EXPECT_EQ(solve(logarithm, rows, z).termination, Termination::solved);
    EXPECT_NEAR(z[0], std::exp(1), 1e-9);
    z = {-1};  // not defined at the start
    EXPECT_EQ(solve(logarithm, rows, z).termination, Termination::not_found);
    EXPECT_EQ(z[0], -1);
    MixedNcpWorkspace workspace;
    EXPECT_TRUE(std::isinf(mixed_ncp_residual(logarithm, rows, workspace, z)));
  }
  // A derivative that is NaN: no step is found, the start is kept.
  DenseFunction broken([](const VectorX& z, double) -> VectorX { return z - VectorX::Ones(2); },
                       [&](const VectorX&, double) -> MatrixX { return MatrixX::Constant(2, 2, nan); });
  MixedNcpRows rows = complementary_rows(2);
  std::vector<double> z = {3, 4};
  EXPECT_EQ(solve(broken, rows, z).termination, Termination::not_found);
  EXPECT_EQ(z, (std::vector<double>{3, 4}));
}

// A problem that is solved already costs no step; a warm start close by costs fewer than one from afar.
TEST(MixedNcp, WarmStartsAreUsed) {
  DenseFunction function = QuadraticNcp{3, 3, 1}.function();
  std::vector<double> z = {1.2, 0.3, 0.1, 0.4};
  const SolveReport cold = solve(function, complementary_rows(4), z);
  ASSERT_EQ(cold.termination, Termination::solved);
  EXPECT_EQ(solve(function, complementary_rows(4), z).iterations, 0);
  z[0] += 1e-6;
  const SolveReport warm = solve(function, complementary_rows(4), z);
  EXPECT_EQ(warm.termination, Termination::solved);
  EXPECT_LT(warm.iterations, cold.iterations);
}

}  // namespace
}  // namespace stiction::solvers
