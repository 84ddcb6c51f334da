#include "stiction/solvers/friction/body/body_proximal_newton.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/friction/body/body_set.h"
#include "stiction/solvers/friction/body/lorentz_cone.h"

namespace stiction::solvers {
namespace {

using Kind = SystemBlock::Kind;

constexpr double least_penalty = 1, largest_penalty = 1e9, least_growth = 3;
constexpr int newton_steps = 15, halvings = 7, memory = 4;
constexpr int polishing = 3;  // factorisations once the tolerance is met

// A step below the tolerance that leaves more than this of the residual: forces inside the bodies must grow until a
// contact slips, and do so in proportion to the penalty.
constexpr double stays = 0.5, leap_of_penalty = 100;
constexpr int easy_steps = 6;   // Newton steps after which rho may grow
constexpr int quick_steps = 2;  // after which it may grow by BodyProximalOptions::growth

// What is easy: the first Newton step brings the merit to this share. What rests gains nine decades at once; of what
// moves, most of that ends that gains two.
constexpr double gain = 0.01;

bool is_contact(const SystemBlock& block) {
  return block.kind == Kind::cone || block.kind == Kind::set;
}

double norm(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

double squared_norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return sum;
}

// N rows of y onto the disc of that radius; G of stride `stride` gets the derivative, `radial` the one by the radius.
template <int N>
void project_on_disc(const double* y, double radius, int stride, double* image, double* G, double* radial) {
  const double size = norm(y, N);
  const bool inside = size <= radius;
  const double shrink = inside ? 1.0 : radius / size;
  for (int i = 0; i < N; ++i) {
    image[i] = shrink * y[i];
    radial[i] = inside ? 0.0 : y[i] / size;
  }
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) G[i * stride + j] = (i == j ? shrink : 0.0) - shrink * radial[i] * radial[j];
  }
}

// Pi and G of a cone of N rows.
template <int N>
void project_on_friction_cone(const double* y, double* image, double* G) {
  std::fill_n(G, N * N, 0.0);
  std::fill_n(image, N, 0.0);
  if (!(y[0] > 0)) return;
  image[0] = y[0];
  G[0] = 1;
  if constexpr (N > 1) {
    double radial[N - 1];
    project_on_disc<N - 1>(y + 1, y[0], N, image + 1, G + N + 1, radial);
    for (int i = 1; i < N; ++i) G[i * N] = radial[i - 1];
  }
}

}  // namespace

void BodyProximalNewton::Penalty::succeed(int steps) {
  if (hold > 0) {
    --hold;
  } else if (steps <= easy_steps) {
    rho = std::min((steps <= quick_steps ? growth : least_growth) * rho, largest_penalty);
  }
}

void BodyProximalNewton::Penalty::leap() {
  rho = std::min(leap_of_penalty * rho, largest_penalty);
}

void BodyProximalNewton::Penalty::fail() {
  rho = std::max(rho / 4, least_penalty);
  hold = 3;
}

void BodyProximalNewton::size_arrays(const BodySystem& s) {
  for (auto* v : {&y_, &image_, &link_, &u_, &base_}) v->assign(s.row_count, 0.0);
  for (auto* v : {&x_, &trial_, &dx_, &F_, &momentum_}) v->assign(s.velocity_count, 0.0);
  G_.assign(s.W.size(), 0.0);
  merits_.assign(memory, 0.0);
}

// Pi(y) into image_, its derivatives into G_ and link_.
void BodyProximalNewton::project(const BodySystem& s) {
  for (const SystemBlock& block : s.blocks) {
    const double* y = y_.data() + block.first;
    double *image = image_.data() + block.first, *G = G_.data() + block.W;
    if (block.kind == Kind::cone) with_cone_size(block.dim, [&]<int N>() { project_on_friction_cone<N>(y, image, G); });
    if (block.kind == Kind::set) project_on_set(block, y, image, G);
    if (block.kind != Kind::equality) continue;
    std::copy_n(y, block.dim, image);
    for (int i = 0; i < block.dim; ++i) G[i * (block.dim + 1)] = 1;
  }
  for (const SystemBlock& block : s.blocks) {
    if (block.kind != Kind::disc) continue;
    const int first = block.first;
    const double radius = disc_radius(s, block, image_.data());
    with_cone_size(block.dim, [&]<int N>() {
      project_on_disc<N>(y_.data() + first, radius, N, image_.data() + first, G_.data() + block.W,
                         link_.data() + first);
    });
    const bool moves = block.link >= 0 && image_[s.blocks[block.link].first] > 0;
    for (int i = first; i < first + block.dim; ++i) link_[i] *= moves ? block.factor : 0.0;
  }
}

void BodyProximalNewton::centre(const BodySystem& s, const double* z) {
  velocity_of(s, z, momentum_.data());
  all_velocities(s, momentum_.data(), base_.data());
}

// F and its merit at the velocities of z plus x.
double BodyProximalNewton::evaluate(const BodySystem& s, double rho, const double* z, const double* x) {
  all_rates(s, x, u_.data());
  for (int i = 0; i < s.row_count; ++i) y_[i] = z[i] - rho * (base_[i] + u_[i]);
  project(s);
  for (int i = 0; i < s.row_count; ++i) u_[i] = image_[i] - z[i];
  velocity_of(s, u_.data(), momentum_.data());
  for (int i = 0; i < s.velocity_count; ++i) F_[i] = x[i] - momentum_[i];
  return squared_norm(F_);
}

