// M. Anitescu, F. A. Potra, D. E. Stewart: Time-stepping for three-dimensional rigid body dynamics (1998).
//
//   paper                          here
//   q^l, v^l, v^(l+1), h           state, v_start, v_end, step
//   M, h [k - grad V]              problem.mass, external_impulse (gyroscopic terms as in dynamics/free_motion.h)
//   n^(j), D^(j), mu               rows of problem.contacts; D spans the tangent plane (and the spin)
//   J = { j : f_j(q + h v) <= 0 }  the contacts in the problem: stepping/contact_search.h leaves the others out
//   c_n, beta                      the contact's impulses
//   (14), (15)                     NormalLaw::rate: biases without gap and violation; polyhedral cones by the LCP of
//                                  stewart_trinkle.cc, whose matrix is the same
//   (18)-(22)                      friction sets as the material states them
//   (27)-(28)                      stepping/impacts/impact.h
//   projection, section 2.5        stepping/projection.h
//
// Readings of the text: the trigger is <=, in (14) too (the strict one sinks a resting body by g h^2); M is that of
// q^l, not q^(l+1); phi = |beta|^2 - (mu c_n)^2 <= 0 and the matching sign in (21); positions move by h G(q) v^(l+1).
#include "stiction/methods/anitescu_potra.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stiction/methods/checked_friction.h"
#include "stiction/methods/description.h"
#include "stiction/methods/shared/friction_sets.h"
#include "stiction/methods/shared/island_warm_start.h"
#include "stiction/solvers/friction/polyhedral_lemke.h"
#include "stiction/stepping/impacts/cut_at_impacts.h"
#include "stiction/stepping/project_joints.h"

