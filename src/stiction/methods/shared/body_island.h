// One island of a step in body space: the problem at velocity level, the last step's impulses as a guess, the repair of
// positions as another right-hand side, and the way back to the step's answer.
//
// The laws are those of island_friction_problem.h and position_repair.h; velocities are not eliminated.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stiction/contact/islands.h"
#include "stiction/methods/shared/impulse_memory.h"
#include "stiction/methods/shared/position_repair.h"
#include "stiction/problem/body_step.h"

namespace stiction::methods {

/// Caller-owned memory that keeps its capacity from island to island.
class BodyIsland {
 public:
  /// The problem at velocity level: overlap and limits that are overrun are not driven apart.
  void form(const StepProblem& step, const contact::Island& island);

  /// Fills r() and trend() from `memory`; returns the share of contacts and scalar rows that it knows. `answer` is
  /// scratch.
  double recall(const StepProblem& step, const contact::Island& island, const ImpulseMemory& memory,
                StepAnswer& answer);

  /// Writes the impulses r() and the velocities v() into the answer.
  void write(const StepProblem& step, const contact::Island& island, StepAnswer& answer) const;

  /// What the repair adds to the bias of each row, into change(); false when there is nothing to repair.
  bool find_repair(const StepProblem& step, const contact::Island& island, const StepAnswer& answer,
                   const RepairOptions& options);

  /// Adds M^-1 J^T (r() - r_start), which moves positions only, to answer.position; v() holds the result of the repair.
  void write_repair(const StepAnswer& start, VectorX& position) const;

  const BodyFrictionProblem& problem() const { return form_.problem; }
  /// m/s: the largest of scales().
  double fastest() const { return fastest_; }
  /// m/s, one per block: the fastest motion that the constraints of its own bodies see without impulses, gaps apart, or
  /// that loads alone bring about; rad/s for rolling: what there is to stop. As in docs/certificate.md.
  std::span<const double> scales() const { return scales_; }
  /// m/s: how fast the rows that carry load in r() moved at the start of the step. Uses v() as scratch.
  double start_speed(const StepProblem& step);
  std::span<const double> change() const { return change_; }
  /// What the last step added to r(), one per row; see ImpulseMemory::trend.
  std::span<const double> trend() const { return trend_; }
  std::vector<double>& r() { return r_; }
  std::vector<double>& v() { return v_; }

 private:
  // The largest |J v + bias|, gaps apart, of blocks that carry load in r().
  double fastest_loaded_row(std::span<const double> v) const;
  using Rates = std::array<double, 6>;  // one per row of a block
  void add_rates(std::span<const double> v, int block, int side, double* u) const;
  bool add_both_rates(int block, int side, double* free, double* load) const;
  // Of all rows of a block that are not turned about a contact's normal or rolled, by v_free or by loads alone.
  double block_speed(int block) const;
  void find_scales(const StepProblem& step);
  void recall_trends(const StepProblem& step, const contact::Island& island, const ImpulseMemory& memory);

  BodyStep form_;
  std::vector<double> open_;  // of each row: the part of its bias that is a gap over h
  std::vector<double> load_;  // v_free - v_start
  std::vector<double> body_scale_, scales_;
  std::vector<double> change_, r_, trend_, v_;
  double fastest_ = 0;
};

}  // namespace stiction::methods
