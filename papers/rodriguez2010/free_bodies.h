// Impacts of free bodies as plain data: in the plane (x, y, angle per body) and in space (linear, angular per body).
#pragma once

#include <vector>

#include "stiction/events/impacts/simultaneous_impact.h"

namespace stiction::papers::rodriguez2010 {

/// Laws of every contact of an impact.
struct Surface {
  double restitution = 0, mu_s = 0, mu_d = 0;
};

/// A place where body b meets body a, or what is fixed.
struct Touch {
  int b = 0;
  Vector3 arm_b = Vector3::Zero();    ///< from the centre of b
  Vector3 normal = Vector3::UnitY();  ///< unit, into b
  int a = -1;                         ///< -1: fixed
  Vector3 arm_a = Vector3::Zero();    ///< from the centre of a
};

/// Adds a body: mass, three principal moments (the plane takes the last), velocity of 3 or 6 numbers.
void add_body(ImpactProblem& problem, double mass, const Vector3& inertia, const VectorX& velocity);

/// Adds a contact; `dimension` 2 or 3. All bodies are there already. In the plane the tangent of normal +y is +x.
void add_touch(ImpactProblem& problem, int dimension, const Touch& touch, const Surface& surface);

/// Balls in a row on a line, without friction: contact k is between balls k and k + 1.
ImpactProblem row_of_balls(const std::vector<double>& masses, const std::vector<double>& velocities,
                           double restitution);

}  // namespace stiction::papers::rodriguez2010
