#include "stiction/geometry/shapes/features/support_feature.h"

#include <algorithm>
#include <cmath>

namespace stiction::geometry {

int aligned_axis(const Vector3& d) {
  int axis = 0;
  d.cwiseAbs().maxCoeff(&axis);
  return axis;
}

int corner_id(const Vector3& sign) {
  return (sign.x() > 0) + 2 * (sign.y() > 0) + 4 * (sign.z() > 0);
}

namespace {

// The signs of the corners of a box's face, by axis and side, counter-clockwise about its outward normal; and their
// numbers.
struct FaceCorners {
  double sign[4][3];
  int id[4];
};

constexpr FaceCorners face_corners(int axis, bool positive) {
  constexpr double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const int i = (axis + (positive ? 1 : 2)) % 3, j = (axis + (positive ? 2 : 1)) % 3;
  FaceCorners face = {};
  for (int c = 0; c < 4; ++c) {
    double* sign = face.sign[c];
    sign[axis] = positive ? 1 : -1;
    sign[i] = corners[c][0];
    sign[j] = corners[c][1];
    face.id[c] = (sign[0] > 0) + 2 * (sign[1] > 0) + 4 * (sign[2] > 0);
  }
  return face;
}

constexpr FaceCorners all_faces[3][2] = {{face_corners(0, false), face_corners(0, true)},
                                         {face_corners(1, false), face_corners(1, true)},
                                         {face_corners(2, false), face_corners(2, true)}};

}  // namespace

void box_face(const Vector3& half_size, const FeatureView& view, const Vector3& p, SupportFeature* feature) {
  const int k = aligned_axis(view.local);
  const double side = std::copysign(1.0, view.local[k]);
  const FaceCorners& face = all_faces[k][side > 0];
  feature->kind = SupportFeature::Kind::polygon;
  feature->normal = side * view.R.col(k);
  feature->edge_base = 4 * (2 * k + (side > 0));
  for (int c = 0; c < 4; ++c) {
    const Vector3 sign = Eigen::Map<const Vector3>(face.sign[c]);
    feature->add_vertex(p + view.R * sign.cwiseProduct(half_size), face.id[c]);
  }
}

void disc_face(double radius, double half_length, const FeatureView& view, SupportFeature* feature) {
  const Matrix3& R = view.R;
  const double side = std::copysign(1.0, view.local.z());
  feature->kind = SupportFeature::Kind::disc;
  feature->normal = side * R.col(2);
  feature->center = view.p + (side * half_length) * R.col(2);
  feature->radius = radius;
  feature->edge_base = side > 0;
  const int base = side > 0 ? 8 : 0;
  feature->add_vertex(feature->center + radius * R.col(0), base);
  feature->add_vertex(feature->center + radius * R.col(1), base + 1);
  feature->add_vertex(feature->center - radius * R.col(0), base + 2);
  feature->add_vertex(feature->center - radius * R.col(1), base + 3);
  const double tilt = std::hypot(view.local.x(), view.local.y());
  if (tilt <= 1e-9) return;
  const Vector3 toward(view.local.x() / tilt, view.local.y() / tilt, 0);
  // Not a fifth point where it is (almost) one of the four.
  if (std::max(std::abs(toward.x()), std::abs(toward.y())) < 1 - 1e-9) {
    feature->add_vertex(feature->center + radius * (R * toward), base + 4);
  }
}

void side_line(double radius, double half_length, const Vector3& outward, const FeatureView& view,
               SupportFeature* feature) {
  feature->kind = SupportFeature::Kind::segment;
  const Vector3 offset = view.p + radius * outward;
  feature->add_vertex(offset - half_length * view.R.col(2), 0);
  feature->add_vertex(offset + half_length * view.R.col(2), 1);
}

}  // namespace stiction::geometry
