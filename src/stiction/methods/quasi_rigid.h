// Compliant layers over rigid cores, with the geometry of the end of the step; see quasi_rigid.cc.
#pragma once

#include "stiction/methods/implicit/implicit_stepper.h"

namespace stiction::methods {

/// One instance a simulation.
class QuasiRigid final : public Method {
 public:
  QuasiRigid(const QuasiRigidOptions& options, int threads);

  contact::AssemblyOptions assembly_options() const override;
  StepScheme scheme() const override;
  void set_context(const StepContext& context) override { stepper_.set_context(context); }
  void begin(const StepProblem& problem) override { stepper_.begin(problem); }
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void accept(const StepProblem& problem) override { stepper_.accept(problem); }
  Method* last_resort() override { return &stepper_.last_resort(); }

 private:
  QuasiRigidOptions options_;
  ImplicitStepper stepper_;
};

}  // namespace stiction::methods
