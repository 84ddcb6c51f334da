#include "stiction/geometry/shapes/shape.h"

namespace stiction::geometry {

bool is_valid(const Shape& shape) {
  return ask_shape(shape, [](auto traits, const auto& s) { return traits.valid(s); });
}

Shape prepared(const Shape& shape) {
  return ask_shape(shape, [](auto traits, const auto& s) -> Shape { return traits.prepared(s); });
}

double bounding_radius(const Shape& shape) {
  return ask_shape(shape, [](auto traits, const auto& s) { return traits.bounding_radius(s); });
}

double shape_size(const Shape& shape) {
  return ask_shape(shape, [](auto traits, const auto& s) { return traits.size(s); });
}

MassProperties mass_properties(const Shape& shape) {
  return ask_shape(shape, [](auto traits, const auto& s) { return traits.mass_properties(s); });
}

Vector3 support(const Shape& shape, const Vector3& d) {
  return ask_shape(shape, [&](auto traits, const auto& s) { return traits.support(s, d); });
}

double support_height(const Shape& shape, const Vector3& d) {
  return ask_shape(shape, [&](auto traits, const auto& s) { return traits.support_height(s, d); });
}

std::span<const Vector3> narrow_directions(const Shape& shape) {
  return ask_shape(shape, [](auto traits, const auto& s) { return traits.narrow_directions(s); });
}

Aabb bounding_box(const Shape& shape, const Pose& X_WS) {
  return ask_shape(shape, [&](auto traits, const auto& s) { return traits.bounding_box(s, X_WS); });
}

CoreShape core_shape(const Shape& shape) {
  return ask_shape(shape, [](auto traits, const auto& s) { return traits.core(s); });
}

void support_feature(const Shape& shape, const Matrix3& R, const Vector3& p, const Vector3& d,
                     SupportFeature* feature) {
  feature->count = 0;
  feature->kind = SupportFeature::Kind::point;
  const FeatureView view{R, p, d, R.transpose() * d};
  ask_shape(shape, [&](auto traits, const auto& s) { traits.feature(s, view, feature); });
}

bool aligned_face_normal(const Shape& shape, const Matrix3& R, const Vector3& d, Vector3* normal) {
  const Vector3 local = R.transpose() * d;
  return ask_shape(shape, [&](auto traits, const auto& s) { return traits.face_normal(s, R, local, normal); });
}

}  // namespace stiction::geometry
