// Block Gauss-Seidel: one block at a time, each solved exactly (local_solve.h), accelerated by Anderson mixing.
//
// One sweep is a map r -> g(r) whose fixed points are the answers. Anderson mixing of depth m takes
// r_next = g - sum gamma_i (g_i+1 - g_i), gamma the least-squares fit of f = g - r by the differences of earlier f.
// It wants the same map each time: the order of the sweep is fixed while it runs.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stiction/solvers/deadline.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/kernels/local_solve.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"

namespace stiction::solvers {

/// Exact solves of every block of a problem, prepared once.
class LocalSolves {
 public:
  void prepare(const ScaledFriction& s);
  /// Solves block i in place; b is its velocity without its own impulse.
  void solve(const ScaledFriction& s, int i, const double* b, double* r);
  /// The contact of three rows number i, where all are such.
  LocalContact<3>& three(int i) { return three_[i]; }
  double accuracy = 4e-15;  ///< of slips, see LocalContact::solve

 private:
  std::vector<int> slot_;
  std::vector<LocalContact<2>> two_;
  std::vector<LocalContact<3>> three_;
  std::vector<LocalContact<4>> four_;
  std::vector<LocalBall<1>> ball_1_;
  std::vector<LocalBall<2>> ball_2_;
  std::vector<LocalBall<3>> ball_3_;
  std::vector<double> inverse_;  // of bilateral blocks
};

/// Anderson acceleration of a fixed-point iteration in the caller's memory.
class Anderson {
 public:
  static constexpr int depth = 5;
  void restart() { count_ = 0; }
  /// x <- the accelerated point, from x and g = g(x); `norm` is |g - x| in the weights of the residual.
  void mix(int n, const double* g, double norm, double* x);

 private:
  void solve_normal_equations(int columns, double* gamma) const;
  int n_ = -1, count_ = 0, newest_ = 0;
  double last_norm_ = 0;
  std::vector<double> memory_;  // f and g of the last sweep, then `depth` columns of df and of dg
  std::array<double, depth* depth> gram_ = {};
  std::array<double, depth> rhs_ = {};
};

/// Memory of the sweeps.
struct GaussSeidelWorkspace {
  LocalSolves local;
  Anderson anderson;
  std::vector<double> x, u;
  std::vector<int> order;
};

/// How sweeps ended.
struct SweepResult {
  bool solved = false;
  int sweeps = 0;
  double residual = 0;  ///< of the returned r
};

/// What to run.
struct SweepOptions {
  double tolerance = 1e-8;
  int sweeps = 100;
  bool accelerate = true;
  bool random_order = false;  ///< a new seeded order each sweep; excludes acceleration
  std::uint64_t seed = 1;
  Deadline deadline;
};

/// Makes `workspace` ready for a problem. Call once before any number of runs.
void prepare_gauss_seidel(const ScaledFriction& s, GaussSeidelWorkspace& workspace);

/// Up to options.sweeps sweeps from r, in place.
SweepResult run_gauss_seidel(const ScaledFriction& s, const SweepOptions& options, GaussSeidelWorkspace& workspace,
                             double* r);

/// `sweeps` sweeps as part of a solve, with Anderson acceleration or in a new random order each.
void take_sweeps(FrictionSolve& solve, int sweeps, bool accelerate, bool random_order);

/// "gauss-seidel"
extern const FrictionSolver gauss_seidel_friction;

}  // namespace stiction::solvers
