// Our shapes as Bullet's.
#pragma once

#include <memory>

#include "bullet_types.h"

class btCollisionShape;

namespace stiction::bench {

/// The shape in its own frame; planes of fixed bodies only. Throws std::invalid_argument for what Bullet
/// is not given here.
std::unique_ptr<btCollisionShape> make_bullet_shape(const Body& body, const BodyShape& shape);

}  // namespace stiction::bench
