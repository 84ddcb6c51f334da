// `stiction solve` and `run --dump-problem`, as a user runs them.
#include <cmath>

#include <gmock/gmock.h>

#include "apps/command.h"
#include "stiction/certify/friction_residual.h"
#include "stiction/io/fclib.h"
#include "stiction/problem/friction_matrix.h"
#include "stiction/solvers/registry.h"

namespace stiction::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Solve : public CommandLine {
 protected:
  // One block on the ground, W = I: a unit of momentum downwards, the tangential ones given.
  void write_contact(const std::string& name, double mu, double slide, double normal = -1) const {
    FrictionProblem problem;
    append_contacts(problem, 3, std::vector<double>{mu});
    problem.q = {normal, slide, 0};
    SparseRows W(3, 3);
    W.setIdentity();
    set_matrix(problem, W);
    ASSERT_TRUE(write_friction_file((work() / name).string(), problem));
  }

  // The same block in global form, with its mass: M v = H r + f, u = H^T v.
  void write_global_contact(const std::string& name, double mu, double slide) const {
    GlobalFrictionProblem problem;
    problem.M = problem.H = SparseRows(3, 3);
    problem.M.setIdentity();
    problem.H.setIdentity();
    problem.G = SparseRows(3, 0);
    problem.f = {-1, slide, 0};
    problem.w = {0, 0, 0};
    problem.mu = {mu};
    ASSERT_TRUE(write_fclib_global((work() / name).string(), problem));
  }

  void write_folder(const std::string& name, const std::string& M, const std::string& q,
                    const std::string& is_comp = "") const {
    std::filesystem::create_directories(work() / name);
    write(name + "/M.mtx", "%%MatrixMarket matrix array real general\n" + M);
    write(name + "/q.mtx", "%%MatrixMarket matrix array real general\n" + q);
    if (!is_comp.empty()) write(name + "/is_comp.mtx", "%%MatrixMarket matrix array integer general\n" + is_comp);
  }
};

