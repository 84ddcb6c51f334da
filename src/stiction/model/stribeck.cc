#include "stiction/model/stribeck.h"

#include <algorithm>
#include <cmath>

namespace stiction {

double stribeck_curve(double mu_d, double mu_s, double transition_speed, double exponent, double slip) {
  if (transition_speed == 0) return slip > 0 ? mu_d : mu_s;
  return mu_d + (mu_s - mu_d) * std::exp(-std::pow(slip / transition_speed, exponent));
}

double sliding_friction(const Material& material) {
  if (material.friction_polygon.empty()) return std::max(material.friction[0], material.friction[1]);
  double reach = 0;
  for (const Vector2& corner : material.friction_polygon) reach = std::max(reach, corner.norm());
  return reach;
}

double static_factor(const Material& material) {
  const double mu_d = sliding_friction(material);
  return mu_d > 0 && material.static_friction > mu_d ? material.static_friction / mu_d : 1.0;
}

double friction_factor(const Material& material, double slip) {
  const double at_rest = static_factor(material);
  return at_rest == 1.0 ? 1.0 : stribeck_curve(1.0, at_rest, material.stribeck_velocity, 1.0, slip);
}

}  // namespace stiction
