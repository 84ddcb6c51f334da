#include "stiction/certify/friction_residual.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "stiction/math/types.h"
#include "stiction/problem/friction_matrix.h"

namespace stiction::certify {
namespace {

using Law = FrictionBlock::Law;

// A problem and an answer that is right by construction: u and r obey the laws, q = u - W r.
struct Known {
  FrictionProblem problem;
  VectorX r;
  VectorX u;
};

// Rounding of W r + q, relative to |q|, with entries of order one.
constexpr double rounding = 1e-14;

// A dense symmetric positive definite W for the blocks.
MatrixX random_matrix(int n, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  MatrixX A(n, n);
  for (int i = 0; i < n * n; ++i) A.data()[i] = uniform(random);
  return A * A.transpose() / n + MatrixX::Identity(n, n);
}

Known known(std::vector<FrictionBlock> blocks, const VectorX& r, const VectorX& u, unsigned seed = 1) {
  std::mt19937 random(seed);
  Known result = {{}, r, u};
  const MatrixX W = random_matrix(static_cast<int>(r.size()), random);
  int row = 0;
  for (FrictionBlock& block : blocks) {
    block.first_row = row;
    row += block.row_count;
  }
  result.problem.blocks = std::move(blocks);
  const VectorX q = u - W * r;
  result.problem.q.assign(q.data(), q.data() + q.size());
  set_matrix(result.problem, SparseRows(W.sparseView()));
  return result;
}

FrictionResidual residual(const FrictionProblem& problem, const VectorX& r) {
  return friction_residual(problem, {r.data(), static_cast<size_t>(r.size())});
}

VectorX velocities(const FrictionProblem& problem, const VectorX& r) {
  return matrix_of(problem) * r + Eigen::Map<const VectorX>(problem.q.data(), problem.row_count());
}

FrictionBlock contact(int rows, double a = 0, double b = 0, double c = 0) {
  return {Law::contact, 0, rows, {a, b, c}, 0, -1};
}

FrictionBlock bounded(int rows, double bound, int link, double a, double b = 0, double c = 0) {
  return {Law::bounded, 0, rows, {a, b, c}, bound, link};
}

FrictionBlock bilateral(int rows) {
  return {Law::bilateral, 0, rows, {0, 0, 0}, 0, -1};
}

VectorX vector(std::initializer_list<double> values) {
  return Eigen::Map<const VectorX>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

// The impulse of maximum dissipation against u in radius * E: -radius a_i^2 u_i / |a u|.
VectorX slipping(const VectorX& axes, double radius, const VectorX& u) {
  const VectorX au = axes.cwiseProduct(u);
  return -radius * axes.cwiseProduct(au) / au.norm();
}

VectorX join(std::initializer_list<VectorX> parts) {
  VectorX all;
  for (const VectorX& part : parts) {
    VectorX longer(all.size() + part.size());
    longer << all, part;
    all = longer;
  }
  return all;
}

// Coulomb's law checked directly, without projections: the largest violation of sign, product, set and of maximum
// dissipation, r_f . u_f = -radius |a u|.
double law_violation(const Known& known, const VectorX& r) {
  const VectorX u = velocities(known.problem, r);
  double worst = 0;
  for (const FrictionBlock& block : known.problem.blocks) {
    const int first = block.first_row;
    if (block.law == Law::bilateral) {
      worst = std::max(worst, u.segment(first, block.row_count).cwiseAbs().maxCoeff());
      continue;
    }
    const bool is_contact = block.law == Law::contact;
    const double link = block.link < 0 ? 0.0 : r[known.problem.blocks[block.link].first_row];
    const double radius = is_contact ? r[first] : block.bound + link;
    if (is_contact) worst = std::max({worst, -r[first], -u[first], std::abs(r[first] * u[first])});
    const int skip = is_contact ? 1 : 0;
    double inside = 0, power = 0, support = 0;
    for (int i = skip; i < block.row_count; ++i) {
      const double axis = block.axes[i - skip];
      if (axis == 0) {
        worst = std::max(worst, std::abs(r[first + i]));
        continue;
      }
      inside += std::pow(r[first + i] / axis, 2);
      power += r[first + i] * u[first + i];
      support += std::pow(axis * u[first + i], 2);
    }
    worst = std::max({worst, std::sqrt(inside) - radius, std::abs(power + radius * std::sqrt(support))});
  }
  return worst;
}

std::vector<std::pair<const char*, Known>> right_answers() {
  const VectorX slip = vector({0.6, -0.8});
  const VectorX slip3 = vector({0.6, -0.8, 0.3});
  const VectorX round = vector({0.4, 0.4});
  const VectorX ellipse = vector({0.2, 0.9});
  const VectorX torsional = vector({0.5, 0.3, 0.05});
  const VectorX rolling = vector({0.05, 0.02});
  const VectorX zero2 = VectorX::Zero(2);
  const VectorX one = vector({1.5}), nothing = vector({0.0});
  std::vector<std::pair<const char*, Known>> answers;
  answers.emplace_back("stick", known({contact(3, 0.4, 0.4)}, vector({2, 0.3, -0.2}), vector({0, 0, 0})));
  answers.emplace_back("slip", known({contact(3, 0.4, 0.4)}, join({one, slipping(round, 1.5, slip)}),  //
                                     join({nothing, slip})));
  answers.emplace_back("open", known({contact(3, 0.4, 0.4)}, vector({0, 0, 0}), vector({0.7, 0.3, -2})));
  answers.emplace_back("planar slip", known({contact(2, 0.4)}, vector({1, -0.4}), vector({0, 0.5})));
  answers.emplace_back("limit", known({contact(1)}, vector({1.2}), vector({0})));
  answers.emplace_back("frictionless rows", known({contact(3)}, vector({1.2, 0, 0}), vector({0, 3, 1})));
  answers.emplace_back("elliptic slip",
                       known({contact(3, 0.2, 0.9)}, join({one, slipping(ellipse, 1.5, slip)}), join({nothing, slip})));
  answers.emplace_back("torsional slip", known({contact(4, 0.5, 0.3, 0.05)},
                                               join({one, slipping(torsional, 1.5, slip3)}), join({nothing, slip3})));
  answers.emplace_back("two contacts", known({contact(3, 0.4, 0.4), contact(3, 0.2, 0.9)},
                                             join({vector({2, 0.3, -0.2}), one, slipping(ellipse, 1.5, slip)}),
                                             join({VectorX::Zero(3), nothing, slip})));
  answers.emplace_back("joint friction holds", known({bounded(1, 3, -1, 1)}, vector({2.5}), vector({0})));
  answers.emplace_back("joint friction slips", known({bounded(1, 3, -1, 1)}, vector({-3}), vector({0.2})));
  answers.emplace_back("rolling friction", known({contact(1), bounded(2, 0, 0, 0.05, 0.02)},
                                                 join({one, slipping(rolling, 1.5, slip)}), join({nothing, slip})));
  answers.emplace_back("open contact cannot roll",
                       known({contact(1), bounded(2, 0, 0, 0.05, 0.02)}, VectorX::Zero(3), join({one, slip})));
  answers.emplace_back("bilateral", known({bilateral(5)}, vector({1, -2, 3, -4, 5}), VectorX::Zero(5)));
  answers.emplace_back(
      "all together",
      known({bilateral(2), contact(3, 0.2, 0.9), bounded(2, 0.5, 1, 0.05, 0.02), contact(1)},
            join({vector({1, -2}), one, slipping(ellipse, 1.5, slip), slipping(rolling, 2.0, slip), one}),
            join({zero2, nothing, slip, slip, nothing})));
  return answers;
}

TEST(FrictionResidual, RightAnswersPass) {
  for (const auto& [name, answer] : right_answers()) {
    ASSERT_EQ(defect_of(answer.problem), "") << name;
    const FrictionResidual result = residual(answer.problem, answer.r);
    EXPECT_LE(law_violation(answer, answer.r), rounding * 10) << name;
    EXPECT_LE(result.natural, rounding) << name;
    EXPECT_LE(result.cone, rounding) << name;
    EXPECT_LE(result.complementarity, rounding) << name;
    EXPECT_LE(result.bilateral, rounding) << name;
  }
}

// W is positive definite with eigenvalues above 1, so a change of 1e-3 cannot hide: it moves u by at least as much.
TEST(FrictionResidual, PerturbedAnswersAreRejected) {
  for (const auto& [name, answer] : right_answers()) {
    for (Eigen::Index i = 0; i < answer.r.size(); ++i) {
      for (const double change : {1e-3, -1e-3}) {
        VectorX r = answer.r;
        r[i] += change;
        EXPECT_GT(residual(answer.problem, r).natural, 1e-6) << name << " row " << i << " " << change;
        EXPECT_GT(law_violation(answer, r), 1e-6) << name << " row " << i << " " << change;
      }
    }
  }
}

// The same answer under a flipped velocity, axis or bound is not an answer.
TEST(FrictionResidual, PerturbedProblemsAreRejected) {
  for (const auto& [name, answer] : right_answers()) {
    for (int i = 0; i < answer.problem.row_count(); ++i) {
      FrictionProblem problem = answer.problem;
      problem.q[i] -= 1.0;
      const bool free_to_move = answer.r[i] == 0 && answer.u[i] > 1;  // an open contact with room left
      const bool frictionless = std::string(name) == "frictionless rows" && i > 0;
      const bool no_force = std::string(name) == "open" || std::string(name) == "open contact cannot roll";
      if (free_to_move || frictionless || (no_force && i > 0)) continue;
      EXPECT_GT(residual(problem, answer.r).natural, 1e-3) << name << " row " << i;
    }
  }
}

TEST(FrictionResidual, EachPartSeesItsOwnLaw) {
  // q = 0 beside r would be scaled by one: W = I, so u = q + r.
  FrictionProblem problem;
  append_contacts(problem, 3, std::vector<double>{0.5});
  append_bilaterals(problem, 1);
  problem.q = {-1, 0, 0, 0};
  SparseRows W(4, 4);
  W.setIdentity();
  set_matrix(problem, W);
  EXPECT_LE(residual(problem, vector({1, 0, 0, 0})).natural, 1e-18);  // what rounding may hide counts
  EXPECT_NEAR(residual(problem, vector({1, 0.75, 0, 0})).cone, 0.25, 1e-15);
  EXPECT_NEAR(residual(problem, vector({-0.25, 0, 0, 0})).cone, 0.25, 1e-15);
  EXPECT_NEAR(residual(problem, vector({1.25, 0, 0, 0})).complementarity, 0.25, 1e-15);  // u_n = 0.25, r_n = 1.25
  EXPECT_NEAR(residual(problem, vector({0.75, 0, 0, 0})).complementarity, 0.25, 1e-15);  // u_n = -0.25
  EXPECT_NEAR(residual(problem, vector({1, 0, 0, -0.25})).bilateral, 0.25, 1e-15);
  EXPECT_NEAR(residual(problem, vector({1, 0, 0, -0.25})).natural, 0.25, 1e-15);
}

// `scaled` as the problem collection states it, with the projection done in the half plane (r_n, |r_t|).
double collection_measure(const MatrixX& W, const VectorX& q, const std::vector<double>& mu, const VectorX& r) {
  const VectorX u = W * r + q;
  double sum = 0;
  for (size_t c = 0; c < mu.size(); ++c) {
    const auto i = static_cast<Eigen::Index>(3 * c);
    const double rho = 3 / W.block(i, i, 3, 3).trace();
    Vector3 uhat = u.segment<3>(i);
    uhat[0] += mu[c] * u.segment<2>(i + 1).norm();
    const Vector3 x = r.segment<3>(i) - rho * uhat;
    const Vector2 flat(x[0], x.tail<2>().norm());
    const Vector2 edge = Vector2(1, mu[c]).normalized();
    const bool inside = flat[1] <= mu[c] * flat[0];
    const Vector2 near = inside ? flat : Vector2(std::max(0.0, flat.dot(edge)) * edge);
    Vector3 projected(near[0], 0, 0);
    if (flat[1] > 0) projected.tail<2>() = near[1] / flat[1] * x.tail<2>();
    sum += ((r.segment<3>(i) - projected) / rho).squaredNorm();
  }
  return std::sqrt(sum) / q.norm();
}

TEST(FrictionResidual, IsTheMeasureOfTheCollection) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<double> mu = {0.3, 0.7, 1.2, 0.0};
    const MatrixX W = random_matrix(12, random);
    VectorX q(12), r(12);
    for (int i = 0; i < 12; ++i) q[i] = uniform(random), r[i] = uniform(random);
    FrictionProblem problem;
    append_contacts(problem, 3, mu);
    problem.q.assign(q.data(), q.data() + 12);
    set_matrix(problem, SparseRows(W.sparseView()));
    const double expected = collection_measure(W, q, mu, r);
    EXPECT_NEAR(residual(problem, r).natural, expected, 1e-13 * expected);
  }
}

// Another unit of mass (r, 1/W) or of velocity (r, q) changes nothing.
TEST(FrictionResidual, DoesNotDependOnUnits) {
  for (const auto& [name, answer] : right_answers()) {
    const VectorX r = 1.01 * answer.r + VectorX::Constant(answer.r.size(), 0.01);
    const FrictionResidual expected = residual(answer.problem, r);
    FrictionProblem heavy = answer.problem;
    for (double& value : heavy.value) value /= 1024;
    for (FrictionBlock& block : heavy.blocks) block.bound *= 1024;
    EXPECT_NEAR(residual(heavy, 1024 * r).natural, expected.natural, 1e-13) << name;
    FrictionProblem fast = answer.problem;
    for (double& value : fast.q) value *= 4096;
    for (FrictionBlock& block : fast.blocks) block.bound *= 4096;
    EXPECT_NEAR(residual(fast, 4096 * r).natural, expected.natural, 1e-13) << name;
    EXPECT_NEAR(residual(fast, 4096 * r).cone, expected.cone, 1e-13) << name;
  }
}

TEST(FrictionResidual, NotFiniteIsInfinite) {
  for (const auto& [name, answer] : right_answers()) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
      for (Eigen::Index i = 0; i < answer.r.size(); ++i) {
        VectorX r = answer.r;
        r[i] = bad;
        EXPECT_EQ(residual(answer.problem, r).natural, std::numeric_limits<double>::infinity()) << name;
      }
      FrictionProblem problem = answer.problem;
      problem.q.back() = bad;
      EXPECT_EQ(residual(problem, answer.r).natural, std::numeric_limits<double>::infinity()) << name;
    }
  }
}

