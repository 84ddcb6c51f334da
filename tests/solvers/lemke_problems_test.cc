// Lemke on stored problems, judged by the certificate.
#include <gtest/gtest.h>

#include "stiction/certify/lcp_residual.h"
#include "stiction/io/matrix_market.h"
#include "stiction/solvers/lcp/lemke.h"
#include "support/stored_problems.h"

namespace stiction::solvers {
namespace {

// 1e-8 is what the project promises; a wrong basis misses it by orders of magnitude.
int solve_folder(const std::filesystem::path& folder) {
  int count = 0;
  for (const auto& path : testing::entries_of(folder)) {
    const auto problem = read_lcp(path);
    EXPECT_TRUE(problem) << (problem ? "" : problem.error().message());
    if (!problem) continue;
    VectorX z;
    const SolveReport report = solve_lemke(*problem, z);
    EXPECT_EQ(report.termination, Termination::solved) << path;
    EXPECT_LE(certify::lcp_residual(*problem, z), 1e-8) << path << " after " << report.iterations << " pivots";
    ++count;
  }
  return count;
}

TEST(LemkeProblems, SolvesOurOwn) {
  EXPECT_EQ(solve_folder(testing::own_problems() / "lcp"), 6);
}

TEST(LemkeProblemsStudy, SolvesEveryDumpedLcp) {
  const auto folder = testing::shared_problems() / "lcp";
  STICTION_STUDY_ON(folder);
  EXPECT_EQ(solve_folder(folder), 30);
}

}  // namespace
}  // namespace stiction::solvers
