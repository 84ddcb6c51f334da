// D. Baraff: Fast contact force computation for nonpenetrating rigid bodies, SIGGRAPH (1994), with the impulses at
// collisions of his Analytical methods for dynamic simulation of non-penetrating rigid bodies, SIGGRAPH (1989), and
// with the regularisation of the Open Dynamics Engine (R. Smith, ODE user guide, 2006: CFM and ERP).
//
//   paper                     here
//   f_n, f_t                  p / h on the rows of problem.contacts
//   a_i = A f + b             accelerations over the step: h a = change of u over it
//   static, dynamic friction  slides: |u_t| > sliding_speed at the start
//   collision                 contact.approach < -impact_speed
//
// Two phases, each an LCP (pyramid_lcp.h) over W = J M^-1 J^T, joints eliminated:
//
//   impact, where a contact collides, on the velocities u- of the start:
//     0 <= p_n,  u_n+ >= -e u_n-  (e = 0 and contacts that do not collide: u_n+ >= -gap/h),  orthogonal
//     |p_t|, |p_o| <= mu p_n, each against its own slip
//   forces, with the loads of the step:
//     0 <= p_n,  u_n + soft p_n >= share * overlap / h  (gap > 0: -gap/h),  orthogonal
//     sliding contacts ("coulomb"): p_t = -mu p_n along the slip, whatever that does to the LCP
//     others: |p_t|, |p_o| <= mu p_n, against u + soft p at the end of the step: where they can they stop it
//
// For a contact at rest that touches, u_n >= 0 at the end of the step is a_n >= 0. The matrix of sliding contacts is
// not symmetric and need not be copositive: forces may not exist (Painleve). That is reported, with a proof checked by
// certify/lcp_no_solution.h, and the step fails; Baraff would go on with impulses.
//
// Deviations and readings:
//  - Lemke solves the LCP, not Baraff's own pivoting, and not ODE's box solver, which has fixed bounds mu f_n from the
//    last step or iteration: here the bounds are those of this step's p_n;
//  - a step is finite: where friction would turn a slip round within the step, the contact counts as sticking and the
//    step is solved again. Baraff's integrator would stop at that instant;
//  - elliptic friction opposes slip in the direction of maximum dissipation; a pyramid has the ellipse's axes; spin and
//    rolling resistance are bounded rows of their own;
//  - joint limits are contacts without friction and never rebound; dry joint friction is a bounded row of the force
//    phase. Closing joints hold exactly, and are projected after the step instead of ODE's correction by velocities.
#include "stiction/methods/acceleration_lcp.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/certify/lcp_no_solution.h"
#include "stiction/methods/description.h"
#include "stiction/methods/shared/island_friction_problem.h"
#include "stiction/methods/shared/island_warm_start.h"
#include "stiction/stepping/plain_step.h"
#include "stiction/stepping/project_joints.h"

