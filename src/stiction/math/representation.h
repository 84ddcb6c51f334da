// The ways to write an orientation down and to step it: section 5 of anitescu1998, "Differing representations of q and
// v".
//
// Coordinates x of a rotation R change with the angular velocity omega, seen from the frame that R leads to (world axes
// for a free body, the parent's joint frame for a spherical joint), by
//
//     dx/dt = G(x) omega        (29)        dR/dt = omega* R        (30)
//
// and a step is x + h G(x) omega, followed by the way back to a unit quaternion. The state always stores the
// quaternion, and every step takes its coordinates afresh from it, so a state is portable from one representation to
// another. With t = h |omega|:
//
//     representation  x                                G^T G                 one step at constant omega turns by
//     exponential     none: q <- exp(h omega) q        -                     t, exact
//     quaternion      w, x, y, z                       I / 4                 2 atan(t / 2), about omega
//     matrix          vec R, column by column          2 I                   atan(t), about omega
//     euler           yaw, pitch, roll (z-y-x)         singular: pitch 90    t + O(t^2)
//     rodrigues       tan(angle / 4) axis, norm <= 1   ((1 + x.x) / 4)^2 I   t + O(t^2)
//
// Way back: a quaternion is normalised, a matrix is replaced by the nearest rotation (its polar factor); angles and
// Rodrigues vectors are rotations already.
//
// Rodrigues vectors are the modified ones. Each orientation but the reference has two, x and its shadow -x / x.x, which
// is what the paper says of Rodrigues vectors (Gibbs' vector tan(angle / 2) axis has no second one and is infinite at
// half a turn). x is infinite only after a full turn, where its shadow is zero. Taking the one of norm at most 1 at the
// start of every step keeps the singular values of G between 1/4 and 1/2.
//
// Euler angles near pitch = +-90 degrees, c = |cos pitch|. G grows as 1/c. Three errors of a step follow:
// - Rounding. The angles come from half sums and half differences of yaw and roll (Bernardes and Viollet 2022), so that
//   they give R back to rounding at any c. Their rates carry a relative error epsilon/c, and the turn t of the step one
//   of t epsilon/c.
// - Truncation. The body's x axis, c away from the pole, moves on a circle instead of a straight line: t^2 / (2 c)
//   while t < c.
// - Past that (t > c) the yaw may turn any number of times, but the axis stays on a circle of radius c: the step errs
//   by at most a few (t + c), once per passage, which is of first order like the method.
// So what happens near the pole is bounded for any c > 0, and the bound on c only has to keep G meaningful:
// c >= 1e-6 leaves ten digits of the turn.
#pragma once

#include <array>
#include <string_view>

#include "stiction/math/types.h"

namespace stiction {

/// How a step advances orientations.
enum class Representation { exponential, quaternion, matrix, euler, rodrigues };

inline constexpr std::array all_representations = {Representation::exponential, Representation::quaternion,
                                                   Representation::matrix, Representation::euler,
                                                   Representation::rodrigues};

/// |cos pitch| below which Euler angles count as singular; see the top of the file.
inline constexpr double singular_cos_pitch = 1e-6;

/// Coordinates of an orientation: 4, 9 or 3 numbers, without memory from the heap.
using OrientationCoordinates = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 9, 1>;

/// G: one row per coordinate.
using OrientationRateMap = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::ColMajor, 9, 3>;

/// "exponential", "quaternion", "matrix", "euler" or "rodrigues".
std::string_view representation_name(Representation representation);

/// Coordinates of a unit quaternion. Not for `exponential`, which has none.
OrientationCoordinates orientation_coordinates(Representation representation, const Quaternion& orientation);

/// G(x) of (29). Not for `exponential`; of no use where Euler angles are singular.
OrientationRateMap orientation_rate_map(Representation representation, const OrientationCoordinates& x);

/// The unit quaternion of coordinates, which may be off the manifold by the step that was made. Not for `exponential`.
Quaternion orientation_of(Representation representation, const OrientationCoordinates& x);

/// True where no step can be made: Euler angles with |cos pitch| < singular_cos_pitch. False for all others.
bool is_singular(Representation representation, const Quaternion& orientation);

/// `orientation` after a step h at the angular velocity `omega`: unit norm to rounding, on the same side of the sphere
/// of quaternions. Not where is_singular.
Quaternion step_orientation(Representation representation, const Quaternion& orientation, const Vector3& omega,
                            double h);

/// The rotation nearest to a matrix of positive determinant (Frobenius norm): its orthogonal polar factor.
Matrix3 nearest_rotation(const Matrix3& matrix);

}  // namespace stiction
