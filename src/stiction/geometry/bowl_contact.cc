#include "stiction/geometry/bowl_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/geometry/closest/closest_points.h"

namespace stiction::geometry {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double bowl_radius(const Placement& pair) {
  return std::get<Bowl>(pair.A).radius;
}

/// Keeps `wanted` points: the deepest, then again and again the one with the most distance to those kept, less how much
/// higher it is.
void thin_out(double radius, int wanted, BowlPoints& list) {
  const auto first = list.points.begin();
  const auto spot = [&](const BowlPoint& point) -> Vector3 { return (radius - point.gap) * point.direction; };
  const auto deeper = [](const BowlPoint& a, const BowlPoint& b) { return a.gap < b.gap; };
  std::iter_swap(first, std::min_element(first, first + list.count, deeper));
  const double deepest = first->gap;
  for (int kept = 1; kept < wanted; ++kept) {
    int best = kept;
    double most = -infinity;
    for (int k = kept; k < list.count; ++k) {
      double apart = infinity;
      for (int i = 0; i < kept; ++i) apart = std::min(apart, (spot(list.points[k]) - spot(list.points[i])).norm());
      const double merit = apart - (list.points[k].gap - deepest);
      if (merit > most) most = merit, best = k;
    }
    std::swap(list.points[kept], list.points[best]);
  }
  list.count = wanted;
  std::sort(first, first + wanted, [](const BowlPoint& a, const BowlPoint& b) { return a.feature < b.feature; });
}

/// The farthest point of a ball (of radius 0: a corner) about x, seen from the bowl's centre.
void add_ball(const Vector3& x, double ball, int feature, double radius, double margin, BowlPoints& list) {
  const double distance = x.norm();
  const double gap = radius - distance - ball;
  if (!(gap < margin)) return;
  if (list.count == BowlPoints::capacity) thin_out(radius, max_manifold_points, list);
  const Vector3 direction = distance > 0 ? Vector3(x / distance) : Vector3::UnitZ();  // at the centre any is as good
  list.points[list.count++] = {direction, gap, static_cast<std::uint32_t>(feature)};
}

/// One maximum of a smooth shape, in its frame.
struct Maximum {
  Vector3 x;
  double distance;  ///< from the bowl's centre
};

/// The ascent x <- farthest point of B along x - c, which never goes down: of a convex function over B the linear part
/// at x is below it. It nears a maximum by the ratio of the radius of curvature to |x - c|; Newton ends it.
class SmoothMaxima {
 public:
  explicit SmoothMaxima(const Placement& pair)
      : pair_(pair), c_(-(pair.R_WB.transpose() * pair.p_AB)), size_(shape_size(pair.B)) {
    const Vector3 askew(3e-3, 5e-3, 7e-3);  // away from saddles, which are exactly on axes of symmetry
    const double away = c_.norm();
    if (away > 0) ascend_from(-c_ / away + askew);
    for (int axis = 0; axis < 3; ++axis) {
      for (const double side : {-1.0, 1.0}) ascend_from(side * Vector3::Unit(axis) + askew);
    }
    if (kind_of(pair.B).maxima_from_axes) return;
    for (int corner = 0; corner < 8; ++corner) {
      ascend_from({corner & 1 ? 1.0 : -1.0, corner & 2 ? 1.0 : -1.0, corner & 4 ? 1.0 : -1.0});
    }
  }

  /// All of them, numbered by their octants.
  void add_to(double margin, BowlPoints& list) const {
    std::uint32_t taken = 0;
    for (int k = 0; k < count_; ++k) {
      const Vector3& x = found_[k].x;
      int feature = count_ == 1 ? 0 : 1 + (x.x() > 0) + 2 * (x.y() > 0) + 4 * (x.z() > 0);
      while (taken >> feature & 1) ++feature;
      taken |= 1u << feature;
      const double gap = bowl_radius(pair_) - found_[k].distance;
      if (gap < margin) list.points[list.count++] = {pair_.R_WB * (x - c_).normalized(), gap, unsigned(feature)};
    }
    std::sort(list.points.begin(), list.points.begin() + list.count,
              [](const BowlPoint& a, const BowlPoint& b) { return a.feature < b.feature; });
  }

 private:
  static constexpr int capacity = 15;
  static constexpr int rounds = 8;

