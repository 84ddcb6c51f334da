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

/// [method.convex-impulse]
struct ConvexImpulseOptions {
  /// How phase two keeps normal impulses from growing without bound.
  enum class NormalBound {
    sum,        ///< their sum is at most that of phase one
    nullspace,  ///< they get nothing in the null space of A_N
    literal,    ///< their norm is at most that of phase one, as printed
  };
  /// How phase one finds the normal impulses without friction.
  enum class PhaseOne {
    nonnegative,     ///< none pulls: a complementarity problem, of least norm where contacts are redundant
    pseudo_inverse,  ///< as printed: least norm, may pull
  };
  NormalBound normal_bound = NormalBound::sum;
  PhaseOne phase_one = PhaseOne::nonnegative;
  double tolerance = 1e-10;  ///< > 0: duality gap at which phase two stops, relative to what phase one leaves
  double acceptance = 1e-6;  ///< >= tolerance: a step that gets no closer fails; one between the two is taken and
                             ///< counted as the fallback "tolerance-missed"
  int max_iterations = 100;  ///< >= 1: Newton steps of phase two
  Integrator integrator = Integrator::explicit_euler;
};

/// [method.event-driven]
struct EventDrivenOptions {
  ImpactRule rule = ImpactRule::coulomb;  ///< of simultaneous impacts
  double tolerance = 1e-10;               ///< 1e-13..1e-3: relative error of the motion between events
  double simultaneous_gap = 1e-9;         ///< m, > 0: what is no farther apart than this when something hits, hits too
  double accumulation_time = 1e-9;  ///< s, > 0: impacts that follow each other ever faster have ended when all that are
                                    ///< left fit into this time, and there were 30 of them
  int max_impacts = 5000;           ///< >= 1: a pair that hits more often in one step does so without restitution
  int max_choices = 64;             ///< >= 1: of constrained velocities that an impact is resolved with
};

/// [method.penalty]
struct PenaltyOptions {
  double stiffness = 1e5;             ///< N/m, > 0: normal force per overlap
  double damping = 100;               ///< N s/m, >= 0: normal force per closing speed
  double tangential_stiffness = 1e5;  ///< N/m, >= 0: force per displacement since the bodies met
  double tangential_damping = 100;    ///< N s/m, >= 0
};

/// [method.acceleration-lcp]
struct AccelerationLcpOptions {
  /// How friction acts where bodies slide.
  enum class Sliding {
    coulomb,  ///< against the sliding velocity, friction times the normal force: may leave no forces at all
    ode,      ///< as where they stick: any force of the pyramid that brings the sliding velocity to zero
  };
  Sliding sliding = Sliding::coulomb;
  double regularization = 1e-10;  ///< m/(s N s), >= 0: softness of every contact, added to the diagonal (ODE: CFM / h)
  double error_reduction = 0.2;   ///< 0..1: share of an overlap that a step takes back (ODE: ERP)
  double impact_speed = 1e-2;     ///< m/s, > 0: contacts that close faster are impacts
  double sliding_speed = 1e-4;    ///< m/s, > 0: contacts that slip faster slide
};

/// [method.sequential-impulse]
struct SequentialImpulseOptions {
  int collision_iterations = 5;   ///< >= 1: sweeps over collisions, with restitution
  int contact_iterations = 10;    ///< >= 1: sweeps over contacts, with restitution rising from -1 to 0
  bool shock_propagation = true;  ///< a last sweep from the ground up, in which what lies below is immovable
};

/// [method.impulse-hahn]
struct ImpulseHahnOptions {
  int max_impulses = 20;  ///< >= 1: impulses a contact may get in one step; a step that needs more ends as it is
  Integrator integrator = Integrator::explicit_euler;
};

/// [method.impulse-mirtich]
struct ImpulseMirtichOptions {
  int max_impulses = 20;    ///< >= 1: as for impulse-hahn
  double tolerance = 1e-8;  ///< > 0: of the integration in impulse space, relative
  Integrator integrator = Integrator::explicit_euler;
};

/// Options of all methods; each method reads its own.
struct MethodOptions {
  Coordinates coordinates = Coordinates::reduced;
  ExactConeOptions exact_cone;
  StewartTrinkleOptions stewart_trinkle;
  AnitescuPotraOptions anitescu_potra;
  ImplicitGeometryOptions implicit_geometry;
  QuasiRigidOptions quasi_rigid;
  ConvexImpulseOptions convex_impulse;
  EventDrivenOptions event_driven;
  PenaltyOptions penalty;
  AccelerationLcpOptions acceleration_lcp;
  SequentialImpulseOptions sequential_impulse;
  ImpulseHahnOptions impulse_hahn;
  ImpulseMirtichOptions impulse_mirtich;
};

}  // namespace stiction::methods
