// Every solver can be found by its name, and docs/solvers.md has them all, with what they take.
#include "stiction/solvers/registry.h"
#include "support/places.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace stiction::solvers {
namespace {

TEST(SolverRegistry, EverySolverIsFoundByItsName) {
  for (const FrictionSolver* solver : friction_solvers()) {
    EXPECT_EQ(find_friction_solver(solver->name), solver);
    ASSERT_NE(find_solver(solver->name), nullptr) << solver->name;
    EXPECT_EQ(find_solver(solver->name)->friction, solver);
  }
  for (const LcpSolver* solver : lcp_solvers()) {
    EXPECT_EQ(find_lcp_solver(solver->name), solver);
    ASSERT_NE(find_solver(solver->name), nullptr) << solver->name;
    EXPECT_EQ(find_solver(solver->name)->lcp, solver);
  }
  EXPECT_EQ(find_solver("nonsense"), nullptr);
  EXPECT_EQ(find_friction_solver("nonsense"), nullptr);
  EXPECT_EQ(find_lcp_solver("nonsense"), nullptr);
}

TEST(SolverRegistry, EverySolverDescribesItself) {
  std::set<std::string_view> names;
  for (const SolverInfo& info : solver_infos()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " stands twice";
    EXPECT_FALSE(info.source.empty()) << info.name;
    EXPECT_FALSE(info.sentence.empty()) << info.name;
    EXPECT_TRUE(info.friction != nullptr || info.lcp != nullptr) << info.name;
    EXPECT_FALSE(info.takes().empty()) << info.name << " takes no form of any problem";
  }
  EXPECT_EQ(solver_infos().front().name, auto_friction.name);
  EXPECT_EQ(lcp_solvers().front(), &auto_lcp);
}

TEST(SolverRegistry, SolversSayWhatFormTheyTake) {
  using Forms = std::vector<std::string_view>;
  EXPECT_EQ(find_solver("auto")->takes(), (Forms{"local", "global", "lcp"}));
  EXPECT_EQ(find_solver("newton")->takes(), Forms{"local"});
  EXPECT_EQ(find_solver("lemke")->takes(), (Forms{"local", "lcp"}));
  EXPECT_EQ(find_solver("body")->takes(), Forms{"global"});
}

std::string kinds(const SolverInfo& info) {
  if (info.friction == nullptr) return "LCP";
  if (!info.friction->takes_local_form()) return "friction in global form";
  return info.lcp == nullptr ? "friction" : "friction, LCP";
}

// The rows "| `name` | takes | ..." of the first table of docs/solvers.md, and the names in its headings.
struct Page {
  std::map<std::string, std::string, std::less<>> takes;
  std::string headings = " ";
};

Page read_page() {
  Page page;
  std::ifstream stream(stiction::testing::source_path("docs/solvers.md"));
  bool in_section = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("## ")) in_section = line == "## The solvers";
    if (!in_section) continue;
    if (line.starts_with("### ")) page.headings += line.substr(4) + ", ";
    if (!line.starts_with("| `")) continue;
    const size_t name_end = line.find("` | "), takes = name_end + 4;
    page.takes[line.substr(3, name_end - 3)] = line.substr(takes, line.find(" |", takes) - takes);
  }
  return page;
}

TEST(SolverRegistry, ThePageHasARowAndAParagraphForEverySolverAndNoOther) {
  const Page page = read_page();
  EXPECT_EQ(page.takes.size(), solver_infos().size());
  for (const SolverInfo& info : solver_infos()) {
    const auto row = page.takes.find(info.name);
    ASSERT_NE(row, page.takes.end()) << info.name << " is not in the table of docs/solvers.md";
    EXPECT_EQ(row->second, kinds(info)) << info.name;
    EXPECT_NE(page.headings.find(" " + std::string(info.name) + ","), std::string::npos)
        << info.name << " has no paragraph in docs/solvers.md";
  }
}

}  // namespace
}  // namespace stiction::solvers
