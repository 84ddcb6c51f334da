// The stored friction problems of ../shared/problems/friction, all to 1e-8 by the portfolio.
#include <filesystem>

#include <gtest/gtest.h>

#include "stiction/certify/friction_residual.h"
#include "stiction/io/fclib.h"
#include "stiction/solvers/friction/friction_solver.h"

namespace stiction::solvers {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(STICTION_SOURCE_DIR) / "../shared/problems/friction";

TEST(FrictionProblems, SolvesEveryStoredOne) {
  if (!fs::exists(kFolder)) GTEST_SKIP() << "no stored problems";
  FrictionWorkspace workspace;
  std::vector<double> r;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".hdf5") continue;
    const auto file = read_friction_file(entry.path());
    ASSERT_TRUE(file) << file.error().message();
    r.assign(file->problem.row_count(), 0.0);
    const FrictionReport report = solve_friction(FrictionSolver::automatic, file->problem, {}, workspace, r);
    EXPECT_EQ(report.solve.termination, Termination::solved) << entry.path() << ' ' << report.solve.residual;
    EXPECT_LE(certify::friction_residual(file->problem, r).natural, 1e-8 * (1 + 1e-6)) << entry.path();
    ++count;
  }
  EXPECT_EQ(count, 42);
}

}  // namespace
}  // namespace stiction::solvers
