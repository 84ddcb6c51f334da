// The results of all contestants on all problems, and what is read off them: best times, ratios, means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trial.h"

namespace stiction::bench {

/// One contestant on one problem.
struct Entry {
  std::string solver;  ///< FAMILY or FAMILY/SETTING
  bool ours = false;
  Measurement measurement;
};

struct ProblemResult {
  std::string name;
  int contacts = 0;
  std::vector<Entry> entries;
};

struct Comparison {
  std::vector<double> targets;
  std::vector<ProblemResult> problems;
};

/// Times below are the noise of clocks and caches and count as this much.
constexpr double least_milliseconds = 0.005;

/// Our entry in the comparison with peers.
constexpr std::string_view our_entry = "auto";

/// What stands before the slash.
std::string_view family(std::string_view solver);

/// The trial that counts for a target, or null: not reached.
const Trial* trial_at(const Entry& entry, int target);

/// Its time, not below least_milliseconds; infinity when the target was not reached.
double time_at(const Entry& entry, int target);

/// The entry of that name, or null.
const Entry* find_entry(const ProblemResult& problem, std::string_view solver);

/// The quickest entry of a peer that reaches the target, or null.
const Entry* best_peer(const ProblemResult& problem, int target);

/// Our time over the quickest peer's: infinity when we do not reach the target, NaN when only we (or nobody) do.
double ratio_to_best_peer(const ProblemResult& problem, int target);

/// What the issue of a comparison comes down to for one target.
struct Verdict {
  int solved = 0;           ///< by us
  int solved_by_peers = 0;  ///< by any of them
  int compared = 0;         ///< problems with a ratio
  double mean_ratio = 0;    ///< geometric
  double worst_ratio = 0;
  std::string worst_problem;
};

Verdict verdict(const Comparison& comparison, int target);

/// Fractions of problems a solver solves within `factor` of the quickest: Dolan and More, Math. Program. 91 (2002).
struct Profile {
  std::vector<double> factors;
  std::vector<std::string> solvers;            ///< ours by name, peers by family
  std::vector<std::vector<double>> fractions;  ///< [solver][factor]
};

/// Who competes in a profile or plot: more than eight curves are not told apart.
enum class Field { ours_and_peers, ours_alone };

/// Whether an entry takes part: `auto` and the peers, or all of ours.
bool competes(const Entry& entry, Field field);

Profile performance_profile(const Comparison& comparison, int target, Field field, const std::vector<double>& factors);

}  // namespace stiction::bench
