// The integrators that methods with contacts first let users choose from.
#pragma once

#include <array>

#include "stiction/stepping/integrator.h"

namespace stiction::methods {

inline constexpr std::array all_integrators = {Integrator::explicit_euler, Integrator::semi_implicit_euler,
                                               Integrator::runge_kutta};

}  // namespace stiction::methods
