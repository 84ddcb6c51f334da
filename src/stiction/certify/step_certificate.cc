// Symbols, as in docs/certificate.md: p impulse, u = J v + surface, W_ii = J_i M^-1 J_i^T, s the step's velocity scale.
#include "stiction/certify/step_certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/base/assert.h"
#include "stiction/base/infinity.h"
#include "stiction/certify/certificate_values.h"

namespace stiction::certify {
namespace {

// m/s: below this there is no motion to compare with, and violations count as they are.
constexpr double smallest_scale = 1e-12;

// Contacts that carry less than this fraction of the step's largest normal impulse are compared with that fraction.
constexpr double small_share = 1e-3;

// Keeps the larger value; what is not finite is infinite. (std::max would let a NaN slip through.)
void raise(double& value, double candidate) {
  if (!std::isfinite(candidate)) candidate = infinity;
  if (candidate > value) value = candidate;
}

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

struct Certifier {
  const StepProblem& problem;
  const StepAnswer& answer;
  CertifyWorkspace& work;
  double scale = smallest_scale;  // s
  double largest_normal = 0;      // largest p_n of the step
  double energy = 0;
  StepCertificate result = {};

  void size_workspace();
  bool factor_masses();
  void measure_rows();
  double row_weight(int block, int side, int row);
  void find_scales();
  void find_contact_scale(const ContactRows& contact);
  void find_layer_scale(const LayerRows& layer);
  void check_momentum();
  void check_bilaterals();
  void check_scalars();
  void check_contacts();
  double contact_violation(const ContactRows& contact, int row);
  void check_layers();
  void check_contact_friction(const ContactRows& contact, int row, int rows);
  void check_cone(const ContactRows& contact, int row);
  void check_rolling(const RollingRows& rolling, double p_n);
  double normal_violation(int row, double surface, double bias, bool may_recover) const;
  void add_energy(int row, double surface);

  double end(int row, double surface) const { return work.end[row] + surface; }
  const ContactGive& give(const ContactRows& contact) const { return work.gives[&contact - problem.contacts.data()]; }
  // Tangential velocity that friction opposes, along t (0), o (1) and about the normal (2).
  double slip(const ContactRows& contact, int row, int i) const {
    return end(row + 1 + i, contact.surface[1 + i]) + (i < 2 ? give(contact).slip[i] : 0);
  }
  double bilateral_surface(int i) const {
    return problem.bilateral_surface.empty() ? 0.0 : problem.bilateral_surface[i];
  }
};

void Certifier::size_workspace() {
  work.factor.assign(problem.mass.begin(), problem.mass.end());
  int widest = 0;
  for (const VelocityTree& tree : problem.trees) widest = std::max(widest, tree.size);
  work.column.resize(widest);
  work.weight.assign(problem.row_count, 0.0);
  work.end.assign(problem.row_count, 0.0);
  work.free.assign(problem.row_count, 0.0);
  work.defect.assign(answer.v_end.size(), 0.0);
  work.largest.assign(problem.trees.size(), 0.0);
}

// M = L L^T by tree, L in the lower triangle. False where a mass is not positive definite.
bool Certifier::factor_masses() {
  for (const VelocityTree& tree : problem.trees) {
    double* L = work.factor.data() + tree.mass_offset;
    const int n = tree.size;
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < j; ++k) {
        const double multiple = L[k * n + j];
        if (multiple == 0) continue;
        for (int i = j; i < n; ++i) L[j * n + i] -= multiple * L[k * n + i];
      }
      if (!(L[j * n + j] > 0)) return false;
      const double root = std::sqrt(L[j * n + j]);
      for (int i = j; i < n; ++i) L[j * n + i] /= root;
    }
  }
  return true;
}

// |L^-1 J_i^T|^2 on one side.
double Certifier::row_weight(int block, int side, int row) {
  const VelocityTree& tree = problem.trees[problem.blocks[block].tree[side]];
  const auto J = problem.jacobian_block(block, side);
  const double* L = work.factor.data() + tree.mass_offset;
  const int n = tree.size;
  double sum = 0;
  for (int i = 0; i < n; ++i) work.column[i] = J(row, i);
  for (int j = 0; j < n; ++j) {
    if (work.column[j] == 0) continue;
    const double x = work.column[j] / L[j * n + j];
    sum += x * x;
    for (int i = j + 1; i < n; ++i) work.column[i] -= x * L[j * n + i];
  }
  return sum;
}

