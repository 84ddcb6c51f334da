// The gap of two cores is -min h(n) over unit n, with h the support function of A - B. Near the minimum each core shows
// one part: a vertex, an edge, a flat face, a rim circle, a cylinder's side, an ellipsoid. With c the part's middle, g
// its half edge (or zero) and M = M' its curvature (or zero), its points that support n are
//   x(n, s) = c + s g + M M n / |M n| - ball n,   |s| <= 1,   with g . n = 0 when the edge is in play,
// and h(n) = n . (x_A - x_B). The minimum is where x_A - x_B is along n:
//   two edges      n = g_A x g_B, then s_A, s_B from two linear equations;
//   one edge       Newton on the circle orthogonal to it, then s;
//   none           Newton on the sphere, with the Hessian sum(M M - (M u)(M u)') / |M n| - h I, u = M n / |M n|, in the
//                  tangent plane;
//   a flat face    n is its normal, and a supporting point of the other core must lie over the face;
//   a cone's side, or the surface of a general core: Newton for its point as well (polish_newton.h).
// Which parts play is not guessed: all near the starting direction are tried, and the first whose points prove the
// answer is taken.
#include "stiction/geometry/polish/polish.h"

#include <algorithm>
#include <cmath>

#include "stiction/geometry/polish/polish_parts.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

constexpr double rounding = 4e-15;  // of the size: what counts as proved

/// A direction with supporting points of both cores.
using Trial = PolishTrial;

class Polisher {
 public:
  Polisher(const CoreDifference& difference, const CoreAnswer& start)
      : difference_(difference),
        start_(start.normal),
        start_a_(start.a),
        start_b_(start.b),
        slack_(rounding * difference.size),
        A_(difference.A, identity_, start_),
        B_(difference.B, difference.X_AB, -start_) {}

  bool run(CoreAnswer* answer) {
    for (int i = 0; i < A_.count(); ++i) {
      for (int j = 0; j < B_.count(); ++j) {
        Trial trial;
        if (solve(A_.part(i), B_.part(j), false, &trial) && accept(trial, answer)) return true;
        const bool again = A_.part(i).kind == PolishPart::Kind::surface || B_.part(j).kind == PolishPart::Kind::surface;
        if (again && solve(A_.part(i), B_.part(j), true, &trial) && accept(trial, answer)) return true;
      }
    }
    return false;
  }

 private:
  /// `along`: surfaces start from their points along the starting direction instead of the witness points.
  bool solve(const PolishPart& p, const PolishPart& q, bool along, Trial* trial) const {
    using Kind = PolishPart::Kind;
    if (p.kind == Kind::flat && q.kind == Kind::flat) return false;  // faces on each other need no polish
    if (p.kind == Kind::flat) return on_flat(A_, p, B_, q, 1, &trial->n, &trial->a, &trial->b);
    if (q.kind == Kind::flat) return on_flat(B_, q, A_, p, -1, &trial->n, &trial->b, &trial->a);
    const auto pointwise = [](const PolishPart& part) {
      return part.kind == Kind::ruled || part.kind == Kind::surface;
    };
    if (pointwise(p) || pointwise(q)) {
      *trial = {start_, along ? Vector3(p.c + A_.offset(p, start_)) : start_a_,
                along ? Vector3(q.c + B_.offset(q, -start_)) : start_b_};
      return polish_newton(A_.side(p), B_.side(q), difference_.size, trial);
    }
    const bool edge_A = p.kind == Kind::edge;
    const bool edge_B = q.kind == Kind::edge;
    if (edge_A && edge_B) {
      const Vector3 across = p.g.cross(q.g);
      const double length = across.norm();
      // Edges at an angle of 1e-9 are parallel: their crossing would be rounding.
      if (length > 1e-9 * p.g.norm() * q.g.norm()) {
        trial->n = across * (std::copysign(1.0, across.dot(start_)) / length);
        return slide(p, q, trial);
      }
    }
    if (!newton(p, q, edge_A ? p.g : edge_B ? q.g : Vector3(Vector3::Zero()), &trial->n)) return false;
    return slide(p, q, trial);
  }

  /// Newton for the minimum of h over unit n orthogonal to g (or any unit n when g is zero).
  bool newton(const PolishPart& p, const PolishPart& q, const Vector3& g, Vector3* n) const {
    const double g2 = g.squaredNorm();
    *n = (g2 > 0 ? Vector3(start_ - g * (g.dot(start_) / g2)) : start_).normalized();
    double previous = 1;
    for (int step = 0; step < 12; ++step) {
      Vector3 gradient = p.c - q.c;
      Matrix3 H = Matrix3::Zero();
      if (p.curved) add_curved(A_, *n, &gradient, &H);
      if (q.curved) add_curved(B_, *n, &gradient, &H);
      const double h = n->dot(gradient);
      const Vector3 t1 = g2 > 0 ? Vector3(g.cross(*n).normalized()) : any_orthogonal(*n);
      const Vector3 t2 = n->cross(t1);
      const double r1 = t1.dot(gradient);
      const double h11 = t1.dot(H * t1) - h;
      if (!(h11 > 0)) return false;
      Vector3 move;
      if (g2 > 0) {
        move = t1 * (-r1 / h11);
      } else {
        const double r2 = t2.dot(gradient);
        const double h12 = t1.dot(H * t2);
        const double h22 = t2.dot(H * t2) - h;
        const double determinant = h11 * h22 - h12 * h12;
        if (!(determinant > 0)) return false;
        move = t1 * ((h12 * r2 - h22 * r1) / determinant) + t2 * ((h12 * r1 - h11 * r2) / determinant);
      }
      const double length = move.norm();
      if (!(length < 0.1)) return false;
      *n = (*n + move).normalized();
      if (length < 1e-15 || (length < 1e-11 && length > 0.3 * previous)) return true;
      previous = length;
    }
    return previous < 1e-9;
  }

