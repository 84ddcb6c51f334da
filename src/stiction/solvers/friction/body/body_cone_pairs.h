// Impulses z and slacks s inside second-order cones, and the linear system of one Newton step on them: what the
// interior point (body_interior_point.h) and the path through folds (body_path.h) share.
//
// Coulomb's law as a cone law (De Saxce 1998): with phi = |u_t|, s = u + phi n lies in K, z lies in K, z . s = 0. At
// (z, s), u = H H^T z + q, with Nesterov-Todd's W (lorentz_cone.h), lambda = W z = W^-1 s, P = W^-2, E = I + theta n
// (u_t / |u_t|)^T, a step is what solves
//
//     W dz + W^-1 ds = xi,          ds = E H H^T dz - r_p
//     (I + H^T P E H) dx = H^T g,   g = W^-1 xi + P r_p,    dz = g - P E H dx
//
// with xi and r_p given by the algorithm. Taking ds from the first equation instead is worse.
//
// A disc |z| <= R is the cone (R, z) of one more row: R is frozen during a step and moves with it (dz_0 = R - z_0),
// ds_0 is eliminated, so that P becomes its Schur complement. Bilateral rows: P = I / delta around the current z.
#pragma once

#include <vector>

#include "stiction/solvers/friction/body/body_matrix.h"
#include "stiction/solvers/friction/body/body_progress.h"
#include "stiction/solvers/friction/body/lorentz_cone.h"

namespace stiction::solvers {

/// See the top of the file. Caller-owned memory that keeps its capacity.
class BodyConePairs {
 public:
  /// The pair of one block: `rows` rows from `first` on, `dim` of them a cone (none of bilateral rows, whose s is 0).
  /// Row i of the block is row i + shift.
  struct Pair {
    int first = 0, rows = 0, dim = 0, shift = 0;
    double target = 0;              ///< dz_0 of a disc
    double slip = 0;                ///< |u_t| of a contact
    double tangent[3] = {0, 0, 0};  ///< u_t / |u_t|
    lorentz::Scaling scaling;
  };

  /// z = `size_z` and s = `size_s`, over the root of the number of cones, times (1, 0, ..) in every cone.
  void start(const BodySystem& system, double size_z, double size_s);
  /// Pairs with z o s = level e near the impulses `guess` and the slacks that belong to them.
  void start_near(const BodySystem& system, const std::vector<double>& guess, double level);
  /// Takes the memory that a run needs.
  void reserve(const BodySystem& system);

  /// impulse() and u() of the current z.
  void update_velocities(const BodySystem& system);
  /// Scalings, lambda, slips and targets at the current z and s; false where one of them is not inside its cone.
  bool scale(const BodySystem& system);
  /// Factors I + H^T P E H. False where that fails.
  bool factor(const BodySystem& system, double theta, BodyMatrix& matrix, BodyProgress& progress);
  /// Refinements of dx, since the matrix has a condition of up to 1e14: so many, or until what is left of the right
  /// side is less than this share of it. Rough: ds is that of dx, and not of H^T dz, which it is but for rounding.
  struct Refinement {
    int most = 0;
    double enough = 0;
    bool rough = false;
  };
  /// A step from xi (rows of pairs) and r_p (rows of the system; -1 times what bilateral rows must change by).
  void solve(const BodySystem& system, const BodyMatrix& matrix, Refinement refinement, std::vector<double>& dz,
             std::vector<double>& ds);
  /// z and s move along what the last solve() gave for them, which was not rough; impulse() and u() follow without
  /// another look at H.
  void move(const BodySystem& system, double step_z, const std::vector<double>& dz, double step_s,
            const std::vector<double>& ds);
  /// Largest t <= limit with x + t d in every cone, for x = z or s.
  double longest(const std::vector<double>& x, const std::vector<double>& d, double limit) const;

  int cone_count() const { return cones_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  const std::vector<double>& impulse() const { return impulse_; }
  const std::vector<double>& u() const { return u_; }

  std::vector<double> z, s, lambda, xi;  ///< rows of pairs
  std::vector<double> r_p;               ///< rows of the system

 private:
  template <int N>
  bool scale_pair(const BodySystem& system, const SystemBlock& block, Pair& pair);
  void set_matrices(const BodySystem& system);
  template <int N>
  void set_matrix(const SystemBlock& block, const Pair& pair);
  void multiply(const BodySystem& system, const double* rates, double* out) const;
  template <int N>
  void set_right(const SystemBlock& block, const Pair& pair);
  template <int N>
  void set_change(const SystemBlock& block, const Pair& pair, double* dz, double* ds) const;
  void copy_impulses(const BodySystem& system);

  int cones_ = 0;
  double theta_ = 0;
  std::vector<Pair> pairs_;
  std::vector<double> impulse_, u_, g_, rates_, change_, PE_, right_, w0_;  // rows of the system
  std::vector<double> x_, dx_, rest_, refine_;
};

}  // namespace stiction::solvers
