// The second half of settling an event: candidates, modes, and what is put right; see event_settle.h.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "stiction/contact/anchors.h"
#include "stiction/contact/sorted_keys.h"
#include "stiction/events/event_settle.h"
#include "stiction/events/event_settle_internal.h"
#include "stiction/problem/row_velocity.h"

namespace stiction {

namespace {

// Modes are found with this tolerance of their inequalities, half of what ends them.
constexpr double mode_tolerance = 1e-10;
// m/s, and share of the velocities that touch: slip at the end of a slip, which in space is never quite zero.
constexpr double end_of_slip = 1e-6;
// A slip is slow where it was stopped for being slow, to rounding.
constexpr double end_share = 1.001;
// m: gaps that are put right; overlap of the scene's own stays.
constexpr double largest_repair = 1e-7, least_repair = 1e-15;
// Speed of a slipping contact in the problem of accelerations, as a multiple of those; what counts as nothing there.
constexpr double guess_speed = 1e3, guess_share = 1e-7;

}  // namespace

double EventSettler::slow_speed() const {
  const double fastest = m_.rows.velocity.size() > 0 ? m_.rows.velocity.lpNorm<Eigen::Infinity>() : 0.0;
  return end_of_slip * std::max(1.0, fastest);
}

void EventSettler::track(std::uint64_t key) {
  const auto at = contact::find_key(m_.tracked, key);
  if (at != m_.tracked.end() && at->key == key) {
    *at = {.key = key};
  } else {
    m_.tracked.insert(at, {.key = key});
  }
}

// Mode of a contact that touches: the one it had, or the one that its velocity suggests. None: it leaves.
std::optional<ContactMode> EventSettler::contact_candidate(int c, const EventTrigger& trigger, double rest) {
  const StepProblem& problem = m_.rows.problem;
  const ContactRows& contact = problem.contacts[c];
  const RowBlock& block = problem.blocks[contact.block];
  const ContactMode* before = m_.modes.find_contact(contact.key);
  const double u = m_.rows.velocity[block.first_row];
  if (before == nullptr && u > rest) track(contact.key);
  if (before == nullptr && std::abs(u) > rest) return {};
  Vector3 slip = Vector3::Zero();
  for (int r = 1; r < block.row_count; ++r) slip[r - 1] = m_.rows.velocity[block.first_row + r];
  Vector2 turning = Vector2::Zero();
  if (contact.rolling >= 0) {
    turning = m_.rows.velocity.segment<2>(first_row(problem, problem.rollings[contact.rolling].block));
  }
  ContactMode mode;
  if (before != nullptr) {
    mode = *before;
  } else {
    mode = {.key = contact.key, .slips = slip.norm() > rest, .rolls = turning.norm() > rest};
    std::erase_if(m_.tracked, [&](const TrackedGap& t) { return t.key == contact.key; });
  }
  mode.point = m_.rows.contacts[c].point;
  if (has_key(trigger.unturned, contact.key) && turning.norm() <= slow_speed()) mode.rolls = false;
  if (mode.rolls && turning.norm() > least_rest_speed) mode.rolling_direction = turning.normalized();
  set_slip(slip, trigger, rest, mode);
  return mode;
}

// Ends a slip, or sets how it goes on.
void EventSettler::set_slip(const Vector3& slip, const EventTrigger& trigger, double rest, ContactMode& mode) const {
  const double speed = slip.norm();
  // Contacts of one body stop together, to rounding; an impact may have stopped them too.
  const bool stops = has_key(trigger.stopped, mode.key) ? speed <= slow_speed() : !mode.starts && speed <= rest;
  if (stops) mode.slips = false;
  if (!mode.slips || speed >= starting_slip) mode.starts = false;
  if (!mode.slips || speed > 2 * ending_slip) mode.ends = false;
  if (mode.slips && !mode.starts && !mode.ends && speed > least_rest_speed) mode.direction = slip.normalized();
  if (mode.slips && !mode.starts && speed <= end_share * ending_slip) mode.ends = true;
}

// The same for a limit or a joint with dry friction.
std::optional<ContactMode> EventSettler::scalar_candidate(int k, const EventTrigger& trigger, double rest) {
  const ScalarRow& row = m_.rows.problem.scalars[k];
  const ContactMode* before = m_.modes.find_scalar(row.key);
  const double u = m_.rows.velocity[first_row(m_.rows.problem, row.block)];
  const bool limit = row.kind == ScalarRow::Kind::limit;
  if (limit && (before == nullptr ? std::abs(u) > rest : u > rest)) return {};
  ContactMode mode{.key = row.key, .slips = !limit && std::abs(u) > rest};
  if (before != nullptr) mode = *before;
  if (!limit && std::abs(u) <= (has_key(trigger.unmoved, row.key) ? slow_speed() : rest)) mode.slips = false;
  if (mode.slips && std::abs(u) > least_rest_speed) mode.direction = Vector3(u > 0 ? 1 : -1, 0, 0);
  return mode;
}

// What touches and does not leave, into m_.modes.
void EventSettler::choose_candidates(const EventTrigger& trigger) {
  const double rest = rest_speed();
  ModeSet chosen;
  for (size_t c = 0; c < m_.rows.problem.contacts.size(); ++c) {
    if (const auto mode = contact_candidate(static_cast<int>(c), trigger, rest)) chosen.contacts.push_back(*mode);
  }
  for (size_t k = 0; k < m_.rows.problem.scalars.size(); ++k) {
    if (const auto mode = scalar_candidate(static_cast<int>(k), trigger, rest)) chosen.scalars.push_back(*mode);
  }
  contact::sort_by_key(chosen.contacts);
  contact::sort_by_key(chosen.scalars);
  m_.modes = std::move(chosen);
}

// The instant's problem with accelerations in place of velocities. Where a contact slips its velocity, made large
// beside all accelerations, stands for its acceleration.
StepProblem EventSettler::acceleration_problem(const ModeProblem& problem, double scale) const {
  StepProblem step = m_.rows.problem;
  step.v_start = VectorX::Zero(model_.v_size);
  step.v_free = m_.rows.vdot;
  for (size_t k = 0; k < problem.modes.size(); ++k) {
    const InstantItem& item = problem.island.items[k];
    const bool slips = problem.modes[k].slips && problem.slip[k].norm() > 0;
    const Vector3 along = slips ? Vector3(guess_speed * scale * problem.slip[k].normalized()) : Vector3::Zero();
    if (item.scalar >= 0) {
      ScalarRow& row = step.scalars[item.scalar];
      row.bias = row.surface = m_.rows.product[first_row(step, row.block)] + along[0];
      continue;
    }
    ContactRows& contact = step.contacts[item.contact];
    for (int r = 0; r < item.rows; ++r) {
      contact.surface[r] = m_.rows.product[first_row(step, contact.block) + r] + (r > 0 ? along[r - 1] : 0.0);
    }
    contact.normal_bias = 0;
    if (item.rolling < 0) continue;
    RollingRows& rolling = step.rollings[contact.rolling];
    rolling.surface = m_.rows.product.segment<2>(first_row(step, rolling.block));
  }
  for (const BilateralRows& rows : step.bilaterals) {
    for (int r = 0; r < step.blocks[rows.block].row_count; ++r) {
      step.bilateral_bias[rows.first_bias + r] = m_.rows.product[first_row(step, rows.block) + r];
    }
  }
  return step;
}

// Modes from exact-cone's law for accelerations: v_end is vdot, impulses are forces.
bool EventSettler::guess_modes(const contact::Island& island, const State& state, ModeProblem& problem) {
  const double scale = std::max(problem.island.a0.lpNorm<Eigen::Infinity>(), 1e-12);
  const StepProblem step = acceleration_problem(problem, scale);
  StepAnswer answer{
      .v_end = step.v_free, .impulse = VectorX::Zero(step.row_count), .position = VectorX::Zero(model_.v_size)};
  step_.instants.begin(step, {model_, state, m_.now.kinematics, m_.rows.contacts, step_.memory});
  const IslandReport report = step_.instants.solve_island(step, island, 0, answer);
  if (report.solve.termination != solvers::Termination::solved) return false;
  const auto normal = [&](int c) { return answer.impulse[first_row(step, step.contacts[c].block)]; };
  double largest = 0;
  for (const int c : island.contacts) largest = std::max(largest, normal(c));
  for (size_t k = 0; k < problem.modes.size(); ++k) {
    const InstantItem& item = problem.island.items[k];
    ContactMode& mode = problem.modes[k];
    if (item.scalar >= 0) continue;
    mode.closed = normal(item.contact) > guess_share * largest;
    if (problem.slip[k].norm() > 0 || item.rows < 3) continue;
    const Vector4 a = contact_velocity(step, step.contacts[item.contact], answer.v_end);
    mode.slips = a.tail<3>().norm() > guess_share * scale;
    if (mode.slips) mode.direction = a.tail<3>().normalized();
  }
  return true;
}

// Modes of all islands into m_.modes, open ones marked; false: an island has none.
bool EventSettler::find_all_modes(State& state) {
  m_.forces.gather(model_, state, m_.now.kinematics, step_.input.force);
  std::vector<contact::Contact> kept;
  for (const contact::Contact& c : m_.now.contacts) {
    if (m_.modes.find_contact(c.key) != nullptr) kept.push_back(c);
  }
  m_.now.contacts = std::move(kept);
  assemble_instant(model_, state, m_.now, m_.rows);
  keep_scalars(m_.modes, m_.rows);
  accelerate_instant(model_, state, m_.forces.total, m_.now, m_.scratch, m_.rows);
  m_.islands.update(m_.rows.problem);
  for (int i = 0; i < m_.islands.count(); ++i) {
    ModeProblem problem = make_mode_problem(m_.rows, m_.islands[i], m_.modes);
    ModeSearch search = find_modes(m_.rows, mode_tolerance, problem);
    if (!search.found && guess_modes(m_.islands[i], state, problem)) {
      search = find_modes(m_.rows, mode_tolerance, problem);
    }
    if (!search.found) {
      failure = search.none ? "no contact forces satisfy the law" : "no modes of the contacts were found";
      return false;
    }
    for (size_t k = 0; k < problem.modes.size(); ++k) {
      const bool contact = problem.island.items[k].contact >= 0;
      ContactMode* mode =
          contact ? m_.modes.find_contact(problem.modes[k].key) : m_.modes.find_scalar(problem.modes[k].key);
      *mode = problem.modes[k];
    }
  }
  return true;
}

void EventSettler::keep_closed() {
  for (const ContactMode& mode : m_.modes.contacts) {
    if (!mode.closed) track(mode.key);
  }
  std::erase_if(m_.modes.contacts, [](const ContactMode& mode) { return !mode.closed; });
  std::erase_if(m_.modes.scalars, [](const ContactMode& mode) { return !mode.closed; });
}

void EventSettler::log_changes(const ModeSet& before, double time) {
  ModeSet old = before;
  const auto log = [&](Event event) { m_.last.events.push_back(event); };
  const StepProblem& problem = m_.rows.problem;
  for (size_t c = 0; c < problem.contacts.size(); ++c) {
    const int i = static_cast<int>(c);
    const ContactMode* was = old.find_contact(problem.contacts[c].key);
    const ContactMode* is = m_.modes.find_contact(problem.contacts[c].key);
    if (was == nullptr && is != nullptr) log(contact_event(EventKind::contact_made, i, time));
    if (was == nullptr || is == nullptr || was->slips == is->slips) continue;
    log(contact_event(is->slips ? EventKind::slip_begins : EventKind::slip_ends, i, time));
  }
  for (const ContactMode& was : before.contacts) {
    if (m_.modes.find_contact(was.key) != nullptr) continue;
    const contact::Contact* seen = contact::find_unsorted(m_.rows.contacts, was.key);
    log({.time = time,
         .kind = EventKind::contact_lost,
         .body_A = model_.shapes[was.key >> 48].body,
         .body_B = model_.shapes[(was.key >> 32) & 0xffff].body,
         .key = was.key,
         .point = seen != nullptr ? seen->point : was.point});
  }
  for (size_t k = 0; k < problem.scalars.size(); ++k) {
    const int i = static_cast<int>(k);
    const bool limit = problem.scalars[k].kind == ScalarRow::Kind::limit;
    const ContactMode* was = old.find_scalar(problem.scalars[k].key);
    const ContactMode* is = m_.modes.find_scalar(problem.scalars[k].key);
    if (limit && was == nullptr && is != nullptr) log(scalar_event(EventKind::limit_reached, i, time));
    if (limit && was != nullptr && is == nullptr) log(scalar_event(EventKind::limit_left, i, time));
    if (limit || was == nullptr || is == nullptr || was->slips == is->slips) continue;
    log(scalar_event(is->slips ? EventKind::slip_begins : EventKind::slip_ends, i, time));
  }
}

// Rows of an island that must not move, and gaps that must be zero.
struct EventSettler::ClosedRows {
  std::vector<int> columns, normals;
  std::vector<double> velocity, gap;
};

EventSettler::ClosedRows EventSettler::closed_rows(const ModeProblem& modes) const {
  const StepProblem& problem = m_.rows.problem;
  ClosedRows closed;
  const auto add = [&](int column, int row) {
    closed.columns.push_back(column);
    closed.velocity.push_back(m_.rows.velocity[row]);
  };
  const auto add_gap = [&](int column, double gap) {
    closed.normals.push_back(column);
    closed.gap.push_back(std::abs(gap) <= largest_repair ? gap : 0.0);
  };
  for (size_t k = 0; k < modes.island.items.size(); ++k) {
    const InstantItem& item = modes.island.items[k];
    const ContactMode& mode = modes.modes[k];
    if (item.scalar >= 0) {
      const ScalarRow& row = problem.scalars[item.scalar];
      if (!mode.slips) add(item.first, first_row(problem, row.block));
      if (row.kind == ScalarRow::Kind::limit) add_gap(item.first, row.gap);
      continue;
    }
    const ContactRows& contact = problem.contacts[item.contact];
    const int first = first_row(problem, contact.block);
    add(item.first, first);
    add_gap(item.first, contact.gap);
    for (int r = 1; !mode.slips && r < item.rows; ++r) {
      if (modes.axes[k][r - 1] > 0) add(item.first + r, first + r);
    }
    for (int r = 0; item.rolling >= 0 && !mode.rolls && r < 2; ++r) {
      add(item.rolling + r, first_row(problem, problem.rollings[contact.rolling].block) + r);
    }
  }
  return closed;
}

void EventSettler::put_right(State& state) {
  VectorX move = VectorX::Zero(model_.v_size);
  bool moves = false;
  for (int i = 0; i < m_.islands.count(); ++i) {
    const ModeProblem modes = make_mode_problem(m_.rows, m_.islands[i], m_.modes);
    const InstantIsland& island = modes.island;
    const ClosedRows closed = closed_rows(modes);
    const auto rows = static_cast<Eigen::Index>(closed.columns.size());
    MatrixX E(island.B.rows(), rows + island.C.cols());
    E.leftCols(rows) = island.unconstrained(Eigen::all, closed.columns);
    E.rightCols(island.C.cols()) = island.C;
    VectorX u(E.cols());
    for (Eigen::Index k = 0; k < rows; ++k) u[k] = closed.velocity[k];
    u.tail(island.C.cols()) = island.joint_velocity;
    if (u.size() > 0 && u.lpNorm<Eigen::Infinity>() > 0) {
      const Eigen::CompleteOrthogonalDecomposition<MatrixX> cod(E.transpose());
      island.add_motion(-cod.solve(u), state.v);
    }
    const Eigen::Map<const VectorX> gap(closed.gap.data(), static_cast<Eigen::Index>(closed.gap.size()));
    if (gap.size() == 0 || gap.lpNorm<Eigen::Infinity>() <= least_repair) continue;
    const MatrixX N = island.B(Eigen::all, closed.normals);
    island.add_motion(-Eigen::CompleteOrthogonalDecomposition<MatrixX>(N.transpose()).solve(gap), move);
    moves = true;
  }
  if (moves) integrate_positions(model_, move, 1.0, state.q);
}

}  // namespace stiction
