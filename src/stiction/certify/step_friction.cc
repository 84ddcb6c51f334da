// Friction of a step: is each impulse in its set, and does it dissipate the most?
#include <algorithm>
#include <cmath>

#include "stiction/certify/step_certifier.h"

namespace stiction::certify {

namespace {

// Impulses whose squares would be out of range are far beyond or below all that a step has to do with: the former are
// infinite here.
double length(double x, double y, double z = 0) {
  return std::sqrt(x * x + y * y + z * z);
}

// Is the length less than `limit` >= 0 by more than rounding? Most are, and that needs no root.
bool is_clearly_shorter(const double (&x)[3], double limit) {
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < (1 - 1e-12) * (limit * limit);
}

// Is numerator / denominator less than `value` by more than rounding? Most are, and that needs no division.
bool is_clearly_less(double numerator, double denominator, double value) {
  return numerator < (1 - 1e-12) * (value * denominator);
}

}  // namespace

// A friction set F = cone_scale * cone, not an ellipse: p_f in p_n F, and p_f . u at its least there, -p_n h_F(-u).
void Certifier::check_cone(const ContactRows& contact, int row) {
  const FrictionCone& cone = *contact.cone;
  const double p_n = answer.impulse[row], reach = contact.friction[0];
  const double p[2] = {answer.impulse[row + 1], answer.impulse[row + 2]};
  const double u[2] = {slip(contact, row, 0), slip(contact, row, 1)};
  const double against[2] = {-u[0], -u[1]};
  const double weight = std::max(work.weight[row + 1], work.weight[row + 2]);
  const double s = scale(contact.block);
  const double small = small_share * std::max(largest_normal(contact.block), s / std::max(weight, work.weight[row]));
  const double lost = std::max(p_n, 0.0) * contact.cone_scale * cone_support(cone, against) + p[0] * u[0] + p[1] * u[1];
  raise(result.friction, std::abs(lost) / (std::max(p_n, small) * reach * s));
  double inside[2] = {p[0], p[1]};
  restrict_to_span(cone, inside);
  double excess = std::max(0.0, -p_n) + length(p[0] - inside[0], p[1] - inside[1]) / reach;
  for (int i = 0; i < constraint_count(cone); ++i) {
    // phi(0, p) is the gauge to the power gamma; phi(1, p) + 1 would lose a small p to rounding.
    const double value = constraint_value(cone, i, 0, inside);
    raise(excess, std::pow(std::max(0.0, value), 1 / homogeneity(cone)) / contact.cone_scale - p_n);
  }
  if (excess > 0) raise(result.cone, excess / std::max(p_n, small));
}

// The disc of radius limit * p_n, as check_contact_friction. The scale is that of turning: the fastest that there is to
// stop, or what the contact's own scale comes to for something with the inertia that rolls.
void Certifier::check_rolling(const RollingRows& rolling, const ContactRows& contact) {
  const int row = problem.blocks[rolling.block].first_row, normal = problem.blocks[contact.block].first_row;
  const double p[2] = {answer.impulse[row], answer.impulse[row + 1]};
  const double radius = rolling.limit * std::max(0.0, answer.impulse[normal]);
  const double trace = work.weight[row] + work.weight[row + 1];
  if (!(trace > 0)) return;  // nothing that can roll
  const double rho = 2 / trace;
  double s = scale(contact.block) * std::sqrt(1 / (rho * work.weight[normal]));
  for (int r = 0; r < 2; ++r) raise(s, std::abs(work.free[row + r] + rolling.surface[r]));
  const double x[2] = {p[0] - rho * end(row, rolling.surface[0]), p[1] - rho * end(row + 1, rolling.surface[1])};
  const double reach = length(x[0], x[1]);
  const double shrink = reach > radius ? radius / reach : 1.0;
  raise(result.friction, length(p[0] - shrink * x[0], p[1] - shrink * x[1]) / rho / s);
  const double excess = length(p[0], p[1]) - radius;
  const double small = small_share * std::max(rolling.limit * largest_normal(contact.block), rho * s);
  if (excess > 0) raise(result.cone, excess / std::max(radius, small));
  for (int r = 0; r < 2; ++r) add_energy(row + r, rolling.surface[r]);
}

// Spin at the radius `a` of torsional friction: what there is to stop, or the contact's own scale.
double Certifier::spin_scale(const ContactRows& contact, int row, double s, double a) const {
  return std::max(s, a * std::abs(work.free[row + 3] + contact.surface[3]));
}

// In coordinates y_i = p_i / a_i with a_i = e_i / e the friction set is a ball of radius e p_n, and the velocity
// against which it dissipates most is a_i u_i: y must be the point of the ball nearest to y - rho a u. A component
// without friction must be zero.
void Certifier::check_contact_friction(const ContactRows& contact, int row, int rows) {
  const double p_n = answer.impulse[row];
  const double axes[3] = {contact.friction[0], contact.friction[1], contact.torsion};
  const double widest_slip = std::max(axes[0], axes[1]);
  const double e = widest_slip > 0 ? widest_slip : axes[2];
  double y[3] = {0, 0, 0};
  double u[3] = {0, 0, 0};
  double trace = work.weight[row];
  double excess = -std::min(0.0, p_n);
  for (int i = 0; i + 1 < rows; ++i) {
    const double p = answer.impulse[row + 1 + i];
    if (axes[i] <= 0) {
      raise(excess, std::abs(p));
      continue;
    }
    const double a = axes[i] == e ? 1.0 : axes[i] / e;  // the same along t and o as a rule
    y[i] = a == 1 ? p : p / a;
    u[i] = a * slip(contact, row, i);
    trace += a * a * work.weight[row + 1 + i];
  }
  const double rho = rows / trace, s = scale(contact.block);
  const double small_impulse = small_share * std::max(largest_normal(contact.block), rho * s);
  if (e > 0) {
    const double radius = e * std::max(0.0, p_n);
    const double x[3] = {y[0] - rho * u[0], y[1] - rho * u[1], y[2] - rho * u[2]};
    const double reach = is_clearly_shorter(x, radius) ? 0.0 : length(x[0], x[1], x[2]);
    const double shrink = reach > radius ? radius / reach : 1.0;
    const double off = length(y[0] - shrink * x[0], y[1] - shrink * x[1]);
    if (!is_clearly_less(off, rho * s, result.friction)) raise(result.friction, off / rho / s);
    if (rows > 3)
      raise(result.friction, std::abs(y[2] - shrink * x[2]) / rho / spin_scale(contact, row, s, axes[2] / e));
    if (!is_clearly_shorter(y, radius)) raise(excess, length(y[0], y[1], y[2]) / e - p_n);
  }
  const double carried = std::max(p_n, small_impulse);
  if (excess > 0 && !is_clearly_less(excess, carried, result.cone)) raise(result.cone, excess / carried);
}

}  // namespace stiction::certify
