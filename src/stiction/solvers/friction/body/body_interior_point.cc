#include "stiction/solvers/friction/body/body_interior_point.h"

#include <algorithm>
#include <cmath>

namespace stiction::solvers {
namespace {

using Pair = BodyConePairs::Pair;

constexpr double step_share = 0.9;       // of the way to the boundary, at least
constexpr double centring_share = 0.94;  // of a step to the curve
constexpr double short_affine = 0.1;     // affine steps below this call for damping
constexpr double short_step = 0.05;
constexpr double centre_below = 1e-2;  // residual from which on steps may go to the curve
constexpr int look_anew = 10;          // steps after which velocities that were followed are computed again
// Near a guess, correctors of up to so many blocks are not refined: it changed no count of steps there.
constexpr size_t most_unrefined = 200;
constexpr int most_short_steps = 4, most_idle_steps = 20, most_steps = 150;

}  // namespace

void BodyInteriorPoint::reserve(const BodySystem& s) {
  pairs_.reserve(s);
  for (auto* v : {&dz_, &ds_, &dz_affine_, &ds_affine_}) v->reserve(s.row_count + s.blocks.size());
}

// r_p = s - u - phi n; bilateral rows: u.
void BodyInteriorPoint::set_rest(const BodySystem& s) {
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    const Pair& pair = pairs_.pairs()[b];
    const SystemBlock& block = s.blocks[b];
    double* rest = pairs_.r_p.data() + block.first;
    const double *slack = pairs_.s.data() + pair.first + pair.shift, *u = pairs_.u().data() + block.first;
    for (int i = 0; i < block.dim; ++i) rest[i] = pair.dim > 0 ? slack[i] - u[i] : u[i];
    if (pair.dim > 0 && pair.shift == 0) rest[0] -= pair.slip;
  }
}

// Solves for dz and ds; `target` is sigma mu, `correct` says whether the affine step is known.
void BodyInteriorPoint::direction(const BodySystem& s, double target, bool correct,
                                  BodyConePairs::Refinement refinement, const BodyMatrix& matrix) {
  for (const Pair& pair : pairs_.pairs()) {
    with_cone_size(pair.dim, [&]<int N>() {
      const double* lambda = pairs_.lambda.data() + pair.first;
      double* xi = pairs_.xi.data() + pair.first;
      for (int i = 0; i < N; ++i) xi[i] = -lambda[i];
      if (!correct) return;
      double a[N], b[N], product[N], t[N];
      lorentz::apply<N>(pair.scaling, dz_affine_.data() + pair.first, a);
      lorentz::apply_inverse<N>(pair.scaling, ds_affine_.data() + pair.first, b);
      lorentz::jordan_product<N>(a, b, product);
      for (int i = 0; i < N; ++i) product[i] = (i == 0 ? target : 0.0) - product[i];
      lorentz::jordan_divide<N>(lambda, product, t);
      for (int i = 0; i < N; ++i) xi[i] += t[i];
    });
  }
  pairs_.solve(s, matrix, refinement, dz_, ds_);
}

// z . s per cone after a step along (dz, ds).
double BodyInteriorPoint::gap(double step_z, double step_s) const {
  double sum = 0;
  for (size_t i = 0; i < dz_.size(); ++i) sum += (pairs_.z[i] + step_z * dz_[i]) * (pairs_.s[i] + step_s * ds_[i]);
  return sum / std::max(pairs_.cone_count(), 1);
}

// No affine step: what comes next goes to the curve where it is nearest, not along it.
bool BodyInteriorPoint::centre(const BodySystem& s, BodyMatrix& matrix, BodyProgress& progress) {
  for (auto* v : {&dz_, &ds_}) std::fill(v->begin(), v->end(), 0.0);
  return pairs_.factor(s, 1, matrix, progress);
}

