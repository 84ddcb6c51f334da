// E. Drumwright, D. A. Shell: A robust and tractable contact model for dynamic robotic simulation (2009).
//
//   paper                         here
//   n, N, T                       rows.normals; rows of ConvexRows: normals first, then tangents
//   A, b                          rows.A, rows.b (scaled); A by test impulses, contact/island_rows.h
//   A_N, B, A_T                   blocks of rows.A
//   epsilon                       ContactRows::restitution, in normal_bias = epsilon * approach
//   w_s, w (1)                    normal.w, methods/convex/normal_impulses.h
//   C, D                          first and last rows of A
//   R, y, x = w + R y (2)         tangential.R, .y, .x, methods/convex/tangential_impulses.h
//   U, v, f_0                     tangential.qp.U, .v; f_0 is twice ours
//   f_i, g                        tangential.qp cones; sum_bound, norm_bound
//   S                             the normals' rows of R
//   log barrier, t, Newton        solvers/cone/cone_qp.h: primal-dual, to a duality gap instead of a last t
//
// Readings of the text:
//  - approaching is b_N < 0, as A x = -b with pushing impulses asks; the text says b_N >= 0;
//  - v^T = 2 (w^T D^T + b_T^T) D R; S is the first n rows of R; C x = -(1 + epsilon) b_N is kept, not A_N x_N;
//  - f_i is the second-order cone |x_t| <= mu x_n, which has x_n >= 0 in it; as printed, a double cone, not convex;
//  - g as printed leaves a box no friction at all, since w_s is of least norm already: "sum" reads it as
//    1^T x_N <= 1^T w_s, "nullspace" takes out the component in the null space of A_N, "literal" is as printed;
//  - (1) by the pseudo-inverse may pull: "nonnegative" asks for w >= 0, "literal" is as printed.
// Beyond the text: contacts that separate after phase one get no impulse, and phase two must not close them (the paper
// has none of them); joints' limits are normals without tangents; closing joints are equations in both phases; spin
// belongs to the contact's ellipsoid; rolling and dry joint friction have cones of their own, and their velocities join
// the norm, far below slip. Friction sets that are not ellipses are taken as the disc round them.
#include "stiction/methods/convex_impulse.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/methods/description.h"
#include "stiction/methods/shared/integrators.h"
#include "stiction/methods/shared/island_warm_start.h"
#include "stiction/stepping/loads_after_contacts.h"
#include "stiction/stepping/project_joints.h"

namespace stiction::methods {

namespace {

using solvers::Termination;

// Contacts that face each other (a ball between jaws) can ask for more rebound than there is room for; they "would
// eliminate any restitution in the collision" (footnote 4).
void drop_restitution(const StepProblem& problem, const contact::Island& island, IslandFrictionProblem& velocity) {
  size_t next = 0;
  for (const FrictionBlock& block : velocity.problem.blocks) {
    if (block.law != FrictionBlock::Law::contact || next == island.contacts.size()) continue;
    velocity.problem.q[block.first_row] -= problem.contacts[island.contacts[next++]].normal_bias;
  }
}

}  // namespace

ConvexImpulse::ConvexImpulse(const ConvexImpulseOptions& options, int threads)
    : options_(options), scratch_(std::max(1, threads)) {
  options_.acceptance = std::max(options_.acceptance, options_.tolerance);
}

contact::AssemblyOptions ConvexImpulse::assembly_options() const {
  return {.newton_restitution = true, .velocity_level = true};
}

// Both phases, over the island's rows with joints eliminated.
IslandReport ConvexImpulse::find_impulses(const StepProblem& problem, const contact::Island& island, Scratch& s) const {
  const int scalar_blocks = static_cast<int>(island.scalars.size());
  IslandReport report;
  if (!s.rows.form(s.velocity, scalar_blocks)) return report;
  report.solve = find_normal_impulses(s.rows, options_.phase_one, s.normal);
  if (report.solve.termination != Termination::solved) {
    drop_restitution(problem, island, s.velocity);
    report.fallback = Fallback::without_restitution;
    if (!s.rows.form(s.velocity, scalar_blocks)) return report;
    report.solve = find_normal_impulses(s.rows, options_.phase_one, s.normal);
    if (report.solve.termination != Termination::solved) return report;
  }
  report.solve = find_tangential_impulses(s.rows, s.normal, options_, s.tangential);
  if (report.solve.termination == Termination::solved || !(report.solve.residual <= options_.acceptance)) return report;
  report.solve.termination = Termination::solved;
  report.fallback = Fallback::tolerance_missed;
  return report;
}

// What the solver's tolerance leaves outside the cones; impulses that pull, as phase one may print them, stay.
void ConvexImpulse::put_into_cones(Scratch& s) const {
  s.rows.scatter(s.tangential.x, s.r);
  make_admissible(s.velocity.problem, s.r);
  for (int i = 0; i < s.rows.normal_count(); ++i) {
    if (s.normal.w[i] < 0) s.r[s.rows.row[i]] = s.rows.scale[i] * s.tangential.x[i];
  }
  s.rows.close_joints(s.r);
}

IslandReport ConvexImpulse::solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                         StepAnswer& answer) {
  Scratch& s = scratch_[worker];
  list_island_blocks(problem, island, s.blocks);
  if (!s.island.form(problem, island, s.blocks)) return {};
  form_velocity_problem(problem, island, s.blocks, s.island, s.velocity);
  const IslandReport report = find_impulses(problem, island, s);
  if (report.solve.termination != Termination::solved) return report;
  put_into_cones(s);
  s.velocity.scatter(s.island, s.r, s.p);
  s.island.apply(problem, island, s.p, problem.v_free, answer.v_end);
  write_impulses(problem, s.blocks, s.island, s.p, answer);
  return report;
}

