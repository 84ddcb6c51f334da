// Primal-dual interior point for a friction problem in body space, with De Saxce's term inside and damped.
//
// Steps of body_cone_pairs.h at (z, s) with r_p = s - u - phi n: xi = -lambda for the affine step; then Mehrotra's
// corrector, lambda o xi = -lambda o lambda + sigma mu e - (W dz_a) o (W^-1 ds_a). theta = 1 is Newton's method on the
// law itself; the matrix can then be singular on the way, which shows in short affine steps: theta goes to `damping`,
// then to 0 (the convex problem with phi lagged), and the matrix is factored again. Smoothing phi, or one step length
// for z and s, were tried and are worse. What does not end here has a fold on its way: body_path.h goes round it.
//
// From a guess (z, u) it starts where z o s = level e: with s = u + |u_t| n, the pair of that level whose difference is
// z - s. If the guess is the answer, that pair lies on the central path but for what its change of z does to u; a level
// of the order of the guess's error squared leaves the steps room to turn.
//
// Mehrotra's steps end far from the curve. Forces that are not determined then wander from solve to solve, and the next
// guess is the worse for it. Two steps with sigma = 1 on the way bring z o s = mu e, so that the answer is near the
// middle of all answers, and follows it as bodies move.
#pragma once

#include <vector>

#include "stiction/solvers/friction/body/body_cone_pairs.h"

namespace stiction::solvers {

/// What to run.
struct BodyInteriorOptions {
  double stop = 1e-7;           ///< residual that is enough: the proximal Newton method goes on from there
  double damping = 0.7;         ///< theta after a short affine step, 0 .. 1
  double least_centring = 0.1;  ///< sigma is at least that
  double more_share = 0;        ///< of the way to the boundary, 0 .. 0.1, where the affine step is whole
  int damped_at_once = 0;       ///< steps that begin with `damping` after one that needed it
  double level = 0;             ///< z o s at the start, near the impulses that z holds; 0: a cold start
  int centred_steps = 0;        ///< so many steps go to the curve and not along it, once the residual is below 0.01
};

/// Caller-owned memory and the steps above, in their order.
class BodyInteriorPoint {
 public:
  /// From a cold start, or from z; z gets the last iterate. Offers every iterate to `progress`. Returns the residual.
  double run(const BodySystem& system, const BodyInteriorOptions& options, BodyMatrix& matrix, BodyProgress& progress,
             std::vector<double>& z);

  /// Takes the memory that a run needs.
  void reserve(const BodySystem& system);

 private:
  void set_rest(const BodySystem& system);
  void direction(const BodySystem& system, double target, bool correct, BodyConePairs::Refinement refinement,
                 const BodyMatrix& matrix);
  double gap(double step_z, double step_s) const;
  bool centre(const BodySystem& system, BodyMatrix& matrix, BodyProgress& progress);
  bool affine(const BodySystem& system, const BodyInteriorOptions& options, BodyMatrix& matrix, BodyProgress& progress,
              double& step_z, double& step_s);

  int damped_steps_ = 0;  // that are still to begin with the damped matrix
  BodyConePairs pairs_;
  std::vector<double> dz_, ds_, dz_affine_, ds_affine_;  // rows of pairs
};

}  // namespace stiction::solvers
