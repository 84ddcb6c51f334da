#include <algorithm>

#include "stiction/base/assert.h"
#include "stiction/math/linear/dense.h"
#include "stiction/solvers/friction/body/body_memory.h"

namespace stiction::solvers {
namespace {

// Penalties of the proximal steps: 1 over the compliance relative to a contact's own W. Newton's method ends within a
// few steps or not at all; of what moves, the stiff ones fail nine times in ten, and sweeps are cheaper.
constexpr double stiff[] = {1e6, 1e4}, soft = 1e2;
constexpr int newton_steps = 6;

// A repair is measured and repaired again at the next step: sweeps go for the first share of what there is to repair,
// and are taken at the second. Of what moves, sweeps go for the third, and the step with the contacts' states as they
// stand is taken at the second, too.
constexpr double share_wanted = 1e-3, share_taken = 0.1, share_moving = 0.03;

// Penalty of that step. A stiffer one follows rows that disagree with each other by less than they ask for.
constexpr double active_penalty = 1e2;

// The interior point behind them stops at the first, and is taken up to the second.
constexpr double interior_stop = 1e-4, interior_acceptance = 2e-3;

// Where it only gave a start (friction sets that are not ellipsoids), Newton's method goes on with so many steps.
constexpr int steps_from_start = 60;

// The repair in progress: z becomes its answer.
struct Repair {
  BodyMemory& m;
  const BodyRepairOptions& options;
  std::span<const double> r;  // to start from
  double change = 0;          // of q
  double start = 0;           // residual of r

  std::string_view run() {
    start = measure();
    if (options.may_factor && options.moves && !m.system.has_sets) {
      if (take_active_step()) return "active";
    } else if (options.may_factor && (take_easy_step(stiff[0]) || take_easy_step(stiff[1]))) {
      return "newton";
    }
    if (sweep() || !options.may_factor) return "sweeps";
    start_again();
    if (take_proximal_step(soft, false)) return "newton";
    if (take_interior_steps()) return "interior-point";
    return {};
  }

 private:
  void start_again() { to_system(m.system, r, m.z.data()); }
  double measure() {
    velocity_of(m.system, m.z.data(), m.x.data());
    all_velocities(m.system, m.x.data(), m.u.data());
    return body_residual(m.system, m.z.data(), m.u.data());
  }
  bool take_active_step() {
    const bool taken = m.active.take(m.system, m.u.data(), active_penalty, m.matrix, m.progress, m.z);
    if (taken) put_in_cones(m.system, m.z.data());
    if (taken && measure() <= std::max(options.tolerance, share_taken * start)) return true;
    start_again();
    return false;
  }
  bool sweep() {
    const double wanted = options.moves ? share_moving : share_wanted;
    m.progress.tolerance = m.progress.polished = std::max(options.tolerance, wanted * start);
    m.progress.best_residual = infinity;
    m.sweeps.prepare(m.system);
    return m.sweeps.run(m.system, options.sweeps, m.progress, m.z) <= std::max(options.tolerance, share_taken * start);
  }
  bool take_easy_step(double rho) { return take_proximal_step(rho, true); }
  bool take_proximal_step(double rho, bool only_if_easy) {
    const double tolerance = std::max(options.tolerance * m.system.smallest_judged, 1e-6 * change);
    return m.proximal.step(m.system, {.penalty = rho, .factorizations = newton_steps, .only_if_easy = only_if_easy},
                           tolerance, m.matrix, m.progress, m.z);
  }
  bool take_interior_steps() {
    m.progress.tolerance = m.progress.polished = interior_stop;
    double residual = m.run_interior({interior_stop, 0.7, 0.1});
    if (m.system.has_sets)
      residual =
          m.proximal.run(m.system, {.penalty = soft, .factorizations = steps_from_start}, m.matrix, m.progress, m.z);
    return residual <= interior_acceptance;
  }
};

// The whole law with another bias.
std::string_view repair(std::span<const double> change, const BodyRepairOptions& options, BodyMemory& m,
                        std::span<double> r) {
  const double moved = add_bias(change, m.system);
  if (options.may_factor) m.matrix.analyze(m.system);
  const std::string_view rung = Repair{.m = m, .options = options, .r = r, .change = moved}.run();
  if (rung.empty()) return rung;
  put_in_cones(m.system, m.z.data());
  from_system(m.system, m.z.data(), r);
  return rung;
}

// The normals alone, where all bodies are free and all blocks contacts: as far as `change` asks for and velocities do
// not open already. Bodies that press on each other may part. With the whole law, which holds them together while it
// pushes, few sweeps leave other gaps and overlaps than they found; velocities close the gaps, at each step anew.
bool push_apart(const BodyFrictionProblem& problem, std::span<const double> change, int sweeps, BodyMemory& m,
                std::span<double> v) {
  m.sweeps.prepare(m.system);
  if (!m.sweeps.can_push_apart()) return false;
  velocity_of(m.system, m.z.data(), m.x.data());
  all_velocities(m.system, m.x.data(), m.u.data());
  const double norm = m.system.q_norm > 0 ? m.system.q_norm : 1;
  for (const SystemBlock& block : m.system.blocks) {
    const int row = block.first;
    m.u[row] = -(std::max(m.u[row], 0.0) + change[row] * m.system.scale[row] / (norm * norm));
  }
  m.sweeps.push_apart(m.u.data(), sweeps, m.progress, m.x);
  for (size_t b = 0; b < problem.bodies.size(); ++b) {
    const VelocityBlock& body = problem.bodies[b];
    double* x = m.x.data() + m.system.places[b];
    solve_lower_transposed(m.system.chol.data() + body.mass_offset, body.size, x);
    for (int k = 0; k < body.size; ++k) v[body.offset + k] += norm * x[k];
  }
  return true;
}

}  // namespace

BodyReport repair_body_friction(const BodyFrictionProblem& problem, std::span<const double> change,
                                const BodyRepairOptions& options, BodyWorkspace& workspace, std::span<double> r,
                                std::span<double> v) {
  BodyMemory& m = workspace.memory();
  STICTION_ASSERT(m.system.row_count == problem.row_count(), "the workspace holds the solve of this problem");
  to_system(m.system, r, m.z.data());
  judge_all_alike(m.system);  // a position is off by what it is off, whatever the body's scale
  m.progress.factorizations = m.progress.iterations = m.progress.sweeps = 0;
  BodyReport report;
  if (!options.may_factor && push_apart(problem, change, options.sweeps, m, v)) {
    report.rung = "pushes";
  } else {
    report.rung = repair(change, options, m, r);
    if (!report.rung.empty()) end_velocity(problem, m.system, r, v);
  }
  if (!report.rung.empty()) report.solve.termination = Termination::solved;
  report.solve.iterations = m.progress.iterations;
  report.factorizations = m.progress.factorizations;
  report.sweeps = m.progress.sweeps;
  return report;
}

}  // namespace stiction::solvers
