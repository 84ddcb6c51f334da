#include "stiction/events/contact_modes.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "stiction/solvers/cone/margin.h"

namespace stiction {

namespace {

// Pivots of scaled systems below this share of the largest are zero.
constexpr double rank_tolerance = 1e-9;
// What an equation may miss, relative to the loads, where rows depend on each other.
constexpr double consistency = 1e-7;
// Internal forces are looked for up to so many times the loads.
constexpr double force_reach = 1e3;
// A margin of this is as good as any.
constexpr double inside = 1e-4;

// The linear system of given modes.
class ModeSystem {
 public:
  explicit ModeSystem(const ModeProblem& problem) : p_(problem), scale_(row_scales(problem.island)) {
    constant_ = VectorX::Zero(scale_.size());
    place();
    a0_ = problem.island.a0 + problem.island.B.transpose() * (problem.island.B * constant_);
    load_ = mode_load(problem.island, a0_);
  }

  ModeSolution solve(bool inequalities);

 private:
  void place();
  void add_column(VectorX column) { columns_.push_back(std::move(column)); }
  VectorX unit(int row) const { return VectorX::Unit(scale_.size(), row); }
  std::vector<solvers::LorentzCondition> conditions(const VectorX& f, const MatrixX& N) const;
  void judge(const MatrixX& N, ModeSolution& solution) const;

