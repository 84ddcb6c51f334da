#include "stiction/solvers/cone/slip_states.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/solvers/cone/slip_patterns.h"

namespace stiction::solvers {

namespace {

// Of a matrix with a diagonal of one: singular values below are rounding.
constexpr double singular = 1e-10;
// Scaled forces of a set are looked for within this.
constexpr double reach = 100;

}  // namespace

SlipPatterns::SlipPatterns(const InstantProblem& problem, const InstantOptions& options)
    : contacts_(problem.contacts), options_(options), s_(scale_problem(problem)) {}

SlipPatterns::Scaled SlipPatterns::scale_problem(const InstantProblem& problem) {
  Scaled s{problem.W, problem.a0, VectorX::Ones(problem.a0.size()), 1};
  const double largest = problem.W.size() > 0 ? problem.W.diagonal().maxCoeff() : 1.0;
  for (const InstantContact& c : problem.contacts) {
    const double W = std::max(problem.W(c.first, c.first), 1e-12 * largest);
    s.unit.segment(c.first, 1 + c.tangents).setConstant(W > 0 ? 1 / std::sqrt(W) : 1.0);
  }
  s.W = s.unit.asDiagonal() * problem.W * s.unit.asDiagonal();
  s.a0 = s.unit.cwiseProduct(problem.a0);
  const double size = s.a0.size() > 0 ? s.a0.lpNorm<Eigen::Infinity>() : 0.0;
  s.size = size > 0 ? size : 1.0;
  s.a0 /= s.size;
  return s;
}

std::vector<SlipPatterns::Mode> SlipPatterns::modes_of(const InstantContact& c) const {
  const bool all = report_.enumerated;
  if (c.bound >= 0) return all ? std::vector<Mode>{stick, plus, minus} : std::vector<Mode>{stick};
  if (!all) return {c.slides ? slide : stick};
  if (c.slides) return {slide, open};
  if (c.tangents == 0) return {stick, open};
  if (c.tangents == 1) return {stick, plus, minus, open};
  return {stick, start, open};
}

bool SlipPatterns::next_pattern() {
  for (size_t i = 0; i < choice_.size(); ++i) {
    if (++choice_[i] < choices_[i].size()) return true;
    choice_[i] = 0;
  }
  return false;
}

// Direction of a_t for which the ellipse's point -(mu_1 cos, mu_2 sin) is of maximum dissipation.
Vector2 SlipPatterns::slip_axis(const InstantContact& c, double angle) const {
  return Vector2(std::cos(angle) / c.friction[0], std::sin(angle) / c.friction[1]).normalized();
}

// x of least norm, refined once, and what it leaves free.
void SlipPatterns::find_least_norm(Linear& l) {
  const auto n = l.K.cols();
  l.x = VectorX::Zero(n);
  l.null = MatrixX::Zero(n, 0);
  l.solved = true;
  if (n == 0) return;
  Eigen::CompleteOrthogonalDecomposition<MatrixX> cod(n, n);
  cod.setThreshold(singular);
  cod.compute(l.K);
  l.x = cod.solve(-l.b);
  l.x -= cod.solve(VectorX(l.K * l.x + l.b));
  const auto rank = cod.rank();
  if (rank == n) return;
  const MatrixX Z = cod.matrixZ();
  l.null = cod.colsPermutation() * MatrixX(Z.transpose().rightCols(n - rank));
  l.solved = l.x.allFinite() && (l.K * l.x + l.b).lpNorm<Eigen::Infinity>() <= consistent;
}

SlipPatterns::Linear SlipPatterns::solve(const VectorX& angles) const {
  const auto rows = s_.a0.size();
  Linear l;
  l.f0 = VectorX::Zero(rows);
  std::vector<int> equations;
  l.S = MatrixX::Zero(rows, rows);
  const auto add = [&](int row) { equations.push_back(row), l.S(row, static_cast<int>(equations.size()) - 1) = 1; };
  int turn = 0;
  for (size_t i = 0; i < contacts_.size(); ++i) {
    const InstantContact& c = contacts_[i];
    const Mode mode = mode_[i];
    if (mode == open) continue;
    if (c.bound >= 0 && mode != stick) {
      l.f0[c.first] = mode == plus ? -bound(c) : bound(c);
      continue;
    }
    add(c.first);
    auto column = l.S.col(static_cast<int>(equations.size()) - 1);
    for (int t = 0; mode == slide && t < c.tangents; ++t) column[c.first + 1 + t] = c.ratio[t];
    if (mode == plus || mode == minus) column[c.first + 1] = mode == plus ? -c.friction[0] : c.friction[0];
    if (mode == start) {
      const double angle = angles[turn++];
      column[c.first + 1] = -c.friction[0] * std::cos(angle);
      column[c.first + 2] = -c.friction[1] * std::sin(angle);
    }
    for (int t = 1; mode == stick && t <= c.tangents; ++t) add(c.first + t);
  }
  l.S.conservativeResize(rows, static_cast<Eigen::Index>(equations.size()));
  l.free = s_.a0 + s_.W * l.f0;
  l.WS = s_.W.lazyProduct(l.S);
  l.K = l.WS(equations, Eigen::all);
  l.b = l.free(equations);
  find_least_norm(l);
  return l;
}

// Of every contact that starts to slide: the part of a_t across the direction that its friction stands for.
VectorX SlipPatterns::cross(const VectorX& angles, const Linear& l) const {
  const VectorX a = l.free + l.WS * l.x;
  VectorX result(starting_.size());
  for (size_t k = 0; k < starting_.size(); ++k) {
    const InstantContact& c = contacts_[starting_[k]];
    const Vector2 axis = slip_axis(c, angles[k]);
    result[k] = axis[0] * a[c.first + 2] - axis[1] * a[c.first + 1];
  }
  return result;
}

// Everything that must not be negative, over z with x = l.x + null z; `strict` where zero belongs to another pattern.
std::vector<LorentzCondition> SlipPatterns::conditions(const VectorX& angles, const Linear& l,
                                                       std::vector<bool>& strict) const {
  const VectorX f = l.S * l.x + l.f0, a = l.free + l.WS * l.x;
  const MatrixX F = l.S * l.null, A = l.WS * l.null;
  std::vector<LorentzCondition> all;
  const auto add = [&](double c, const VectorX& C, bool is_strict) {
    all.push_back({c, C, VectorX(), MatrixX()});
    strict.push_back(is_strict);
  };
  int turn = 0;
  for (size_t i = 0; i < contacts_.size(); ++i) {
    const InstantContact& c = contacts_[i];
    const int n = c.first;
    const Mode mode = mode_[i];
    if (mode == open) add(a[n], A.row(n), true);
    if (c.bound >= 0) {
      if (mode == stick) {
        add(bound(c) - f[n], -F.row(n), false);
        add(bound(c) + f[n], F.row(n), false);
      } else {
        const double sign = mode == plus ? 1 : -1;
        add(sign * a[n], sign * A.row(n), true);
      }
      continue;
    }
    if (mode == slide || (mode == stick && c.tangents == 0) || mode == plus || mode == minus || mode == start) {
      add(f[n], F.row(n), false);
    }
    if (mode == plus || mode == minus) {
      const double sign = mode == plus ? 1 : -1;
      add(sign * a[n + 1], sign * A.row(n + 1), true);
    }
    if (mode == start) {
      const Vector2 axis = slip_axis(c, angles[turn++]);
      add(axis[0] * a[n + 1] + axis[1] * a[n + 2], axis[0] * A.row(n + 1) + axis[1] * A.row(n + 2), true);
    }
    if (mode == stick && c.tangents > 0) {
      LorentzCondition cone{f[n], F.row(n), VectorX(c.tangents), MatrixX(c.tangents, F.cols())};
      for (int t = 0; t < c.tangents; ++t) {
        cone.d[t] = f[n + 1 + t] / c.friction[t];
        cone.D.row(t) = F.row(n + 1 + t) / c.friction[t];
      }
      all.push_back(cone);
      strict.push_back(false);
    }
  }
  return all;
}

// Keeps the pattern's answers for these slip directions, if there are any.
void SlipPatterns::candidate(const VectorX& angles) {
  const Linear l = solve(angles);
  if (!l.solved || !l.x.allFinite()) return;
  if (starting_.size() > 0 && cross(angles, l).lpNorm<Eigen::Infinity>() > consistent) return;
  std::vector<bool> strict;
  const std::vector<LorentzCondition> all = conditions(angles, l, strict);
  const int freedom = static_cast<int>(l.null.cols());
  for (size_t i = 0; i < all.size(); ++i) {  // what no choice within the set changes
    if (strict[i] && all[i].C.cwiseAbs().sum() <= singular && all[i].c <= options_.tolerance) return;
  }
  DeepestPoint point{VectorX::Zero(freedom), 0};
  if (freedom > 0) point = find_deepest_point(all, freedom, reach);
  // A set is known as well as the barrier finds it, and as well as its equations fit together.
  const double slack = freedom > 0 ? consistent : options_.tolerance;
  double least = 1;
  for (size_t i = 0; i < all.size(); ++i) {
    const double margin = all[i].margin(point.z);
    if (strict[i] ? margin <= slack : margin < -slack) return;
    least = std::min(least, margin);
  }
  InstantSolution solution;
  const VectorX f = l.S * (l.x + l.null * point.z) + l.f0, a = s_.a0 + s_.W * f;
  solution.force = s_.size * s_.unit.cwiseProduct(f);
  solution.acceleration = s_.size * a.cwiseQuotient(s_.unit);
  solution.force_freedom = freedom;
  solution.acceleration_varies = freedom > 0 && (l.WS * l.null).cwiseAbs().maxCoeff() > consistent;
  solution.borderline = freedom > 0 && least <= slack;
  for (size_t i = 0; i < contacts_.size(); ++i) {
    solution.states.push_back(mode_[i] == open    ? SlipState::separates
                              : mode_[i] == stick ? SlipState::sticks
                              : mode_[i] == slide ? SlipState::slides
                                                  : SlipState::starts_to_slide);
  }
  keep(std::move(solution));
}

void SlipPatterns::keep(InstantSolution solution) {
  for (const InstantSolution& other : report_.solutions) {
    if (other.states != solution.states) continue;
    const VectorX difference = (other.acceleration - solution.acceleration).cwiseProduct(s_.unit) / s_.size;
    if (difference.lpNorm<Eigen::Infinity>() < 1e-6) return;
  }
  if (static_cast<int>(report_.solutions.size()) >= options_.max_solutions) {
    report_.truncated = true;
    return;
  }
  report_.solutions.push_back(std::move(solution));
}

// Rigidity alone excludes a pattern: rows that are combinations of rows held at a = 0 have accelerations that no force
// changes, and one that separates or starts to slide would have none.
bool SlipPatterns::excluded() const {
  std::vector<int> held;
  for (size_t i = 0; i < contacts_.size(); ++i) {
    if (mode_[i] == open || (contacts_[i].bound >= 0 && mode_[i] != stick)) continue;
    const int last = mode_[i] == stick ? contacts_[i].tangents : 0;
    for (int t = 0; t <= last; ++t) held.push_back(contacts_[i].first + t);
  }
  if (held.empty()) return false;
  const MatrixX inner = s_.W(held, held);
  Eigen::CompleteOrthogonalDecomposition<MatrixX> cod(inner.rows(), inner.cols());
  cod.setThreshold(singular);
  cod.compute(inner);
  const VectorX a_held = s_.a0(held);
  // Is the row's acceleration fixed, and (one way) not positive or (both ways) zero?
  const auto stands = [&](int row, bool one_way) {
    const VectorX W_row = s_.W(held, row), weights = cod.solve(W_row);
    if (s_.W(row, row) - W_row.dot(weights) > singular * std::max(1.0, s_.W(row, row))) return false;
    const double a = s_.a0[row] - weights.dot(a_held);
    return (one_way ? a : std::abs(a)) <= options_.tolerance;
  };
  for (size_t i = 0; i < contacts_.size(); ++i) {
    const int first = contacts_[i].first;
    if (mode_[i] == open && stands(first, true)) return true;
    if (mode_[i] == start && stands(first + 1, false) && stands(first + 2, false)) return true;
  }
  return false;
}

void SlipPatterns::try_pattern() {
  ++report_.patterns;
  if (excluded()) return;
  starting_.clear();
  for (size_t i = 0; i < mode_.size(); ++i) {
    if (mode_[i] == start) starting_.push_back(static_cast<int>(i));
  }
  if (starting_.empty()) return candidate(VectorX());
  if (starting_.size() == 1) return scan_direction();
  ++report_.searched;
  search_directions();
}

InstantReport SlipPatterns::run() {
  report_.enumerated = static_cast<int>(contacts_.size()) <= options_.max_contacts;
  for (const InstantContact& c : contacts_) choices_.push_back(modes_of(c));
  choice_.assign(contacts_.size(), 0);
  mode_.resize(contacts_.size());
  do {
    for (size_t i = 0; i < mode_.size(); ++i) mode_[i] = choices_[i][choice_[i]];
    try_pattern();
  } while (next_pattern());
  return report_;
}

std::string_view slip_state_name(SlipState state) {
  switch (state) {
    case SlipState::separates:
      return "separates";
    case SlipState::sticks:
      return "sticks";
    case SlipState::slides:
      return "slides";
    case SlipState::starts_to_slide:
      return "starts to slide";
  }
  return "";
}

InstantReport enumerate_slip_states(const InstantProblem& problem, const InstantOptions& options) {
  return SlipPatterns(problem, options).run();
}

}  // namespace stiction::solvers
