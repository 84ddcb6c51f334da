#include "bullet_shapes.h"

#include <btBulletCollisionCommon.h>

namespace stiction::bench {

std::unique_ptr<btCollisionShape> make_bullet_shape(const Body& body, const BodyShape& shape) {
  if (const auto* sphere = std::get_if<geometry::Sphere>(&shape.shape)) {
    return std::make_unique<btSphereShape>(sphere->radius);
  }
  if (const auto* box = std::get_if<geometry::Box>(&shape.shape)) {
    return std::make_unique<btBoxShape>(to_bullet(box->half_size));
  }
  if (const auto* capsule = std::get_if<geometry::Capsule>(&shape.shape)) {
    return std::make_unique<btCapsuleShapeZ>(capsule->radius, 2 * capsule->half_length);
  }
  if (const auto* plane = std::get_if<geometry::Plane>(&shape.shape); plane != nullptr && !body.moves) {
    return std::make_unique<btStaticPlaneShape>(to_bullet(plane->normal), 0);
  }
  throw std::invalid_argument("the Bullet peer knows spheres, boxes, capsules and planes only");
}

}  // namespace stiction::bench
