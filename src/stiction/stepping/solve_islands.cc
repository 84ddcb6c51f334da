#include "stiction/stepping/solve_islands.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace stiction {

void solve_islands(methods::Method& method, int threads, StepWorkspace& w) {
  w.answer.v_end = w.problem.v_free;
  // Only grows: resizing an Eigen vector to fewer rows and back would allocate.
  if (w.answer.impulse.size() < w.problem.row_count) w.answer.impulse.resize(w.problem.row_count);
  w.answer.impulse.setZero();
  w.answer.position.setZero(w.problem.v_free.size());
  w.answer.deflection.assign(w.problem.layers.size(), Vector3::Zero());
  w.answer.core_impulse.assign(w.problem.layers.size(), 0.0);
  w.reports.assign(w.islands.count(), {});
  method.begin(w.problem);
  const auto solve = [&](int island, int worker) {
    w.reports[island] = method.solve_island(w.problem, w.islands[island], worker, w.answer);
  };
  if (threads <= 1 || w.islands.count() <= 1) {
    for (int island = 0; island < w.islands.count(); ++island) solve(island, 0);
    return;
  }
  tbb::task_arena arena(threads);
  arena.execute([&] {
    tbb::parallel_for(0, w.islands.count(),
                      [&](int island) { solve(island, tbb::this_task_arena::current_thread_index()); });
  });
}

bool all_solved(const StepWorkspace& w) {
  for (const methods::IslandReport& report : w.reports) {
    if (report.solve.termination != solvers::Termination::solved) return false;
  }
  return w.answer.v_end.allFinite();
}

}  // namespace stiction
