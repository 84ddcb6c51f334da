// The basis of acceleration-lcp's LCP, kept from step to step.
#include "stiction/methods/acceleration_lcp.h"

namespace stiction::methods {

// Guesses the basis from the last accepted step; true if every row was there.
bool AccelerationLcp::recall_basis(const StepProblem& problem, const contact::Island& island, Scratch& s) const {
  const int contacts = static_cast<int>(island.contacts.size());
  const auto bits = [&](int item) {
    return item < contacts ? memory_.recall(problem.contacts[island.contacts[item]].key, contact_bits).bits
                           : memory_.recall(problem.scalars[island.scalars[item - contacts]].key, scalar_bits).bits;
  };
  std::vector<std::uint8_t>& basis = s.lemke.basis;
  basis.assign(s.lcp.size(), 0);
  for (size_t i = 0; i < s.lcp.normals.size(); ++i) {
    const std::uint8_t* last = bits(s.lcp.normals[i].item);
    if (last == nullptr) return false;
    basis[i] = last[0];
  }
  for (int j = 0; j < static_cast<int>(s.lcp.pairs.size()); ++j) {
    const PyramidLcp::Pair& pair = s.lcp.pairs[j];
    const std::uint8_t* last = bits(pair.item);
    if (last == nullptr) return false;
    const int first = pair.normal < 0 ? 0 : 1 + 3 * pair.place;
    basis[s.lcp.plus(j)] = last[first];
    basis[s.lcp.minus(j)] = last[first + 1];
    basis[s.lcp.sigma(j)] = last[first + 2];
  }
  return true;
}

void AccelerationLcp::keep_basis(const StepProblem&, const contact::Island& island, const Scratch& s) {
  const int contacts = static_cast<int>(island.contacts.size());
  const auto bits = [&](int item) {
    return memory_.bits(item < contacts ? contact_slot_[island.contacts[item]]
                                        : scalar_slot_[island.scalars[item - contacts]]);
  };
  const std::vector<std::uint8_t>& basis = s.lemke.basis;
  for (size_t i = 0; i < s.lcp.normals.size(); ++i) bits(s.lcp.normals[i].item)[0] = basis[i];
  for (int j = 0; j < static_cast<int>(s.lcp.pairs.size()); ++j) {
    const PyramidLcp::Pair& pair = s.lcp.pairs[j];
    std::uint8_t* kept = bits(pair.item) + (pair.normal < 0 ? 0 : 1 + 3 * pair.place);
    kept[0] = basis[s.lcp.plus(j)];
    kept[1] = basis[s.lcp.minus(j)];
    kept[2] = basis[s.lcp.sigma(j)];
  }
}

}  // namespace stiction::methods
