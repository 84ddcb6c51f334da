// The rows of an island as the two phases of drumwright2009 see them: normals first, then tangents, closing joints
// eliminated.
//
//     A = [ A_N  B ; B^T  A_T ],   b = (b_N, b_T)                                              section 3.1
//
// A column of A is what a unit test impulse along one row does to the relative velocities along all of them, here from
// the factored inertia of the trees (contact/island_rows.h). b_N holds restitution already: what has to vanish is
// A_N w + b_N with b_N = (1 + epsilon) times the velocity before contact.
//
// Rows are scaled so that A has a unit diagonal before joints are eliminated: impulse = scale * x, b = scale *
// velocity. Joints are equations with free impulses in both phases: x_E = -A_EE^+ (b_E + A_EO x), so the other rows see
// A_OO - A_OE A_EE^+ A_EO. Rows that nothing can move are left out.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stiction/methods/convex/normal_factor.h"
#include "stiction/methods/shared/island_friction_problem.h"

namespace stiction::methods {

/// Rows whose impulses are bounded together: by a contact's normal impulse, or by a constant.
struct TangentGroup {
  int first = 0, count = 0;                ///< tangents, counted from the first row of A_T
  std::array<double, 3> axes = {0, 0, 0};  ///< of the ellipsoid, per unit of normal impulse
  double bound = 0;                        ///< constant radius of the ellipsoid; dry friction in joints
};

/// A contact or a joint limit.
struct ConvexNormal {
  bool pair = false;           ///< a contact, not a limit
  TangentGroup friction = {};  ///< t, o, spin; may be empty
  TangentGroup rolling = {};
};

/// Caller-owned; allocates only for islands larger than ever before.
class ConvexRows {
 public:
  /// `scalar_blocks`: so many of the last blocks of the problem are limits and dry friction of joints. False where a
  /// contact closes that nothing can move.
  bool form(const IslandFrictionProblem& island, int scalar_blocks);

  int normal_count() const { return static_cast<int>(normals.size()); }
  int tangent_count() const { return size() - normal_count(); }
  int size() const { return static_cast<int>(row.size()); }
  double at(int i, int j) const { return A[static_cast<size_t>(j) * size() + i]; }

  /// Writes x (one per row of A) as impulses of the island's problem, zero where this has no row.
  void scatter(std::span<const double> x, std::vector<double>& r) const;
  /// Writes the joints' impulses that belong to the others in r.
  void close_joints(std::vector<double>& r);

  std::vector<ConvexNormal> normals;
  std::vector<TangentGroup> dry;  ///< joints' friction
  std::vector<int> row;           ///< of the island's problem, one per row of A
  std::vector<double> A, b;
  std::vector<double> scale;   ///< impulse = scale * x
  std::vector<double> weight;  ///< x and velocity in the units of all norms: weight * x, velocity / weight. One factor
                               ///< for normals and tangents of all contacts, as in the paper; moments as they are,
                               ///< those of rolling and of joints' friction far below slip

 private:
  void scale_rows(const FrictionProblem& problem);
  void list_rows(const IslandFrictionProblem& island, int scalar_blocks);
  void add_tangents(const IslandFrictionProblem& island, int block, int first, TangentGroup& group);
  void eliminate_joints();
  bool closes_what_cannot_move(const FrictionProblem& problem) const;
  void set_weights();

  std::vector<double> W_, b_all_, scale_all_;  // all rows of the problem, scaled
  std::vector<double> response_, right_;
  std::vector<int> joint_rows_, all_rows_;
  std::vector<std::uint8_t> moves_, is_joint_;  // one per row of the problem
  std::vector<double> own_weight_;              // one per row of A; 0: a force, weighed with all others
  NormalFactor joints_;
};

}  // namespace stiction::methods
