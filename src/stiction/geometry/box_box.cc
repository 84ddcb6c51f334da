#include "stiction/geometry/box_box.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::geometry {

namespace {

// What the products of edges are judged with, in A's axes.
struct EdgePair {
  const Vector3& A;  // half sizes
  const Vector3& B;
  const Matrix3& C;    // B's axes
  const Matrix3& D;    // their absolute values
  const Vector3& p_A;  // B's centre
};

// The best product of edges that is better than `separation`.
struct EdgeAxis {
  Vector3 normal = Vector3::Zero();  // A's axes
  double separation = 0;
};

// The separation along the product of A's edge i and B's edge j, times its length, if the axes are orthonormal.
double rough_separation(const EdgePair& pair, int i, int j) {
  const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
  return std::abs(pair.C(a, j) * pair.p_A[b] - pair.C(b, j) * pair.p_A[a]) -
         (pair.A[a] * pair.D(b, j) + pair.A[b] * pair.D(a, j)) - (pair.B[c] * pair.D(i, d) + pair.B[d] * pair.D(i, c));
}

// n_a and n_b are all of n that is not zero: the separation along it, times its length.
double edge_separation(const EdgePair& pair, int a, int b, double n_a, double n_b) {
  const Vector3 n_B = n_a * pair.C.row(a) + n_b * pair.C.row(b);
  return std::abs(n_a * pair.p_A[a] + n_b * pair.p_A[b]) - (pair.A[a] * std::abs(n_a) + pair.A[b] * std::abs(n_b)) -
         pair.B.dot(n_B.cwiseAbs());
}

// The product of A's edge i and B's edge j, normalised and evaluated in full: near parallel edges the direction is
// rough, but the separation is true.
void offer_edges(const EdgePair& pair, int i, int j, EdgeAxis& best) {
  const int a = (i + 1) % 3, b = (i + 2) % 3;
  double n_a = -pair.C(b, j), n_b = pair.C(a, j);
  const double length = std::sqrt(n_a * n_a + n_b * n_b);
  if (length < 1e-10) return;
  n_a /= length;
  n_b /= length;
  const double separation = edge_separation(pair, a, b, n_a, n_b);
  if (!(separation > best.separation)) return;
  best.separation = separation;
  const double side = n_a * pair.p_A[a] + n_b * pair.p_A[b] < 0 ? -1 : 1;
  best.normal.setZero();
  best.normal[a] = side * n_a;
  best.normal[b] = side * n_b;
}

// Offers all products but those that are clearly not better, which most are: rough_separation() is then below the
// best times a length between 0 and 1.
void offer_all_edges(const EdgePair& pair, double rounding, double stop_above, EdgeAxis& best) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (rough_separation(pair, i, j) < std::min(best.separation, 0.0) - rounding) continue;
      offer_edges(pair, i, j, best);
      if (best.separation > stop_above) return;
    }
  }
}

}  // namespace

BoxAxis box_box_axis(const Box& A, const Box& B, const Matrix3& R_WA, const Matrix3& R_WB, const Vector3& p_AB,
                     double size, double stop_above) {
  const Matrix3 C = R_WA.transpose() * R_WB;
  const Matrix3 D = C.cwiseAbs();
  const Vector3 p_A = R_WA.transpose() * p_AB;
  // A face wins over another axis that is better by less than this: no flicker between equivalent normals.
  const double preference = 1e-10 * size;
  BoxAxis face;
  face.separation = -std::numeric_limits<double>::infinity();
  const auto offer_face = [&](double separation, const Vector3& axis, double side) {
    if (separation <= face.separation + preference) return;
    face.separation = separation;
    face.normal = std::copysign(1.0, side) * axis;
  };
  for (int k = 0; k < 3; ++k) {
    offer_face(std::abs(p_A[k]) - A.half_size[k] - D.row(k).dot(B.half_size), R_WA.col(k), p_A[k]);
  }
  // Enough for the far ones; beyond the preference, so that it is above `stop_above` whichever axis wins.
  const double far_apart = stop_above + 1e-6 * size;
  if (face.separation > far_apart) return face;
  const Vector3 p_B = R_WB.transpose() * p_AB;
  for (int k = 0; k < 3; ++k) {
    offer_face(std::abs(p_B[k]) - B.half_size[k] - D.col(k).dot(A.half_size), R_WB.col(k), p_B[k]);
  }
  if (face.separation > stop_above) {
    face.best_separation = face.separation;
    return face;
  }
  EdgeAxis edges = {.separation = face.separation};
  offer_all_edges({A.half_size, B.half_size, C, D, p_A}, 1e-9 * size, far_apart, edges);
  face.best_separation = std::max(face.separation, edges.separation);
  if (edges.separation > face.separation + preference) {
    face.separation = edges.separation;
    face.normal = (R_WA * edges.normal).normalized();
  }
  return face;
}

}  // namespace stiction::geometry
