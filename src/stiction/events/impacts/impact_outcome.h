// What an outcome of an impact amounts to: contact velocities, slip states (4.13), friction (4.22), energy and flags.
#pragma once

#include <optional>
#include <vector>

#include "stiction/events/impacts/velocity_constraint.h"

namespace stiction {

/// What "small" is measured by, from the motion before the impact.
struct ImpactScales {
  double speed = 0;    ///< largest |v| of a row before the impact
  double impulse = 0;  ///< speed over the largest mobility of a row: what stops a contact
  double energy = 0;   ///< kinetic, before the impact
};

/// See ImpactScales.
ImpactScales impact_scales(const ImpactProblem& problem);

/// mu_i of (4.22) with mu_min given; (4.21) is the caller's.
double stribeck_friction(const ImpactContact& contact, double mu_min, double slip);

/// |v_t| of a contact in a vector over the rows of J; of p_t likewise.
double tangential_norm(const ImpactContact& contact, const VectorX& rows);

/// Fills everything but origin, choice and meets_rule from velocity and impulse. `contacts` took part in (4.11); mu_min
/// is (4.21), one per contact.
void judge_outcome(const ImpactProblem& problem, const std::vector<int>& contacts, const std::vector<double>& mu_min,
                   double tolerance, ImpactOutcome& outcome);

/// v_n after the impact by (4.11).
double rebound(const ImpactContact& contact, double v_n);

/// (4.16)-(4.22) as printed, for one choice.
ImpactOutcome published_outcome(const ImpactProblem& problem, const std::vector<int>& contacts,
                                const VelocityConstraint& choice, double tolerance);

/// (4.16)-(4.22) with p in the cones, for one choice; none when the cones, (4.11) and the energy leave nothing.
std::optional<ImpactOutcome> coulomb_outcome(const ImpactProblem& problem, const std::vector<int>& contacts,
                                             const VelocityConstraint& choice, double tolerance);

/// Coulomb's law with a share of the restitution of (4.11) as a complementarity problem over all contacts; none when no
/// solver finds an answer.
std::optional<ImpactOutcome> complementarity_outcome(const ImpactProblem& problem, const std::vector<int>& contacts,
                                                     double share, double tolerance);

/// The same with mu_d at every contact. (4.13) allows it beside one with mu_s: a contact that mu_s would hold may slip.
std::optional<ImpactOutcome> dynamic_friction_outcome(const ImpactProblem& problem, const std::vector<int>& contacts,
                                                      double tolerance);

/// The least kinetic energy that impulses in the cones leave, times 1 + the least restitution if nothing speaks against
/// it.
ImpactOutcome least_energy_outcome(const ImpactProblem& problem, const std::vector<int>& contacts, double tolerance);

}  // namespace stiction
