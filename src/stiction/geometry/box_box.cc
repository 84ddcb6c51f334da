#include "stiction/geometry/box_box.h"

#include <cmath>
#include <limits>

namespace stiction::geometry {

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
  // Edge products, normalised and evaluated in full: near parallel edges the direction is rough, but the separation is
  // true.
  Vector3 edge_normal = Vector3::Zero();
  double edge_separation = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Vector3 n = Vector3::Unit(i).cross(C.col(j));
      const double length = n.norm();
      if (length < 1e-10) continue;
      n /= length;
      const double separation =
          std::abs(n.dot(p_A)) - A.half_size.dot(n.cwiseAbs()) - B.half_size.dot((C.transpose() * n).cwiseAbs());
      if (separation > edge_separation) edge_separation = separation, edge_normal = n.dot(p_A) < 0 ? Vector3(-n) : n;
    }
  }
  if (edge_separation > face.separation + preference) {
    face.separation = edge_separation;
    face.normal = (pair.R_WA * edge_normal).normalized();
  }
  face.best_separation = std::max(face.separation, edge_separation);
  return face;
}

}  // namespace stiction::geometry