  static void add_curved(const CoreNeighbourhood& side, const Vector3& n, Vector3* gradient, Matrix3* H) {
    // |Mn| from Mn itself: sqrt(n.Qn) would cancel where n is almost along a cylinder's axis.
    const Vector3 Mn = side.M() * n;
    const double length = Mn.norm();
    if (!(length > 0)) return;
    const Vector3 u = Mn / length;
    const Vector3 Mu = side.M() * u;
    *gradient += Mu - side.ball() * n;
    *H += (side.M() * side.M() - Mu * Mu.transpose()) / length;
    *H -= side.ball() * Matrix3::Identity();
  }

  /// The supporting points along n, slid along the edges so that b - a is along n.
  bool slide(const PolishPart& p, const PolishPart& q, Trial* trial) const {
    const Vector3& n = trial->n;
    trial->a = p.c + A_.offset(p, n);
    trial->b = q.c + B_.offset(q, -n);
    Vector3 r = trial->b - trial->a;
    r -= n * n.dot(r);
    const bool edge_A = p.kind == PolishPart::Kind::edge;
    const bool edge_B = q.kind == PolishPart::Kind::edge;
    double s = 0;
    double t = 0;
    if (edge_A && edge_B) {
      // s g_A - t g_B = r; parallel edges leave a choice, made in the middle.
      const double aa = p.g.squaredNorm();
      const double bb = q.g.squaredNorm();
      const Vector3 cross = p.g.cross(q.g);
      if (cross.squaredNorm() > 1e-18 * aa * bb) {
        s = r.cross(q.g).dot(cross) / cross.squaredNorm();
        t = r.cross(p.g).dot(cross) / cross.squaredNorm();
      } else {
        const double ratio = p.g.dot(q.g) / aa;  // g_B = ratio g_A
        const double shift = p.g.dot(r) / aa;    // s = shift + ratio t
        const double low = std::max(-1.0, shift - std::abs(ratio));
        const double high = std::min(1.0, shift + std::abs(ratio));
        s = 0.5 * (low + high);
        t = (s - shift) / ratio;
      }
    } else if (edge_A) {
      s = p.g.dot(r) / p.g.squaredNorm();
    } else if (edge_B) {
      t = -q.g.dot(r) / q.g.squaredNorm();
    }
    constexpr double end = 1 + 1e-12;
    if (!(std::abs(s) <= end && std::abs(t) <= end)) return false;
    trial->a += std::clamp(s, -1.0, 1.0) * p.g;
    trial->b += std::clamp(t, -1.0, 1.0) * q.g;
    return true;
  }

  /// n from the flat part, and a supporting point of the other core that lies over it.
  bool on_flat(const CoreNeighbourhood& own, const PolishPart& flat, const CoreNeighbourhood& other, PolishPart part,
               double sign, Vector3* n, Vector3* on_own, Vector3* on_other) const {
    if (part.kind == PolishPart::Kind::ruled) {  // the line from apex to rim along the flat's normal
      const Vector3 half = 0.5 * (part.g + other.offset(part, -flat.g));
      part = {PolishPart::Kind::edge, part.c + half, half, false, -1};
    }
    const Vector3 x = part.c + other.offset(part, -flat.g);
    const bool edge = part.kind == PolishPart::Kind::edge;
    double low = edge ? -1 : 0;
    double high = edge ? 1 : 0;
    own.clip(flat, x, edge ? part.g : Vector3(Vector3::Zero()), slack_, &low, &high);
    if (!(low <= high)) return false;
    *n = sign * flat.g;
    *on_other = edge ? Vector3(x + 0.5 * (low + high) * part.g) : x;
    *on_own = *on_other - flat.g * flat.g.dot(*on_other - flat.c);
    return true;
  }

  /// The points prove the direction, and it is no worse than what was known.
  bool accept(const Trial& trial, CoreAnswer* answer) const {
    const Vector3 between = trial.b - trial.a;
    const double gap = trial.n.dot(between);
    // Across n the points move by more than n does where a rim is seen almost flat: the bounds take it in second order.
    if (!((between - gap * trial.n).norm() <= 256 * slack_)) return false;
    const double lower = -trial.n.dot(difference_.support(trial.n).w);
    if (!(std::abs(lower - gap) <= slack_) || !(lower >= answer->lower - slack_)) return false;
    answer->normal = trial.n;
    answer->a = trial.a;
    answer->b = trial.b;
    answer->lower = lower;
    answer->polished = true;
    // Two points of the shapes bound the gap, overlapping or not.
    answer->upper = std::max(lower, std::min(answer->upper, between.norm()));
    return true;
  }

  const Pose identity_;
  const CoreDifference& difference_;
  Vector3 start_;
  Vector3 start_a_;
  Vector3 start_b_;
  double slack_;
  CoreNeighbourhood A_;
  CoreNeighbourhood B_;
};

}  // namespace

bool has_curved_core(const CoreDifference& difference) {
  const auto curved = [](const CoreShape& core) {
    using Kind = CoreShape::Kind;
    return core.kind == Kind::cylinder || core.kind == Kind::ellipsoid || core.kind == Kind::cone ||
           core.kind == Kind::general;
  };
  return curved(difference.A) || curved(difference.B);
}

bool polish(const CoreDifference& difference, CoreAnswer* answer) {
  if (!answer->normal.allFinite() || !std::isfinite(answer->lower)) return false;
  return Polisher(difference, *answer).run(answer);
}

}  // namespace stiction::geometry
