// A second solve in body space with the same workspace allocates nothing, and with all rungs reserved neither does the
// first one that climbs higher.
#define STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE
#include "support/allocation_counter.h"

#include <gtest/gtest.h>

#include "stiction/solvers/friction/body/body_solver.h"
#include "support/random_bodies.h"

#if STICTION_COUNTS_ALLOCATIONS
namespace stiction::solvers {
namespace {

using stiction::testing::allocations_during;

TEST(BodyAllocation, SecondSolvesAllocateNothing) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const BodyFrictionProblem problem = stiction::testing::random_bodies({.bodies = 6, .contacts = 15}, seed);
    BodyWorkspace workspace;
    std::vector<double> r(problem.row_count()), v(problem.velocity_count());
    const BodyOptions options = {.sweeps = 3};
    solve_body_friction(problem, options, workspace, r, v);
    EXPECT_EQ(allocations_during([&] { solve_body_friction(problem, options, workspace, r, v); }), 0) << seed;
  }
}

TEST(BodyAllocation, ReservedRungsAllocateNothing) {
  const BodyFrictionProblem problem = stiction::testing::random_bodies({.bodies = 6, .contacts = 15}, 4);
  BodyWorkspace workspace;
  workspace.reserve_all_rungs();
  std::vector<double> r(problem.row_count());
  solve_body_friction(problem, {.sweeps = 1, .most_factorizations = 0}, workspace, r);  // no second-order rung yet
  EXPECT_EQ(allocations_during([&] { solve_body_friction(problem, {.sweeps = 1}, workspace, r); }), 0);
}

}  // namespace
}  // namespace stiction::solvers
#endif
