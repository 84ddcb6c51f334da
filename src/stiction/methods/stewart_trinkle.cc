// J. C. Trinkle: Formulation of multibody dynamics as complementarity problems, DETC2003/VIB-48342 (2003), section 3.
//
//   paper                    here
//   M, nu^(l), nu^(l+1), h   problem.mass, v_start, v_end, step
//   p_ext                    problem.external_impulse, already inside v_free = nu^(l) + M^-1 p_ext
//   bW_n^T, bPsi_n/h + dt    rows of problem.bilaterals, bilateral_bias
//   uW_n^T, uPsi_n/h + dt    row 0 of problem.contacts, normal_bias + surface[0]; limits of joints likewise
//   uD_i, e_i, mu_i          columns d_ij over rows t, o (and spin) of a contact; ones; largest semi-axis of friction
//   bD, beta_max             +1, -1 on a joint-friction row; ScalarRow::bound = h c_max
//   u_beta, u_sigma, ...     z, in the order of (47)
//   A_11                     never formed: W = J M^-1 J^T is, and the joints are eliminated from it, which is (44)
//                            between Jacobians
//
// Assumptions: matrices constant over the step (footnote 4); inelastic unless a contact's normal_bias asks for Newton
// restitution.
//
// Readings of the text, where its printed form is wrong: (45) A_12 = + M^-1 W B^-1; (40) has a transposed block; rows 3
// and 5 of (39) are the joints' own; (48) has entries of -3.5 between opposite directions; beta_max = h c_max.
//
// Deviations, each with its reason:
//  - M may hold the implicit part of springs and dampers, and p_ext the gyroscopic terms of free_motion.h: stable at
//    any step;
//  - joints that form rigid loops (W_BB singular, where the paper's B^-1 does not exist) are eliminated over a maximal
//    independent set of rows found by pivoted Cholesky: dependent rows hold to the square of the constraint error;
//  - friction may be elliptic and torsional: the polygon's vertices are scaled, the poles +-torsion added; isotropic
//    friction gives the paper's unit vectors;
//  - before Lemke, the answer in which all that touches sticks is tried (stick_guess.h): it solves the same LCP, and
//    does not break on the degenerate corners that Lemke finds for things at rest;
//  - where Lemke finds no answer and some gap is negative, the step is solved again with those gaps taken as zero, for
//    which the paper's existence theorem holds; the report names this fallback.
#include "stiction/methods/stewart_trinkle.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/methods/description.h"
#include "stiction/stepping/plain_step.h"