  const ModeProblem& p_;
  VectorX scale_;     // of rows: kinetic metric
  VectorX constant_;  // forces that are known: dry friction in joints that move
  VectorX a0_;        // accelerations with those
  double load_ = 0;
  std::vector<int> equations_;    // rows with a = 0
  std::vector<VectorX> columns_;  // forces per unknown
  // Which inequality each condition is.
  struct Source {
    int item;
    bool normal, rolls;
  };
  mutable std::vector<Source> sources_;
};

void ModeSystem::place() {
  for (size_t i = 0; i < p_.island.items.size(); ++i) {
    const InstantItem& item = p_.island.items[i];
    const ContactMode& mode = p_.modes[i];
    if (!mode.closed) continue;
    const bool joint = item.scalar >= 0;
    if (joint && mode.slips) {
      constant_[item.first] = p_.axes[i][0] * slip_ratio(Vector3::UnitX(), p_.slip[i], mode.direction)[0];
      continue;
    }
    if (joint) {  // a limit, or dry friction that holds
      equations_.push_back(item.first);
      add_column(unit(item.first));
      continue;
    }
    VectorX normal = unit(item.first);
    equations_.push_back(item.first);
    const bool friction = item.rows > 1 && p_.axes[i].head<2>().maxCoeff() > 0;
    if (friction && mode.slips) {
      const Vector3 ratio = slip_ratio(p_.axes[i], p_.slip[i], mode.direction);
      for (int r = 1; r < item.rows; ++r) normal[item.first + r] = ratio[r - 1];
    } else if (friction) {
      for (int r = 1; r < item.rows; ++r) {
        if (p_.axes[i][r - 1] <= 0) continue;
        equations_.push_back(item.first + r);
        add_column(unit(item.first + r));
      }
    }
    if (item.rolling >= 0 && mode.rolls) {
      const Vector3 axes(p_.rolling[i], p_.rolling[i], 0);
      const Vector3 ratio = slip_ratio(axes, Vector3(p_.turning[i][0], p_.turning[i][1], 0),
                                       Vector3(mode.rolling_direction[0], mode.rolling_direction[1], 0));
      normal.segment<2>(item.rolling) = ratio.head<2>();
    } else if (item.rolling >= 0) {
      for (int r = 0; r < 2; ++r) {
        equations_.push_back(item.rolling + r);
        add_column(unit(item.rolling + r));
      }
    }
    add_column(std::move(normal));
  }
}

// Inequalities on f + N z, divided by the loads.
std::vector<solvers::LorentzCondition> ModeSystem::conditions(const VectorX& f, const MatrixX& N) const {
  std::vector<solvers::LorentzCondition> all;
  sources_.clear();
  const double unit_force = load_ > 0 ? 1 / load_ : 1.0;
  const auto add = [&](int item, int bound, double bound_force, int first, int count, const Vector3& axes, bool rolls) {
    solvers::LorentzCondition k;
    const double s = unit_force * scale_[bound];
    k.c = s * (bound_force >= 0 ? bound_force : f[bound]);
    k.C = bound_force >= 0 ? VectorX(VectorX::Zero(N.cols())) : VectorX(s * N.row(bound).transpose());
    k.d.resize(count);
    k.D.resize(count, N.cols());
    int kept = 0;
    for (int r = 0; r < count; ++r) {
      if (axes[r] <= 0) continue;
      k.d[kept] = s * f[first + r] / axes[r];
      k.D.row(kept++) = s / axes[r] * N.row(first + r);
    }
    k.d.conservativeResize(kept);
    k.D.conservativeResize(kept, N.cols());
    all.push_back(std::move(k));
    sources_.push_back({item, count == 0, rolls});
  };
  for (size_t i = 0; i < p_.island.items.size(); ++i) {
    const InstantItem& item = p_.island.items[i];
    const ContactMode& mode = p_.modes[i];
    const int n = static_cast<int>(i);
    if (!mode.closed) continue;
    if (item.scalar >= 0 && mode.slips) continue;
    if (item.scalar >= 0 && p_.axes[i][0] > 0) {
      add(n, item.first, p_.axes[i][0], item.first, 1, Vector3::Ones(), false);
      continue;
    }
    const bool sticks = item.scalar < 0 && item.rows > 1 && !mode.slips && p_.axes[i].head<2>().maxCoeff() > 0;
    const bool held = item.rolling >= 0 && !mode.rolls;
    if (!sticks && !held) add(n, item.first, -1, 0, 0, Vector3::Zero(), false);
    if (sticks) add(n, item.first, -1, item.first + 1, item.rows - 1, p_.axes[i], false);
    if (held) add(n, item.first, -1, item.rolling, 2, Vector3(p_.rolling[i], p_.rolling[i], 0), true);
  }
  return all;
}

void ModeSystem::judge(const MatrixX& N, ModeSolution& solution) const {
  auto all = conditions(solution.force, N);
  if (all.empty()) return;
  const auto least = [&](const VectorX& z) {
    double margin = 1;
    for (size_t k = 0; k < all.size(); ++k) {
      const double own = all[k].margin(z);
      if (own >= margin) continue;
      margin = own;
      solution.tightest = sources_[k].item;
      // A cone that is left with f_n < 0 is left through its tip.
      solution.tightest_is_normal = sources_[k].normal || all[k].c + all[k].C.dot(z) <= 0;
      solution.tightest_rolls = sources_[k].rolls;
    }
    return margin;
  };
  VectorX z = VectorX::Zero(N.cols());
  solution.margin = least(z);
  if (solution.margin >= 0 || N.cols() == 0) return;
  const solvers::DeepestPoint deepest =
      solvers::find_deepest_point(all, static_cast<int>(N.cols()), force_reach, inside);
  if (deepest.margin <= solution.margin) return;
  solution.force += N * deepest.z;
  solution.margin = least(deepest.z);
}

ModeSolution ModeSystem::solve(bool inequalities) {
  const InstantIsland& island = p_.island;
  ModeSolution solution;
  solution.force = constant_;
  MatrixX N(scale_.size(), 0);
  if (!columns_.empty()) {
    const auto unknowns = static_cast<Eigen::Index>(columns_.size());
    MatrixX F(scale_.size(), unknowns);
    for (Eigen::Index k = 0; k < unknowns; ++k) F.col(k) = columns_[k];
    const MatrixX BF = island.B * F;
    VectorX width = BF.colwise().norm();
    for (double& w : width) w = w > 0 ? w : 1.0;
    MatrixX A = island.B(Eigen::all, equations_).transpose() * BF;
    VectorX b = -a0_(equations_);
    for (Eigen::Index r = 0; r < A.rows(); ++r) {
      A.row(r) /= scale_[equations_[r]];
      b[r] /= scale_[equations_[r]];
    }
    A *= width.cwiseInverse().asDiagonal();
    Eigen::CompleteOrthogonalDecomposition<MatrixX> cod(A.rows(), A.cols());
    cod.setThreshold(rank_tolerance);
    cod.compute(A);
    const VectorX x = cod.solve(b);
    solution.consistent = (A * x - b).lpNorm<Eigen::Infinity>() <= consistency * std::max(load_, 1e-300);
    solution.force += F * x.cwiseQuotient(width);
    solution.redundancy = static_cast<int>(unknowns - cod.rank());
    if (inequalities && solution.redundancy > 0) {
      // A's null space: the last rows of Z in A P = Q [T 0; 0 0] Z.
      const MatrixX Z = cod.matrixZ();
      const MatrixX null = cod.colsPermutation() * Z.bottomRows(solution.redundancy).transpose();
      N = load_ * F * width.cwiseInverse().asDiagonal() * null;
    }
  }
  if (inequalities) judge(N, solution);
  solution.acceleration = island.a0 + island.B.transpose() * (island.B * solution.force);
  return solution;
}

}  // namespace

double mode_load(const InstantIsland& island, const VectorX& a0) {
  const double bodies = island.y_free.norm();
  return a0.size() == 0 ? bodies : std::max(bodies, a0.cwiseQuotient(row_scales(island)).lpNorm<Eigen::Infinity>());
}

VectorX row_scales(const InstantIsland& island) {
  VectorX scales = island.B.colwise().norm();
  for (double& s : scales) s = s > 0 ? s : 1.0;
  return scales;
}

void ModeProblem::add(const ContactMode& mode) {
  modes.push_back(mode);
  axes.emplace_back(Vector3::Zero());
  rolling.push_back(0);
  slip.emplace_back(Vector3::Zero());
  turning.emplace_back(Vector2::Zero());
}

Vector3 slip_ratio(const Vector3& axes, const Vector3& u, const Vector3& direction) {
  constexpr double stopped = 1e-14;  // m/s: nothing but rounding
  Vector3 along = direction;
  if (u.norm() > stopped) along = u.dot(direction) < 0 ? Vector3(-u) : u;
  const Vector3 weighted = axes.cwiseProduct(along);
  const double length = weighted.norm();
  if (!(length > 0)) return Vector3::Zero();
  return -axes.cwiseProduct(weighted) / length;
}

ModeSolution solve_modes(const ModeProblem& problem, bool inequalities) {
  return ModeSystem(problem).solve(inequalities);
}

}  // namespace stiction