TEST(FrictionResidual, WithoutDiagonalOrVelocityScalesAreOne) {
  FrictionProblem problem;
  append_contacts(problem, 3, std::vector<double>{0.5});
  problem.q = {0, 0, 0};
  set_matrix(problem, SparseRows(3, 3));
  EXPECT_EQ(residual(problem, VectorX::Zero(3)).natural, 0);
  EXPECT_NEAR(residual(problem, vector({-3, 0, 0})).natural, 3, 1e-15);
}

TEST(FrictionResidual, NoRowsIsSolved) {
  FrictionProblem problem;
  problem.row_start = {0};
  EXPECT_EQ(residual(problem, VectorX()).natural, 0);
}

// A mass between two walls that approach each other has no answer, but impulses of 1e20 on both leave nothing of q in
// doubles: u_n = W r + q comes out as 0. That must not pass.
TEST(FrictionResidual, IsNotFooledByImpulsesThatSwallowQ) {
  FrictionProblem problem;
  problem.blocks = {contact(1), contact(1)};
  problem.blocks[1].first_row = 1;
  MatrixX W(2, 2);
  W << 1, -1, -1, 1;
  problem.q = {-1, -0.5};
  set_matrix(problem, SparseRows(W.sparseView()));
  for (const double size : {1e10, 1e16, 1e20, 1e30}) {
    EXPECT_GT(residual(problem, vector({size, size})).natural, 1e-2) << size;
  }
}

}  // namespace
}  // namespace stiction::certify
