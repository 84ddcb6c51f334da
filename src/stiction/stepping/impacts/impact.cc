#include "stiction/stepping/impacts/impact.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/dense.h"
#include "stiction/problem/row_velocity.h"
#include "stiction/stepping/solve_islands.h"

namespace stiction {

namespace {

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

// Solves an impact phase by phase.
class ImpactResolver {
 public:
  ImpactResolver(PlainStep& step, const StepInput& input, State& state, const contact::ContactMemory& memory,
                 ImpactWorkspace& workspace, StepRecord& record, certify::StepCertificate& certificate)
      : step_(step),
        input_(input),
        state_(state),
        memory_(memory),
        w_(workspace),
        record_(record),
        problem_(record.problem),
        certificate_(certificate) {}

  ImpactReport resolve(ImpactModel model);

 private:
  void assemble(ImpactModel model);
  void count_bounces(ImpactReport& report);
  bool solve_phase(bool inelastic);
  bool decompress();
  void continue_safely();
  double safe_restitution(const contact::Island& island) const;

  PlainStep& step_;
  const StepInput& input_;
  State& state_;
  const contact::ContactMemory& memory_;
  ImpactWorkspace& w_;
  StepRecord& record_;
  StepProblem& problem_;
  certify::StepCertificate& certificate_;
};

// The rows of an impact: no load, no dry friction of joints (its impulse is h c), inelastic unless Newton's.
void ImpactResolver::assemble(ImpactModel model) {
  StepScratch& s = step_.scratch();
  std::fill(s.free_motion.implicit_diagonal.begin(), s.free_motion.implicit_diagonal.end(), 0.0);
  s.free_motion.v_free = state_.v;
  s.free_motion.external_impulse.setZero(state_.v.size());
  problem_.mass.resize(step_.model().mass_size);
  crba(step_.model(), s.kinematics, s.free_motion.implicit_diagonal, s.free_motion.recursion, problem_.mass);
  contact::AssemblyOptions options;
  options.velocity_level = true;
  options.newton_restitution = model == ImpactModel::newton;
  contact::assemble_problem(step_.model(), state_, s.kinematics, s.free_motion, record_.contacts, input_.h, options,
                            s.assembly, problem_);
  for (ScalarRow& row : problem_.scalars) {
    if (row.kind == ScalarRow::Kind::friction) row.bound = 0;
  }
  record_.islands.update(problem_);
}

// Takes the restitution from pairs that have hit too often in this step. `happened`: something hits at all.
void ImpactResolver::count_bounces(ImpactReport& report) {
  std::uint64_t last = ~std::uint64_t{0};
  for (size_t c = 0; c < problem_.contacts.size(); ++c) {
    ContactRows& rows = problem_.contacts[c];
    if (!impacts(rows)) continue;
    report.happened = true;
    const contact::Contact& contact = record_.contacts[c];
    const std::uint64_t pair =
        (static_cast<std::uint64_t>(contact.shape_A) << 32) | static_cast<std::uint32_t>(contact.shape_B);
    auto& bounces = w_.bounces;
    auto entry = std::find_if(bounces.begin(), bounces.end(), [&](const auto& b) { return b.pair == pair; });
    if (entry == bounces.end()) entry = bounces.insert(bounces.end(), {pair, 0});
    if (pair != last) ++entry->count;  // contacts of a pair stand together
    last = pair;
    if (entry->count <= most_bounces) continue;
    rows.restitution = rows.tangential_restitution = rows.normal_bias = 0;
    report.ended = true;
  }
}

// Solves the phase that stands in the problem; the law of a phase is inelastic.
bool ImpactResolver::solve_phase(bool inelastic) {
  StepScratch& s = step_.scratch();
  constexpr int pass = 0;
  solve_islands(step_.solver(),
                {step_.model(), state_, s.kinematics, record_.contacts, memory_, input_.times, pass, &s.workers},
                record_);
  if (!all_solved(record_)) return false;
  if (inelastic) {
    for (ContactRows& contact : problem_.contacts) contact.restitution = 0;
  }
  certificate_.merge(certify::certify_step(problem_, record_.answer, s.certify));
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

// The second phase (28) from the first one's answer; w_.impulse gets the sum of all impulses.
bool ImpactResolver::decompress() {
  w_.impulse = record_.answer.impulse;
  restored_impulse(problem_, w_.impulse, w_.given, w_.change);
  problem_.v_start = record_.answer.v_end;
  problem_.external_impulse = w_.change;
  solve_mass(problem_, w_.factor, w_.change);
  problem_.v_free = record_.answer.v_end + w_.change;
  for (ContactRows& contact : problem_.contacts) contact.approach = 0;
  if (!solve_phase(true)) return false;
  w_.impulse += w_.given;
  w_.impulse += record_.answer.impulse;
  return true;
}

// e of an island under the safe choice.
double ImpactResolver::safe_restitution(const contact::Island& island) const {
  const StepAnswer& answer = record_.answer;
  double e = 1;
  bool compressed = false;
  for (const int c : island.contacts) {
    if (!(answer.impulse[problem_.blocks[problem_.contacts[c].block].first_row] > 0)) continue;
    compressed = true;
    e = std::min(e, w_.restitution[c]);
  }
  if (!compressed) e = 0;
  for (const int c : island.contacts) {  // u_n+ = (1 + e) u_nc - e u_n- must not be negative
    const ContactRows& contact = problem_.contacts[c];
    const double after = contact_velocity(problem_, contact, answer.v_end)[0];
    if (contact.approach > after && after >= 0) e = std::min(e, after / (contact.approach - after));
  }
  return e;
}

// v+ = (1 + e) vc - e v- on the trees of each island.
void ImpactResolver::continue_safely() {
  StepAnswer& answer = record_.answer;
  for (int i = 0; i < record_.islands.count(); ++i) {
    const contact::Island island = record_.islands[i];
    const double e = safe_restitution(island);
    for (const int t : island.trees) {
      const VelocityTree& tree = problem_.trees[t];
      auto v = answer.v_end.segment(tree.offset, tree.size);
      v += e * (v - state_.v.segment(tree.offset, tree.size));
    }
    const auto scale = [&](int block) {
      const RowBlock& rows = problem_.blocks[block];
      answer.impulse.segment(rows.first_row, rows.row_count) *= 1 + e;
    };
    for (const int c : island.contacts) scale(problem_.contacts[c].block);
    for (const int b : island.bilaterals) scale(problem_.bilaterals[b].block);
    for (const int s : island.scalars) scale(problem_.scalars[s].block);
  }
}

ImpactReport ImpactResolver::resolve(ImpactModel model) {
  ImpactReport report;
  const bool elastic = std::any_of(record_.contacts.begin(), record_.contacts.end(), [](const contact::Contact& c) {
    return c.material->restitution > 0 || c.material->tangential_restitution > 0;
  });
  if (!elastic) return report;
  assemble(model);
  count_bounces(report);
  if (!report.happened) return report;
  w_.restitution.clear();
  for (const ContactRows& contact : problem_.contacts) w_.restitution.push_back(contact.restitution);
  report.solved = solve_phase(model != ImpactModel::newton);
  if (!report.solved) return report;
  if (model == ImpactModel::poisson) {
    for (size_t c = 0; c < problem_.contacts.size(); ++c) problem_.contacts[c].restitution = w_.restitution[c];
    report.solved = decompress();
    if (!report.solved) return report;
  } else {
    if (model == ImpactModel::safe) continue_safely();
    w_.impulse = record_.answer.impulse;
  }
  report.energy =
      kinetic(problem_, record_.answer.v_end) - kinetic(problem_, state_.v) - surface_work(problem_, w_.impulse);
  state_.v = record_.answer.v_end;
  certificate_.energy_gain = std::max(certificate_.energy_gain, report.energy);
  ++certificate_.impacts;
  certificate_.impact_energy += report.energy;
  return report;
}

}  // namespace

ImpactReport resolve_impact(PlainStep& step, ImpactModel model, const StepInput& input, State& state,
                            const contact::ContactMemory& memory, ImpactWorkspace& workspace, StepRecord& record,
                            certify::StepCertificate& certificate) {
  return ImpactResolver(step, input, state, memory, workspace, record, certificate).resolve(model);
}

}  // namespace stiction
