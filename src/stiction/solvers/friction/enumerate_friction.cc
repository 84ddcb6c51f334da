#include "stiction/solvers/friction/enumerate_friction.h"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/math/types.h"
#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/kernels/accurate_residual.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"
#include "stiction/solvers/friction/kernels/extended_friction.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;
enum Mode : std::uint8_t { open, stick, slip };

constexpr int most_rows = ExtendedFriction::most_rows, most_slips = 12;
using Real = ExtendedFriction::Real;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_rows, most_rows>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1, Eigen::ColMajor, most_rows, 1>;
using SmallMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_slips, most_slips>;
using SmallVector = Eigen::Matrix<Real, Eigen::Dynamic, 1, Eigen::ColMajor, most_slips, 1>;

// K x = b by LU of D K D, D = K_ii^(-1/2) (multipliers span many decades); where that is singular, the x with the least
// |D^-1 x| (which allocates).
class LeastNorm {
 public:
  LeastNorm(const Matrix& K, Real singular) : K_(K) {
    const int n = static_cast<int>(K.rows());
    scale_.resize(n);
    for (int i = 0; i < n; ++i) scale_[i] = K(i, i) > 0 ? 1 / std::sqrt(K(i, i)) : Real(1);
    const Matrix scaled = scale_.asDiagonal() * K * scale_.asDiagonal();
    factor_.compute(scaled);
    regular_ = factor_.matrixLU().diagonal().cwiseAbs().minCoeff() > singular;
    if (regular_) return;
    complete_.setThreshold(singular);
    complete_.compute(scaled);
  }
  bool regular() const { return regular_; }
  Vector solve(const Vector& b) const {
    const Vector scaled = scale_.cwiseProduct(b);
    const Vector x = regular_ ? Vector(factor_.solve(scaled)) : Vector(complete_.solve(scaled));
    return scale_.cwiseProduct(x);
  }
  /// x moved by the least that makes K x = b.
  Vector nearest(const Vector& x, const Vector& b) const { return x + solve(b - K_ * x); }

 private:
  const Matrix& K_;
  Vector scale_;
  Eigen::PartialPivLU<Matrix> factor_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> complete_;
  bool regular_ = false;
};

class Enumeration {
 public:
  Enumeration(const ScaledFriction& s, const PatternOptions& options, NewtonWorkspace& newton, PatternWorkspace& w,
              std::vector<std::vector<double>>* all)
      : s_(s), options_(options), newton_(newton), w_(w), all_(all) {}
  PatternResult run(double* r);

 private:
  bool applicable() const;
  int mode_count(int block) const;
  bool next_pattern();
  bool has_friction(int block) const {
    return s_.law[block] == Law::bounded || (s_.dim[block] > 1 && s_.mu[block] > 0);
  }
  bool powerless(int block) const;
  void collect_rows();
  void solve_pattern();
  void solve_sticking();
  void solve_one_slip();
  void solve_slips();
  bool evaluate(const SmallVector& l, SmallVector& h, SmallMatrix* slope);
  Real slip_value(int c, const Vector& x, Real& radius, Real& norm) const;
  void newton_in_multipliers(SmallVector l);
  void bisect(Real low, Real high);
  void pull_into_cones();
  void candidate(const Vector& x);
  bool finished() const { return (result_.solved && all_ == nullptr) || options_.deadline.passed(); }
  void keep_distinct();
  double random();

  const ScaledFriction& s_;
  const PatternOptions& options_;
  NewtonWorkspace& newton_;
  PatternWorkspace& w_;
  std::vector<std::vector<double>>* all_;
  PatternResult result_;
  std::uint64_t random_ = 0;

  // The present pattern.
  Eigen::Matrix<int, Eigen::Dynamic, 1, Eigen::ColMajor, most_rows, 1> rows_;
  std::array<int, most_rows> place_ = {};  // of a row among the active ones, or -1
  std::array<int, most_slips> slips_ = {};
  int slip_count_ = 0;
  Real singular_ = 1e-12L;  // pivots below this are noise
  Matrix K_;
  Vector q_, x_;
};

