#include "stiction/solvers/friction/newton_friction.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"
#include "stiction/solvers/friction/kernels/fischer_burmeister.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;
constexpr int stride = 36;  // doubles per block of A and B, row-major dim x dim

void size_arrays(const ScaledFriction& s, NewtonWorkspace& w) {
  for (auto* vector : {&w.u, &w.du, &w.dr, &w.F, &w.trial_r, &w.trial_u, &w.best}) vector->resize(s.row_count);
  w.value.resize(s.value.size());
  w.active.resize(s.block_count);
  w.A.resize(static_cast<size_t>(stride) * s.block_count);
  w.B.resize(static_cast<size_t>(stride) * s.block_count);
  w.coupling.resize(static_cast<size_t>(3) * s.block_count);
}

// Projection part of F and its derivatives for friction rows: F = r - radius x / |x| outside the ball, F = u inside.
// G = (radius / |x|)(I - e e^T). Returns whether it slides; e is the unit vector along x.
bool slides(const double* r, const double* u, int n, double radius, double* e, double& ratio) {
  double squared = 0;
  for (int i = 0; i < n; ++i) {
    e[i] = r[i] - u[i];
    squared += e[i] * e[i];
  }
  const double norm = std::sqrt(squared);
  if (norm <= radius) return false;
  for (int i = 0; i < n; ++i) e[i] /= norm;
  ratio = radius / norm;
  return true;
}

void block_equations(const ScaledFriction& s, int i, const double* r, const double* u, double* F) {
  const int first = s.first[i], n = s.dim[i];
  if (s.law[i] == Law::bilateral) {
    std::copy_n(u + first, n, F + first);
    return;
  }
  const bool contact = s.law[i] == Law::contact;
  const int friction = contact ? n - 1 : n, offset = first + (contact ? 1 : 0);
  double radius = 0;
  if (contact) {
    const double tau = std::max(0.0, r[first] - u[first]);
    F[first] = r[first] - tau;
    radius = s.mu[i] * tau;
  } else {
    radius = ball_radius(s, i, r);
  }
  double e[3], ratio = 0;
  const bool slip = slides(r + offset, u + offset, friction, radius, e, ratio);
  for (int a = 0; a < friction; ++a) F[offset + a] = slip ? r[offset + a] - radius * e[a] : u[offset + a];
}

double equations(const ScaledFriction& s, const double* r, const double* u, double* F) {
  double sum = 0;
  for (int i = 0; i < s.block_count; ++i) block_equations(s, i, r, u, F);
  for (int i = 0; i < s.row_count; ++i) sum += F[i] * F[i] * s.row_weight[i] * s.row_weight[i];
  return std::sqrt(sum);
}

double merit(const ScaledFriction& s, Merit kind, const double* r, const double* u, double* F) {
  const double norm = equations(s, r, u, F);
  return kind == Merit::alart_curnier ? norm : fischer_burmeister_norm(s, r, u);
}

// A, B of friction rows starting at `offset` inside an n x n block.
void friction_derivatives(double* A, double* B, int n, int offset, bool slip, double ratio, const double* e) {
  for (int a = 0; a < n - offset; ++a) {
    for (int b = 0; b < n - offset; ++b) {
      const double identity = a == b ? 1.0 : 0.0;
      const double G = slip ? ratio * (identity - e[a] * e[b]) : identity;
      A[(offset + a) * n + offset + b] = G;
      B[(offset + a) * n + offset + b] = identity - G;
    }
  }
}

void block_derivatives(const ScaledFriction& s, int i, const double* r, const double* u, NewtonWorkspace& w) {
  const int first = s.first[i], n = s.dim[i];
  double *A = w.A.data() + static_cast<size_t>(stride) * i, *B = w.B.data() + static_cast<size_t>(stride) * i;
  double* coupling = w.coupling.data() + 3L * i;
  std::fill_n(A, n * n, 0.0);
  std::fill_n(B, n * n, 0.0);
  std::fill_n(coupling, 3, 0.0);
  w.active[i] = 1;
  double e[6] = {0, 0, 0, 0, 0, 0}, ratio = 0;
  switch (s.law[i]) {
    case Law::bilateral:
      friction_derivatives(A, B, n, 0, false, 1, e);
      return;
    case Law::contact: {
      const double tau = r[first] - u[first];
      w.active[i] = tau > 0 ? 1 : 0;
      if (tau <= 0) return;
      const bool slip = slides(r + first + 1, u + first + 1, n - 1, s.mu[i] * tau, e, ratio);
      A[0] = 1;
      friction_derivatives(A, B, n, 1, slip, ratio, e);
      for (int a = 1; a < n && slip; ++a) {
        A[a * n] = s.mu[i] * e[a - 1];
        B[a * n] = -s.mu[i] * e[a - 1];
      }
      return;
    }
    case Law::bounded: {
      const bool slip = slides(r + first, u + first, n, ball_radius(s, i, r), e, ratio);
      friction_derivatives(A, B, n, 0, slip, ratio, e);
      const bool linked = slip && s.link[i] >= 0 && r[s.first[s.link[i]]] > 0;
      for (int a = 0; a < n && linked; ++a) coupling[a] = -s.mu[i] * e[a];
      return;
    }
  }
}

