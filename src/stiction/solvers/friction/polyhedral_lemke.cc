#include "stiction/solvers/friction/polyhedral_lemke.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/base/infinity.h"
#include "stiction/math/types.h"
#include "stiction/solvers/friction/friction_solve.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;
using Unknown = PolyhedralWorkspace::Unknown;

class Polyhedral {
 public:
  Polyhedral(const ScaledFriction& s, const PolyhedralOptions& options, PolyhedralWorkspace& w)
      : s_(s), options_(options), w_(w) {}
  PolyhedralResult run(double* r);

 private:
  bool applicable();
  void list_unknowns();
  void add_polygon(int block, int row);
  void add_interval(int block, int row);
  void add_multiplier(int block);
  void build_lcp();
  double product(const Unknown& a, const Unknown& b) const;
  void build_multiplier(int a);
  void map_back(double* r) const;
  Hypotheses check_hypotheses();
  bool factor_symmetric(double shift);
  bool nonnegative_on_null_space();

  const ScaledFriction& s_;
  const PolyhedralOptions& options_;
  PolyhedralWorkspace& w_;
  int directions_ = 8, fan_ = 0;
};

bool Polyhedral::applicable() {
  int blocks = 0, bilateral = 0;
  for (int i = 0; i < s_.block_count; ++i) {
    if (s_.law[i] == Law::bilateral) {
      bilateral += s_.dim[i];
    } else {
      ++blocks;
    }
  }
  directions_ = options_.directions > 0 ? options_.directions : blocks <= 8 ? 16 : blocks <= 24 ? 12 : 8;
  return blocks <= options_.most_blocks && bilateral <= options_.most_bilateral;
}

void Polyhedral::add_multiplier(int block) {
  Unknown unknown;
  unknown.block = block;
  unknown.fan = fan_++;
  unknown.multiplier = true;
  w_.unknowns.push_back(unknown);
}

void Polyhedral::add_polygon(int block, int row) {
  for (int k = 0; k < directions_; ++k) {
    const double angle = 2 * std::numbers::pi * k / directions_;
    Unknown unknown;
    unknown.block = block;
    unknown.fan = fan_;
    unknown.direction[row] = std::cos(angle);
    unknown.direction[row + 1] = std::sin(angle);
    w_.unknowns.push_back(unknown);
  }
  add_multiplier(block);
}

void Polyhedral::add_interval(int block, int row) {
  for (const double sign : {1.0, -1.0}) {
    Unknown unknown;
    unknown.block = block;
    unknown.fan = fan_;
    unknown.direction[row] = sign;
    w_.unknowns.push_back(unknown);
  }
  add_multiplier(block);
}

void Polyhedral::list_unknowns() {
  w_.unknowns.clear();
  w_.normal_of.assign(s_.block_count, -1);
  fan_ = 0;
  for (int i = 0; i < s_.block_count; ++i) {
    const int n = s_.dim[i];
    if (s_.law[i] == Law::contact) {
      w_.normal_of[i] = static_cast<int>(w_.unknowns.size());
      Unknown normal;
      normal.block = i;
      normal.direction[0] = 1;
      w_.unknowns.push_back(normal);
      if (s_.mu[i] <= 0) continue;
      if (n == 2) add_interval(i, 1);
      if (n >= 3) add_polygon(i, 1);
      if (n == 4) add_interval(i, 3);
    } else if (s_.law[i] == Law::bounded) {
      if (n == 2) add_polygon(i, 0);
      for (int a = 0; a < n && n != 2; ++a) add_interval(i, a);
    }
  }
}

// d_a^T W~ d_b.
double Polyhedral::product(const Unknown& a, const Unknown& b) const {
  const EliminatedFriction& e = w_.eliminated;
  const int first_a = e.place(s_.first[a.block]), first_b = e.place(s_.first[b.block]);
  double sum = 0;
  for (int i = 0; i < s_.dim[a.block]; ++i) {
    if (a.direction[i] == 0) continue;
    for (int j = 0; j < s_.dim[b.block]; ++j) {
      if (b.direction[j] != 0) sum += a.direction[i] * b.direction[j] * e.W(first_a + i, first_b + j);
    }
  }
  return sum;
}

// Row of lambda: radius - e^T beta; and lambda's column in the rows of beta.
void Polyhedral::build_multiplier(int a) {
  const int n = static_cast<int>(w_.unknowns.size());
  const Unknown& multiplier = w_.unknowns[a];
  const auto entry = [&](int row, int column) -> double& { return w_.M[static_cast<size_t>(column) * n + row]; };
  for (int b = 0; b < n; ++b) {
    if (w_.unknowns[b].fan != multiplier.fan || b == a) continue;
    entry(a, b) = -1;
    entry(b, a) = 1;
  }
  const int block = multiplier.block;
  const bool contact = s_.law[block] == Law::contact;
  const int normal = contact ? w_.normal_of[block] : s_.link[block] >= 0 ? w_.normal_of[s_.link[block]] : -1;
  if (normal >= 0) entry(a, normal) = s_.mu[block];
  w_.q[a] = contact ? 0.0 : s_.bound[block];
}

