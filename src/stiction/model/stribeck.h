// Static and sliding friction: what a contact can hold falls from mu_s at rest to mu_d in fast slip (Stribeck's curve),
//
//     mu(s) = mu_d + (mu_s - mu_d) exp(-(s / v_s)^a),     v_s = 0:  mu_s at rest, mu_d in slip,
//
// s the slip speed, v_s Material::stribeck_velocity, a = 1 for materials (rodriguez2010 (4.22) leaves a open). mu_d is
// the reach of the friction set, that of its farthest point, and the whole set is scaled by mu(s) / mu_d: an ellipse, a
// polygon, a superellipse and the spin moment keep their shape.
#pragma once

#include "stiction/model/description.h"

namespace stiction {

/// mu(s) of the top of the file; transition_speed is v_s.
double stribeck_curve(double mu_d, double mu_s, double transition_speed, double exponent, double slip);

/// mu_d of a material: the larger `friction`, or the farthest corner of its polygon.
double sliding_friction(const Material& material);

/// mu_s / mu_d of a material; exactly 1 where it states no static friction above the sliding one.
double static_factor(const Material& material);

/// mu(slip) / mu_d; exactly 1 where static_factor() is. A slip of zero is rest.
double friction_factor(const Material& material, double slip);

}  // namespace stiction
