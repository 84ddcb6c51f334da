#include "stiction/solvers/cone/general_cone.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/assert.h"
#include "stiction/solvers/cone/general_cone_newton.h"
#include "stiction/solvers/cone/general_cone_start.h"
#include "stiction/solvers/deadline.h"

namespace stiction::solvers {
namespace {

constexpr double coarsest = 1e-9;        // no rounding excuses a residual above it
constexpr double path_tolerance = 1e-7;  // inside a homotopy; its end is solved to the caller's tolerance

// The state of one solve: the best z so far and what it took.
class ConeSolve {
 public:
  ConeSolve(const GeneralConeOptions& options, GeneralConeWorkspace& w)
      : options_(options), deadline_(options.time_limit), w_(w) {}

  GeneralConeReport run(bool warm) {
    keep_best(ConeRung::line_search);
    report_.solve.warm_started = warm;
    if (warm && allowed(ConeRung::line_search) && newton_from_here(ConeRung::line_search)) return finish();
    report_.solve.warm_started = false;
    if (allowed(ConeRung::line_search)) {
      start_at_rest();
      if (newton_from_here(ConeRung::line_search)) return finish();
    }
    for (const ConeRung rung : {ConeRung::friction_homotopy, ConeRung::compliance_homotopy, ConeRung::load_homotopy}) {
      if (allowed(rung) && homotopy(rung)) return finish();
    }
    if (allowed(ConeRung::polyhedral) && polyhedral()) return finish();
    if (allowed(ConeRung::sweeps)) sweeps();
    return finish();
  }

 private:
  bool allowed(ConeRung rung) const {
    return ((options_.rungs >> static_cast<int>(rung)) & 1U) != 0 && !deadline_.passed();
  }

  void start_at_rest() { std::fill_n(w_.z.data(), w_.rows, 0.0); }

  // Newton at a level from w.z, counted.
  bool newton(const ConeLevel& level, double tolerance, int steps) {
    const ConeNewtonResult result = run_cone_newton(level, tolerance, steps, w_, w_.z.data());
    report_.solve.iterations += result.steps;
    report_.factorizations += result.steps;
    return result.solved;
  }

  bool newton_from_here(ConeRung rung) {
    newton({}, options_.tolerance, options_.newton_steps);
    keep_best(rung);
    if (solved()) {  // two more steps are cheap here, and take the answer down to rounding
      newton({}, 0, 2);
      keep_best(rung);
    }
    return solved();
  }

  void keep_best(ConeRung rung) {
    const double residual = natural_residual({}, w_.z.data(), w_);
    if (report_.solve.residual >= 0 && !(residual < report_.solve.residual)) return;
    report_.solve.residual = residual;
    report_.rung = rung;
    reached_ = std::clamp(rounding_floor(w_.z.data(), w_), options_.tolerance, std::max(options_.tolerance, coarsest));
    std::copy_n(w_.z.data(), w_.rows, answer().data());
  }

  std::vector<double>& answer() { return w_.answer; }

  bool solved() const { return report_.solve.residual <= reached_; }

  // A homotopy's level at s in [0, 1].
  static ConeLevel level_at(ConeRung rung, double s) {
    if (rung == ConeRung::friction_homotopy) return {.friction = s};
    if (rung == ConeRung::compliance_homotopy) return {.shift = s < 1 ? std::pow(10.0, 1 - 9 * s) : 0.0};
    return {.load_share = 1 - s};
  }

  // p of the load homotopy: no contact presses and nothing moves along the surfaces.
  void set_load() {
    for (int i = 0; i < w_.rows; ++i) w_.load[i] = -w_.q[i];
    for (int k = 0; k < w_.contact_count; ++k) {
      const int n = w_.contacts[k].first;
      w_.load[n] = std::max(0.0, -w_.q[n]) + 0.1 * w_.q_norm;
    }
  }

