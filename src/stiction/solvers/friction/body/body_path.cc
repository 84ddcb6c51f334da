#include "stiction/solvers/friction/body/body_path.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace stiction::solvers {
namespace {

using Kind = SystemBlock::Kind;
using Pair = BodyConePairs::Pair;

constexpr double width = 0.5;   // of the neighbourhood of the curve
constexpr double growth = 3;    // of alpha from one step to the next
constexpr double shrink = 0.6;  // of alpha from one trial to the next
constexpr int trials = 8;
constexpr double least_gain = 0.3;  // of the way back, per share of it that is taken
constexpr int most_partial = 200, most_shortened = 12;
constexpr double shorten = 0.4;                              // of a step that led too far away
constexpr double least_level = 1e-24;                        // of t mu: below it lies rounding
constexpr double rounding = 1e-4;                            // t may pass 1 by it
constexpr BodyConePairs::Refinement refinement = {3, 1e-9};  // the matrix is nearly singular at folds

template <int N>
double norm(const double* x) {
  return std::sqrt(lorentz::dot<N>(x, x));
}

}  // namespace

bool BodyPath::exists(const BodySystem& system) {
  return !system.has_sets &&
         std::none_of(system.blocks.begin(), system.blocks.end(), [](const SystemBlock& b) { return b.link >= 0; });
}

void BodyPath::size_arrays(size_t blocks, size_t rows, size_t system_rows) {
  share_.assign(blocks, 1.0);
  for (Place* place : {&now_, &last_}) {
    for (auto* v : {&place->z, &place->s}) v->assign(rows, 0.0);
    for (Direction* d : {&place->back, &place->along, &place->step, &place->bend}) {
      d->z.assign(rows, 0.0);
      d->s.assign(rows, 0.0);
    }
  }
  b_.z.assign(rows, 0.0);
  b_.s.assign(rows, 0.0);
  for (auto* v : {&p0_, &slack_}) v->assign(system_rows, 0.0);
}

void BodyPath::reserve(const BodySystem& system) {
  pairs_.reserve(system);
  size_arrays(system.blocks.size(), system.row_count + system.blocks.size(), system.row_count);
}

// A mu of its own for each cone of a contact; s_0 follows. The generator is one whose numbers the standard fixes.
void BodyPath::draw_shares(unsigned seed) {
  if (seed == 0) return;
  std::minstd_rand random(seed);
  for (size_t b = 0; b < share_.size(); ++b) {
    const Pair& pair = pairs_.pairs()[b];
    const double unit = static_cast<double>(random()) / std::minstd_rand::max();
    if (pair.dim == 0 || pair.shift > 0) continue;
    share_[b] = std::exp(2 * unit - 1);
    pairs_.s[pair.first] *= share_[b];
  }
}

void BodyPath::start(const BodySystem& system, const BodyPathStart& start) {
  pairs_.start(system, start.z, start.s);
  size_arrays(system.blocks.size(), pairs_.z.size(), system.row_count);
  mu_ = start.z * start.s / std::max(pairs_.cone_count(), 1);
  t_ = last_alpha_ = 1;
  sign_ = 1;
  turns_ = shortened_ = partial_ = 0;
  has_last_ = false;
  draw_shares(start.seed);
  pairs_.update_velocities(system);
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const Pair& pair = pairs_.pairs()[b];
    // The cone of a disc begins on its axis at the height that its radius has.
    if (pair.shift > 0) pairs_.s[pair.first] = mu_ / pairs_.z[pair.first];
    for (int i = 0; i < system.blocks[b].dim; ++i) {
      const int row = system.blocks[b].first + i;
      p0_[row] = pair.dim > 0 ? pairs_.s[pair.first + pair.shift + i] - pairs_.u()[row] : pairs_.u()[row];
    }
  }
}

// Velocities, scalings and what is left of the second equation at z, s, t; false outside the cones.
bool BodyPath::arrive(const BodySystem& system) {
  if (!(t_ > 0 && t_ <= 1 + rounding)) return false;
  pairs_.update_velocities(system);
  if (!pairs_.scale(system)) return false;
  set_rest(system);
  return true;
}

void BodyPath::set_rest(const BodySystem& system) {
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const Pair& pair = pairs_.pairs()[b];
    const int first = system.blocks[b].first;
    const double *u = pairs_.u().data() + first, *own = pairs_.s.data() + pair.first + pair.shift;
    for (int i = 0; i < system.blocks[b].dim; ++i) {
      slack_[first + i] = (pair.dim > 0 ? own[i] - u[i] : u[i]) - t_ * p0_[first + i];
    }
    if (pair.dim > 0 && pair.shift == 0) slack_[first] -= (1 - t_) * pair.slip;
  }
}