// Row i of the system A W + shift A + B + alpha A.
template <int D>
void assemble_row(const ScaledFriction& s, int i, double diagonal, NewtonWorkspace& w) {
  const int n = D > 0 ? D : s.dim[i];
  const double *A = w.A.data() + static_cast<size_t>(stride) * i, *B = w.B.data() + static_cast<size_t>(stride) * i;
  for (int k = s.row_start()[i]; k < s.row_start()[i + 1]; ++k) {
    const int j = s.column()[k], columns = D > 0 ? D : s.dim[j];
    const double* W = s.value.data() + s.value_start()[k];
    double* to = w.value.data() + s.value_start()[k];
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < columns; ++b) {
        double sum = 0;
        for (int c = 0; c < n; ++c) sum += A[a * n + c] * W[c * columns + b];
        to[a * columns + b] = sum;
      }
    }
    if (j == i) {
      for (int x = 0; x < n * n; ++x) to[x] += B[x] + diagonal * A[x];
    }
    if (j == s.link[i]) {
      for (int a = 0; a < n; ++a) to[a * columns] += w.coupling[3L * i + a];
    }
  }
}

void assemble(const ScaledFriction& s, double diagonal, NewtonWorkspace& w) {
  for (int i = 0; i < s.block_count; ++i) {
    if (!w.active[i]) continue;
    if (s.all_three) {
      assemble_row<3>(s, i, diagonal, w);
    } else {
      assemble_row<-1>(s, i, diagonal, w);
    }
  }
}

// dr = -F, with the known steps of open contacts moved to the right-hand side.
void right_side(const ScaledFriction& s, const double* r, NewtonWorkspace& w) {
  for (int i = 0; i < s.row_count; ++i) w.dr[i] = -w.F[i];
  for (int i = 0; i < s.block_count; ++i) {
    if (w.active[i]) continue;
    for (int a = 0; a < s.dim[i]; ++a) w.dr[s.first[i] + a] = -r[s.first[i] + a];
  }
  for (int i = 0; i < s.block_count; ++i) {
    if (!w.active[i]) continue;
    for (int k = s.row_start()[i]; k < s.row_start()[i + 1]; ++k) {
      const int j = s.column()[k], columns = s.dim[j];
      if (w.active[j]) continue;
      const double *N = w.value.data() + s.value_start()[k], *step = w.dr.data() + s.first[j];
      for (int a = 0; a < s.dim[i]; ++a) {
        for (int b = 0; b < columns; ++b) w.dr[s.first[i] + a] -= N[a * columns + b] * step[b];
      }
    }
  }
}

// u = W r + q + shift (r - center).
void velocity(const ScaledFriction& s, const NewtonOptions& options, const double* r, double* u) {
  scaled_velocity(s, r, u);
  if (options.shift <= 0) return;
  for (int i = 0; i < s.row_count; ++i) u[i] += options.shift * (r[i] - options.center[i]);
}

// du = (W + shift) dr.
void velocity_change(const ScaledFriction& s, const NewtonOptions& options, const double* dr, double* du) {
  scaled_velocity(s, dr, du);
  for (int i = 0; i < s.row_count; ++i) du[i] += options.shift * dr[i] - s.q[i];
}

bool finite(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * 0.0;
  return sum == 0;
}

