#include "stiction/certify/step_certificate.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "stiction/base/assert.h"
#include "stiction/certify/certificate_values.h"
#include "stiction/certify/step_certifier.h"

namespace stiction::certify {
namespace {

constexpr size_t trees_at_once = 128;

bool all_finite(const VectorX& x) {
  return std::isfinite((x * 0.0).sum());
}

bool all_finite(const StepProblem& problem, const StepAnswer& answer) {
  bool finite = all_finite(answer.v_end) && all_finite(answer.impulse);
  for (size_t i = 0; i < problem.layers.size(); ++i)
    finite = finite && answer.deflection[i].allFinite() && std::isfinite(answer.core_impulse[i]);
  return finite;
}

StepCertificate worthless() {
  StepCertificate certificate;
  for (const CertificateValue& value : certificate_values) certificate.*value.member = infinity;
  return certificate;
}

// Newton's law for a contact that closes within the step and has restitution; otherwise the gap must not be negative at
// the end.
double required_bias(const ContactRows& contact, const StepProblem& problem) {
  const bool rate = problem.normal_law == NormalLaw::rate;
  const bool impacting = contact.approach < 0 && (rate || contact.gap + problem.step * contact.approach <= 0);
  if (impacting && contact.restitution > 0) return contact.restitution * contact.approach;
  return rate ? 0.0 : contact.gap / problem.step;
}

}  // namespace

// M (v_end - v_start) of a tree into `change`, |M| |v_start| into `start`.
template <class Size>
void Certifier::find_momenta(const VelocityTree& tree, Size size, double* change, double* start) const {
  const double *v_end = answer.v_end.data() + tree.offset, *v_start = problem.v_start.data() + tree.offset;
  const double* column = problem.mass.data() + tree.mass_offset;
  for (int i = 0; i < size; ++i) change[i] = start[i] = 0;
  for (int k = 0; k < size; ++k, column += size) {
    const double difference = v_end[k] - v_start[k];
    for (int i = 0; i < size; ++i) change[i] += column[i] * difference;
    for (int i = 0; i < size; ++i) start[i] += std::abs(column[i] * v_start[k]);
  }
}

void Certifier::check_momentum(size_t first_tree, size_t end_tree) {
  double own_change[6], own_start[6];
  for (size_t t = first_tree; t < end_tree; ++t) {
    const VelocityTree& tree = problem.trees[t];
    const bool is_free = tree.size == 6;
    double *change = is_free ? own_change : work.change.data(), *start = is_free ? own_start : work.start.data();
    if (is_free) {
      find_momenta(tree, std::integral_constant<int, 6>(), change, start);
    } else {
      find_momenta(tree, tree.size, change, start);
    }
    double& largest = work.largest[t];
    double worst = 0;
    for (int i = 0; i < tree.size; ++i) {
      const double external = problem.external_impulse[tree.offset + i];
      raise(largest, std::max({std::abs(change[i]), std::abs(external), small_share * start[i]}));
      raise(worst, std::abs(work.defect[tree.offset + i] + change[i] - external));
    }
    if (worst > 0) raise(result.momentum, worst / largest);
  }
}

void Certifier::check_bilaterals() {
  for (const BilateralRows& joint : problem.bilaterals) {
    const RowBlock& block = problem.blocks[joint.block];
    for (int r = 0; r < block.row_count; ++r) {
      const int bias = joint.first_bias + r;
      const int row = block.first_row + r;
      raise(result.momentum, std::abs(end(row, problem.bilateral_bias[bias])) / scale(joint.block));
      add_energy(row, bilateral_surface(bias));
    }
  }
}

// |min(W p, u + bias)|. Where the bodies overlap the law asks for separation at -gap/h at once; a method that recovers
// more slowly is as right, so any bias between `bias` and zero will do.
double Certifier::normal_violation(int row, double surface, double bias, bool may_recover) const {
  const double push = work.weight[row] * answer.impulse[row];
  const double u = end(row, surface);
  const double lower = std::min(push, u + bias);
  const double upper = may_recover ? std::min(push, u) : lower;
  if (lower <= 0 && upper >= 0) return 0;
  return std::min(std::abs(lower), std::abs(upper));
}

void Certifier::add_energy(int row, double surface) {
  energy += answer.impulse[row] * (surface + (work.end[row] + work.free[row]) / 2);
}

void Certifier::check_scalars() {
  for (const ScalarRow& scalar : problem.scalars) {
    const int row = problem.blocks[scalar.block].first_row;
    const double p = answer.impulse[row], s = scale(scalar.block);
    if (scalar.kind == ScalarRow::Kind::limit) {
      raise(result.limit_violation, -scalar.gap);
      const double bias = problem.normal_law == NormalLaw::rate ? 0.0 : scalar.gap / problem.step;
      raise(result.normal, normal_violation(row, scalar.surface, bias, bias < 0) / s);
      add_energy(row, scalar.surface);
      continue;
    }
    const double u = end(row, scalar.bias);
    const double weight = work.weight[row];
    const double projected = std::clamp(weight * p - u, -weight * scalar.bound, weight * scalar.bound);
    raise(result.friction, std::abs(weight * p - projected) / s);
    const double excess = weight * (std::abs(p) - scalar.bound);
    if (excess > 0) raise(result.cone, excess / std::max(weight * scalar.bound, small_share * s));
    add_energy(row, scalar.bias);
  }
}

// |min(W p, what must not be negative)|. Under end_gap that is the gap, with the deflection of the layers, or, at an
// impact that the method resolves by Newton's law, u_n + bias.
double Certifier::contact_violation(const ContactRows& contact, int row) {
  if (problem.normal_law != NormalLaw::end_gap) {
    const double bias = required_bias(contact, problem);
    const bool may_recover = contact.gap < 0 && bias == contact.gap / problem.step;
    return normal_violation(row, contact.surface[0], bias, may_recover);
  }
  const double rebound = contact.restitution * contact.approach;
  const bool impacting = !give(contact).layered && rebound < 0 && contact.normal_bias == rebound;
  const double clearance =
      impacting ? end(row, contact.surface[0]) + rebound : (contact.gap + give(contact).end) / problem.step;
  return std::abs(std::min(work.weight[row] * answer.impulse[row], clearance));
}

void Certifier::check_contacts(size_t first, size_t last) {
  for (size_t c = first; c < last; ++c) {
    const ContactRows& contact = problem.contacts[c];
    const RowBlock& block = problem.blocks[contact.block];
    const int row = block.first_row;
    raise(result.penetration, -(contact.gap + give(contact).end));
    raise(result.normal, contact_violation(contact, row) / scale(contact.block));
    if (contact.cone != nullptr) {
      check_cone(contact, row);
    } else {
      check_contact_friction(contact, row, block.row_count);
    }
    for (int r = 0; r < block.row_count; ++r) add_energy(row + r, contact.surface[r]);
    if (contact.rolling >= 0) check_rolling(problem.rollings[contact.rolling], contact);
  }
}

// p = law of the layer (+ core along the normal), 0 <= core orthogonal to the depth left, and the energy that it takes.
// Tangents of a contact without friction have no row: the impulse there is zero, and weighs as the normal one.
void Certifier::check_layers() {
  for (size_t i = 0; i < problem.layers.size(); ++i) {
    const LayerRows& layer = problem.layers[i];
    const RowBlock& block = problem.blocks[problem.contacts[layer.contact].block];
    const double* weight = work.weight.data() + block.first_row;
    const Vector3 defect = layer_defect(problem, answer, static_cast<int>(i)).cwiseAbs();
    const bool has_friction = block.row_count >= 3;
    const double s = scale(problem.contacts[layer.contact].block);
    raise(result.normal, weight[0] * defect[0] / s);
    for (int r = 1; r < 3; ++r) raise(result.friction, weight[has_friction ? r : 0] * defect[r] / s);
    const double room = (layer.layer->thickness - answer.deflection[i][0]) / problem.step;
    raise(result.normal, std::abs(std::min(weight[0] * answer.core_impulse[i], room)) / s);
    energy += layer_storage(problem, answer, static_cast<int>(i));
  }
}

// Momentum and contacts in chunks. The first goes on from the energy of joints and limits.
void Certifier::share_checks() {
  Workers* workers = shares ? work.workers : nullptr;
  const size_t trees = problem.trees.size(), contacts = problem.contacts.size();
  work.parts.resize(
      static_cast<size_t>(std::max(chunk_count(trees, trees_at_once), chunk_count(contacts, contacts_at_once))));
  for_chunks(workers, static_cast<int>(work.parts.size()), [&](int chunk) {
    Certifier part{problem, answer, work, fastest, chunk == 0 ? energy : 0.0};
    const auto at = static_cast<size_t>(chunk);
    part.check_momentum(std::min(trees, at * trees_at_once), std::min(trees, (at + 1) * trees_at_once));
    part.check_contacts(std::min(contacts, at * contacts_at_once), std::min(contacts, (at + 1) * contacts_at_once));
    work.parts[at] = {part.result, part.energy, fastest};
  });
  energy = work.parts.empty() ? energy : 0.0;
  for (const CertifiedPart& part : work.parts) {
    result.merge(part.result);
    energy += part.energy;
  }
}

StepCertificate certify_step(const StepProblem& problem, const StepAnswer& answer, CertifyWorkspace& workspace) {
  STICTION_ASSERT(answer.v_end.size() == problem.v_free.size(), "one end velocity for each velocity");
  STICTION_ASSERT(answer.impulse.size() >= problem.row_count, "one impulse for each row");
  find_gives(problem, answer, workspace.gives);
  if (!all_finite(problem, answer)) return worthless();
  Certifier certifier{problem, answer, workspace};
  certifier.size_workspace();
  if (!certifier.factor_masses()) return worthless();
  certifier.measure_rows();
  certifier.find_scales();
  if (!std::isfinite(certifier.fastest)) return worthless();
  certifier.check_bilaterals();
  certifier.check_scalars();
  certifier.share_checks();
  certifier.check_layers();
  raise(certifier.result.energy_gain, certifier.energy);
  return certifier.result;
}

}  // namespace stiction::certify