namespace stiction::methods {

namespace {

double largest_friction(const ContactRows& contact) {
  return std::max(contact.friction[0], contact.friction[1]);
}

}  // namespace

StewartTrinkle::StewartTrinkle(const StewartTrinkleOptions& options, int threads)
    : options_(options), scratch_(static_cast<size_t>(std::max(1, threads))) {}

contact::AssemblyOptions StewartTrinkle::assembly_options() const {
  contact::AssemblyOptions options;
  options.max_recovery_speed = options_.max_recovery_speed;
  return options;
}

int StewartTrinkle::contact_directions(const StepProblem& problem, const ContactRows& contact) const {
  const int rows = problem.blocks[contact.block].row_count;
  return rows == 1 ? 0 : options_.friction_directions + (rows == 4 ? 2 : 0);
}

void StewartTrinkle::begin(const StepProblem& problem, const StepContext& context) {
  memory_.begin(context.memory.basis);
  contact_slot_.clear();
  scalar_slot_.clear();
  for (const ContactRows& contact : problem.contacts) {
    contact_slot_.push_back(memory_.add_slot(contact.key, 2 + contact_directions(problem, contact)));
  }
  for (const ScalarRow& row : problem.scalars)
    scalar_slot_.push_back(memory_.add_slot(row.key, row.is_limit() ? 1 : 3));
}

void StewartTrinkle::keep(contact::ContactMemory& memory) {
  memory_.keep(memory.basis);
}

// The island's blocks in local order, their Delassus matrix, and q = J v_free + bias.
void StewartTrinkle::collect(const StepProblem& problem, const contact::Island& island, Scratch& s) const {
  s.q.clear();
  s.bilateral_rows = 0;
  const std::vector<double>& free_velocity = s.delassus.free_velocity();
  int row = 0;
  for (const int b : island.bilaterals) {
    const BilateralRows& rows = problem.bilaterals[b];
    for (int r = 0; r < problem.blocks[rows.block].row_count; ++r, ++row) {
      s.q.push_back(free_velocity[row] + problem.bilateral_bias[rows.first_bias + r]);  // (28)
    }
  }
  s.bilateral_rows = row;
  for (const int c : island.contacts) {
    const ContactRows& contact = problem.contacts[c];
    for (int r = 0; r < problem.blocks[contact.block].row_count; ++r, ++row) {
      s.q.push_back(free_velocity[row] + contact.surface[r] + (r == 0 ? contact.normal_bias : 0.0));  // (32), (36)
    }
  }
  for (const int k : island.scalars) s.q.push_back(free_velocity[row++] + problem.scalars[k].bias);  // (32), (38)
}

// (40)-(46) in impulse space, with B = -W_BB: joint_elimination.h.
void StewartTrinkle::eliminate_joints(Scratch& s) const {
  s.joints.form(s.delassus.matrix(), s.delassus.rows(), s.bilateral_rows);
  s.joints.reduce(s.delassus.matrix(), s.q);
}

// Which variable stands where in z (47), and how each impulse acts on the local rows (35).
void StewartTrinkle::lay_out_lcp(const StepProblem& problem, const contact::Island& island, Scratch& s) const {
  StewartTrinkleLcp& lcp = s.lcp;
  lcp.columns.clear();
  lcp.contact_beta.clear();
  lcp.contact_sigma.clear();
  lcp.contact_directions.clear();
  lcp.friction_beta.clear();
  lcp.friction_sigma.clear();
  lcp.contacts = static_cast<int>(island.contacts.size());
  lcp.limits = 0;
  const int first_contact = static_cast<int>(island.bilaterals.size());
  const int first_scalar = first_contact + lcp.contacts;
  for (int c = 0; c < lcp.contacts; ++c) lcp.columns.push_back({s.delassus.first_row(first_contact + c), 1, {1, 0, 0}});
  for (size_t k = 0; k < island.scalars.size(); ++k) {
    if (!problem.scalars[island.scalars[k]].is_limit()) continue;
    lcp.columns.push_back({s.delassus.first_row(first_scalar + static_cast<int>(k)), 1, {1, 0, 0}});
    ++lcp.limits;
  }
  for (int c = 0; c < lcp.contacts; ++c) {
    const ContactRows& contact = problem.contacts[island.contacts[c]];
    const int directions = contact_directions(problem, contact);
    lcp.contact_beta.push_back(static_cast<int>(lcp.columns.size()));
    lcp.contact_directions.push_back(directions);
    if (directions == 0) continue;
    const int row = s.delassus.first_row(first_contact + c) + 1;
    const double mu = largest_friction(contact);
    for (int j = 0; j < options_.friction_directions; ++j) {
      const double angle = options_.friction_angle + 2 * std::numbers::pi * j / options_.friction_directions;
      const std::array<double, 3> d = {std::cos(angle) * contact.friction[0] / mu,
                                       std::sin(angle) * contact.friction[1] / mu, 0};
      lcp.columns.push_back({row, 2, d});
    }
    if (directions > options_.friction_directions) {
      lcp.columns.push_back({row, 3, {0, 0, contact.torsion / mu}});
      lcp.columns.push_back({row, 3, {0, 0, -contact.torsion / mu}});
    }
  }
  for (size_t k = 0; k < island.scalars.size(); ++k) {
    if (problem.scalars[island.scalars[k]].is_limit()) continue;
    const int row = s.delassus.first_row(first_scalar + static_cast<int>(k));
    lcp.friction_beta.push_back(static_cast<int>(lcp.columns.size()));
    lcp.columns.push_back({row, 1, {1, 0, 0}});
    lcp.columns.push_back({row, 1, {-1, 0, 0}});
  }
  lcp.n = static_cast<int>(lcp.columns.size());
  for (int c = 0; c < lcp.contacts; ++c) lcp.contact_sigma.push_back(lcp.contact_directions[c] > 0 ? lcp.n++ : -1);
  for (size_t k = 0; k < lcp.friction_beta.size(); ++k) lcp.friction_sigma.push_back(lcp.n++);
}

// (47): F and f.
void StewartTrinkle::fill_lcp(const StepProblem& problem, const contact::Island& island, Scratch& s) const {
  StewartTrinkleLcp& lcp = s.lcp;
  const int n = lcp.n, rows = s.delassus.rows();
  const std::vector<double>& W = s.delassus.matrix();
  lcp.F.assign(static_cast<size_t>(n) * n, 0.0);
  lcp.f.assign(n, 0.0);
  const int impulses = static_cast<int>(lcp.columns.size());
  const auto F = [&](int i, int j) -> double& { return lcp.F[static_cast<size_t>(j) * n + i]; };

  for (int j = 0; j < impulses; ++j) {
    const StewartTrinkleLcp::Column& b = lcp.columns[j];
    for (int i = 0; i < impulses; ++i) {
      const StewartTrinkleLcp::Column& a = lcp.columns[i];
      double sum = 0;
      for (int l = 0; l < b.count; ++l) {
        const double* w = W.data() + static_cast<size_t>(b.row + l) * rows + a.row;
        double inner = 0;
        for (int k = 0; k < a.count; ++k) inner += a.coefficient[k] * w[k];
        sum += b.coefficient[l] * inner;
      }
      F(i, j) = sum;
    }
    for (int k = 0; k < b.count; ++k) lcp.f[j] += b.coefficient[k] * s.q[b.row + k];
  }
  for (int c = 0; c < lcp.contacts; ++c) {
    const int sigma = lcp.contact_sigma[c];
    if (sigma < 0) continue;
    F(sigma, c) = largest_friction(problem.contacts[island.contacts[c]]);  // U
    for (int j = 0; j < lcp.contact_directions[c]; ++j) {
      F(lcp.contact_beta[c] + j, sigma) = 1;   // uE
      F(sigma, lcp.contact_beta[c] + j) = -1;  // -uE^T
    }
  }
  size_t friction = 0;
  for (const int k : island.scalars) {
    if (problem.scalars[k].is_limit()) continue;
    const int beta = lcp.friction_beta[friction], sigma = lcp.friction_sigma[friction];
    for (int j = 0; j < 2; ++j) {
      F(beta + j, sigma) = 1;   // bE
      F(sigma, beta + j) = -1;  // -bE^T
    }
    lcp.f[sigma] = problem.scalars[k].bound;  // beta_max
    ++friction;
  }
}

// The joints' impulses from those of the other rows (43), then the velocities (25).
void StewartTrinkle::write_answer(const StepProblem& problem, const contact::Island& island, Scratch& s,
                                  StepAnswer& answer) const {
  s.joints.recover(s.p);
  for (size_t k = 0; k < s.blocks.size(); ++k) {
    const RowBlock& block = problem.blocks[s.blocks[k]];
    const int first = s.delassus.first_row(static_cast<int>(k));
    for (int r = 0; r < block.row_count; ++r) answer.impulse[block.first_row + r] = s.p[first + r];
  }
  s.delassus.apply(problem, island, s.p, answer.v_end);
}

// (47) by Lemke, from the last basis if there is one.
solvers::SolveReport StewartTrinkle::solve_lcp(const StepProblem& problem, const contact::Island& island, Scratch& s,
                                               Fallback& fallback) {
  lay_out_lcp(problem, island, s);
  fill_lcp(problem, island, s);
  s.z.resize(s.lcp.n);
  s.w.resize(s.lcp.n);
  const auto solve = [&](bool warm) {
    return solvers::solve_lemke({s.lcp.n, s.lcp.F.data(), s.lcp.f.data()}, warm, {}, s.lemke, s.z.data(), s.w.data());
  };
  solvers::SolveReport report = solve(recall_basis(problem, island, s));
  if (report.termination == solvers::Termination::solved) return report;
  // Existence is proved for gaps that are not negative: give up the recovery of overlaps for this step.
  bool clamped = false;
  for (int c = 0; c < s.lcp.contacts; ++c) {
    const double bias = problem.contacts[island.contacts[c]].normal_bias;
    if (bias >= 0) continue;
    s.lcp.f[c] -= bias;
    clamped = true;
  }
  if (!clamped) return report;
  fallback = Fallback::overlap_not_recovered;
  return solve(false);
}

IslandReport StewartTrinkle::solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                          StepAnswer& answer) {
  Scratch& s = scratch_[worker];
  IslandReport report;
  s.blocks.clear();
  for (const int b : island.bilaterals) s.blocks.push_back(problem.bilaterals[b].block);
  for (const int c : island.contacts) s.blocks.push_back(problem.contacts[c].block);
  for (const int k : island.scalars) s.blocks.push_back(problem.scalars[k].block);
  if (!s.delassus.form(problem, island, s.blocks)) return report;
  collect(problem, island, s);
  eliminate_joints(s);
  s.p.assign(s.delassus.rows(), 0.0);
  if (island.contacts.empty() && island.scalars.empty()) {
    report.solve.termination = solvers::Termination::solved;
  } else if (guess_stick(problem, island, s)) {
    report.solve.termination = solvers::Termination::solved;
    report.solve.warm_started = true;
    keep_impulses(problem, island, s, true);
  } else {
    report.solve = solve_lcp(problem, island, s, report.fallback);
    if (report.solve.termination != solvers::Termination::solved) return report;
    for (size_t j = 0; j < s.lcp.columns.size(); ++j) {
      const StewartTrinkleLcp::Column& column = s.lcp.columns[j];
      for (int k = 0; k < column.count; ++k) s.p[column.row + k] += column.coefficient[k] * s.z[j];
    }
    keep_basis(problem, island, s);
    keep_impulses(problem, island, s, false);
  }
  write_answer(problem, island, s, answer);
  return report;
}

