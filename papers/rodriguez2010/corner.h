// The ball of chapter 5 and its corner: flight in closed form from the stated start to the time at which it meets
// ground and wall, and the impact there. The ground is y = 0, the wall x = wall.
//
//     Q_1, Q_2, Q_3 and rates    x, y of the centre and the angle: Vector3, in m, m/s, rad, rad/s
//     theta                      ground v_n, v_t; wall v_n, v_t: tangents +x and +y, normals off ground and wall
//
// Mass, radius, inertia and the wall's place are not stated: m = 1, R = 0.5, I = m R^2 / 2, and the wall stands where
// the ball is when it lands.
#pragma once

#include <string_view>

#include "stiction/events/impacts/simultaneous_impact.h"

namespace stiction::papers::rodriguez2010 {

inline constexpr double m = 1, R = 0.5, I = m * R * R / 2, g = 9.81;         ///< kg, m, kg m^2, m/s^2
inline constexpr double restitution = 0.5, mu_s = 0.5, mu_d = 0.25;          ///< chapter 5
inline constexpr double transition_speed = 1.4e-4, transition_exponent = 1;  ///< v_s [m/s] and a of (4.22)

/// Contacts of the corner.
enum CornerContact : int { ground = 0, wall = 1 };

/// A start of tables 5.1 to 5.3: at rest but for Q1_dot, at height Q2.
struct CornerCase {
  std::string_view example;
  double Q1_dot, Q2;  ///< m/s, m
  double degrees;     ///< stated angle of impact with the ground
};

/// Sections 5.1 to 5.3.
inline constexpr CornerCase corner_cases[] = {{"case-1", 4, 5, 60}, {"case-2", 8, 1.5, 30}, {"case-3", 4, 1.5, 45}};

/// A motion under gravity alone from a state at time 0.
struct Flight {
  Vector3 start, rate;

  Vector3 position(double t) const { return start + rate * t - Vector3(0, g / 2 * t * t, 0); }
  Vector3 velocity(double t) const { return rate - Vector3(0, g * t, 0); }
  /// When the ball is on the ground next, coming down.
  double landing() const;
};

/// J: of motion and of height, at a time of a flight.
double kinetic_energy(const Vector3& velocity);
double potential_energy(const Vector3& position);

/// The impact of a case.
struct CornerImpact {
  Flight before;
  double time = 0, wall_at = 0;  ///< s, m
  ImpactProblem problem;

  Vector3 place() const { return before.position(time); }
  Flight after(const Vector3& velocity) const { return {place(), velocity}; }
};

/// Flies to the corner.
CornerImpact meet_corner(const CornerCase& start);

/// The shortest p with J^T p = A (after - before), by a pseudo-inverse: (4.9) by other means.
Vector4 shortest_impulse(const ImpactProblem& problem, const Vector3& velocity_after);

/// The velocity after the impact with (4.11) and tangential velocity v_t at a contact.
Vector3 velocity_for_slip(const ImpactProblem& problem, CornerContact contact, double v_t);

}  // namespace stiction::papers::rodriguez2010
