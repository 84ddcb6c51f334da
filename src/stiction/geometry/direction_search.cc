// gap = -min h(n) over unit n, with h the support function of A - B. The sphere of directions is cut into triangles;
// over one with corners n_i and support points x_i (h(n_i) = n_i . x_i), every c = sum w_i x_i with w >= 0, sum w = 1
// lies in A - B, so
//   h(n) >= c . n,   n = sum l_i n_i with l >= 0, 1 <= sum l <= 1 / min(m . n_i), m the middle,
// and min_i c . n_i (times the last bound when negative) is a lower bound over the triangle. A triangle that cannot
// beat the best direction found by more than the tolerance is dropped, any other is halved; depth first, so the memory
// is a short stack.
#include "stiction/geometry/direction_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

struct Corner {
  Vector3 n = Vector3::Zero();
  Vector3 x = Vector3::Zero();
  double h = 0;
};

struct Cell {
  std::array<Corner, 3> corner;
  double bound = 0;  ///< no direction in the cell has a smaller h
};

/// Value of c = sum w_j x_j as a lower bound: the smallest c . n_i, for the best of a few choices of weights.
double best_blend(const Matrix3& M) {
  double best = M.colwise().minCoeff().maxCoeff();
  const auto offer = [&](const Vector3& w) { best = std::max(best, (M * w).minCoeff()); };
  // Weights that make all three (or two) products equal; only then can none be improved at the cost of another.
  const Vector3 r0 = M.row(0) - M.row(1);
  const Vector3 r1 = M.row(0) - M.row(2);
  const Vector3 w = r0.cross(r1);
  const double sum = w.sum();
  if (sum != 0) {
    const Vector3 weights = w / sum;
    if (weights.minCoeff() >= 0) offer(weights);
  }
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3;
    const int j = (k + 2) % 3;
    const double gain_i = M(i, i) - M(j, i);
    const double gain_j = M(j, j) - M(i, j);
    if (gain_i + gain_j <= 0) continue;
    Vector3 weights = Vector3::Zero();
    weights[i] = gain_j / (gain_i + gain_j);
    weights[j] = gain_i / (gain_i + gain_j);
    if (weights.minCoeff() >= 0) offer(weights);
  }
  return best;
}

double cell_bound(const Cell& cell) {
  Matrix3 N;
  Matrix3 X;
  for (int i = 0; i < 3; ++i) {
    N.row(i) = cell.corner[i].n.transpose();
    X.col(i) = cell.corner[i].x;
  }
  const double value = best_blend(N * X);
  if (value >= 0) return value;
  const Vector3 middle = N.colwise().sum().transpose().normalized();
  return value / (N * middle).minCoeff();
}

class Search {
 public:
  Search(const CoreDifference& difference, double tolerance, int max_evaluations)
      : difference_(difference), tolerance_(tolerance), budget_(max_evaluations) {}

  Corner evaluate(const Vector3& n) {
    Corner corner{n, difference_.support(n).w, 0};
    corner.h = n.dot(corner.x);
    if (corner.h < best_.h) best_ = corner;
    ++evaluations_;
    return corner;
  }
  void push(Cell cell) {
    cell.bound = cell_bound(cell);
    stack_[depth_++] = cell;
  }
  void start();
  void run();
  CoreAnswer answer() const;

 private:
  /// Halves the longest side; the half with the smaller bound is looked at first.
  void halve(const Cell& cell);

  const CoreDifference& difference_;
  double tolerance_ = 0;
  int budget_ = 0;
  int evaluations_ = 0;
  Corner best_{Vector3::UnitZ(), Vector3::Zero(), std::numeric_limits<double>::infinity()};
  double proved_ = std::numeric_limits<double>::infinity();  ///< smallest bound among dropped cells
  std::array<Cell, 160> stack_;
  int depth_ = 0;
};

void Search::start() {
  for (int octant = 0; octant < 8; ++octant) {
    Cell cell;
    for (int k = 0; k < 3; ++k) cell.corner[k] = evaluate(Vector3::Unit(k) * (octant >> k & 1 ? -1 : 1));
    push(cell);
  }
}

void Search::halve(const Cell& cell) {
  int longest = 0;
  double length = -1;
  for (int k = 0; k < 3; ++k) {
    const double side = (cell.corner[(k + 1) % 3].n - cell.corner[(k + 2) % 3].n).squaredNorm();
    if (side > length) length = side, longest = k;
  }
  const int i = (longest + 1) % 3;
  const int j = (longest + 2) % 3;
  const Corner middle = evaluate((cell.corner[i].n + cell.corner[j].n).normalized());
  Cell first = cell;
  Cell second = cell;
  first.corner[i] = middle;
  second.corner[j] = middle;
  push(first);
  push(second);
  if (stack_[depth_ - 2].bound < stack_[depth_ - 1].bound) std::swap(stack_[depth_ - 2], stack_[depth_ - 1]);
}

void Search::run() {
  while (depth_ > 0) {
    const Cell cell = stack_[--depth_];
    const bool good_enough = cell.bound >= best_.h - tolerance_;
    if (good_enough || evaluations_ >= budget_ || depth_ + 2 > static_cast<int>(stack_.size())) {
      proved_ = std::min(proved_, cell.bound);
    } else {
      halve(cell);
    }
  }
}

CoreAnswer Search::answer() const {
  CoreAnswer answer;
  answer.normal = best_.n;
  answer.lower = -best_.h;
  answer.upper = -std::min(proved_, best_.h);
  answer.iterations = evaluations_;
  answer.overlapping = best_.h >= 0;
  return answer;
}

}  // namespace

CoreAnswer direction_search(const CoreDifference& difference, const Vector3& known, double tolerance,
                            int max_evaluations) {
  Search search(difference, tolerance, max_evaluations);
  if (known.allFinite() && known.squaredNorm() > 0.5) search.evaluate(known);
  search.start();
  search.run();
  return search.answer();
}

}  // namespace stiction::geometry
