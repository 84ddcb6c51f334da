// M. Anitescu, F. A. Potra, D. E. Stewart: Time-stepping for three-dimensional rigid body dynamics (1998).
//
//   paper                          here
//   q^l, v^l, v^(l+1), h           state, v_start, v_end, step
//   M, h [k - grad V]              problem.mass, external_impulse (gyroscopic terms as in dynamics/free_motion.h)
//   n^(j), D^(j), mu               rows of problem.contacts; D spans the tangent plane (and the spin)
//   J = { j : f_j(q + h v) <= 0 }  the contacts in the problem: stepping/step.cc leaves the others out
//   c_n, beta                      the contact's impulses
//   (14), (15)                     NormalLaw::rate: biases without gap and violation; polyhedral cones by the LCP of
//                                  stewart_trinkle.cc, whose matrix is the same
//   (18)-(22)                      friction sets as the material states them
//   (27)-(28)                      stepping/impact.h
//   projection, section 2.5        stepping/projection.h
//
// Readings of the text: the trigger is <=, in (14) too (the strict one sinks a resting body by g h^2); M is that of q^l,
// not q^(l+1); phi = |beta|^2 - (mu c_n)^2 <= 0 and the matching sign in (21); positions move by h G(q) v^(l+1).
#include "stiction/methods/anitescu_potra.h"

#include <algorithm>

#include "stiction/methods/shared/island_warm_start.h"

namespace stiction::methods {

namespace {

using solvers::Termination;

// Larger islands of ellipsoids go to the sparse solvers at once.
constexpr int most_dense_rows = 120;

// Whether a contact has a friction set that is no ellipse.
bool states_cone(const StepProblem& problem, const contact::Island& island) {
  return std::any_of(island.contacts.begin(), island.contacts.end(),
                     [&](int c) { return problem.contacts[c].cone != nullptr; });
}

StewartTrinkleOptions polygon(const AnitescuPotraOptions& options) {
  return {.friction_directions = options.friction_directions, .friction_angle = options.friction_angle};
}

}  // namespace

AnitescuPotra::AnitescuPotra(const AnitescuPotraOptions& options, std::string_view solver, int threads)
    : options_(options), polyhedral_(polygon(options), threads), scratch_(std::max(1, threads)) {
  if (solver == "lemke") options_.cone = AnitescuPotraOptions::Cone::polyhedral;
  for (Scratch& scratch : scratch_) scratch.solver.reserve_all_rungs();
}

contact::AssemblyOptions AnitescuPotra::assembly_options() const {
  return {.newton_restitution = false, .velocity_level = true};
}

StepScheme AnitescuPotra::scheme() const {
  return {.impact = options_.impact,
          .continuous = options_.continuous,
          .projection_interval = options_.projection_interval};
}

void AnitescuPotra::begin(const StepProblem& problem) {
  polyhedral_.begin(problem);
  memory_.begin(problem);
}

void AnitescuPotra::accept(const StepProblem& problem) {
  polyhedral_.accept(problem);
  memory_.accept();
}

// Scheme (22) by Newton's method.
IslandReport AnitescuPotra::solve_cones(bool warm, Scratch& s) const {
  const solvers::GeneralConeReport report = solvers::solve_general_cone(
      s.cones.problem, {.tolerance = options_.tolerance, .warm_start = warm}, s.newton, s.r);
  IslandReport result{.solve = report.solve, .solver = "newton"};
  result.solve.warm_started = warm;
  if (report.rung != solvers::ConeRung::line_search) result.fallback = solvers::cone_rung_name(report.rung);
  return result;
}

// The same law for ellipsoids only, sparse, with bounded rows: the portfolio of the default method.
IslandReport AnitescuPotra::solve_ellipsoids(bool warm, Scratch& s) const {
  const double acceptance = std::max(1e-8, options_.tolerance);
  const solvers::FrictionReport report = solvers::solve_friction(
      solvers::FrictionSolver::automatic, s.velocity.problem,
      {.tolerance = options_.tolerance, .acceptance = acceptance, .warm_start = warm}, s.solver, s.r);
  IslandReport result{.solve = report.solve, .solver = report.rung};
  result.solve.warm_started = warm;
  if (report.solve.termination == Termination::solved) return result;
  if (report.solve.residual >= 0 && report.solve.residual <= acceptance) {
    result.solve.termination = Termination::solved;
    result.fallback = "tolerance-missed";
  }
  return result;
}

IslandReport AnitescuPotra::solve_general(const StepProblem& problem, const contact::Island& island, Scratch& s,
                                          StepAnswer& answer) {
  list_island_blocks(problem, island, s.blocks);
  if (!s.rows.form(problem, island, s.blocks)) return {};
  form_velocity_problem(problem, island, s.blocks, s.rows, s.velocity);
  const bool warm = recall_impulses(problem, island, s.rows, s.velocity, memory_, s.p, s.r);
  const bool stated = states_cone(problem, island);
  const bool small = s.velocity.problem.row_count() <= most_dense_rows;
  IslandReport report;
  if ((small || stated) && form_cone_problem(problem, island, s.velocity.problem, s.cones)) {
    report = solve_cones(warm, s);
  }
  if (report.solve.termination != Termination::solved && !stated) {
    const bool tried = !report.solver.empty();
    report = solve_ellipsoids(warm && !tried, s);
    if (tried && report.fallback.empty()) report.fallback = "friction-portfolio";
  }
  if (report.solve.termination != Termination::solved) return report;
  if (!stated) make_admissible(s.velocity.problem, s.r);
  s.velocity.scatter(s.rows, s.r, s.p);
  s.rows.apply(problem, island, s.p, problem.v_free, answer.v_end);
  write_impulses(problem, s.blocks, s.rows, s.p, answer);
  keep_impulses(problem, island, answer, memory_);
  return report;
}

IslandReport AnitescuPotra::solve_stated(const StepProblem& problem, const contact::Island& island, int worker,
                                         StepAnswer& answer) {
  if (options_.cone == AnitescuPotraOptions::Cone::polyhedral && !states_cone(problem, island)) {
    return polyhedral_.solve_island(problem, island, worker, answer);
  }
  return solve_general(problem, island, scratch_[worker], answer);
}

// An island without an answer is always asked whether it had to have one.
IslandReport AnitescuPotra::solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                         StepAnswer& answer) {
  IslandReport report = solve_stated(problem, island, worker, answer);
  if (options_.check_existence || report.solve.termination != Termination::solved) {
    report.existence = check_existence(problem, island);
  }
  return report;
}

}  // namespace stiction::methods
