#include "stiction/solvers/cone/margin.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"

namespace stiction::solvers {

namespace {

constexpr int newton_steps = 40;
// The gap to the optimum is the number of conditions over the weight.
constexpr double first_weight = 1, last_weight = 1e12, weight_growth = 20;

// The barrier of one weight, over y = (z, s).
class Barrier {
 public:
  Barrier(const std::vector<LorentzCondition>& conditions, int size, double reach)
      : conditions_(conditions), n_(size), reach_(reach) {}

  double weight = first_weight;

  double value(const VectorX& y) const {
    double sum = -weight * y[n_];
    const auto add = [&](double x) { sum -= x > 0 ? std::log(x) : -infinity; };
    for (const LorentzCondition& k : conditions_) {
      const double a = k.c + k.C.dot(y.head(n_)) - y[n_];
      const double r2 = k.d.size() > 0 ? (k.d + k.D * y.head(n_)).squaredNorm() : 0.0;
      if (!(a > 0)) return infinity;
      add(k.d.size() > 0 ? a * a - r2 : a);
    }
    for (int j = 0; j < n_; ++j) add(reach_ * reach_ - y[j] * y[j]);
    add(1 - y[n_]);
    return sum;
  }

  void slopes(const VectorX& y, VectorX& g, MatrixX& H) const {
    g = VectorX::Zero(n_ + 1);
    H = MatrixX::Zero(n_ + 1, n_ + 1);
    g[n_] = -weight;
    for (const LorentzCondition& k : conditions_) add_condition(k, y, g, H);
    for (int j = 0; j < n_; ++j) {
      const double p = reach_ * reach_ - y[j] * y[j];
      g[j] += 2 * y[j] / p;
      H(j, j) += 2 / p + 4 * y[j] * y[j] / (p * p);
    }
    const double room = 1 - y[n_];
    g[n_] += 1 / room;
    H(n_, n_) += 1 / (room * room);
  }

 private:
  // -log(a^2 - |r|^2), or -log a.
  void add_condition(const LorentzCondition& k, const VectorX& y, VectorX& g, MatrixX& H) const {
    VectorX da(n_ + 1);
    da << k.C, -1.0;
    const double a = da.dot(y) + k.c;
    if (k.d.size() == 0) {
      g -= da / a;
      H += da * da.transpose() / (a * a);
      return;
    }
    const VectorX r = k.d + k.D * y.head(n_);
    MatrixX dr = MatrixX::Zero(r.size(), n_ + 1);
    dr.leftCols(n_) = k.D;
    const double p = a * a - r.squaredNorm();
    const VectorX dp = 2 * (a * da - dr.transpose() * r);
    g -= dp / p;
    H += dp * dp.transpose() / (p * p) - 2 * (da * da.transpose() - dr.transpose() * dr) / p;
  }

  const std::vector<LorentzCondition>& conditions_;
  int n_;
  double reach_;
};

// Minimises the barrier from y.
void centre(const Barrier& barrier, VectorX& y) {
  VectorX g;
  MatrixX H;
  double value = barrier.value(y);
  for (int step = 0; step < newton_steps; ++step) {
    barrier.slopes(y, g, H);
    const VectorX move = -H.ldlt().solve(g);
    const double slope = g.dot(move);
    if (!move.allFinite() || !(slope < -1e-12)) return;
    double length = 1;
    while (length > 1e-12 && !(barrier.value(y + length * move) <= value + 0.1 * length * slope)) length /= 2;
    if (length <= 1e-12) return;
    y += length * move;
    value = barrier.value(y);
  }
}

}  // namespace

DeepestPoint find_deepest_point(const std::vector<LorentzCondition>& conditions, int size, double reach,
                                double enough) {
  const auto least = [&](const VectorX& z) {
    double margin = 1;
    for (const LorentzCondition& k : conditions) margin = std::min(margin, k.margin(z));
    return margin;
  };
  VectorX y = VectorX::Zero(size + 1);
  y[size] = least(y.head(size)) - 1;
  Barrier barrier(conditions, size, reach);
  for (; barrier.weight < last_weight; barrier.weight *= weight_growth) {
    centre(barrier, y);
    if (least(y.head(size)) >= enough) break;
  }
  return {y.head(size), least(y.head(size))};
}

}  // namespace stiction::solvers
