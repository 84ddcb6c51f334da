// Impacts at one configuration, apart from the step that follows: anitescu1998 section 4.
//
// With v- the velocity before, and every contact that touches and does not open in the problem,
//
//     compression (27):    M (vc - v-) = n c_n + D beta,  0 <= c_n  complements  n^T vc >= 0,  friction against vc
//     Poisson (28):        M (v+ - vc) = n d_n + D delta + I_r,  I_r = e_n n c_n + e_t D beta, the same laws for v+
//     Newton:              one phase with  n^T v+ >= -e_n n^T v-
//     safe:                v+ = (1 + e) vc - e v-,  e the least e_n of the island's contacts that were compressed
//
// (28) is read with I_r a vector of generalised impulses and v+ for v^d, as the paper's text means. Poisson and Newton
// may gain energy where several contacts or friction take part. The safe choice cannot: compression dissipates,
// vc . M (vc - v-) <= 0, so that with D = vc - v-
//
//     T(v+) - T(v-) = (1 + e)((1 + e)/2 |D|^2 + v- . M D) <= -(1 - e^2)/2 |D|^2_M <= 0.
//
// Bounces of one pair pile up towards rest (a ball with e = 0.5, within a finite time). A pair that hits for the ninth
// time in a step is taken to be there: it hits without restitution.
//
// The safe choice keeps n^T v+ >= 0 where no contact was opening before; where one was, e is lowered until it holds.
#pragma once

#include "stiction/stepping/impacts/impact_model.h"
#include "stiction/stepping/plain_step.h"

namespace stiction {

/// What an impact did.
struct ImpactReport {
  bool happened = false;
  bool solved = true;
  bool ended = false;  ///< some pair hit too often in this step and stays together from here on
  double energy = 0;   ///< J: change of kinetic energy, work of moving surfaces apart
};

/// Scratch of resolve_impact.
struct ImpactWorkspace {
  VectorX impulse;  ///< of all phases together, one per row
  VectorX given, change;
  std::vector<double> factor, restitution;
  /// How often a pair of shapes has hit in this step.
  struct Bounces {
    std::uint64_t pair;
    int count;
  };
  std::vector<Bounces> bounces;
};

/// Resolves what hits at `state` (step.scratch().kinematics and record.contacts describe it) by step's solver; changes
/// state.v only, and only when solved. Adds to `certificate` what the phases leave.
ImpactReport resolve_impact(PlainStep& step, ImpactModel model, const StepInput& input, State& state,
                            const contact::ContactMemory& memory, ImpactWorkspace& workspace, StepRecord& record,
                            certify::StepCertificate& certificate);

}  // namespace stiction
