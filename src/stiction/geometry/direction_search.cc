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
#include <numbers>

#include "stiction/geometry/gjk.h"
#include "stiction/geometry/revolution_profile.h"
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

class Search {
 public:
  Search(const CoreDifference& difference, double tolerance, int max_evaluations)
      : difference_(difference), tolerance_(tolerance), budget_(max_evaluations) {
    profile_A_ = revolution_profile(difference.A, Matrix3::Identity());
    profile_B_ = revolution_profile(difference.B, difference.X_AB.R);
    // A point is a solid of revolution about any axis.
    const auto about = [](const RevolutionProfile& other, RevolutionProfile* point) {
      point->valid = other.valid;
      point->axis = other.axis;
    };
    if (difference.A.kind == CoreShape::Kind::point) about(profile_B_, &profile_A_);
    if (difference.B.kind == CoreShape::Kind::point) about(profile_A_, &profile_B_);
    profile_B_.mirror();  // it is -B that is a part of the difference
    if (profile_A_.axis.dot(profile_B_.axis) < 0) profile_B_.axis = -profile_B_.axis, profile_B_.mirror();
    const Vector3& p = difference.X_AB.p;
    profile_A_.shift = profile_A_.axis.dot(p);
    p_across_ = p - profile_A_.shift * profile_A_.axis;
  }

  /// How far the pair is from two solids of revolution about one axis: no direction's h changes by more than this.
  double asymmetry() const {
    if (!profile_A_.valid || !profile_B_.valid) return std::numeric_limits<double>::infinity();
    return p_across_.norm() + profile_A_.axis.cross(profile_B_.axis).norm() * difference_.size;
  }
  void start_arc();
  void try_rims();

  Corner evaluate(const Vector3& n) {
    const Corner corner = sample(n);
    const bool clearly = corner.h < best_.h - tolerance_;
    if (corner.h < best_.h) best_ = corner;
    if (clearly) polish();
    return corner;
  }
  void push(Cell cell) {
    cell.bound = bound(cell);
    stack_[depth_++] = cell;
  }
  void start();
  void run();
  CoreAnswer answer() const;

 private:
  Corner sample(const Vector3& n) {
    ++evaluations_;
    Corner corner{n, difference_.support(n).w, 0};
    corner.h = n.dot(corner.x);
    return corner;
  }
  void polish();
  double bound(const Cell& cell) const;
  double revolution_bound(const Matrix3& N, double stretch) const;
  double joint_kinks(double low, double high, double q_low, double q_high) const;
  /// Halves the longest side; the half with the smaller bound is looked at first.
  void halve(const Cell& cell);

  const CoreDifference& difference_;
  double tolerance_ = 0;
  int budget_ = 0;
  int evaluations_ = 0;
  RevolutionProfile profile_A_;
  RevolutionProfile profile_B_;
  Vector3 p_across_ = Vector3::Zero();  ///< B's offset across A's axis
  Corner best_{Vector3::UnitZ(), Vector3::Zero(), std::numeric_limits<double>::infinity()};
  double proved_ = std::numeric_limits<double>::infinity();  ///< smallest bound among dropped cells
  std::array<Cell, 160> stack_;
  int depth_ = 0;
};

double Search::bound(const Cell& cell) const {
  Matrix3 N;
  Matrix3 X;
  for (int i = 0; i < 3; ++i) {
    N.row(i) = cell.corner[i].n.transpose();
    X.col(i) = cell.corner[i].x;
  }
  const Vector3 middle = N.colwise().sum().transpose().normalized();
  const double stretch = 1 / (N * middle).minCoeff();
  const double blend = best_blend(N * X);
  const double value = blend >= 0 ? blend : blend * stretch;
  if (!profile_A_.valid || !profile_B_.valid || value >= best_.h - tolerance_) return value;
  return std::max(value, revolution_bound(N, stretch));
}

/// h(n) = f_A(n . a) + f_B(n . b) - p_across . n, each term by its own range over the cell.
double Search::revolution_bound(const Matrix3& N, double stretch) const {
  const auto low = [&](const Vector3& axis) {
    const double least = (N * axis).minCoeff();
    return std::max(-1.0, least < 0 ? least * stretch : least);
  };
  const auto high = [&](const Vector3& axis) { return -low(-axis); };
  const double across_most = (N * p_across_).maxCoeff();
  const double across = across_most > 0 ? across_most * stretch : across_most;
  if (!profile_A_.smooth() && !profile_B_.smooth()) {
    const Vector3 tilt = profile_A_.axis - profile_B_.axis;
    return joint_kinks(low(profile_A_.axis), high(profile_A_.axis), low(tilt), high(tilt)) - across;
  }
  return profile_A_.smallest(low(profile_A_.axis), high(profile_A_.axis)) +
         profile_B_.smallest(low(profile_B_.axis), high(profile_B_.axis)) - across;
}

