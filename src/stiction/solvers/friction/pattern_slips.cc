// Patterns in which blocks slip: the zeros of h(l) of enumerate_friction.h, l the multipliers of slip.
#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/solvers/friction/friction_patterns.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"
#include "stiction/solvers/friction/kernels/least_norm.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;
using Real = FrictionPatterns::Real;
using LeastNormSystem = LeastNorm<FrictionPatterns::Matrix, FrictionPatterns::Vector>;

}  // namespace

// radius / |r_f| - 1 of the c-th slipping block.
Real FrictionPatterns::slip_value(int c, const Vector& x, Real& radius, Real& norm) const {
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
bool FrictionPatterns::evaluate(const SmallVector& l, SmallVector& h, SmallMatrix* slope) {
  Matrix K = K_;
  const auto friction_rows = [&](int c, auto&& visit) {
    const int i = slips_[c], offset = s_.law[i] == Law::contact ? 1 : 0;
    for (int a = offset; a < s_.dim[i]; ++a) visit(place_[s_.first[i] + a]);
  };
  for (int c = 0; c < slip_count_; ++c) friction_rows(c, [&](int row) { K(row, row) += l[c]; });
  const LeastNormSystem solver(K, singular_);
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

double FrictionPatterns::random() {
  std::uint64_t z = (random_ += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Damped Newton on h(l) = 0, l > 0.
void FrictionPatterns::newton_in_multipliers(SmallVector l) {
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

void FrictionPatterns::solve_slips() {
  for (int start = 0; start < options_.starts && !finished(); ++start) {
    SmallVector l(slip_count_);
    for (int c = 0; c < slip_count_; ++c) l[c] = start == 0 ? 1.0 : std::pow(10.0, 16 * random() - 12);
    newton_in_multipliers(l);
  }
}

void FrictionPatterns::bisect(Real low, Real high) {
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

// Every change of sign on a grid of four points per decade.
void FrictionPatterns::solve_one_slip() {
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

}  // namespace stiction::solvers
