// The classical fourth-order Runge-Kutta method: the independent reference for motions without a closed form.
#pragma once

#include "stiction/math/types.h"

namespace stiction::testing {

/// y(t + h) for dy/dt = rate(y).
template <class Rate>
VectorX runge_kutta_step(const Rate& rate, const VectorX& y, double h) {
  const VectorX k1 = rate(y);
  const VectorX k2 = rate(y + 0.5 * h * k1);
  const VectorX k3 = rate(y + 0.5 * h * k2);
  const VectorX k4 = rate(y + h * k3);
  return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

/// y(duration) in `steps` equal steps.
template <class Rate>
VectorX runge_kutta(const Rate& rate, VectorX y, double duration, int steps) {
  for (int i = 0; i < steps; ++i) y = runge_kutta_step(rate, y, duration / steps);
  return y;
}

/// The first time at which y[component] changes sign, looking from `step` on; `y` becomes the state there. Bisects the
/// last step, which is accurate to the method's order.
template <class Rate>
double runge_kutta_until_zero(const Rate& rate, VectorX& y, int component, double step) {
  double t = 0;
  for (;;) {
    const VectorX next = runge_kutta_step(rate, y, step);
    if (t > 0 && y[component] * next[component] <= 0) break;
    y = next;
    t += step;
  }
  double low = 0, high = step;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    const bool crossed = y[component] * runge_kutta_step(rate, y, middle)[component] <= 0;
    (crossed ? high : low) = middle;
  }
  y = runge_kutta_step(rate, y, high);
  return t + high;
}

}  // namespace stiction::testing
