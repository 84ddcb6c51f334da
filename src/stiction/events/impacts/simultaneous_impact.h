// A. Rodriguez: Simulation of indeterminate multi-point impact and contact with friction (thesis, 2010): the law of
// impacts that happen at the same time, for any number of contacts on any bodies, in the plane and in space.
//
//   paper                         here
//   A, q_dot(t), q_dot(t + eps)   ImpactProblem::mass, velocity; ImpactOutcome::velocity
//   J, theta                      ImpactProblem::J; ImpactOutcome::contact_velocity = J velocity
//   p, p_n, p_t                   ImpactOutcome::impulse, one per row of J
//   z*, J*, theta* (3.20)-(3.25)  VelocityConstraint::z, free_rows      events/impacts/velocity_constraint.h
//   z^T (4.8), impact law (4.9)   VelocityConstraint::law               events/impacts/velocity_constraint.h
//   e_n (4.11)                    ImpactContact::restitution
//   mu_s, mu_d, v_s, a            ImpactContact::static_friction, dynamic_friction, transition_speed, exponent
//   no-slip check (4.13)          ImpactOutcome::state, obeys_coulomb   events/impacts/impact_outcome.cc
//   d, obj (4.16), (4.17)         ImpactOutcome::objective
//   (4.18)-(4.22), published      events/impact_published.cc
//   (4.18)-(4.22), coulomb        events/impact_coulomb.cc
//
// Readings of the text:
//  - normals point so that a contact approaches with v_n < 0 and pushes with p_n > 0: (4.15) and (4.19) are one line
//    for the ground and the wall;
//  - contacts with v_n <= 0 take part (4.10); resting ones too, with v_n+ = 0 by (4.11); separating ones do not;
//  - where normal rows depend on each other (a box on four corners) only independent ones are set by (4.11): the others
//    follow, and agree when all restitutions do. `keeps_restitution` says so;
//  - which tangential velocities are constrained: the paper takes one row of four. Here whole contacts are examined, as
//    many as have independent rows (every such maximal set is one choice), and single rows of the others where rank is
//    left; in the plane with two contacts that is the paper's choice. Rows count as dependent when, each scaled to unit
//    length in the metric of kinetic energy, less than 1e-9 is left of one outside the others;
//  - (4.18) is the reverse of Coulomb's law. `published` takes it as printed: at v_t = 0 every impulse passes, by
//    (4.13) or by (4.18), so that only (4.19) makes a contact slip; the optimum of case 1 sits on p_n = 0 and is
//    clamped there. The friction term of (4.16) grows with |v_t| as the other one does, and is left out of the search:
//    with one examined row that changes nothing;
//  - (4.9) is the shortest p for a change of velocity. In the paper's corner |p_t1| + |p_t2| >= p_n1 + p_n2 for every
//    spin, so that no outcome of (4.9) is in both cones for mu < 1. `coulomb` therefore takes p from the cones, the
//    shortest that gives the optimum; where (4.9) is in the cones both agree;
//  - mu_f (4.21) matters only to contacts that could stick; a contact that slips under `coulomb` has mu_d in its cone,
//    and (4.22) judges the outcome;
//  - (4.11) may gain energy with friction, or have no impulses in the cones at all. `coulomb` asks for no gain as a
//    cone (|u+| <= |u-| in the metric of kinetic energy). Choices without an answer are left out.
//
// Beyond the text, `coulomb` only: the whole of Coulomb's law with (4.11) as a complementarity problem is an outcome of
// its own, which also tells which contacts open (p_n = 0, v_n+ >= -e v_n); so is the same with mu_d everywhere, since
// (4.13) lets a contact slip that mu_s would hold (case 2: at the wall). One solution of each is found; more may exist.
// Where nothing is feasible the restitutions
// are lowered together by quarters. Last, the impulses in the cones that leave the least kinetic energy, times 1 + the
// least restitution, are always feasible: p0 . v0 = 0 at the optimum, so that the change of energy is
// (e^2 - 1) / 2 p0 . W p0 <= 0, and v0 is in the dual cone, so that nothing penetrates.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "stiction/math/types.h"

