#include "stiction/solvers/friction/body/body_solver.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/assert.h"
#include "stiction/solvers/friction/body/body_ladder.h"
#include "stiction/solvers/friction/body/body_memory.h"

namespace stiction::solvers {

namespace {

// Memory for the rungs that this problem may not need. True where that took the analysis of its graph.
bool reserve(BodyMemory& m) {
  const size_t rows = m.system.row_count, values = m.system.H.size();
  const bool first_sets = m.system.has_sets && !m.reserved_sets;
  if (!m.all_rungs || (rows <= m.reserved_rows && values <= m.reserved_values && !first_sets)) return false;
  m.reserved_rows = std::max(rows, m.reserved_rows);
  m.reserved_values = std::max(values, m.reserved_values);
  m.interior.reserve(m.system);
  m.proximal.reserve(m.system);
  m.active.reserve(m.system);
  m.path.reserve(m.system);
  m.reserved_sets = m.reserved_sets || first_sets;
  if (m.reserved_sets) m.stand_in.reserve(m.system);
  m.matrix.analyze(m.system);
  return true;
}

void start(const BodyOptions& options, std::span<const double> r, BodyMemory& m) {
  m.z.assign(m.system.row_count, 0.0);
  m.guess.assign(m.system.row_count, 0.0);
  m.u.resize(m.system.row_count);
  m.x.resize(m.system.velocity_count);
  if (options.warm_start) to_system(m.system, r, m.z.data());
  const bool finite = std::all_of(m.z.begin(), m.z.end(), [](double z) { return std::isfinite(z); });
  if (!finite) std::fill(m.z.begin(), m.z.end(), 0.0);
  BodyProgress& p = m.progress;
  p.best.assign(m.system.row_count, 0.0);
  p.best_residual = infinity;
  p.best_rung = 0;
  p.tolerance = options.tolerance;
  p.polished = std::min(p.tolerance, options.polished);
  p.factorizations = p.sweeps = p.iterations = 0;
  p.most_factorizations = options.most_factorizations;
  p.most_sweeps = options.most_sweeps;
  p.deadline = Deadline(options.time_limit);
}

// Newton ends within the tolerance of the cones; the answer handed out is inside them, where that costs nothing.
void settle_in_cones(BodyMemory& m) {
  m.z = m.progress.best;
  put_in_cones(m.system, m.z.data());
  if (m.z == m.progress.best) return;
  velocity_of(m.system, m.z.data(), m.x.data());
  all_velocities(m.system, m.x.data(), m.u.data());
  const double residual = body_residual(m.system, m.z.data(), m.u.data());
  if (!(residual <= std::max(m.progress.tolerance, m.progress.best_residual))) return;
  m.progress.best_residual = residual;
  m.progress.best.swap(m.z);
}

Termination termination_of(const BodyProgress& progress) {
  if (progress.solved()) return Termination::solved;
  if (progress.deadline.passed()) return Termination::time_limit;
  return progress.spent() ? Termination::budget : Termination::not_found;
}

}  // namespace

BodyReport solve_body_friction(const BodyFrictionProblem& problem, const BodyOptions& options, BodyWorkspace& workspace,
                               std::span<double> r, std::span<double> v) {
  STICTION_ASSERT(static_cast<int>(r.size()) == problem.row_count(), "one impulse per row");
  BodyMemory& m = workspace.memory();
  BodyReport report;
  if (!make_body_system(problem, m.system)) {
    std::fill(r.begin(), r.end(), 0.0);
    std::copy_n(problem.v_free.begin(), v.size(), v.begin());
    report.solve.residual = infinity;
    return report;
  }
  judge_worst_block(options.scale, options.scales, m.system);
  start(options, r, m);
  const bool analyzed = climb_ladder(options, !options.factors_rarely && reserve(m), m);
  settle_in_cones(m);
  from_system(m.system, m.progress.best.data(), r);
  if (!v.empty()) end_velocity(problem, m.system, r, v);
  report.solve = {termination_of(m.progress), m.progress.iterations, m.progress.best_residual,
                  options.warm_start && m.progress.best_rung == 0};
  const BodyRung& rung = body_rungs()[m.progress.best_rung];
  report.rung = rung.name;
  report.factorizations = m.progress.factorizations;
  report.factored = rung.factorizations > 0;
  report.sweeps = m.progress.sweeps;
  report.analyzed = analyzed && m.matrix.is_new();
  return report;
}

}  // namespace stiction::solvers
