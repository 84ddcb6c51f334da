#include "stiction/solvers/cone/general_cone_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/base/infinity.h"
#include "stiction/math/linear/dense_lu.h"
#include "stiction/problem/friction_cone_projection.h"

namespace stiction::solvers {
namespace {

constexpr int block_doubles = 16;  // doubles per contact of A and B

// Newton steps are those of slightly compliant contacts, W + alpha I: with redundant ones W is singular, and a step
// along its null space would be any size. The answer does not move; alpha falls with the residual, for a quick end.
constexpr double most_compliance = 1e-6;
constexpr double least_compliance = 1e-10;

void size_arrays(GeneralConeWorkspace& w, int contacts) {
  const auto n = static_cast<size_t>(w.rows);
  for (auto* vector : {&w.scale, &w.q, &w.z, &w.u, &w.F, &w.dz, &w.du, &w.trial_z, &w.trial_u, &w.best, &w.previous,
                       &w.start, &w.load}) {
    vector->resize(n);
  }
  w.W.resize(n * n);
  w.matrix.resize(n * n);
  w.exchanges.resize(n);
  w.A.resize(static_cast<size_t>(block_doubles) * contacts);
  w.B.resize(static_cast<size_t>(block_doubles) * contacts);
  if (static_cast<int>(w.contacts.size()) < contacts) w.contacts.resize(contacts);
}

// Units of a contact's rows, and its cone in them: F reaches mu along every axis that has friction.
void scale_contact(const ConeProblem& problem, const ConeContact& from, GeneralConeWorkspace::Contact& to,
                   double* scale) {
  const int n = problem.row_count(), d = friction_rows(from);
  to.first = from.first_row;
  to.friction = d;
  double reach = 0, trace = 0;
  for (int i = 0; i < d; ++i) reach = std::max(reach, cone_extent(*from.cone, i));
  for (int i = 0; i <= d; ++i) {
    const double extent = i > 0 ? cone_extent(*from.cone, i - 1) : 0;
    double& sigma = scale[from.first_row + i];
    sigma = extent > 0 ? extent / reach : 1.0;
    const size_t row = from.first_row + i;
    trace += sigma * sigma * problem.W[row * n + row];
  }
  const double size = trace > 0 ? std::sqrt((d + 1) / trace) : 1.0;
  if (d > 0) to.cone = *from.cone;
  for (int i = 0; i < d; ++i) {
    const double sigma = scale[from.first_row + 1 + i];
    to.cone.axes[i] /= sigma;
    for (Vector2& corner : to.cone.vertices) corner[i] /= sigma;
  }
  for (int i = 0; i <= d; ++i) scale[from.first_row + i] *= size;
}

// u = (W + shift) z, plus q and the load when `affine`.
void velocity(const ConeLevel& level, bool affine, const double* z, GeneralConeWorkspace& w, double* u) {
  const int n = w.rows;
  for (int i = 0; i < n; ++i) u[i] = (affine ? w.q[i] + level.load_share * w.load[i] : 0.0) + level.shift * z[i];
  for (int j = 0; j < n; ++j) {
    if (z[j] == 0) continue;
    const double* column = w.W.data() + static_cast<size_t>(j) * n;
    for (int i = 0; i < n; ++i) u[i] += column[i] * z[j];
  }
}

// F at (z, u) and its norm; A and B too when asked.
double equations(const ConeLevel& level, bool derivatives, const double* z, const double* u, GeneralConeWorkspace& w) {
  for (int i = 0; i < w.bilateral; ++i) w.F[i] = u[i];
  ConeProjection p;
  for (int k = 0; k < w.contact_count; ++k) {
    const auto& contact = w.contacts[k];
    const int first = contact.first, d = contact.friction, m = d + 1;
    const double tau = z[first] - u[first], active = tau > 0 ? 1.0 : 0.0;
    w.F[first] = z[first] - std::max(0.0, tau);
    double x[3];
    for (int i = 0; i < d; ++i) x[i] = z[first + 1 + i] - u[first + 1 + i];
    if (d > 0) project_on_cone(contact.cone, level.friction * std::max(0.0, tau), x, p);
    for (int i = 0; i < d; ++i) w.F[first + 1 + i] = p.inside && tau > 0 ? u[first + 1 + i] : z[first + 1 + i] - p.y[i];
    if (!derivatives) continue;
    double *A = w.A.data() + static_cast<size_t>(block_doubles) * k,
           *B = w.B.data() + static_cast<size_t>(block_doubles) * k;
    std::fill_n(A, block_doubles, 0.0);
    std::fill_n(B, block_doubles, 0.0);
    A[0] = active, B[0] = 1 - active;
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) {
        const double G = active * p.dy_dx[i * d + j];
        A[(i + 1) * m + j + 1] = G;
        B[(i + 1) * m + j + 1] = (i == j ? 1.0 : 0.0) - G;
      }
      A[(i + 1) * m] = active * level.friction * p.dy_dc[i];
      B[(i + 1) * m] = -A[(i + 1) * m];
    }
  }
  double sum = 0;
  for (int i = 0; i < w.rows; ++i) sum += w.F[i] * w.F[i];
  return std::sqrt(sum);
}