TEST_F(Solve, AnswersAreTheClosedForms) {
  write_contact("stick.hdf5", 0.5, 0.25);
  write_contact("slip.hdf5", 0.5, 2);
  write_contact("open.hdf5", 0.5, 2, 1);
  const Outcome outcome = stiction({"solve", "stick.hdf5", "slip.hdf5", "open.hdf5", "--json", "--tol", "1e-10"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
  const auto lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 3U);
  const std::vector<std::vector<double>> expected = {{1, -0.25, 0}, {1, -0.5, 0}, {0, 0, 0}};
  for (size_t i = 0; i < 3; ++i) {
    for (const char* key : {"name", "solver", "tol", "time_ms", "iterations", "residual", "termination", "r"}) {
      EXPECT_TRUE(lines[i].contains(key)) << key;
    }
    EXPECT_EQ(lines[i]["termination"], "solved");
    EXPECT_EQ(lines[i]["kind"], "friction");
    EXPECT_EQ(lines[i]["contacts"], 1);
    EXPECT_LE(lines[i]["residual"].get<double>(), 1e-10);
    const auto r = lines[i]["r"].get<std::vector<double>>();
    ASSERT_EQ(r.size(), 3U);
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(r[k], expected[i][k], 1e-9) << i;  // W = I: no worse than the residual
  }
  EXPECT_EQ(lines[0]["name"], "stick");
}

// Problems in global form go to the solver in body space, by its name and by `auto`; those in local form cannot.
TEST_F(Solve, GlobalFormIsSolvedInBodySpace) {
  write_global_contact("global.hdf5", 0.5, 2);
  for (const char* solver : {"body", "auto"}) {
    const Outcome outcome = stiction({"solve", "global.hdf5", "--solver", solver, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto lines = json_lines(outcome.out);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0]["solver"], solver);
    EXPECT_EQ(lines[0]["rung"], "sweeps");
    EXPECT_EQ(lines[0]["termination"], "solved");
    const auto r = lines[0]["r"].get<std::vector<double>>();
    ASSERT_EQ(r.size(), 3U);
    EXPECT_NEAR(r[0], 1, 1e-7);  // W = I: no worse than the residual
    EXPECT_NEAR(r[1], -0.5, 1e-7);
  }
  write_contact("local.hdf5", 0.5, 2);
  expect_rejected({"solve", "local.hdf5", "--solver", "body"}, {"'body'", "local form", "remedy: Use auto or "});
}

TEST_F(Solve, LcpsAndMixedLcpsAreSolved) {
  write_folder("lcp", "2 2\n2\n1\n1\n2\n", "2 1\n-5\n-1\n");                 // z = (2.5, 0)
  write_folder("mixed", "2 2\n2\n1\n1\n2\n", "2 1\n5\n3\n", "2 1\n0\n1\n");  // z = (-2.5, 0)
  const Outcome outcome = stiction({"solve", "lcp/", "mixed", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["name"], "lcp");
  EXPECT_EQ(lines[0]["kind"], "lcp");
  EXPECT_EQ(lines[1]["kind"], "mlcp");
  EXPECT_NEAR(lines[0]["r"][0].get<double>(), 2.5, 1e-12);
  EXPECT_NEAR(lines[1]["r"][0].get<double>(), -2.5, 1e-12);
}

TEST_F(Solve, UnsolvedProblemsEndWithStatusOne) {
  write_folder("hopeless", "1 1\n0\n", "1 1\n-1\n");  // w = -1 whatever z
  write_contact("good.hdf5", 0.5, 2);
  const Outcome outcome = stiction({"solve", "good.hdf5", "hopeless", "--json"});
  EXPECT_EQ(outcome.status, 1);
  const auto lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["termination"], "solved");
  EXPECT_EQ(lines[1]["termination"], "no_solution");  // proved, and the proof checked
}

// W = [1 3; 3 1], mu = 1/2, q = (-1, 1) along n and t has no answer: open, u_n = -1; slip along t, (1 - 3/2) r_n = 1;
// slip against t, r_n = 2/5 with u_t > 0; stick, (1 - 9) r_n = 4. But pressing and pulling along t at once keeps u_n >=
// 0 inside the cone, so that there is no proof of it: nobody may say more than that none was found.
TEST_F(Solve, WithoutAProofAnAnswerIsNotFound) {
  FrictionProblem problem;
  append_contacts(problem, 3, std::vector<double>{0.5});
  problem.q = {-1, 1, 0};
  SparseRows W(3, 3);
  W.setIdentity();
  W.coeffRef(0, 1) = W.coeffRef(1, 0) = 3;
  set_matrix(problem, W);
  ASSERT_TRUE(write_friction_file((work() / "unproved.hdf5").string(), problem));
  const Outcome outcome = stiction({"solve", "unproved.hdf5", "--solver", "all", "--json"});
  EXPECT_EQ(outcome.status, 1);
  const auto lines = json_lines(outcome.out);
  EXPECT_FALSE(lines.empty());
  for (const auto& line : lines) {
    EXPECT_EQ(line["termination"], "not_found") << line["solver"];
    EXPECT_GT(line["residual"].get<double>(), 1e-3) << line["solver"];
  }
}

// Two walls that close on a mass without friction: the multipliers (1, 1) prove that no impulse opens both.
TEST_F(Solve, AProofOfFrictionProblemsIsPassedOn) {
  FrictionProblem problem;
  append_contacts(problem, 3, std::vector<double>{0, 0});
  problem.q = {-1, 0, 0, -0.5, 0, 0};
  SparseRows W(6, 6);
  W.setIdentity();
  W.coeffRef(0, 3) = W.coeffRef(3, 0) = -1;
  set_matrix(problem, W);
  ASSERT_TRUE(write_friction_file((work() / "closing.hdf5").string(), problem));
  const auto lines = json_lines(stiction({"solve", "closing.hdf5", "--json"}).out);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["termination"], "no_solution");
}

