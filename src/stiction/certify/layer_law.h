// What compliant layers (problem/compliant_layer.h) add to the laws of a step; formulas in docs/certificate.md.
#pragma once

#include <vector>

#include "stiction/problem/step_problem.h"

namespace stiction::certify {

/// How the layers of one contact give way, together.
struct ContactGive {
  bool layered = false;
  double start = 0;                ///< m: normal deflection at the start of the step
  double end = 0;                  ///< m: at its end
  Vector2 slip = Vector2::Zero();  ///< m/s: what their tangential deflection adds to the slip that friction opposes
};

/// One entry per contact. Allocates nothing once `gives` has the capacity.
void find_gives(const StepProblem& problem, const StepAnswer& answer, std::vector<ContactGive>& gives);

/// N s: impulse of the contact (normal: less the core's) less that of the law of layer i, (n, t, o); zero along
/// tangents where the layer is rigid.
Vector3 layer_defect(const StepProblem& problem, const StepAnswer& answer, int i);

/// J: energy that layer i takes from the bodies over the step, for good or to give back; negative where it gives.
double layer_storage(const StepProblem& problem, const StepAnswer& answer, int i);

}  // namespace stiction::certify
