// Our vectors and poses as Bullet's, and back.
#pragma once

#include <LinearMath/btTransform.h>

#include <stdexcept>

#include "stiction/model/model.h"

namespace stiction::bench {

/// A vector for Bullet.
inline btVector3 to_bullet(const Vector3& v) {
  return {v.x(), v.y(), v.z()};
}

/// A rotation for Bullet.
inline btQuaternion to_bullet(const Quaternion& q) {
  return {q.x(), q.y(), q.z(), q.w()};
}

/// A pose for Bullet.
inline btTransform to_bullet(const Pose& X) {
  return btTransform(to_bullet(Quaternion(X.R)), to_bullet(X.p));
}

/// A vector of ours.
inline Vector3 from_bullet(const btVector3& v) {
  return {v.x(), v.y(), v.z()};
}

/// A rotation of ours.
inline Quaternion from_bullet(const btQuaternion& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}

/// Moments of inertia about the body's axes, which must be principal ones. Throws std::invalid_argument otherwise.
inline btVector3 principal_moments(const Body& body) {
  const Vector3 moments = body.inertia_B.diagonal();
  const double rest = (body.inertia_B - Matrix3(moments.asDiagonal())).norm();
  if (rest > 1e-12 * moments.norm()) {
    throw std::invalid_argument("the Bullet peer knows principal axes of inertia only");
  }
  return to_bullet(moments);
}

}  // namespace stiction::bench