extern const MethodDescription stewart_trinkle = {
    .name = "stewart-trinkle",
    .source = "trinkle2003",
    .sentence = "end-of-step contact and polyhedral friction as one LCP, solved by Lemke's algorithm",
    .knows = {.rolling = false},
    .overlap = {.kind = Overlap::thrown,
                .speed =
                    [](double depth, double h, const MethodOptions& options) {
                      return std::min(depth / h, options.of<StewartTrinkleOptions>().max_recovery_speed);
                    },
                .remedy = "or set max_recovery_speed"},
    .island = {.many_contacts = 60,
               .cost = "Lemke's pivots run over a dense tableau of ten rows per contact",
               .instead = "exact-cone"},
    .options = {option<&StewartTrinkleOptions::friction_directions>(
                    "friction_directions", "", {3, 256}, "edges of the polygon that stands for the friction circle"),
                option<&StewartTrinkleOptions::friction_angle>(
                    "friction_angle", "rad", any_value,
                    "angle of the first direction from the contact's friction direction"),
                option<&StewartTrinkleOptions::max_recovery_speed>(
                    "max_recovery_speed", "m/s", above_zero_or_infinite,
                    "bound on the speed that drives overlapping bodies apart")},
    .takes_solver = [](const solvers::SolverInfo& solver) { return solver.lcp == &solvers::lemke_lcp; },
    .polygon = [](const MethodOptions& options) { return options.of<StewartTrinkleOptions>().friction_directions; },
    .make = [](const MethodSetup& setup) -> std::unique_ptr<Stepper> {
      auto solver = std::make_unique<StewartTrinkle>(setup.options.of<StewartTrinkleOptions>(), setup.threads);
      return std::make_unique<PlainStep>(setup.model, std::move(solver), PlainStepOptions{.threads = setup.threads});
    }};

}  // namespace stiction::methods
