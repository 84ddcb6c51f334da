// The default method: end-of-step contact with the true friction cone; see exact_cone.cc.
#pragma once

#include <vector>

#include "stiction/methods/accuracy.h"
#include "stiction/methods/shared/body_island.h"
#include "stiction/methods/shared/impulse_memory.h"
#include "stiction/methods/shared/island_friction_problem.h"
#include "stiction/solvers/friction/body/body_solver.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/stepping/island_solver.h"

namespace stiction::methods {

/// [method.exact-cone], and `accuracy` of [simulation].
struct ExactConeOptions {
  Accuracy accuracy = Accuracy::exact;
  double tolerance = 0;  ///< >= 0: normalised natural-map residual at which a step counts as solved; 0: by accuracy
  /// >= 0: a step that gets no closer than this fails; one between the two is taken and counted as a fallback; 0: by
  /// accuracy.
  double acceptance = 0;
  double max_recovery_speed = 0.5;  ///< m/s, > 0: bound on the speed at which overlap and drift are repaired
  bool anchors = true;              ///< sticking contacts return to where they stuck
};

/// What a solve is asked for.
struct ExactConeGoal {
  double asked = 1e-8;             ///< residual at which an island counts as solved
  double polished = 1e-10;         ///< and what islands are brought to, where that costs next to nothing
  double acceptance = 1e-4;        ///< residual up to which an answer is taken
  double large_acceptance = 1e-2;  ///< the same for large islands, which have an answer more surely than it is found
  double useful = 2e-5;            ///< in body space: residual above which no effort is spared
  int sweeps = 60;                 ///< in body space: before anything is factored
  int repair_sweeps = 60;          ///< in body space: of a repair of positions
  int most_factorizations = 6000;  ///< in body space: the budget
  int few_blocks = 1 << 30;        ///< larger islands are left to sweeps as far as these go
  bool always_in_body_space = false;
};

/// What the options ask for.
ExactConeGoal goal_of(const ExactConeOptions& options);

/// One instance per simulation.
class ExactCone final : public IslandSolver {
 public:
  /// `warm_starts`: which of the memory's tables is its own, where several run beside each other.
  ExactCone(const ExactConeOptions& options, const solvers::FrictionSolver& solver, int threads,
            contact::WarmStarts warm_starts = contact::WarmStarts::method);

  contact::AssemblyOptions assembly_options() const override;
  double slip_tolerance() const override;
  void begin(const StepProblem& problem, const StepContext& context) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void keep(contact::ContactMemory& memory) override;

 private:
  struct Scratch {
    std::vector<int> blocks;
    contact::IslandRows rows;
    IslandFrictionProblem velocity, repair;
    std::vector<double> p;           // one per local row
    std::vector<double> r;           // one per row of the friction problem
    std::vector<double> r_position;  // of the repair
    solvers::FrictionWorkspace solver;
    BodyIsland body;
    solvers::BodyWorkspace body_solver;
  };

  bool belongs_in_body_space(const StepProblem& problem, const contact::Island& island) const;
  // Factorisations that the velocities of an island may cost.
  int budget(const BodyFrictionProblem& problem) const;
  double body_tolerance(const StepProblem& problem, const contact::Island& island) const;
  static double guess_tolerance(double tolerance, double start_speed, const BodyIsland& body);
  IslandReport solve_in_body_space(const StepProblem& problem, const contact::Island& island, double acceptance,
                                   Scratch& scratch, StepAnswer& answer);
  IslandReport solve_in_contact_space(const StepProblem& problem, const contact::Island& island, bool quick,
                                      Scratch& scratch, StepAnswer& answer);
  void repair_in_body_space(const StepProblem& problem, const contact::Island& island, Scratch& scratch,
                            StepAnswer& answer, IslandReport& report) const;
  RepairOptions repair_options() const;
  IslandReport solve_velocities(const StepProblem& problem, const contact::Island& island, bool quick,
                                Scratch& scratch) const;
  void repair_positions(const StepProblem& problem, const contact::Island& island, Scratch& scratch, StepAnswer& answer,
                        IslandReport& report) const;

  ExactConeOptions options_;
  ExactConeGoal goal_;
  const solvers::FrictionSolver* solver_;
  std::vector<Scratch> scratch_;
  contact::WarmStarts warm_starts_;
  ImpulseMemory memory_;
  contact::ImpulseTable last_pass_;
  StageTimes* times_ = nullptr;
};

}  // namespace stiction::methods
