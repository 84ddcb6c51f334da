// Penalty forces: a spring and a damper at every contact point, along the normal and in the tangent plane. The
// tangential spring is that of P. A. Cundall and O. D. L. Strack, A discrete numerical model for granular assemblies,
// Geotechnique 29 (1979).
//
// With h the step, u the relative velocity of B over A at the start of the step, all forces explicit:
//
//     f_n = max(0, k (-gap) - c u_n)  where gap < 0, else 0                             no contact pulls
//     s   = displacement along t, o (and spin, times the torsion length) since the bodies met:
//           s += h/2 (u_t at the end of the last step in its own frame + u_t now), carried along with A
//     s   is shortened until k_t s is in f_n E                                          where it slips
//     f_t = -k_t s - c_t u_t, shortened until it is in f_n E
//     v   = v_free + M^-1 J^T h f,  q+ = q + h v                                        semi-implicit Euler
//
// E is the contact's friction ellipse, with torsion ellipsoid. Shortening is along the vector itself: on a circle the
// projection, on an ellipse not quite the direction of maximum dissipation. The velocity at the end of a step is what
// moved positions; the mean over the frames of its start and end is the arc on a turning body up to O(h^3).
//
//  - Every contact point has the full gains: a box on four corners stands on 4 k.
//  - Restitution is not known: the damper alone decides how a body bounces.
//  - Rolling resistance: none.
//  - Joints are not penalised: with the forces above in v, the rows of closing joints, limits and dry joint friction
//    are solved as they stand: closing joints eliminated (joint_elimination.h), the others as an LCP (pyramid_lcp.h) by
//    Lemke. A spring at a limit would need gains of its own, per radian.
//  - Explicit forces are stable only for h c / m < 2 and h^2 k / m < 4 - 2 h c / m, m the effective mass under all
//    springs that act on it together. Beyond, bodies are thrown about; velocities that are not finite fail the step.
#include "stiction/methods/penalty.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/assert.h"
#include "stiction/contact/anchors.h"
#include "stiction/methods/description.h"
#include "stiction/methods/shared/island_warm_start.h"
#include "stiction/problem/row_velocity.h"
#include "stiction/stepping/plain_step.h"