TEST_F(Solve, TheTableIsAlignedAndFoldersAreOpened) {
  std::filesystem::create_directories(work() / "set");
  write_contact("set/a.hdf5", 0.5, 2);
  write_contact("set/a_longer_name.hdf5", 0.5, 2);
  write_folder("set/lcp", "1 1\n1\n", "1 1\n-1\n");
  const Outcome outcome = stiction({"solve", "set"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::string header, line;
  std::getline(lines, header);
  EXPECT_THAT(header, AllOf(HasSubstr("name"), HasSubstr("residual"), HasSubstr("termination")));
  for (const char* name : {"a ", "a_longer_name ", "lcp "}) {
    std::getline(lines, line);
    EXPECT_EQ(line.rfind(name, 0), 0U) << line;
    EXPECT_EQ(line.find("solved"), header.find("termination")) << line;
  }
  EXPECT_THAT(outcome.out, HasSubstr("3 of 3 solved"));
  EXPECT_THAT(stiction({"solve", "set", "--quiet"}).out, IsEmpty());
}

// Each solver of the registry that takes one of the forms that the problem has.
TEST_F(Solve, AllSolversRun) {
  write_contact("local.hdf5", 0.5, 2);
  write_global_contact("global.hdf5", 0.5, 2);
  for (const bool global : {false, true}) {
    const Outcome outcome = stiction({"solve", global ? "global.hdf5" : "local.hdf5", "--solver", "all", "--json"});
    EXPECT_EQ(outcome.status, 0);
    std::vector<std::string> names, registered;
    for (const auto& line : json_lines(outcome.out)) {
      names.push_back(line["solver"]);
      // Only a portfolio hands the problem on; another solver asked for by name runs itself.
      if (solvers::find_friction_solver(names.back())->portfolio) continue;
      EXPECT_EQ(line["rung"], line["solver"]);
    }
    for (const auto* solver : solvers::friction_solvers()) {
      if (solver->takes_local_form() || global) registered.emplace_back(solver->name);
    }
    EXPECT_EQ(names, registered);
  }
}

TEST_F(Solve, MistakesAreNamed) {
  write_contact("good.hdf5", 0.5, 2);
  write("text.hdf5", "not HDF5");
  std::filesystem::create_directories(work() / "empty");
  write_folder("bad", "2 2\n1\n", "2 1\n1\n1\n");
  expect_rejected({"solve"}, {"missing", "'PROBLEM'"});
  expect_rejected({"solve", "none.hdf5"}, {"none.hdf5", "does not exist"});
  expect_rejected({"solve", "good.hdf5", "text.hdf5"}, {"text.hdf5", "HDF5"});
  expect_rejected({"solve", "empty"}, {"empty", "no problem"});
  expect_rejected({"solve", "bad"}, {"M.mtx"});
  expect_rejected({"solve", "good.hdf5", "--solver", "newtn"}, {"unknown solver", "'newtn'", "'newton'"});
  expect_rejected({"solve", "good.hdf5", "--tol", "0"}, {"'--tol 0'"});
  expect_rejected({"solve", "good.hdf5", "--tol", "nan"}, {"--tol"});
  expect_rejected({"solve", "good.hdf5", "--time-limit", "-1"}, {"--time-limit"});
  write_folder("lcp", "1 1\n1\n", "1 1\n-1\n");
  expect_rejected({"solve", "lcp", "--solver", "admm"}, {"'admm'", "lcp", "lemke"});
}

TEST_F(Solve, AStepIsDumpedAndSolved) {
  const std::vector<std::string> run = {"run",   scene("tower.toml"),        "--method", "stewart-trinkle",
                                        "--set", "simulation.duration=0.02", "--quiet"};
  auto dump = run;
  dump.insert(dump.end(), {"--dump-problem", "3", "step.hdf5"});
  const Outcome dumped = stiction(dump);
  ASSERT_EQ(dumped.status, 0) << dumped.err;
  const auto file = read_friction_file((work() / "step.hdf5").string());
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->form, FrictionFile::Form::global);
  EXPECT_GT(file->problem.block_count(), 10);
  EXPECT_THAT(file->text.title, HasSubstr("step 3"));
  const Outcome solved = stiction({"solve", "step.hdf5", "--json"});
  EXPECT_EQ(solved.status, 0) << solved.err;
  const auto line = json_lines(solved.out).at(0);
  const auto r = line["r"].get<std::vector<double>>();
  EXPECT_LE(certify::friction_residual(file->problem, r).natural, 1e-8);

  for (const char* step : {"0", "-1", "2.5", "x", "1000000"}) {
    auto bad = run;
    bad.insert(bad.end(), {"--dump-problem", step, "bad.hdf5"});
    expect_rejected(bad, {"--dump-problem", step});
  }
  auto nowhere = run;
  nowhere.insert(nowhere.end(), {"--dump-problem", "1", "no/such/f.hdf5"});
  expect_rejected(nowhere, {"no/such"});
  EXPECT_EQ(files(), std::set<std::string>{"step.hdf5"});
}

// A polygon must not come out as a disc.
TEST_F(Solve, AStepWithAFrictionSetThatNoFileCanStateIsNotDumped) {
  const std::vector<std::string> run = {"run", scene("tower.toml"), "--set", "simulation.duration=0.02"};
  auto dump = run;
  dump.insert(dump.end(), {"--set", "material.wood.friction_exponent=3", "--dump-problem", "3", "step.hdf5"});
  expect_rejected(dump, {"--dump-problem", "friction sets", "remedy"});
  EXPECT_EQ(files(), std::set<std::string>{});
}

}  // namespace
}  // namespace stiction::cli