void Polyhedral::build_lcp() {
  const int n = static_cast<int>(w_.unknowns.size());
  w_.M.assign(static_cast<size_t>(n) * n, 0.0);
  w_.q.assign(n, 0.0);
  for (int a = 0; a < n; ++a) {
    const Unknown& unknown = w_.unknowns[a];
    if (unknown.multiplier) {
      build_multiplier(a);
      continue;
    }
    const int first = w_.eliminated.place(s_.first[unknown.block]);
    for (int i = 0; i < s_.dim[unknown.block]; ++i) w_.q[a] += unknown.direction[i] * w_.eliminated.q()[first + i];
    for (int b = 0; b < n; ++b) {
      if (!w_.unknowns[b].multiplier) w_.M[static_cast<size_t>(b) * n + a] = product(unknown, w_.unknowns[b]);
    }
  }
}

void Polyhedral::map_back(double* r) const {
  std::fill_n(r, s_.row_count, 0.0);
  for (size_t a = 0; a < w_.unknowns.size(); ++a) {
    const Unknown& unknown = w_.unknowns[a];
    if (unknown.multiplier) continue;
    for (int i = 0; i < s_.dim[unknown.block]; ++i) r[s_.first[unknown.block] + i] += w_.z[a] * unknown.direction[i];
  }
  w_.eliminated.complete(r, true);
}

// Cholesky of (W~ + W~^T) / 2 + shift I into w_.work.
bool Polyhedral::factor_symmetric(double shift) {
  const int n = static_cast<int>(w_.eliminated.rows().size());
  w_.work.resize(static_cast<size_t>(n) * n);
  Eigen::Map<MatrixX> S(w_.work.data(), n, n);
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b)
      S(a, b) = 0.5 * (w_.eliminated.W(a, b) + w_.eliminated.W(b, a)) + (a == b ? shift : 0.0);
  }
  Eigen::Ref<MatrixX> in_place(S);
  return Eigen::LLT<Eigen::Ref<MatrixX>>(in_place).info() == Eigen::Success;
}

// Is the part of q - p in the null space zero for some p >= 0 on normals? N = e (S + e I)^-1 is the projection on it.
bool Polyhedral::nonnegative_on_null_space() {
  constexpr double small = 1e-9;
  const int n = static_cast<int>(w_.eliminated.rows().size());
  if (!factor_symmetric(small)) return false;
  w_.null.assign(static_cast<size_t>(n) * n, 0.0);
  Eigen::Map<MatrixX> N(w_.null.data(), n, n);
  const Eigen::Map<const MatrixX> L(w_.work.data(), n, n);
  N.diagonal().setConstant(small);
  L.triangularView<Eigen::Lower>().solveInPlace(N);
  L.transpose().triangularView<Eigen::Upper>().solveInPlace(N);
  w_.p.assign(w_.eliminated.q().begin(), w_.eliminated.q().end());  // q - p
  Eigen::Map<VectorX> left(w_.p.data(), n);
  const Eigen::Map<const VectorX> q(w_.eliminated.q().data(), n);
  for (int sweep = 0; sweep < 500; ++sweep) {
    for (int i = 0; i < s_.block_count; ++i) {
      if (s_.law[i] != Law::contact) continue;
      const int a = w_.eliminated.place(s_.first[i]);
      if (N(a, a) > 1e-6) left[a] = std::min(q[a], left[a] - N.row(a).dot(left) / N(a, a));
    }
  }
  return (N * left).norm() <= 1e-7 * q.norm();
}

Hypotheses Polyhedral::check_hypotheses() {
  constexpr double rounding = 1e-12;
  if (factor_symmetric(-1e3 * rounding)) return Hypotheses::hold;
  if (!factor_symmetric(rounding)) return Hypotheses::fail;
  return nonnegative_on_null_space() ? Hypotheses::hold : Hypotheses::unknown;
}

PolyhedralResult Polyhedral::run(double* r) {
  PolyhedralResult result;
  result.residual = infinity;
  result.applicable = applicable();
  if (!result.applicable || !w_.eliminated.eliminate(s_)) return result;
  result.hypotheses = check_hypotheses();
  list_unknowns();
  build_lcp();
  const int n = static_cast<int>(w_.unknowns.size());
  w_.z.resize(n);
  w_.w.resize(n);
  const SolveReport report = solve_lemke({n, w_.M.data(), w_.q.data()}, false, {}, w_.lemke, w_.z.data(), w_.w.data());
  result.pivots = report.iterations;
  result.solved = report.termination == Termination::solved;
  double sum = 0;
  for (const double z : w_.z) sum += z;
  if (!std::isfinite(sum)) return result;
  map_back(r);
  w_.p.resize(s_.row_count);
  scaled_velocity(s_, r, w_.p.data());
  result.residual = scaled_residual(s_, r, w_.p.data());
  if (!std::isfinite(result.residual)) result.residual = infinity;
  return result;
}

}  // namespace

PolyhedralResult run_polyhedral_lemke(const ScaledFriction& s, const PolyhedralOptions& options, PolyhedralWorkspace& w,
                                      double* r) {
  return Polyhedral(s, options, w).run(r);
}

constinit const FrictionSolver lemke_friction = {
    .name = "lemke",
    .source = "lemke1965",
    .sentence =
        "complementary pivoting with the lexicographic rule on a polyhedral cone; warm-started in stewart-trinkle",
    .run =
        [](FrictionSolve& solve) {
          const PolyhedralResult result =
              run_polyhedral_lemke(solve.problem(), {}, solve.memory().polyhedral, solve.r());
          solve.note(result.hypotheses);
          solve.keep(lemke_friction, result.pivots, result.residual);
        },
    .polyhedral = true};

}  // namespace stiction::solvers
