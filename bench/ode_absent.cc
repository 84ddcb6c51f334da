#include "ode_peer.h"

namespace stiction::bench {

struct OdeWorld::World {};

bool has_ode() {
  return false;
}
OdeWorld::OdeWorld(const Model& /*model*/, double /*step*/) {}
OdeWorld::~OdeWorld() = default;
void OdeWorld::advance() {}
double OdeWorld::deepest() const {
  return 0;
}

}  // namespace stiction::bench