/// Cylinders, cones and segments together: n . b = s - q with q = n . (a - b) in [q_low, q_high]. For each q the sum
/// f_A(s) + f_B(s - q) is concave between its kinks k_A and q + k_B, so its least value over s in [low, high] is at an
/// end or at a kink.
double Search::joint_kinks(double low, double high, double q_low, double q_high) const {
  double least = std::min(profile_A_.value(low) + profile_B_.smallest(low - q_high, low - q_low),
                          profile_A_.value(high) + profile_B_.smallest(high - q_high, high - q_low));
  const double k_A = profile_A_.kink();
  const double k_B = profile_B_.kink();
  if (low < k_A && high > k_A) {
    least = std::min(least, profile_A_.value(k_A) + profile_B_.smallest(k_A - q_high, k_A - q_low));
  }
  const double from = std::max(low, q_low + k_B);
  const double to = std::min(high, q_high + k_B);
  if (from <= to) least = std::min(least, profile_A_.smallest(from, to) + profile_B_.value(k_B));
  return least;
}

/// Goes downhill from the best direction n: with B moved off by S n, GJK finds the n' that maximises S n . n' - h(n'),
/// so h(n') <= h(n) - S (1 - n . n'). A proximal step: monotone, and exact where h has kinks.
void Search::polish() {
  const double clearance = 0.1 * difference_.size;
  for (int step = 0; step < 12; ++step) {
    CoreDifference apart = difference_;
    apart.X_AB.p += (clearance + best_.h) * best_.n;
    const CoreAnswer nearest = gjk(apart, 1e-15 * difference_.size, 64, std::numeric_limits<double>::infinity());
    const Corner next = sample(nearest.normal);
    if (!(next.h < best_.h)) return;
    const bool last = best_.h - next.h < 0.01 * tolerance_;
    best_ = next;
    if (last) return;
  }
}

/// Two solids of revolution on nearly one axis: the best direction is often orthogonal to one of the axes (a cone:
/// normal to its side), where h has a kink, and along that circle h is too flat for going downhill. So look there:
/// coarsely, then by ternary search.
void Search::try_rims() {
  if (!profile_A_.valid || !profile_B_.valid) return;
  for (const RevolutionProfile* profile : {&profile_A_, &profile_B_}) {
    const Vector3& axis = profile->axis;
    const Vector3 t1 = any_orthogonal(axis);
    const Vector3 t2 = axis.cross(t1);
    const double rise = profile->kink();
    const double across = std::sqrt(1 - rise * rise);
    const auto at = [&](double angle) {
      const Vector3 n = across * (std::cos(angle) * t1 + std::sin(angle) * t2) + rise * axis;
      return evaluate(n.normalized()).h;
    };
    constexpr int coarse = 48;
    constexpr double step = 2 * std::numbers::pi / coarse;
    std::array<double, coarse> height;
    for (int k = 0; k < coarse; ++k) height[k] = at(k * step);
    for (int k = 0; k < coarse; ++k) {
      if (height[k] > height[(k + 1) % coarse] || height[k] > height[(k + coarse - 1) % coarse]) continue;
      double low = (k - 1) * step;
      double high = (k + 1) * step;
      while (high - low > 1e-15 * coarse) {
        const double third = (high - low) / 3;
        if (at(low + third) < at(high - third)) {
          high -= third;
        } else {
          low += third;
        }
      }
    }
  }
  const Vector3 both = profile_A_.axis.cross(profile_B_.axis);
  if (both.norm() < 1e-14) return;
  evaluate(both.normalized());
  evaluate(-both.normalized());
}

/// From pole to pole of the common axis; an arc is a cell with two equal corners.
void Search::start_arc() {
  const Vector3 equator = any_orthogonal(profile_A_.axis);
  for (const double side : {1.0, -1.0}) {
    const Corner pole = evaluate(side * profile_A_.axis);
    const Corner rim = evaluate(equator);
    push({{pole, rim, rim}, 0});
  }
}

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
  const bool arc = cell.corner[1].n == cell.corner[2].n;
  if (arc) {
    first = {{cell.corner[0], middle, middle}, 0};
    second = {{middle, cell.corner[1], cell.corner[1]}, 0};
  } else {
    first.corner[i] = middle;
    second.corner[j] = middle;
  }
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
  const double asymmetry = search.asymmetry();
  const bool on_arc = asymmetry <= 2e-10 * difference.size;
  search.try_rims();
  on_arc ? search.start_arc() : search.start();
  search.run();
  CoreAnswer answer = search.answer();
  if (on_arc) answer.upper += 2 * asymmetry;
  return answer;
}

}  // namespace stiction::geometry