// How far from the curve, in its metric: the worst of all blocks.
double BodyPath::distance(const BodySystem& system) const {
  double worst = 0;
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const double level = t_ * mu_ * share_[b];
    const Pair& pair = pairs_.pairs()[b];
    const int first = system.blocks[b].first;
    if (pair.dim == 0) {  // bilateral: the same measure for the size of its impulse
      for (int i = 0; i < pair.rows; ++i) {
        const double size = std::abs(pairs_.z[pair.first + i]) + std::sqrt(mu_);
        worst = std::max(worst, size * std::abs(slack_[first + i]) / level);
      }
    }
    with_cone_size(pair.dim, [&]<int N>() {
      double y[N], rest[N] = {};
      const double* lambda = pairs_.lambda.data() + pair.first;
      lorentz::jordan_product<N>(lambda, lambda, y);
      y[0] -= level;
      worst = std::max(worst, norm<N>(y) / level);
      std::copy_n(slack_.data() + first, N - pair.shift, rest + pair.shift);
      lorentz::apply_inverse<N>(pair.scaling, rest, y);
      worst = std::max({worst, norm<N>(y) / std::sqrt(level), std::abs(pair.target) / pairs_.z[pair.first]});
    });
  }
  return worst;
}

double BodyPath::inner(const Direction& a, const Direction& b) const {
  double sum = 0;
  for (size_t k = 0; k < share_.size(); ++k) {
    const Pair& pair = pairs_.pairs()[k];
    with_cone_size(pair.dim, [&]<int N>() {
      double x[N], y[N];
      lorentz::apply<N>(pair.scaling, a.z.data() + pair.first, x);
      lorentz::apply<N>(pair.scaling, b.z.data() + pair.first, y);
      sum += lorentz::dot<N>(x, y) / share_[k];
      lorentz::apply_inverse<N>(pair.scaling, a.s.data() + pair.first, x);
      lorentz::apply_inverse<N>(pair.scaling, b.s.data() + pair.first, y);
      sum += lorentz::dot<N>(x, y) / share_[k];
    });
  }
  return sum / (t_ * mu_) + a.t * b.t / (t_ * t_);
}

// d += b dt with dt such that d, which leaves t as it is, becomes orthogonal to the curve.
void BodyPath::make_orthogonal(Direction& d) const {
  d.t = 0;
  const double dt = -inner(now_.along, d) / inner(now_.along, b_);
  for (size_t i = 0; i < d.z.size(); ++i) {
    d.z[i] += dt * b_.z[i];
    d.s[i] += dt * b_.s[i];
  }
  d.t = dt;
}

// b, and tau: b with the orientation of the curve and of length one.
void BodyPath::solve_along(const BodySystem& system, const BodyMatrix& matrix) {
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const Pair& pair = pairs_.pairs()[b];
    const int first = system.blocks[b].first;
    for (int i = 0; i < system.blocks[b].dim; ++i) pairs_.r_p[first + i] = -p0_[first + i];
    if (pair.dim > 0 && pair.shift == 0) pairs_.r_p[first] += pair.slip;
    with_cone_size(pair.dim, [&]<int N>() {
      double rate[N] = {mu_ * share_[b]};
      lorentz::jordan_divide<N>(pairs_.lambda.data() + pair.first, rate, pairs_.xi.data() + pair.first);
    });
  }
  pairs_.solve(system, matrix, refinement, b_.z, b_.s);
  b_.t = 1;
  const double length = -sign_ * std::sqrt(inner(b_, b_));
  for (size_t i = 0; i < b_.z.size(); ++i) {
    now_.along.z[i] = b_.z[i] / length;
    now_.along.s[i] = b_.s[i] / length;
  }
  now_.along.t = 1 / length;
}

void BodyPath::solve_back(const BodySystem& system, const BodyMatrix& matrix) {
  std::copy(slack_.begin(), slack_.end(), pairs_.r_p.begin());
  for (size_t b = 0; b < share_.size(); ++b) {
    const Pair& pair = pairs_.pairs()[b];
    with_cone_size(pair.dim, [&]<int N>() {
      const double* lambda = pairs_.lambda.data() + pair.first;
      double rest[N];
      lorentz::jordan_product<N>(lambda, lambda, rest);
      for (int i = 0; i < N; ++i) rest[i] = (i == 0 ? t_ * mu_ * share_[b] : 0.0) - rest[i];
      lorentz::jordan_divide<N>(lambda, rest, pairs_.xi.data() + pair.first);
    });
  }
  pairs_.solve(system, matrix, refinement, now_.back.z, now_.back.s);
  make_orthogonal(now_.back);
}

