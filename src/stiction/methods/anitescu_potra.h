// The velocity-level schemes of Anitescu, Potra and Stewart 1998 as a method; see anitescu_potra.cc.
#pragma once

#include <string_view>
#include <vector>

#include "stiction/math/representation.h"
#include "stiction/methods/shared/impulse_memory.h"
#include "stiction/methods/shared/island_cone_problem.h"
#include "stiction/methods/stewart_trinkle.h"
#include "stiction/solvers/cone/general_cone.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/stepping/impacts/impact_model.h"
#include "stiction/stepping/island_solver.h"

namespace stiction::methods {

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

/// anitescu1998, one instance per simulation.
class AnitescuPotra final : public IslandSolver {
 public:
  AnitescuPotra(const AnitescuPotraOptions& options, int threads);

  contact::AssemblyOptions assembly_options() const override;
  void begin(const StepProblem& problem, const StepContext& context) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void keep(contact::ContactMemory& memory) override;

 private:
  struct Scratch {
    std::vector<int> blocks;
    contact::IslandRows rows;
    IslandFrictionProblem velocity;
    std::vector<double> p;  // one per local row
    std::vector<double> r;  // one per row of the friction problem
    IslandConeProblem cones;
    solvers::GeneralConeWorkspace newton;
    solvers::FrictionWorkspace solver;
  };

  IslandReport solve_stated(const StepProblem& problem, const contact::Island& island, int worker, StepAnswer& answer);
  IslandReport solve_general(const StepProblem& problem, const contact::Island& island, Scratch& scratch,
                             StepAnswer& answer);
  IslandReport solve_cones(bool warm, Scratch& scratch) const;
  IslandReport solve_ellipsoids(bool warm, Scratch& scratch) const;

  AnitescuPotraOptions options_;
  StewartTrinkle polyhedral_;
  std::vector<Scratch> scratch_;
  ImpulseMemory memory_;
};

}  // namespace stiction::methods
