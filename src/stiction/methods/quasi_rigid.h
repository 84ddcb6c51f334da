// Compliant layers over rigid cores, with the geometry of the end of the step; see quasi_rigid.cc.
#pragma once

namespace stiction::methods {

/// [method.quasi-rigid]
struct QuasiRigidOptions {
  /// What friction resists where the layer gives way sideways.
  enum class Tangential {
    passive,  ///< slip of the bodies; the deflection is an output of the friction force, as printed
    series,   ///< slip plus the rate of deflection: the layer carries a sticking contact
  };
  /// Which surface a layer is deflected to.
  enum class Deflection {
    euclidean,  ///< the parallel surface
    algebraic,  ///< a level set of the shape's function, (11), (12)
  };
  double tolerance = 1e-10;  ///< these four as for implicit-geometry
  double acceptance = 1e-8;
  int max_iterations = 40;
  int halvings = 3;
  Tangential tangential = Tangential::passive;
  Deflection deflection = Deflection::euclidean;
};

}  // namespace stiction::methods
