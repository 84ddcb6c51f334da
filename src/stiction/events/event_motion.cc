#include "stiction/events/event_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/contact/sorted_keys.h"
#include "stiction/model/joint_traits.h"
#include "stiction/model/stribeck.h"

namespace stiction {

namespace {

// The margin may be this negative before modes change, twice what they are found with: no chatter.
constexpr double margin_slack = 2e-10;

// m/s: slip that is only rounding goes where its mode says.
constexpr double stopped = 1e-13;

// m/s: a slip that begins, with hardly any acceleration, may be this far behind zero.
constexpr double start_slack = 1e-10;

// Velocities of t, o, spin, or of a joint.
Vector3 measured_slip(const InstantRows& rows, const InstantItem& item) {
  Vector3 slip = Vector3::Zero();
  const StepProblem& problem = rows.problem;
  if (item.scalar >= 0) {
    slip[0] = rows.velocity[problem.blocks[problem.scalars[item.scalar].block].first_row];
    return slip;
  }
  const int first = problem.blocks[problem.contacts[item.contact].block].first_row;
  for (int r = 1; r < item.rows; ++r) slip[r - 1] = rows.velocity[first + r];
  return slip;
}

// Half axes of the friction set of t, o, spin: static where the contact sticks, Stribeck's where it slips.
Vector3 friction_axes(const Material& material, const ContactMode& mode, const Vector3& slip) {
  const double speed = std::hypot(slip[0], slip[1], material.torsional_friction * slip[2]);
  const double factor = mode.slips ? friction_factor(material, std::max(speed, std::numeric_limits<double>::min()))
                                   : static_factor(material);
  return factor *
         Vector3(material.friction[0], material.friction[1], material.friction[0] * material.torsional_friction);
}

}  // namespace

ModeProblem make_mode_problem(const InstantRows& rows, const contact::Island& island, ModeSet& modes) {
  const StepProblem& problem = rows.problem;
  ModeProblem result;
  std::vector<InstantItem> items;
  const auto add = [&](const InstantItem& item, const ContactMode& mode) {
    items.push_back(item);
    result.add(mode);
  };
  for (const int c : island.contacts) {
    const ContactRows& contact = problem.contacts[c];
    const ContactMode* mode = modes.find_contact(contact.key);
    if (mode == nullptr) continue;
    add({.contact = c, .full = true}, *mode);
    const RowBlock& block = problem.blocks[contact.block];
    for (int r = 1; mode->slips && r < block.row_count; ++r) {
      result.slip.back()[r - 1] = rows.velocity[block.first_row + r];
    }
    const double ignored = mode->ends ? infinity : mode->starts ? starting_slip : stopped;
    if (result.slip.back().norm() < ignored) result.slip.back().setZero();
    if (block.row_count > 1) result.axes.back() = friction_axes(*rows.contacts[c].material, *mode, result.slip.back());
    if (contact.rolling < 0) continue;
    const RollingRows& rolling = problem.rollings[contact.rolling];
    result.rolling.back() = rolling.limit;
    if (mode->rolls) result.turning.back() = rows.velocity.segment<2>(problem.blocks[rolling.block].first_row);
  }
  for (const int k : island.scalars) {
    const ScalarRow& row = problem.scalars[k];
    const ContactMode* mode = modes.find_scalar(row.key);
    if (mode == nullptr) continue;
    add({.scalar = k}, *mode);
    if (row.kind != ScalarRow::Kind::friction) continue;
    result.axes.back()[0] = row.bound;
    if (mode->slips) result.slip.back()[0] = rows.velocity[problem.blocks[row.block].first_row];
  }
  result.island = make_instant_island(rows, island, std::move(items), {});
  return result;
}

std::vector<std::uint64_t> known_keys(const EventWork& memory, double reach) {
  std::vector<std::uint64_t> keys;
  for (const ContactMode& mode : memory.modes.contacts) keys.push_back(mode.key);
  for (const TrackedGap& tracked : memory.tracked) {
    if (tracked.gap < reach) keys.push_back(tracked.key);
  }
  return keys;
}

void keep_scalars(ModeSet& modes, InstantRows& rows) {
  size_t kept = 0;
  for (size_t i = 0; i < rows.problem.scalars.size(); ++i) {
    if (modes.find_scalar(rows.problem.scalars[i].key) == nullptr) continue;
    rows.problem.scalars[kept] = rows.problem.scalars[i];
    rows.scalar_source[kept++] = rows.scalar_source[i];
  }
  rows.problem.scalars.resize(kept);
  rows.scalar_source.resize(kept);
}

bool EventMotion::needs_rows() const {
  return !m_.modes.contacts.empty() || !m_.modes.scalars.empty() || !model_.loop_joints.empty();
}

// Places m_.now: contacts, the least gap, rates of tracked gaps; keeps the closed ones.
void EventMotion::look(const State& state, bool forces, Accelerations& result) {
  const bool near = forces || !m_.modes.contacts.empty() || !m_.tracked.empty();
  if (near) {
    place_instant(model_, state, reach, m_.now);
    adopt_keys(known_keys(m_, reach), m_.now.contacts);
  } else {
    update_kinematics(model_, state, 0, m_.now.kinematics);
    m_.now.contacts.clear();
  }
  result.gap = reach;
  tracked_rates_.setZero(static_cast<Eigen::Index>(m_.tracked.size()));
  std::erase_if(m_.now.contacts, [&](const contact::Contact& c) {
    if (m_.modes.find_contact(c.key) != nullptr) return false;
    if (const TrackedGap* tracked = contact::find_item(m_.tracked, c.key)) {
      tracked_rates_[tracked - m_.tracked.data()] = contact::closing_speed(model_, m_.now.kinematics, c);
    } else {
      result.gap = std::min(result.gap, c.gap);
    }
    return true;
  });
}

namespace {

// Modes are found by dense factorisations of the island's rows. In evaluations: one is what `rows_of_one` rows take.
double work_of_modes(const InstantIsland& island) {
  constexpr double rows_of_one = 30;
  const double share = static_cast<double>(island.B.cols()) / rows_of_one;
  return share * share * share;
}

}  // namespace

bool EventMotion::accelerate(const State& state, bool forces, Accelerations& result) {
  ++m_.last.evaluations;
  m_.last.work += 1;
  look(state, forces, result);
  m_.forces.gather(model_, state, m_.now.kinematics, force_);
  problems_.clear();
  solutions_.clear();
  result.margin = 1;
  const bool limits = forces && std::any_of(model_.tree_joints.begin(), model_.tree_joints.end(),
                                            [](const Joint& j) { return !is_free(j.type); });
  if (!needs_rows() && !limits) {
    result.vdot.resize(model_.v_size);
    compute_acceleration(model_, state, m_.forces.total, m_.now.kinematics, m_.now.free_motion, result.vdot);
    return result.vdot.allFinite();
  }
  assemble_instant(model_, state, m_.now, m_.rows);
  for (const ScalarRow& row : m_.rows.problem.scalars) {
    if (row.kind == ScalarRow::Kind::limit && m_.modes.find_scalar(row.key) == nullptr) {
      result.gap = std::min(result.gap, row.gap);
    }
  }
  keep_scalars(m_.modes, m_.rows);
  accelerate_instant(model_, state, m_.forces.total, m_.now, m_.scratch, m_.rows);
  result.vdot = m_.rows.vdot;
  m_.islands.update(m_.rows.problem);
  for (int i = 0; i < m_.islands.count(); ++i) {
    problems_.push_back(make_mode_problem(m_.rows, m_.islands[i], m_.modes));
    steer_starting_slips(m_.rows, problems_.back());
    const InstantIsland& island = problems_.back().island;
    m_.last.work += work_of_modes(island);
    solutions_.push_back(solve_modes(problems_.back(), forces));
    const ModeSolution& solution = solutions_.back();
    if (forces) result.margin = std::min(result.margin, solution.consistent ? solution.margin : -1.0);
    for (const int v : island.velocities) result.vdot[v] = 0;
    island.add_motion(island.y + island.B * solution.force, result.vdot);
  }
  return result.vdot.allFinite();
}

VectorX EventMotion::pack(const State& state) const {
  VectorX y(size());
  y.head(model_.q_size) = state.q;
  y.segment(model_.q_size, model_.v_size) = state.v;
  for (size_t i = 0; i < m_.tracked.size(); ++i) y[model_.q_size + model_.v_size + i] = m_.tracked[i].gap;
  return y;
}

void EventMotion::unpack(const double* y, State& state) const {
  state.q = Eigen::Map<const VectorX>(y, model_.q_size);
  state.v = Eigen::Map<const VectorX>(y + model_.q_size, model_.v_size);
  for (const Joint& joint : model_.tree_joints) {
    const JointTraits& traits = joint_traits(joint.type);
    if (traits.quaternion) state.q.segment<4>(joint.q_offset + traits.vector_size).normalize();
  }
}

void EventMotion::rates(const State& state, const VectorX& vdot, double* ydot) const {
  for (const Joint& joint : model_.tree_joints) {
    const JointTraits& traits = joint_traits(joint.type);
    for (int k = 0; k < traits.vector_size; ++k) ydot[joint.q_offset + k] = state.v[joint.v_offset + k];
    if (!traits.quaternion) continue;
    const int q = joint.q_offset + traits.vector_size, v = joint.v_offset + traits.vector_size;
    const Quaternion at(state.q[q], state.q[q + 1], state.q[q + 2], state.q[q + 3]);
    const Quaternion rate = Quaternion(0, state.v[v] / 2, state.v[v + 1] / 2, state.v[v + 2] / 2) * at;
    ydot[q] = rate.w();
    ydot[q + 1] = rate.x();
    ydot[q + 2] = rate.y();
    ydot[q + 3] = rate.z();
  }
  Eigen::Map<VectorX>(ydot + model_.q_size, model_.v_size) = vdot;
  for (Eigen::Index i = 0; i < tracked_rates_.size(); ++i) {
    ydot[model_.q_size + model_.v_size + i] = tracked_rates_[i];
  }
}

int EventMotion::root_count() const {
  int count = 2 + static_cast<int>(m_.tracked.size());
  for (const auto* modes : {&m_.modes.contacts, &m_.modes.scalars}) {
    for (const ContactMode& mode : *modes) count += 2 * int{mode.slips} + int{mode.rolls};
  }
  return count;
}

void EventMotion::roots(const double* gaps, double age, const Accelerations& at, double* g) const {
  *g++ = at.gap;
  *g++ = at.margin + margin_slack;
  // Over the time since it opened: not zero at the start, where the gap is.
  for (size_t i = 0; i < m_.tracked.size(); ++i) {
    const double time = m_.tracked[i].age + age;
    *g++ = time > 0 ? gaps[i] / time : tracked_rates_[static_cast<Eigen::Index>(i)];
  }
  const auto along = [&](const std::vector<ContactMode>& modes, bool contact) {
    for (const ContactMode& mode : modes) {
      if (!mode.slips && !mode.rolls) continue;
      double slip = 1, turning = 1, left = 1;
      for (const ModeProblem& problem : problems_) {
        for (size_t i = 0; i < problem.modes.size(); ++i) {
          if ((problem.island.items[i].contact >= 0) != contact || problem.modes[i].key != mode.key) continue;
          const Vector3 u = measured_slip(m_.rows, problem.island.items[i]);
          slip = u.dot(mode.direction) + (mode.starts ? start_slack : 0.0);
          if (!mode.starts) left = mode.ends ? 3 * ending_slip - u.norm() : u.norm() - ending_slip;
          turning = problem.turning[i].dot(mode.rolling_direction);
        }
      }
      if (mode.slips) {
        *g++ = slip;
        *g++ = contact ? left : 1;
      }
      if (mode.rolls) *g++ = turning;
    }
  };
  along(m_.modes.contacts, true);
  along(m_.modes.scalars, false);
}

}  // namespace stiction
