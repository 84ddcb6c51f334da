// Contacts of free bodies from a step straight into lanes, swept there and handed back: no system is made in between.
//
// What piles under a small budget of work are solved by. The sweeps are those of cone_lanes.h (Gauss-Seidel, four pairs
// of bodies at a time, Nesterov's momentum with restart, the last sweep without), on other numbers:
//
//     x = (v, L^T w) of each body, L L^T its inertia: M is m on the first three and 1 on the others
//     u = H x + b,  H = d T J,  b = d T bias,  r = d T z,  T = diag(1, e_t, e_o),  d = W_nn^(-1/2)
//
// so that a contact is a Lorentz cone of mu = 1 with W_nn = 1. The travelling parts of H on A and on B are the frame of
// the contact, once with either sign, and are kept once: a slot holds the frame, the turning parts of both sides, and
// five numbers of W.
//
// The residual is that of the worst contact, each by the motion of its own bodies (docs/certificate.md): the larger of
// |min(W_nn r_n, u_n)| and |y - P(y - rho a u_t)| / rho, with y, a, rho as there, written again here, since a solver is
// not what it is judged by. Velocities are made of impulses anew at each look and at the end: momentum is exact.
//
// Workers share each loop over batches. Batches come in chunks, none of which holds two colours: chunks of one colour
// share no body, and what goes through bodies is done colour by colour. Chunks do not depend on the number of threads,
// and what is summed up is summed up chunk by chunk.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stiction/base/workers.h"
#include "stiction/math/linear/quad.h"
#include "stiction/problem/step_problem.h"
#include "stiction/solvers/friction/body/lanes/lane_pairs.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// What the caller asks for.
struct FreeLaneOptions {
  double tolerance = 5e-4;        ///< residual at which sweeps end
  double guess_tolerance = 5e-4;  ///< residual at which impulses to start from are the answer
  int sweeps = 100;               ///< at most
};

/// What positions are moved apart by: see push_apart.
struct FreePushOptions {
  double resting_overlap = 0;  ///< m: what rests does so at this overlap
  double least_overlap = 0;    ///< m: no contact overlaps by more than this: nothing is done
  double max_speed = 0.5;      ///< m/s
  double gap_share = 1;        ///< 1/h
  int sweeps = 4;
};

/// Caller-owned memory that keeps its capacity from step to step.
class FreeLanes {
 public:
  /// Contacts of an island from which on its loops are worth sharing.
  static constexpr size_t least_shared = 512;
  /// Who shares the loops from now on; null: the caller alone.
  void share_with(Workers* workers) { workers_ = workers; }

  /// Takes the contacts of an island; false where it cannot: all of them must have friction on two rows and nothing
  /// more, between bodies that are free (those that do not move apart), in numbers that fill lanes.
  bool take(const StepProblem& step, std::span<const int> trees, std::span<const int> contacts);

  /// The impulses (n, t, o) that contact `index` of those taken starts from; zero where nothing is said.
  void start_from(size_t index, const double* impulse);
  /// After all start_from: scales of the contacts, and fastest() and start_speed().
  void measure();
  /// m/s: the fastest motion that contacts see without impulses, gaps apart, or that loads alone bring about.
  double fastest() const { return fastest_; }
  /// m/s: how fast contacts that are to carry load moved at the start of the step.
  double start_speed() const { return start_speed_; }

  /// Multiplications per contact that eliminating bodies from one end of the island to the other would take: few where
  /// it is narrow, as walls and rows are.
  double elimination_work();

  /// Sweeps to the tolerance, to the end of the budget, or to where sweeps gain nothing.
  SolveReport solve(const FreeLaneOptions& options);

  /// Writes impulses and end velocities.
  void write(const StepProblem& step, StepAnswer& answer) const;

  /// After solve: moves overlapping bodies apart by velocities that move positions only, with impulses p >= 0 on the
  /// normals alone, and adds them to `position`. False where there is nothing to do.
  bool push_apart(const FreePushOptions& options, VectorX& position);

