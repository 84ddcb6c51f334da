// Contact solvers side by side on stored problems: ours and those of Siconos, in one run, problem by problem. Prints
// the tables; leaves a page with plots in a folder. docs/solvers.md says what is measured and how.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "comparison.h"
#include "comparison_json.h"
#include "our_solvers.h"
#include "siconos_peer.h"
#include "solvers_report.h"
#include "stiction/io/fclib.h"

namespace {

using namespace stiction::bench;

struct Arguments {
  std::vector<std::string> problems = {STICTION_SOURCE_DIR "/../shared/problems/friction",
                                       STICTION_SOURCE_DIR "/../shared/problems/hard"};
  std::string filter;
  std::string ours = "auto";
  std::string peers = "all";
  std::string out = STICTION_SOURCE_DIR "/build/bench/solvers";
  std::string json;
  std::string peer_cache;
  std::vector<std::string> work_precision = {"Rover1039",           "OneObject-i1028-138", "Box_Stacks-i0122-82-5",
                                             "Capsules-i100-889",   "RockPile_tob1",       "KaplasTower-i1061-4",
                                             "Spheres-i099-356-679"};
  double time_limit = 20;
  double peer_slack = 100;
};

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("problems", arguments.problems, "Folders of FCLIB files, in local or global form")
      ->capture_default_str();
  app.add_option("--filter", arguments.filter, "Only problems whose name contains this");
  app.add_option("--ours", arguments.ours, "Our solvers: auto, all or none")
      ->check(CLI::IsMember({"auto", "all", "none"}))
      ->capture_default_str();
  app.add_option("--peers", arguments.peers, "Solvers of Siconos: all or none")
      ->check(CLI::IsMember({"all", "none"}))
      ->capture_default_str();
  app.add_option("--out", arguments.out, "Folder for the page and its plots")->capture_default_str();
  app.add_option("--json", arguments.json, "Write everything measured to this file");
  app.add_option("--peer-cache", arguments.peer_cache,
                 "Take times of peers from this file and keep new ones in it, to measure ours again quickly");
  app.add_option("--work-precision", arguments.work_precision, "Problems measured at every tolerance and plotted");
  app.add_option("--time-limit", arguments.time_limit, "CPU seconds for one solve")->capture_default_str();
  app.add_option("--peer-slack", arguments.peer_slack,
                 "Stop a peer that takes this many times the quickest peer's time so far")
      ->capture_default_str();
}

struct StoredProblem {
  std::string name;
  stiction::FrictionFile file;

  int contacts() const { return file.problem.block_count(); }
};

/// The problems of the folders, small ones first.
stiction::Result<std::vector<StoredProblem>> load_problems(const Arguments& arguments) {
  std::vector<StoredProblem> problems;
  for (const std::string& folder : arguments.problems) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().stem().string();
      if (entry.path().extension() != ".hdf5" || name.find(arguments.filter) == std::string::npos) continue;
      auto read = stiction::read_friction_file(entry.path().string());
      if (!read) return stiction::failure(read.error());
      problems.push_back({name, std::move(*read)});
    }
  }
  std::sort(problems.begin(), problems.end(), [](const StoredProblem& a, const StoredProblem& b) {
    return std::pair(a.contacts(), a.name) < std::pair(b.contacts(), b.name);
  });
  return problems;
}

class SideBySide {
 public:
  explicit SideBySide(const Arguments& arguments)
      : arguments_(arguments),
        ours_(arguments.ours == "none" ? Contestants{} : our_contestants(arguments.ours == "all")),
        peers_(arguments.peers == "none" ? Contestants{} : siconos_contestants()),
        cache_(arguments.peer_cache) {}

  ProblemResult run(const StoredProblem& stored) {
    TrialOptions options = trial_options(stored);
    ProblemResult result{.name = stored.name, .contacts = stored.contacts(), .entries = {}};
    for (const auto& contestant : ours_) {
      result.entries.push_back({contestant->name(), true, measure(*contestant, stored.file, options)});
    }
    for (const auto& contestant : peers_) {
      options.time_limit = peer_time_limit(result, options);
      result.entries.push_back({contestant->name(), false, measure_peer(*contestant, stored, options)});
    }
    return result;
  }

