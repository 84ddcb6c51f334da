// A second solve with the same workspace allocates nothing.
#define STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE
#include "support/allocation_counter.h"

#include <gtest/gtest.h>

#include "stiction/solvers/registry.h"
#include "support/friction_forms.h"
#include "support/small_friction.h"

#if STICTION_COUNTS_ALLOCATIONS
namespace stiction::solvers {
namespace {

TEST(FrictionAllocation, SecondSolvesAllocateNothing) {
  const auto problems = stiction::testing::every_law();
  for (const FrictionSolver* solver : friction_solvers()) {
    for (const auto& [name, problem] : problems) {
      FrictionWorkspace workspace;
      std::vector<double> r(problem.row_count(), 0.0);
      const stiction::testing::FrictionInForm given(*solver, problem);
      given.solve({}, workspace, r);
      const long count = stiction::testing::allocations_during([&] { given.solve({}, workspace, r); });
      EXPECT_EQ(count, 0) << solver->name << " on " << name;
    }
  }
}

}  // namespace
}  // namespace stiction::solvers
#endif
