// W_ii and momentum of trees of joints, whose zeros the certificate passes over, against dense matrices.
#include <cmath>

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "stiction/certify/step_certificate.h"
#include "support/branched_tree.h"

namespace stiction::certify {
namespace {

using stiction::testing::BranchedTree;

// A tree with joints of up to six rows on each of its links, that close at the velocity which they leave.
struct TreeStep {
  StepProblem problem;
  StepAnswer answer;
  MatrixX M, J;

  explicit TreeStep(BranchedTree& tree) : M(tree.mass()), J(0, tree.size()) {
    const int n = tree.size();
    problem.step = 0.01;
    problem.trees = {{0, n, 0}};
    problem.mass.assign(M.data(), M.data() + M.size());
    problem.v_start = problem.v_free = VectorX::LinSpaced(n, -1, 1);
    problem.external_impulse = VectorX::Zero(n);
    for (int link = 5; link < n; ++link) add_rows(tree, link, 1 + link % 6);
    answer.impulse = VectorX::LinSpaced(problem.row_count, 0.5, 1.5);
    answer.v_end = problem.v_free + M.llt().solve(J.transpose() * answer.impulse);
    problem.bilateral_bias.resize(problem.row_count);
    VectorX::Map(problem.bilateral_bias.data(), problem.row_count) = -J * answer.v_end;
  }

  void add_rows(BranchedTree& tree, int link, int rows) {
    const int first = problem.row_count, block = static_cast<int>(problem.blocks.size());
    problem.bilaterals.push_back({block, first});
    problem.blocks.push_back({first, rows, {0, -1}, {static_cast<int>(problem.jacobian.size()), 0}});
    problem.row_count += rows;
    J.conservativeResize(problem.row_count, tree.size());
    for (int r = 0; r < rows; ++r) {
      const VectorX row = tree.row(link);
      problem.jacobian.insert(problem.jacobian.end(), row.data(), row.data() + row.size());
      J.row(first + r) = row.transpose();
    }
  }

  VectorX weights() const {
    CertifyWorkspace workspace;
    certify_step(problem, answer, workspace);
    return VectorX::Map(workspace.weight.data(), problem.row_count);
  }
  double worst() const {
    CertifyWorkspace workspace;
    return certify_step(problem, answer, workspace).worst();
  }
};

TEST(TreeCertificate, WeightsAreThoseOfDenseMatrices) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    for (const bool reversed : {false, true}) {  // children first: right all the same, but dense
      BranchedTree tree(4, 5, seed, reversed);
      const TreeStep step(tree);
      const VectorX W = (step.J * step.M.llt().solve(step.J.transpose())).diagonal();
      EXPECT_LE((step.weights() - W).lpNorm<Eigen::Infinity>(), 1e-12) << seed;  // rounding of some thirty numbers
      EXPECT_LE(step.worst(), 1e-12) << seed;
    }
  }
}

TEST(TreeCertificate, OneFlippedSignShows) {
  BranchedTree tree(4, 5, 1);
  TreeStep step(tree);
  const VectorX W = step.weights();
  step.problem.jacobian[3] = -step.problem.jacobian[3];
  EXPECT_GT((step.weights() - W).lpNorm<Eigen::Infinity>(), 1e-3);
  EXPECT_GT(step.worst(), 1e-3);
}

TEST(TreeCertificate, AnImpulseThatIsNotFiniteShows) {
  BranchedTree tree(2, 3, 1);
  TreeStep step(tree);
  step.answer.impulse[4] = std::nan("");
  EXPECT_TRUE(std::isinf(step.worst()));
}

}  // namespace
}  // namespace stiction::certify
