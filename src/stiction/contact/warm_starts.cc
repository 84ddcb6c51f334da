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

FrameTurn::FrameTurn(const Vector3& from, const Vector3& t, const Vector3& o) {
  const double along = from.dot(t), across = from.dot(o), length = std::hypot(along, across);
  if (!(length > 0.5)) return;  // the normal has turned by more than that
  known_ = true;
  cosine_ = along / length;
  sine_ = across / length;
}

void FrameTurn::turn(ImpulseTable::Impulses& impulses) const {
  if (!known_) return;
  for (const int i : {1, 4}) {
    const double t = impulses[i], o = impulses[i + 1];
    impulses[i] = cosine_ * t - sine_ * o;
    impulses[i + 1] = sine_ * t + cosine_ * o;
  }
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
