// One time step of a mechanism with joints, limits and frictional contacts, as plain data.
//
// Unknowns are the end-of-step generalised velocity v and one impulse for every constraint row. With h the step,
//
//     M (v - v_free) = sum over rows of J^T p                            momentum, trinkle2003 (25)
//     bilateral rows:   J v + bias = 0                                   (28)
//     limit rows:       0 <= p, J v + bias >= 0, orthogonal              (32) without friction
//     friction rows:    |p| <= bound, p maximises -p (J v + bias)        (38)
//     contacts:         0 <= p_n, u_n + bias_n >= 0, orthogonal          (32)
//                       (p_t, p_o, p_torsion) in the friction set of p_n and of maximum dissipation against u
//     rolling rows:     |p| <= limit * p_n of their contact, of maximum dissipation against J v + surface
//
// With NormalLaw::end_gap rows and gaps of contacts are those of the end of the step (chakraborty2007 (4)): the contact
// law is 0 <= p_n, gap >= 0, orthogonal. A contact with layers (problem/compliant_layer.h) has gap + sum of their
// normal deflections >= 0 instead, and for each layer p = layer_impulse + core on the normal, 0 <= core,
// thickness - delta_n >= 0, orthogonal (chakraborty2007 (13), (14)). Deflections are positive along the impulse that
// the layer gives to B: in every direction a contact is closed (sticks) when relative velocity + rate of
// deflection = 0.
//
// At velocity level (NormalLaw::rate, anitescu1998 (14)-(15)) the biases hold no gap and no violation: rows that are in
// the problem ask for u_n >= 0 and J v + surface = 0, and positions are put right apart from it.
//
// where u = J v + surface is the relative velocity of body B over body A in the contact frame (normal, t, o[, spin]).
// M is dense by tree; a row block touches at most two trees. Nothing here knows bodies, shapes or methods.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stiction/math/types.h"
#include "stiction/problem/compliant_layer.h"
#include "stiction/problem/friction_cone.h"

namespace stiction {

/// A contiguous slice of the velocity vector that the mass matrix couples only to itself.
struct VelocityTree {
  int offset = 0;       ///< first velocity
  int size = 0;         ///< number of velocities
  int mass_offset = 0;  ///< where its size x size block starts in StepProblem::mass (column-major, both triangles)
};

/// Rows of the constraint Jacobian that belong together: at most two dense blocks, one per tree.
struct RowBlock {
  int first_row = 0;  ///< index of its first impulse in StepAnswer::impulse
  int row_count = 0;
  std::array<int, 2> tree = {-1, -1};  ///< -1: no second (or no) tree; never the same tree twice
  std::array<int, 2> offset = {0, 0};  ///< where the row-major row_count x tree.size block starts in `jacobian`
};

/// A one-row constraint: a joint limit or dry friction in a joint.
struct ScalarRow {
  enum class Kind { limit, friction };
  int block = 0;          ///< index into StepProblem::blocks
  std::uint64_t key = 0;  ///< the same from step to step: names the row in warm starts
  Kind kind = Kind::limit;
  double bias = 0;     ///< velocity added to J v: gap/h for a limit, prescribed velocity for friction
  double surface = 0;  ///< the part of bias that prescribed motion causes; all of it for a friction row
  double bound = 0;    ///< largest impulse of a friction row [N s or N m s]
  double gap = 0;      ///< of a limit at the start of the step [m or rad]