// A (W + diagonal I) + B.
void assemble(double diagonal, GeneralConeWorkspace& w) {
  const int n = w.rows;
  for (int j = 0; j < n; ++j) {
    const double* from = w.W.data() + static_cast<size_t>(j) * n;
    double* to = w.matrix.data() + static_cast<size_t>(j) * n;
    std::copy_n(from, w.bilateral, to);
    if (j < w.bilateral) to[j] += diagonal;
    for (int k = 0; k < w.contact_count; ++k) {
      const int first = w.contacts[k].first, m = w.contacts[k].friction + 1;
      const double *A = w.A.data() + static_cast<size_t>(block_doubles) * k,
                   *B = w.B.data() + static_cast<size_t>(block_doubles) * k;
      const bool own = j >= first && j < first + m;
      for (int i = 0; i < m; ++i) {
        double sum = own ? B[i * m + j - first] + diagonal * A[i * m + j - first] : 0.0;
        for (int c = 0; c < m; ++c) sum += A[i * m + c] * from[first + c];
        to[first + i] = sum;
      }
    }
  }
}

bool direction(const ConeLevel& level, double alpha, GeneralConeWorkspace& w) {
  assemble(level.shift + alpha, w);
  for (int i = 0; i < w.rows; ++i) w.dz[i] = -w.F[i];
  if (!factor_lu(w.rows, w.matrix.data(), w.rows, w.exchanges.data(), 1e-15)) return false;
  solve_lu(w.rows, w.matrix.data(), w.rows, w.exchanges.data(), w.dz.data());
  return std::all_of(w.dz.begin(), w.dz.begin() + w.rows, [](double x) { return std::isfinite(x); });
}

// Halves the step until |F| falls below the reference; takes the best length tried. F, z, u are those of the new point.
double line_search(const ConeLevel& level, double reference, double& current, GeneralConeWorkspace& w, double* z) {
  double best = infinity, best_length = 1, length = 1;
  const auto move = [&](double t) {
    for (int i = 0; i < w.rows; ++i) {
      w.trial_z[i] = z[i] + t * w.dz[i];
      w.trial_u[i] = w.u[i] + t * w.du[i];
    }
    return equations(level, false, w.trial_z.data(), w.trial_u.data(), w);
  };
  for (int k = 0; k <= 10; ++k, length *= 0.5) {
    const double value = move(length);
    if (value < best) best = value, best_length = length;
    if (value <= (1 - 1e-4 * length) * reference) break;
  }
  move(best_length);
  std::copy_n(w.trial_z.data(), w.rows, z);
  velocity(level, true, z, w, w.u.data());
  current = equations(level, true, z, w.u.data(), w);
  return best_length;
}

}  // namespace

void scale_cone_problem(const ConeProblem& problem, GeneralConeWorkspace& w) {
  const int n = problem.row_count(), contacts = static_cast<int>(problem.contacts.size());
  w.rows = n;
  w.bilateral = problem.bilateral_rows;
  w.contact_count = contacts;
  size_arrays(w, contacts);
  for (int i = 0; i < w.bilateral; ++i) {
    const double diagonal = problem.W[static_cast<size_t>(i) * n + i];
    w.scale[i] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1.0;
  }
  for (int k = 0; k < contacts; ++k) scale_contact(problem, problem.contacts[k], w.contacts[k], w.scale.data());
  double squares = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const size_t at = static_cast<size_t>(j) * n + i;
      w.W[at] = w.scale[i] * w.scale[j] * problem.W[at];
    }
    w.q[j] = w.scale[j] * problem.q[j];
    squares += w.q[j] * w.q[j];
  }
  w.q_norm = squares > 0 ? std::sqrt(squares) : 1.0;
}

