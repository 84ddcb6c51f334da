// The exact motion of trinkle2003, section 4: a sphere that is released sliding slows down until it rolls.
//
//   sliding  v_x = v0 - mu g t,  omega_y = 5 mu g t / (2 r)     until t_trn = 2 v0 / (7 mu g)
//   rolling  v_x = 5 v0 / 7,     omega_y = 5 v0 / (7 r)
#pragma once

#include <algorithm>
#include <cmath>

namespace stiction::papers::trinkle2003 {

/// The paper's constants and the closed form they give.
struct ClosedForm {
  double v0 = 2.0, mu = 0.2, g = 9.81, mass = 1.0, radius = 1.0;

  double transition() const { return 2 * v0 / (7 * mu * g); }
  double sliding_time(double t) const { return std::min(t, transition()); }
  double v_x(double t) const { return v0 - mu * g * sliding_time(t); }
  double omega_y(double t) const { return 2.5 * mu * g * sliding_time(t) / radius; }
  double x(double t) const {
    const double s = sliding_time(t);
    return v0 * s - 0.5 * mu * g * s * s + v_x(t) * (t - s);
  }
  /// Friction force along x at an instant.
  double force_x(double t) const { return t < transition() ? -mu * mass * g : 0.0; }
  /// Mean of the friction force over [t - h, t].
  double mean_force_x(double t, double h) const { return -mu * mass * g * (sliding_time(t) - sliding_time(t - h)) / h; }
  /// Integral over [t - h, t] of |force - constant|.
  double force_error(double constant, double t, double h) const {
    const double slide = sliding_time(t) - sliding_time(t - h);
    return std::abs(constant + mu * mass * g) * slide + std::abs(constant) * (h - slide);
  }
};

}  // namespace stiction::papers::trinkle2003
