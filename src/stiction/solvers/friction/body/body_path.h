// A path through folds: from a problem that anyone can solve to the frictional contact problem, along a curve that may
// turn back.
//
// Coulomb friction is not the optimum of anything, and the curve that an interior point follows down to zero can turn:
// past a fold there is no answer nearby for a smaller barrier, steps shrink to nothing, and no other start or damping
// helps. Here the barrier t is an unknown like the others, and the curve is followed by its own length. With the
// start z_0, s_0 on the axes of the cones, mu = z_0 . s_0 of a cone, p_0 = s_0 - u(z_0), it is
//
//     z o s = t mu e,    s - u(z) - (1 - t) |u_t| n = t p_0,    u(z) = H H^T z + q      (bilateral rows: u = t u_0)
//
// mu may be another number for each cone. Where it is the same for all, curves from different starts come together as t
// falls, and have the same folds at their ends; with a mu of its own for each cone, every start ends elsewhere.
//
// At t = 1 this is a convex problem whose only answer is the start, so that the curve does not come back there; by
// Sard's theorem it is smooth for almost every start and then ends at t = 0, an answer of Coulomb's law, unless
// impulses grow beyond bounds (Allgower and Georg 1990: homotopies; Lemke's method is the same idea on polygons).
//
// One step costs one factorisation, that of body_cone_pairs.h with theta = 1 - t, and a few solves: the way b = d(z,
// s)/dt along the curve, the way a back to it, and for each length alpha that is tried the bend c of second order. a
// and c are made orthogonal to b in the metric |W dz|^2 / (t mu) + |W^-1 ds|^2 / (t mu) + (dt / t)^2. t falls where the
// determinant of the matrix is positive and rises where it is negative: that orients the curve through every fold. The
// step
//
//     (z, s, t) += d + c(d) / 2,   d = a + alpha tau,   tau = b of length one
//
// bends the way back along with the way on: places are up to `width` from the curve, and what the two have in common is
// as large as the rest. More terms of the series were tried, up to twelve, and steps grew no longer. A step is as long
// as it stays near: | lambda o lambda / (t mu) - e | and | W^-1 r_p | / sqrt(t mu) of every cone below `width`. Where
// no step does, a alone is taken in part; where that does not help, the step before is made shorter.
#pragma once

#include <vector>

#include "stiction/solvers/friction/body/body_cone_pairs.h"

namespace stiction::solvers {

/// Where a path begins: z_0 and s_0 in units of 1 over the root of the number of contacts.
struct BodyPathStart {
  double z = 1, s = 1;
  unsigned seed = 0;  ///< above 0: each cone has a mu of its own, up to e times larger or smaller, drawn by this seed
};

/// Caller-owned memory and the curve above.
class BodyPath {
 public:
  /// Does the law of this problem have such a curve? Not where friction sets are not ellipsoids, nor where discs grow
  /// with a normal impulse (rolling friction).
  static bool exists(const BodySystem& system);

  /// Places itself at t = 1.
  void start(const BodySystem& system, const BodyPathStart& start);

  /// Follows the curve until the residual is at most `goal`; false where it is lost or at its end, or after so many
  /// factorisations. Offers every point to `progress`.
  bool follow(const BodySystem& system, double goal, int factorizations, BodyMatrix& matrix, BodyProgress& progress);

  /// The impulses and the residual of the place that was reached.
  const std::vector<double>& impulse() const { return pairs_.impulse(); }
  double residual() const { return residual_; }
  /// How often t has turned.
  int turns() const { return turns_; }

  /// Takes the memory that a run needs.
  void reserve(const BodySystem& system);

 private:
  struct Direction {
    std::vector<double> z, s;  // rows of pairs
    double t = 0;
  };
  // A place on the curve with the ways that lead on from it.
  struct Place {
    std::vector<double> z, s;
    double t = 1;
    Direction back, along;
    Direction step, bend;  // d, and c(d)
    double alpha = 0;      // of the step that was made
    double share = 1;      // of d that it went
  };
  void size_arrays(size_t blocks, size_t rows, size_t system_rows);
  void draw_shares(unsigned seed);
  bool arrive(const BodySystem& system);
  void set_rest(const BodySystem& system);
  double distance(const BodySystem& system) const;
  bool find_directions(const BodySystem& system, BodyMatrix& matrix, BodyProgress& progress);
  void solve_back(const BodySystem& system, const BodyMatrix& matrix);
  void solve_along(const BodySystem& system, const BodyMatrix& matrix);
  void solve_bend(const BodySystem& system, const BodyMatrix& matrix, double alpha);
  double inner(const Direction& a, const Direction& b) const;
  void make_orthogonal(Direction& d) const;
  void put(const Place& place, const Direction& way, double share);
  void put_step(const Place& place, double share);
  bool is_near(const BodySystem& system);
  bool advance(const BodySystem& system, const BodyMatrix& matrix);
  bool go_back_in_part(const BodySystem& system);
  bool shorten_last_step(const BodySystem& system);

  BodyConePairs pairs_;
  double t_ = 1, mu_ = 0, residual_ = 0, last_alpha_ = 1;
  int sign_ = 1, turns_ = 0, shortened_ = 0, partial_ = 0;
  bool has_last_ = false;
  std::vector<double> share_;  // one per block: its mu over mu_
  std::vector<double> p0_;     // rows of the system
  std::vector<double> slack_;  // rows of the system: r_p of the place at hand
  Direction b_;
  Place now_, last_;
};

}  // namespace stiction::solvers
