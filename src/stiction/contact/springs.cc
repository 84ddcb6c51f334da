#include "stiction/contact/springs.h"

#include "stiction/contact/sorted_keys.h"

namespace stiction::contact {

const Spring* find_spring(const SpringTable& springs, std::uint64_t key) {
  return find_item(springs, key);
}

}  // namespace stiction::contact
