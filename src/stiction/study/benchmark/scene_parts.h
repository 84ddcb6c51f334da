// What the scenes of `stiction bench` are put together from.
#pragma once

#include <string>

#include "stiction/model/description.h"

namespace stiction {

inline constexpr double benchmark_gravity = 9.81;  ///< m/s^2

/// A body of one shape about its origin; its mass is still to be given.
BodyDescription moving_body(std::string name, geometry::Shape shape, const Vector3& position);

/// The same with its mass [kg].
BodyDescription body_of_mass(std::string name, double mass, geometry::Shape shape, const Vector3& position);

/// A cube about its origin; `edge` in m.
geometry::Box cube_of(double edge);

/// A plane that does not move.
BodyDescription fixed_plane(std::string name, const Vector3& position, const Vector3& normal);

/// Gravity and one material, no bodies.
ModelDescription empty_model(double friction);

/// The same with the plane "ground" at z = 0.
ModelDescription ground_model(double friction);

}  // namespace stiction
