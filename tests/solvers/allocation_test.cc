// Solvers that run inside a time step allocate nothing once their memory is large enough.
#include <vector>

#include <gtest/gtest.h>

#include "stiction/solvers/lcp/lemke.h"
#include "stiction/solvers/lcp/newton_lcp.h"
#include "stiction/solvers/lcp/pgs_lcp.h"
#include "stiction/solvers/lcp/sparse_lemke.h"
#include "support/allocation_counter.h"
#include "support/box_stack.h"

namespace stiction::solvers {
namespace {

using ::stiction::testing::allocations_during;
using ::stiction::testing::box_stack;
using ::stiction::testing::polyhedral_lcp;
using ::stiction::testing::PolyhedralLcp;
using ::stiction::testing::StackOptions;

TEST(LcpAllocation, Lemke) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  std::vector<PolyhedralLcp> problems;
  for (unsigned seed = 0; seed < 20; ++seed) {
    StackOptions options;
    options.boxes = 3 - seed % 3;
    options.push = seed % 2;
    options.seed = seed;
    problems.push_back(polyhedral_lcp(box_stack(options), 8));
  }
  LemkeWorkspace workspace;
  const int largest = static_cast<int>(problems[0].lcp.q.size());
  VectorX z(largest), w(largest);
  const auto solve = [&](const PolyhedralLcp& problem, bool warm) {
    const int n = static_cast<int>(problem.lcp.q.size());
    solve_lemke({n, problem.lcp.M.data(), problem.lcp.q.data()}, warm, {}, workspace, z.data(), w.data());
  };
  solve(problems[0], false);
  const long before = ::stiction::testing::allocation_count;
  for (const PolyhedralLcp& problem : problems) {
    solve(problem, false);
    solve(problem, true);
  }
  EXPECT_EQ(::stiction::testing::allocation_count, before);
}

// A string on a floor of uneven load, and the same a time step later.
struct StringOnFloor {
  SparseColumns M;
  std::vector<VectorX> loads;

  explicit StringOnFloor(int n) {
    MatrixX dense = 2 * MatrixX::Identity(n, n);
    for (int i = 1; i < n; ++i) dense(i, i - 1) = dense(i - 1, i) = -1;
    M.assign_dense(n, dense.data());
    for (int step = 0; step < 4; ++step) {
      loads.push_back(VectorX::NullaryExpr(n, [&](Eigen::Index i) { return i < n / 2 - step ? -0.1 : 0.3; }));
    }
  }
};

// Solves all loads once to size the memory, then again and again without an allocation.
template <class Solve>
void expect_no_allocation(const StringOnFloor& problem, Solve solve) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  for (const VectorX& q : problem.loads) solve(q, false);
  for (const VectorX& q : problem.loads) solve(q, true);
  EXPECT_EQ(allocations_during([&] {
              for (const VectorX& q : problem.loads) {
                solve(q, false);
                solve(q, true);
              }
            }),
            0);
}

TEST(LcpAllocation, SparseLemke) {
  const StringOnFloor problem(120);
  SparseLemkeWorkspace workspace;
  VectorX z(120), w(120);
  expect_no_allocation(problem, [&](const VectorX& q, bool warm) {
    const SolveReport report = solve_sparse_lemke(problem.M, q.data(), warm, {}, workspace, z.data(), w.data());
    EXPECT_EQ(report.termination, Termination::solved);
  });
}

TEST(LcpAllocation, Newton) {
  const StringOnFloor problem(120);
  NewtonLcpWorkspace workspace;
  VectorX z = VectorX::Zero(120);
  expect_no_allocation(problem, [&](const VectorX& q, bool warm) {
    NewtonLcpOptions options;
    options.warm_start = warm;
    const SolveReport report = solve_newton_lcp(problem.M, q.data(), nullptr, options, workspace, z.data());
    EXPECT_EQ(report.termination, Termination::solved);
  });
}

TEST(LcpAllocation, ProjectedGaussSeidel) {
  const StringOnFloor problem(40);
  PgsLcpWorkspace workspace;
  VectorX z = VectorX::Zero(40);
  expect_no_allocation(problem, [&](const VectorX& q, bool warm) {
    PgsLcpOptions options;
    options.warm_start = warm;
    const SolveReport report = solve_pgs_lcp(problem.M, q.data(), nullptr, options, workspace, z.data());
    EXPECT_EQ(report.termination, Termination::solved);
  });
}

}  // namespace
}  // namespace stiction::solvers
