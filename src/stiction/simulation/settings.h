// What a scene or the command line says about the run itself.
#pragma once

#include <string>

#include "stiction/methods/method_options.h"
#include "stiction/methods/registry.h"

namespace stiction {

/// Settings of a run (scene: [simulation]; command line options override them).
struct SimulationSettings {
  std::string method = std::string(methods::default_method().name);  ///< stiction list methods
  std::string solver = std::string(solvers::auto_friction.name);     ///< stiction list solvers
  double step = 1e-3;                                                ///< s, > 0
  double duration = 1.0;                                             ///< s, >= 0
  int threads = 1;                                                   ///< >= 1; the result does not depend on it
  double certificate_tolerance = 1e-8;                               ///< dimensionless, > 0: steps above it are counted
  methods::MethodOptions options;
};

}  // namespace stiction
