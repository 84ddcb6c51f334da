// How far is a step's answer from the laws the scene states: round (elliptic) cones, its restitution, the equations of
// motion? From problem and answer alone; formulas in docs/certificate.md.
#pragma once

#include "stiction/problem/step_problem.h"

namespace stiction::certify {

/// Every value is a violation: zero is perfect, infinity means that the answer holds a number that is not finite.
struct StepCertificate {
  double penetration = 0;  ///< m: largest overlap at the start of the step (contacts and limits)
  double normal = 0;       ///< largest violation of 0 <= p_n, 0 <= u_n + bias and their product, normalised
  double friction = 0;     ///< natural-map residual of Coulomb's law with maximum dissipation, normalised
  double cone = 0;         ///< largest excess of the tangential over the admissible impulse, relative
  double momentum = 0;     ///< defect of the equations of motion and of the bilateral rows, relative
  double energy_gain = 0;  ///< J: energy that the constraint impulses created and no prescribed motion explains

  /// The largest of the dimensionless values normal, friction, cone, momentum.
  double worst() const;

  /// Keeps the larger of each value.
  void merge(const StepCertificate& other);
};

/// Scratch of certify_step, sized on first use; a step of no larger problem allocates nothing.
struct CertifyWorkspace {
  std::vector<double> factor;
  VectorX velocity;
  VectorX momentum;
  MatrixX column;
};

/// Certificate of one step.
StepCertificate certify_step(const StepProblem& problem, const StepAnswer& answer, CertifyWorkspace& workspace);

}  // namespace stiction::certify
