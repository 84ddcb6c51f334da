// Pairs of bodies in colours, and batches of pairs of one colour: what lanes visit side by side.
//
// No body has two pairs of the same colour, so that all pairs of a batch may be visited at once and give what one after
// the other would. Of a colour, the pairs with the most points come first: lanes of a batch are about equally long.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace stiction::solvers {

/// Up to four pairs of one colour.
struct LaneBatch {
  static constexpr int lanes = 4;
  std::array<std::array<int, lanes>, 2> place = {};  ///< for whoever fills the lanes: where each side's velocities are
  int first_pair = 0, pairs = 0;
  int first = 0, points = 0;  ///< slots: one for each point of the pair with the most
  bool two_sided = false;     ///< both bodies of each pair move
};

/// Caller-owned memory that keeps its capacity.
class LanePairs {
 public:
  struct Pair {
    int kind = 0;               // colour and sides: alike in a batch
    int first = 0, points = 0;  // contacts

    size_t colour() const { return static_cast<size_t>(kind) / 2; }
  };
  static constexpr int most_points = 255, most_colours = 64;

  /// Starts anew, for so many bodies.
  void clear(size_t bodies);
  /// A run of contacts on the same bodies (-1: one that does not move). False where all colours are taken.
  bool add(const std::array<int, 2>& bodies, int first, int points);
  /// All pairs in batches; returns the number of contacts in them.
  int group(std::vector<LaneBatch>& batches);

  const Pair& operator[](int pair) const { return pairs_[pair]; }

 private:
  void sort();

  std::vector<std::uint64_t> colours_;  // of each body: those that it has
  std::vector<Pair> pairs_, spare_;
  std::vector<int> places_;  // of each kind and number of points
};

}  // namespace stiction::solvers