// d, and the second derivative along it: of z o s, and of (1 - t) |u_t|.
void BodyPath::solve_bend(const BodySystem& system, const BodyMatrix& matrix, double alpha) {
  Direction& d = now_.step;
  for (size_t i = 0; i < d.z.size(); ++i) {
    d.z[i] = now_.back.z[i] + alpha * now_.along.z[i];
    d.s[i] = now_.back.s[i] + alpha * now_.along.s[i];
  }
  d.t = now_.back.t + alpha * now_.along.t;
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const Pair& pair = pairs_.pairs()[b];
    const int first = system.blocks[b].first;
    std::fill_n(pairs_.r_p.data() + first, system.blocks[b].dim, 0.0);
    with_cone_size(pair.dim, [&]<int N>() {
      double x[N], y[N], product[N];
      lorentz::apply<N>(pair.scaling, d.z.data() + pair.first, x);
      lorentz::apply_inverse<N>(pair.scaling, d.s.data() + pair.first, y);
      lorentz::jordan_product<N>(x, y, product);
      for (int i = 0; i < N; ++i) product[i] *= -2;
      lorentz::jordan_divide<N>(pairs_.lambda.data() + pair.first, product, pairs_.xi.data() + pair.first);
      if (pair.shift > 0 || !(pair.slip > 0)) return;
      double forward = 0, square = 0;
      for (int i = 1; i < N; ++i) {
        const double rate = d.s[pair.first + i] - d.t * p0_[first + i] + slack_[first + i];  // of u_t
        forward += pair.tangent[i - 1] * rate;
        square += rate * rate;
      }
      const double turning = std::max(0.0, square - forward * forward) / pair.slip;
      pairs_.r_p[first] = 2 * d.t * forward - (1 - t_) * turning;
    });
  }
  pairs_.solve(system, matrix, refinement, now_.bend.z, now_.bend.s);
  make_orthogonal(now_.bend);
}

// At z, s, t, where it has arrived: the ways on from here.
bool BodyPath::find_directions(const BodySystem& system, BodyMatrix& matrix, BodyProgress& progress) {
  if (!pairs_.factor(system, std::max(0.0, 1 - t_), matrix, progress)) return false;
  ++progress.iterations;
  const int sign = matrix.determinant_sign();
  turns_ += sign != sign_ ? 1 : 0;
  sign_ = sign;
  now_.z = pairs_.z;
  now_.s = pairs_.s;
  now_.t = t_;
  solve_along(system, matrix);
  solve_back(system, matrix);
  return true;
}

void BodyPath::put(const Place& place, const Direction& way, double share) {
  for (size_t i = 0; i < place.z.size(); ++i) {
    pairs_.z[i] = place.z[i] + share * way.z[i];
    pairs_.s[i] = place.s[i] + share * way.s[i];
  }
  t_ = place.t + share * way.t;
}

// A share of the step: of second order, the square of it.
void BodyPath::put_step(const Place& place, double share) {
  put(place, place.step, share);
  const double half = 0.5 * share * share;
  for (size_t i = 0; i < place.z.size(); ++i) {
    pairs_.z[i] += half * place.bend.z[i];
    pairs_.s[i] += half * place.bend.s[i];
  }
  t_ += half * place.bend.t;
}

bool BodyPath::is_near(const BodySystem& system) {
  return arrive(system) && distance(system) < width;
}

bool BodyPath::advance(const BodySystem& system, const BodyMatrix& matrix) {
  now_.alpha = growth * last_alpha_;
  now_.share = 1;
  for (int k = 0; k < trials; ++k, now_.alpha *= shrink) {
    solve_bend(system, matrix, now_.alpha);
    put_step(now_, 1);
    if (is_near(system)) {
      std::swap(now_, last_);
      has_last_ = true;
      last_alpha_ = last_.alpha;
      shortened_ = 0;
      return true;
    }
    put(now_, now_.back, 0);
    if (!arrive(system)) return false;
  }
  return false;
}

// Nearer to the curve, by as much of the way back as leads there.
bool BodyPath::go_back_in_part(const BodySystem& system) {
  put(now_, now_.back, 0);
  if (++partial_ > most_partial || !arrive(system)) return false;
  const double before = distance(system);
  double share = 1;
  for (int k = 0; k < trials; ++k, share *= 0.5) {
    put(now_, now_.back, share);
    if (!arrive(system) || !(distance(system) < (1 - least_gain * share) * before)) continue;
    last_alpha_ = now_.alpha;
    return true;
  }
  return false;
}

bool BodyPath::shorten_last_step(const BodySystem& system) {
  if (!has_last_ || ++shortened_ > most_shortened) return false;
  for (int k = 0; k < most_shortened; ++k) {
    last_alpha_ = last_.alpha *= shorten;
    put_step(last_, last_.share *= shorten);
    if (is_near(system)) return true;
  }
  return false;
}

bool BodyPath::follow(const BodySystem& system, double goal, int factorizations, BodyMatrix& matrix,
                      BodyProgress& progress) {
  const int last = progress.factorizations + factorizations;
  bool lost = !arrive(system);
  while (!lost) {
    residual_ = body_residual(system, impulse().data(), pairs_.u().data());
    progress.offer(impulse(), residual_);
    if (residual_ <= goal) return true;
    if (t_ * mu_ < least_level || progress.spent() || progress.factorizations >= last) break;
    const bool led_on =
        find_directions(system, matrix, progress) && (advance(system, matrix) || go_back_in_part(system));
    lost = !led_on && !shorten_last_step(system);
  }
  return false;
}

}  // namespace stiction::solvers
