// Stored friction problems, all to 1e-8 by the portfolio, judged by the certificate.
#include <gtest/gtest.h>

#include "stiction/certify/friction_residual.h"
#include "stiction/io/fclib.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "support/stored_problems.h"

namespace stiction::solvers {
namespace {

int solve_folder(const std::filesystem::path& folder) {
  FrictionWorkspace workspace;
  std::vector<double> r;
  int count = 0;
  for (const auto& path : testing::entries_of(folder)) {
    if (path.extension() != ".hdf5") continue;
    const auto file = read_friction_file(path);
    EXPECT_TRUE(file) << (file ? "" : file.error().message());
    if (!file) continue;
    r.assign(file->problem.row_count(), 0.0);
    const FrictionReport report = solve_friction(auto_friction, file->problem, {}, workspace, r);
    EXPECT_EQ(report.solve.termination, Termination::solved) << path << ' ' << report.solve.residual;
    EXPECT_LE(certify::friction_residual(file->problem, r).natural, 1e-8 * (1 + 1e-6)) << path;
    ++count;
  }
  return count;
}

TEST(FrictionProblems, SolvesOurOwn) {
  EXPECT_EQ(solve_folder(testing::own_problems() / "friction"), 7);
}

TEST(FrictionProblemsStudy, SolvesEveryStoredOne) {
  const auto folder = testing::shared_problems() / "friction";
  STICTION_STUDY_ON(folder);
  EXPECT_EQ(solve_folder(folder), 42);
}

}  // namespace
}  // namespace stiction::solvers
