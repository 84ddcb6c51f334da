// The velocity-level schemes of Anitescu, Potra and Stewart 1998 as a method; see anitescu_potra.cc.
#pragma once

#include <string_view>
#include <vector>

#include "stiction/methods/method.h"
#include "stiction/methods/shared/impulse_memory.h"
#include "stiction/methods/shared/island_cone_problem.h"
#include "stiction/methods/stewart_trinkle.h"
#include "stiction/solvers/cone/general_cone.h"
#include "stiction/solvers/friction/friction_solver.h"

namespace stiction::methods {

/// anitescu1998, one instance a simulation.
class AnitescuPotra final : public Method {
 public:
  AnitescuPotra(const AnitescuPotraOptions& options, std::string_view solver, int threads);

  contact::AssemblyOptions assembly_options() const override;
  StepScheme scheme() const override;
  Representation representation() const override { return options_.representation; }
  void begin(const StepProblem& problem) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void accept(const StepProblem& problem) override;

 private:
  struct Scratch {
    std::vector<int> blocks;
    contact::IslandRows rows;
    IslandFrictionProblem velocity;
    std::vector<double> p;  // one a local row
    std::vector<double> r;  // one a row of the friction problem
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
