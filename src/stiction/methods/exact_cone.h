// The default method: end-of-step contact with the true friction cone; see exact_cone.cc.
#pragma once

#include <vector>

#include "stiction/methods/exact_cone/exact_cone_goal.h"
#include "stiction/methods/exact_cone/exact_cone_routes.h"
#include "stiction/methods/shared/body_island.h"
#include "stiction/methods/shared/impulse_memory.h"
#include "stiction/methods/shared/island_friction_problem.h"
#include "stiction/methods/shared/lane_island.h"
#include "stiction/solvers/friction/body/body_solver.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/stepping/island_solver.h"

namespace stiction::methods {

/// One instance per simulation.
class ExactCone final : public IslandSolver {
 public:
  /// `warm_starts`: which of the memory's tables is its own, where several run beside each other.
  ExactCone(const ExactConeOptions& options, const solvers::FrictionSolver& solver, int threads,
            contact::WarmStarts warm_starts = contact::WarmStarts::method);

  contact::AssemblyOptions assembly_options() const override;
  double slip_tolerance() const override;
  bool shares_island(size_t contacts) const override;
  void begin(const StepProblem& problem, const StepContext& context) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void keep(contact::ContactMemory& memory) override;

 private:
  struct Scratch {
    IslandFacts facts;   // of the island at hand
    ExactConeGoal goal;  // what it is solved for
    std::vector<int> blocks;
    contact::IslandRows rows;
    IslandFrictionProblem velocity, repair;
    std::vector<double> p;           // one per local row
    std::vector<double> r;           // one per row of the friction problem
    std::vector<double> r_position;  // of the repair
    solvers::FrictionWorkspace solver;
    LaneIsland lanes;
    BodyIsland body;
    solvers::BodyWorkspace body_solver;
  };

  // Factorisations that the velocities of an island may cost.
  static int budget(const ExactConeGoal& goal, const BodyFrictionProblem& problem);
  static double body_tolerance(const ExactConeGoal& goal, bool small);
  LaneIslandGoal lane_goal(const ExactConeGoal& goal, double share) const;
  IslandReport solve_along(Route route, const StepProblem& problem, const contact::Island& island, double acceptance,
                           Scratch& scratch, StepAnswer& answer);
  IslandReport settle_in_lanes(const StepProblem& problem, const contact::Island& island, Scratch& scratch,
                               StepAnswer& answer);
  IslandReport solve_in_lanes(const StepProblem& problem, const contact::Island& island, Scratch& scratch,
                              StepAnswer& answer);
  static double guess_tolerance(double tolerance, double start_speed, const BodyIsland& body);
  IslandReport solve_in_body_space(const StepProblem& problem, const contact::Island& island, double acceptance,
                                   Scratch& scratch, StepAnswer& answer);
  IslandReport solve_in_contact_space(const StepProblem& problem, const contact::Island& island, bool quick,
                                      Scratch& scratch, StepAnswer& answer);
  void repair_in_body_space(const StepProblem& problem, const contact::Island& island, Scratch& scratch,
                            StepAnswer& answer, IslandReport& report) const;
  RepairOptions repair_options() const;
  RepairOptions body_repair_options(const ExactConeGoal& goal) const;
  IslandReport solve_velocities(const StepProblem& problem, const contact::Island& island, bool quick,
                                Scratch& scratch) const;
  void repair_positions(const StepProblem& problem, const contact::Island& island, Scratch& scratch, StepAnswer& answer,
                        IslandReport& report) const;

  ExactConeOptions options_;
  ExactConeGoal goal_, near_goal_;  // the second of islands with few velocities
  const solvers::FrictionSolver* solver_;
  std::vector<Scratch> scratch_;
  contact::WarmStarts warm_starts_;
  ImpulseMemory memory_;
  contact::ImpulseTable last_pass_;
  StageTimes* times_ = nullptr;
};

}  // namespace stiction::methods
