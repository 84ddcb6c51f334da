#include "stored_problem.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "stiction/base/assert.h"
#include "stiction/certify/friction_residual.h"
#include "stiction/certify/lcp_no_solution.h"
#include "stiction/certify/lcp_residual.h"
#include "stiction/io/matrix_market.h"
#include "stiction/methods/checked_friction.h"
#include "stiction/solvers/registry.h"

namespace stiction::cli {
namespace {

namespace fs = std::filesystem;
using solvers::SolveReport;
using solvers::Termination;

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool is_problem_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path / "M.mtx", ignored);
}

bool is_friction_file(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".hdf5" || ending == ".h5";
}

// An LCP is a mixed one without equations.
MixedLcp as_mixed(const Lcp& problem) {
  return {problem.M, problem.q, std::vector<std::uint8_t>(problem.q.size(), 1)};
}

void take_report(const SolveReport& report, Attempt& result) {
  result.iterations = report.iterations;
  result.termination = report.termination;
}

solvers::FrictionOptions options_of(const SolveLimits& limits) {
  return {.tolerance = limits.tolerance, .time_limit = limits.time_limit};
}

void take_report(const solvers::FrictionReport& report, const FrictionFile& file, Attempt& result) {
  take_report(report.solve, result);
  result.rung = report.rung;
  result.polyhedral = report.polyhedral;
  result.residual = certify::friction_residual(file.problem, result.answer).natural;
}

// The problem as it stands in the file, velocities not eliminated. False where M has no blocks.
bool run_in_global_form(const solvers::FrictionSolver& solver, const FrictionFile& file, const SolveLimits& limits,
                        Attempt& result) {
  const double start = cpu_seconds();
  const auto problem = body_form(*file.global);
  if (!problem) return false;
  solvers::FrictionWorkspace workspace;
  const auto report = solvers::solve_friction(solver, *problem, options_of(limits), workspace, result.answer);
  result.time_ms = 1e3 * (cpu_seconds() - start);
  take_report(report, file, result);
  return true;
}

// W formed.
void run_in_local_form(const solvers::FrictionSolver& solver, const FrictionFile& file, const SolveLimits& limits,
                       Attempt& result) {
  const double start = cpu_seconds();
  solvers::FrictionWorkspace workspace;
  const auto report =
      methods::solve_friction_checked(solver, file.problem, options_of(limits), workspace, result.answer);
  result.time_ms = 1e3 * (cpu_seconds() - start);
  take_report(report, file, result);
}

// In global form first, where file and solver have it; what that does not solve goes on in local form, and the better
// answer counts.
void run(const FrictionFile& file, const SolveLimits& limits, Attempt& result) {
  result.answer.assign(file.problem.q.size(), 0.0);
  const solvers::FrictionSolver* solver = solvers::find_friction_solver(result.solver);
  STICTION_ASSERT(solver != nullptr, "a solver of solver_names");
  const bool tried = file.global && solver->takes_global_form() && run_in_global_form(*solver, file, limits, result);
  if (!tried) result.residual = certify::friction_residual(file.problem, result.answer).natural;
  if (!solver->takes_local_form() || (tried && result.residual <= limits.tolerance)) return;
  const Attempt first = result;
  const SolveLimits left = {limits.tolerance, limits.time_limit - 1e-3 * first.time_ms};
  if (left.time_limit <= 0) return;
  run_in_local_form(*solver, file, left, result);
  const double time_ms = first.time_ms + result.time_ms;
  if (tried && !(result.residual < first.residual)) result = first;
  result.time_ms = time_ms;
}

