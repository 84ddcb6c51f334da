// Options of the methods: one named struct each, with default, unit and range beside every field (scene:
// [method.NAME]).
#pragma once

#include "stiction/math/representation.h"
#include "stiction/methods/scheme.h"
#include "stiction/model/description.h"

namespace stiction::methods {

/// How the mechanism is described to the method.
enum class Coordinates {
  reduced,  ///< joint coordinates; only loop-closing joints are constraints
  maximal,  ///< every body free, every joint a constraint, as in trinkle2003
};

/// [method.exact-cone]
struct ExactConeOptions {
  double tolerance = 1e-10;  ///< > 0: normalised natural-map residual at which a step counts as solved
  double acceptance = 1e-8;  ///< >= tolerance: a step that gets no closer than this fails; one between the two is
                             ///< taken and counted as the fallback "tolerance-missed"
  double max_recovery_speed = 0.5;  ///< m/s, > 0: bound on the speed at which overlap and drift are repaired
  bool anchors = true;              ///< sticking contacts return to where they stuck
};

/// [method.stewart-trinkle]
struct StewartTrinkleOptions {
  int friction_directions = 8;  ///< edges of the polygon that stands for the friction circle; 3..256
  double friction_angle = 0;    ///< rad: the first direction's angle from the contact's friction direction
  double max_recovery_speed =
      infinity;  ///< m/s, > 0: bound on the speed -gap/h that drives overlaps apart (paper: none)
};

/// [method.anitescu-potra]
struct AnitescuPotraOptions {
  enum class Cone {
    general,     ///< scheme (22): the friction set that the material states
    polyhedral,  ///< scheme (14): a polygon of friction_directions, solved by Lemke
  };
  Cone cone = Cone::general;
  int friction_directions = 8;  ///< of a polyhedral cone; 3..256
  double friction_angle = 0;    ///< rad: the first direction's angle from the contact's friction direction
  double tolerance = 1e-10;     ///< > 0: residual at which a step with general cones counts as solved
  ImpactModel impact = ImpactModel::poisson;
  bool continuous = true;  ///< steps are cut at impacts; false: the paper's trigger f(q + h v) <= 0 at every step
  Representation representation = Representation::quaternion;  ///< of orientations, section 5
  int projection_interval = 1;   ///< >= 0: closing joints are put right every so many steps; 0: never
  bool check_existence = false;  ///< looks at every step whether the friction cones are pointed, and reports it
};

/// [method.implicit-geometry]
struct ImplicitGeometryOptions {
  double tolerance = 1e-10;  ///< > 0: residual at which a step counts as solved, relative to the step's motion
  double acceptance = 1e-8;  ///< >= tolerance: a step that gets no closer than this fails; one between the two is
                             ///< taken and counted as the fallback "tolerance-missed"
  int max_iterations = 40;   ///< >= 1: Newton steps, and again as many for each fallback
  int halvings = 3;          ///< >= 0: a step that cannot be solved is cut into up to 2^halvings parts
};

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

/// Options of all methods; each method reads its own.
struct MethodOptions {
  Coordinates coordinates = Coordinates::reduced;
  ExactConeOptions exact_cone;
  StewartTrinkleOptions stewart_trinkle;
  AnitescuPotraOptions anitescu_potra;
  ImplicitGeometryOptions implicit_geometry;
  QuasiRigidOptions quasi_rigid;
};

}  // namespace stiction::methods
