// Stands in for siconos_peer.cc where the library is not installed.
#include "siconos_peer.h"

namespace stiction::bench {

Contestants siconos_contestants() {
  return {};
}

std::string siconos_version() {
  return {};
}

}  // namespace stiction::bench
