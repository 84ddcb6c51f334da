// Steps with impacts apart (anitescu1998): impacts first, then the step, in parts where bodies hit on the way.
#pragma once

#include "stiction/stepping/impacts/impact.h"

namespace stiction {

/// What a step does about impacts.
struct ImpactCuts {
  ImpactModel model = ImpactModel::poisson;  ///< `none`: rebound is left to the rows of the step
  bool continuous = true;                    ///< steps are cut where bodies hit each other
};

/// A plain step for each part; nothing is taken unless all parts are.
class CutAtImpacts final : public Stepper {
 public:
  CutAtImpacts(const Model& model, std::unique_ptr<IslandSolver> solver, const PlainStepOptions& options,
               const ImpactCuts& cuts);
  ~CutAtImpacts() override;

  StepOutcome advance(const StepInput& input, State& state, contact::ContactMemory& memory,
                      StepRecord& record) override;
  std::string_view impact_model() const override { return impact_model_name(cuts_.model); }

 private:
  class Part;  // the plain step over a part of the whole one

  ImpactReport resolve_impacts(const StepInput& input, StepRecord& record, certify::StepCertificate& certificate);
  StepOutcome solve_part(StepInput& input, StepRecord& record);

  const Model& model_;
  ImpactCuts cuts_;
  bool elastic_;  // some pair rebounds
  std::unique_ptr<Part> part_;
  State state_;  // within the step
  contact::ContactMemory memory_;
  ImpactWorkspace impact_;
  std::vector<contact::Contact> kept_;
};

}  // namespace stiction
