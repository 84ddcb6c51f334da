// Rigid contact with the geometry of the end of the step; see implicit_geometry.cc.
#pragma once

#include "stiction/methods/implicit/implicit_stepper.h"

namespace stiction::methods {

/// One instance a simulation.
class ImplicitGeometry final : public Method {
 public:
  ImplicitGeometry(const ImplicitGeometryOptions& options, int threads);

  contact::AssemblyOptions assembly_options() const override;
  StepScheme scheme() const override;
  void set_context(const StepContext& context) override { stepper_.set_context(context); }
  void begin(const StepProblem& problem) override { stepper_.begin(problem); }
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void accept(const StepProblem& problem) override { stepper_.accept(problem); }
  Method* last_resort() override { return &stepper_.last_resort(); }

 private:
  ImplicitGeometryOptions options_;
  ImplicitStepper stepper_;
};

}  // namespace stiction::methods
