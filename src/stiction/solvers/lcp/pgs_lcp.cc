#include "stiction/solvers/lcp/pgs_lcp.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/deadline.h"
#include "stiction/solvers/lcp/basis_polish.h"

namespace stiction::solvers {
namespace {

constexpr int look_every = 8;  // sweeps between two looks at the residual, with w computed afresh

struct Sweeper {
  const SparseColumns& M;
  const double* q;
  const std::uint8_t* is_complementarity;
  const PgsLcpOptions& options;
  PgsLcpWorkspace& work;
  double* z;
  SolveReport report = {};

  bool is_pair(int i) const { return is_complementarity == nullptr || is_complementarity[i] != 0; }
  void evaluate();
  double residual() const;
  void sweep();
  bool look();
};

void Sweeper::evaluate() {
  std::copy_n(q, M.n, work.w.begin());
  for (int j = 0; j < M.n; ++j) {
    if (z[j] != 0) M.add_column(j, z[j], work.w.data());
  }
}

double Sweeper::residual() const {
  double square = 0;
  double size = 0;
  for (int i = 0; i < M.n; ++i) {
    const double d = work.diagonal[i] > 0 ? work.diagonal[i] : 1.0;
    const double part = is_pair(i) ? std::min(d * z[i], work.w[i]) : work.w[i];
    if (!std::isfinite(z[i]) || !std::isfinite(work.w[i])) return std::numeric_limits<double>::infinity();
    square += part * part;
    size += q[i] * q[i];
  }
  return std::sqrt(square) / (size > 0 ? std::sqrt(size) : 1.0);
}

void Sweeper::sweep() {
  for (int i = 0; i < M.n; ++i) {
    const double d = work.diagonal[i];
    if (is_pair(i) ? !(d > 0) : d == 0) continue;
    double next = z[i] - options.relaxation * work.w[i] / d;
    if (is_pair(i)) next = std::max(0.0, next);
    if (next == z[i]) continue;
    M.add_column(i, next - z[i], work.w.data());
    z[i] = next;
  }
}

// Keeps the best z; true when the tolerance is reached.
bool Sweeper::look() {
  evaluate();
  const double now = residual();
  if (report.residual < 0 || now < report.residual) {
    report.residual = now;
    std::copy_n(z, M.n, work.best_z.begin());
  }
  return report.residual <= options.tolerance;
}

}  // namespace

SolveReport solve_pgs_lcp(const SparseColumns& M, const double* q, const std::uint8_t* is_complementarity,
                          const PgsLcpOptions& options, PgsLcpWorkspace& workspace, double* z) {
  Sweeper sweeper{M, q, is_complementarity, options, workspace, z};
  workspace.w.resize(M.n);
  workspace.best_z.assign(M.n, 0.0);
  read_diagonal(M, workspace.diagonal);
  for (int i = 0; i < M.n; ++i) {
    if (!options.warm_start || !std::isfinite(z[i]) || (sweeper.is_pair(i) && z[i] < 0)) z[i] = 0;
  }
  const Deadline deadline(options.time_limit);
  bool solved = sweeper.look();
  SolveReport& report = sweeper.report;
  while (!solved && report.iterations < options.max_sweeps && std::isfinite(sweeper.residual())) {
    if (deadline.passed()) {
      report.termination = Termination::time_limit;
      break;
    }
    for (int k = 0; k < look_every; ++k, ++report.iterations) sweeper.sweep();
    solved = sweeper.look();
  }
  std::copy_n(workspace.best_z.begin(), M.n, z);
  if (solved) report.termination = Termination::solved;
  return report;
}

}  // namespace stiction::solvers
