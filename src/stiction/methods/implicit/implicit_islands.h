// What implicit-geometry and quasi-rigid share: the ladder that solves an island's mixed complementarity problem.
//
//     1. Newton from the impulses of the last step                 (with none: from the free motion)
//     2. friction problems with frozen geometry, one after the other (successive_cones.h), from where Newton has come
//        to, and a few Newton steps more; not for compliant contacts
//     3. the same two from the answer of the exact-cone method, whose geometry is that of the start of the step
//     4. homotopy from that problem to this one
//
// What none of them solves is left to the step around it: halved, at last given to exact-cone (make_implicit_stepper).
#pragma once

#include <optional>
#include <vector>

#include "stiction/methods/description.h"
#include "stiction/methods/exact_cone.h"
#include "stiction/methods/implicit/implicit_island.h"
#include "stiction/methods/implicit/successive_cones.h"
#include "stiction/solvers/ncp/mixed_ncp.h"

namespace stiction::methods {

/// How the ladder is climbed.
struct ImplicitOptions {
  double tolerance = 1e-10;
  double acceptance = 1e-8;
  int max_iterations = 40;
  LayerModel layers = {};
  contact::AssemblyOptions assembly = {.max_recovery_speed = 0};  ///< overlap is not driven apart by velocity
};

/// One instance per simulation.
class ImplicitIslands final : public IslandSolver {
 public:
  ImplicitIslands(const ImplicitOptions& options, int threads);

  contact::AssemblyOptions assembly_options() const override { return options_.assembly; }
  void begin(const StepProblem& problem, const StepContext& context) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void keep(contact::ContactMemory& memory) override;

 private:
  struct Scratch {
    ImplicitIsland island;
    solvers::MixedNcpWorkspace solver;
    std::vector<double> z;
    StepAnswer guess, next;  // of the whole model; only the island's part is used
    std::vector<double> best_z;
    double best = infinity;  // residual of best_z
    SuccessiveCones cones;
  };

  bool recall(const StepProblem& problem, const contact::Island& island, VectorX& impulse) const;
  bool try_newton(Scratch& scratch, int steps, IslandReport& report) const;
  bool try_cones(const StepProblem& problem, const contact::Island& island, Scratch& scratch,
                 IslandReport& report) const;
  bool climb(const StepProblem& problem, const contact::Island& island, int worker, IslandReport& report);
  void keep_best(Scratch& scratch, double residual) const;
  bool polish(Scratch& scratch, IslandReport& report) const;
  bool try_homotopy(Scratch& scratch, IslandReport& report) const;

  ImplicitOptions options_;
  std::optional<StepContext> context_;
  EndState end_;
  ExactCone explicit_;  // for guesses
  ExactCone jointed_;   // for islands without contacts, which have no geometry
  std::vector<Scratch> scratch_;
  ImpulseMemory memory_;
};

/// The stepper of both methods: halved until solved, with exact-cone as the last resort. `judged_by_end`: the
/// certificate knows the law of the layers at the end of the step.
std::unique_ptr<Stepper> make_implicit_stepper(const Model& model, const ImplicitOptions& options, int halvings,
                                               bool judged_by_end, int threads);

/// Overlap goes to the last resort, at the speed of its own.
double recover_by_exact_cone(double depth, double h, const MethodOptions& options);

}  // namespace stiction::methods