  /// Is it a limit, rather than friction?
  bool is_limit() const { return kind == Kind::limit; }
};

/// A joint's closing rows.
struct BilateralRows {
  int block = 0;
  /// Into StepProblem::bilateral_bias: constraint violation / h + prescribed velocity, one per row.
  int first_bias = 0;
};

/// Rolling resistance of a contact: moments about t and o. A disc of its own, not part of the contact's friction
/// ellipsoid: a wheel that rolls against resistance sticks without creep.
struct RollingRows {
  int block = 0;                      ///< of two rows
  Vector2 surface = Vector2::Zero();  ///< angular velocity of B over A that no unknown causes
  double limit = 0;                   ///< m: largest moment per unit of p_n
};

/// A unilateral contact with dry friction: 1 (no friction), 3 (normal, t, o) or 4 (and spin about the normal) rows.
struct ContactRows {
  int block = 0;
  std::uint64_t key = 0;                    ///< the same from step to step: names the contact in warm starts
  double gap = 0;                           ///< at the start of the step [m]
  double normal_bias = 0;                   ///< added to u_n in the normal law: gap/h, or restitution * approach speed
  Vector4 surface = Vector4::Zero();        ///< velocity of B over A that no unknown causes (prescribed bodies, belts)
  std::array<double, 2> friction = {0, 0};  ///< semi-axes of the friction ellipse along t and o, per unit p_n
  /// The friction set over rows t, o where it is not an ellipse; `friction` then holds a disc round it. It outlives the
  /// problem.
  const FrictionCone* cone = nullptr;
  double cone_scale = 1;                 ///< the friction set is cone_scale * cone
  double torsion = 0;                    ///< m: largest spin moment per unit of p_n
  double restitution = 0;                ///< of the law that the scene states
  double tangential_restitution = 0;     ///< share of the friction impulse that an impact gives back
  double approach = 0;                   ///< u_n at the start of the step [m/s], negative when closing
  std::array<int, 2> layers = {-1, -1};  ///< into StepProblem::layers, of the shapes A and B; -1: rigid there
  int rolling = -1;                      ///< into StepProblem::rollings; -1: none
  Vector2 drift = Vector2::Zero();       ///< m along t, o: how far B has moved over A since the contact stuck, though
                                         ///< it never slipped; no law asks for it, a method may close it
};

/// The compliant layer on one side of a contact.
struct LayerRows {
  int contact = 0;                        ///< into StepProblem::contacts
  const CompliantLayer* layer = nullptr;  ///< outlives the problem
  Vector3 start = Vector3::Zero();        ///< deflection (n, t, o) at the start of the step [m]
};

/// What contacts and limits ask of the end of the step.
enum class NormalLaw {
  gap,      ///< the gap must not be negative
  rate,     ///< it must not close: the velocity level
  end_gap,  ///< as gap, for contacts whose rows and gap are those of the end of the step; impacts with restitution
            ///< ask for u_n + normal_bias >= 0
};

/// See the top of the file. All arrays are caller-owned and keep their capacity from step to step.
struct StepProblem {
  double step = 0;  ///< h [s]
  NormalLaw normal_law = NormalLaw::gap;
  std::vector<VelocityTree> trees;
  std::vector<double> mass;  ///< dense blocks; includes armature and the implicit part of dampers and springs
  VectorX v_start;           ///< generalised velocity at the start of the step
  VectorX v_free;            ///< what it would be at the end without any row of this problem
  VectorX external_impulse;  ///< mass * (v_free - v_start) as assembled from the loads, for the momentum check

  std::vector<RowBlock> blocks;
  std::vector<double> jacobian;
  std::vector<BilateralRows> bilaterals;
  std::vector<double> bilateral_bias;
  /// The part of bilateral_bias that prescribed motion causes; empty: none of it.
  std::vector<double> bilateral_surface;
  std::vector<ScalarRow> scalars;
  std::vector<ContactRows> contacts;
  std::vector<RollingRows> rollings;
  std::vector<LayerRows> layers;
  bool deflection_slips = false;  ///< friction opposes u_t + rate of the layers' tangential deflection ("series")
  int row_count = 0;              ///< rows of all blocks together

  using ConstBlock = Eigen::Map<const RowMatrixX>;

  /// The Jacobian of block `b` on its side 0 or 1 (that side's tree must not be -1).
  ConstBlock jacobian_block(int b, int side) const {
    const RowBlock& block = blocks[b];
    return {jacobian.data() + block.offset[side], block.row_count, trees[block.tree[side]].size};
  }

  /// The mass matrix of a tree.
  Eigen::Map<const MatrixX> mass_block(int tree) const {
    return {mass.data() + trees[tree].mass_offset, trees[tree].size, trees[tree].size};
  }
};

/// What a method answers: end-of-step velocity and one impulse per row.
struct StepAnswer {
  VectorX v_end;
  VectorX impulse;  ///< may be longer than row_count, memory of a larger step: zeros there
  /// Velocity that moves positions during this step besides v_end and is then forgotten: repairs overlap and drift
  /// without kinetic energy; empty: none.
  VectorX position = {};
  std::vector<Vector3> deflection = {};   ///< (n, t, o) at the end of the step, one per layer
  std::vector<double> core_impulse = {};  ///< normal impulse of the rigid core, one per layer
};

}  // namespace stiction
