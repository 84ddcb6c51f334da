#include "stiction/solvers/friction/body/body_active_step.h"

#include <algorithm>
#include <cmath>

namespace stiction::solvers {
namespace {

using Kind = SystemBlock::Kind;

// What is on its cone up to rounding slips.
constexpr double inside = 1 - 1e-9;

double length(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

void set_identity(int n, double* G) {
  for (int i = 0; i < n; ++i) G[i * (n + 1)] = 1;
}

// G of a contact; false where it slips, so that G is not symmetric.
bool set_contact(int n, const double* z, const double* u, double* G) {
  if (!(z[0] > 0)) {
    if (u[0] < 0) G[0] = 1;  // it is about to press
    return true;
  }
  const double friction = length(z + 1, n - 1);
  if (friction < inside * z[0]) {
    set_identity(n, G);
    return true;
  }
  G[0] = 1;
  for (int i = 1; i < n; ++i) G[i * n] = z[i] / friction;
  return n == 1;
}

}  // namespace

void BodyActiveStep::reserve(const BodySystem& s) {
  G_.assign(s.W.size(), 0.0);
  change_.resize(s.row_count);
  rates_.resize(s.row_count);
  x_.resize(s.velocity_count);
}

// Fills G; is it symmetric?
bool BodyActiveStep::find_states(const BodySystem& s, const double* u, const double* z) {
  bool symmetric = true;
  for (const SystemBlock& block : s.blocks) {
    double* G = G_.data() + block.W;
    const double* own = z + block.first;
    const bool holds = block.kind == Kind::equality ||
                       (block.kind == Kind::disc && length(own, block.dim) < inside * disc_radius(s, block, z));
    if (holds) set_identity(block.dim, G);
    if (block.kind == Kind::cone) symmetric &= set_contact(block.dim, own, u + block.first, G);
  }
  return symmetric;
}

// out = factor G u.
void BodyActiveStep::multiply(const BodySystem& s, double factor, const double* u, double* out) const {
  std::fill_n(out, s.row_count, 0.0);
  for (const SystemBlock& block : s.blocks) {
    const double* G = G_.data() + block.W;
    for (int i = 0; i < block.dim; ++i) {
      for (int j = 0; j < block.dim; ++j) out[block.first + i] += factor * G[i * block.dim + j] * u[block.first + j];
    }
  }
}

bool BodyActiveStep::take(const BodySystem& s, const double* u, double rho, BodyMatrix& matrix, BodyProgress& progress,
                          std::vector<double>& z) {
  reserve(s);
  matrix.start(find_states(s, u, z.data()) ? MatrixKind::symmetric : MatrixKind::general);
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    const SystemBlock& block = s.blocks[b];
    if (block.dim > 0 && G_[block.W] != 0) matrix.add(s, static_cast<int>(b), G_.data() + block.W, rho);
  }
  ++progress.factorizations;
  ++progress.iterations;
  if (!matrix.factor()) return false;
  multiply(s, -rho, u, change_.data());
  velocity_of(s, change_.data(), x_.data());
  matrix.solve(x_.data());
  all_rates(s, x_.data(), rates_.data());
  for (int i = 0; i < s.row_count; ++i) rates_[i] += u[i];
  multiply(s, -rho, rates_.data(), change_.data());
  for (int i = 0; i < s.row_count; ++i) z[i] += change_[i];
  return true;
}

}  // namespace stiction::solvers
