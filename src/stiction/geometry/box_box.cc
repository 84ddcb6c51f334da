#include "stiction/geometry/box_box.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::geometry {

namespace {

// What the products of edges are judged with, in A's axes.
struct EdgePair {
  const Box& A;
  const Box& B;
  const Matrix3& C;    // B's axes
  const Vector3& p_A;  // B's centre
  double size;
};

// The best product of edges that is better than `separation`.
struct EdgeAxis {
  Vector3 normal = Vector3::Zero();  // A's axes
  double separation = 0;
};

// n_a and n_b are all of n that is not zero: the separation along it, times its length.
double edge_separation(const EdgePair& pair, int a, int b, double n_a, double n_b) {
  const Vector3 n_B = n_a * pair.C.row(a) + n_b * pair.C.row(b);
  return std::abs(n_a * pair.p_A[a] + n_b * pair.p_A[b]) -
         (pair.A.half_size[a] * std::abs(n_a) + pair.A.half_size[b] * std::abs(n_b)) -
         pair.B.half_size.dot(n_B.cwiseAbs());
}

// The product of A's edge i and B's edge j, normalised and evaluated in full: near parallel edges the direction is
// rough, but the separation is true. One that is clearly not better is left as it is: most are not.
void offer_edges(const EdgePair& pair, int i, int j, EdgeAxis& best) {
  const int a = (i + 1) % 3, b = (i + 2) % 3;
  double n_a = -pair.C(b, j), n_b = pair.C(a, j);
  const double length = std::sqrt(n_a * n_a + n_b * n_b);
  if (length < 1e-10) return;
  const double rounding = 1e-12 * pair.size;
  if (edge_separation(pair, a, b, n_a, n_b) < length * (best.separation - rounding)) return;
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

}  // namespace

BoxAxis box_box_axis(const Box& A, const Box& B, const Placement& pair, double size, double stop_above) {
  const Matrix3 C = pair.R_WA.transpose() * pair.R_WB;
  const Matrix3 D = C.cwiseAbs();
  const Vector3 p_A = pair.R_WA.transpose() * pair.p_AB;
  const Vector3 p_B = pair.R_WB.transpose() * pair.p_AB;
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
    offer_face(std::abs(p_A[k]) - A.half_size[k] - D.row(k).dot(B.half_size), pair.R_WA.col(k), p_A[k]);
  }
  for (int k = 0; k < 3; ++k) {
    offer_face(std::abs(p_B[k]) - B.half_size[k] - D.col(k).dot(A.half_size), pair.R_WB.col(k), p_B[k]);
  }
  if (face.separation > stop_above) {
    face.best_separation = face.separation;
    return face;
  }
  EdgeAxis edges = {.separation = face.separation};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) offer_edges({A, B, C, p_A, size}, i, j, edges);
  }
  face.best_separation = std::max(face.separation, edges.separation);
  if (edges.separation > face.separation + preference) {
    face.separation = edges.separation;
    face.normal = (pair.R_WA * edges.normal).normalized();
  }
  return face;
}

}  // namespace stiction::geometry
