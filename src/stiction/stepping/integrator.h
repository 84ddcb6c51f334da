// How velocities and positions follow from the loads where a method handles contacts first.
#pragma once

#include <string_view>

namespace stiction {

/// Integrators of the motion between contacts.
enum class Integrator {
  explicit_euler,       ///< positions move with the velocities that the contacts left, loads act afterwards
  semi_implicit_euler,  ///< loads act first, positions move with the velocities they lead to
  runge_kutta,          ///< the classical one of fourth order, on the motion between the contacts
};

/// "explicit-euler", "semi-implicit-euler" or "runge-kutta".
constexpr std::string_view integrator_name(Integrator integrator) {
  constexpr std::string_view names[] = {"explicit-euler", "semi-implicit-euler", "runge-kutta"};
  return names[static_cast<int>(integrator)];
}

}  // namespace stiction
