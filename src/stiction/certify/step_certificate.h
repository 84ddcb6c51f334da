// How far is a step's answer from the laws the scene states: round (elliptic) cones, its restitution, the equations of
// motion? From problem and answer alone; formulas in docs/certificate.md.
#pragma once

#include <vector>

#include "stiction/certify/layer_law.h"
#include "stiction/problem/step_problem.h"

namespace stiction {
class Workers;
}

namespace stiction::certify {

/// Every value is a violation: zero is perfect, infinity means that the answer holds a number that is not finite.
struct StepCertificate {
  double penetration = 0;      ///< m: largest overlap of a contact at the start of the step (end_gap: at its end, and
                               ///< beyond what compliant layers give)
  double limit_violation = 0;  ///< m or rad: how far the worst joint is past its limit at the start of the step
  double normal = 0;           ///< largest violation of 0 <= p_n, 0 <= u_n + bias and their product, normalised
  double friction = 0;         ///< natural-map residual of Coulomb's law with maximum dissipation, normalised
  double cone = 0;             ///< largest excess of the tangential over the admissible impulse, relative
  double momentum = 0;         ///< defect of the equations of motion and of the bilateral rows, relative
  double energy_gain = 0;      ///< J: energy that the constraint impulses created and no prescribed motion explains
  long impacts = 0;            ///< resolved on their own, apart from the step's rows
  double impact_energy = 0;  ///< J: what those changed the kinetic energy by, moving surfaces apart; negative is a loss

  /// The largest of the dimensionless values normal, friction, cone, momentum (certificate_values.h says which).
  double worst() const;

  /// Keeps the larger of each violation, and the sum of the impacts'.
  void merge(const StepCertificate& other);
};

/// What a chunk of contacts or trees comes to.
struct CertifiedPart {
  StepCertificate result = {};
  double energy = 0, fastest = 0;
};

/// Scratch of certify_step, sized on first use; a step of no larger problem allocates nothing.
struct CertifyWorkspace {
  std::vector<double> factor;  ///< Cholesky factors of the mass blocks, laid out as StepProblem::mass
  std::vector<char>
      apart;  ///< of each tree: six velocities, of which travel stands apart and weighs alike along each axis
  std::vector<double> column;  ///< L^-1 times up to four rows of the Jacobian
  std::vector<int> used;       ///< velocities of a tree that have a part in them
  std::vector<int> ancestors;  ///< of each velocity of each tree, those before it that its column of the factor has
  std::vector<int> ancestors_start;  ///< where they start, one per velocity and the end
  std::vector<double> weight;        ///< W_ii = J_i M^-1 J_i^T of each row
  std::vector<double> end;           ///< J v_end of each row
  std::vector<double> free;          ///< J v_free of each row
  std::vector<double> load;          ///< v_free - v_start: what loads alone do to each velocity
  std::vector<double> pull;  ///< of each row, what loads do to the faster of its sides: max |J_side (v_free - v_start)|
  std::vector<double> defect;   ///< M (v_end - v_start) - external impulse - J^T p
  std::vector<double> change;   ///< of one tree, M (v_end - v_start)
  std::vector<double> start;    ///< of one tree, |M| |v_start|
  std::vector<double> largest;  ///< of each tree, the largest term in its defect
  std::vector<double> scale;    ///< of each tree, m/s: the fastest motion that its own constraints have to do with
  std::vector<double> normal;   ///< of each tree, the largest p_n of its contacts
  std::vector<ContactGive> gives;
  std::vector<double> speed;         ///< of each contact, what it raises the scale of its trees to
  std::vector<CertifiedPart> parts;  ///< of each chunk
  Workers* workers = nullptr;        ///< share the work; null: the caller alone
};

/// Certificate of one step.
StepCertificate certify_step(const StepProblem& problem, const StepAnswer& answer, CertifyWorkspace& workspace);

}  // namespace stiction::certify
