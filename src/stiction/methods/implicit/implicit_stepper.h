// What implicit-geometry and quasi-rigid share: the ladder by which an island's mixed complementarity problem is solved.
//
//     1. Newton from the impulses of the last step                 (with none: from the free motion)
//     2. friction problems with frozen geometry, one after the other (successive_cones.h), from where Newton has come
//        to, and a few Newton steps more; not for compliant contacts
//     3. the same two from the answer of the exact-cone method, whose geometry is that of the start of the step
//     4. homotopy from that problem to this one
//
// What none of them solves is left to the step around it: halved, and at last handed to exact-cone.
#pragma once

#include <optional>
#include <vector>

#include "stiction/methods/exact_cone.h"
#include "stiction/methods/implicit/implicit_island.h"
#include "stiction/methods/implicit/successive_cones.h"
#include "stiction/solvers/ncp/mixed_ncp.h"

namespace stiction::methods {

/// How the ladder is climbed.
struct ImplicitStepperOptions {
  double tolerance = 1e-10;
  double acceptance = 1e-8;
  int max_iterations = 40;
  LayerModel layers;
};

/// One instance a simulation.
class ImplicitStepper {
 public:
  ImplicitStepper(const ImplicitStepperOptions& options, int threads);

  void set_context(const StepContext& context);
  void begin(const StepProblem& problem);
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker, StepAnswer& answer);
  void accept(const StepProblem& problem);

  /// exact-cone, for steps that cannot be solved otherwise.
  Method& last_resort() { return last_resort_; }

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

  ImplicitStepperOptions options_;
  std::optional<StepContext> context_;
  EndState end_;
  ExactCone explicit_;     // for guesses
  ExactCone jointed_;      // for islands without contacts, which have no geometry
  ExactCone last_resort_;  // a method of its own, with its own memory
  std::vector<Scratch> scratch_;
  ImpulseMemory memory_;
};

}  // namespace stiction::methods
