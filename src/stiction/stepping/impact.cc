#include "stiction/stepping/impact.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/dense.h"
#include "stiction/stepping/solve_islands.h"

namespace stiction {

namespace {

using methods::ImpactModel;

// m/s: what approaches more slowly is at rest.
constexpr double rest_speed = 1e-9;

// Hits of a pair in one step before it is at rest.
constexpr int most_bounces = 8;

bool impacts(const ContactRows& contact) {
  return contact.approach < -rest_speed && (contact.restitution > 0 || contact.tangential_restitution > 0);
}

double kinetic(const StepProblem& problem, const VectorX& v) {
  double sum = 0;
  for (size_t t = 0; t < problem.trees.size(); ++t) {
    const VelocityTree& tree = problem.trees[t];
    const auto part = v.segment(tree.offset, tree.size);
    sum += 0.5 * part.dot(problem.mass_block(static_cast<int>(t)).lazyProduct(part));
  }
  return sum;
}

// Power that moving surfaces give when the impulses act.
double surface_work(const StepProblem& problem, const VectorX& impulse) {
  double sum = 0;
  for (const ContactRows& contact : problem.contacts) {
    const RowBlock& block = problem.blocks[contact.block];
    for (int r = 0; r < block.row_count; ++r) sum -= impulse[block.first_row + r] * contact.surface[r];
  }
  for (const BilateralRows& joint : problem.bilaterals) {
    const RowBlock& block = problem.blocks[joint.block];
    for (int r = 0; r < block.row_count; ++r) {
      sum -= impulse[block.first_row + r] * problem.bilateral_surface[joint.first_bias + r];
    }
  }
  return sum;
}

// The rows of an impact: no load, no dry friction of joints (its impulse is h c), inelastic unless Newton's.
void assemble_impact(const Model& model, const State& state, double h, ImpactModel impact, StepWorkspace& w) {
  std::fill(w.free_motion.implicit_diagonal.begin(), w.free_motion.implicit_diagonal.end(), 0.0);
  w.free_motion.v_free = state.v;
  w.free_motion.external_impulse.setZero(state.v.size());
  crba(model, w.kinematics, w.free_motion.implicit_diagonal, w.free_motion.recursion, w.problem.mass);
  contact::AssemblyOptions options;
  options.velocity_level = true;
  options.newton_restitution = impact == ImpactModel::newton;
  contact::assemble_problem(model, state, w.kinematics, w.free_motion, w.contacts, h, options, w.assembly, w.problem);
  for (ScalarRow& row : w.problem.scalars) {
    if (row.kind == ScalarRow::Kind::friction) row.bound = 0;
  }
  w.islands.update(w.problem);
}

// Takes the restitution from pairs that have hit too often in this step. `happened`: something hits at all.
void count_bounces(StepWorkspace& w, ImpactReport& report) {
  std::uint64_t last = ~std::uint64_t{0};
  for (size_t c = 0; c < w.problem.contacts.size(); ++c) {
    ContactRows& contact = w.problem.contacts[c];
    if (!impacts(contact)) continue;
    report.happened = true;
    const std::uint64_t pair =
        (static_cast<std::uint64_t>(w.contacts[c].shape_A) << 32) | static_cast<std::uint32_t>(w.contacts[c].shape_B);
    auto& bounces = w.impact.bounces;
    auto entry = std::find_if(bounces.begin(), bounces.end(), [&](const auto& b) { return b.pair == pair; });
    if (entry == bounces.end()) entry = bounces.insert(bounces.end(), {pair, 0});
    if (pair != last) ++entry->count;  // contacts of a pair stand together
    last = pair;
    if (entry->count <= most_bounces) continue;
    contact.restitution = contact.tangential_restitution = contact.normal_bias = 0;
    report.ended = true;
  }
}

// Solves the phase that stands in w.problem; the law of a phase is inelastic.
bool solve_phase(methods::Method& method, int threads, bool inelastic, StepWorkspace& w,
                 certify::StepCertificate& certificate) {
  solve_islands(method, threads, w);
  if (!all_solved(w)) return false;
  if (inelastic) {
    for (ContactRows& contact : w.problem.contacts) contact.restitution = 0;
  }
  certificate.merge(certify::certify_step(w.problem, w.answer, w.certify));
  return true;
}

// M^-1 I for a generalised impulse I.
void solve_mass(const StepProblem& problem, std::vector<double>& factor, VectorX& x) {
  factor.assign(problem.mass.begin(), problem.mass.end());
  for (const VelocityTree& tree : problem.trees) {
    double* L = factor.data() + tree.mass_offset;
    cholesky(L, tree.size);
    solve_lower(L, tree.size, x.data() + tree.offset);
    solve_lower_transposed(L, tree.size, x.data() + tree.offset);
  }
}

// I_r of (28), and its rows into `given`.
void restored_impulse(const StepProblem& problem, const VectorX& compression, VectorX& given, VectorX& generalized) {
  given.setZero(compression.size());
  generalized.setZero(problem.v_free.size());
  for (const ContactRows& contact : problem.contacts) {
    const RowBlock& block = problem.blocks[contact.block];
    for (int r = 0; r < block.row_count; ++r) {
      const double share = r == 0 ? contact.restitution : contact.tangential_restitution;
      given[block.first_row + r] = share * compression[block.first_row + r];
    }
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      const VelocityTree& tree = problem.trees[block.tree[side]];
      const auto J = problem.jacobian_block(contact.block, side);
      for (int r = 0; r < block.row_count; ++r) {
        generalized.segment(tree.offset, tree.size) += given[block.first_row + r] * J.row(r).transpose();
      }
    }
  }
}

// The second phase (28) from the first one's answer; w.impact.impulse gets the sum of all impulses.
bool decompress(methods::Method& method, int threads, StepWorkspace& w, certify::StepCertificate& certificate) {
  ImpactWorkspace& impact = w.impact;
  impact.impulse = w.answer.impulse;
  restored_impulse(w.problem, impact.impulse, impact.given, impact.change);
  w.problem.v_start = w.answer.v_end;
  w.problem.external_impulse = impact.change;
  solve_mass(w.problem, impact.factor, impact.change);
  w.problem.v_free = w.answer.v_end + impact.change;
  for (ContactRows& contact : w.problem.contacts) contact.approach = 0;
  if (!solve_phase(method, threads, true, w, certificate)) return false;
  impact.impulse += impact.given;
  impact.impulse += w.answer.impulse;
  return true;
}

// v+ = (1 + e) vc - e v- on the trees of each island.
void continue_safely(const State& state, StepWorkspace& w) {
  for (int i = 0; i < w.islands.count(); ++i) {
    const contact::Island island = w.islands[i];
    double e = 1;
    bool compressed = false;
    for (const int c : island.contacts) {
      const ContactRows& contact = w.problem.contacts[c];
      if (!(w.answer.impulse[w.problem.blocks[contact.block].first_row] > 0)) continue;
      compressed = true;
      e = std::min(e, w.impact.restitution[c]);
    }
    if (!compressed) e = 0;
    for (const int c : island.contacts) {  // u_n+ = (1 + e) u_nc - e u_n- must not be negative
      const ContactRows& contact = w.problem.contacts[c];
      const double after = contact::contact_velocity(w.problem, contact, w.answer.v_end)[0];
      if (contact.approach > after && after >= 0) e = std::min(e, after / (contact.approach - after));
    }
    for (const int t : island.trees) {
      const VelocityTree& tree = w.problem.trees[t];
      auto v = w.answer.v_end.segment(tree.offset, tree.size);
      v += e * (v - state.v.segment(tree.offset, tree.size));
    }
    const auto scale = [&](int block) {
      const RowBlock& rows = w.problem.blocks[block];
      w.answer.impulse.segment(rows.first_row, rows.row_count) *= 1 + e;
    };
    for (const int c : island.contacts) scale(w.problem.contacts[c].block);
    for (const int b : island.bilaterals) scale(w.problem.bilaterals[b].block);
    for (const int s : island.scalars) scale(w.problem.scalars[s].block);
  }
}

}  // namespace