 private:
  TrialOptions trial_options(const StoredProblem& stored) const {
    const auto& whole = arguments_.work_precision;
    return {.time_limit = arguments_.time_limit,
            .whole_range = std::find(whole.begin(), whole.end(), stored.name) != whole.end()};
  }

  /// No need to wait for a peer that another one has long beaten.
  double peer_time_limit(const ProblemResult& result, const TrialOptions& options) const {
    const int tightest = static_cast<int>(options.targets.size()) - 1;
    const Entry* best = best_peer(result, tightest);
    if (best == nullptr) return arguments_.time_limit;
    return std::clamp(1e-3 * arguments_.peer_slack * time_at(*best, tightest), 0.2, arguments_.time_limit);
  }

  Measurement measure_peer(Contestant& contestant, const StoredProblem& stored, const TrialOptions& options) {
    if (const Measurement* known = cache_.find(stored.name, contestant.name(), options)) return *known;
    Measurement measurement = measure(contestant, stored.file, options);
    cache_.store(stored.name, contestant.name(), options, measurement);
    return measurement;
  }

  const Arguments& arguments_;
  Contestants ours_, peers_;
  PeerCache cache_;
};

/// One line as soon as a problem is done: the whole takes minutes.
void print_progress(const ProblemResult& result, std::size_t done, std::size_t count) {
  std::string line = fmt::format("[{}/{}] {} ({} contacts)", done, count, result.name, result.contacts);
  const Entry* ours = find_entry(result, our_entry);
  for (int target = 0; target < 2 && ours != nullptr; ++target) {
    line += fmt::format("  {:.4g} ms, ratio {:.2f}", time_at(*ours, target), ratio_to_best_peer(result, target));
  }
  std::cerr << line << std::endl;
}

void print_tables(const Comparison& comparison) {
  for (int target = 0; target < static_cast<int>(comparison.targets.size()); ++target) {
    std::cout << fmt::format("\nTo a residual of {:g}\n\n", comparison.targets[target])
              << markdown(problem_table(comparison, target)) << '\n'
              << markdown(profile_table(comparison, target, Field::ours_and_peers));
    if (has_field_of_ours(comparison))
      std::cout << '\n' << markdown(profile_table(comparison, target, Field::ours_alone));
  }
  std::cout << "\nTime of ours over the quickest of Siconos\n\n" << markdown(verdict_table(comparison)) << std::endl;
}

int run(const Arguments& arguments) {
  for (const std::string& folder : arguments.problems) {
    if (std::filesystem::is_directory(folder)) continue;
    std::cerr << "error: no folder '" << folder << "'\n  remedy: give folders of FCLIB files.\n";
    return 2;
  }
  const auto loaded = load_problems(arguments);
  if (!loaded) {
    std::cerr << loaded.error().message() << '\n';
    return 2;
  }
  const std::vector<StoredProblem>& problems = *loaded;
  if (siconos_version().empty()) std::cout << "Built without Siconos (libsiconos-numerics-dev): ours alone.\n";
  SideBySide side_by_side(arguments);
  Comparison comparison{.targets = TrialOptions{}.targets, .problems = {}};
  for (const StoredProblem& problem : problems) {
    comparison.problems.push_back(side_by_side.run(problem));
    print_progress(comparison.problems.back(), comparison.problems.size(), problems.size());
  }
  print_tables(comparison);
  if (!arguments.json.empty()) std::ofstream(arguments.json) << comparison_json(comparison).dump(1) << '\n';
  const auto written = write_report(comparison, arguments.work_precision, arguments.out);
  if (!written) std::cerr << written.error().message() << '\n';
  if (written) std::cout << "Page with plots: " << arguments.out << "/index.html\n";
  return written ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Contact solvers side by side on stored problems");
  Arguments arguments;
  add_options(app, arguments);
  CLI11_PARSE(app, argc, argv);
  return run(arguments);
}
