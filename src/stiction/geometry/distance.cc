// Which algorithm answers which pair, and the bounds that go with every answer.
#include "stiction/geometry/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/base/assert.h"
#include "stiction/geometry/bowl_contact.h"
#include "stiction/geometry/box_box.h"
#include "stiction/geometry/closed_form.h"
#include "stiction/geometry/contact_points.h"
#include "stiction/geometry/direction_search.h"
#include "stiction/geometry/distance_internal.h"
#include "stiction/geometry/epa.h"
#include "stiction/geometry/gjk.h"
#include "stiction/geometry/polish/polish.h"

namespace stiction::geometry {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

CoreDifference core_difference(const Placement& pair, double size) {
  CoreDifference difference;
  difference.A = core_shape(pair.A);
  difference.B = core_shape(pair.B);
  difference.X_AB = {pair.R_WA.transpose() * pair.R_WB, pair.R_WA.transpose() * pair.p_AB};
  difference.size = size;
  return difference;
}

/// Witness points for a direction that the search found: with B moved off along it the nearest points are a matter for
/// GJK. It leaves an error of sqrt(2 e c) across the normal at a clearance c: the smaller the better, until c itself is
/// mostly rounding.
void find_witnesses(const CoreDifference& difference, CoreAnswer* answer) {
  double least = infinity;
  for (const double clearance : {0.5, 1e-2, 1e-4, 1e-6, 1e-8}) {
    CoreDifference apart = difference;
    const Vector3 shift = (clearance * difference.size - answer->lower) * answer->normal;
    apart.X_AB.p += shift;
    const CoreAnswer nearest = gjk(apart, 1e-16 * difference.size, 256, infinity);
    const Vector3 b = nearest.b - shift;
    const double off = (b - nearest.a - answer->lower * answer->normal).norm();
    if (off < least) least = off, answer->a = nearest.a, answer->b = b;
    if (off < 1e-10 * difference.size) return;
  }
}

bool settled(const CoreAnswer& answer, double tolerance) {
  return answer.upper - answer.lower <= tolerance;
}

constexpr double search_tolerance = 4e-10;  // of the size; costs by the square root, and the promise is 1e-9

/// How long the search may take; a user's functions cost fifty times as much as a box.
int search_evaluations(const CoreDifference& difference) {
  return difference.A.slow() || difference.B.slow() ? 200'000 : 1'000'000;
}

/// GJK stopped with two points (almost) at one place: unless the overlap turned out deeper, they are the witnesses.
void use_touching_points(const CoreAnswer& touch, CoreAnswer* answer) {
  if (answer->lower < -2 * touch.upper && answer->upper < touch.upper) return;
  answer->a = touch.a;
  answer->b = touch.b;
  answer->upper = std::min(answer->upper, touch.upper);
}

/// GJK, and where a core is curved only until the polish can take over.
CoreAnswer solve_apart(const CoreDifference& difference, bool curved, const DistanceOptions& options,
                       double stop_above) {
  const double tolerance = options.tolerance * difference.size;
  double near = curved ? std::max(tolerance, 1e-7 * difference.size) : tolerance;
  while (true) {
    CoreAnswer answer = gjk(difference, near, options.max_iterations, stop_above);
    if (answer.overlapping || answer.lower > stop_above) return answer;
    if ((curved && polish(difference, &answer)) || near <= tolerance) return answer;
    near = near > 2e-9 * difference.size ? std::max(tolerance, 1e-9 * difference.size) : tolerance;
  }
}

/// Shallow overlap without EPA: with one core made smaller by a ball, A = A' + ball or more, so gap(A', B) - radius is
/// an upper bound; GJK finds it, A' being apart from B. It is the gap where the ball rolls on a face or a cylinder's
/// side, and then the plane's bound of the whole cores proves it. False when it does not.
bool solve_shallow(const CoreDifference& difference, bool curved, const DistanceOptions& options, CoreAnswer* answer) {
  const double tolerance = options.tolerance * difference.size;
  for (const bool shrink_A : {true, false}) {
    CoreDifference inner = difference;
    CoreShape& core = shrink_A ? inner.A : inner.B;
    if (core.kind != CoreShape::Kind::box && core.kind != CoreShape::Kind::cylinder) continue;
    const double ball = 0.25 * core.size.minCoeff();
    core.size.array() -= ball;
    const CoreAnswer apart = solve_apart(inner, curved, options, infinity);
    if (apart.overlapping) continue;
    const double lower = -apart.normal.dot(difference.support(apart.normal).w);
    const double upper = apart.upper - ball;
    if (upper - lower > tolerance) continue;
    const int spent = answer->iterations;
    *answer = apart;
    answer->iterations += spent;
    answer->lower = lower;
    answer->upper = upper;
    answer->overlapping = true;
    // The ball's surface point lies on the line between the witness points, so that their distance stays the bound.
    const Vector3 line = (apart.b - apart.a).normalized();
    (shrink_A ? answer->a : answer->b) += (shrink_A ? ball : -ball) * line;
    return true;
  }
  return false;
}

/// Two points of the cores (almost) meet, which is a proof from above; what is missing is a direction. With B moved off
/// by S n, GJK finds the n' that maximises S n . n' - h(n'), so h falls from n to n': a proximal step, exact where h
/// has kinks. False when no direction within reach proves the touch.
bool solve_touching(const CoreDifference& difference, bool curved, const DistanceOptions& options,
                    const CoreAnswer& touch, CoreAnswer* answer) {
  const double tolerance = options.tolerance * difference.size;
  CoreAnswer found = touch;
  if (!(touch.lower > -infinity)) found.normal = difference.X_AB.p.normalized();
  if (!(found.normal.squaredNorm() > 0.5)) return false;
  found.lower = -found.normal.dot(difference.support(found.normal).w);
  for (int step = 0; step < 8; ++step) {
    CoreDifference apart = difference;
    apart.X_AB.p += (0.1 * difference.size - found.lower) * found.normal;
    const CoreAnswer next = solve_apart(apart, curved, options, infinity);
    const double lower = -next.normal.dot(difference.support(next.normal).w);
    if (next.overlapping || !(lower > found.lower)) break;
    found.normal = next.normal;
    found.lower = lower;
    if (curved) polish(difference, &found);
    if (settled(found, tolerance)) break;
  }
  if (!settled(found, tolerance)) return false;
  const int spent = answer->iterations;
  *answer = found;
  answer->iterations = spent;
  return true;
}

/// GJK while apart; when not, a smaller core, then EPA; and the direction search when none settles it.
CoreAnswer solve_cores(const CoreDifference& difference, const DistanceOptions& options, double stop_above) {
  const double tolerance = options.tolerance * difference.size;
  const bool curved = has_curved_core(difference);
  CoreAnswer answer = solve_apart(difference, curved, options, stop_above + difference.radius());
  if (answer.lower > stop_above + difference.radius()) return answer;
  if (!answer.overlapping && settled(answer, tolerance)) return answer;
  Vector3 known = answer.lower > -infinity ? answer.normal : Vector3::Zero();
  const CoreAnswer touch = answer;
  const bool touching = answer.overlapping && answer.upper <= tolerance;
  if (answer.overlapping) {
    if (solve_shallow(difference, curved, options, &answer)) return answer;
    if (touching && solve_touching(difference, curved, options, touch, &answer)) return answer;
    answer = epa(difference, tolerance, options.max_iterations);
    answer.iterations += touch.iterations;
    if (touching) use_touching_points(touch, &answer);
    if (curved) polish(difference, &answer);
    if (settled(answer, touching ? search_tolerance * difference.size : tolerance)) {
      // The foot of the origin may lie in another triangle of the same flat face than the one that was nearest.
      const Vector3 off = answer.b - answer.a - answer.lower * answer.normal;
      if (off.norm() > 1e-9 * difference.size) find_witnesses(difference, &answer);
      return answer;
    }
    known = answer.lower > -infinity ? answer.normal : known;
  }
  const int spent = answer.iterations;
  const double inner = answer.overlapping ? answer.upper : infinity;  // EPA's, proved as well
  answer = direction_search(difference, known, std::max(tolerance, search_tolerance * difference.size),
                            search_evaluations(difference));
  answer.iterations += spent;
  answer.upper = std::max(answer.lower, std::min(answer.upper, inner));
  if (curved && polish(difference, &answer)) return answer;
  find_witnesses(difference, &answer);
  if (touching) use_touching_points(touch, &answer);
  // Apart, the nearer pair of points is the better witness: GJK's own, when it stalled just short of settling.
  if (answer.lower >= 0 && (touch.b - touch.a).norm() < (answer.b - answer.a).norm())
    answer.a = touch.a, answer.b = touch.b;
  return answer;
}

/// A flat part's own normal, where it is as good as the one found: exact for faces that rest on each other. `angle` is
/// how far the one found may be off.
Vector3 snapped(const Placement& pair, const Vector3& normal, double angle, double size) {
  const double found = pair.separation(normal);
  const auto try_face = [&](const Vector3& candidate) {
    return (candidate - normal).squaredNorm() < angle * angle && pair.separation(candidate) >= found - 1e-11 * size;
  };
  Vector3 face;
  if (aligned_face_normal(pair.A, pair.R_WA, normal, &face) && try_face(face)) return face;
  if (aligned_face_normal(pair.B, pair.R_WB, -normal, &face) && try_face(-face)) return -face;
  return normal;
}

Distance general(const Placement& pair, double size, const DistanceOptions& options, double stop_above) {
  const CoreDifference difference = core_difference(pair, size);
  const CoreAnswer answer = solve_cores(difference, options, stop_above);
  Distance d;
  d.iterations = answer.iterations;
  d.normal = snapped(pair, (pair.R_WA * answer.normal).normalized(), answer.polished ? 1e-14 : 1e-6, size);
  // The balls' surface points lie on the line between the core points, so that their distance is the bound.
  const Vector3 between = pair.R_WA * (answer.b - answer.a);
  const bool cores_apart = answer.lower > 1e-9 * size;
  const Vector3 line = cores_apart && !answer.polished ? between.normalized() : d.normal;
  d.point_A = pair.R_WA * answer.a + difference.A.radius * line;
  d.point_B = pair.R_WA * answer.b - difference.B.radius * line;
  d.upper_bound = answer.upper - difference.radius();
  return d;
}

/// Boxes: the depth by separating axes; apart, the axis is the answer only when points of both boxes prove it.
Distance box_box(const Placement& pair, double size, const DistanceOptions& options, double stop_above,
                 ContactCandidates* shared) {
  const BoxAxis axis =
      box_box_axis(std::get<Box>(pair.A), std::get<Box>(pair.B), pair.R_WA, pair.R_WB, pair.p_AB, size, stop_above);
  Distance d;
  d.normal = axis.normal;
  d.gap = axis.separation;
  if (axis.separation > stop_above) return d;
  ContactCandidates own;
  ContactCandidates& candidates = shared ? *shared : own;
  contact_candidates(pair, axis.normal, size, &candidates);
  const ContactCandidate* deepest = nullptr;
  for (int k = 0; k < candidates.count; ++k) {
    if (!deepest || candidates.points[k].gap < deepest->gap) deepest = &candidates.points[k];
  }
  if (!deepest || deepest->gap > axis.separation + 1e-11 * size) {
    candidates.count = -1;  // of another normal
    return general(pair, size, options, stop_above);
  }
  d.point_A = deepest->point_A;
  d.point_B = deepest->point_B;
  d.upper_bound = axis.separation <= 0 ? axis.best_separation : (d.point_B - d.point_A).norm();
  return d;
}

/// The bowl B and anything, with points relative to A's origin.
Distance seen_from_B(const Placement& pair) {
  Distance d = bowl_distance({pair.B, pair.A, pair.R_WB, pair.R_WA, -pair.p_AB});
  std::swap(d.point_A, d.point_B);
  d.point_A += pair.p_AB;
  d.point_B += pair.p_AB;
  d.normal = -d.normal;
  return d;
}

}  // namespace

