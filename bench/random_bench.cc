// A study, not a timing: many random friction problems of up to six blocks, a third degenerate, each ending with a
// certified answer, a proof that there is none, or as not found, counted and written to a file.
//
//   script/bench random -- [COUNT] [--from SEED] [--out FOLDER] [--enumerate EVERY]
//
// Ends with an error when a claim was wrong, or when more than 1 in 100000 were not found.
#include <unistd.h>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include <fmt/format.h>

#include "../tests/support/random_friction.h"
#include "stiction/io/fclib.h"
#include "stiction/solvers/friction/enumerate_friction.h"

namespace {

using namespace stiction;
using testing::RandomFriction;
using testing::Verdict;

struct Arguments {
  long count = 1'000'000;
  long from = 1;
  long enumerate_every = 50;
  std::string out;
};

struct Counts {
  std::array<std::array<long, 4>, 8> by_kind = {};  // kind, verdict
  std::map<std::string, long> rungs;
  long arbitrary_not_found = 0, compared = 0, agreed = 0, several = 0, missed = 0;
  double slowest = 0;
};

// Ends the program where it is asked for help or does not understand.
[[noreturn]] void explain(const std::string& mistake) {
  fmt::print(mistake.empty() ? stdout : stderr,
             "{}bench_random [COUNT] [--from SEED] [--out FOLDER] [--enumerate EVERY]\n"
             "COUNT random friction problems (1000000), answered, refuted or not found; example: bench_random 20000\n",
             mistake.empty() ? "" : mistake + "\n");
  std::exit(mistake.empty() ? 0 : 2);
}

Arguments parse(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string value = values[i];
    const bool more = i + 1 < count;
    if (value == "--from" && more) {
      arguments.from = std::atol(values[++i]);
    } else if (value == "--enumerate" && more) {
      arguments.enumerate_every = std::atol(values[++i]);
    } else if (value == "--out" && more) {
      arguments.out = values[++i];
    } else if (value == "--help" || value == "-h") {
      explain("");
    } else {
      arguments.count = std::atol(value.c_str());
      if (arguments.count <= 0) explain(fmt::format("'{}' is neither a number of problems nor an option", value));
    }
  }
  return arguments;
}

void dump(const Arguments& arguments, const RandomFriction& random, long seed, const std::vector<double>& r,
          const solvers::FrictionReport& report) {
  fmt::print("{}: seed {} kind {}{} blocks {} softest {:.1e} mu {:.3g} residual {:.2e} rounding {:.1e}\n",
             solvers::termination_name(report.solve.termination), seed,
             testing::random_kind_names[static_cast<size_t>(random.kind)],
             random.arbitrary_q ? " arbitrary-q"
             : random.pinched   ? " pinched"
                                : "",
             random.problem.block_count(), random.softest, random.largest_friction, report.solve.residual,
             testing::rounding_floor(random.problem, r));
  if (arguments.out.empty()) return;
  std::filesystem::create_directories(arguments.out);
  const std::string path = fmt::format("{}/random_{}.hdf5", arguments.out, seed);
  if (!write_friction_file(path, random.problem, {fmt::format("random problem {}", seed), "not found"})) {
    fmt::print(stderr, "could not write {}\n", path);
  }
}

// Where the answer is unique (W definite, little friction) enumeration must find that one.
void compare(const RandomFriction& random, long seed, const std::vector<double>& r, Counts& counts) {
  std::vector<std::vector<double>> all;
  const auto result = solvers::enumerate_friction_solutions(random.problem, {}, all);
  if (!result.applicable) return;
  ++counts.compared;
  if (all.empty()) {
    ++counts.missed;
    fmt::print("enumeration found nothing: seed {} kind {}\n", seed,
               testing::random_kind_names[static_cast<size_t>(random.kind)]);
    return;
  }
  if (all.size() > 1) ++counts.several;
  double size = 0, difference = 0;
  for (size_t i = 0; i < r.size(); ++i) {
    size = std::max(size, std::abs(r[i]));
    difference = std::max(difference, std::abs(r[i] - all[0][i]));
  }
  if (difference <= 1e-5 * size || all.size() > 1) {
    ++counts.agreed;
  } else {
    fmt::print("enumeration disagrees: seed {} by {:.1e}\n", seed, difference / size);
  }
}

void print(const Counts& counts, long done) {
  fmt::print("\n{:<16}{:>12}{:>12}{:>12}{:>12}\n", "kind", "answered", "refuted", "not found", "wrong");
  for (size_t kind = 0; kind < counts.by_kind.size(); ++kind) {
    const auto& row = counts.by_kind[kind];
    fmt::print("{:<16}{:>12}{:>12}{:>12}{:>12}\n", testing::random_kind_names[kind], row[0], row[1], row[2], row[3]);
  }
  fmt::print("problems {}, not found with arbitrary q {}, slowest {:.3g} s\nrungs:", done, counts.arbitrary_not_found,
             counts.slowest);
  for (const auto& [rung, count] : counts.rungs) fmt::print("  {} {}", rung, count);
  fmt::print("\nunique answers compared with enumeration {}: agree {}, several answers {}, enumeration missed {}\n",
             counts.compared, counts.agreed, counts.several, counts.missed);
}

}  // namespace

int main(int argument_count, char** argument_values) {
  const Arguments arguments = parse(argument_count, argument_values);
  testing::RandomFrictionMaker maker;
  solvers::FrictionWorkspace workspace;
  Counts counts;
  std::vector<double> r;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  for (long k = 0; k < arguments.count; ++k) {
    const long seed = arguments.from + k;
    const RandomFriction random = maker.make(static_cast<std::uint64_t>(seed));
    r.assign(random.problem.row_count(), 0.0);
    const auto start = std::chrono::steady_clock::now();
    const auto report = solve_friction(solvers::auto_friction, random.problem, {}, workspace, r);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    counts.slowest = std::max(counts.slowest, time.count());
    const Verdict verdict = testing::judge(random.problem, report, r, solvers::friction_refutation(workspace), 1e-8);
    ++counts.by_kind[static_cast<size_t>(random.kind)][static_cast<size_t>(verdict)];
    ++counts.rungs[std::string(report.rung)];
    if (verdict == Verdict::wrong || verdict == Verdict::not_found) dump(arguments, random, seed, r, report);
    if (verdict == Verdict::not_found && random.arbitrary_q) ++counts.arbitrary_not_found;
    const bool unique = random.softest > 1e-4 && random.largest_friction < 0.3;
    if (verdict == Verdict::answered && unique && k % arguments.enumerate_every == 0 &&
        random.problem.block_count() <= 4) {
      compare(random, seed, r, counts);
    }
    if (terminal && k % 10000 == 0) fmt::print(stderr, "\r{} of {}", k, arguments.count);
  }
  if (terminal) fmt::print(stderr, "\r");
  print(counts, arguments.count);
  long wrong = 0, lost = 0;
  for (const auto& row : counts.by_kind) wrong += row[3], lost += row[2];
  return wrong == 0 && lost * 100000 <= arguments.count && counts.agreed == counts.compared ? 0 : 1;
}
