// What event-driven motion reports: events with their times, and impacts with all their outcomes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/events/event_impact.h"

namespace stiction {

/// What happened.
enum class EventKind : std::uint8_t {
  impact,        ///< velocities jumped; Event::impact names the outcome
  contact_made,  ///< bodies touch from here on
  contact_lost,  ///< and no longer
  slip_begins,   ///< in a contact, or in a joint with dry friction
  slip_ends,
  limit_reached,  ///< of a joint
  limit_left,
  accumulation,  ///< ever shorter bounces ended: the contact hits without restitution
  jam,           ///< no forces satisfy the law (Painleve): velocities jumped without a collision
};
inline constexpr int event_kind_count = 9;

/// "impact", "contact made", "contact lost", "slip begins", "slip ends", "limit reached", "limit left", "accumulation"
/// or "jam".
std::string_view event_kind_name(EventKind kind);

/// One event.
struct Event {
  double time = 0;
  EventKind kind = EventKind::impact;
  int body_A = -1, body_B = -1;  ///< of a contact; -1: the world, or no contact
  int joint = -1;                ///< of a limit or dry friction: in tree_joints, or in loop_joints
  bool loop_joint = false;
  std::uint64_t key = 0;  ///< of the contact or row
  Vector3 point = Vector3::Zero();
  double speed = 0;  ///< m/s: of approach before an impact
  int impact = -1;   ///< into StepEvents::impacts
};

/// Events of one step in order of time.
struct StepEvents {
  std::vector<Event> events;
  std::vector<EventImpact> impacts;  ///< with all outcomes; one may belong to several events
  long evaluations = 0;              ///< of accelerations
  double work = 0;                   ///< of them: one each, and more where many rows hang together
};

/// How many of each kind a run had, and what its impacts offered.
struct EventSummary {
  std::array<long, event_kind_count> count = {};
  long outcomes = 0;   ///< feasible ones, of all impacts
  long ambiguous = 0;  ///< impacts with more than one
  long flagged = 0;    ///< picked outcomes that gain energy, leave a cone or penetrate (rule "published")
  long by_step = 0;    ///< impacts that exact-cone's law resolved instead
  long evaluations = 0;

  void add(const StepEvents& events);
  bool any() const { return evaluations > 0; }
};

/// "31 impacts (1 with several outcomes), 1 contact made, 1 accumulation passed"; "none" when nothing happened.
std::string describe_events(const EventSummary& summary);

}  // namespace stiction