// Halves the step until the merit falls; returns the length taken, r and u moved. Without success the length with the
// lowest merit is taken.
double line_search(const ScaledFriction& s, const NewtonOptions& options, double reference, double& current,
                   NewtonWorkspace& w, double* r) {
  constexpr int halvings = 10;
  double best = infinity, best_length = 0, length = 1;
  const auto move = [&](double t) {
    for (int i = 0; i < s.row_count; ++i) {
      w.trial_r[i] = r[i] + t * w.dr[i];
      w.trial_u[i] = w.u[i] + t * w.du[i];
    }
    return merit(s, options.merit, w.trial_r.data(), w.trial_u.data(), w.F.data());
  };
  for (int k = 0; k <= halvings; ++k, length *= 0.5) {
    const double value = move(length);
    if (value < best) best = value, best_length = length;
    if (value <= (1 - 1e-4 * length) * reference) break;
  }
  if (best_length != length) best = move(best_length);
  std::copy_n(w.trial_r.data(), s.row_count, r);
  std::copy_n(w.trial_u.data(), s.row_count, w.u.data());
  current = best;
  return best_length;
}

bool newton_direction(const ScaledFriction& s, const NewtonOptions& options, NewtonWorkspace& w, const double* r) {
  for (int i = 0; i < s.block_count; ++i) block_derivatives(s, i, r, w.u.data(), w);
  assemble(s, options.shift + w.alpha, w);
  right_side(s, r, w);
  if (!w.lu.factor(s, w.value.data(), w.active.data())) return false;
  w.lu.solve(s, w.dr.data());
  return finite(w.dr);
}

}  // namespace

NewtonResult run_newton(const ScaledFriction& s, const NewtonOptions& options, NewtonWorkspace& w, double* r) {
  size_arrays(s, w);
  if (!w.analyzed) w.lu.analyze(s);
  w.analyzed = true;
  w.alpha = 1e-10;
  NewtonResult result;
  velocity(s, options, r, w.u.data());
  double current = merit(s, options.merit, r, w.u.data(), w.F.data());
  double best = scaled_residual(s, r, w.u.data());
  std::copy_n(r, s.row_count, w.best.data());
  std::array<double, 8> history = {};
  const int memory = std::clamp(options.memory, 1, 8);
  history.fill(current);
  int poor = 0;
  for (; result.steps < options.steps && best > options.tolerance && poor < options.poor_steps; ++result.steps) {
    if (options.deadline.passed()) break;
    ++result.factorizations;
    if (!newton_direction(s, options, w, r)) {
      w.alpha = std::max(10 * w.alpha, 1e-12);
      if (w.alpha > 1) break;
      ++poor;
      continue;
    }
    velocity_change(s, options, w.dr.data(), w.du.data());
    const double before = current;
    const double reference = *std::max_element(history.begin(), history.begin() + memory);
    const double length = line_search(s, options, reference, current, w, r);
    w.alpha = length < 0.3 ? std::min(1e-2, 10 * w.alpha) : std::max(1e-13, length == 1 ? 0.2 * w.alpha : w.alpha);
    history[result.steps % memory] = current;
    poor = length < 0.1 || current > 0.9 * before ? poor + 1 : 0;
    const double residual = scaled_residual(s, r, w.u.data());
    if (residual < best) {
      best = residual;
      std::copy_n(r, s.row_count, w.best.data());
    }
    if (residual > options.lost) poor = options.poor_steps;
  }
  std::copy_n(w.best.data(), s.row_count, r);
  velocity(s, options, r, w.u.data());
  result.residual = scaled_residual(s, r, w.u.data());
  result.solved = result.residual <= options.tolerance;
  return result;
}

void take_newton_steps(FrictionSolve& solve, int steps, int poor_steps, Merit merit, double lost) {
  auto options = solve.common<NewtonOptions>();
  options.steps = steps;
  options.poor_steps = poor_steps;
  options.merit = merit;
  options.lost = lost;
  solve.keep(merit == Merit::alart_curnier ? newton_friction : newton_fb_friction,
             run_newton(solve.problem(), options, solve.memory().newton, solve.r()));
}

constinit const FrictionSolver newton_friction = {
    .name = "newton",
    .source = "alart1991",
    .sentence = "nonsmooth Newton on the Alart-Curnier equations with a line search, on a sparse block LU",
    .run = [](FrictionSolve& solve) { take_newton_steps(solve, solve.limit(200), 40, Merit::alart_curnier); }};

constinit const FrictionSolver newton_fb_friction = {
    .name = "newton-fb",
    .source = "fukushima2002",
    .sentence = "the same Newton steps, globalised by the Fischer-Burmeister merit function",
    .run = [](FrictionSolve& solve) { take_newton_steps(solve, solve.limit(200), 40, Merit::fischer_burmeister); }};

}  // namespace stiction::solvers
