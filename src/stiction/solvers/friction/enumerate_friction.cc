#include "stiction/solvers/friction/enumerate_friction.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/math/types.h"
#include "stiction/solvers/friction/friction_patterns.h"
#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/kernels/accurate_residual.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"
#include "stiction/solvers/friction/kernels/least_norm.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;
enum Mode : std::uint8_t { open, stick, slip };

using Real = FrictionPatterns::Real;
using LeastNormSystem = LeastNorm<FrictionPatterns::Matrix, FrictionPatterns::Vector>;

}  // namespace

int FrictionPatterns::mode_count(int block) const {
  if (s_.law[block] == Law::bilateral) return 1;
  if (s_.law[block] == Law::bounded) return 2;
  return has_friction(block) ? 3 : 2;
}

bool FrictionPatterns::applicable() const {
  double patterns = 1;
  int slips = 0;
  for (int i = 0; i < s_.block_count; ++i) {
    patterns *= mode_count(i);
    slips += has_friction(i) ? 1 : 0;
  }
  return s_.row_count <= most_rows && slips <= most_slips && patterns <= options_.max_patterns;
}

// Counts through all patterns: closed contacts first (stick, slip, then open), since most answers touch.
bool FrictionPatterns::next_pattern() {
  for (int i = 0; i < s_.block_count; ++i) {
    std::uint8_t& mode = w_.mode[i];
    if (s_.law[i] == Law::bilateral) continue;
    const bool friction = has_friction(i);
    if (mode == stick) {
      mode = friction ? slip : open;
      return true;
    }
    if (mode == slip && s_.law[i] == Law::contact) {
      mode = open;
      return true;
    }
    mode = stick;
  }
  return false;
}

// A bounded block of radius zero: rolling friction of an open contact.
bool FrictionPatterns::powerless(int block) const {
  if (s_.law[block] != Law::bounded || s_.bound[block] > 0) return false;
  return s_.link[block] < 0 || w_.mode[s_.link[block]] == open;
}

void FrictionPatterns::collect_rows() {
  rows_.resize(0);
  slip_count_ = 0;
  place_.fill(-1);
  int count = 0;
  std::array<int, most_rows> rows = {};
  for (int i = 0; i < s_.block_count; ++i) {
    if (w_.mode[i] == open || powerless(i)) continue;
    if (w_.mode[i] == slip) slips_[slip_count_++] = i;
    const int n = s_.law[i] == Law::contact && !has_friction(i) ? 1 : s_.dim[i];
    for (int a = 0; a < n; ++a) {
      place_[s_.first[i] + a] = count;
      rows[count++] = s_.first[i] + a;
    }
  }
  rows_.resize(count);
  std::copy_n(rows.begin(), count, rows_.data());
  K_.resize(count, count);
  q_.resize(count);
  for (int a = 0; a < count; ++a) {
    q_[a] = w_.extended.q[rows[a]];
    for (int b = 0; b < count; ++b) K_(a, b) = w_.extended.W(rows[a], rows[b]);
  }
}

// Alternating projections between the set { K x = -q } and the cones, from the answer of least norm.
void FrictionPatterns::pull_into_cones() {
  const LeastNormSystem solver(K_, singular_);
  if (solver.regular()) return;
  for (int k = 0; k < 200 && !finished(); ++k) {
    std::fill(w_.r.begin(), w_.r.end(), 0.0);
    for (int a = 0; a < rows_.size(); ++a) w_.r[rows_[a]] = static_cast<double>(x_[a]);
    for (int i = 0; i < s_.block_count; ++i) {
      if (s_.law[i] == Law::contact) project_on_cone(w_.r.data() + s_.first[i], s_.dim[i], s_.mu[i]);
      if (s_.law[i] == Law::bounded) {
        project_on_ball(w_.r.data() + s_.first[i], s_.dim[i], ball_radius(s_, i, w_.r.data()));
      }
    }
    for (int a = 0; a < rows_.size(); ++a) x_[a] = w_.r[rows_[a]];
    x_ = solver.nearest(x_, -q_);
  }
  candidate(x_);
}

