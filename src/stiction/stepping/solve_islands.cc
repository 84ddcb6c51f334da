#include "stiction/stepping/solve_islands.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "stiction/base/stage_times.h"

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

void solve_islands(IslandSolver& solver, const StepContext& context, int threads, StepRecord& record) {
  const StageTimer timer(context.times, Stage::solve);
  clear_answer(record);
  solver.begin(record.problem, context);
  const auto solve = [&](int island, int worker) {
    record.reports[island] = solver.solve_island(record.problem, record.islands[island], worker, record.answer);
  };
  if (threads <= 1 || record.islands.count() <= 1) {
    for (int island = 0; island < record.islands.count(); ++island) solve(island, 0);
    return;
  }
  tbb::task_arena arena(threads);
  arena.execute([&] {
    tbb::parallel_for(0, record.islands.count(),
                      [&](int island) { solve(island, tbb::this_task_arena::current_thread_index()); });
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
