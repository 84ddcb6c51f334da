// What event-driven motion remembers of contacts: their modes, the gaps of those that bounce, and rows of bounces.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/math/types.h"

namespace stiction::contact {

/// What a contact, a limit or a joint with dry friction does between events.
struct ContactMode {
  std::uint64_t key = 0;
  bool closed = true;
  bool slips = false;                   ///< t, o and spin of a contact; dry friction of a joint
  bool rolls = false;                   ///< rolling rows move
  bool starts = false;                  ///< slips since it stuck, and hardly yet: see steer_starting_slips
  bool ends = false;                    ///< slips hardly any more: straight on, along `direction`
  Vector3 direction = Vector3::Zero();  ///< of the slip (t, o, spin), where it slips
  Vector2 rolling_direction = Vector2::Zero();
  Vector3 point = Vector3::Zero();  ///< of a contact at its last event
};

/// Modes of everything that touches, each list sorted by key.
struct ModeSet {
  std::vector<ContactMode> contacts;
  std::vector<ContactMode> scalars;  ///< closed limits and joints with dry friction

  /// Null where the key has no mode.
  ContactMode* find_contact(std::uint64_t key);
  ContactMode* find_scalar(std::uint64_t key);
};

/// A contact that is open but was closed: its gap since then.
struct TrackedGap {
  std::uint64_t key = 0;
  double gap = 0;  ///< m
  double age = 0;  ///< s
};

/// Impacts of one contact in a row.
struct BounceRow {
  std::uint64_t key = 0;
  int count = 0;         ///< with ever shorter intervals
  double last = 0;       ///< s: time of the last
  double interval = -1;  ///< s: before it
  long step = -1;        ///< number of the step that `in_step` counts in
  int in_step = 0;
};

/// All that goes on from event to event.
struct ModeMemory {
  ModeSet modes;
  std::vector<TrackedGap> tracked;  ///< sorted by key
  std::vector<BounceRow> bounces;   ///< sorted by key
};

}  // namespace stiction::contact
