// The impulse of one contact in closed form: it stops the slip if friction can, or else slides (hahn1988,
// guendelman2003 section 5).
//
//     u, p       relative velocity and impulse, rows normal first, then those with friction;  u+ = u + K p
//     sticking   u_n+ = -e u_n, u_t+ = 0             if p_t is in the friction set of p_n
//     sliding    u_n+ = -e u_n, p_t = p_n b(u_t)     b the point of the friction set that opposes u_t most
//
// Ellipsoids of friction with half axes A become unit balls in the scaled rows (u_n, A u_t), (p_n, A^-1 p_t), in which
// K is B K B with B = diag(1, A).
#pragma once

#include <array>

#include "stiction/problem/friction_cone.h"

namespace stiction::methods {

/// Rows and friction of a contact, or of a joint limit.
struct PointLaw {
  int count = 1;                           ///< rows: the normal and those with friction
  std::array<double, 3> axes = {1, 1, 1};  ///< half axes of the friction ellipsoid in rows 1 .. count - 1, > 0
  const FrictionCone* cone = nullptr;      ///< friction set of rows 1, 2 that is not an ellipse; axes are 1 then
};

using Matrix4 = Eigen::Matrix4d;  ///< K of up to four rows; what is beyond the law's count is zero

/// One contact's K and u in rows in which its ellipsoid is a unit ball.
struct ScaledContact {
  Matrix4 K;
  Vector4 u;
};

/// See ScaledContact.
ScaledContact scale_contact(const PointLaw& law, const Matrix4& K, const Vector4& u);

/// An impulse of the scaled rows in those of the contact.
Vector4 unscale_impulse(const PointLaw& law, const Vector4& p);

/// Is p_t in the friction set of p_n? In scaled rows.
bool within_friction(const PointLaw& law, const Vector4& p);

/// x with K x = b for the leading `n` rows; zero in rows that K determines by others.
Vector4 solve_semidefinite(const Matrix4& K, int n, const Vector4& b);

/// The impulse after which u_n is -e u_n; e < 0 leaves a share of the approach. Where friction would wedge the contact
/// (sliding brings no impulse that stops it) it acts without friction.
Vector4 closed_form_impulse(const PointLaw& law, const Matrix4& K, const Vector4& u, double e);

}  // namespace stiction::methods