// W_ii, J v_end, J v_free of every row, and J^T p into the defect of momentum.
void Certifier::measure_rows() {
  for (size_t b = 0; b < problem.blocks.size(); ++b) {
    const RowBlock& block = problem.blocks[b];
    const int index = static_cast<int>(b);
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      const VelocityTree& tree = problem.trees[block.tree[side]];
      const auto J = problem.jacobian_block(index, side);
      for (int r = 0; r < block.row_count; ++r) {
        const int row = block.first_row + r;
        work.weight[row] += row_weight(index, side, r);
        work.end[row] += J.row(r).dot(answer.v_end.segment(tree.offset, tree.size));
        work.free[row] += J.row(r).dot(problem.v_free.segment(tree.offset, tree.size));
        for (int i = 0; i < tree.size; ++i) {
          const double term = J(r, i) * answer.impulse[row];
          work.defect[tree.offset + i] -= term;
          raise(work.largest[block.tree[side]], std::abs(term));
        }
      }
    }
  }
}

// s: the largest relative velocity that the constraints would see without impulses, and the largest at which an overlap
// is driven apart (bodies that overlap may otherwise be at rest to each other, say in free fall).
void Certifier::find_scales() {
  for (const BilateralRows& joint : problem.bilaterals) {
    const RowBlock& block = problem.blocks[joint.block];
    for (int r = 0; r < block.row_count; ++r) {
      raise(scale, std::abs(work.free[block.first_row + r] + problem.bilateral_bias[joint.first_bias + r]));
    }
  }
  for (const ScalarRow& scalar : problem.scalars) {
    const bool is_limit = scalar.kind == ScalarRow::Kind::limit;
    const double surface = is_limit ? scalar.surface : scalar.bias;
    const int row = problem.blocks[scalar.block].first_row;
    raise(scale, std::abs(work.free[row] + surface));
    if (is_limit && scalar.gap < 0 && problem.normal_law != NormalLaw::rate)
      raise(scale, std::min(end(row, surface), -scalar.gap / problem.step));
  }
  for (const ContactRows& contact : problem.contacts) find_contact_scale(contact);
  for (const LayerRows& layer : problem.layers) find_layer_scale(layer);
  for (const RollingRows& rolling : problem.rollings) {
    const int row = problem.blocks[rolling.block].first_row;
    for (int r = 0; r < 2; ++r) raise(scale, std::abs(work.free[row + r] + rolling.surface[r]));
  }
}

void Certifier::find_contact_scale(const ContactRows& contact) {
  const RowBlock& block = problem.blocks[contact.block];
  for (int r = 0; r < block.row_count; ++r) {
    raise(scale, std::abs(work.free[block.first_row + r] + contact.surface[r]));
  }
  raise(largest_normal, answer.impulse[block.first_row]);
  if (problem.normal_law == NormalLaw::rate) return;
  const double u = end(block.first_row, contact.surface[0]);
  const bool at_end = problem.normal_law == NormalLaw::end_gap;
  const double start_gap = at_end ? contact.gap - problem.step * u + give(contact).start : contact.gap;
  if (start_gap < 0) raise(scale, std::min(u, -start_gap / problem.step));
}

// What a deflected layer sets in motion, and no more of it than the spring at its start would: bodies on it may be at
// rest otherwise.
void Certifier::find_layer_scale(const LayerRows& layer) {
  const ContactRows& contact = problem.contacts[layer.contact];
  const RowBlock& block = problem.blocks[contact.block];
  const Vector3 held = layer_impulse(*layer.layer, layer.start, layer.start, problem.step).value;
  for (int r = 0; r < std::min(block.row_count, 3); ++r) {
    const int row = block.first_row + r;
    raise(scale, std::min(std::abs(end(row, contact.surface[r])), std::abs(work.weight[row] * held[r])));
  }
}