  // Follows the answers of level_at(s) from s = 0 to 1: secant predictor, Newton corrector, steps doubled and halved.
  bool homotopy(ConeRung rung) {
    set_load();
    start_at_rest();
    if (!newton(level_at(rung, 0), path_tolerance, options_.newton_steps)) return false;
    std::copy_n(w_.z.data(), w_.rows, w_.start.data());
    std::copy_n(w_.z.data(), w_.rows, w_.previous.data());
    double s = 0, before = 0, step = 0.125;
    for (int k = 0; k < options_.homotopy_steps && s < 1 && step > 1e-5 && !deadline_.passed(); ++k) {
      ++report_.homotopy_steps;
      const double next = std::min(1.0, s + step);
      const double reach = s > before ? (next - s) / (s - before) : 0.0;
      for (int i = 0; i < w_.rows; ++i) w_.z[i] = w_.start[i] + reach * (w_.start[i] - w_.previous[i]);
      if (newton(level_at(rung, next), next < 1 ? path_tolerance : options_.tolerance, 12)) {
        std::swap(w_.previous, w_.start);
        std::copy_n(w_.z.data(), w_.rows, w_.start.data());
        before = s, s = next, step *= 2;
      } else {
        step *= 0.25;
      }
    }
    std::copy_n(w_.start.data(), w_.rows, w_.z.data());
    return newton_from_here(rung);
  }

  // Lemke with corners added where its answers slide; Newton takes each to the cone itself.
  bool polyhedral() {
    bool found = polyhedral_start(16, w_, w_.z.data());
    for (int k = 0; k < 8 && found; ++k) {
      if (newton_from_here(ConeRung::polyhedral)) return true;
      found = !deadline_.passed() && polyhedral_refine(w_, w_.z.data());
    }
    return false;
  }

  void sweeps() {
    std::copy_n(answer().data(), w_.rows, w_.start.data());
    int count = 20;
    for (int done = 0; done < options_.sweeps && !solved() && !deadline_.passed(); done += count, count *= 2) {
      std::copy_n(w_.start.data(), w_.rows, w_.z.data());
      for (int k = 0; k < count; ++k) cone_sweep(w_, w_.z.data());
      std::copy_n(w_.z.data(), w_.rows, w_.start.data());
      newton_from_here(ConeRung::sweeps);
    }
  }

  // The answer put into its cones to the last digit, where that costs nothing: friction is never outside its cone.
  GeneralConeReport finish() {
    std::copy_n(answer().data(), w_.rows, w_.z.data());
    project_answer(w_, w_.z.data());
    const double residual = natural_residual({}, w_.z.data(), w_);
    if (residual <= std::max(reached_, report_.solve.residual)) {
      report_.solve.residual = residual;
      std::copy_n(w_.z.data(), w_.rows, answer().data());
    }
    report_.solve.termination = solved()             ? Termination::solved
                                : deadline_.passed() ? Termination::time_limit
                                                     : Termination::not_found;
    return report_;
  }

