#include "stiction/contact/warm_starts.h"

#include <cmath>

#include "stiction/contact/sorted_keys.h"

namespace stiction::contact {

const ImpulseTable::Impulses* ImpulseTable::recall(std::uint64_t key) const {
  const Entry* entry = find_item(entries, key);
  return entry == nullptr ? nullptr : &impulses[static_cast<size_t>(entry->index)];
}

void ImpulseTable::clear() {
  entries.clear();
  impulses.clear();
  places.clear();
  trends.clear();
  bilateral.clear();
}

ImpulseTable::Impulses turned(const ImpulseTable::Impulses& impulses, const Vector3& from, const Vector3& t,
                              const Vector3& o) {
  const double along = from.dot(t), across = from.dot(o), length = std::hypot(along, across);
  if (!(length > 0.5)) return impulses;  // the normal has turned by more than that
  const double c = along / length, s = across / length;
  ImpulseTable::Impulses result = impulses;
  for (const int i : {1, 4}) {
    result[i] = c * impulses[i] - s * impulses[i + 1];
    result[i + 1] = s * impulses[i] + c * impulses[i + 1];
  }
  return result;
}

BasisTable::Recalled BasisTable::recall(std::uint64_t key, int count) const {
  const Entry* entry = find_item(entries, key);
  if (entry == nullptr || entry->count != count) return {};
  return {bits.data() + entry->offset, &impulses[static_cast<size_t>(entry->index)]};
}

void BasisTable::clear() {
  entries.clear();
  bits.clear();
  impulses.clear();
}

}  // namespace stiction::contact