// The affine step with as much of De Saxce's term as goes. False where no factorisation succeeds.
bool BodyInteriorPoint::affine(const BodySystem& s, const BodyInteriorOptions& options, BodyMatrix& matrix,
                               BodyProgress& progress, double& step_z, double& step_s) {
  const double thetas[3] = {1, options.damping, 0};
  // Near a guess it only says how far to go.
  const BodyConePairs::Refinement refinement = {.most = options.level > 0 ? 0 : 1, .rough = options.level > 0};
  bool factored = false;
  for (int k = damped_steps_ > 0 ? 1 : 0; k < 3; ++k) {
    if (k > 0 && thetas[k] == thetas[k - 1]) continue;
    factored = pairs_.factor(s, thetas[k], matrix, progress);
    if (!factored) continue;
    direction(s, 0, false, refinement, matrix);
    step_z = std::min(1.0, pairs_.longest(pairs_.z, dz_, 1 / step_share));
    step_s = std::min(1.0, pairs_.longest(pairs_.s, ds_, 1 / step_share));
    if (std::min(step_z, step_s) >= short_affine || progress.spent()) break;
    if (k == 0) damped_steps_ = options.damped_at_once + 1;
  }
  damped_steps_ = std::max(0, damped_steps_ - 1);
  return factored && std::isfinite(gap(step_z, step_s));
}

double BodyInteriorPoint::run(const BodySystem& s, const BodyInteriorOptions& options, BodyMatrix& matrix,
                              BodyProgress& progress, std::vector<double>& z) {
  if (options.level > 0) {
    pairs_.start_near(s, z, options.level);
  } else {
    pairs_.start(s, 1, 1);
  }
  damped_steps_ = 0;
  const int refinements = options.level > 0 && s.blocks.size() <= most_unrefined ? 0 : 1;
  for (auto* v : {&dz_, &ds_, &dz_affine_, &ds_affine_}) v->assign(pairs_.z.size(), 0.0);
  double residual = infinity, least = infinity;
  int short_steps = 0, idle = 0, to_centre = options.centred_steps;
  for (int k = 0; k < most_steps; ++k) {
    // Near a guess velocities are followed, and looked at anew now and then.
    if (k > 0 && (options.level == 0 || k % look_anew == 0)) pairs_.update_velocities(s);
    residual = body_residual(s, pairs_.impulse().data(), pairs_.u().data());
    progress.offer(pairs_.impulse(), residual);
    idle = residual < 0.9 * least ? 0 : idle + 1;
    if (residual < 0.9 * least) least = residual;
    if (!(residual > options.stop) || progress.spent() || idle > most_idle_steps) break;
    if (short_steps >= most_short_steps || !pairs_.scale(s)) break;
    set_rest(s);
    ++progress.iterations;
    const double mu = gap(0, 0);
    double step_z = 0, step_s = 0;
    const bool centres = to_centre > 0 && residual < centre_below;
    if (!(centres ? centre(s, matrix, progress) : affine(s, options, matrix, progress, step_z, step_s))) break;
    to_centre -= centres ? 1 : 0;
    double sigma = std::clamp(std::pow(gap(step_z, step_s) / mu, 3), options.least_centring, 1.0);
    if (std::min(step_z, step_s) < short_affine) sigma = std::max(sigma, centres ? 1.0 : 0.5);
    const double share = centres ? centring_share : step_share + options.more_share * std::min(step_z, step_s);
    dz_affine_.swap(dz_);
    ds_affine_.swap(ds_);
    direction(s, sigma * mu, true, {.most = refinements}, matrix);
    step_z = std::min(1.0, share * pairs_.longest(pairs_.z, dz_, 1 / step_share));
    step_s = std::min(1.0, share * pairs_.longest(pairs_.s, ds_, 1 / step_share));
    short_steps = std::min(step_z, step_s) < short_step ? short_steps + 1 : std::max(0, short_steps - 1);
    pairs_.move(s, step_z, dz_, step_s, ds_);
  }
  std::copy(pairs_.impulse().begin(), pairs_.impulse().end(), z.begin());
  return residual;
}

}  // namespace stiction::solvers