  void ascend_from(const Vector3& start) {
    Vector3 x = support(pair_.B, start);
    for (int round = 0; round < rounds; ++round) {
      Vector3 before = x;
      for (int k = 0; k < 8 << round; ++k) {
        if (!((x - c_).squaredNorm() > 0)) return;
        before = x;
        x = support(pair_.B, x - c_);
        if ((x - before).norm() <= 1e-15 * size_) break;
      }
      const double step = (x - before).norm();
      if (known(x)) return;
      if ((step < 0.03 * size_ && polish(x)) || step <= 1e-15 * size_) break;
    }
    if (!known(x)) found_[count_++] = {x, (x - c_).norm()};
  }

  bool known(const Vector3& x) const {
    constexpr double same = 1e-3;
    for (int k = 0; k < count_; ++k) {
      if ((found_[k].x - x).norm() < same * size_) return true;
    }
    return false;
  }

  /// Newton on the equations of the closest points; false when it leaves the neighbourhood or goes down.
  bool polish(Vector3& x) const {
    constexpr double near = 0.1;
    const Pose X_WA{pair_.R_WA, Vector3::Zero()};
    const Pose X_WB{pair_.R_WB, pair_.p_AB};
    const Vector3 direction = (pair_.R_WB * (x - c_)).normalized();
    Manifold one;
    one.count = 1;
    one.normal = -direction;
    one.points[0].point_A = bowl_radius(pair_) * direction;
    one.points[0].point_B = X_WB * x;
    Piece wall, body;
    contact_pieces(pair_.A, X_WA, pair_.B, X_WB, one, 0, wall, body);
    const PiecePair pieces{wall, body, X_WA, X_WB};
    ClosestUnknowns unknowns;
    guess_closest(pieces, one.points[0].point_A, one.points[0].point_B, one.normal, unknowns);
    if (solve_closest(pieces, size_, unknowns) != ClosestOutcome::solved) return false;
    const Vector3 b = unknowns.b();
    if ((b - x).norm() > near * size_ || (b - c_).norm() < (x - c_).norm() - 1e-12 * size_) return false;
    x = b;
    return true;
  }

  const Placement& pair_;
  Vector3 c_;  ///< the bowl's centre in B's frame
  double size_;
  std::array<Maximum, capacity> found_;
  int count_ = 0;
};

}  // namespace

BowlCollector::BowlCollector(const Placement& pair, double margin, BowlPoints& list)
    : pair_(pair), margin_(margin), list_(list), center_(-(pair.R_WB.transpose() * pair.p_AB)) {}

void BowlCollector::add(const Vector3& x, double ball, int feature) const {
  add_ball(pair_.p_AB + pair_.R_WB * x, ball, feature, bowl_radius(pair_), margin_, list_);
}

void bowl_points(const Placement& pair, double margin, BowlPoints& list) {
  list.count = 0;
  if (pair.p_AB.norm() + bounding_radius(pair.B) < bowl_radius(pair) - margin) return;
  const BowlCollector named(pair, margin, list);
  if (ask_shape(pair.B, [&](auto traits, const auto& s) { return traits.in_bowl(s, named); })) return;
  SmoothMaxima(pair).add_to(margin, list);
}

Distance bowl_distance(const Placement& pair) {
  Distance d;
  d.converged = true;
  d.gap = -infinity;
  if (!is_unbounded(pair.B)) {
    BowlPoints list;
    bowl_points(pair, infinity, list);
    const auto deepest = std::min_element(list.points.begin(), list.points.begin() + list.count,
                                          [](const BowlPoint& a, const BowlPoint& b) { return a.gap < b.gap; });
    d.gap = deepest->gap;
    d.normal = -deepest->direction;
    d.point_A = bowl_radius(pair) * deepest->direction;
    d.point_B = d.point_A + d.gap * d.normal;
  }
  d.lower_bound = d.upper_bound = d.gap;
  return d;
}

Manifold bowl_manifold(const Placement& pair, const Vector3& origin, double margin) {
  Manifold manifold;
  if (is_unbounded(pair.B)) return manifold;
  BowlPoints list;
  bowl_points(pair, margin, list);
  if (list.count > max_manifold_points) thin_out(bowl_radius(pair), max_manifold_points, list);
  double deepest = infinity;
  for (int k = 0; k < list.count; ++k) {
    const BowlPoint& point = list.points[k];
    const Vector3 wall = origin + bowl_radius(pair) * point.direction;
    manifold.points[k] = {wall, wall - point.gap * point.direction, point.gap, point.feature, -point.direction};
    if (point.gap < deepest) deepest = point.gap, manifold.normal = -point.direction;
  }
  manifold.count = list.count;
  return manifold;
}

}  // namespace stiction::geometry
