// How far the tangential springs of penalty methods were stretched when the last step ended, by contact key.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/math/types.h"

namespace stiction::contact {

/// One contact's springs.
struct Spring {
  std::uint64_t key = 0;
  bool pressed = false;               ///< the contact overlaps: only these are remembered
  Vector3 stretch = Vector3::Zero();  ///< m, displacement of B over A in axes that turn with A
  double twist = 0;                   ///< m, spin of B over A times the contact's torsion length
};

/// All of them, pressed ones only, sorted by key.
using SpringTable = std::vector<Spring>;

/// What a contact had, or nullptr.
const Spring* find_spring(const SpringTable& springs, std::uint64_t key);

}  // namespace stiction::contact
