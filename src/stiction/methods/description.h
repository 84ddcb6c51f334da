// What a method says of itself: one description per method, exported by its file and listed by registry.cc. What scene
// reading, `stiction list`, warnings, documentation and the conformance tests know of a method comes from here.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/methods/option.h"
#include "stiction/solvers/registry.h"
#include "stiction/stepping/stepper.h"

namespace stiction::methods {

/// Properties of surfaces that a method takes into account; the others it ignores, and a run says so.
struct Knowledge {
  bool restitution = true;
  bool tangential_restitution = false;
  bool rolling = true;
  bool torsion = true;
  bool static_friction = true;
  bool layers = false;         ///< stiffness, damping and layer_thickness of materials
  bool general_cones = false;  ///< friction_polygon, friction_exponent
  bool accuracy = false;       ///< `accuracy` of a scene other than "exact"
};

/// What becomes of bodies that overlap at the start.
enum class Overlap {
  moved,   ///< moved apart without velocity
  thrown,  ///< driven apart by a velocity that they keep
  pushed,  ///< pressed apart by springs
  left,    ///< left as they are
};

/// How a method treats overlap, with what a user can do about it.
struct OverlapTreatment {
  Overlap kind = Overlap::left;
  /// m/s: how fast a depth [m] is taken away at a step of h [s]; null where that is not a speed.
  double (*speed)(double depth, double h, const MethodOptions& options) = nullptr;
  std::string_view remedy = {};  ///< besides moving the bodies apart: "or set max_recovery_speed"
};

/// How many contacts between bodies that hang together (an island) a method is made for; measured on piles.
struct IslandSize {
  int many_contacts = 0;          ///< above this a step takes long, and a run says so; 0: piles are no trouble
  std::string_view cost = {};     ///< how the time of a step grows
  std::string_view instead = {};  ///< what to take for piles
};

/// What a method is made for.
struct MethodSetup {
  const Model& model;  ///< outlives the stepper
  const MethodOptions& options;
  const solvers::SolverInfo& solver;  ///< one that takes_solver() accepts
  int threads = 1;                    ///< >= 1: islands solved at the same time
};

/// See the top of the file.
struct MethodDescription {
  std::string_view name;      ///< in scene files and on the command line
  std::string_view source;    ///< short name of the paper, or where it comes from
  std::string_view sentence;  ///< what it does
  bool solves_law = true;     ///< false: by its nature it misses the contact law; there for comparison
  Knowledge knows = {};
  OverlapTreatment overlap = {};
  IslandSize island = {};
  std::vector<Option> options = {};
  /// Which solvers of the solvers' registry, besides the default, can solve its problems.
  bool (*takes_solver)(const solvers::SolverInfo& solver) = [](const solvers::SolverInfo&) { return false; };
  /// What the method cannot bring together: an Error with a remedy.
  Result<void> (*check)(const Model& model, const MethodOptions& options) = nullptr;
  /// Edges of the polygon that stands for the friction disc; 0: none does. Null: never.
  int (*polygon)(const MethodOptions& options) = nullptr;
  bool holds_joints_by_velocity = false;  ///< closing joints that depend on each other deserve a warning
  bool reports_events = false;            ///< Stepper::events is not null
  std::unique_ptr<Stepper> (*make)(const MethodSetup& setup) = nullptr;
};

/// Can the method's problems be solved by that solver?
inline bool takes_solver(const MethodDescription& method, const solvers::SolverInfo& solver) {
  return solver.friction == &solvers::auto_friction || method.takes_solver(solver);
}

}  // namespace stiction::methods
