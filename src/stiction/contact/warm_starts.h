// What the last step that was taken leaves for solvers to start from, by the stable keys of contacts and scalar rows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stiction/contact/key_order.h"
#include "stiction/math/types.h"

namespace stiction::contact {

/// Impulses by key: where iterative solvers start.
struct ImpulseTable {
  using Impulses = std::array<double, 6>;  ///< rows n, t, o, spin of a contact, then its two rolling rows; or one row

  using Entry = KeyedIndex;  ///< where the impulses of a key stand

  /// Where a contact was.
  struct Place {
    Vector3 point = Vector3::Zero();
    Vector3 tangent = Vector3::Zero();  ///< the direction of its row t, in world axes
  };

  std::vector<Entry> entries;  ///< sorted by key
  std::vector<Impulses> impulses;
  /// One for each of the first impulses, those of contacts; empty where nobody asks for them.
  std::vector<Place> places;
  std::vector<Impulses> trends;   ///< one per place: what the last step added to what it started from
  std::vector<double> bilateral;  ///< joints do not come and go: one per StepProblem::bilateral_bias

  /// What a key had, or nullptr.
  const Impulses* recall(std::uint64_t key) const;
  /// What a joint's row had; zero where there was none.
  double recall_bilateral(int row) const {
    return row < static_cast<int>(bilateral.size()) ? bilateral[static_cast<size_t>(row)] : 0;
  }
  void clear();
};

/// How far the frame of a contact has turned about its normal.
class FrameTurn {
 public:
  /// Row t pointed along `from`; the rows are along t and o = n x t now.
  FrameTurn(const Vector3& from, const Vector3& t, const Vector3& o);

  /// Makes impulses along the former rows those along the present ones.
  void turn(ImpulseTable::Impulses& impulses) const;

 private:
  bool known_ = false;
  double cosine_ = 1, sine_ = 0;
};

/// Bases of pivoting solvers by key.
struct BasisTable {
  /// What is kept besides the bits: the impulse on each row, and whether the contact slipped.
  struct Impulse {
    std::array<double, 4> rows = {0, 0, 0, 0};
    bool slips = false;
  };

  /// Where the bits and the impulse of a key stand.
  struct Entry {
    std::uint64_t key;
    int offset;  ///< of the bits
    int count;
    int index;  ///< of the impulse
  };

  /// What the last step said of a row.
  struct Recalled {
    const std::uint8_t* bits = nullptr;  ///< which variables were basic; nullptr: the key is new or had another count
    const Impulse* impulse = nullptr;
  };

  std::vector<Entry> entries;  ///< sorted by key
  std::vector<std::uint8_t> bits;
  std::vector<Impulse> impulses;

  /// The slot that `key` had.
  Recalled recall(std::uint64_t key, int count) const;
  void clear();
};

}  // namespace stiction::contact