namespace {

using Options = ConvexImpulseOptions;

std::string_view bound_name(Options::NormalBound bound) {
  using Bound = Options::NormalBound;
  return bound == Bound::sum ? "sum" : bound == Bound::literal ? "literal" : "nullspace";
}

std::string_view phase_name(Options::PhaseOne phase) {
  return phase == Options::PhaseOne::nonnegative ? "nonnegative" : "literal";
}

constexpr std::array all_bounds = {Options::NormalBound::sum, Options::NormalBound::nullspace,
                                   Options::NormalBound::literal};
constexpr std::array all_phases = {Options::PhaseOne::nonnegative, Options::PhaseOne::pseudo_inverse};

}  // namespace

extern const MethodDescription convex_impulse = {
    .name = "convex-impulse",
    .source = "drumwright2009",
    .sentence = "two-phase convex optimisation of impulses",
    .solves_law = false,
    .island = {.many_contacts = 100,
               .cost = "its programme has dense matrices over all contacts of the island",
               .instead = "exact-cone"},
    .options =
        {choice<&Options::normal_bound, bound_name, all_bounds>(
             "normal_bound",
             "what keeps normal impulses of phase two from growing: their sum, nothing in the null space of A_N, "
             "their norm (as printed)"),
         choice<&Options::phase_one, phase_name, all_phases>(
             "phase_one", "normal impulses without friction: none pulls, or the pseudo-inverse as printed"),
         option<&Options::tolerance>("tolerance", "", above_zero,
                                     "duality gap at which phase two stops, relative to what phase one leaves"),
         option<&Options::acceptance>(
             "acceptance", "", above_zero,
             "a step that gets no closer fails; one between the two counts as `tolerance-missed`"),
         option<&Options::max_iterations>("max_iterations", "", {1, 10000}, "Newton steps of phase two"),
         choice<&Options::integrator, integrator_name, all_integrators>("integrator",
                                                                        "of the loads, after the contacts")},
    .make = [](const MethodSetup& setup) -> std::unique_ptr<Stepper> {
      const Options& options = setup.options.of<Options>();
      auto solver = std::make_unique<ConvexImpulse>(options, setup.threads);
      auto step = std::make_unique<LoadsAfterContacts>(setup.model, std::move(solver),
                                                       PlainStepOptions{.threads = setup.threads}, options.integrator);
      return std::make_unique<ProjectJoints>(setup.model, std::move(step), 1);
    }};

}  // namespace stiction::methods
