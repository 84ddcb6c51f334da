// The stored piles, walls and card houses of ../shared/problems/hard in global form, to 1e-8 in body space; judged by
// certify/ on the condensed problem. Work is counted, so that a slow machine does not fail.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "stiction/certify/friction_residual.h"
#include "stiction/io/fclib.h"
#include "stiction/solvers/friction/body/body_solver.h"
#include "support/stored_problems.h"

namespace stiction::solvers {
namespace {

const auto folder = stiction::testing::shared_problems() / "hard";

// Most factorisations that a problem may take: about twice those measured.
const std::map<std::string, int> limits = {{"cards3-0", 40}, {"cards3-60", 150}, {"wall50-0", 30},  {"s100-2", 150},
                                           {"s100-10", 130}, {"q100-30", 150},   {"p100-200", 180}, {"p100-350", 120},
                                           {"s300-0", 750},  {"p300-120", 120},  {"p1000-70", 120}};

TEST(HardProblemsStudy, AllInGlobalFormAreSolvedButOne) {
  STICTION_STUDY_ON(folder);
  BodyWorkspace workspace;
  for (const auto& [name, most] : limits) {
    const auto file = read_friction_file((folder / (name + ".hdf5")).string());
    ASSERT_TRUE(file) << file.error().message();
    ASSERT_TRUE(file->global) << name;
    const auto problem = body_form(*file->global);
    ASSERT_TRUE(problem) << name;
    std::vector<double> r(problem->row_count(), 0.0);
    const BodyReport report = solve_body_friction(*problem, {}, workspace, r);
    EXPECT_EQ(report.solve.termination, Termination::solved) << name << ' ' << report.solve.residual;
    EXPECT_LE(certify::friction_residual(file->problem, r).natural, 1.001e-8) << name;
    EXPECT_LE(report.factorizations, most) << name;
    RecordProperty(name, report.factorizations);
  }
}

// A settled pile of 1000 that another engine made: the open end. What is asked of it is an honest answer within a
// budget.
TEST(HardProblemsStudy, TheOpenOneEndsWithinItsBudget) {
  STICTION_STUDY_ON(folder);
  const auto global = read_fclib_global((folder / "q1000-0.hdf5").string());
  ASSERT_TRUE(global) << global.error().message();
  const auto problem = body_form(*global);
  ASSERT_TRUE(problem);
  BodyWorkspace workspace;
  std::vector<double> r(problem->row_count(), 0.0);
  const BodyReport report = solve_body_friction(*problem, {.most_factorizations = 60}, workspace, r);
  EXPECT_EQ(report.solve.termination, Termination::budget);
  EXPECT_LE(report.factorizations, 60);
  EXPECT_LE(report.solve.residual, 0.05);
}

}  // namespace
}  // namespace stiction::solvers
