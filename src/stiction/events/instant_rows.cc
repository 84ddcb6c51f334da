#include "stiction/events/instant_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "stiction/contact/sorted_keys.h"
#include "stiction/problem/row_velocity.h"

namespace stiction {

namespace {

// Share of a radian, or of a body's size, that the motion covers in a difference: its error is about the fourth power.
constexpr double difference_share = 1e-3;

void assemble(const Model& model, const State& state, Instant& at) {
  at.free_motion.v_free = state.v;
  crba(model, at.kinematics, {}, at.free_motion.recursion, at.problem.mass);
  contact::assemble_problem(model, state, at.kinematics, at.free_motion, at.contacts, 1.0,
                            {.newton_restitution = false, .velocity_level = true}, at.assembly, at.problem);
}

// Velocities of all rows.
VectorX all_velocities(const StepProblem& problem, const VectorX& v) {
  VectorX u = VectorX::Zero(problem.row_count);
  for (size_t b = 0; b < problem.blocks.size(); ++b) {
    const RowBlock& block = problem.blocks[b];
    for (int r = 0; r < block.row_count; ++r) u[block.first_row + r] = row_velocity(problem, static_cast<int>(b), r, v);
  }
  for (const BilateralRows& rows : problem.bilaterals) {
    const RowBlock& block = problem.blocks[rows.block];
    for (int r = 0; r < block.row_count; ++r) u[block.first_row + r] += problem.bilateral_bias[rows.first_bias + r];
  }
  for (const ScalarRow& row : problem.scalars) u[problem.blocks[row.block].first_row] += row.surface;
  for (const ContactRows& rows : problem.contacts) {
    const RowBlock& block = problem.blocks[rows.block];
    for (int r = 0; r < block.row_count; ++r) u[block.first_row + r] += rows.surface[r];
  }
  for (const RollingRows& rows : problem.rollings) u.segment<2>(problem.blocks[rows.block].first_row) += rows.surface;
  return u;
}

// How fast bodies turn, or move over their own size [1/s].
double motion_rate(const Model& model, const Instant& at) {
  double rate = 0;
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const Twist& V = at.kinematics.velocity[b];
    const double radius = at.detection.radius[b];
    rate = std::max({rate, V.angular.norm(), radius > 0 ? V.linear.norm() / radius : 0.0});
    if (model.bodies[b].kind == BodyKind::prescribed) rate = std::max(rate, 1.0);
  }
  return rate;
}

double fastest(const Model& model, const Instant& at) {
  double speed = 0;
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const Twist& V = at.kinematics.velocity[b];
    const double radius = std::isfinite(at.detection.radius[b]) ? at.detection.radius[b] : 0.0;
    speed = std::max(speed, V.linear.norm() + V.angular.norm() * radius);
  }
  return speed;
}

// Velocities of the rows of `rows` at a time t along the motion, contacts' tangential parts as seen from their present
// axes; a contact that is not found there is marked in `lost`.
VectorX velocities_along(const Model& model, const State& state, const InstantRows& rows, double t, double reach,
                         Instant& at, std::vector<bool>& lost) {
  State moved = state;
  integrate_positions(model, state.v, t, moved.q);
  moved.time += t;
  place_instant(model, moved, reach, at);
  std::vector<std::uint64_t> keys;
  for (const contact::Contact& c : rows.contacts) keys.push_back(c.key);
  adopt_keys(keys, at.contacts);
  std::erase_if(at.contacts,
                [&](const contact::Contact& x) { return contact::find_unsorted(rows.contacts, x.key) == nullptr; });
  assemble(model, moved, at);
  const VectorX there = all_velocities(at.problem, state.v);
  VectorX u = VectorX::Zero(rows.problem.row_count);
  const auto copy = [&](int to, int from) {
    const RowBlock& block = rows.problem.blocks[to];
    u.segment(block.first_row, block.row_count) = there.segment(at.problem.blocks[from].first_row, block.row_count);
  };
  for (size_t b = 0; b < rows.problem.bilaterals.size(); ++b) {
    copy(rows.problem.bilaterals[b].block, at.problem.bilaterals[b].block);
  }
  for (const ScalarRow& row : rows.problem.scalars) {
    if (const ScalarRow* other = contact::find_unsorted(at.problem.scalars, row.key)) copy(row.block, other->block);
  }
  for (size_t c = 0; c < rows.contacts.size(); ++c) {
    const contact::Contact* match = contact::find_unsorted(at.contacts, rows.contacts[c].key);
    if (match == nullptr) {
      lost[c] = true;
      continue;
    }
    const ContactRows& other = at.problem.contacts[match - at.contacts.data()];
    const RowBlock& from = at.problem.blocks[other.block];
    const RowBlock& to = rows.problem.blocks[rows.problem.contacts[c].block];
    const auto copy_plane = [&](int to_row, int from_row) {
      const Vector3 x = match->tangent * there[from_row] + match->binormal() * there[from_row + 1];
      u[to_row] = x.dot(rows.contacts[c].tangent);
      u[to_row + 1] = x.dot(rows.contacts[c].binormal());
    };
    u[to.first_row] = there[from.first_row];
    if (to.row_count >= 3) copy_plane(to.first_row + 1, from.first_row + 1);
    if (to.row_count == 4) u[to.first_row + 3] = there[from.first_row + 3];
    const int rolling = rows.problem.contacts[c].rolling;
    if (rolling >= 0) {
      copy_plane(rows.problem.blocks[rows.problem.rollings[rolling].block].first_row,
                 at.problem.blocks[at.problem.rollings[other.rolling].block].first_row);
    }
  }
  return u;
}

