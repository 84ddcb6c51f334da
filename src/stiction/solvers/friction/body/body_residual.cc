// How far an impulse is from the laws, in the units of body_system.h: each block by its own scale, or all together.
#include <algorithm>
#include <cmath>

#include "stiction/solvers/friction/body/body_set.h"
#include "stiction/solvers/friction/body/body_system.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"

namespace stiction::solvers {
namespace {

using Kind = SystemBlock::Kind;

// A block's own scale is at least this share of the largest: bodies that nothing moves yet have none.
constexpr double least_floor = 1e-3;
// Inner iterations are not asked for less than this share of the largest scale.
constexpr double least_judged = 0.1;

double square(double x) {
  return x * x;
}

// |z' - P(z' - uhat')|^2 of a cone with N rows, in the coordinates of the residual.
template <int N>
double cone_defect(double mu, const double* z, const double* u) {
  if (z[0] == 0 && u[0] >= 0 && std::all_of(z + 1, z + N, [](double value) { return value == 0; })) return 0;
  double point[N], image[N], slip = 0;
  for (int i = 1; i < N; ++i) slip += square(u[i]);
  point[0] = z[0], image[0] = z[0] - u[0] - std::sqrt(slip);
  for (int i = 1; i < N; ++i) {
    point[i] = mu * z[i];
    image[i] = point[i] - u[i] / mu;
  }
  project_on_cone(image, N, mu);
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += square(point[i] - image[i]);
  return sum;
}
double cone_defect(const SystemBlock& block, const double* z, const double* u) {
  switch (block.dim) {
    case 1:
      return square(std::min(z[0], u[0]));
    case 2:
      return cone_defect<2>(block.mu, z, u);
    case 3:
      return cone_defect<3>(block.mu, z, u);
    default:
      return cone_defect<4>(block.mu, z, u);
  }
}

double disc_defect(const SystemBlock& block, double radius, const double* z, const double* u) {
  double image[3], sum = 0;
  for (int i = 0; i < block.dim; ++i) image[i] = z[i] - u[i];
  project_on_ball(image, block.dim, radius);
  for (int i = 0; i < block.dim; ++i) sum += square(z[i] - image[i]);
  return sum;
}

// Below this a set's normal impulse is compared with it: 1e-3 of what stops the scale, or what stops |S q| over mu.
double smallest_impulse(const BodySystem& s, const SystemBlock& block) {
  return (s.judged > 0 ? 1e-3 / s.judged : 1 / block.mu) / block.weight;
}

// |defect|^2 of one block in units of |S q|.
double block_residual(const BodySystem& s, const SystemBlock& block, const double* z, const double* u) {
  const double *own = z + block.first, *speed = u + block.first;
  double sum = 0;
  switch (block.kind) {
    case Kind::equality:
      for (int i = 0; i < block.dim; ++i) sum += square(speed[i] * s.weight[block.first + i]);
      return sum;
    case Kind::cone:
      return square(block.weight) * cone_defect(block, own, speed);
    case Kind::set:
      return square(block.weight) * set_defect(block, smallest_impulse(s, block), own, speed);
    case Kind::disc:
      return square(block.weight) * disc_defect(block, disc_radius(s, block, z), own, speed);
    case Kind::idle:
      break;
  }
  return sum;
}

// What impulses do to each body, squared: the largest over its blocks of (W_ii r_i)^2 in units of |S q|. Of a contact
// the normal row and the first two of friction count; spin is no motion of it.
void find_pushes(const BodySystem& s, const double* z) {
  std::fill(s.push.begin(), s.push.end(), 0.0);
  for (const SystemBlock& block : s.blocks) {
    if (block.link >= 0) continue;  // rolling is no motion of a contact
    const bool is_contact = block.kind == Kind::cone || block.kind == Kind::set;
    const int rows = is_contact ? std::min(block.dim, 3) : block.dim;
    double push = 0;
    for (int row = block.first; row < block.first + rows; ++row) push = std::max(push, square(s.effect[row] * z[row]));
    for (const int body : block.body) {
      if (body >= 0) s.push[body] = std::max(s.push[body], push);
    }
  }
}

double squared_scale(const BodySystem& s, const SystemBlock& block) {
  if (block.link >= 0) {
    const SystemBlock& contact = s.blocks[block.link];
    return std::max(square(block.floor), squared_scale(s, contact) * square(block.weight / contact.weight));
  }
  double push = 0;
  for (const int body : block.body) push = body < 0 ? push : std::max(push, s.push[body]);
  return std::max(square(block.floor), std::min(push, square(1 / s.judged)));
}

double worst_residual(const BodySystem& s, const double* z, const double* u) {
  find_pushes(s, z);
  double worst = 0;
  for (const SystemBlock& block : s.blocks) {
    const double residual = block_residual(s, block, z, u) / squared_scale(s, block);
    if (!(residual <= worst)) worst = residual;  // also where it is not a number
  }
  return std::sqrt(worst);
}

}  // namespace

void judge_all_alike(BodySystem& s) {
  if (!(s.judged > 0)) return;
  for (SystemBlock& block : s.blocks) block.floor = 1 / s.judged;
  s.smallest_judged = std::min(1.0, 1 / s.judged);
}

void judge_worst_block(double largest, std::span<const double> scales, BodySystem& s) {
  s.smallest_judged = 1;
  s.judged = largest > 0 ? (s.q_norm > 0 ? s.q_norm : 1) / largest : 0;
  judge_all_alike(s);
  if (!(s.judged > 0) || scales.empty()) return;
  const double unit = 1 / (s.judged * largest);
  double smallest = s.smallest_judged;
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    SystemBlock& block = s.blocks[b];
    block.floor = std::max(scales[b] * unit, least_floor / s.judged);
    if (block.link >= 0) {
      const SystemBlock& contact = s.blocks[block.link];
      block.floor = std::max(scales[b] * unit, contact.floor * block.weight / contact.weight);
    }
    smallest = std::min(smallest, block.floor);
  }
  s.smallest_judged = std::max(smallest, std::min(s.smallest_judged, least_judged / s.judged));
}

double body_residual(const BodySystem& s, const double* z, const double* u) {
  if (s.judged > 0) return worst_residual(s, z, u);
  double sum = 0;
  for (const SystemBlock& block : s.blocks) sum += block_residual(s, block, z, u);
  return std::sqrt(sum);
}

}  // namespace stiction::solvers