void FrictionPatterns::solve_sticking() {
  SmallVector none(0), h;
  x_.resize(rows_.size());
  if (rows_.size() == 0) return candidate(x_);  // all open
  if (!evaluate(none, h, nullptr)) return;
  candidate(x_);
  if (!finished()) pull_into_cones();
}

void FrictionPatterns::solve_pattern() {
  collect_rows();
  random_ = options_.seed + 1000003ull * static_cast<std::uint64_t>(result_.patterns);
  if (slip_count_ == 0) return solve_sticking();
  if (slip_count_ == 1) solve_one_slip();
  if (!finished()) solve_slips();
}

void FrictionPatterns::keep_distinct() {
  std::vector<double> found(s_.row_count);
  from_scaled(s_, w_.r.data(), found);
  for (const std::vector<double>& other : *all_) {
    double difference = 0, size = 0;
    for (int i = 0; i < s_.row_count; ++i) {
      const double scale = s_.row_scale[i] > 0 ? 1 / s_.row_scale[i] : 1.0;
      difference = std::max(difference, std::abs(found[i] - other[i]) * scale);
      size = std::max(size, std::abs(found[i]) * scale);
    }
    if (difference <= 1e-6 * size) return;
  }
  all_->push_back(std::move(found));
}

// Polishes x and keeps it when it is the best so far; collects it when all answers are wanted.
void FrictionPatterns::candidate(const Vector& x) {
  std::fill(w_.r.begin(), w_.r.end(), 0.0);
  for (int a = 0; a < rows_.size(); ++a) w_.r[rows_[a]] = static_cast<double>(x[a]);
  double residual = accurate_residual(s_, w_.r.data());
  if (!(residual < infinity)) return;
  if (residual > options_.tolerance && residual < 0.1) {
    NewtonOptions polish;
    polish.tolerance = options_.tolerance;
    polish.steps = 12;
    polish.poor_steps = 4;
    polish.deadline = options_.deadline;
    residual = run_newton(s_, polish, newton_, w_.r.data()).residual;
  }
  if (residual < result_.residual) {
    result_.residual = residual;
    w_.best = w_.r;
  }
  if (residual > options_.tolerance) return;
  result_.solved = true;
  if (all_ != nullptr) keep_distinct();
}

PatternResult FrictionPatterns::run(double* r) {
  const int n = s_.row_count;
  w_.r.assign(n, 0.0);
  w_.u.resize(n);
  w_.best.assign(r, r + n);
  scaled_velocity(s_, r, w_.u.data());
  result_.residual = scaled_residual(s_, r, w_.u.data());
  result_.applicable = applicable();
  if (!result_.applicable) return result_;
  extend_friction(s_, w_.extended);
  w_.mode.assign(s_.block_count, stick);
  do {
    solve_pattern();
    ++result_.patterns;
  } while (!finished() && next_pattern());
  std::copy(w_.best.begin(), w_.best.end(), r);
  return result_;
}

PatternResult run_enumeration(const ScaledFriction& s, const PatternOptions& options, NewtonWorkspace& newton,
                              PatternWorkspace& w, double* r) {
  return FrictionPatterns(s, options, newton, w, nullptr).run(r);
}

PatternResult enumerate_friction_solutions(const FrictionProblem& problem, const PatternOptions& options,
                                           std::vector<std::vector<double>>& solutions) {
  solutions.clear();
  ScaledFriction scaled;
  PatternResult refused;
  refused.applicable = false;
  refused.residual = infinity;
  if (!scale_friction(problem, scaled)) return refused;
  NewtonWorkspace newton;
  PatternWorkspace workspace;
  std::vector<double> r(scaled.row_count, 0.0);
  return FrictionPatterns(scaled, options, newton, workspace, &solutions).run(r.data());
}

constinit const FrictionSolver enumeration_friction = {
    .name = "enumeration",
    .source = "stiction",
    .sentence = "small problems by brute force: every pattern of open, stick and slip",
    .run = [](FrictionSolve& solve) {
      auto options = solve.common<PatternOptions>();
      options.seed = solve.options().seed;
      FrictionMemory& m = solve.memory();
      const PatternResult result = run_enumeration(m.scaled, options, m.newton, m.enumeration, solve.r());
      solve.keep(enumeration_friction, result.patterns, result.residual);
    }};

}  // namespace stiction::solvers