 private:
  static constexpr int lanes = LaneBatch::lanes;
  static constexpr size_t part_size = 16;  // numbers: more than a thread's share of a cache line
  struct Body {
    int offset = 0;  // of its velocities in the step
    double inverse_mass = 0;
    std::array<double, 6> inverse = {};  // L^-1: 00 10 11 20 21 22
    std::array<double, 6> factor = {};   // L
  };
  bool take_body(const StepProblem& step, int tree, Body& body) const;
  bool take_bodies(const StepProblem& step, std::span<const int> trees);
  bool find_pairs(const StepProblem& step, std::span<const int> contacts);
  void make_chunks(size_t contacts);
  void size_lists(size_t contacts);
  bool fill_batches(const StepProblem& step, std::span<const int> contacts);
  void clear_chunk(int chunk);
  void fill_lane(const StepProblem& step, std::span<const int> contacts, int lane, int nobody, size_t index);
  void fill_contact(const StepProblem& step, const ContactRows& contact, int slot, int lane, bool two_sided);
  void leave_empty(int slot, int lane);
  void disconnect_empty(int slot);
  bool whiten(size_t index);
  bool whiten_wide(size_t index);
  void load_bodies(const StepProblem& step);
  void write_impulse(size_t place, StepAnswer& answer) const;
  void write_velocity(size_t body, const StepProblem& step, StepAnswer& answer) const;

  template <class Kernel>
  void go_through(int chunk, const Kernel& kernel);
  template <class Kernel>
  void go_through_wide(int chunk, const Kernel& kernel);
  template <class Kernel>
  void share_chunks(int first, int end, const Kernel& kernel);
  template <class Kernel>
  void by_colours(const Kernel& kernel);
  template <class Kernel>
  void all_at_once(const Kernel& kernel);
  void copy(const std::vector<double>& from, std::vector<double>& to);
  int chunks() const { return static_cast<int>(first_batch_.size()) - 1; }

  template <bool two_sided>
  void visit(size_t index, double momentum, double accuracy, double* change);
  double sweep(double momentum, double accuracy);
  void still_nobodies();
  template <bool two_sided>
  void measure_batch(size_t index, double* fastest);
  template <bool two_sided>
  void accelerate(size_t index);
  template <bool two_sided>
  void judge(size_t index, double* worst) const;
  double look();
  template <bool two_sided>
  bool want(size_t index, const FreePushOptions& options);
  template <bool two_sided>
  void push(size_t index);
  void list_neighbours();
  int spread_from(int body);
  void raise_bodies(const LaneBatch& batch, const double* values, std::vector<double>& scale) const;

  Workers* workers_ = nullptr;
  Workers* shared_by_ = nullptr;   // this island: null where it is too small
  std::vector<int> body_of_tree_;  // of the step's trees; -1: none that moves
  std::vector<Body> bodies_;
  LanePairs pairs_;
  std::vector<LaneBatch> batches_;
  std::vector<int> first_batch_;         // of each chunk, and the end
  std::vector<int> first_chunk_;         // of each colour, and the end
  int most_chunks_ = 0;                  // of a colour
  std::vector<double> parts_;            // of each chunk: its part of a sum or of a maximum, lane by lane
  std::vector<int> contact_;             // of each slot and lane: index of its contact among those taken; -1: none
  std::vector<int> row_;                 // of each slot and lane: its first row in the step
  std::vector<int> slot_;                // of each contact taken: slot times lanes + lane
  std::vector<double> inverse_mass_;     // of each batch: both sides
  std::vector<double> matrix_, aspect_;  // of each slot: see free_contact.h
  std::vector<double> bias_, open_, gap_, z_, before_, best_, slip_;
  std::vector<double> wanted_, pushed_;
  std::vector<double> x_, x_before_, x_free_, x_start_;  // eight numbers for each body and for nobodies
  std::vector<double> static_scale_, scale_;             // of each body, m/s
  double fastest_ = 0, start_speed_ = 0;
  struct Front {  // of elimination_work
    std::vector<int> first, neighbours, queue, distance;
  } front_;
};

}  // namespace stiction::solvers
