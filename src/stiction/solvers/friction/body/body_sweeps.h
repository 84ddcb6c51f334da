// Block Gauss-Seidel in body space: one block of rows at a time, solved exactly; x = H^T z is kept in step.
//
// Each visit takes u = H x + q of the block, removes what its own impulse does (b = u - W z), solves the block's law
// for u = W z + b (kernels/local_solve.h, body_set.h) and adds H^T dz to x. A sweep costs O(rows); W is never formed
// beyond its diagonal blocks. Contacts of free bodies are visited in lanes (lanes/cone_lanes.h) where they fill them,
// and the sweeps have momentum then (Nesterov's, from nothing again when the change per sweep has grown): without it a
// wall of 250 boxes falls. Where there are no lanes, a block whose bodies have hardly moved since its last visit is
// passed over. Wins on falling and impacting piles; on settled ones it stalls at 1e-4 and hands its z on.
#pragma once

#include <vector>

#include "stiction/solvers/friction/body/body_progress.h"
#include "stiction/solvers/friction/body/body_system.h"
#include "stiction/solvers/friction/body/lanes/cone_lanes.h"
#include "stiction/solvers/friction/kernels/local_solve.h"

namespace stiction::solvers {

/// Caller-owned memory of the sweeps.
class BodySweeps {
 public:
  /// Makes ready for a system; quickly where it only has another q than the one before.
  void prepare(const BodySystem& system);
  /// Up to `count` sweeps from z, in place; stops at the tolerance. Offers what it reaches to `progress`.
  double run(const BodySystem& system, int count, BodyProgress& progress, std::vector<double>& z);
  /// Are all blocks in lanes?
  bool can_push_apart() const { return !lanes_.empty() && others_.empty(); }
  /// ConeLanes::push_apart, if so.
  void push_apart(const double* wanted, int count, BodyProgress& progress, std::vector<double>& x);

 private:
  void visit(const BodySystem& system, const SystemBlock& block, int slot, double* z);
  void solve_equality(const BodySystem& system, const SystemBlock& block, double* z);
  void sweep(const BodySystem& system, double* z);
  void prepare_others(const BodySystem& system);
  void begin_lanes(double tolerance, const std::vector<double>& z);
  void go_on(const BodySystem& system, double momentum, double* z);
  double sweep_lanes(const BodySystem& system, double momentum, double* z);
  double stir(const SystemBlock& block) const;
  void stir_bodies(const SystemBlock& block, const double* change, int count);

  ConeLanes lanes_;
  long version_ = -1;        // of the system
  std::vector<int> others_;  // blocks that are not in lanes
  std::vector<int> slot_;
  std::vector<LocalContact<2>> two_;
  std::vector<LocalContact<3>> three_;
  std::vector<LocalContact<4>> four_;
  std::vector<LocalBall<1>> ball_1_;
  std::vector<LocalBall<2>> ball_2_;
  std::vector<LocalBall<3>> ball_3_;
  std::vector<double> x_, u_;
  std::vector<double> x_before_, z_before_;  // before the last sweep; z of the others only
  std::vector<double> stirred_;  // a bound on how far the velocities of each body have moved, summed over all sweeps
  std::vector<double> seen_;     // of each block: that of its bodies when it was visited last
  double least_stir_ = 0;        // below which a block is not visited again
  double accuracy_ = 0;          // of slips in lanes
};

}  // namespace stiction::solvers
