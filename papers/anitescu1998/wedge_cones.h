// Figure 1 of anitescu1998 by itself: a particle of unit mass in a groove along x between walls at 45 degrees.
//
// K_1 has the normal (0, -1, 1) / sqrt 2, K_2 the normal (0, 1, 1) / sqrt 2, friction mu. A reaction f is carried when
// f = k_1 + k_2 with k_i in K_i. What the walls exchange across the groove is -k_1y; with friction 1 and
// f = (1, 0, 1/(2n)) it is n/2 at least, by (24)-(25) with half the load on each wall, and without bound in the limit
// (26).
//
// Lower bound: for any w with -w in K_2* and -e_y - w in K_1*,  -k_1y = -e_y . k_1 >= w . k_1 >= w . f. With friction 1
// the cones are their own duals, and w = (n, -1/2, -n^2) gives n/2.
#pragma once

#include <cmath>
#include <vector>

#include "stiction/math/types.h"
#include "stiction/problem/cone_problem.h"

namespace stiction::papers::anitescu1998 {

/// Rows n, t, o of both walls over the particle's velocity.
inline MatrixX wedge_rows() {
  MatrixX J(6, 3);
  const double s = std::sqrt(0.5);
  J << 0, -s, s, 1, 0, 0, 0, s, s,  //
      0, s, s, 1, 0, 0, 0, s, -s;
  return J;
}

/// f_n of (25).
inline Vector3 wedge_load(double n) {
  return {1, 0, 1 / (2 * n)};
}

/// c_n - |friction| of an impulse at wall 0 or 1: negative outside a cone with friction 1.
inline double depth_in_cone(int wall, const Vector3& impulse) {
  const Vector3 local = wedge_rows().middleRows(3L * wall, 3) * impulse;
  return local[0] - std::hypot(local[1], local[2]);
}

/// The least -k_1y that carries the load, by bisection: the reflection of y swaps the walls and the problem is convex,
/// so that each wall takes half the load, and more pressure across the groove only leads deeper into the cones.
inline double least_pressure(double n) {
  const Vector3 half = wedge_load(n) / 2;
  double low = 0, high = 4 * n;
  for (int k = 0; k < 200 && high - low > 1e-15 * high; ++k) {
    const double middle = (low + high) / 2;
    (depth_in_cone(0, half - middle * Vector3::UnitY()) >= 0 ? high : low) = middle;
  }
  return high;
}

/// The lower bound of the top of the file, less what w misses the dual cones by.
inline double pressure_bound(double n) {
  const Vector3 w(n, -0.5, -n * n);
  const double miss = std::max({0.0, -depth_in_cone(1, -w), -depth_in_cone(0, -Vector3::UnitY() - w)});
  return wedge_load(n).dot(w) - miss;
}

/// The impulses that stop a particle which the load would bring to the velocity -f in one step.
inline ConeProblem loaded_wedge(const FrictionCone& cone, double n) {
  const MatrixX J = wedge_rows(), W = J * J.transpose();
  const VectorX q = -J * wedge_load(n);
  ConeProblem problem;
  problem.contacts = {{0, &cone}, {3, &cone}};
  problem.W.assign(W.data(), W.data() + W.size());
  problem.q.assign(q.data(), q.data() + q.size());
  return problem;
}

}  // namespace stiction::papers::anitescu1998
