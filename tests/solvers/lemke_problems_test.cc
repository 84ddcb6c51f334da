// Lemke on the dumped problems of ../shared/problems/lcp, judged by the certificate.
#include <filesystem>

#include <gtest/gtest.h>

#include "stiction/certify/lcp_residual.h"
#include "stiction/io/matrix_market.h"
#include "stiction/solvers/lcp/lemke.h"

namespace stiction::solvers {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(STICTION_SOURCE_DIR) / "../shared/problems/lcp";

// 1e-8 is what the project promises; a wrong basis misses it by orders of magnitude.
TEST(LemkeProblems, SolvesEveryDumpedLcp) {
  if (!fs::exists(kFolder)) GTEST_SKIP() << "no dumped problems";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const auto problem = read_lcp(entry.path());
    ASSERT_TRUE(problem) << problem.error().message();
    VectorX z;
    const SolveReport report = solve_lemke(*problem, z);
    EXPECT_EQ(report.termination, Termination::solved) << entry.path();
    EXPECT_LE(certify::lcp_residual(*problem, z), 1e-8) << entry.path() << " after " << report.iterations << " pivots";
    ++count;
  }
  EXPECT_EQ(count, 30);
}

}  // namespace
}  // namespace stiction::solvers
