#include "stiction/geometry/shapes/features/shape_points.h"

#include "stiction/base/infinity.h"

namespace stiction::geometry {
namespace {

Vector3 corner_sign(int corner) {
  return {corner & 1 ? 1.0 : -1.0, corner & 2 ? 1.0 : -1.0, corner & 4 ? 1.0 : -1.0};
}

}  // namespace

void add_box_corners(const Vector3& half_size, double radius, const PlanePoints& plane) {
  const Vector3 down = -(plane.R().transpose() * plane.n());
  constexpr double facing = 1e-9;
  // A core that is flat along an axis has both its sides at one place: one of them, which looks both ways.
  const Eigen::Array3d flat = (half_size.array() <= 1e-9 * half_size.maxCoeff()).cast<double>();
  const bool solid = flat.maxCoeff() == 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3 sign = corner_sign(corner);
    const auto add = [&] {
      plane.add(plane.p() + plane.R() * sign.cwiseProduct(half_size) - radius * plane.n(), corner);
    };
    if (solid) {
      const bool looks_down = sign[0] * down[0] > facing || sign[1] * down[1] > facing || sign[2] * down[2] > facing;
      if (looks_down) add();
      continue;
    }
    if ((flat * sign.array()).maxCoeff() > 0) continue;
    const Eigen::Array3d looks = flat * down.array().abs() + (1 - flat) * sign.array() * down.array();
    if (looks.maxCoeff() > facing) add();
  }
}

void add_box_corners(const Vector3& half_size, double ball, const BowlCollector& bowl) {
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3 sign = corner_sign(corner);
    const bool twice = ((sign.array() > 0) && (half_size.array() <= 1e-9 * half_size.maxCoeff())).any();
    if (!twice) bowl.add(sign.cwiseProduct(half_size), ball, corner);
  }
}

void add_rim(double radius, double z, int feature, const BowlCollector& bowl) {
  constexpr double level = 0.05;
  constexpr double undecided = 1e-6;
  constexpr double same = 0.05;
  const Vector3& c = bowl.center();
  const double aside = c.head<2>().norm();
  Vector3 farthest = Vector3::Constant(infinity);
  if (aside > undecided * radius) {
    farthest = {-radius * c.x() / aside, -radius * c.y() / aside, z};
    bowl.add(farthest, 0, feature);
  }
  if (aside > level * radius) return;
  for (int k = 0; k < 4; ++k) {
    const Vector3 fixed(k == 0 ? radius : k == 1 ? -radius : 0, k == 2 ? radius : k == 3 ? -radius : 0, z);
    if (!((fixed - farthest).norm() < same * radius)) bowl.add(fixed, 0, feature + 1 + k);
  }
}

}  // namespace stiction::geometry
