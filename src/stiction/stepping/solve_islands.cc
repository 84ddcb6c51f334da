#include "stiction/stepping/solve_islands.h"

#include <algorithm>

#include "stiction/base/stage_times.h"
#include "stiction/base/workers.h"

namespace stiction {

namespace {

void clear_answer(StepRecord& record) {
  StepAnswer& answer = record.answer;
  answer.v_end = record.problem.v_free;
  // Only grows: resizing an Eigen vector to fewer rows and back would allocate.
  if (answer.impulse.size() < record.problem.row_count) answer.impulse.resize(record.problem.row_count);
  answer.impulse.setZero();
  answer.position.setZero(record.problem.v_free.size());
  answer.deflection.assign(record.problem.layers.size(), Vector3::Zero());
  answer.core_impulse.assign(record.problem.layers.size(), 0.0);
  record.reports.assign(record.islands.count(), {});
}

}  // namespace

// Islands are solved side by side, but for one that holds more contacts than a worker's share and that the solver
// shares: there all workers work together, before they turn to the others.
void solve_islands(IslandSolver& solver, const StepContext& context, StepRecord& record) {
  const StageTimer timer(context.times, Stage::solve);
  clear_answer(record);
  solver.begin(record.problem, context);
  const auto solve = [&](int island, int worker) {
    record.reports[island] = solver.solve_island(record.problem, record.islands[island], worker, record.answer);
  };
  const int count = record.islands.count();
  const int workers = context.workers == nullptr ? 1 : context.workers->count();
  const size_t share = record.problem.contacts.size() / static_cast<size_t>(workers);
  const auto is_large = [&](int island) {
    const size_t contacts = record.islands[island].contacts.size();
    return workers == 1 || (contacts > share && solver.shares_island(contacts));
  };
  for (int island = 0; island < count; ++island) {
    if (is_large(island)) solve(island, 0);
  }
  if (workers == 1) return;
  context.workers->for_chunks(count, [&](int island, int worker) {
    if (!is_large(island)) solve(island, worker);
  });
}

bool all_solved(const StepRecord& record) {
  for (const IslandReport& report : record.reports) {
    if (report.solve.termination != solvers::Termination::solved) return false;
  }
  return record.answer.v_end.allFinite();
}

StepOutcome summarize(const StepRecord& record, int passes) {
  StepOutcome outcome;
  outcome.passes = passes;
  outcome.islands = record.islands.count();
  for (const IslandReport& report : record.reports) {
    outcome.iterations += report.solve.iterations;
    outcome.warm_started += report.solve.warm_started ? 1 : 0;
    outcome.fallbacks += report.fallback == Fallback::none ? 0 : 1;
  }
  return outcome;
}

void report_fallback(Fallback fallback, StepRecord& record) {
  for (int i = 0; i < record.islands.count(); ++i) {
    if (!record.islands[i].contacts.empty()) record.reports[i].fallback = fallback;
  }
}

}  // namespace stiction
