// A collision at one point, integrated over the normal impulse that it has passed on: Routh's equations in the form of
// mirtich1996 (chapter 3) and Bhatt and Koechling, with the restitution of Stronge.
//
//     u' = K (1, f),     ' = d/dp_n,     f = -A^2 u_t / |A u_t| while it slips     (ellipsoid of friction, half axes A)
//
// Compression ends at u_n = 0, the collision when restitution has given back e^2 of the work that compression took,
// W = integral of u_n dp_n. Slip changes its direction on the way; it may stop, and then the point sticks if friction
// can hold it, or slips away along the only ray that leads out.
//
// In scaled rows (contact_impulse.h) friction is a unit ball: w = r d, |d| = 1,
//
//     r' = d . a,     d' = (a - (d . a) d) / r,     a = K_tn - K_tt d.
//
// Over s with dp_n = r ds this is smooth up to r = 0, which it reaches for s -> infinity; where d does not turn any
// more, where it sticks and along the ray out all rates are constant and the rest is closed form.
#pragma once

#include "stiction/methods/impulse/contact_impulse.h"

namespace stiction::methods {

/// The impulse of the whole collision; u[0] < 0. `tolerance`: relative error of an integration step. A friction set
/// that is not an ellipsoid gets closed_form_impulse.
Vector4 integrate_collision(const PointLaw& law, const Matrix4& K, const Vector4& u, double e, double tolerance);

}  // namespace stiction::methods