// That no answer exists is believed only where certify/ accepts the proof.
void run(const MixedLcp& problem, const SolveLimits& limits, Attempt& result) {
  VectorX z;
  solvers::LcpOptions options;
  options.tolerance = limits.tolerance;
  options.time_limit = limits.time_limit;
  const solvers::LcpSolver* solver = solvers::find_lcp_solver(result.solver);
  STICTION_ASSERT(solver != nullptr, "a solver of solver_names");
  const double start = cpu_seconds();
  solvers::LcpWorkspace workspace;
  const solvers::LcpReport report = solvers::solve_lcp(*solver, problem, options, workspace, z);
  result.time_ms = 1e3 * (cpu_seconds() - start);
  take_report(report.solve, result);
  const bool refuted = report.solve.termination == Termination::no_solution &&
                       certify::check_no_solution(problem, report.proof, {.tolerance = limits.tolerance}).proved;
  if (report.solve.termination == Termination::no_solution && !refuted) result.termination = Termination::not_found;
  result.rung = report.rung;
  result.residual = certify::mixed_lcp_residual(problem, z);
  result.answer.assign(z.data(), z.data() + z.size());
}

void run(const Lcp& problem, const SolveLimits& limits, Attempt& result) {
  run(as_mixed(problem), limits, result);
}

}  // namespace

std::string StoredProblem::kind() const {
  constexpr std::array names = {"friction", "lcp", "mlcp"};
  return names[data.index()];
}

int StoredProblem::size() const {
  if (const auto* lcp = std::get_if<Lcp>(&data)) return static_cast<int>(lcp->q.size());
  if (const auto* mixed = std::get_if<MixedLcp>(&data)) return static_cast<int>(mixed->q.size());
  const auto& blocks = std::get<FrictionFile>(data).problem.blocks;
  return static_cast<int>(std::count_if(blocks.begin(), blocks.end(), [](const FrictionBlock& block) {
    return block.law == FrictionBlock::Law::contact;
  }));
}

Result<StoredProblem> read_stored_problem(const std::string& path) {
  const fs::path place = fs::path(path).has_filename() ? fs::path(path) : fs::path(path).parent_path();
  StoredProblem problem = {is_friction_file(place) ? place.stem().string() : place.filename().string(), path, {}};
  std::error_code ignored;
  if (!fs::is_directory(place, ignored)) {
    auto file = read_friction_file(path);
    if (!file) return failure(file.error());
    problem.data = std::move(*file);
  } else if (fs::exists(place / "is_comp.mtx", ignored)) {
    auto mixed = read_mixed_lcp(place);
    if (!mixed) return failure(mixed.error());
    problem.data = std::move(*mixed);
  } else {
    auto lcp = read_lcp(place);
    if (!lcp) return failure(lcp.error());
    problem.data = std::move(*lcp);
  }
  return problem;
}

Result<std::vector<std::string>> problem_paths(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored) || is_problem_folder(path)) return std::vector<std::string>{path};
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    const bool folder = entry.is_directory(ignored);
    if (folder ? is_problem_folder(entry.path()) : is_friction_file(entry.path())) {
      paths.push_back(entry.path().string());
    }
  }
  if (paths.empty()) {
    return failure({.what = "the folder holds no problem",
                    .remedy = "Give an .hdf5 file, a folder with M.mtx and q.mtx (and is_comp.mtx if mixed), or a "
                              "folder of such files and folders.",
                    .file = path});
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> solver_names(const std::string& kind) {
  std::vector<std::string> names;
  if (kind != "friction") {
    for (const solvers::LcpSolver* solver : solvers::lcp_solvers()) names.emplace_back(solver->name);
    return names;
  }
  for (const solvers::FrictionSolver* solver : solvers::friction_solvers()) names.emplace_back(solver->name);
  return names;
}

std::vector<std::string> solver_names(const StoredProblem& problem) {
  std::vector<std::string> names = solver_names(problem.kind());
  const auto* file = std::get_if<FrictionFile>(&problem.data);
  if (file == nullptr || file->global) return names;  // a global problem has a local form, too
  std::erase_if(names, [](const auto& name) { return !solvers::find_friction_solver(name)->takes_local_form(); });
  return names;
}

Attempt attempt(const StoredProblem& problem, const std::string& solver, const SolveLimits& limits) {
  Attempt result;
  result.solver = solver;
  std::visit([&](const auto& data) { run(data, limits, result); }, problem.data);
  const bool holds = result.residual <= limits.tolerance;
  if (holds) result.termination = Termination::solved;
  if (!holds && result.termination == Termination::solved) result.termination = Termination::not_found;
  return result;
}

}  // namespace stiction::cli
