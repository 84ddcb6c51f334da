// What the contacts of a configuration allow: do contact forces and accelerations exist, and are they determined?
//
// Of what touches at a state, island by island (trees joined by contacts):
//
//   rank          of the contact Jacobian J (rows n, t, o of every contact, limits of joints) and of its normal rows,
//                 over motions that closing joints allow. J^T r = 0 with r != 0: forces that nothing but the material
//                 decides. Rows are scaled to one in the metric of kinetic energy; pivots of a column-pivoted QR below
//                 1e-9 of the largest count as zero.
//   pointedness   of the friction cone (stepping/existence/existence.h): may forces in the cones balance each other?
//   existence     and uniqueness of forces and accelerations at this instant (trinkle2003, section 2.2), by enumeration
//                 of slip states (solvers/cone/slip_states.h): a = W f + a0, W = J M^-1 J^T,
//                 a0 = J vdot_free + dJ/dt v. Closing joints are eliminated. dJ/dt v comes from central differences of
//                 fourth order of the contacts' velocities along the motion, and so includes the curvature of surfaces.
//
// Friction sets that are not ellipses count as a disc round them; torsional and rolling friction, compliant layers and
// restitution are left out. `notes` says so where it matters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stiction/simulation/simulation.h"
#include "stiction/solvers/cone/slip_states.h"
#include "stiction/stepping/existence/existence.h"

namespace stiction {

/// What counts as touching, at rest and dependent.
struct AnalyzeOptions {
  double gap_tolerance = 1e-6;    ///< m (limits: or rad): contacts with a larger gap do not touch
  double speed_tolerance = 1e-6;  ///< m/s: slower contacts are at rest; faster ones slide, leave or collide
  double rank_tolerance = 1e-9;   ///< of scaled rows
  int max_contacts = 6;           ///< of an island whose slip states are enumerated
};

/// What a touching contact does at this instant.
enum class TouchKind { rests, slides, leaves, collides };

/// "rests", "slides", "leaves" or "collides".
std::string_view touch_kind_name(TouchKind kind);

/// A contact, or a joint at its limit (then `joint` names it and only normal quantities count).
struct AnalyzedContact {
  std::string body_A, body_B, joint;
  Vector3 point = Vector3::Zero();
  Vector3 normal = Vector3::UnitZ();  ///< from A to B
  Vector3 tangent = Vector3::UnitX();
  double gap = 0;
  double approach = 0;             ///< m/s: rate of the gap
  Vector3 slip = Vector3::Zero();  ///< m/s: of B over A
  std::array<double, 2> friction = {0, 0};
  TouchKind kind = TouchKind::rests;
};

/// Forces in balance, J^T r = 0: one vector (n, t, o) a contact of the island, the largest number is one.
using ForcePattern = std::vector<Vector3>;

/// How many answers there are.
enum class AnswerCount {
  none,                 ///< no contact forces satisfy the law: Painleve, inconsistent
  one,                  ///< forces and accelerations
  forces_undetermined,  ///< accelerations are unique, forces are not
  many,                 ///< accelerations differ: indeterminate
  some,                 ///< not enumerated: at least the one found
  unknown,              ///< not enumerated, none found
  impact,               ///< a contact collides: velocities jump first
};

/// "none", "one", "forces undetermined", "many", "at least one", "unknown" or "impact".
std::string_view answer_count_name(AnswerCount count);

/// A sentence that says what the count means.
std::string_view answer_count_sentence(AnswerCount count);

/// One answer in world axes: forces on B of each contact of the island.
struct AnalyzedSolution {
  std::vector<solvers::SlipState> states;
  std::vector<Vector3> force;               ///< N
  std::vector<double> normal_force;         ///< N
  std::vector<double> normal_acceleration;  ///< m/s^2
  std::vector<Vector3> slip_acceleration;   ///< m/s^2, tangential
  int force_freedom = 0;
  bool acceleration_varies = false;
  bool borderline = false;
};

/// Trees joined by contacts.
struct IslandAnalysis {
  std::vector<std::string> bodies;
  std::vector<int> contacts;  ///< into Analysis::contacts
  int rows = 0, rank = 0;
  int normal_rows = 0, normal_rank = 0;
  std::vector<ForcePattern> patterns;         ///< rows - rank of them: a basis
  std::vector<ForcePattern> normal_patterns;  ///< of normal forces alone
  Existence cone = Existence::unchecked;
  AnswerCount answers = AnswerCount::unknown;
  int state_patterns = 0, searched = 0;
  std::vector<AnalyzedSolution> solutions;
};

/// See the top of the file.
struct Analysis {
  double time = 0;
  std::vector<AnalyzedContact> contacts;  ///< all that touch
  std::vector<IslandAnalysis> islands;
  std::vector<std::string> notes;

  /// The worst of the islands: none, impact, many, unknown, some, forces_undetermined, one; one without contacts.
  AnswerCount answers() const;
};

/// Of the simulation's present state. Allocates.
Analysis analyze(const Simulation& simulation, const AnalyzeOptions& options = {});

/// "contact 1 +1 n, contact 2 -1 n" with the island's contacts numbered from one as in Analysis::contacts.
std::string describe_pattern(const IslandAnalysis& island, const ForcePattern& pattern);

}  // namespace stiction
