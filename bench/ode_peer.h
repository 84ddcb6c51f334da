// ODE (libode) on a scene of balls, boxes and planes: a peer to measure beside, never a part of the product.
#pragma once

#include <memory>
#include <string>

#include "stiction/model/model.h"

namespace stiction::bench {

/// Is the program built with it?
bool has_ode();

/// A world in ODE with the bodies of a model, stepped by its quickstep with 20 iterations.
class OdeWorld {
 public:
  /// Throws std::invalid_argument for shapes other than sphere, box and plane, and for joints.
  OdeWorld(const Model& model, double step);
  ~OdeWorld();
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  /// Collides and advances.
  void advance();
  /// m: deepest of the contacts that the last step found.
  double deepest() const;

 private:
  struct World;
  std::unique_ptr<World> world_;
};

}  // namespace stiction::bench