  const GeneralConeOptions& options_;
  Deadline deadline_;
  double reached_ = 0;  // the residual that counts as solved: the tolerance, or what rounding leaves
  GeneralConeWorkspace& w_;
  GeneralConeReport report_;
};

// r >= 0 on normal rows, friction inside its span; not finite: 0.
bool read_guess(const ConeProblem& problem, std::span<const double> r, GeneralConeWorkspace& w) {
  for (int i = 0; i < w.rows; ++i) {
    if (!std::isfinite(r[i])) return false;
    w.z[i] = r[i] / w.scale[i];
  }
  for (const ConeContact& contact : problem.contacts) w.z[contact.first_row] = std::max(0.0, w.z[contact.first_row]);
  return true;
}

// min |u + sum lambda_i g_i| over lambda >= 0 on the edges that hold: at most two are needed, neighbours at a corner.
void edge_multipliers(const FrictionCone& cone, double c_n, const double* beta, const double* u, double* lambda) {
  const int count = constraint_count(cone);
  int best = -1;
  double g[2], h[2], least = 0, best_pair[2] = {0, 0};
  const auto holds = [&](int i) { return constraint_value(cone, i, c_n, beta) > -1e-6 * c_n; };
  for (int i = 0; i < count; ++i) {
    if (!holds(i)) continue;
    constraint_gradient(cone, i, c_n, beta, g);
    const double gg = g[0] * g[0] + g[1] * g[1], alone = std::max(0.0, -(g[0] * u[0] + g[1] * u[1]) / gg);
    double pair[2] = {alone, 0};
    const int j = (i + 1) % count;
    if (count > 2 && holds(j)) {
      constraint_gradient(cone, j, c_n, beta, h);
      const double det = g[0] * h[1] - g[1] * h[0];
      const double a = (-u[0] * h[1] + u[1] * h[0]) / det, b = (-g[0] * u[1] + g[1] * u[0]) / det;
      if (a >= 0 && b >= 0) pair[0] = a, pair[1] = b;
    } else {
      h[0] = h[1] = 0;
    }
    const double left = std::hypot(u[0] + pair[0] * g[0] + pair[1] * h[0], u[1] + pair[0] * g[1] + pair[1] * h[1]);
    if (best >= 0 && !(left < least)) continue;
    best = i, least = left, best_pair[0] = pair[0], best_pair[1] = pair[1];
  }
  if (best < 0) return;
  lambda[best] += c_n * best_pair[0];
  if (best_pair[1] > 0) lambda[(best + 1) % count] += c_n * best_pair[1];
}

void contact_multipliers(const FrictionCone& cone, double c_n, const double* beta, const double* slip, double* lambda) {
  const int d = cone.dimension, count = constraint_count(cone);
  std::fill_n(lambda, count, 0.0);
  if (!(c_n > 0) || count == 0) return;
  double u[3], g[3], b[3];
  std::copy_n(slip, d, u);
  restrict_to_span(cone, u);
  if (cone.kind == FrictionCone::Kind::polygon) return edge_multipliers(cone, c_n, beta, u, lambda);
  // With b = beta / c_n: c_n u + lambda grad phi(1, b) = 0, (22) over c_n^(gamma - 1).
  for (int i = 0; i < d; ++i) b[i] = beta[i] / c_n;
  constraint_gradient(cone, 0, 1, b, g);
  double along = 0, square = 0;
  for (int i = 0; i < d; ++i) along -= g[i] * u[i], square += g[i] * g[i];
  if (square > 0 && constraint_value(cone, 0, 1, b) > -1e-6) lambda[0] = std::max(0.0, c_n * along / square);
}

}  // namespace

std::string_view cone_rung_name(ConeRung rung) {
  switch (rung) {
    case ConeRung::line_search:
      return "line-search";
    case ConeRung::friction_homotopy:
      return "friction-homotopy";
    case ConeRung::compliance_homotopy:
      return "compliance-homotopy";
    case ConeRung::load_homotopy:
      return "load-homotopy";
    case ConeRung::polyhedral:
      return "polyhedral";
    case ConeRung::sweeps:
      return "sweeps";
  }
  return "";
}

GeneralConeReport solve_general_cone(const ConeProblem& problem, const GeneralConeOptions& options,
                                     GeneralConeWorkspace& workspace, std::span<double> r) {
  STICTION_ASSERT(r.size() == problem.q.size(), "r has one value per row");
  if (!well_formed(problem)) {
    std::fill(r.begin(), r.end(), 0.0);
    GeneralConeReport report;
    report.solve.residual = infinity;
    return report;
  }
  scale_cone_problem(problem, workspace);
  workspace.answer.resize(workspace.rows);
  const bool warm = options.warm_start && read_guess(problem, r, workspace);
  if (!warm) std::fill(workspace.z.begin(), workspace.z.end(), 0.0);
  const GeneralConeReport report = ConeSolve(options, workspace).run(warm);
  for (int i = 0; i < workspace.rows; ++i) r[i] = workspace.answer[i] * workspace.scale[i];
  return report;
}

void recover_multipliers(const ConeProblem& problem, std::span<const double> r, std::span<double> lambda) {
  const int n = problem.row_count();
  int at = 0;
  for (const ConeContact& contact : problem.contacts) {
    if (!contact.cone) continue;
    double slip[3];
    for (int i = 0; i < contact.cone->dimension; ++i) {
      const size_t row = contact.first_row + 1 + i;
      slip[i] = problem.q[row];
      for (int j = 0; j < n; ++j) slip[i] += problem.W[row * n + j] * r[j];
    }
    contact_multipliers(*contact.cone, r[contact.first_row], r.data() + contact.first_row + 1, slip,
                        lambda.data() + at);
    at += constraint_count(*contact.cone);
  }
}

}  // namespace stiction::solvers
