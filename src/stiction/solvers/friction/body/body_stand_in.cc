#include "stiction/solvers/friction/body/body_stand_in.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stiction::solvers {
namespace {

// Half axes of the ellipse over the reach of the set along them: between a diamond's 0.71 and a rectangle's 1.
constexpr double share_of_reach = 0.85;
// A thin set has an ellipse of this aspect at least: thinner ones are hard, and only a start is wanted.
constexpr double least_aspect = 0.05;
// Nearer to the answer of the wrong problem is not nearer to that of the right one.
constexpr double near_enough = 1e-4;

std::array<double, 2> ellipse_of(const BlockSet& set) {
  const double t = cone_extent(*set.cone, 0), o = cone_extent(*set.cone, 1), least = least_aspect * std::max(t, o);
  const double share = share_of_reach * set.scale;
  return {share * std::max(t, least), share * std::max(o, least)};
}

void make_elliptic(SystemBlock& block, BodySystem& s) {
  const std::array<double, 2> axes = ellipse_of(block.set);
  block.kind = SystemBlock::Kind::cone;
  block.mu = std::max(axes[0], axes[1]);
  for (int r = 1; r < block.dim; ++r) {
    s.q[block.first + r] *= axes[r - 1];
    s.scale[block.first + r] *= axes[r - 1];
    s.effect[block.first + r] *= axes[r - 1];
    for (int i = 0; i < block.dim; ++i) {
      s.W[block.W + r * block.dim + i] *= axes[r - 1];
      s.W[block.W + i * block.dim + r] *= axes[r - 1];
    }
    for (int side = 0; side < 2; ++side) {
      double* h = s.H.data() + block.H[side] + r * block.width[side];
      for (int i = 0; i < block.width[side]; ++i) h[i] *= axes[r - 1];
    }
  }
}

}  // namespace

void BodyStandIn::form(const BodySystem& s) {
  round_.blocks.assign(s.blocks.begin(), s.blocks.end());
  round_.H.assign(s.H.begin(), s.H.end());
  round_.columns.assign(s.columns.begin(), s.columns.end());
  round_.W.assign(s.W.begin(), s.W.end());
  round_.q.assign(s.q.begin(), s.q.end());
  round_.scale.assign(s.scale.begin(), s.scale.end());
  round_.weight.assign(s.weight.begin(), s.weight.end());
  round_.effect.assign(s.effect.begin(), s.effect.end());
  round_.push.resize(s.push.size());
  round_.row_count = s.row_count, round_.velocity_count = s.velocity_count;
  round_.q_norm = s.q_norm, round_.judged = s.judged, round_.smallest_judged = s.smallest_judged;
  for (SystemBlock& block : round_.blocks) {
    if (block.kind == SystemBlock::Kind::set) make_elliptic(block, round_);
  }
}

void BodyStandIn::reserve(const BodySystem& s) {
  form(s);
  round_.blocks.reserve(s.row_count);
  progress_.best.reserve(s.row_count);
  x_.reserve(s.velocity_count);
  u_.reserve(s.row_count);
}

double BodyStandIn::run(const BodySystem& s, const BodyInteriorOptions& options, BodyInteriorPoint& interior,
                        BodyMatrix& matrix, BodyProgress& progress, std::vector<double>& z) {
  form(s);
  progress_.tolerance = progress_.polished = std::max(options.stop, near_enough);
  progress_.factorizations = progress.factorizations, progress_.most_factorizations = progress.most_factorizations;
  progress_.iterations = progress.iterations;
  progress_.deadline = progress.deadline;
  progress_.best.assign(s.row_count, 0.0);
  progress_.best_residual = infinity;
  interior.run(round_, {progress_.tolerance, options.damping, options.least_centring}, matrix, progress_, z);
  progress.factorizations = progress_.factorizations;
  progress.iterations = progress_.iterations;
  std::copy(progress_.best.begin(), progress_.best.end(), z.begin());
  for (const SystemBlock& block : s.blocks) {
    if (block.kind != SystemBlock::Kind::set) continue;
    const std::array<double, 2> axes = ellipse_of(block.set);
    for (int r = 1; r < block.dim; ++r) z[block.first + r] *= axes[r - 1];
  }
  put_in_cones(s, z.data());
  x_.resize(s.velocity_count);
  u_.resize(s.row_count);
  velocity_of(s, z.data(), x_.data());
  all_velocities(s, x_.data(), u_.data());
  const double residual = body_residual(s, z.data(), u_.data());
  progress.offer(z, residual);
  return residual;
}

}  // namespace stiction::solvers
