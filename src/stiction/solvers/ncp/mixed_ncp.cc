#include "stiction/solvers/ncp/mixed_ncp.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"

namespace stiction::solvers {

namespace {

using Kind = MixedNcpRows::Kind;

// Of w on the diagonal of active rows; raised by `alpha_growth` where the matrix is singular, lowered by it where steps
// do not help: compliance slows what is nearly redundant.
constexpr double first_alpha = 1e-8, least_alpha = 1e-12, last_alpha = 1e-3, alpha_growth = 1e2;
// Line search: values compared with, sufficient decrease, and the shortest step.
constexpr int memory = 4;
constexpr double decrease = 1e-4, shortest = 1.0 / 1024;
// Homotopy: first and shortest step of t.
constexpr double first_advance = 0.25, shortest_advance = 1.0 / 256;
constexpr int corrector_steps = 12;

double radius(const FrictionBall& ball, const double* z) {
  const double normal = ball.radius_row >= 0 ? ball.factor * std::max(0.0, z[ball.radius_row]) : 0.0;
  return normal + ball.constant;
}

struct BallPoint {
  double y[3];    // w z - F
  double length;  // of y
  double radius;  // w R
};

BallPoint ball_point(const FrictionBall& ball, const MixedNcpRows& rows, const double* z, const double* F) {
  BallPoint point{};
  const double w = rows.weight[ball.first];
  double squared = 0;
  for (int k = 0; k < ball.count; ++k) {
    point.y[k] = w * z[ball.first + k] - F[ball.first + k];
    squared += point.y[k] * point.y[k];
  }
  point.length = std::sqrt(squared);
  point.radius = w * radius(ball, z);
  return point;
}

// The natural map, scaled.
void natural_map(const MixedNcpRows& rows, const double* z, const double* F, double* Phi) {
  for (int i = 0; i < rows.size(); ++i) {
    Phi[i] = rows.kind[i] == Kind::complementary ? std::min(rows.weight[i] * z[i], F[i]) : F[i];
  }
  for (const FrictionBall& ball : rows.balls) {
    const BallPoint point = ball_point(ball, rows, z, F);
    if (point.length <= point.radius) continue;
    const double shrink = point.length > 0 ? point.radius / point.length : 0.0;
    for (int k = 0; k < ball.count; ++k) {
      Phi[ball.first + k] = rows.weight[ball.first] * z[ball.first + k] - shrink * point.y[k];
    }
  }
  for (int i = 0; i < rows.size(); ++i) Phi[i] *= rows.scale[i];
}

double largest(const std::vector<double>& x) {
  double result = 0;
  for (const double value : x) {
    if (!std::isfinite(value)) return infinity;
    result = std::max(result, std::abs(value));
  }
  return result;
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

// dPhi/dF of a ball's rows (3 x 3, row-major), and what z adds of its own: dPhi = A dF + B dz + c dz[radius_row].
struct BallDerivative {
  double A[9] = {0};
  double B[9] = {0};
  double c[3] = {0};
};

BallDerivative differentiate(const FrictionBall& ball, const MixedNcpRows& rows, const double* z, const double* F) {
  BallDerivative d;
  const double w = rows.weight[ball.first];
  const BallPoint point = ball_point(ball, rows, z, F);
  for (int k = 0; k < ball.count; ++k) d.A[4 * k] = 1;
  if (point.length <= point.radius) return d;  // stick: Phi = F
  const double shrink = point.radius / point.length;
  const bool grows = ball.radius_row >= 0 && z[ball.radius_row] > 0;
  for (int i = 0; i < ball.count; ++i) {
    const double e_i = point.y[i] / point.length;
    for (int k = 0; k < ball.count; ++k) {
      const double G = shrink * ((i == k ? 1.0 : 0.0) - e_i * point.y[k] / point.length);  // of the projection
      d.A[3 * i + k] = G;
      d.B[3 * i + k] = w * ((i == k ? 1.0 : 0.0) - G);
    }
    if (grows) d.c[i] = -w * ball.factor * e_i;
  }
  return d;
}

// One problem at one t.
struct Newton {
  MixedNcpFunction& function;
  const MixedNcpRows& rows;
  MixedNcpWorkspace& w;
  double t;

  bool evaluate(const std::vector<double>& z, std::vector<double>& F, std::vector<double>& Phi) {
    F.resize(z.size());
    Phi.resize(z.size());
    if (!function.evaluate(z.data(), t, F.data())) return false;
    natural_map(rows, z.data(), F.data(), Phi.data());
    return std::isfinite(largest(Phi));
  }

  double* block_row(const BlockMatrix::Block& block, int row) {
    return w.J.value.data() + block.at + static_cast<size_t>(row - block.row) * block.columns;
  }

  void add_entry(int row, int column, double value) { w.J.add(row, 1, column, 1)[0] = value; }

  // F's rows become rows of A F: those of complementary rows whose w z is the smaller are dropped.
  void compose_complementary(const std::vector<double>& z, size_t own, double alpha) {
    w.factor.assign(rows.size(), 1.0);
    for (int i = 0; i < rows.size(); ++i) {
      if (rows.kind[i] != Kind::complementary) continue;
      const bool active = w.F[i] <= rows.weight[i] * z[i];
      if (!active) w.factor[i] = 0;
      add_entry(i, i, (active ? alpha : 1.0) * rows.weight[i]);
    }
    for (size_t b = 0; b < own; ++b) {
      const BlockMatrix::Block& block = w.J.blocks[b];
      for (int r = block.row; r < block.row + block.rows; ++r) {
        if (w.factor[r] == 0) std::fill_n(block_row(block, r), block.columns, 0.0);
      }
    }
  }

  void compose_balls(const std::vector<double>& z, size_t own, double alpha) {
    w.balls.resize(rows.balls.size());
    w.ball_of.assign(rows.size(), -1);
    for (size_t i = 0; i < rows.balls.size(); ++i) {
      const FrictionBall& ball = rows.balls[i];
      const BallDerivative d = differentiate(ball, rows, z.data(), w.F.data());
      std::copy_n(d.A, 9, w.balls[i].begin());
      w.ball_of[ball.first] = static_cast<int>(i);
      for (int r = 0; r < ball.count; ++r) {
        for (int k = 0; k < ball.count; ++k) {
          const double compliance = alpha * rows.weight[ball.first] * d.A[3 * r + k];
          add_entry(ball.first + r, ball.first + k, d.B[3 * r + k] + compliance);
        }
        if (d.c[r] != 0) add_entry(ball.first + r, ball.radius_row, d.c[r]);
      }
    }
    for (size_t b = 0; b < own; ++b) {
      const BlockMatrix::Block& block = w.J.blocks[b];
      for (int r = block.row; r < block.row + block.rows; ++r) {
        if (w.ball_of[r] >= 0) turn_rows(block, r, rows.balls[w.ball_of[r]].count, w.balls[w.ball_of[r]].data());
      }
    }
  }

  // The rows of a ball in a block, multiplied by A.
  void turn_rows(const BlockMatrix::Block& block, int first, int count, const double* A) {
    double* top = block_row(block, first);
    for (int c = 0; c < block.columns; ++c) {
      double old[3] = {0, 0, 0};
      for (int k = 0; k < count; ++k) old[k] = top[k * block.columns + c];
      for (int r = 0; r < count; ++r) {
        top[r * block.columns + c] = A[3 * r] * old[0] + A[3 * r + 1] * old[1] + A[3 * r + 2] * old[2];
      }
    }
  }

  // Rows in units of the residual, columns so that the diagonal is of the order of one.
  void scale_matrix() {
    for (const BlockMatrix::Block& block : w.J.blocks) {
      for (int r = block.row; r < block.row + block.rows; ++r) {
        double* value = block_row(block, r);
        for (int c = 0; c < block.columns; ++c) value[c] *= rows.scale[r] * column_scale(block.column + c);
      }
    }
  }

  double column_scale(int column) const { return 1 / (rows.weight[column] * rows.scale[column]); }

  bool factor(const std::vector<double>& z, double alpha) {
    w.J.clear();
    function.differentiate(w.J);
    const size_t own = w.J.blocks.size();
    compose_complementary(z, own, alpha);
    compose_balls(z, own, alpha);
    scale_matrix();
    return w.system.factor(rows.size(), w.J);
  }

  // w.step = -J^-1 Phi at z, with as little compliance as lets it be found.
  bool newton_step(const std::vector<double>& z, double from_alpha) {
    for (double alpha = from_alpha; alpha <= last_alpha; alpha *= alpha_growth) {
      if (!factor(z, alpha)) continue;
      w.step = w.Phi;
      w.system.solve(w.step.data());
      bool finite = true;
      for (int i = 0; i < rows.size(); ++i) {
        w.step[i] *= -column_scale(i);
        finite &= std::isfinite(w.step[i]);
      }
      if (finite) return true;
    }
    return false;
  }

  // The longest of 1, 1/2, 1/4 .. of the step that brings |Phi| below the recent worst; else the best of them. False
  // when none can be evaluated. z, w.F and w.Phi become those of the new point.
  bool line_search(std::vector<double>& z, bool& progress) {
    const double limit = *std::max_element(w.recent.begin(), w.recent.end());
    double best = infinity, best_length = 0, last_length = 0;
    for (double length = 1; length >= shortest; length /= 2) {
      last_length = length;
      if (!try_length(z, length)) continue;
      const double value = norm(w.trial_Phi);
      if (value < best) best = value, best_length = length;
      if (value <= (1 - decrease * length) * limit) break;
    }
    if (best_length == 0) return false;
    if (best_length != last_length && !try_length(z, best_length)) return false;
    progress = best <= (1 - decrease * best_length) * limit;
    z.swap(w.trial_z);
    w.F.swap(w.trial_F);
    w.Phi.swap(w.trial_Phi);
    return true;
  }

  bool try_length(const std::vector<double>& z, double length) {
    w.trial_z = z;
    for (size_t i = 0; i < z.size(); ++i) w.trial_z[i] += length * w.step[i];
    return evaluate(w.trial_z, w.trial_F, w.trial_Phi);
  }

  void remember(double value) {
    if (static_cast<int>(w.recent.size()) == memory) w.recent.erase(w.recent.begin());
    w.recent.push_back(value);
  }

  SolveReport run(const MixedNcpOptions& options, std::vector<double>& z) {
    SolveReport report;
    if (!evaluate(z, w.F, w.Phi)) return report;
    report.residual = largest(w.Phi);
    w.best = z;
    w.recent.assign(1, norm(w.Phi));
    int poor = 0;
    double alpha = first_alpha;
    while (report.iterations < options.steps && poor < options.poor_steps) {
      if (largest(w.Phi) <= options.tolerance) break;
      if (!newton_step(z, alpha)) break;
      bool progress = false;
      if (!line_search(z, progress)) break;
      ++report.iterations;
      remember(norm(w.Phi));
      const bool better = largest(w.Phi) < report.residual;
      poor = better ? 0 : poor + 1;
      alpha = poor == 0 ? first_alpha : std::max(least_alpha, alpha / alpha_growth);
      if (!better) continue;
      report.residual = largest(w.Phi);
      w.best = z;
    }
    if (report.residual <= options.tolerance) report.termination = Termination::solved;
    z = w.best;
    evaluate(z, w.F, w.Phi);
    return report;
  }
};

}  // namespace

double mixed_ncp_residual(MixedNcpFunction& function, const MixedNcpRows& rows, MixedNcpWorkspace& workspace,
                          const std::vector<double>& z) {
  Newton newton{function, rows, workspace, 1.0};
  return newton.evaluate(z, workspace.F, workspace.Phi) ? largest(workspace.Phi) : infinity;
}

SolveReport solve_mixed_ncp(MixedNcpFunction& function, const MixedNcpRows& rows, const MixedNcpOptions& options,
                            double t, MixedNcpWorkspace& workspace, std::vector<double>& z) {
  return Newton{function, rows, workspace, t}.run(options, z);
}

SolveReport follow_mixed_ncp(MixedNcpFunction& function, const MixedNcpRows& rows, const MixedNcpOptions& options,
                             MixedNcpWorkspace& workspace, std::vector<double>& z) {
  SolveReport report;
  double t = 0, advance = first_advance;
  workspace.path = z;
  while (report.iterations < options.steps) {
    const double next = std::min(1.0, t + advance);
    MixedNcpOptions corrector = options;
    corrector.steps = std::min(corrector_steps, options.steps - report.iterations);
    const SolveReport part = solve_mixed_ncp(function, rows, corrector, next, workspace, workspace.path);
    report.iterations += std::max(1, part.iterations);
    if (part.termination == Termination::solved) {
      z = workspace.path;
      t = next;
      advance *= 2;
      report.residual = part.residual;
      if (t == 1) {
        report.termination = Termination::solved;
        return report;
      }
    } else {
      workspace.path = z;
      advance /= 2;
      if (advance < shortest_advance) return report;
    }
  }
  return report;
}

}  // namespace stiction::solvers
