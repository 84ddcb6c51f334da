// Mechanical energy and momentum of the whole system.
#pragma once

#include "stiction/dynamics/kinematics.h"

namespace stiction {

/// Kinetic energy of all simulated bodies and armatures [J].
double kinetic_energy(const Model& model, const State& state, const Kinematics& kinematics);
/// Potential energy of gravity (zero at the world's origin) and of joint springs [J].
double potential_energy(const Model& model, const State& state, const Kinematics& kinematics);
/// Linear momentum of the simulated bodies [kg m/s].
Vector3 linear_momentum(const Model& model, const Kinematics& kinematics);
/// Angular momentum of the simulated bodies about the world's origin [kg m^2/s].
Vector3 angular_momentum(const Model& model, const Kinematics& kinematics);

}  // namespace stiction
