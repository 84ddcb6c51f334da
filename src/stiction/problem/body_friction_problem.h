// The frictional contact problem in body space as plain data: velocities are not eliminated.
//
//     v = v_free + M^-1 J^T r
//     u = J v + bias                  the laws of friction_problem.h between the rows of r and u, block by block
//
// A contact with a set F of its own (friction_cone.h) has r_f in r_n F in place of the ellipsoid.
//
// M is block diagonal: six velocities for a free body, more for a tree of joints, dense inside. A block of rows touches
// at most two bodies. Condensed, this is friction_problem.h with W = J M^-1 J^T and q = J v_free + bias; a pile has far
// fewer velocities than rows, so that W is singular and M + J^T D J, which solvers factor here, is not.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "stiction/math/types.h"
#include "stiction/problem/friction_cone.h"
#include "stiction/problem/friction_problem.h"
#include "stiction/problem/global_friction_problem.h"

namespace stiction {

/// A contiguous slice of the velocity vector that the mass matrix couples only to itself.
struct VelocityBlock {
  int offset = 0;       ///< first velocity
  int size = 0;         ///< number of velocities
  int mass_offset = 0;  ///< where its column-major size x size block starts in BodyFrictionProblem::mass
};

/// The Jacobian of a block of rows: at most two dense blocks, one per body.
struct BodyRows {
  std::array<int, 2> body = {-1, -1};  ///< -1: no second (or no) body; never the same body twice
  std::array<int, 2> offset = {0, 0};  ///< where the row-major row_count x body.size block starts in `jacobian`
};

/// The friction set of a contact where it is not an ellipsoid: F = scale * cone, over its two friction rows.
struct BlockSet {
  const FrictionCone* cone = nullptr;  ///< none: the block's axes say it all. It outlives the problem
  double scale = 1;                    ///< > 0
};

/// See the top of the file. All arrays keep their capacity from problem to problem.
struct BodyFrictionProblem {
  std::vector<VelocityBlock> bodies;
  std::vector<double> mass;           ///< symmetric positive definite blocks, both triangles
  std::vector<double> v_free;         ///< one per velocity
  std::vector<FrictionBlock> blocks;  ///< laws, in the order of their rows
  std::vector<BodyRows> sides;        ///< one per block
  std::vector<BlockSet> sets;         ///< one per block, or none at all; a contact with a set has three rows, and its
                                      ///< axes are those of a disc round the set
  std::vector<double> jacobian;
  std::vector<double> bias;  ///< one per row

  int row_count() const { return static_cast<int>(bias.size()); }
  int block_count() const { return static_cast<int>(blocks.size()); }
  int velocity_count() const { return static_cast<int>(v_free.size()); }

  /// The Jacobian of block `b` on its side 0 or 1 (that side's body must not be -1).
  Eigen::Map<const RowMatrixX> jacobian_block(int b, int side) const {
    return {jacobian.data() + sides[b].offset[side], blocks[b].row_count, bodies[sides[b].body[side]].size};
  }
  /// The mass matrix of a body.
  Eigen::Map<const MatrixX> mass_block(int body) const {
    return {mass.data() + bodies[body].mass_offset, bodies[body].size, bodies[body].size};
  }
  /// The friction set of block `b`, where it has one.
  BlockSet set_of(int b) const { return sets.empty() ? BlockSet{} : sets[b]; }
  /// Empties every array and keeps its memory.
  void clear();
};

/// v_free + M^-1 J^T r. Allocates; for checks and for the end of a solve on a stored problem.
VectorX body_velocity(const BodyFrictionProblem& problem, const VectorX& r);

/// The form above of a stored global problem: bodies are the connected components of M, stored zeros included. Where a
/// contact touches more than two of them, bodies are six velocities in a row if that does, or components are joined. An
/// impulse r solves both forms; velocities may stand in another order. Nothing where M is not symmetric or not positive
/// definite, or where a body would have more than `most_velocities`: such problems are not block-structured (finite
/// elements).
std::optional<BodyFrictionProblem> body_form(const GlobalFrictionProblem& problem, int most_velocities = 200);

/// And back: the problem in the global form of FCLIB. Nothing where that form cannot state it: contacts of other than
/// three rows (or all of two), elliptic or torsional friction, other friction sets, rolling, dry friction in joints.
std::optional<GlobalFrictionProblem> global_form(const BodyFrictionProblem& problem);

}  // namespace stiction