double natural_residual(const ConeLevel& level, const double* z, GeneralConeWorkspace& w) {
  velocity(level, true, z, w, w.u.data());
  return equations(level, false, z, w.u.data(), w) / w.q_norm;
}

double rounding_floor(const double* z, const GeneralConeWorkspace& w) {
  const int n = w.rows;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    double size = std::abs(z[i]);
    for (int j = 0; j < n; ++j) size += std::abs(w.W[static_cast<size_t>(j) * n + i] * z[j]);
    squares += size * size;
  }
  return 4 * std::numeric_limits<double>::epsilon() * std::sqrt(squares) / w.q_norm;
}

ConeNewtonResult run_cone_newton(const ConeLevel& level, double tolerance, int steps, GeneralConeWorkspace& w,
                                 double* z) {
  ConeNewtonResult result;
  velocity(level, true, z, w, w.u.data());
  double current = equations(level, true, z, w.u.data(), w), best = current, alpha = most_compliance;
  std::copy_n(z, w.rows, w.best.data());
  double history[4] = {current, current, current, current};
  int poor = 0;
  for (; result.steps < steps && best > tolerance * w.q_norm && poor < 12; ++result.steps) {
    if (!direction(level, alpha, w)) {
      alpha *= 100;
      if (alpha > 1) break;
      continue;
    }
    velocity({.friction = 1, .shift = level.shift}, false, w.dz.data(), w, w.du.data());
    const double reference = *std::max_element(history, history + 4), before = current;
    const double length = line_search(level, reference, current, w, z);
    history[result.steps % 4] = current;
    const double least = std::clamp(1e-3 * current / w.q_norm, least_compliance, most_compliance);
    alpha = length < 0.3 ? std::min(1e-2, 10 * alpha) : std::max(least, 0.1 * alpha);
    poor = length < 0.1 || current > 0.9 * before ? poor + 1 : 0;
    if (current < best) {
      best = current;
      std::copy_n(z, w.rows, w.best.data());
    }
  }
  std::copy_n(w.best.data(), w.rows, z);
  result.residual = natural_residual(level, z, w);
  result.solved = result.residual <= tolerance;
  return result;
}

void project_answer(GeneralConeWorkspace& w, double* z) {
  velocity({}, true, z, w, w.u.data());
  ConeProjection p;
  for (int k = 0; k < w.contact_count; ++k) {
    const int first = w.contacts[k].first, d = w.contacts[k].friction;
    z[first] = z[first] - w.u[first] > 0 ? std::max(0.0, z[first]) : 0.0;
    double x[3];
    for (int i = 0; i < d; ++i) x[i] = z[first + 1 + i] - w.u[first + 1 + i];
    if (d > 0) project_on_cone(w.contacts[k].cone, z[first], x, p);
    for (int i = 0; i < d; ++i) z[first + 1 + i] = p.y[i];
  }
}

void cone_sweep(GeneralConeWorkspace& w, double* z) {
  const int n = w.rows;
  const auto velocity_of_row = [&](int i) {
    double sum = w.q[i];
    const double* column = w.W.data() + static_cast<size_t>(i) * n;  // symmetric
    for (int j = 0; j < n; ++j) sum += column[j] * z[j];
    return sum;
  };
  const auto diagonal = [&](int i) { return std::max(w.W[static_cast<size_t>(i) * n + i], 1e-12); };
  for (int i = 0; i < w.bilateral; ++i) z[i] -= velocity_of_row(i) / diagonal(i);
  ConeProjection p;
  for (int k = 0; k < w.contact_count; ++k) {
    const auto& contact = w.contacts[k];
    const int first = contact.first, d = contact.friction;
    z[first] = std::max(0.0, z[first] - velocity_of_row(first) / diagonal(first));
    if (d == 0) continue;
    double x[3], stiffness = 0;
    for (int i = 1; i <= d; ++i) stiffness += diagonal(first + i);  // of the block: its trace bounds it
    for (int i = 0; i < d; ++i) x[i] = z[first + 1 + i] - velocity_of_row(first + 1 + i) / stiffness;
    project_on_cone(contact.cone, z[first], x, p);
    std::copy_n(p.y.data(), d, z + first + 1);
  }
}

}  // namespace stiction::solvers