void Certifier::check_momentum() {
  for (size_t t = 0; t < problem.trees.size(); ++t) {
    const VelocityTree& tree = problem.trees[t];
    const auto M = problem.mass_block(static_cast<int>(t));
    double& largest = work.largest[t];
    double worst = 0;
    for (int i = 0; i < tree.size; ++i) {
      double change = 0;
      double start = 0;
      for (int k = 0; k < tree.size; ++k) {
        const double v_start = problem.v_start[tree.offset + k];
        change += M(i, k) * (answer.v_end[tree.offset + k] - v_start);
        start += std::abs(M(i, k) * v_start);
      }
      const double external = problem.external_impulse[tree.offset + i];
      raise(largest, std::max({std::abs(change), std::abs(external), small_share * start}));
      raise(worst, std::abs(work.defect[tree.offset + i] + change - external));
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
      raise(result.momentum, std::abs(end(row, problem.bilateral_bias[bias])) / scale);
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
    const double p = answer.impulse[row];
    if (scalar.kind == ScalarRow::Kind::limit) {
      raise(result.limit_violation, -scalar.gap);
      const double bias = problem.normal_law == NormalLaw::rate ? 0.0 : scalar.gap / problem.step;
      raise(result.normal, normal_violation(row, scalar.surface, bias, bias < 0) / scale);
      add_energy(row, scalar.surface);
      continue;
    }
    const double u = end(row, scalar.bias);
    const double weight = work.weight[row];
    const double projected = std::clamp(weight * p - u, -weight * scalar.bound, weight * scalar.bound);
    raise(result.friction, std::abs(weight * p - projected) / scale);
    const double excess = weight * (std::abs(p) - scalar.bound);
    if (excess > 0) raise(result.cone, excess / std::max(weight * scalar.bound, small_share * scale));
    add_energy(row, scalar.bias);
  }
}

// Newton's law for a contact that closes within the step and has restitution; otherwise the gap must not be negative at
// the end.
double required_bias(const ContactRows& contact, const StepProblem& problem) {
  const bool rate = problem.normal_law == NormalLaw::rate;
  const bool impacting = contact.approach < 0 && (rate || contact.gap + problem.step * contact.approach <= 0);
  if (impacting && contact.restitution > 0) return contact.restitution * contact.approach;
  return rate ? 0.0 : contact.gap / problem.step;
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

void Certifier::check_contacts() {
  for (const ContactRows& contact : problem.contacts) {
    const RowBlock& block = problem.blocks[contact.block];
    const int row = block.first_row;
    raise(result.penetration, -(contact.gap + give(contact).end));
    raise(result.normal, contact_violation(contact, row) / scale);
    if (contact.cone != nullptr) {
      check_cone(contact, row);
    } else {
      check_contact_friction(contact, row, block.row_count);
    }
    for (int r = 0; r < block.row_count; ++r) add_energy(row + r, contact.surface[r]);
    if (contact.rolling >= 0) check_rolling(problem.rollings[contact.rolling], answer.impulse[row]);
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
    raise(result.normal, weight[0] * defect[0] / scale);
    for (int r = 1; r < 3; ++r) raise(result.friction, weight[has_friction ? r : 0] * defect[r] / scale);
    const double room = (layer.layer->thickness - answer.deflection[i][0]) / problem.step;
    raise(result.normal, std::abs(std::min(weight[0] * answer.core_impulse[i], room)) / scale);
    energy += layer_storage(problem, answer, static_cast<int>(i));
  }
}

// A friction set F = cone_scale * cone that is no ellipse: p_f in p_n F, and p_f . u at its least there, -p_n h_F(-u).
void Certifier::check_cone(const ContactRows& contact, int row) {
  const FrictionCone& cone = *contact.cone;
  const double p_n = answer.impulse[row], reach = contact.friction[0];
  const double p[2] = {answer.impulse[row + 1], answer.impulse[row + 2]};
  const double u[2] = {slip(contact, row, 0), slip(contact, row, 1)};
  const double against[2] = {-u[0], -u[1]};
  const double weight = std::max(work.weight[row + 1], work.weight[row + 2]);
  const double small = small_share * std::max(largest_normal, scale / std::max(weight, work.weight[row]));
  const double lost = std::max(p_n, 0.0) * contact.cone_scale * cone_support(cone, against) + p[0] * u[0] + p[1] * u[1];
  raise(result.friction, std::abs(lost) / (std::max(p_n, small) * reach * scale));
  double inside[2] = {p[0], p[1]};
  restrict_to_span(cone, inside);
  double excess = std::max(0.0, -p_n) + std::hypot(p[0] - inside[0], p[1] - inside[1]) / reach;
  for (int i = 0; i < constraint_count(cone); ++i) {
    // phi(0, p) is the gauge to the power gamma; phi(1, p) + 1 would lose a small p to rounding.
    const double value = constraint_value(cone, i, 0, inside);
    raise(excess, std::pow(std::max(0.0, value), 1 / homogeneity(cone)) / contact.cone_scale - p_n);
  }
  if (excess > 0) raise(result.cone, excess / std::max(p_n, small));
}

// The disc of radius limit * p_n, as check_contact_friction.
void Certifier::check_rolling(const RollingRows& rolling, double p_n) {
  const int row = problem.blocks[rolling.block].first_row;
  const double p[2] = {answer.impulse[row], answer.impulse[row + 1]};
  const double radius = rolling.limit * std::max(0.0, p_n);
  const double trace = work.weight[row] + work.weight[row + 1];
  if (!(trace > 0)) return;  // nothing that can roll
  const double rho = 2 / trace;
  const double x[2] = {p[0] - rho * end(row, rolling.surface[0]), p[1] - rho * end(row + 1, rolling.surface[1])};
  const double reach = std::hypot(x[0], x[1]);
  const double shrink = reach > radius ? radius / reach : 1.0;
  raise(result.friction, std::hypot(p[0] - shrink * x[0], p[1] - shrink * x[1]) / rho / scale);
  const double excess = std::hypot(p[0], p[1]) - radius;
  if (excess > 0)
    raise(result.cone, excess / std::max(radius, small_share * std::max(rolling.limit * largest_normal, rho * scale)));
  for (int r = 0; r < 2; ++r) add_energy(row + r, rolling.surface[r]);
}

// In coordinates y_i = p_i / a_i with a_i = e_i / e the friction set is a ball of radius e p_n, and the velocity
// against which it dissipates most is a_i u_i: y must be the point of the ball nearest to y - rho a u. A component
// without friction must be zero.
void Certifier::check_contact_friction(const ContactRows& contact, int row, int rows) {
  const double p_n = answer.impulse[row];
  const double axes[3] = {contact.friction[0], contact.friction[1], contact.torsion};
  const double widest_slip = std::max(axes[0], axes[1]);
  const double e = widest_slip > 0 ? widest_slip : axes[2];
  double y[3] = {0, 0, 0};
  double u[3] = {0, 0, 0};
  double trace = work.weight[row];
  double excess = -std::min(0.0, p_n);
  for (int i = 0; i + 1 < rows; ++i) {
    const double p = answer.impulse[row + 1 + i];
    if (axes[i] <= 0) {
      raise(excess, std::abs(p));
      continue;
    }
    const double a = axes[i] / e;
    y[i] = p / a;
    u[i] = a * slip(contact, row, i);
    trace += a * a * work.weight[row + 1 + i];
  }
  const double rho = rows / trace;
  const double small_impulse = small_share * std::max(largest_normal, rho * scale);
  const double length = std::hypot(y[0], y[1], y[2]);
  if (e > 0) {
    const double radius = e * std::max(0.0, p_n);
    const double x[3] = {y[0] - rho * u[0], y[1] - rho * u[1], y[2] - rho * u[2]};
    const double reach = std::hypot(x[0], x[1], x[2]);
    const double shrink = reach > radius ? radius / reach : 1.0;
    const double defect = std::hypot(y[0] - shrink * x[0], y[1] - shrink * x[1], y[2] - shrink * x[2]);
    raise(result.friction, defect / rho / scale);
    raise(excess, length / e - p_n);
  }
  if (excess > 0) raise(result.cone, excess / std::max(p_n, small_impulse));
}

}  // namespace

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
  if (!std::isfinite(certifier.scale)) return worthless();
  certifier.check_momentum();
  certifier.check_bilaterals();
  certifier.check_scalars();
  certifier.check_contacts();
  certifier.check_layers();
  raise(certifier.result.energy_gain, certifier.energy);
  return certifier.result;
}

}  // namespace stiction::certify