bool BodyProximalNewton::factor(const BodySystem& s, double rho, BodyMatrix& matrix, BodyProgress& progress) {
  bool symmetric = true;
  for (const SystemBlock& block : s.blocks) {
    const double* G = G_.data() + block.W;
    if (is_contact(block)) {
      for (int i = 1; i < block.dim; ++i) symmetric = symmetric && G[i * block.dim] == 0;
    }
    if (block.kind == Kind::disc) {
      for (int i = 0; i < block.dim; ++i) symmetric = symmetric && link_[block.first + i] == 0;
    }
  }
  matrix.start(symmetric ? MatrixKind::symmetric : MatrixKind::general);
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    const SystemBlock& block = s.blocks[b];
    if (block.kind == Kind::idle || (is_contact(block) && G_[block.W] == 0)) continue;
    matrix.add(s, static_cast<int>(b), G_.data() + block.W, rho);
    if (block.link >= 0 && !symmetric) matrix.add_link(s, static_cast<int>(b), link_.data() + block.first, rho);
  }
  ++progress.factorizations;
  return matrix.factor();
}

// The longest halved step along dx_ with a merit below `limit`.
bool BodyProximalNewton::search(const BodySystem& s, double rho, const double* z, double limit, double& merit) {
  double step = 1;
  for (int k = 0; k <= halvings; ++k, step *= 0.5) {
    for (int i = 0; i < s.velocity_count; ++i) trial_[i] = x_[i] + step * dx_[i];
    merit = evaluate(s, rho, z, trial_.data());
    if (!(merit <= (1 - 1e-4 * step) * limit)) continue;
    x_.swap(trial_);
    return true;
  }
  return false;
}

// Newton's method from the velocities of z, on which it is centred; the number of steps, or -1 where it fails. image_
// is then Pi(y) at x_.
int BodyProximalNewton::newton(const BodySystem& s, const Task& task, const double* z, BodyMatrix& matrix,
                               BodyProgress& progress) {
  std::fill(x_.begin(), x_.end(), 0.0);
  double merit = evaluate(s, task.rho, z, x_.data());
  const double first = merit;
  merits_.assign(memory, 0.0);
  for (int k = 0; k <= newton_steps; ++k) {
    if (!(merit > task.tolerance * task.tolerance)) return std::isfinite(merit) ? k : -1;
    if (k == newton_steps || progress.spent() || progress.factorizations >= task.last_factorization) break;
    if (task.only_if_easy && k == 1 && merit > gain * first) break;
    merits_[k % memory] = merit;
    if (!factor(s, task.rho, matrix, progress)) break;
    ++progress.iterations;
    for (int i = 0; i < s.velocity_count; ++i) dx_[i] = -F_[i];
    matrix.solve(dx_.data());
    if (!search(s, task.rho, z, *std::max_element(merits_.begin(), merits_.end()), merit)) break;
  }
  return -1;
}

bool BodyProximalNewton::step(const BodySystem& s, const BodyProximalOptions& options, double tolerance,
                              BodyMatrix& matrix, BodyProgress& progress, std::vector<double>& z) {
  size_arrays(s);
  const int last = progress.factorizations + options.factorizations;
  const Task task = {options.penalty, tolerance, last, options.only_if_easy};
  centre(s, z.data());
  if (newton(s, task, z.data(), matrix, progress) < 0) return false;
  std::copy(image_.begin(), image_.end(), z.begin());
  return true;
}

double BodyProximalNewton::run(const BodySystem& s, const BodyProximalOptions& options, BodyMatrix& matrix,
                               BodyProgress& progress, std::vector<double>& z) {
  size_arrays(s);
  Penalty penalty = {.rho = options.penalty, .growth = options.growth};
  int last = progress.factorizations + options.factorizations;
  centre(s, z.data());
  double residual = body_residual(s, z.data(), base_.data());
  progress.offer(z, residual);
  double before = infinity;  // residual before the last step
  double halved = residual;  // residual at the last time that it halved, and when that was
  int halved_at = progress.factorizations;
  bool easy = residual <= progress.tolerance, must_be_easy = options.only_if_easy;
  const double enough = options.polish ? progress.polished : progress.tolerance;
  while (residual > enough && progress.factorizations < last && !progress.spent()) {
    if (residual <= progress.tolerance) {
      if (!easy) break;
      if (residual > stays * before) penalty.leap();
      last = std::min(last, progress.factorizations + polishing);
    }
    if (progress.factorizations - halved_at > options.patience) break;
    const double tolerance = 0.1 * s.smallest_judged * std::clamp(residual, progress.polished, 1.0);
    const int steps = newton(s, {penalty.rho, tolerance, last, must_be_easy}, z.data(), matrix, progress);
    if (steps < 0) {
      if (must_be_easy || penalty.rho <= least_penalty) break;
      penalty.fail();
      continue;
    }
    std::copy(image_.begin(), image_.end(), z.begin());
    centre(s, z.data());
    before = residual;
    residual = body_residual(s, z.data(), base_.data());
    progress.offer(z, residual);
    penalty.succeed(steps);
    must_be_easy = false;
    easy = steps <= polishing;
    if (residual <= 0.5 * halved) {
      halved = residual;
      halved_at = progress.factorizations;
    }
  }
  return residual;
}

}  // namespace stiction::solvers