// Relative acceleration of the two bodies' points at the contact, at vdot = 0: right between flat surfaces.
Vector3 point_acceleration(const Model& model, const State& state, const Kinematics& k,
                           const contact::Contact& contact) {
  const double t = 1e-4;
  const auto carried = [&](int body, double by) -> Vector3 {
    if (body < 0) return Vector3::Zero();
    State moved = state;
    integrate_positions(model, state.v, by, moved.q);
    moved.time += by;
    Kinematics there = make_kinematics(model);
    update_kinematics(model, moved, 0, there);
    const Vector3 point = there.X_WB[body] * (k.X_WB[body].inverse() * contact.point);
    return there.velocity[body].at(point - there.com_W[body]);
  };
  const auto rate = [&](int body) { return Vector3((carried(body, t) - carried(body, -t)) / (2 * t)); };
  return rate(contact.body_B) - rate(contact.body_A);
}

void find_products(const Model& model, const State& state, const Instant& now, Instant& scratch, InstantRows& rows) {
  rows.product = VectorX::Zero(rows.problem.row_count);
  rows.unmatched.clear();
  if (rows.problem.row_count == 0) return;
  const double rate = motion_rate(model, now);
  if (rate == 0) return;
  const double t = difference_share / rate, reach = 4 * t * fastest(model, now) + 1e-6;
  std::vector<bool> lost(rows.contacts.size(), false);
  const auto at = [&](double time) { return velocities_along(model, state, rows, time, reach, scratch, lost); };
  rows.product = (8 * (at(t) - at(-t)) - (at(2 * t) - at(-2 * t))) / (12 * t);
  for (size_t c = 0; c < lost.size(); ++c) {
    if (!lost[c]) continue;
    rows.unmatched.push_back(static_cast<int>(c));
    const Vector3 a = point_acceleration(model, state, now.kinematics, rows.contacts[c]);
    const RowBlock& block = rows.problem.blocks[rows.problem.contacts[c].block];
    const std::array<Vector3, 3> axes = {rows.contacts[c].normal, rows.contacts[c].tangent,
                                         rows.contacts[c].binormal()};
    for (int r = 0; r < std::min(block.row_count, 3); ++r) rows.product[block.first_row + r] = axes[r].dot(a);
  }
}

// Limits that do not hold now: two far ones of a joint would count as contacts that balance each other.
void drop_far_limits(double gap_tolerance, InstantRows& rows) {
  size_t kept = 0;
  for (size_t i = 0; i < rows.problem.scalars.size(); ++i) {
    const ScalarRow& row = rows.problem.scalars[i];
    if (row.kind == ScalarRow::Kind::limit && row.gap > gap_tolerance) continue;
    rows.problem.scalars[kept] = row;
    rows.scalar_source[kept++] = rows.scalar_source[i];
  }
  rows.problem.scalars.resize(kept);
  rows.scalar_source.resize(kept);
}

}  // namespace

Instant make_instant(const Model& model) {
  Instant at;
  at.kinematics = make_kinematics(model);
  at.free_motion = make_free_motion(model);
  at.detection = contact::make_detection(model);
  at.assembly = contact::make_assembly(model);
  std::fill(at.assembly.forced_limit.begin(), at.assembly.forced_limit.end(), std::uint8_t{1});
  at.problem.mass.assign(model.mass_size, 0.0);
  return at;
}

void place_instant(const Model& model, const State& state, double reach, Instant& at) {
  update_kinematics(model, state, 0, at.kinematics);
  std::fill(at.detection.reach.begin(), at.detection.reach.end(), reach);
  contact::detect_contacts(model, at.kinematics, at.detection, at.contacts);
}

void adopt_keys(std::span<const std::uint64_t> wanted, std::vector<contact::Contact>& contacts) {
  const auto is_wanted = [&](std::uint64_t key) {
    return std::find(wanted.begin(), wanted.end(), key) != wanted.end();
  };
  for (const std::uint64_t key : wanted) {
    if (contact::find_unsorted(contacts, key) != nullptr) continue;
    contact::Contact* closest = nullptr;
    for (contact::Contact& c : contacts) {
      if (contact::shapes_of(c.key) != contact::shapes_of(key) || is_wanted(c.key)) continue;
      if (closest == nullptr || c.gap < closest->gap) closest = &c;
    }
    if (closest != nullptr) closest->key = key;
  }
}

void assemble_instant(const Model& model, const State& state, Instant& at, InstantRows& rows) {
  assemble(model, state, at);
  rows.contacts = at.contacts;
  rows.problem = at.problem;
  rows.scalar_source = at.assembly.scalar_source;
  rows.velocity = all_velocities(rows.problem, state.v);
}

void accelerate_instant(const Model& model, const State& state, std::span<const double> joint_load, Instant& at,
                        Instant& scratch, InstantRows& rows) {
  rows.vdot.resize(model.v_size);
  compute_acceleration(model, state, joint_load, at.kinematics, at.free_motion, rows.vdot);
  find_products(model, state, at, scratch, rows);
}

InstantRows find_instant_rows(const Model& model, const State& state, std::span<const double> joint_load,
                              double gap_tolerance) {
  Instant now = make_instant(model), scratch = make_instant(model);
  place_instant(model, state, gap_tolerance, now);
  std::erase_if(now.contacts, [&](const contact::Contact& c) { return c.gap > gap_tolerance; });
  InstantRows rows;
  assemble_instant(model, state, now, rows);
  drop_far_limits(gap_tolerance, rows);
  accelerate_instant(model, state, joint_load, now, scratch, rows);
  return rows;
}

}  // namespace stiction
