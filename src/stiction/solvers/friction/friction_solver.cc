#include "stiction/solvers/friction/friction_solver.h"

#include <algorithm>
#include <array>

#include "stiction/solvers/friction/friction_memory.h"
#include "stiction/solvers/friction/kernels/accurate_residual.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"
#include "stiction/solvers/friction/refine_polygons.h"

namespace stiction::solvers {

namespace {

constexpr std::array<std::string_view, 10> names = {"auto",     "pgs",  "gauss-seidel",   "newton",      "newton-fb",
                                                    "proximal", "admm", "interior-point", "enumeration", "lemke"};

// The residual of r, measured again where rounding could have made it small.
double beyond_rounding(const ScaledFriction& s, const double* r, double tolerance, double residual) {
  return residual <= tolerance && rounding_may_hide(s, r, tolerance) ? accurate_residual(s, r) : residual;
}

// One solve in progress: the iterate in memory.r, the best in memory.best.
class Solve {
 public:
  Solve(const FrictionOptions& options, FrictionMemory& memory, FrictionReport& report)
      : options_(options), m_(memory), report_(report), deadline_(options.time_limit) {}

  bool done() const { return m_.best_residual <= options_.tolerance || deadline_.passed(); }

  // Good enough for the caller: not worth the slow rungs.
  bool acceptable() const { return m_.best_residual <= options_.acceptance; }

  // Keeps r if it is the best so far, and says which algorithm made it.
  void keep(FrictionSolver solver, double residual) {
    residual = beyond_rounding(m_.scaled, m_.r.data(), options_.tolerance, residual);
    if (!(residual < m_.best_residual)) return;
    m_.best_residual = residual;
    m_.best = m_.r;
    report_.rung = friction_solver_name(solver);
    report_.polyhedral = solver == FrictionSolver::polyhedral_lemke;
  }

  void from_best() { m_.r = m_.best; }
  void from_zero() { std::fill(m_.r.begin(), m_.r.end(), 0.0); }

  void sweeps(int count, bool accelerate, bool random) {
    auto options = common<SweepOptions>();
    options.sweeps = count;
    options.accelerate = accelerate;
    options.random_order = random;
    options.seed = options_.seed;
    const SweepResult result = run_gauss_seidel(m_.scaled, options, m_.sweeps, m_.r.data());
    report_.solve.iterations += result.sweeps;
    keep(FrictionSolver::block_gs, result.residual);
  }

  void newton(int steps, int poor_steps, Merit merit) {
    auto options = common<NewtonOptions>();
    options.steps = steps;
    options.poor_steps = poor_steps;
    options.merit = merit;
    count(merit == Merit::alart_curnier ? FrictionSolver::newton : FrictionSolver::newton_fb,
          run_newton(m_.scaled, options, m_.newton, m_.r.data()));
  }

  void interior_point(int steps, int short_steps) {
    analyze();
    auto options = common<InteriorPointOptions>();
    options.steps = steps;
    options.short_steps = short_steps;
    count(FrictionSolver::interior_point,
          run_interior_point(m_.scaled, options, m_.newton.lu, m_.interior, m_.r.data()));
  }

  void proximal(int steps, double shrink = 0.5, double grow = 4) {
    auto options = common<ProximalOptions>();
    options.steps = steps;
    options.shrink = shrink;
    options.grow = grow;
    count(FrictionSolver::proximal, run_proximal(m_.scaled, options, m_.newton, m_.proximal, m_.r.data()));
  }

  void projected(int sweeps) {
    auto options = common<ProjectedOptions>();
    options.sweeps = sweeps;
    const SweepResult result = run_projected_gauss_seidel(m_.scaled, options, m_.projected, m_.r.data());
    report_.solve.iterations += result.sweeps;
    keep(FrictionSolver::projected_gs, result.residual);
  }

  void admm(int steps) {
    auto options = common<AdmmOptions>();
    options.steps = steps;
    analyze();
    count(FrictionSolver::admm, run_admm(m_.scaled, options, m_.newton.lu, m_.admm, m_.r.data()));
  }

  void refined_polygons() {
    const RefineResult result = run_refined_polygons(m_.scaled, common<RefineOptions>(), m_.r.data());
    report_.solve.iterations += result.pivots;
    keep(FrictionSolver::enumeration, result.residual);
  }

  void enumeration() {
    auto options = common<PatternOptions>();
    options.seed = options_.seed;
    const PatternResult result = run_enumeration(m_.scaled, options, m_.newton, m_.enumeration, m_.r.data());
    report_.solve.iterations += result.patterns;
    keep(FrictionSolver::enumeration, result.residual);
  }

  void polyhedral() {
    const PolyhedralResult result = run_polyhedral_lemke(m_.scaled, {}, m_.polyhedral, m_.r.data());
    report_.solve.iterations += result.pivots;
    report_.hypotheses = result.hypotheses;
    keep(FrictionSolver::polyhedral_lemke, result.residual);
  }