int Enumeration::mode_count(int block) const {
  if (s_.law[block] == Law::bilateral) return 1;
  if (s_.law[block] == Law::bounded) return 2;
  return has_friction(block) ? 3 : 2;
}

bool Enumeration::applicable() const {
  double patterns = 1;
  int slips = 0;
  for (int i = 0; i < s_.block_count; ++i) {
    patterns *= mode_count(i);
    slips += has_friction(i) ? 1 : 0;
  }
  return s_.row_count <= most_rows && slips <= most_slips && patterns <= options_.max_patterns;
}

// Counts through all patterns: closed contacts first (stick, slip, then open), since most answers touch.
bool Enumeration::next_pattern() {
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
bool Enumeration::powerless(int block) const {
  if (s_.law[block] != Law::bounded || s_.bound[block] > 0) return false;
  return s_.link[block] < 0 || w_.mode[s_.link[block]] == open;
}

void Enumeration::collect_rows() {
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

// radius / |r_f| - 1 of the c-th slipping block.
Real Enumeration::slip_value(int c, const Vector& x, Real& radius, Real& norm) const {
  const int i = slips_[c], offset = s_.law[i] == Law::contact ? 1 : 0, first = place_[s_.first[i]];
  norm = length(x.data() + first + offset, s_.dim[i] - offset);
  if (offset == 1) {
    radius = s_.mu[i] * x[first];
  } else {
    const int normal = s_.link[i] < 0 ? -1 : place_[s_.first[s_.link[i]]];
    radius = s_.bound[i] + (normal < 0 ? Real(0) : s_.mu[i] * x[normal]);
  }
  return norm > 0 ? radius / norm - 1 : Real(infinity);
}

// x_ = r_A(l), h(l) and its derivatives; false when they are not finite.
bool Enumeration::evaluate(const SmallVector& l, SmallVector& h, SmallMatrix* slope) {
  Matrix K = K_;
  const auto friction_rows = [&](int c, auto&& visit) {
    const int i = slips_[c], offset = s_.law[i] == Law::contact ? 1 : 0;
    for (int a = offset; a < s_.dim[i]; ++a) visit(place_[s_.first[i] + a]);
  };
  for (int c = 0; c < slip_count_; ++c) friction_rows(c, [&](int row) { K(row, row) += l[c]; });
  const LeastNorm solver(K, singular_);
  x_ = solver.solve(-q_);
  if (!x_.allFinite()) return false;
  x_ = solver.nearest(x_, -q_);  // refined
  h.resize(slip_count_);
  if (slope != nullptr) slope->resize(slip_count_, slip_count_);
  std::array<Real, most_slips> radius = {}, norm = {};
  for (int c = 0; c < slip_count_; ++c) h[c] = slip_value(c, x_, radius[c], norm[c]);
  for (int d = 0; d < slip_count_ && slope != nullptr; ++d) {
    Vector change = Vector::Zero(x_.size());
    friction_rows(d, [&](int row) { change[row] = -x_[row]; });
    change = solver.solve(change);
    for (int c = 0; c < slip_count_; ++c) {
      Real dot = 0;
      friction_rows(c, [&](int row) { dot += x_[row] * change[row]; });
      const int i = slips_[c];
      const int normal = s_.law[i] == Law::contact ? place_[s_.first[i]]
                         : s_.link[i] >= 0         ? place_[s_.first[s_.link[i]]]
                                                   : -1;
      const Real radius_change = normal < 0 ? Real(0) : s_.mu[i] * change[normal];
      (*slope)(c, d) = radius_change / norm[c] - radius[c] * dot / (norm[c] * norm[c] * norm[c]);
    }
  }
  return x_.allFinite() && h.allFinite() && (slope == nullptr || slope->allFinite());
}

double Enumeration::random() {
  std::uint64_t z = (random_ += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Damped Newton on h(l) = 0, l > 0.
void Enumeration::newton_in_multipliers(SmallVector l) {
  SmallVector h, trial_h;
  SmallMatrix slope;
  if (!evaluate(l, h, &slope)) return;
  for (int step = 0; step < 30 && h.lpNorm<Eigen::Infinity>() > 1e-16L; ++step) {
    const SmallVector direction = -Eigen::PartialPivLU<SmallMatrix>(slope).solve(h);
    if (!direction.allFinite()) return;
    Real length = 1;
    for (int c = 0; c < slip_count_; ++c) {
      if (direction[c] < 0) length = std::min(length, Real(-0.9) * l[c] / direction[c]);
    }
    bool moved = false;
    for (int halving = 0; halving < 8 && !moved; ++halving, length /= 2) {
      const SmallVector trial = l + length * direction;
      if (!evaluate(trial, trial_h, nullptr)) continue;
      if (!(trial_h.norm() < h.norm())) continue;
      moved = true;
      l = trial;
    }
    if (!moved || !evaluate(l, h, &slope)) break;
  }
  if (h.allFinite() && h.lpNorm<Eigen::Infinity>() < 1e-3) candidate(x_);
}

void Enumeration::solve_slips() {
  for (int start = 0; start < options_.starts && !finished(); ++start) {
    SmallVector l(slip_count_);
    for (int c = 0; c < slip_count_; ++c) l[c] = start == 0 ? 1.0 : std::pow(10.0, 16 * random() - 12);
    newton_in_multipliers(l);
  }
}

void Enumeration::bisect(Real low, Real high) {
  SmallVector l(1), h;
  l[0] = low;
  if (!evaluate(l, h, nullptr)) return;
  const bool sign = h[0] > 0;
  for (int k = 0; k < 200 && high - low > 4e-19L * high; ++k) {
    l[0] = k < 40 ? std::sqrt(low * high) : (low + high) / 2;
    if (!evaluate(l, h, nullptr)) return;
    ((h[0] > 0) == sign ? low : high) = l[0];
  }
  candidate(x_);
}

// Every change of sign on a grid of four points a decade.
void Enumeration::solve_one_slip() {
  SmallVector l(1), h;
  Real last_l = 0, last_h = 0;
  for (int k = -64; k <= 64 && !finished(); ++k) {
    l[0] = std::pow(10.0, 0.25 * k);
    if (!evaluate(l, h, nullptr)) {
      last_l = 0;
      continue;
    }
    if (last_l > 0 && (h[0] > 0) != (last_h > 0)) bisect(last_l, l[0]);
    last_l = l[0];
    last_h = h[0];
  }
}

// Alternating projections between the set { K x = -q } and the cones, from the answer of least norm.
void Enumeration::pull_into_cones() {
  const LeastNorm solver(K_, singular_);
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

void Enumeration::solve_sticking() {
  SmallVector none(0), h;
  x_.resize(rows_.size());
  if (rows_.size() == 0) return candidate(x_);  // all open
  if (!evaluate(none, h, nullptr)) return;
  candidate(x_);
  if (!finished()) pull_into_cones();
}

void Enumeration::solve_pattern() {
  collect_rows();
  random_ = options_.seed + 1000003ull * static_cast<std::uint64_t>(result_.patterns);
  if (slip_count_ == 0) return solve_sticking();
  if (slip_count_ == 1) solve_one_slip();
  if (!finished()) solve_slips();
}

void Enumeration::keep_distinct() {
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
void Enumeration::candidate(const Vector& x) {
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

PatternResult Enumeration::run(double* r) {
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

}  // namespace

PatternResult run_enumeration(const ScaledFriction& s, const PatternOptions& options, NewtonWorkspace& newton,
                              PatternWorkspace& w, double* r) {
  return Enumeration(s, options, newton, w, nullptr).run(r);
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
  return Enumeration(scaled, options, newton, workspace, &solutions).run(r.data());
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