ImpactReport resolve_impact(const Model& model, methods::Method& method, double h, int threads, State& state,
                            StepWorkspace& w, certify::StepCertificate& certificate) {
  ImpactReport report;
  const ImpactModel impact = method.scheme().impact;
  const bool elastic = std::any_of(w.contacts.begin(), w.contacts.end(), [](const contact::Contact& c) {
    return c.material->restitution > 0 || c.material->tangential_restitution > 0;
  });
  if (!elastic) return report;
  assemble_impact(model, state, h, impact, w);
  count_bounces(w, report);
  if (!report.happened) return report;
  w.impact.restitution.clear();
  for (const ContactRows& contact : w.problem.contacts) w.impact.restitution.push_back(contact.restitution);
  report.solved = solve_phase(method, threads, impact != ImpactModel::newton, w, certificate);
  if (!report.solved) return report;
  if (impact == ImpactModel::poisson) {
    for (size_t c = 0; c < w.problem.contacts.size(); ++c) w.problem.contacts[c].restitution = w.impact.restitution[c];
    report.solved = decompress(method, threads, w, certificate);
    if (!report.solved) return report;
  } else {
    if (impact == ImpactModel::safe) continue_safely(state, w);
    w.impact.impulse = w.answer.impulse;
  }
  report.energy =
      kinetic(w.problem, w.answer.v_end) - kinetic(w.problem, state.v) - surface_work(w.problem, w.impact.impulse);
  state.v = w.answer.v_end;
  certificate.energy_gain = std::max(certificate.energy_gain, report.energy);
  ++certificate.impacts;
  certificate.impact_energy += report.energy;
  return report;
}

}  // namespace stiction