namespace stiction::methods {

namespace {

using solvers::Termination;

// Larger islands of ellipsoids go to the sparse solvers at once.
constexpr int most_dense_rows = 120;

StewartTrinkleOptions polygon(const AnitescuPotraOptions& options) {
  return {.friction_directions = options.friction_directions, .friction_angle = options.friction_angle};
}

}  // namespace

AnitescuPotra::AnitescuPotra(const AnitescuPotraOptions& options, int threads)
    : options_(options), polyhedral_(polygon(options), threads), scratch_(std::max(1, threads)) {
  for (Scratch& scratch : scratch_) scratch.solver.reserve_all_rungs();
}

contact::AssemblyOptions AnitescuPotra::assembly_options() const {
  return {.newton_restitution = false, .velocity_level = true};
}

void AnitescuPotra::begin(const StepProblem& problem, const StepContext& context) {
  polyhedral_.begin(problem, context);
  memory_.begin(problem, context.memory.impulses_of(contact::WarmStarts::method));
}

void AnitescuPotra::keep(contact::ContactMemory& memory) {
  polyhedral_.keep(memory);
  memory_.keep(memory.impulses_of(contact::WarmStarts::method));
}

// Scheme (22) by Newton's method.
IslandReport AnitescuPotra::solve_cones(bool warm, Scratch& s) const {
  const solvers::GeneralConeReport report = solvers::solve_general_cone(
      s.cones.problem, {.tolerance = options_.tolerance, .warm_start = warm}, s.newton, s.r);
  IslandReport result{.solve = report.solve, .solver = "newton"};
  result.solve.warm_started = warm;
  if (report.rung != solvers::ConeRung::line_search) {
    result.fallback = Fallback::rung;
    result.solver = solvers::cone_rung_name(report.rung);
  }
  return result;
}

// The same law for ellipsoids only, sparse, with bounded rows: the portfolio of the default method.
IslandReport AnitescuPotra::solve_ellipsoids(bool warm, Scratch& s) const {
  const double acceptance = std::max(1e-8, options_.tolerance);
  const solvers::FrictionReport report = solve_friction_checked(
      solvers::auto_friction, s.velocity.problem,
      {.tolerance = options_.tolerance, .acceptance = acceptance, .warm_start = warm}, s.solver, s.r);
  IslandReport result{.solve = report.solve, .solver = report.rung};
  result.solve.warm_started = warm;
  if (report.solve.termination == Termination::solved) return result;
  if (report.solve.residual >= 0 && report.solve.residual <= acceptance) {
    result.solve.termination = Termination::solved;
    result.fallback = Fallback::tolerance_missed;
  }
  return result;
}

IslandReport AnitescuPotra::solve_general(const StepProblem& problem, const contact::Island& island, Scratch& s,
                                          StepAnswer& answer) {
  list_island_blocks(problem, island, s.blocks);
  if (!s.rows.form(problem, island, s.blocks)) return {};
  form_velocity_problem(problem, island, s.blocks, s.rows, s.velocity);
  const bool warm = recall_impulses(problem, island, s.rows, s.velocity, memory_, s.p, s.r);
  const bool stated = has_general_set(problem, island);
  const bool small = s.velocity.problem.row_count() <= most_dense_rows;
  IslandReport report;
  if ((small || stated) && form_cone_problem(problem, island, s.velocity.problem, s.cones)) {
    report = solve_cones(warm, s);
  }
  if (report.solve.termination != Termination::solved && !stated) {
    const bool tried = !report.solver.empty();
    report = solve_ellipsoids(warm && !tried, s);
    if (tried && report.fallback == Fallback::none) report.fallback = Fallback::friction_portfolio;
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
  if (options_.cone == AnitescuPotraOptions::Cone::polyhedral && !has_general_set(problem, island)) {
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

namespace {

using Options = AnitescuPotraOptions;

std::string_view cone_name(Options::Cone cone) {
  return cone == Options::Cone::general ? "general" : "polyhedral";
}

constexpr std::array all_cones = {Options::Cone::general, Options::Cone::polyhedral};
constexpr std::array all_impacts = {ImpactModel::poisson, ImpactModel::newton, ImpactModel::safe};

// The solver of general cones has rows of ellipsoids and of stated sets, and no bounds of their own.
Result<void> check(const Model& model, const MethodOptions&) {
  const Material* general = find_general_set(model);
  if (general == nullptr) return {};
  const auto has_friction = [](const Joint& joint) {
    return std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                       [](const JointCoordinate& c) { return c.friction > 0; });
  };
  for (const auto* joints : {&model.tree_joints, &model.loop_joints}) {
    const auto joint = std::find_if(joints->begin(), joints->end(), has_friction);
    if (joint == joints->end()) continue;
    return failure(
        {.what = fmt::format("a friction set other than an ellipse and the dry friction of joint '{}' do not "
                             "go together in method anitescu-potra",
                             joint->name),
         .remedy = "Take friction out of the joint, or give the material an elliptic friction.",
         .name = general->name,
         .line = general->line});
  }
  for (const Material& material : model.pair_table) {
    if (!material.cone || material.rolling_friction == 0) continue;
    return failure({.what = "rolling_friction needs an elliptic friction set in method anitescu-potra",
                    .remedy = "Leave out rolling_friction, or friction_polygon and friction_exponent.",
                    .name = material.name,
                    .line = material.line});
  }
  return {};
}

bool is_lemke(const solvers::SolverInfo& solver) {
  return solver.friction == &solvers::lemke_friction;
}

std::unique_ptr<Stepper> make(const MethodSetup& setup) {
  Options options = setup.options.of<Options>();
  if (is_lemke(setup.solver)) options.cone = Options::Cone::polyhedral;
  auto solver = std::make_unique<AnitescuPotra>(options, setup.threads);
  std::unique_ptr<Stepper> stepper = std::make_unique<CutAtImpacts>(
      setup.model, std::move(solver),
      PlainStepOptions{.threads = setup.threads, .representation = options.representation},
      ImpactCuts{.model = options.impact, .continuous = options.continuous});
  if (options.projection_interval == 0) return stepper;
  return std::make_unique<ProjectJoints>(setup.model, std::move(stepper), options.projection_interval);
}

}  // namespace

extern const MethodDescription anitescu_potra = {
    .name = "anitescu-potra",
    .source = "anitescu1998",
    .sentence = "velocity-level time-stepping with general friction cones and two-phase impacts",
    .knows = {.tangential_restitution = true, .general_cones = true},
    .options =
        {choice<&Options::cone, cone_name, all_cones>(
             "cone", "scheme (22) with the friction set that the material states, or scheme (14) with a polygon"),
         option<&Options::friction_directions>("friction_directions", "", {3, 256},
                                               "corners of the polygon of a polyhedral cone"),
         option<&Options::friction_angle>("friction_angle", "rad", any_value,
                                          "angle of its first direction from the contact's friction direction"),
         option<&Options::tolerance>("tolerance", "", above_zero,
                                     "residual at which a step with general cones counts as solved"),
         choice<&Options::impact, impact_model_name, all_impacts>("impact", "how restitution is made of an impact"),
         option<&Options::continuous>(
             "continuous", "", any_value,
             "steps are cut where bodies hit each other; false: the paper's trigger, once per step"),
         choice<&Options::representation, representation_name, all_representations>(
             "representation", "coordinates in which orientations advance"),
         option<&Options::projection_interval>("projection_interval", "", {0, 1000000},
                                               "closing joints are put right every so many steps; 0: never"),
         option<&Options::check_existence>("check_existence", "", any_value,
                                           "checks at every step whether the friction cone of each island is pointed, "
                                           "and reports where it is not")},
    .takes_solver = is_lemke,
    .check = check,
    .polygon =
        [](const MethodOptions& options) {
          const Options& own = options.of<Options>();
          return own.cone == Options::Cone::polyhedral ? own.friction_directions : 0;
        },
    .holds_joints_by_velocity = true,
    .make = make};

}  // namespace stiction::methods