namespace stiction::methods {

namespace {

using solvers::Termination;

// Residual of an LCP that other solvers than Lemke must reach, and that proofs of non-existence exclude.
constexpr double lcp_tolerance = 1e-8;

// Local block of the first contact.
int first_contact_block(const contact::Island& island) {
  return static_cast<int>(island.bilaterals.size());
}

// What prescribed motion adds to J v of every local row.
void add_surface(const StepProblem& problem, const contact::Island& island, std::span<double> u) {
  size_t row = 0;
  for (const int b : island.bilaterals) {
    const BilateralRows& bilateral = problem.bilaterals[b];
    for (int r = 0; r < problem.blocks[bilateral.block].row_count; ++r) {
      u[row++] += problem.bilateral_bias[bilateral.first_bias + r];
    }
  }
  for (const int c : island.contacts) {
    const ContactRows& contact = problem.contacts[c];
    for (int r = 0; r < problem.blocks[contact.block].row_count; ++r) u[row++] += contact.surface[r];
    if (contact.rolling < 0) continue;
    for (int r = 0; r < 2; ++r) u[row++] += problem.rollings[contact.rolling].surface[r];
  }
  for (const int i : island.scalars) u[row++] += problem.scalars[i].surface;
}

// J v, one per local row.
void multiply_jacobian(const StepProblem& problem, std::span<const int> blocks, const VectorX& v,
                       std::vector<double>& u) {
  u.clear();
  for (const int b : blocks) {
    const RowBlock& block = problem.blocks[b];
    for (int r = 0; r < block.row_count; ++r) {
      double sum = 0;
      for (int side = 0; side < 2; ++side) {
        if (block.tree[side] < 0) continue;
        const VelocityTree& tree = problem.trees[block.tree[side]];
        sum += problem.jacobian_block(b, side).row(r).dot(v.segment(tree.offset, tree.size));
      }
      u.push_back(sum);
    }
  }
}

// u += W p, over the rows that are not joints.
void add_product(const std::vector<double>& W, int first, std::span<const double> p, std::span<double> u) {
  const size_t n = u.size();
  for (size_t j = first; j < n; ++j) {
    if (p[j] == 0) continue;
    for (size_t i = first; i < n; ++i) u[i] += W[j * n + i] * p[j];
  }
}

// Coulomb's friction per unit of p_n at that slip: of maximum dissipation in the ellipse.
std::array<double, 2> sliding_friction(const ContactRows& contact, const Vector2& slip) {
  const std::array<double, 2>& mu = contact.friction;
  const double length = std::hypot(mu[0] * slip[0], mu[1] * slip[1]);
  if (!(length > 0)) return {0, 0};
  return {-mu[0] * mu[0] * slip[0] / length, -mu[1] * mu[1] * slip[1] / length};
}

}  // namespace

AccelerationLcp::AccelerationLcp(const AccelerationLcpOptions& options, int threads)
    : options_(options), scratch_(std::max(1, threads)) {}

contact::AssemblyOptions AccelerationLcp::assembly_options() const {
  return {.newton_restitution = false, .velocity_level = true};
}

void AccelerationLcp::begin(const StepProblem& problem, const StepContext& context) {
  memory_.begin(context.memory.basis);
  contact_slot_.clear();
  scalar_slot_.clear();
  for (const ContactRows& contact : problem.contacts) {
    contact_slot_.push_back(memory_.add_slot(contact.key, contact_bits));
  }
  for (const ScalarRow& row : problem.scalars) scalar_slot_.push_back(memory_.add_slot(row.key, scalar_bits));
}

void AccelerationLcp::keep(contact::ContactMemory& memory) {
  memory_.keep(memory.basis);
}

double AccelerationLcp::impact_offset(const StepProblem& problem, const ContactRows& contact) const {
  if (collides(contact) && contact.restitution > 0) return contact.restitution * contact.approach;
  return std::max(contact.gap, 0.0) / problem.step;
}

double AccelerationLcp::force_offset(double gap, double h) const {
  return (gap > 0 ? gap : options_.error_reduction * gap) / h;
}

// The normal of one contact and the bounded rows that go with it.
void AccelerationLcp::add_contact(const StepProblem& problem, const ContactRows& contact, int block, int index,
                                  bool impact, Scratch& s) const {
  const int row = s.delassus.first_row(block), normal = static_cast<int>(s.lcp.normals.size());
  const bool slides = !impact && s.slides[index];
  s.lcp.normals.push_back({.row = row,
                           .offset = impact ? impact_offset(problem, contact) : force_offset(contact.gap, problem.step),
                           .slide = slides ? sliding_friction(contact, s.slip[index]) : std::array<double, 2>{0, 0},
                           .soft = options_.regularization,
                           .item = index});
  const auto add_pair = [&](int at, double coefficient, int place) {
    if (coefficient <= 0) return;
    s.lcp.pairs.push_back({.row = at,
                           .normal = normal,
                           .coefficient = coefficient,
                           .soft = options_.regularization,
                           .item = index,
                           .place = place});
  };
  if (problem.blocks[contact.block].row_count > 1 && !slides) {
    for (int k = 0; k < 2; ++k) add_pair(row + 1 + k, contact.friction[k], k);
  }
  if (problem.blocks[contact.block].row_count == 4) add_pair(row + 3, contact.torsion, 2);
  if (contact.rolling < 0) return;
  const int rolling = s.delassus.first_row(block + 1);
  for (int k = 0; k < 2; ++k) add_pair(rolling + k, problem.rollings[contact.rolling].limit, 3 + k);
}

// Contacts, limits, and in the force phase dry joint friction. Items: contacts of the island, then its scalar rows.
void AccelerationLcp::lay_out(const StepProblem& problem, const contact::Island& island, bool impact,
                              Scratch& s) const {
  s.lcp.clear();
  int block = first_contact_block(island);
  for (size_t c = 0; c < island.contacts.size(); ++c) {
    const ContactRows& contact = problem.contacts[island.contacts[c]];
    add_contact(problem, contact, block, static_cast<int>(c), impact, s);
    block += contact.rolling >= 0 ? 2 : 1;
  }
  for (size_t k = 0; k < island.scalars.size(); ++k, ++block) {
    const ScalarRow& scalar = problem.scalars[island.scalars[k]];
    const int row = s.delassus.first_row(block), item = static_cast<int>(island.contacts.size() + k);
    if (scalar.is_limit()) {
      const double offset = impact ? std::max(scalar.gap, 0.0) / problem.step : force_offset(scalar.gap, problem.step);
      s.lcp.normals.push_back({.row = row, .offset = offset, .soft = options_.regularization, .item = item});
    } else if (!impact) {
      s.lcp.pairs.push_back({.row = row, .bound = scalar.bound, .item = item});
    }
  }
}

// The LCP by Lemke; where it finds nothing, by the chain of lcp_auto.h.
IslandReport AccelerationLcp::solve_lcp(bool warm, Scratch& s) const {
  const int n = s.lcp.size();
  s.z.resize(n);
  s.w.resize(n);
  IslandReport report{.solver = "lemke"};
  report.solve = solvers::solve_lemke({n, s.lcp.F.data(), s.lcp.f.data()}, warm, {}, s.lemke, s.z.data(), s.w.data());
  if (report.solve.termination != Termination::solved) solve_by_chain(s, report);
  return report;
}

// Allocates: the exception.
void AccelerationLcp::solve_by_chain(Scratch& s, IslandReport& report) const {
  const int n = s.lcp.size();
  MixedLcp problem{.M = Eigen::Map<const MatrixX>(s.lcp.F.data(), n, n),
                   .q = Eigen::Map<const VectorX>(s.lcp.f.data(), n),
                   .is_complementarity = std::vector<std::uint8_t>(n, 1)};
  VectorX z = VectorX::Zero(n);
  const solvers::LcpReport chain =
      solvers::solve_lcp(solvers::auto_lcp, problem, {.tolerance = lcp_tolerance}, s.chain, z);
  report.solve = chain.solve;
  report.solver = chain.rung;
  report.fallback = Fallback::rung;
  if (chain.solve.termination == Termination::solved) {
    std::copy(z.begin(), z.end(), s.z.begin());
    s.lemke.basis.assign(n, 0);
    for (int i = 0; i < n; ++i) s.lemke.basis[i] = z[i] > 0;
  } else if (chain.solve.termination == Termination::no_solution) {
    const bool proved = certify::check_no_solution(problem, chain.proof, {.tolerance = lcp_tolerance}).proved;
    if (proved) report.existence = Existence::no_forces;
    if (!proved) report.solve.termination = Termination::not_found;
  }
}

// Newton's restitution on the velocities of the start; leaves s.u after it, and its impulses in s.p.
IslandReport AccelerationLcp::solve_impact(const StepProblem& problem, const contact::Island& island,
                                           Scratch& s) const {
  lay_out(problem, island, true, s);
  s.lcp.fill(s.delassus.matrix(), s.u);
  IslandReport report = solve_lcp(false, s);
  if (report.solve.termination != Termination::solved) return report;
  s.lcp.add_impulses(s.z, s.p);
  add_product(s.delassus.matrix(), s.delassus.first_row(first_contact_block(island)), s.p, s.u);
  return report;
}

// Which contacts slide, from s.u.
void AccelerationLcp::classify(const StepProblem& problem, const contact::Island& island, Scratch& s) const {
  s.slip.assign(island.contacts.size(), Vector2::Zero());
  s.slides.assign(island.contacts.size(), 0);
  int block = first_contact_block(island);
  for (size_t c = 0; c < island.contacts.size(); ++c) {
    const ContactRows& contact = problem.contacts[island.contacts[c]];
    const int row = s.delassus.first_row(block);
    block += contact.rolling >= 0 ? 2 : 1;
    if (problem.blocks[contact.block].row_count == 1) continue;
    s.slip[c] = {s.u[row + 1], s.u[row + 2]};
    s.slides[c] =
        options_.sliding == AccelerationLcpOptions::Sliding::coulomb && s.slip[c].norm() > options_.sliding_speed;
  }
}

// Sliding contacts whose slip friction turns round within the step stick instead; true if there are any.
bool AccelerationLcp::stop_reversed(const StepProblem& problem, const contact::Island& island, Scratch& s) const {
  s.w.assign(s.q.begin(), s.q.end());
  add_product(s.delassus.matrix(), s.delassus.first_row(first_contact_block(island)), s.p_trial, s.w);
  bool reversed = false;
  int block = first_contact_block(island);
  for (size_t c = 0; c < island.contacts.size(); ++c) {
    const int row = s.delassus.first_row(block);
    block += problem.contacts[island.contacts[c]].rolling >= 0 ? 2 : 1;
    if (!s.slides[c] || !(s.p_trial[row] > 0)) continue;
    if (s.slip[c].dot(Vector2(s.w[row + 1], s.w[row + 2])) >= 0) continue;
    s.slides[c] = 0;
    reversed = true;
  }
  return reversed;
}

// Forces with the loads of the step, on top of the impulses in s.p; every round adds at least one sticking contact.
IslandReport AccelerationLcp::solve_forces(const StepProblem& problem, const contact::Island& island, Scratch& s) {
  add_product(s.delassus.matrix(), s.delassus.first_row(first_contact_block(island)), s.p, s.q);
  classify(problem, island, s);
  int pivots = 0;
  IslandReport report;
  do {
    lay_out(problem, island, false, s);
    s.lcp.fill(s.delassus.matrix(), s.q);
    report = solve_lcp(recall_basis(problem, island, s), s);
    report.solve.iterations += pivots;
    if (report.solve.termination != Termination::solved) return report;
    pivots = report.solve.iterations;
    s.p_trial.assign(s.p.size(), 0.0);
    s.lcp.add_impulses(s.z, s.p_trial);
  } while (stop_reversed(problem, island, s));
  keep_basis(problem, island, s);
  for (size_t i = 0; i < s.p.size(); ++i) s.p[i] += s.p_trial[i];
  return report;
}

IslandReport AccelerationLcp::solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                           StepAnswer& answer) {
  Scratch& s = scratch_[worker];
  list_island_blocks(problem, island, s.blocks);
  if (!s.delassus.form(problem, island, s.blocks)) return {};
  int joint_rows = 0;
  for (const int b : island.bilaterals) joint_rows += problem.blocks[problem.bilaterals[b].block].row_count;
  s.joints.form(s.delassus.matrix(), s.delassus.rows(), joint_rows);
  multiply_jacobian(problem, s.blocks, problem.v_start, s.u);
  add_surface(problem, island, s.u);
  s.joints.reduce(s.delassus.matrix(), s.u);
  s.q = s.delassus.free_velocity();
  add_surface(problem, island, s.q);
  s.joints.reduce(s.delassus.matrix(), s.q);
  s.p.assign(s.delassus.rows(), 0.0);

  IslandReport report;
  report.solve.termination = Termination::solved;
  const bool impact =
      std::any_of(island.contacts.begin(), island.contacts.end(), [&](int c) { return collides(problem.contacts[c]); });
  if (impact) report = solve_impact(problem, island, s);
  if (report.solve.termination != Termination::solved) return report;
  if (!island.contacts.empty() || !island.scalars.empty()) report = solve_forces(problem, island, s);
  if (report.solve.termination != Termination::solved) return report;
  s.joints.recover(s.p);
  write_impulses(problem, s.blocks, s.delassus.island_rows(), s.p, answer);
  s.delassus.apply(problem, island, s.p, answer.v_end);
  return report;
}