namespace stiction {

/// Which inequality (4.18) is read with; see the top of the file.
enum class ImpactRule : std::uint8_t {
  published,  ///< "published": as printed, |p_t| >= mu p_n where a contact slips; violations are flagged
  coulomb,    ///< "coulomb": |p_t| <= mu p_n; outcomes with violations are not returned
};

/// Rows and laws of one contact: its normal is row first_row of J, its tangents follow.
struct ImpactContact {
  int first_row = 0;
  int tangents = 1;                  ///< 0: without friction; 1: in the plane; 2: in space
  double restitution = 0;            ///< 0 .. 1
  double static_friction = 0;        ///< >= dynamic_friction
  double dynamic_friction = 0;       ///< >= 0
  double transition_speed = 1.4e-4;  ///< m/s, > 0: v_s
  double exponent = 1;               ///< a
};

/// An impact at one time as plain data: any bodies, any contacts.
struct ImpactProblem {
  MatrixX mass;                         ///< nv x nv, symmetric positive definite
  VectorX velocity;                     ///< nv, before the impact
  MatrixX J;                            ///< rows x nv, tangents of a contact orthogonal unit vectors
  std::vector<ImpactContact> contacts;  ///< cover the rows of J in order
};

/// What a contact does after the impact.
enum class ImpactState : std::uint8_t {
  open,   ///< no impulse
  stick,  ///< an impulse, and no slip
  slip,
};

/// Where an outcome comes from.
enum class ImpactOrigin : std::uint8_t {
  constrained,      ///< a choice of constrained tangential velocities
  complementarity,  ///< Coulomb's law with (4.11) as a complementarity problem
  reduced,          ///< the same with less restitution, where neither of those has an answer
  least_energy,     ///< what always exists
};

/// One way the impact may end, with its impulses and what is wrong with it.
struct ImpactOutcome {
  ImpactOrigin origin = ImpactOrigin::constrained;
  std::vector<int> constrained_rows = {};  ///< of J: tangential velocities that follow from the others
  std::vector<int> examined = {};          ///< contacts with no constrained row
  VectorX velocity = {};                   ///< nv, after the impact
  VectorX impulse = {};                    ///< one per row
  VectorX contact_velocity = {};           ///< one per row, after the impact
  std::vector<ImpactState> state = {};     ///< of each contact
  std::vector<double> friction = {};       ///< mu_i of (4.22) at the slip after the impact, of each contact
  double energy_change = 0;                ///< J, of kinetic energy
  double objective = 0;                    ///< (4.17), summed over the examined contacts
  bool gains_energy = false;
  bool leaves_cone = false;       ///< p_n < 0, or |p_t| > mu_i p_n
  bool penetrates = false;        ///< v_n < 0 after the impact
  bool keeps_restitution = true;  ///< (4.11) at every contact that took part
  bool meets_rule = true;         ///< the rule's own constraints (4.18), (4.19)
  bool obeys_coulomb = true;  ///< the whole of (4.13): within the cone, and at its edge against the slip where it slips

  int violations() const { return int{gains_energy} + int{leaves_cone} + int{penetrates}; }
};

/// What to look for.
struct ImpactOptions {
  ImpactRule rule = ImpactRule::coulomb;
  int max_choices = 64;     ///< of constrained velocities; more are counted, not tried
  double tolerance = 1e-8;  ///< of flags: relative to the largest speed, impulse or kinetic energy of the impact
};

/// All outcomes, in the order in which they were found.
struct ImpactResult {
  std::vector<ImpactOutcome> outcomes;
  int picked = -1;      ///< by pick_outcome; -1 only when no contact approaches
  int rank = 0;         ///< of the rows that take part
  int normal_rank = 0;  ///< of their normals
  int choices = 0;      ///< of constrained velocities there are
  int refused = 0;      ///< tried, without an outcome that the rule allows
};

/// Every outcome that the rule allows. Under `published` each choice gives one, flagged; under `coulomb` none gains
/// energy, leaves a cone or penetrates, and there is at least one wherever a contact approaches. Deterministic.
/// Allocates.
ImpactResult solve_simultaneous_impact(const ImpactProblem& problem, const ImpactOptions& options);

/// The index of the outcome to go on with. Fewest violations first. Then, `published`: the one that constrains the
/// contact which approaches fastest, as the paper's cases 1 and 2 do; `coulomb`: those that obey the whole of (4.13),
/// of these the greatest loss of energy. Ties: the first.
int pick_outcome(const ImpactProblem& problem, ImpactRule rule, const std::vector<ImpactOutcome>& outcomes);

/// "published", "coulomb".
std::string_view impact_rule_name(ImpactRule rule);

}  // namespace stiction
