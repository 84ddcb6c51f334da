#include "stiction/events/event_settle.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "stiction/contact/sorted_keys.h"
#include "stiction/dynamics/energy.h"
#include "stiction/events/event_settle_internal.h"

namespace stiction {

namespace {

// Times that impacts at one instant may bring about others, and that velocities may jump without a collision.
constexpr int max_rounds = 40;
// Share of the velocities that touch: what the integration leaves of one that is zero, over its tolerance.
constexpr double rest_share = 10;
// A tracked contact that would land within this share of its flight lands with the others.
constexpr double same_landing = 1e-6;
// m: closed contacts are looked for up to here.
constexpr double closed_reach = 1e-6;
constexpr int least_bounces = 30;
// s: the step of a problem that stands for an instant.
constexpr double instant_step = 1e-9;

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
    const TrackedGap* tracked = contact::find_item(m_.tracked, c.key);
    const bool in_flight = tracked != nullptr;
    bool lands = has_key(trigger.landed, c.key);
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
  auto at = contact::find_key(m_.bounces, key);
  if (at == m_.bounces.end() || at->key != key) at = m_.bounces.insert(at, {.key = key});
  BounceRow& row = *at;
  if (row.step != step_.input.index) row.in_step = 0;
  row.step = step_.input.index;
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
  row = {.key = key, .step = step_.input.index, .in_step = row.in_step};
  m_.last.events.push_back(contact_event(EventKind::accumulation, contact, time));
  return 0;
}

// The law of an impact, for changes of velocity: velocities before count as the surfaces' own, so that what an impact
// of 1e-9 m/s does is not lost beside other velocities.
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
  certify::StepCertificate own = certify::certify_step(problem, {.v_end = change, .impulse = impulse}, m_.certify);
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

// exact-cone's law on m_.rows as they stand, of one island or (-1) all, loads acting for `load_time`.
bool EventSettler::resolve_by_step(int only, double load_time, const State& state, VectorX& v, VectorX& impulse) {
  StepProblem problem = m_.rows.problem;
  problem.v_start = state.v;
  problem.v_free = state.v + load_time * m_.rows.vdot;
  StepAnswer answer;
  answer.v_end = problem.v_free;
  answer.impulse = VectorX::Zero(problem.row_count);
  answer.position = VectorX::Zero(model_.v_size);
  step_.instants.begin(problem, {model_, state, m_.now.kinematics, m_.rows.contacts, step_.memory});
  for (int i = 0; i < m_.islands.count(); ++i) {
    if (only >= 0 && i != only) continue;
    const IslandReport report = step_.instants.solve_island(problem, m_.islands[i], 0, answer);
    if (report.solve.termination != solvers::Termination::solved) return false;
  }
  v = answer.v_end;
  impulse = answer.impulse.head(problem.row_count);
  return v.allFinite();
}

// What takes part in an impact of the island, with restitution, and an event for each that hits.
EventSettler::Hits EventSettler::collect_hits(const contact::Island& island, const std::vector<bool>& takes_part,
                                              double time) {
  StepProblem& problem = m_.rows.problem;
  Hits hits;
  hits.restitution.assign(m_.rows.contacts.size(), 0.0);
  const double rest = rest_speed();
  const auto hit = [&](Event event, double u) {
    event.speed = -u;
    event.impact = static_cast<int>(m_.last.impacts.size());
    hits.events.push_back(event);
  };
  for (const int c : island.contacts) {
    if (!takes_part[c]) continue;
    hits.items.push_back({.contact = c});
    ContactRows& contact = problem.contacts[c];
    const double u = m_.rows.velocity[first_row(problem, contact.block)];
    if (u >= -rest) continue;
    hits.restitution[c] = contact.restitution = restitution_of(c, time);
    contact.approach = u;
    contact.normal_bias = contact.restitution * u;
    hit(contact_event(EventKind::impact, c, time), u);
  }
  for (const int k : island.scalars) {
    if (problem.scalars[k].kind != ScalarRow::Kind::limit) continue;
    hits.items.push_back({.scalar = k});
    const double u = m_.rows.velocity[first_row(problem, problem.scalars[k].block)];
    if (u < -rest) hit(scalar_event(EventKind::impact, k, time), u);
  }
  return hits;
}

bool EventSettler::resolve_island(int index, const std::vector<bool>& takes_part, State& state) {
  const contact::Island island = m_.islands[index];
  StepProblem& problem = m_.rows.problem;
  Hits hits = collect_hits(island, takes_part, state.time);
  const ImpactSettings settings{.law = {.rule = options_.rule, .max_choices = options_.max_choices},
                                .restitution = hits.restitution};
  EventImpact impact;
  const InstantIsland matrices = make_instant_island(m_.rows, island, std::move(hits.items), {});
  if (resolve_event_impact(m_.rows, state.v, matrices, settings, impact)) {
    const ImpactOutcome& picked = impact.result.outcomes[impact.result.picked];
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
    if (!resolve_by_step(index, 0, state, v, impact.row_impulse)) {
      failure = fmt::format("impact at t = {:.12g} s not solved", state.time);
      return false;
    }
    impact.velocity_change = v - state.v;
  }
  state.v += impact.velocity_change;
  round_change_ += impact.velocity_change;
  round_impulse_ += impact.row_impulse;
  m_.last.events.insert(m_.last.events.end(), hits.events.begin(), hits.events.end());
  m_.last.impacts.push_back(std::move(impact));
  // Who took part starts anew; who leaves is followed.
  std::erase_if(m_.modes.contacts, [&](const ContactMode& mode) {
    return std::any_of(island.contacts.begin(), island.contacts.end(),
                       [&](int c) { return takes_part[c] && problem.contacts[c].key == mode.key; });
  });
  return true;
}

// Does anything that may hit approach?
bool EventSettler::hits_something(const contact::Island& island, double rest) const {
  const StepProblem& problem = m_.rows.problem;
  const auto approaches = [&](int block) { return m_.rows.velocity[first_row(problem, block)] < -rest; };
  return std::any_of(island.contacts.begin(), island.contacts.end(),
                     [&](int c) { return hits_[c] && approaches(problem.contacts[c].block); }) ||
         std::any_of(island.scalars.begin(), island.scalars.end(),
                     [&](int k) { return limit_hits_[k] && approaches(problem.scalars[k].block); });
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
      if (!hits_something(m_.islands[i], rest)) continue;
      any = true;
      if (!resolve_island(i, takes_part, state)) return false;
    }
    if (!any) return true;
    certify_impact(before, round_change_, round_impulse_, takes_part);
  }
  failure = fmt::format("impacts at t = {:.12g} s bring about others without end", state.time);
  return false;
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
    if (!resolve_by_step(-1, instant_step, state, v, impulse)) break;
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

}  // namespace stiction