Distance placed_distance(const Placement& pair, double size, const DistanceOptions& options, double stop_above,
                         ContactCandidates* candidates) {
  STICTION_DASSERT(pair.p_AB.allFinite() && pair.R_WA.allFinite() && pair.R_WB.allFinite(), "poses must be finite");
  const Extent extent_A = kind_of(pair.A).extent;
  const Extent extent_B = kind_of(pair.B).extent;
  if (extent_A == Extent::hollow) return bowl_distance(pair);
  if (extent_B == Extent::hollow) return seen_from_B(pair);
  const bool boxes = std::holds_alternative<Box>(pair.A) && std::holds_alternative<Box>(pair.B);
  std::optional<Distance> closed;
  if (!boxes) closed = closed_form(pair);
  Distance d = closed  ? *closed
               : boxes ? box_box(pair, size, options, stop_above, candidates)
                       : general(pair, size, options, stop_above);
  const bool plane_A = extent_A == Extent::half_space;
  const bool plane_B = extent_B == Extent::half_space;
  if (plane_A && plane_B) {
    d.converged = true;
    return d;
  }
  // The plane's proof uses the support functions of the shapes themselves, whatever found the normal.
  d.lower_bound = plane_A || plane_B ? d.gap : pair.separation(d.normal);
  d.upper_bound = std::max(d.upper_bound, d.lower_bound);
  d.gap = d.lower_bound;
  d.converged = d.upper_bound - d.lower_bound <= std::max(1e-9, options.tolerance) * size;
  return d;
}

Distance distance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, const DistanceOptions& options) {
  const Placement pair{A, B, X_WA.R, X_WB.R, X_WB.p - X_WA.p};
  Distance d = placed_distance(pair, pair.size(), options, infinity, nullptr);
  d.point_A += X_WA.p;
  d.point_B += X_WA.p;
  return d;
}

Distance distance_gjk_epa(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                          const DistanceOptions& options) {
  const Placement pair{A, B, X_WA.R, X_WB.R, X_WB.p - X_WA.p};
  const double size = pair.size();
  Distance d = general(pair, size, options, infinity);
  d.lower_bound = pair.separation(d.normal);
  d.upper_bound = std::max(d.upper_bound, d.lower_bound);
  d.gap = d.lower_bound;
  d.converged = d.upper_bound - d.lower_bound <= std::max(1e-9, options.tolerance) * size;
  d.point_A += X_WA.p;
  d.point_B += X_WA.p;
  return d;
}

}  // namespace stiction::geometry
