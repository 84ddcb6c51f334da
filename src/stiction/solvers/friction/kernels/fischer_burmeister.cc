#include "stiction/solvers/friction/kernels/fischer_burmeister.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/friction/kernels/cone_projection.h"

namespace stiction::solvers {

namespace {

// x + y - (x^2 + y^2)^(1/2) of two vectors of the Jordan algebra of the second-order cone, n values, first the scalar.
void jordan_fischer_burmeister(const double* x, const double* y, int n, double* phi) {
  double z[4] = {0, 0, 0, 0};  // x^2 + y^2
  for (int i = 0; i < n; ++i) z[0] += x[i] * x[i] + y[i] * y[i];
  for (int i = 1; i < n; ++i) z[i] = 2 * (x[0] * x[i] + y[0] * y[i]);
  const double norm = length(z + 1, n - 1);
  const double low = std::sqrt(std::max(0.0, z[0] - norm)), high = std::sqrt(z[0] + norm);
  phi[0] = x[0] + y[0] - 0.5 * (high + low);
  for (int i = 1; i < n; ++i) {
    const double direction = norm > 0 ? z[i] / norm : 0.0;
    phi[i] = x[i] + y[i] - 0.5 * (high - low) * direction;
  }
}

void contact_value(const ScaledFriction& s, int i, const double* r, const double* u, double* phi) {
  const int n = s.mu[i] > 0 ? s.dim[i] : 1;
  const double mu = s.mu[i];
  double x[4], y[4];
  x[0] = r[0];
  y[0] = u[0] + (n > 1 ? mu * length(u + 1, n - 1) : 0.0);
  for (int a = 1; a < n; ++a) {
    x[a] = r[a] / mu;
    y[a] = mu * u[a];
  }
  jordan_fischer_burmeister(x, y, n, phi);
  for (int a = n; a < s.dim[i]; ++a) phi[a] = r[a];  // friction rows without friction carry nothing
}

}  // namespace

double fischer_burmeister_norm(const ScaledFriction& s, const double* r, const double* u) {
  double sum = 0;
  for (int i = 0; i < s.block_count; ++i) {
    double phi[6];
    const int first = s.first[i];
    if (s.law[i] == FrictionBlock::Law::contact) {
      contact_value(s, i, r + first, u + first, phi);
    } else {
      natural_map(s, i, r, u + first, phi);
    }
    for (int a = 0; a < s.dim[i]; ++a) sum += phi[a] * phi[a] * s.row_weight[first + a] * s.row_weight[first + a];
  }
  return std::sqrt(sum);
}

}  // namespace stiction::solvers
