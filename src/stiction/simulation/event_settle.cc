#include "stiction/simulation/event_settle.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "stiction/dynamics/energy.h"
#include "stiction/simulation/integrate.h"

namespace stiction {

namespace {

// Times that impacts at one instant may bring about others, and that velocities may jump without a collision.
constexpr int max_rounds = 40;
// Modes are found with this tolerance of their inequalities, half of what ends them.
constexpr double mode_tolerance = 5e-10;
// m/s: slower approach is none. Relative: what the integration leaves of a velocity that is zero.
constexpr double least_rest_speed = 1e-11, rest_share = 10;
// A tracked contact that would land within this share of its flight lands with the others.
constexpr double same_landing = 1e-6;
// m/s, and share of the island's velocities: slip at the end of a slip, which in space is never quite zero.
constexpr double end_of_slip = 1e-6;
// A slip is slow where it was stopped for being slow, to rounding.
constexpr double end_share = 1.001;
// m: gaps that are put right; overlap of the scene's own stays.
constexpr double largest_repair = 1e-7, least_repair = 1e-15;
// m: closed contacts are looked for up to here.
constexpr double closed_reach = 1e-6;
constexpr int least_bounces = 30;
// Speed of a slipping contact in the problem of accelerations, as a multiple of those; what counts as nothing there.
constexpr double guess_speed = 1e3, guess_share = 1e-7;
// s: the step of a problem that stands for an instant.
constexpr double instant_step = 1e-9;

bool has(const std::vector<std::uint64_t>& keys, std::uint64_t key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

template <class Item>
auto find_key(std::vector<Item>& items, std::uint64_t key) {
  return std::lower_bound(items.begin(), items.end(), key,
                          [](const Item& item, std::uint64_t k) { return item.key < k; });
}

int first_row(const StepProblem& problem, int block) {
  return problem.blocks[block].first_row;
}

// Velocities of rows that are only the rounding of what they are differences of.
void drop_rounding(const StepProblem& problem, const VectorX& v, VectorX& velocity) {
  constexpr double share = 8 * std::numeric_limits<double>::epsilon();
  for (const RowBlock& block : problem.blocks) {
    const int b = static_cast<int>(&block - problem.blocks.data());
    for (int r = 0; r < block.row_count; ++r) {
      double size = 0;
      for (int side = 0; side < 2; ++side) {
        if (block.tree[side] < 0) continue;
        const VelocityTree& tree = problem.trees[block.tree[side]];
        size += problem.jacobian_block(b, side).row(r).cwiseAbs().dot(v.segment(tree.offset, tree.size).cwiseAbs());
      }
      if (std::abs(velocity[block.first_row + r]) <= share * size) velocity[block.first_row + r] = 0;
    }
  }
}

}  // namespace

// Rows of everything that touches at `state`, into m_.rows; who may hit now.
void EventSettler::look(const EventTrigger& trigger, const State& state) {
  const double reach = std::max(options_.simultaneous_gap, closed_reach);
  place_instant(model_, state, reach, m_.now);
  adopt_keys(known_keys(m_, reach), m_.now.contacts);
  std::vector<contact::Contact> kept;
  hits_.clear();
  for (const contact::Contact& c : m_.now.contacts) {
    const bool closed = m_.modes.find_contact(c.key) != nullptr;
    const auto tracked = find_key(m_.tracked, c.key);
    const bool in_flight = tracked != m_.tracked.end() && tracked->key == c.key;
    bool lands = has(trigger.landed, c.key);
    if (in_flight && !lands && trigger.landed.size() > 0) {
      const double rate = contact::closing_speed(model_, m_.now.kinematics, c);
      lands = rate < 0 && tracked->gap <= -rate * same_landing * tracked->age;
    }
    if (!closed && (in_flight ? !lands : c.gap > options_.simultaneous_gap)) continue;
    kept.push_back(c);
    hits_.push_back(closed || lands || trigger.gap || c.gap <= 0);
  }
  m_.now.contacts = std::move(kept);
  assemble_instant(model_, state, m_.now, m_.rows);
  drop_rounding(m_.rows.problem, state.v, m_.rows.velocity);
  size_t count = 0;
  limit_hits_.clear();
  StepProblem& problem = m_.rows.problem;
  for (size_t i = 0; i < problem.scalars.size(); ++i) {
    const ScalarRow row = problem.scalars[i];
    const bool limit = row.kind == ScalarRow::Kind::limit;
    const bool closed = m_.modes.find_scalar(row.key) != nullptr;
    if (limit && !closed && row.gap > options_.simultaneous_gap) continue;
    limit_hits_.push_back(limit && (closed || trigger.gap || row.gap <= 0));
    m_.rows.scalar_source[count] = m_.rows.scalar_source[i];
    problem.scalars[count++] = row;
  }
  problem.scalars.resize(count);
  m_.rows.scalar_source.resize(count);
  m_.rows.vdot = VectorX::Zero(model_.v_size);
  m_.rows.product = VectorX::Zero(problem.row_count);
  m_.islands.update(problem);
}

double EventSettler::rest_speed() const {
  const double speed = m_.rows.velocity.size() > 0 ? m_.rows.velocity.lpNorm<Eigen::Infinity>() : 0.0;
  return std::max(least_rest_speed, rest_share * options_.tolerance * speed);
}

Event EventSettler::contact_event(EventKind kind, int contact, double time) const {
  const contact::Contact& c = m_.rows.contacts[contact];
  return {.time = time, .kind = kind, .body_A = c.body_A, .body_B = c.body_B, .key = c.key, .point = c.point};
}

Event EventSettler::scalar_event(EventKind kind, int scalar, double time) const {
  const contact::ScalarSource& source = m_.rows.scalar_source[scalar];
  return {.time = time,
          .kind = kind,
          .joint = source.joint,
          .loop_joint = source.loop_joint,
          .key = m_.rows.problem.scalars[scalar].key};
}

// Counts the impact of a contact, and decides whether its bouncing has come to an end.
double EventSettler::restitution_of(int contact, double time) {
  const std::uint64_t key = m_.rows.contacts[contact].key;
  const double e = m_.rows.problem.contacts[contact].restitution;
  auto at = find_key(m_.bounces, key);
  if (at == m_.bounces.end() || at->key != key) at = m_.bounces.insert(at, {.key = key});
  BounceRow& row = *at;
  if (row.step != index_) row.in_step = 0;
  row.step = index_;
  const double interval = time - row.last;
  const bool shorter = row.count > 0 && (row.interval < 0 || interval <= row.interval);
  const double ratio = row.interval > 0 ? interval / row.interval : 1;
  row.count = shorter ? row.count + 1 : 1;
  row.interval = shorter ? interval : -1;
  row.last = time;
  if (++row.in_step > options_.max_impacts && e > 0) {
    ended = true;
    return 0;
  }
  const bool at_end =
      row.count > least_bounces && ratio < 1 && interval * ratio / (1 - ratio) < options_.accumulation_time;
  if (!at_end || e == 0) return e;
  row = {.key = key, .step = index_, .in_step = row.in_step};
  m_.last.events.push_back(contact_event(EventKind::accumulation, contact, time));
  return 0;
}

// The law of an impact, for changes of velocity: velocities before count as the surfaces' own, so that what an impact of
// 1e-9 m/s does is not lost beside other velocities.
void EventSettler::certify_impact(const VectorX& before, const VectorX& change, const VectorX& impulse,
                                  const std::vector<bool>& takes_part) {
  StepProblem problem = m_.rows.problem;
  problem.v_start = problem.v_free = problem.external_impulse = VectorX::Zero(model_.v_size);
  for (size_t c = 0; c < problem.contacts.size(); ++c) {
    ContactRows& contact = problem.contacts[c];
    const RowBlock& block = problem.blocks[contact.block];
    contact.surface.head(block.row_count) = m_.rows.velocity.segment(block.first_row, block.row_count);
  }
  size_t kept = 0;  // contacts that only come near ask for nothing yet
  for (size_t c = 0; c < problem.contacts.size(); ++c) {
    if (takes_part[c]) problem.contacts[kept++] = problem.contacts[c];
  }
  problem.contacts.resize(kept);
  for (RollingRows& rolling : problem.rollings) {
    rolling.surface = m_.rows.velocity.segment<2>(first_row(problem, rolling.block));
    rolling.limit = 0;  // takes no part
  }
  std::erase_if(problem.scalars, [](const ScalarRow& row) { return row.kind == ScalarRow::Kind::friction; });
  for (ScalarRow& row : problem.scalars) row.surface = row.bias = m_.rows.velocity[first_row(problem, row.block)];
  std::fill(problem.bilateral_bias.begin(), problem.bilateral_bias.end(), 0.0);
  std::fill(problem.bilateral_surface.begin(), problem.bilateral_surface.end(), 0.0);
  certify::StepCertificate own = certify::certify_step(problem, {.v_end = change, .impulse = impulse}, w_.certify);
  own.penetration = 0;
  own.limit_violation = 0;
  own.impacts = 1;
  for (size_t t = 0; t < problem.trees.size(); ++t) {
    const VelocityTree& tree = problem.trees[t];
    const auto mass = problem.mass_block(static_cast<int>(t));
    const VectorX mean = before.segment(tree.offset, tree.size) + change.segment(tree.offset, tree.size) / 2;
    own.impact_energy += mean.dot(mass * change.segment(tree.offset, tree.size));
  }
  certificate.merge(own);
}

// exact-cone's law on m_.rows as they stand, loads acting for `load_time`.
bool EventSettler::resolve_by_step(double load_time, const State& state, VectorX& v, VectorX& impulse) {
  StepProblem problem = m_.rows.problem;
  problem.v_start = state.v;
  problem.v_free = state.v + load_time * m_.rows.vdot;
  StepAnswer answer;
  answer.v_end = problem.v_free;
  answer.impulse = VectorX::Zero(problem.row_count);
  answer.position = VectorX::Zero(model_.v_size);
  method_.set_context({model_, state, m_.now.kinematics, m_.rows.contacts});
  method_.begin(problem);
  for (int i = 0; i < m_.islands.count(); ++i) {
    const methods::IslandReport report = method_.solve_island(problem, m_.islands[i], 0, answer);
    if (report.solve.termination != solvers::Termination::solved) return false;
  }
  v = answer.v_end;
  impulse = answer.impulse.head(problem.row_count);
  return v.allFinite();
}

bool EventSettler::resolve_island(const contact::Island& island, const std::vector<bool>& takes_part, State& state) {
  StepProblem& problem = m_.rows.problem;
  std::vector<InstantItem> items;
  ImpactSettings settings{.law = {.rule = options_.rule, .max_choices = options_.max_choices},
                          .restitution = std::vector<double>(m_.rows.contacts.size(), 0.0)};
  const double rest = rest_speed();
  std::vector<Event> events;
  const int number = static_cast<int>(m_.last.impacts.size());
  for (const int c : island.contacts) {
    if (!takes_part[c]) continue;
    items.push_back({.contact = c});
    ContactRows& contact = problem.contacts[c];
    const double u = m_.rows.velocity[first_row(problem, contact.block)];
    if (u >= -rest) continue;
    settings.restitution[c] = restitution_of(c, state.time);
    contact.restitution = settings.restitution[c];
    contact.approach = u;
    contact.normal_bias = settings.restitution[c] * u;
    events.push_back(contact_event(EventKind::impact, c, state.time));
    events.back().speed = -u;
    events.back().impact = number;
  }
  for (const int k : island.scalars) {
    if (problem.scalars[k].kind != ScalarRow::Kind::limit) continue;
    items.push_back({.scalar = k});
    const double u = m_.rows.velocity[first_row(problem, problem.scalars[k].block)];
    if (u >= -rest) continue;
    events.push_back(scalar_event(EventKind::impact, k, state.time));
    events.back().speed = -u;
    events.back().impact = number;
  }
  EventImpact impact;
  const InstantIsland matrices = make_instant_island(m_.rows, island, std::move(items), {});
  if (resolve_event_impact(m_.rows, state.v, matrices, settings, impact)) {
    state.v += impact.velocity_change;
    round_change_ += impact.velocity_change;
    const methods::ImpactOutcome& picked = impact.result.outcomes[impact.result.picked];
    for (size_t i = 0; i < impact.contacts.size(); ++i) {
      // The law's static and dynamic friction, for the certificate.
      std::array<double, 2>& friction = problem.contacts[impact.contacts[i]].friction;
      const double largest = std::max(friction[0], friction[1]);
      if (impact.problem.contacts[i].tangents == 0 || largest <= 0) continue;
      for (double& mu : friction) mu *= picked.friction[i] / largest;
    }
  } else {
    impact.by_step = true;
    ++by_step;
    VectorX v;
    if (!resolve_by_step(0, state, v, impact.row_impulse)) {
      failure = fmt::format("impact at t = {:.12g} s not solved", state.time);
      return false;
    }
    round_change_ += v - state.v;
    state.v = v;
  }
  round_impulse_ += impact.row_impulse;
  m_.last.events.insert(m_.last.events.end(), events.begin(), events.end());
  m_.last.impacts.push_back(std::move(impact));
  // Who took part starts anew; who leaves is followed.
  for (const int c : island.contacts) {
    if (takes_part[c])
      std::erase_if(m_.modes.contacts, [&](const ContactMode& x) { return x.key == problem.contacts[c].key; });
  }
  return true;
}

// Island after island, until nothing approaches.
bool EventSettler::resolve_impacts(const EventTrigger& trigger, State& state) {
  std::vector<std::uint64_t> landed = trigger.landed;
  for (int round = 0; round < max_rounds; ++round) {
    EventTrigger now = trigger;
    now.landed = landed;
    look(now, state);
    for (const contact::Contact& c : m_.rows.contacts) {
      if (std::find(landed.begin(), landed.end(), c.key) == landed.end()) landed.push_back(c.key);
    }
    const StepProblem& problem = m_.rows.problem;
    const double rest = rest_speed();
    std::vector<bool> takes_part(problem.contacts.size());
    for (size_t c = 0; c < takes_part.size(); ++c) {
      takes_part[c] = hits_[c] || m_.rows.velocity[first_row(problem, problem.contacts[c].block)] >= -rest;
    }
    bool any = false;
    const VectorX before = state.v;
    round_change_ = VectorX::Zero(model_.v_size);
    round_impulse_ = VectorX::Zero(problem.row_count);
    for (int i = 0; i < m_.islands.count(); ++i) {
      const contact::Island island = m_.islands[i];
      const bool hit =
          std::any_of(island.contacts.begin(), island.contacts.end(),
                      [&](int c) {
                        return hits_[c] && m_.rows.velocity[first_row(problem, problem.contacts[c].block)] < -rest;
                      }) ||
          std::any_of(island.scalars.begin(), island.scalars.end(), [&](int k) {
            return limit_hits_[k] && m_.rows.velocity[first_row(problem, problem.scalars[k].block)] < -rest;
          });
      if (!hit) continue;
      any = true;
      if (!resolve_island(island, takes_part, state)) return false;
    }
    if (!any) return true;
    certify_impact(before, round_change_, round_impulse_, takes_part);
  }
  failure = fmt::format("impacts at t = {:.12g} s bring about others without end", state.time);
  return false;
}

void EventSettler::track(std::uint64_t key) {
  const auto at = find_key(m_.tracked, key);
  if (at != m_.tracked.end() && at->key == key) {
    *at = {.key = key};
  } else {
    m_.tracked.insert(at, {.key = key});
  }
}

// What touches and does not leave, with the modes it had, or those that its velocity suggests, into m_.modes.
void EventSettler::choose_candidates(const EventTrigger& trigger) {
  const StepProblem& problem = m_.rows.problem;
  const double rest = rest_speed();
  const double slow = std::max(
      end_of_slip, end_of_slip * (m_.rows.velocity.size() > 0 ? m_.rows.velocity.lpNorm<Eigen::Infinity>() : 0.0));
  ModeSet chosen;
  for (size_t c = 0; c < problem.contacts.size(); ++c) {
    const ContactRows& contact = problem.contacts[c];
    const RowBlock& block = problem.blocks[contact.block];
    const ContactMode* before = m_.modes.find_contact(contact.key);
    const double u = m_.rows.velocity[block.first_row];
    if (before == nullptr && u > rest) track(contact.key);
    if (before == nullptr && std::abs(u) > rest) continue;
    Vector3 slip = Vector3::Zero();
    for (int r = 1; r < block.row_count; ++r) slip[r - 1] = m_.rows.velocity[block.first_row + r];
    Vector2 turning = Vector2::Zero();
    if (contact.rolling >= 0)
      turning = m_.rows.velocity.segment<2>(first_row(problem, problem.rollings[contact.rolling].block));
    ContactMode mode;
    if (before != nullptr) {
      mode = *before;
    } else {
      mode = {.key = contact.key, .slips = slip.norm() > rest, .rolls = turning.norm() > rest};
      std::erase_if(m_.tracked, [&](const TrackedGap& t) { return t.key == contact.key; });
    }
    // Contacts of one body stop together, to rounding.
    const bool stops = has(trigger.stopped, contact.key)
                           ? slip.norm() <= slow
                           : !trigger.stopped.empty() && !mode.starts && slip.norm() <= rest;
    if (stops) mode.slips = false;
    if (has(trigger.unturned, contact.key) && turning.norm() <= slow) mode.rolls = false;
    if (!mode.slips || slip.norm() >= starting_slip) mode.starts = false;
    if (!mode.slips || slip.norm() > 2 * ending_slip) mode.ends = false;
    if (mode.slips && !mode.starts && !mode.ends && slip.norm() > least_rest_speed) mode.direction = slip.normalized();
    if (mode.slips && !mode.starts && slip.norm() <= end_share * ending_slip) mode.ends = true;
    if (mode.rolls && turning.norm() > least_rest_speed) mode.rolling_direction = turning.normalized();
    mode.point = m_.rows.contacts[c].point;
    chosen.contacts.push_back(mode);
  }
  for (size_t k = 0; k < problem.scalars.size(); ++k) {
    const ScalarRow& row = problem.scalars[k];
    const ContactMode* before = m_.modes.find_scalar(row.key);
    const double u = m_.rows.velocity[first_row(problem, row.block)];
    const bool limit = row.kind == ScalarRow::Kind::limit;
    if (limit && before == nullptr && std::abs(u) > rest) continue;
    if (limit && before != nullptr && u > rest) continue;  // an impact took it away
    ContactMode mode{.key = row.key, .slips = !limit && std::abs(u) > rest};
    if (before != nullptr) mode = *before;
    if (!limit && has(trigger.unmoved, row.key) && std::abs(u) <= slow) mode.slips = false;
    if (mode.slips && std::abs(u) > least_rest_speed) mode.direction = Vector3(u > 0 ? 1 : -1, 0, 0);
    chosen.scalars.push_back(mode);
  }
  const auto by_key = [](const ContactMode& a, const ContactMode& b) { return a.key < b.key; };
  std::sort(chosen.contacts.begin(), chosen.contacts.end(), by_key);
  std::sort(chosen.scalars.begin(), chosen.scalars.end(), by_key);
  m_.modes = std::move(chosen);
}

// Modes from exact-cone's law for accelerations: v_end is vdot, impulses are forces. Where a contact slips its velocity,
// made large beside all accelerations, stands for its acceleration.
bool EventSettler::guess_modes(const contact::Island& island, const State& state, ModeProblem& problem) {
  StepProblem step = m_.rows.problem;
  step.v_start = VectorX::Zero(model_.v_size);
  step.v_free = m_.rows.vdot;
  const double scale = std::max(problem.island.a0.lpNorm<Eigen::Infinity>(), 1e-12);
  const auto along = [&](const Vector3& slip) { return Vector3(guess_speed * scale * slip.normalized()); };
  for (size_t k = 0; k < problem.modes.size(); ++k) {
    const InstantItem& item = problem.island.items[k];
    const bool slips = problem.modes[k].slips && problem.slip[k].norm() > 0;
    if (item.scalar >= 0) {
      ScalarRow& row = step.scalars[item.scalar];
      row.bias = row.surface = m_.rows.product[first_row(step, row.block)] + (slips ? along(problem.slip[k])[0] : 0.0);
      continue;
    }
    ContactRows& contact = step.contacts[item.contact];
    for (int r = 0; r < item.rows; ++r) {
      contact.surface[r] = m_.rows.product[first_row(step, contact.block) + r];
      if (slips && r > 0) contact.surface[r] += along(problem.slip[k])[r - 1];
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
  StepAnswer answer{
      .v_end = step.v_free, .impulse = VectorX::Zero(step.row_count), .position = VectorX::Zero(model_.v_size)};
  method_.set_context({model_, state, m_.now.kinematics, m_.rows.contacts});
  method_.begin(step);
  const methods::IslandReport report = method_.solve_island(step, island, 0, answer);
  if (report.solve.termination != solvers::Termination::solved) return false;
  double largest = 0;
  for (const int c : island.contacts)
    largest = std::max(largest, answer.impulse[first_row(step, step.contacts[c].block)]);
  for (size_t k = 0; k < problem.modes.size(); ++k) {
    const InstantItem& item = problem.island.items[k];
    ContactMode& mode = problem.modes[k];
    if (item.scalar >= 0) continue;
    const ContactRows& contact = step.contacts[item.contact];
    mode.closed = answer.impulse[first_row(step, contact.block)] > guess_share * largest;
    if (problem.slip[k].norm() > 0 || item.rows < 3) continue;
    const Vector4 a = contact::contact_velocity(step, contact, answer.v_end);
    mode.slips = a.tail<3>().norm() > guess_share * scale;
    if (mode.slips) mode.direction = a.tail<3>().normalized();
  }
  return true;
}

// Modes of all islands into m_.modes, open ones marked; false: an island has none.
bool EventSettler::find_all_modes(State& state) {
  gather_applied_forces(model_, state, m_.now.kinematics, w_);
  std::vector<contact::Contact> kept;
  for (const contact::Contact& c : m_.now.contacts) {
    if (m_.modes.find_contact(c.key) != nullptr) kept.push_back(c);
  }
  m_.now.contacts = std::move(kept);
  assemble_instant(model_, state, m_.now, m_.rows);
  keep_scalars(m_.modes, m_.rows);
  accelerate_instant(model_, state, w_.applied_force, m_.now, m_.scratch, m_.rows);
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
    log({.time = time,
         .kind = EventKind::contact_lost,
         .body_A = model_.shapes[was.key >> 48].body,
         .body_B = model_.shapes[(was.key >> 32) & 0xffff].body,
         .key = was.key,
         .point = was.point});
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

bool EventSettler::settle(const EventTrigger& trigger, State& state) {
  const ModeSet before = m_.modes;
  jammed_ = false;
  for (int round = 0; round < max_rounds; ++round) {
    if (!resolve_impacts(trigger, state)) return false;
    choose_candidates(trigger);
    if (find_all_modes(state)) {
      keep_closed();
      log_changes(before, state.time);
      put_right(state);
      return true;
    }
    if (jammed_) break;
    // Velocities jump, as the law of a step that is but an instant asks.
    VectorX v, impulse;
    if (!resolve_by_step(instant_step, state, v, impulse)) break;
    const VectorX old = state.v;
    state.v = v;
    certify_impact(old, v - old, impulse, std::vector<bool>(m_.rows.contacts.size(), true));
    Event event{.time = state.time, .kind = EventKind::jam};
    if (!m_.rows.contacts.empty()) event = contact_event(EventKind::jam, 0, state.time);
    m_.last.events.push_back(event);
    m_.modes = {};
    jammed_ = true;
  }
  failure = fmt::format("event at t = {:.12g} s: {}", state.time, failure.empty() ? "no modes were found" : failure);
  return false;
}

void EventSettler::put_right(State& state) {
  const StepProblem& problem = m_.rows.problem;
  VectorX move = VectorX::Zero(model_.v_size);
  bool moves = false;
  for (int i = 0; i < m_.islands.count(); ++i) {
    const ModeProblem island_modes = make_mode_problem(m_.rows, m_.islands[i], m_.modes);
    const InstantIsland& island = island_modes.island;
    std::vector<int> columns, normals;
    std::vector<double> velocity, gap;
    const auto add = [&](int column, int row) {
      columns.push_back(column);
      velocity.push_back(m_.rows.velocity[row]);
    };
    for (size_t k = 0; k < island.items.size(); ++k) {
      const InstantItem& item = island.items[k];
      const ContactMode& mode = island_modes.modes[k];
      if (item.scalar >= 0) {
        const ScalarRow& row = problem.scalars[item.scalar];
        if (!mode.slips) add(item.first, first_row(problem, row.block));
        if (row.kind != ScalarRow::Kind::limit) continue;
        normals.push_back(item.first);
        gap.push_back(row.gap);
        continue;
      }
      const ContactRows& contact = problem.contacts[item.contact];
      const int first = first_row(problem, contact.block);
      add(item.first, first);
      normals.push_back(item.first);
      gap.push_back(contact.gap);
      for (int r = 1; !mode.slips && r < item.rows; ++r) {
        if (island_modes.axes[k][r - 1] > 0) add(item.first + r, first + r);
      }
      for (int r = 0; item.rolling >= 0 && !mode.rolls && r < 2; ++r) {
        add(item.rolling + r, first_row(problem, problem.rollings[contact.rolling].block) + r);
      }
    }
    const auto rows = static_cast<Eigen::Index>(columns.size());
    MatrixX E(island.B.rows(), rows + island.C.cols());
    E << island.unconstrained(Eigen::all, columns), island.C;
    VectorX u(E.cols());
    u << Eigen::Map<const VectorX>(velocity.data(), rows), island.joint_velocity;
    if (u.size() > 0 && u.lpNorm<Eigen::Infinity>() > 0) {
      const Eigen::CompleteOrthogonalDecomposition<MatrixX> cod(E.transpose());
      island.add_motion(-cod.solve(u), state.v);
    }
    Eigen::Map<VectorX> g(gap.data(), static_cast<Eigen::Index>(gap.size()));
    for (double& x : g) x = std::abs(x) <= largest_repair ? x : 0.0;
    if (g.size() > 0 && g.lpNorm<Eigen::Infinity>() > least_repair) {
      const MatrixX N = island.B(Eigen::all, normals);
      island.add_motion(-Eigen::CompleteOrthogonalDecomposition<MatrixX>(N.transpose()).solve(g), move);
      moves = true;
    }
  }
  if (moves) integrate_positions(model_, move, 1.0, state.q);
}

}  // namespace stiction
