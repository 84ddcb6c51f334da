#include "stiction/contact/anchors.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/base/workers.h"
#include "stiction/contact/sorted_keys.h"
#include "stiction/math/rotation.h"
#include "stiction/problem/row_velocity.h"

namespace stiction::contact {

namespace {

// In one chunk of what workers share.
constexpr size_t bodies_at_once = 256, contacts_at_once = 256;

// hypot(x, y), which is slow, only where it takes all its digits to say on which side of `limit` it lies.
double length_beside(double x, double y, double limit) {
  const double square = x * x + y * y, most = limit * limit;
  const bool clear = most > 1e-200 && (square < 0.999 * most || square > 1.001 * most);
  return clear ? std::sqrt(square) : std::hypot(x, y);
}

// g_F(p) of a friction set that is not an ellipse; infinite for one without interior, along whose side nothing holds.
double set_gauge(const ContactRows& contact, const double* p) {
  const FrictionCone& cone = *contact.cone;
  const bool flat = cone.kind == FrictionCone::Kind::polygon ? cone.vertices.size() < 3
                                                             : !(cone_extent(cone, 0) > 0 && cone_extent(cone, 1) > 0);
  if (flat) return infinity;
  double most = 0;
  for (int i = 0; i < constraint_count(cone); ++i) most = std::max(most, constraint_value(cone, i, 0, p));
  return std::pow(most, 1 / homogeneity(cone)) / contact.cone_scale;
}

// Is the friction impulse inside its cone, not on it?
bool is_inside_cone(const StepProblem& problem, const ContactRows& contact, const StepAnswer& answer) {
  const RowBlock& block = problem.blocks[contact.block];
  const std::array<double, 3> axes = {contact.friction[0], contact.friction[1], contact.torsion};
  const double most = (1 - 1e-6) * answer.impulse[block.first_row];
  if (!(most > 0)) return false;
  if (contact.cone != nullptr) return set_gauge(contact, answer.impulse.data() + block.first_row + 1) < most;
  const double* p = answer.impulse.data() + block.first_row + 1;
  if (block.row_count == 3 && axes[0] > 0 && axes[1] > 0) {
    return length_beside(p[0] / axes[0], p[1] / axes[1], most) < most;
  }
  double gauge = 0;
  for (int i = 0; i + 1 < block.row_count; ++i) {
    if (axes[i] > 0) gauge = std::hypot(gauge, p[i] / axes[i]);
  }
  return gauge < most;
}

// Anchors that disagree leave drifts that no repair can close: then the contact starts anew where it is. Only the
// largest drifts of a step are looked at (the others may be what the repair of those leaves), and only if they are a
// small fraction of what the step could have moved.
constexpr double settled_fraction = 1e-2, large_share = 0.1, left_share = 0.5;

bool is_settled(const StepProblem& problem, const ContactRows& contact, const StepAnswer& answer, double largest) {
  const double drift = contact.drift.norm();
  if (!(drift > large_share * largest)) return false;
  const Vector4 repair = contact_velocity(problem, contact, answer.position) - contact.surface;
  if (repair.isZero(0)) return false;  // nothing was repaired here: small drifts add up until something is
  const Vector4 u = contact_velocity(problem, contact, answer.v_end) + repair;
  const Vector2 left = contact.drift + problem.step * Vector2(u[1], u[2]);
  return left.norm() > left_share * drift;
}

// See sticks(); u is the contact's velocity at the end of the step.
bool sticks_at(const Vector4& u, const StepProblem& problem, const ContactRows& contact, const StepAnswer& answer,
               double scale, double slip_tolerance) {
  const RowBlock& block = problem.blocks[contact.block];
  if (block.row_count < 3) return false;
  const auto slips_at_most = [&](double most) { return length_beside(u[1], u[2], most) <= most; };
  const bool still = slips_at_most(stick_fraction * scale) ||
                     (slips_at_most(slip_tolerance * scale) && is_inside_cone(problem, contact, answer));
  return still && (answer.impulse[block.first_row] > 0 || u[0] + contact.gap / problem.step <= stick_fraction * scale);
}

}  // namespace

bool sticks(const StepProblem& problem, const ContactRows& contact, const StepAnswer& answer, double scale,
            double slip_tolerance) {
  const Vector4 u = contact_velocity(problem, contact, answer.v_end);
  return sticks_at(u, problem, contact, answer, scale, slip_tolerance);
}

Anchors::Motion Anchors::motion_of(int carrier, int other, const Kinematics& now,
                                   const std::vector<Matrix3>& turns) const {
  Motion motion = {.carrier = carrier, .other = other, .turn_carrier = turns[carrier]};
  motion.travel = (now.com_W[other] - now.com_W[carrier]) -
                  motion.turn_carrier * (com_W_[other] - com_W_[carrier]);              // d, in the axes of now
  motion.turn = log_rotation(Matrix3(turns[other] * motion.turn_carrier.transpose()));  // phi
  return motion;
}

Vector3 Anchors::moved_over(const Motion& motion, const Vector3& point, const Vector3& last_point,
                            const Kinematics& now) const {
  const Vector3 arms = (point - now.com_W[motion.other]) + motion.turn_carrier * (last_point - com_W_[motion.other]);
  return motion.travel + 0.5 * motion.turn.cross(arms);
}

void Anchors::measure(const Kinematics& kinematics, std::span<Contact> contacts, AnchorScratch& scratch) const {
  std::vector<Matrix3>& turns = scratch.turns;
  turns.resize(anchors_.empty() ? 0 : R_WB_.size());
  for_ranges(scratch.workers, turns.size(), bodies_at_once, [&](size_t begin, size_t end) {
    for (size_t b = begin; b < end; ++b) turns[b].noalias() = kinematics.X_WB[b].R * R_WB_[b].transpose();
  });
  for_ranges(scratch.workers, contacts.size(), contacts_at_once,
             [&](size_t begin, size_t end) { measure_some(kinematics, turns, contacts.subspan(begin, end - begin)); });
}

void Anchors::measure_some(const Kinematics& kinematics, const std::vector<Matrix3>& turns,
                           std::span<Contact> contacts) const {
  Motion motion;  // of the pair at hand: its contacts stand together
  size_t cursor = 0;
  for (Contact& contact : contacts) {
    contact.drift.setZero();
    contact.stuck = false;
    const Anchor* anchor = find_item_from(cursor, anchors_, contact.key);
    if (anchor == nullptr) continue;
    contact.stuck = true;
    if (!anchor->drifts) continue;
    const bool swapped = contact.B_carries;
    const int carrier = swapped ? contact.body_B : contact.body_A, other = swapped ? contact.body_A : contact.body_B;
    if (motion.carrier != carrier || motion.other != other) {
      motion = motion_of(carrier, other, kinematics, turns);
    }
    const Vector3 moved = moved_over(motion, contact.point, anchor->point, kinematics);
    const Vector3 drift = motion.turn_carrier * (anchor->drift + anchor->belt) + (swapped ? -moved : moved);
    contact.drift = drift - contact.normal * contact.normal.dot(drift);
  }
}

namespace {

// Velocities of all contacts at the end of the step; returns contact_velocity_scale() and the largest drift.
std::array<double, 2> find_velocities(const StepProblem& problem, const StepAnswer& answer, AnchorScratch& scratch) {
  const size_t count = problem.contacts.size();
  scratch.end.resize(count);
  scratch.largest.assign(static_cast<size_t>(chunk_count(count, contacts_at_once)), {0, 0});
  for_ranges(scratch.workers, count, contacts_at_once, [&](size_t begin, size_t end) {
    double scale = 0, drift = 0;
    for (size_t c = begin; c < end; ++c) {
      const auto [free, at_end] = contact_velocities(problem, problem.contacts[c], problem.v_free, answer.v_end);
      scale = std::max(scale, free.lpNorm<Eigen::Infinity>());
      scratch.end[c] = at_end;
      drift = std::max(drift, problem.contacts[c].drift.norm());
    }
    scratch.largest[begin / contacts_at_once] = {scale, drift};
  });
  std::array<double, 2> all = {0, 0};
  for (const std::array<double, 2>& part : scratch.largest) {
    for (size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], part[i]);
  }
  return all;
}

}  // namespace

