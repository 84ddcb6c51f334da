// R(t) = exp(phi(t)) R0. With J the left Jacobian of exp, w = J phi', and
//   J = I + b [phi] + c [phi]^2,  b = (1 - cos x) / x^2,  c = (x - sin x) / x^3,  x = |phi|,
//   w' = J phi'' + J' phi',       b' = b1 (phi . phi'),   c' = c1 (phi . phi'),   b1 = (db/dx) / x, c1 = (dc/dx) / x.
#include "stiction/model/prescribed_motion.h"

#include <cmath>

#include "stiction/math/rotation.h"

namespace stiction {
namespace {

// A path with its first two derivatives.
struct Path {
  Vector3 value, rate, second;
};

Path evaluate(const Vector3& velocity, const std::vector<MotionTerm>& terms, double time) {
  Path path{velocity * time, velocity, Vector3::Zero()};
  for (const MotionTerm& term : terms) {
    const double angle = term.frequency * time + term.phase;
    path.value += std::sin(angle) * term.amplitude;
    path.rate += term.frequency * std::cos(angle) * term.amplitude;
    path.second -= term.frequency * term.frequency * std::sin(angle) * term.amplitude;
  }
  return path;
}

Quaternion orientation_at(const Body& body, double time) {
  const Path phi = evaluate(body.motion.angular_velocity, body.motion.rotation, time);
  return exp_rotation(phi.value) * body.orientation0;
}

// w' = J phi'' + J' phi'; [phi'] phi' = 0 leaves three terms of J'.
Vector3 angular_acceleration(const Path& phi) {
  const double x2 = phi.value.squaredNorm();
  const double x = std::sqrt(x2);
  const double xdot = phi.value.dot(phi.rate);
  // Series below x = 0.3, where the closed forms lose digits to cancellation; the next terms are below 1e-13.
  double b1 = -1.0 / 12 + x2 / 180 - x2 * x2 / 6720 + x2 * x2 * x2 / 453600;
  double c1 = -1.0 / 60 + x2 / 1260 - x2 * x2 / 60480 + x2 * x2 * x2 / 4989600;
  double c = 1.0 / 6 - x2 / 120 + x2 * x2 / 5040 - x2 * x2 * x2 / 362880;
  if (x > 0.3) {
    c = (x - std::sin(x)) / (x2 * x);
    b1 = (x * std::sin(x) - 2 * (1 - std::cos(x))) / (x2 * x2);
    c1 = (x * (1 - std::cos(x)) - 3 * (x - std::sin(x))) / (x2 * x2 * x);
  }
  const Vector3 cross = phi.value.cross(phi.rate);
  return exponential_jacobian(phi.value) * phi.second + b1 * xdot * cross + c1 * xdot * phi.value.cross(cross) +
         c * phi.rate.cross(cross);
}

}  // namespace

Pose prescribed_pose(const Body& body, double time) {
  if (body.kind != BodyKind::prescribed) return body.X_WB0;
  const Path translation = evaluate(body.motion.velocity, body.motion.translation, time);
  return {orientation_at(body, time).toRotationMatrix(), body.X_WB0.p + translation.value};
}

PrescribedMotion prescribed_motion(const Body& body, double time) {
  if (body.kind != BodyKind::prescribed) return {};
  const Path p = evaluate(body.motion.velocity, body.motion.translation, time);
  const Path phi = evaluate(body.motion.angular_velocity, body.motion.rotation, time);
  const Vector3 arm = orientation_at(body, time) * body.com_B;
  const Vector3 w = exponential_jacobian(phi.value) * phi.rate;
  const Vector3 wdot = angular_acceleration(phi);
  PrescribedMotion motion;
  motion.velocity = {p.rate + w.cross(arm), w};
  motion.acceleration = {p.second + wdot.cross(arm) + w.cross(w.cross(arm)), wdot};
  return motion;
}

Twist prescribed_mean_twist(const Body& body, double time, double h) {
  if (body.kind != BodyKind::prescribed) return {};
  const Vector3 start = prescribed_pose(body, time) * body.com_B;
  const Vector3 end = prescribed_pose(body, time + h) * body.com_B;
  const Quaternion turn = orientation_at(body, time + h) * orientation_at(body, time).conjugate();
  return {(end - start) / h, log_rotation(turn) / h};
}

}  // namespace stiction
