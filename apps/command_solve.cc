#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "stiction/solvers/registry.h"
#include "stored_problem.h"

namespace stiction::cli {

namespace {

using solvers::Termination;

Error bad_number(const char* option, double value, const char* what, const char* remedy) {
  return {.what = what, .remedy = remedy, .name = fmt::format("{} {}", option, value), .file = "command line"};
}

std::optional<Error> check_numbers(const SolveArguments& arguments) {
  if (!(arguments.tolerance > 0) || !std::isfinite(arguments.tolerance)) {
    return bad_number("--tol", arguments.tolerance, "the tolerance must be positive", "Give a tolerance such as 1e-8.");
  }
  if (arguments.time_limit && !(*arguments.time_limit > 0)) {
    return bad_number("--time-limit", *arguments.time_limit, "the time limit must be a positive number of seconds",
                      "Give a time such as 20, or leave the option out.");
  }
  return std::nullopt;
}

std::vector<std::string> all_solver_names() {
  std::vector<std::string> names = solver_names("friction");
  for (const std::string& name : solver_names("lcp")) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  names.emplace_back("all");
  return names;
}

std::optional<Error> check_solver(const std::string& solver) {
  const std::vector<std::string> names = all_solver_names();
  if (std::find(names.begin(), names.end(), solver) != names.end()) return std::nullopt;
  const std::string near = closest_name(solver, names);
  return Error{.what = "unknown solver",
               .remedy = fmt::format("{}There are {}.", near.empty() ? "" : fmt::format("Did you mean '{}'? ", near),
                                     fmt::join(names, ", ")),
               .name = solver,
               .file = "command line"};
}

// The solvers to try on a problem: the one asked for, or all of its kind.
Result<std::vector<std::string>> solvers_for(const StoredProblem& problem, const std::string& solver) {
  const std::vector<std::string> names = solver_names(problem);
  if (solver == "all") return names;
  if (std::find(names.begin(), names.end(), solver) != names.end()) return std::vector<std::string>{solver};
  const std::vector<std::string> kin = solver_names(problem.kind());
  const bool other_form = std::find(kin.begin(), kin.end(), solver) != kin.end();  // local: W alone, no velocities
  return failure({.what = fmt::format("the solver '{}' does not solve problems of the kind {}", solver,
                                      other_form ? "friction in local form" : problem.kind()),
                  .remedy = fmt::format("Use {}.", fmt::join(names, " or ")),
                  .name = solver,
                  .file = problem.path});
}

// Everything is read and checked before anything is solved, so that a bad file stops the command with nothing printed.
struct Task {
  StoredProblem problem;
  std::vector<std::string> solvers;
};

Result<std::vector<Task>> read_tasks(const SolveArguments& arguments) {
  std::vector<Task> tasks;
  for (const std::string& given : arguments.problems) {
    const auto paths = problem_paths(given);
    if (!paths) return failure(paths.error());
    for (const std::string& path : *paths) {
      auto problem = read_stored_problem(path);
      if (!problem) return failure(problem.error());
      auto solvers = solvers_for(*problem, arguments.solver);
      if (!solvers) return failure(solvers.error());
      tasks.push_back({std::move(*problem), std::move(*solvers)});
    }
  }
  return tasks;
}

void print_json(const StoredProblem& problem, const Attempt& attempt, double tolerance) {
  std::vector<double> r = attempt.answer;
  nlohmann::ordered_json line = {{"name", problem.name},
                                 {"solver", attempt.solver},
                                 {"tol", tolerance},
                                 {"time_ms", attempt.time_ms},
                                 {"iterations", attempt.iterations},
                                 {"residual", attempt.residual},
                                 {"termination", solvers::termination_name(attempt.termination)},
                                 {"kind", problem.kind()},
                                 {"rung", attempt.rung},
                                 {"polyhedral", attempt.polyhedral}};
  if (const auto* file = std::get_if<FrictionFile>(&problem.data)) {
    line["contacts"] = problem.size();
    if (file->contact_rows < static_cast<int>(r.size())) {  // FCLIB keeps bilateral impulses apart from r
      line["lambda"] = std::vector<double>(r.begin() + file->contact_rows, r.end());
      r.resize(file->contact_rows);
    }
  } else {
    line["rows"] = problem.size();
  }
  line["r"] = r;
  print("{}\n", line.dump());
}

// The table: a line as soon as a solver is done. Names set the width of the first column.
class Table {
 public:
  Table(const std::vector<Task>& tasks, bool enabled) : enabled_(enabled) {
    for (const Task& task : tasks) {
      name_width_ = std::max(name_width_, task.problem.name.size());
      for (const std::string& solver : task.solvers) {
        const bool names_rung = solvers::find_solver(solver)->portfolio();
        solver_width_ = std::max(solver_width_, solver.size() + (names_rung ? longest_rung : 0));
      }
    }
  }

  void header() const {
    if (!enabled_) return;
    print("{:<{}}  {:<8}  {:>6}  {:<{}}  {:>10}  {:>9}  {:>11}  {}\n", "name", name_width_, "kind", "size", "solver",
          solver_width_, "iterations", "residual", "time [ms]", "termination");
  }

  void row(const StoredProblem& problem, const Attempt& attempt) const {
    if (!enabled_) return;
    const bool same = attempt.rung.empty() || attempt.rung == attempt.solver;
    const std::string solver = same ? attempt.solver : fmt::format("{} ({})", attempt.solver, attempt.rung);
    print("{:<{}}  {:<8}  {:>6}  {:<{}}  {:>10}  {:>9.2e}  {:>11.3f}  {}{}\n", problem.name, name_width_,
          problem.kind(), problem.size(), solver, solver_width_, attempt.iterations, attempt.residual, attempt.time_ms,
          solvers::termination_name(attempt.termination), attempt.polyhedral ? " (polyhedral cone)" : "");
  }

 private:
  static constexpr size_t longest_rung = std::string_view(" (convex-interior-newton)").size();
  bool enabled_;
  size_t name_width_ = 4;
  size_t solver_width_ = 6;
};

}  // namespace

int command_solve(const SolveArguments& arguments) {
  if (const auto error = check_numbers(arguments)) return report(*error);
  if (const auto error = check_solver(arguments.solver)) return report(*error);
  const auto tasks = read_tasks(arguments);
  if (!tasks) return report(tasks.error());
  const SolveLimits limits = {arguments.tolerance, arguments.time_limit.value_or(infinity)};
  const bool text = !arguments.json && !arguments.quiet;
  const Table table(*tasks, text);
  Progress progress("solving", text && tasks->size() > 1);
  size_t solved = 0;
  double seconds = 0;
  table.header();
  for (size_t i = 0; i < tasks->size(); ++i) {
    const Task& task = (*tasks)[i];
    bool any = false;
    for (const std::string& solver : task.solvers) {
      progress.update(static_cast<double>(i) / static_cast<double>(tasks->size()));
      const Attempt result = attempt(task.problem, solver, limits);
      any |= result.termination == Termination::solved;
      seconds += 1e-3 * result.time_ms;
      progress.clear();
      table.row(task.problem, result);
      if (arguments.json) print_json(task.problem, result, arguments.tolerance);
      std::fflush(stdout);
    }
    solved += any ? 1 : 0;
  }
  if (text) {
    print("{} of {} solved to {:g} in {:.3g} s of CPU time\n", solved, tasks->size(), arguments.tolerance, seconds);
  }
  return solved == tasks->size() ? exit_done : exit_missed;
}

}  // namespace stiction::cli
