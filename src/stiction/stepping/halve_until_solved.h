// Steps that are not solved are made of two halves, and so on; what stays unsolved goes to a last resort.
#pragma once

#include "stiction/stepping/end_of_step.h"

namespace stiction {

/// One step; one that is not solved is made of two halves, and so on. Once `halvings` are used up the last resort is
/// asked first; what not even that can solve is halved a few times more. Bodies that overlap at the start of a part go
/// to the last resort at once. Nothing is taken unless all parts are.
class HalveUntilSolved final : public Stepper {
 public:
  HalveUntilSolved(std::unique_ptr<EndOfStep> whole, std::unique_ptr<PlainStep> last_resort, int halvings);

  StepOutcome advance(const StepInput& input, State& state, contact::ContactMemory& memory,
                      StepRecord& record) override;
  bool hands_on() const override { return true; }
  bool judges_the_end() const override { return true; }

 private:
  // State and memory half-way, of one depth of halving.
  struct Half {
    State state;
    contact::ContactMemory memory;
  };

  StepOutcome advance_part(const StepInput& input, int halvings, State& state, contact::ContactMemory& memory,
                           StepRecord& record);
  StepOutcome advance_halves(const StepInput& input, int halvings, State& state, contact::ContactMemory& memory,
                             StepRecord& record);
  StepOutcome resort(const StepInput& input, bool overlapping, State& state, contact::ContactMemory& memory,
                     StepRecord& record);

  std::unique_ptr<EndOfStep> whole_;
  std::unique_ptr<PlainStep> last_resort_;
  int halvings_;
  std::vector<Half> halves_;  // by halvings left
  bool resorted_ = false;     // the last resort took a part of this step
};

}  // namespace stiction