namespace {

using Options = AccelerationLcpOptions;

std::string_view sliding_name(Options::Sliding sliding) {
  return sliding == Options::Sliding::coulomb ? "coulomb" : "ode";
}

constexpr std::array all_slidings = {Options::Sliding::coulomb, Options::Sliding::ode};

}  // namespace

extern const MethodDescription acceleration_lcp = {
    .name = "acceleration-lcp",
    .source = "baraff1994",
    .sentence = "force-level LCP with a friction pyramid",
    .solves_law = false,
    .overlap = {.kind = Overlap::thrown,
                .speed = [](double depth, double h,
                            const MethodOptions& options) { return options.of<Options>().error_reduction * depth / h; },
                .remedy = "or lower error_reduction"},
    .options = {choice<&Options::sliding, sliding_name, all_slidings>(
                    "sliding",
                    "friction of sliding contacts: against the slip, which may leave no forces at all, or any of the "
                    "pyramid that stops it"),
                option<&Options::regularization>("regularization", "m/(s N s)", zero_or_above,
                                                 "softness of every contact, added to the diagonal (ODE: CFM / h)"),
                option<&Options::error_reduction>("error_reduction", "", zero_to_one,
                                                  "share of an overlap that a step takes back (ODE: ERP)"),
                option<&Options::impact_speed>("impact_speed", "m/s", above_zero,
                                               "contacts that close faster are impacts"),
                option<&Options::sliding_speed>("sliding_speed", "m/s", above_zero, "contacts that slip faster slide")},
    .make = [](const MethodSetup& setup) -> std::unique_ptr<Stepper> {
      auto solver = std::make_unique<AccelerationLcp>(setup.options.of<Options>(), setup.threads);
      auto step =
          std::make_unique<PlainStep>(setup.model, std::move(solver), PlainStepOptions{.threads = setup.threads});
      return std::make_unique<ProjectJoints>(setup.model, std::move(step), 1);
    }};

}  // namespace stiction::methods