  void automatic();
  void last_rungs();

 private:
  // What every algorithm is told alike.
  template <class Options>
  Options common() const {
    Options options;
    options.tolerance = options_.tolerance;
    options.deadline = deadline_;
    return options;
  }

  void analyze() {
    if (!m_.newton.analyzed) m_.newton.lu.analyze(m_.scaled);
    m_.newton.analyzed = true;
  }

  void count(FrictionSolver solver, const NewtonResult& result) {
    report_.solve.iterations += result.steps;
    report_.factorizations += result.factorizations;
    keep(solver, result.residual);
  }

  const FrictionOptions& options_;
  FrictionMemory& m_;
  FrictionReport& report_;
  Deadline deadline_;
};

// Sweeps first: most problems end there. Newton next, where factoring pays; the robust and slow ones last.
void Solve::automatic() {
  sweeps(30, true, false);
  if (done()) return;
  analyze();
  const double sweep_work = static_cast<double>(m_.scaled.problem->column.size()) + 3.0 * m_.scaled.block_count;
  const double more = 8 * m_.newton.lu.work() / sweep_work;
  sweeps(std::clamp(static_cast<int>(more), 10, 300), true, false);
  if (done()) return;
  from_best();
  newton(60, 8, Merit::alart_curnier);
  if (done()) return;
  const bool small = m_.scaled.block_count <= 64;
  if (small) {  // another start costs little and often ends where the first did not
    from_zero();
    newton(60, 12, Merit::alart_curnier);
    if (done()) return;
    from_zero();
    newton(60, 12, Merit::fischer_burmeister);
    if (done()) return;
  }
  if (m_.scaled.plain) {
    from_best();
    interior_point(60, 4);
    if (done()) return;
    newton(20, 8, Merit::alart_curnier);
    if (done()) return;
  }
  if (small) {
    from_best();
    admm(1500);
    if (done()) return;
    newton(30, 8, Merit::alart_curnier);
    if (done()) return;
  }
  if (acceptable()) return;
  from_best();
  proximal(60);
  if (done()) return;
  from_zero();
  proximal(400);
  if (done()) return;
  from_zero();
  proximal(400, 0.2, 8);
  if (done()) return;
  from_best();
  newton(60, 20, Merit::fischer_burmeister);
  if (done()) return;
  from_best();
  sweeps(20000, false, true);
}

// What is left when nothing above reached the tolerance: a proof that there is no answer; every pattern of a small
// problem; Lemke on a polyhedral cone, whose modes are often those of the round one, so that Newton ends there.
void Solve::last_rungs() {
  if (done() || acceptable() || find_refutation(m_.scaled, m_.refute, m_.refutation)) return;
  from_best();
  refined_polygons();
  if (done()) return;
  enumeration();
  if (done()) return;
  polyhedral();
  if (done()) return;
  newton(60, 20, Merit::alart_curnier);
}

void run(FrictionSolver solver, const FrictionOptions& options, Solve& solve) {
  const int limit = options.max_iterations;
  switch (solver) {
    case FrictionSolver::block_gs:
      return solve.sweeps(limit > 0 ? limit : 20000, true, false);
    case FrictionSolver::newton:
      return solve.newton(limit > 0 ? limit : 200, 40, Merit::alart_curnier);
    case FrictionSolver::newton_fb:
      return solve.newton(limit > 0 ? limit : 200, 40, Merit::fischer_burmeister);
    case FrictionSolver::interior_point:
      solve.interior_point(limit > 0 ? limit : 200, 12);
      return solve.newton(20, 8, Merit::alart_curnier);
    case FrictionSolver::proximal:
      return solve.proximal(limit > 0 ? limit : 500);
    case FrictionSolver::projected_gs:
      return solve.projected(limit > 0 ? limit : 20000);
    case FrictionSolver::admm:
      return solve.admm(limit > 0 ? limit : 20000);
    case FrictionSolver::enumeration:
      return solve.enumeration();
    case FrictionSolver::polyhedral_lemke:
      return solve.polyhedral();
    default:
      solve.automatic();
      return solve.last_rungs();
  }
}

// A simulation wants no allocation once it has seen its largest problem: the rungs of `auto` that it has not needed so far
// get their memory too.
void reserve_rungs(FrictionMemory& m) {
  const size_t rows = m.scaled.row_count, values = m.scaled.value.size(), blocks = m.scaled.block_count;
  if (!m.all_rungs || (rows <= m.reserved_rows && values <= m.reserved_values)) return;
  m.reserved_rows = std::max(rows, m.reserved_rows);
  m.reserved_values = std::max(values, m.reserved_values);
  NewtonWorkspace& n = m.newton;
  InteriorPointWorkspace& i = m.interior;
  for (auto* vector : {&n.u,
                       &n.du,
                       &n.dr,
                       &n.F,
                       &n.trial_r,
                       &n.trial_u,
                       &n.best,
                       &m.proximal.center,
                       &m.proximal.trial,
                       &m.proximal.u,
                       &m.admm.f,
                       &m.admm.y,
                       &m.admm.z,
                       &m.admm.last,
                       &m.admm.u,
                       &i.q,
                       &i.z,
                       &i.s,
                       &i.u,
                       &i.du,
                       &i.r,
                       &i.dz,
                       &i.ds,
                       &i.right,
                       &i.r_p,
                       &i.dz_affine,
                       &i.ds_affine,
                       &i.best}) {
    vector->reserve(rows);
  }
  for (auto* vector : {&n.value, &m.admm.value, &i.W, &i.matrix}) vector->reserve(values);
  for (auto* vector : {&n.active, &m.admm.active, &i.active}) vector->reserve(blocks);
  n.A.reserve(36 * blocks), n.B.reserve(36 * blocks), n.coupling.reserve(3 * blocks), i.scaling.reserve(5 * blocks);
  m.newton.lu.analyze(m.scaled);
}

// r = 0 (or the caller's guess) and its residual.
void start(const FrictionOptions& options, std::span<const double> r, FrictionMemory& m) {
  m.r.assign(m.scaled.row_count, 0.0);
  m.u.resize(m.scaled.row_count);
  m.newton.analyzed = false;
  reserve_rungs(m);
  if (options.warm_start) to_scaled(m.scaled, r, m.r.data());
  prepare_gauss_seidel(m.scaled, m.sweeps);
  if (options.warm_start) {
    scaled_velocity(m.scaled, m.r.data(), m.u.data());
  } else {
    std::copy(m.scaled.q.begin(), m.scaled.q.end(), m.u.begin());
  }
  m.best_residual =
      beyond_rounding(m.scaled, m.r.data(), options.tolerance, scaled_residual(m.scaled, m.r.data(), m.u.data()));
  m.best = m.r;
}

// Newton and its kin end within the tolerance of the cones; the answer handed out is in them, where that costs nothing.
void settle_in_cones(double tolerance, FrictionMemory& m) {
  m.r = m.best;
  for (int i = 0; i < m.scaled.block_count; ++i) {
    double* own = m.r.data() + m.scaled.first[i];
    if (m.scaled.law[i] == FrictionBlock::Law::contact) {
      own[0] = std::max(own[0], 0.0);
      project_on_ball(own + 1, m.scaled.dim[i] - 1, m.scaled.mu[i] * own[0]);
    }
  }
  for (int i = 0; i < m.scaled.block_count; ++i) {
    if (m.scaled.law[i] != FrictionBlock::Law::bounded) continue;
    project_on_ball(m.r.data() + m.scaled.first[i], m.scaled.dim[i], ball_radius(m.scaled, i, m.r.data()));
  }
  scaled_velocity(m.scaled, m.r.data(), m.u.data());
  const double residual =
      beyond_rounding(m.scaled, m.r.data(), tolerance, scaled_residual(m.scaled, m.r.data(), m.u.data()));
  if (!(residual <= std::max(tolerance, m.best_residual))) return;
  m.best_residual = residual;
  m.best.swap(m.r);
}

}  // namespace

std::string_view friction_solver_name(FrictionSolver solver) {
  return names[static_cast<size_t>(solver)];
}

std::span<const double> friction_refutation(FrictionWorkspace& workspace) {
  return workspace.memory().refutation;
}

FrictionWorkspace::FrictionWorkspace() : memory_(std::make_unique<FrictionMemory>()) {}
void FrictionWorkspace::reserve_all_rungs() {
  memory_->all_rungs = true;
}
FrictionWorkspace::~FrictionWorkspace() = default;
FrictionWorkspace::FrictionWorkspace(FrictionWorkspace&&) noexcept = default;
FrictionWorkspace& FrictionWorkspace::operator=(FrictionWorkspace&&) noexcept = default;

FrictionReport solve_friction(FrictionSolver solver, const FrictionProblem& problem, const FrictionOptions& options,
                              FrictionWorkspace& workspace, std::span<double> r) {
  FrictionMemory& m = workspace.memory();
  FrictionReport report;
  report.rung = friction_solver_name(solver);
  m.refutation.clear();
  if (!scale_friction(problem, m.scaled)) {
    std::fill(r.begin(), r.end(), 0.0);
    report.solve.residual = infinity;
    return report;
  }
  start(options, r, m);
  Solve solve(options, m, report);
  if (m.best_residual > options.tolerance) run(solver, options, solve);
  if (report.rung != friction_solver_name(FrictionSolver::block_gs)) settle_in_cones(options.tolerance, m);
  from_scaled(m.scaled, m.best.data(), r);
  report.solve.residual = m.best_residual;
  const bool solved = m.best_residual <= options.tolerance;
  report.solve.termination = solved                  ? Termination::solved
                             : !m.refutation.empty() ? Termination::no_solution
                             : solve.done()          ? Termination::time_limit
                                                     : Termination::not_found;
  return report;
}

}  // namespace stiction::solvers
