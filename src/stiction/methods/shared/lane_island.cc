#include "stiction/methods/shared/lane_island.h"

#include <algorithm>
#include <atomic>

#include "stiction/methods/shared/island_warm_start.h"

namespace stiction::methods {

namespace {

// Above this residual what sweeps leave is far from an answer (a wall would fall), and factoring is cheap up to so many
// multiplications per contact: walls and rows take a few thousand, piles of 100 fifty thousand.
constexpr double far_residual = 1e-3, cheap_work = 2e4;

constexpr size_t contacts_at_once = 512;  // in one chunk of what workers share

// More sweeps for an island that would be factored otherwise.
constexpr int more_sweeps = 60;

// Overlaps below so many times what is left at rest are not worth a repair.
constexpr double worth_a_repair = 2;

// Does no body of the island move by more than a small share of what loads alone bring about?
bool rests(const StepProblem& problem, const contact::Island& island, double moving_share) {
  double moves = 0, gains = 0;
  for (const int t : island.trees) {
    const VelocityTree& tree = problem.trees[t];
    const auto start = problem.v_start.segment(tree.offset, tree.size);
    moves = std::max(moves, start.lpNorm<Eigen::Infinity>());
    gains = std::max(gains, (problem.v_free.segment(tree.offset, tree.size) - start).lpNorm<Eigen::Infinity>());
  }
  return moves <= moving_share * gains;
}

}  // namespace

bool LaneIsland::recall(const StepProblem& problem, const contact::Island& island, const ImpulseMemory& memory) {
  std::atomic<bool> known = false;
  for_ranges(memory.workers(), island.contacts.size(), contacts_at_once, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const int c = island.contacts[i];
      const ImpulseMemory::Impulses* last = memory.recall_contact(c, problem.contacts[c].key);
      if (last == nullptr) continue;
      lanes_.start_from(i, last->data());
      known.store(true, std::memory_order_relaxed);
    }
  });
  return known;
}

bool LaneIsland::begin(const StepProblem& problem, const contact::Island& island, const LaneIslandGoal& goal,
                       const ImpulseMemory& memory) {
  if (!island.bilaterals.empty() || !island.scalars.empty()) return false;
  if (!lanes_.take(problem, island.trees, island.contacts)) return false;
  known_ = recall(problem, island, memory);
  lanes_.measure();
  const double fastest = lanes_.fastest();
  guess_tolerance_ = known_ && fastest > 0 ? std::clamp(goal.worse_than_start * lanes_.start_speed() / fastest,
                                                        goal.least_guess * goal.tolerance, goal.tolerance)
                                           : goal.tolerance;
  return true;
}

bool LaneIsland::settle(const StepProblem& problem, const contact::Island& island, const LaneIslandGoal& goal,
                        const RepairOptions& repair, ImpulseMemory& memory, StepAnswer& answer, IslandReport& report) {
  if (!rests(problem, island, goal.moving_share) || !begin(problem, island, goal, memory) || !known_) return false;
  report.solve = lanes_.solve({.tolerance = goal.tolerance, .guess_tolerance = guess_tolerance_, .sweeps = 0});
  if (!report.solve.warm_started) return false;
  lanes_.write(problem, answer);
  const RepairNeed need(repair, problem.step, lanes_.fastest());
  for (const int c : island.contacts) {
    if (need.has(problem, problem.contacts[c], answer)) return false;
  }
  report.solver = "guess";
  keep_impulses(problem, island, answer, memory);
  return true;
}

bool LaneIsland::solve(const StepProblem& problem, const contact::Island& island, const LaneIslandGoal& goal,
                       ImpulseMemory& memory, StepAnswer& answer, IslandReport& report) {
  if (!begin(problem, island, goal, memory)) return false;
  report.solve =
      lanes_.solve({.tolerance = goal.tolerance, .guess_tolerance = guess_tolerance_, .sweeps = goal.sweeps});
  if (report.solve.residual > far_residual && lanes_.elimination_work() < cheap_work) {
    const int before = report.solve.iterations;
    report.solve =
        lanes_.solve({.tolerance = goal.tolerance, .guess_tolerance = goal.tolerance, .sweeps = more_sweeps});
    report.solve.iterations += before;
    if (report.solve.residual > far_residual) return false;
  }
  const double residual = report.solve.residual;
  if (!(residual <= goal.acceptance)) return false;
  report.solver = report.solve.warm_started ? "guess" : "sweeps";
  report.fallback = residual <= goal.asked ? Fallback::none : Fallback::tolerance_missed;
  report.solve.termination = solvers::Termination::solved;
  lanes_.write(problem, answer);
  keep_impulses(problem, island, answer, memory);
  const double rest = goal.resting_overlap * problem.step * lanes_.fastest();
  if (lanes_.push_apart({.resting_overlap = rest,
                         .least_overlap = worth_a_repair * rest,
                         .max_speed = goal.max_recovery_speed,
                         .gap_share = 1 / problem.step,
                         .sweeps = goal.push_sweeps},
                        answer.position)) {
    report.repair = "pushes";
    report.repair_iterations = goal.push_sweeps;
  }
  return true;
}

}  // namespace stiction::methods