void Anchors::keep(const Kinematics& kinematics, std::span<const Contact> contacts, const StepProblem& problem,
                   const StepAnswer& answer, double slip_tolerance, AnchorScratch& scratch) {
  const std::array<double, 2> all = find_velocities(problem, answer, scratch);
  const double scale = all[0], largest = all[1];
  const bool drifts = problem.normal_law != NormalLaw::end_gap;
  const bool may_settle =
      answer.position.size() > 0 && largest > 0 && largest <= settled_fraction * problem.step * scale;
  scratch.sticks.resize(contacts.size());
  for_ranges(scratch.workers, contacts.size(), contacts_at_once, [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) {
      const bool stays = sticks_at(scratch.end[c], problem, problem.contacts[c], answer, scale, slip_tolerance);
      scratch.sticks[c] = stays ? 1 : 0;
    }
  });
  scratch.sticking.clear();
  for (size_t c = 0; c < contacts.size(); ++c) {
    if (scratch.sticks[c] != 0) scratch.sticking.push_back({contacts[c].key, static_cast<int>(c)});
  }
  scratch.order.sort(scratch.sticking);
  anchors_.resize(scratch.sticking.size());
  for_ranges(scratch.workers, anchors_.size(), contacts_at_once, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const auto& [key, c] = scratch.sticking[i];
      const Contact& contact = contacts[c];
      const bool settled = may_settle && is_settled(problem, problem.contacts[c], answer, largest);
      const Vector3 drift = settled ? Vector3(Vector3::Zero()) : contact.drift;
      anchors_[i] = {key, contact.point, drift, problem.step * contact.surface_velocity, drifts};
    }
  });
  com_W_ = kinematics.com_W;
  R_WB_.resize(kinematics.X_WB.size());
  for (size_t b = 0; b < R_WB_.size(); ++b) R_WB_[b] = kinematics.X_WB[b].R;
}

double contact_velocity_scale(const StepProblem& problem) {
  double scale = 0;
  for (const ContactRows& contact : problem.contacts) {
    scale = std::max(scale, contact_velocity(problem, contact, problem.v_free).lpNorm<Eigen::Infinity>());
  }
  return scale;
}

}  // namespace stiction::contact