namespace stiction::methods {

namespace {

using solvers::Termination;

// x, shortened until it is in radius times the ellipsoid of these axes; zero along axes of length zero.
Vector3 shorten(const Vector3& x, const Vector3& axes, double radius) {
  double gauge = 0;
  Vector3 result = Vector3::Zero();
  for (int i = 0; i < 3; ++i) {
    if (axes[i] <= 0) continue;
    gauge = std::hypot(gauge, x[i] / axes[i]);
    result[i] = x[i];
  }
  return gauge > radius ? Vector3(radius / gauge * result) : result;
}

// m: the arm at which torsion acts like sliding friction.
double torsion_length(const ContactRows& contact) {
  return contact.torsion / std::max(contact.friction[0], contact.friction[1]);
}

// Along t and o, and the spin at that arm.
Vector3 slip_of(const ContactRows& contact, const Vector4& u) {
  return {u[1], u[2], torsion_length(contact) * u[3]};
}

bool is_finite(const StepProblem& problem, const contact::Island& island, const VectorX& v) {
  return std::all_of(island.trees.begin(), island.trees.end(),
                     [&](int t) { return v.segment(problem.trees[t].offset, problem.trees[t].size).allFinite(); });
}

}  // namespace

Penalty::Penalty(const PenaltyOptions& options, int threads) : options_(options), scratch_(std::max(1, threads)) {}

void Penalty::begin(const StepProblem& problem, const StepContext& context) {
  context_.emplace(context);
  springs_.begin(problem, context.memory.springs);
}

void Penalty::keep(contact::ContactMemory& memory) {
  springs_.keep(memory.springs);
}

// s along t, o and spin when the last step ended; zero where the bodies did not overlap then.
Vector3 Penalty::recall_stretch(int index, const Vector3& half_slip) const {
  const contact::Contact& contact = context_->contacts[index];
  const SpringMemory::Spring* last = springs_.recall(contact.key);
  if (last == nullptr) return Vector3::Zero();
  const int A = contact.body_A;
  const Vector3 stretch_W = A < 0 ? last->stretch : context_->kinematics.X_WB[A].R * last->stretch;
  return half_slip + Vector3(contact.tangent.dot(stretch_W), contact.binormal().dot(stretch_W), last->twist);
}

void Penalty::keep_stretch(int index, const Vector3& stretch) {
  const contact::Contact& contact = context_->contacts[index];
  const int A = contact.body_A;
  const Vector3 stretch_W = stretch[0] * contact.tangent + stretch[1] * contact.binormal();
  SpringMemory::Spring& next = springs_.contact(index);
  next.pressed = true;
  next.stretch += A < 0 ? stretch_W : context_->kinematics.X_WB[A].R.transpose() * stretch_W;
  next.twist += stretch[2];
}

// The first half of what the step moves.
void Penalty::stretch_springs(const StepProblem& problem, const contact::Island& island, const VectorX& v_end) {
  for (const int c : island.contacts) {
    if (!springs_.contact(c).pressed) continue;
    const ContactRows& contact = problem.contacts[c];
    const Vector4 u = contact_velocity(problem, contact, v_end);
    keep_stretch(c, problem.step / 2 * slip_of(contact, u));
  }
}

// h f of one contact, into its rows.
void Penalty::press_contact(const StepProblem& problem, int index, double* impulse) {
  const ContactRows& contact = problem.contacts[index];
  if (!(contact.gap < 0)) return;
  const double h = problem.step;
  const Vector4 u = contact_velocity(problem, contact, problem.v_start);
  const double f_n = std::max(0.0, -options_.stiffness * contact.gap - options_.damping * u[0]);
  impulse[0] = h * f_n;
  const int rows = problem.blocks[contact.block].row_count;
  if (rows == 1) return;
  const double length = torsion_length(contact);
  const Vector3 axes(contact.friction[0], contact.friction[1], length > 0 ? contact.torsion / length : 0.0);
  const Vector3 slip = slip_of(contact, u);
  Vector3 s = recall_stretch(index, h / 2 * slip);
  const double k_t = options_.tangential_stiffness;
  if (k_t > 0) s = shorten(s, axes, f_n / k_t);
  const Vector3 f = shorten(-k_t * s - options_.tangential_damping * slip, axes, f_n);
  impulse[1] = h * f[0];
  impulse[2] = h * f[1];
  if (rows == 4) impulse[3] = h * length * f[2];
  keep_stretch(index, s);
}

// Impulses of all contacts.
void Penalty::press(const StepProblem& problem, const contact::Island& island, Scratch& s) {
  s.p.assign(s.rows.rows(), 0.0);
  int k = static_cast<int>(island.bilaterals.size());
  for (const int c : island.contacts) {
    press_contact(problem, c, s.p.data() + s.rows.first_row(k));
    k += problem.contacts[c].rolling >= 0 ? 2 : 1;
  }
}

// The rows of joints with their laws at velocity v: closing joints first, then limits and dry friction.
bool Penalty::form_joint_problem(const StepProblem& problem, const contact::Island& island, const VectorX& v,
                                 Scratch& s) const {
  s.joint_blocks.clear();
  s.q.clear();
  for (const int b : island.bilaterals) {
    const BilateralRows& rows = problem.bilaterals[b];
    s.joint_blocks.push_back(rows.block);
    for (int r = 0; r < problem.blocks[rows.block].row_count; ++r) {
      s.q.push_back(row_velocity(problem, rows.block, r, v) + problem.bilateral_bias[rows.first_bias + r]);
    }
  }
  const int closing_rows = static_cast<int>(s.q.size());
  s.lcp.clear();
  for (const int i : island.scalars) {
    const ScalarRow& scalar = problem.scalars[i];
    const int row = static_cast<int>(s.q.size());
    if (scalar.kind == ScalarRow::Kind::limit) {
      s.lcp.normals.push_back({.row = row});
    } else {
      s.lcp.pairs.push_back({.row = row, .bound = scalar.bound});
    }
    s.joint_blocks.push_back(scalar.block);
    s.q.push_back(row_velocity(problem, scalar.block, 0, v) + scalar.bias);
  }
  if (!s.delassus.form(problem, island, s.joint_blocks)) return false;
  s.closing.form(s.delassus.matrix(), s.delassus.rows(), closing_rows);
  s.closing.reduce(s.delassus.matrix(), s.q);
  return true;
}

// Closing joints, limits and dry friction, after the springs; adds to s.p and puts v_end right.
solvers::SolveReport Penalty::solve_joints(const StepProblem& problem, const contact::Island& island, Scratch& s,
                                           StepAnswer& answer) const {
  solvers::SolveReport report{.termination = Termination::solved};
  if (island.bilaterals.empty() && island.scalars.empty()) return report;
  if (!is_finite(problem, island, answer.v_end)) return report;  // the step says so
  if (!form_joint_problem(problem, island, answer.v_end, s)) return {};
  s.p_joints.assign(s.q.size(), 0.0);
  if (const int n = s.lcp.size(); n > 0) {
    s.lcp.fill(s.delassus.matrix(), s.q);
    s.z.resize(n);
    s.w.resize(n);
    report = solvers::solve_lemke({n, s.lcp.F.data(), s.lcp.f.data()}, false, {}, s.lemke, s.z.data(), s.w.data());
    if (report.termination != Termination::solved) return report;
    s.lcp.add_impulses(s.z, s.p_joints);
  }
  s.closing.recover(s.p_joints);
  // Closing joints come first among all rows of the island too, limits and dry friction last.
  const size_t scalars = island.scalars.size(), closing = s.q.size() - scalars;
  for (size_t i = 0; i < closing; ++i) s.p[i] += s.p_joints[i];
  for (size_t i = 0; i < scalars; ++i) s.p[s.p.size() - scalars + i] += s.p_joints[closing + i];
  s.rows.apply(problem, island, s.p, problem.v_free, answer.v_end);
  return report;
}

IslandReport Penalty::solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                   StepAnswer& answer) {
  STICTION_ASSERT(context_.has_value(), "begin comes before solve_island");
  Scratch& s = scratch_[worker];
  list_island_blocks(problem, island, s.blocks);
  if (!s.rows.form(problem, island, s.blocks)) return {};
  press(problem, island, s);
  s.rows.apply(problem, island, s.p, problem.v_free, answer.v_end);
  const IslandReport report{.solve = solve_joints(problem, island, s, answer)};
  if (report.solve.termination != Termination::solved) return report;
  write_impulses(problem, s.blocks, s.rows, s.p, answer);
  stretch_springs(problem, island, answer.v_end);
  return report;
}

extern const MethodDescription penalty = {
    .name = "penalty",
    .source = "textbook",
    .sentence = "springs and dampers at contacts",
    .solves_law = false,
    .knows = {.restitution = false, .rolling = false},
    .overlap = {.kind = Overlap::pushed, .remedy = "or lower stiffness"},
    .options = {option<&PenaltyOptions::stiffness>("stiffness", "N/m", above_zero,
                                                   "normal force per overlap, of every contact point"),
                option<&PenaltyOptions::damping>("damping", "N s/m", zero_or_above, "normal force per closing speed"),
                option<&PenaltyOptions::tangential_stiffness>("tangential_stiffness", "N/m", zero_or_above,
                                                              "force per displacement since the bodies met"),
                option<&PenaltyOptions::tangential_damping>("tangential_damping", "N s/m", zero_or_above,
                                                            "force per sliding speed")},
    .make = [](const MethodSetup& setup) -> std::unique_ptr<Stepper> {
      auto solver = std::make_unique<Penalty>(setup.options.of<PenaltyOptions>(), setup.threads);
      return std::make_unique<PlainStep>(setup.model, std::move(solver), PlainStepOptions{.threads = setup.threads});
    }};

}  // namespace stiction::methods
