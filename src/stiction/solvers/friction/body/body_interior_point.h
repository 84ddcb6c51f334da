// Primal-dual interior point for a friction problem in body space, with De Saxce's term inside and damped.
//
// Coulomb's law as a cone law (De Saxce 1998): with phi = |u_t|, s = u + phi n lies in K, z lies in K, z . s = 0. One
// step at (z, s), u = H H^T z + q, with Nesterov-Todd's W (lorentz_cone.h), lambda = W z = W^-1 s, P = W^-2:
//
//     r_p = s - u - phi n,          E = I + theta n (u_t / |u_t|)^T
//     (I + H^T P E H) dx = H^T g,   g = W^-1 xi + P r_p
//     dz = g - P E H dx,            ds = E H H^T dz - r_p
//
// xi = -lambda for the affine step; then Mehrotra's corrector, lambda o xi = -lambda o lambda + sigma mu e - (W dz_a) o
// (W^-1 ds_a). theta = 1 is Newton's method on the law itself; the matrix can then be singular on the way, which shows
// in short affine steps: theta goes to `damping`, then to 0 (the convex problem with phi lagged), and the matrix is
// factored again. Taking ds from complementarity instead, smoothing phi, or one step length for both were tried and are
// worse.
//
// A disc |z| <= R is the cone (R, z) of one more row: R is frozen during a step and moves with it (dz_0 = R - z_0),
// ds_0 is eliminated, so that P becomes its Schur complement. Bilateral rows: P = I / delta around the current z.
#pragma once

#include <vector>

#include "stiction/solvers/friction/body/body_matrix.h"
#include "stiction/solvers/friction/body/body_progress.h"
#include "stiction/solvers/friction/body/lorentz_cone.h"

namespace stiction::solvers {

/// What to run.
struct BodyInteriorOptions {
  double stop = 1e-7;           ///< residual that is enough: the proximal Newton method goes on from there
  double damping = 0.7;         ///< theta after a short affine step, 0 .. 1
  double least_centring = 0.1;  ///< sigma is at least that
};

/// Caller-owned memory and the steps above, in their order.
class BodyInteriorPoint {
 public:
  /// From a cold start; z gets the last iterate. Offers every iterate to `progress`. Returns the residual of z.
  double run(const BodySystem& system, const BodyInteriorOptions& options, BodyMatrix& matrix, BodyProgress& progress,
             std::vector<double>& z);

  /// Takes the memory that a run needs.
  void reserve(const BodySystem& system);

 private:
  // The pair of one block: `dim` rows of K from `first` on; row i of the block is row i + shift of the pair.
  struct Pair {
    int first = 0, dim = 0, shift = 0;
    double target = 0;  // dz_0 of a disc
    double tangent[3] = {0, 0, 0};
    lorentz::Scaling scaling;
  };
  void start(const BodySystem& s);
  void impulses(const BodySystem& s);
  bool scale(const BodySystem& s);
  template <int N>
  bool scale_pair(const BodySystem& s, const SystemBlock& block, Pair& pair);
  void set_matrices(const BodySystem& s, double theta);
  template <int N>
  void set_matrix(const SystemBlock& block, const Pair& pair, double theta);
  bool factor(const BodySystem& s, double theta, BodyMatrix& matrix, BodyProgress& progress);
  void multiply(const BodySystem& s, const double* rates, double* out) const;
  void direction(const BodySystem& s, double theta, double target, bool correct, const BodyMatrix& matrix);
  template <int N>
  void set_right(const SystemBlock& block, const Pair& pair, double target, bool correct);
  template <int N>
  void set_change(const SystemBlock& block, const Pair& pair, double theta);
  double longest(const std::vector<double>& x, const std::vector<double>& d) const;
  double gap(double step_z, double step_s) const;
  bool affine(const BodySystem& s, const BodyInteriorOptions& options, BodyMatrix& matrix, BodyProgress& progress,
              double& theta, double& step_z, double& step_s);
  void move(const BodySystem& s, double step_z, double step_s);

  int cones_ = 0;
  std::vector<Pair> pairs_;
  std::vector<double> z_, s_, lambda_, dz_, ds_, dz_affine_, ds_affine_;          // rows of pairs
  std::vector<double> impulse_, u_, r_p_, g_, rates_, change_, PE_, right_, w0_;  // rows of the system
  std::vector<double> x_, dx_, rest_, refine_;
};

}  // namespace stiction::solvers
