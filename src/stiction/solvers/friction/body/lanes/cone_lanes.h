// Contacts of free bodies side by side: Gauss-Seidel on four pairs of bodies at a time.
//
// The contacts of a pair of bodies follow each other in one lane. Pairs have colours such that no body has two pairs of
// the same one, so that four pairs of a colour are visited at once and give what one after the other would. The
// velocities of their bodies stay in registers from the first contact of the pairs to the last.
//
// A visit is that of kernels/local_solve.h, in all lanes: with A, c, p(l), d(l), m(l) as there, l = 0 sticks, and where
// m(0) < |p(0)| Newton's method in a bracket finds the l at which the contact slides, from that of its last visit.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stiction/solvers/friction/body/body_system.h"
#include "stiction/solvers/friction/body/lanes/lane_pairs.h"

namespace stiction::solvers {

/// Caller-owned memory that keeps its capacity from system to system.
class ConeLanes {
 public:
  /// Takes the blocks that it can, or none where lanes would be empty mostly.
  void prepare(const BodySystem& system);
  /// The system's q has changed and nothing else.
  void set_bias(const BodySystem& system);
  bool empty() const { return batches_.empty(); }
  bool takes(size_t block) const { return taken_[block] == in_lane; }

  /// Impulses to start from, which count as those before them, too; and back.
  void load(const double* z);
  void store(double* z) const;
  /// One sweep from z + momentum (z - what it was before the last sweep); x = H^T of that on entry, of the new z on
  /// return, with `spare` more numbers than velocities. `accuracy`: of |z_t| = z_n along a slip, relative. Returns the
  /// squared change.
  double sweep(double momentum, double accuracy, double* x);

  /// Moves bodies apart: so many sweeps for impulses p >= 0 on the normals alone, from none, towards H x >= wanted (one
  /// per row of the system, of normals the only ones that count). x is what they bring about.
  void push_apart(const double* wanted, int count, double* x);

  static constexpr int lanes = LaneBatch::lanes;
  static constexpr int spare = 6;  ///< numbers that x has beyond the velocities

 private:
  // A block that another one depends on is not taken: its impulse must be at hand.
  enum State : std::uint8_t { free_block, linked, in_lane };
  void find_pairs(const BodySystem& system);
  bool add_pair(const SystemBlock& block, size_t first, size_t end);
  void group_pairs();
  void make_batches(const BodySystem& system);
  void reserve(size_t contacts);
  void fill_lane(const BodySystem& system, int lane, LaneBatch& batch);
  void fill(const BodySystem& system, const SystemBlock& block, int slot, int lane);
  void leave_empty(int slot, int lane);
  template <class Visit>
  void for_each_row(Visit&& visit) const;
  template <bool two_sided>
  void visit(const LaneBatch& batch, double momentum, double accuracy, double* x, double* change);
  template <bool two_sided>
  void push(const LaneBatch& batch, double* x);
  void push_all(double* x);
  void push_all_wide(double* x);
  void visit_all(double momentum, double accuracy, double* x, double* change);
  void visit_all_wide(double momentum, double accuracy, double* x, double* change);

  LanePairs pairs_;
  std::vector<LaneBatch> batches_;
  std::vector<State> taken_;    // one per block
  std::vector<int> rows_;       // of each slot and lane: first row of its block; -1: none
  std::vector<double> matrix_;  // of each slot: H of both sides, W and what is made of it
  std::vector<double> bias_, z_, before_, slip_;
  std::vector<double> wanted_, pushed_;  // of push_apart
  int spare_ = 0;                        // where x has room for a body that is not there
};

}  // namespace stiction::solvers
