#include "stiction/contact/modes.h"

#include "stiction/contact/sorted_keys.h"

namespace stiction::contact {

ContactMode* ModeSet::find_contact(std::uint64_t key) {
  return find_item(contacts, key);
}

ContactMode* ModeSet::find_scalar(std::uint64_t key) {
  return find_item(scalars, key);
}

}  // namespace stiction::contact
