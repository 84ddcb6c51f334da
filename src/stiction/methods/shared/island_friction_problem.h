// One island of a StepProblem as a FrictionProblem: velocities eliminated, W by blocks, only where blocks share a tree.
//
//     bilateral rows                 -> bilateral block,  q = J v_free + bias
//     contact                        -> contact block,    q = J v_free + surface, in its first row + normal_bias
//     its rolling rows               -> bounded block linked to it
//     joint limit                    -> contact block of one row, q = J v_free + surface + max(gap, 0)/h
//     dry friction in a joint        -> bounded block of one row
//
// A limit that is overrun is not driven back here: position_repair.h does that without touching velocities.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stiction/contact/island_rows.h"
#include "stiction/problem/friction_problem.h"

namespace stiction::methods {

/// Which rows of which block of the island a block of the friction problem stands for.
struct RowSelection {
  int block = 0;                                ///< local index k in the contact::IslandRows
  int count = 0;                                ///< of rows
  std::array<int, 6> row = {0, 1, 2, 3, 4, 5};  ///< within the block
};

/// A FrictionProblem over an island's rows with the way back to them. Caller-owned memory that keeps its capacity.
struct IslandFrictionProblem {
  FrictionProblem problem;
  std::vector<RowSelection> selection;  ///< one per block of `problem`
  double motion = 0;  ///< length of q without the gap/h of what does not touch: the velocities that there are to stop

  /// Forgets all blocks.
  void clear();
  /// Appends a block (its first_row and row_count are set here); returns its index.
  int add(FrictionBlock block, const RowSelection& rows, std::span<const double> q);
  /// Forms W once all blocks stand.
  void form_matrix(const StepProblem& step, std::span<const int> step_blocks, const contact::IslandRows& rows);
  /// Local impulses (one per row of the island, zero where no block has it) from the problem's r.
  void scatter(const contact::IslandRows& rows, std::span<const double> r, std::vector<double>& p) const;
  /// And back.
  void gather(const contact::IslandRows& rows, std::span<const double> p, std::vector<double>& r) const;

 private:
  bool is_of_one_body(const contact::IslandRows& rows) const;
  void form_full_matrix(const contact::IslandRows& rows);
  void add_product(const contact::IslandRows& rows, const contact::IslandRows::Incidence& a, const RowSelection& rows_a,
                   const contact::IslandRows::Incidence& b, const RowSelection& rows_b, double* value) const;
  std::vector<int> first_of_;  // first block of `problem` for each local block k, and one past the end
};

/// Lists the step's blocks of an island in local order: bilaterals, each contact followed by its rolling rows, scalars.
void list_island_blocks(const StepProblem& step, const contact::Island& island, std::vector<int>& blocks);

/// Fills `result` with the island's step at velocity level. `rows` must be formed for list_island_blocks.
void form_velocity_problem(const StepProblem& step, const contact::Island& island, std::span<const int> blocks,
                           const contact::IslandRows& rows, IslandFrictionProblem& result);

/// Moves r into the sets that the laws allow (r_n >= 0, friction in its ellipsoid): by no more than the residual of a
/// solved problem, so that what is left of the residual is in the velocities, and nothing of it in the cone.
void make_admissible(const FrictionProblem& problem, std::span<double> r);

}  // namespace stiction::methods
