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
//   a cone's side, a superellipsoid or an implicit surface: Newton for its point as well (polish_newton.h).
// Which parts play is not guessed: all near the starting direction are tried, and the first whose points prove the
// answer is taken.
#include "stiction/geometry/polish.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/geometry/polish_newton.h"
#include "stiction/geometry/shapes/hull_support.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

constexpr double near_angle = 3e-3;  // how far (rad) the starting direction may be from a kink that is in play
constexpr double rounding = 4e-15;   // of the size: what counts as proved

/// One part of a core's surface, in A's frame.
struct Part {
  enum class Kind { smooth, edge, flat, ruled, surface };
  Kind kind = Kind::smooth;
  Vector3 c = Vector3::Zero();
  Vector3 g = Vector3::Zero();  ///< half edge; outward unit normal of a flat; ruled: apex (c) to the rim's middle
  bool curved = false;          ///< the core's M takes part (not on a cylinder's cap)
  int face = -1;                ///< of a flat: which
};

/// A core near one direction: its curvature and the parts that may be in play.
class Neighbourhood {
 public:
  /// X places the core in A's frame; d is its outward direction there.
  Neighbourhood(const CoreShape& core, const Pose& X, const Vector3& d) : core_(core), X_(X) {
    const Vector3 local = X.R.transpose() * d;
    switch (core.kind) {
      case CoreShape::Kind::point:
        add_vertex(Vector3::Zero());
        break;
      case CoreShape::Kind::segment:
        segment_parts(local, false);
        break;
      case CoreShape::Kind::cylinder:
        cylinder_parts(local);
        break;
      case CoreShape::Kind::ellipsoid:
        M_ = X.R * core.size.asDiagonal() * X.R.transpose();
        ball_ = core.radius;
        parts_[count_++] = {Part::Kind::smooth, X.p, Vector3::Zero(), true, -1};
        break;
      case CoreShape::Kind::cone:
        cone_parts(local);
        break;
      case CoreShape::Kind::superellipsoid:
      case CoreShape::Kind::implicit:
        add({Part::Kind::surface, X.p, Vector3::Zero(), false, -1});
        break;
      case CoreShape::Kind::box:
        box_parts(local);
        break;
      case CoreShape::Kind::hull:
        hull_parts(local);
        break;
    }
  }

  int count() const { return count_; }
  const Part& part(int k) const { return parts_[k]; }
  const Matrix3& M() const { return M_; }
  double ball() const { return ball_; }
  /// The part as Newton for points and normals takes it.
  PolishSide side(const Part& part) const {
    using To = PolishSide::Kind;
    const To kind = part.kind == Part::Kind::edge      ? To::edge
                    : part.kind == Part::Kind::ruled   ? To::ruled
                    : part.kind == Part::Kind::surface ? To::surface
                                                       : To::curved;
    return {kind, part.c, part.g, part.curved, M_, ball_, &core_, X_};
  }
  /// Offset of the supporting point of a part from c, along the outward unit direction d, without its edge.
  Vector3 offset(const Part& part, const Vector3& d) const {
    if (part.kind == Part::Kind::surface) return X_.R * core_.support(X_.R.transpose() * d);
    if (!part.curved) return Vector3::Zero();
    return M_ * (M_ * d).normalized() - ball_ * d;
  }
  /// Cuts the line x + s e (s between *low and *high) to what lies over the flat part, along its normal.
  void clip(const Part& flat, const Vector3& x, const Vector3& e, double slack, double* low, double* high) const;

 private:
  void add(const Part& part) {
    if (count_ < static_cast<int>(parts_.size())) parts_[count_++] = part;
  }
  void add_vertex(const Vector3& x, bool curved = false) {
    add({Part::Kind::smooth, X_ * x, Vector3::Zero(), curved, -1});
  }
  void add_edge(const Vector3& middle, const Vector3& half, bool curved = false) {
    add({Part::Kind::edge, X_ * middle, X_.R * half, curved, -1});
  }
  void add_flat(const Vector3& middle, const Vector3& normal, int face) {
    add({Part::Kind::flat, X_ * middle, X_.R * normal, false, face});
  }
  void segment_parts(const Vector3& d, bool curved);
  void cylinder_parts(const Vector3& d);
  void cone_parts(const Vector3& d);
  void box_parts(const Vector3& d);
  void hull_parts(const Vector3& d);
  void hull_edge(int i, int j, const Vector3& d);
  int corner_count(const Part& flat) const {
    return core_.kind == CoreShape::Kind::box ? 4 : static_cast<int>(core_.hull->faces[flat.face].size());
  }
  /// Corner k of a flat polygon in A's frame, counter-clockwise about its normal.
  Vector3 corner(const Part& flat, int k) const;

  const CoreShape& core_;
  const Pose& X_;
  Matrix3 M_ = Matrix3::Zero();
  double ball_ = 0;
  std::array<Part, 24> parts_;
  int count_ = 0;
};

void Neighbourhood::segment_parts(const Vector3& d, bool curved) {
  const Vector3 half(0, 0, core_.size.z());
  const double side = std::copysign(1.0, d.z());
  if (std::abs(d.z()) < near_angle) add_edge(Vector3::Zero(), half, curved);
  add_vertex(side * half, curved);
  if (std::abs(d.z()) < near_angle) add_vertex(-side * half, curved);
}

void Neighbourhood::cylinder_parts(const Vector3& d) {
  const Vector3 axis = X_.R.col(2);
  M_ = core_.size.x() * (Matrix3::Identity() - axis * axis.transpose());
  const double side = std::copysign(1.0, d.z());
  if (std::hypot(d.x(), d.y()) < near_angle) {
    add_flat(Vector3(0, 0, side * core_.size.z()), Vector3(0, 0, side), -1);
  }
  segment_parts(d, true);
}

void Neighbourhood::cone_parts(const Vector3& d) {
  const Vector3 axis = X_.R.col(2);
  const double radius = core_.size.x();
  const Vector3 apex(0, 0, core_.size.z());
  M_ = radius * (Matrix3::Identity() - axis * axis.transpose());
  const double radial = std::hypot(d.x(), d.y());
  if (radial < near_angle && d.z() < 0) add_flat(-apex, Vector3(0, 0, -1), -1);
  // How far d is turned from the side's normal towards the axis.
  const double turn = std::atan2(d.z(), radial) - std::atan2(radius, 2 * apex.z());
  if (std::abs(turn) < near_angle) add({Part::Kind::ruled, X_ * apex, -2 * (X_.R * apex), true, -1});
  if (turn > -near_angle) add_vertex(apex);
  if (turn < near_angle) add_vertex(-apex, true);
}

void Neighbourhood::box_parts(const Vector3& d) {
  std::array<int, 3> loose{};
  int loose_count = 0;
  Vector3 corner;
  for (int k = 0; k < 3; ++k) {
    corner[k] = std::copysign(core_.size[k], d[k]);
    if (std::abs(d[k]) < near_angle) loose[loose_count++] = k;
  }
  const auto moved = [&](int k, double to) {
    Vector3 x = corner;
    x[k] = to * core_.size[k];
    return x;
  };
  if (loose_count == 2) {
    const int k = 3 - loose[0] - loose[1];
    const double side = std::copysign(1.0, d[k]);
    // The core of a box that is fully rounded along an axis has no faces there but its own plane.
    const double least = 1e-9 * (core_.size.maxCoeff() + core_.radius);
    if (std::min(core_.size[loose[0]], core_.size[loose[1]]) > least) {
      add_flat(Vector3::Unit(k) * corner[k], Vector3::Unit(k) * side, 2 * k + (side > 0));
    }
    for (const int m : {0, 1}) {
      const int along = loose[m];
      const int across = loose[1 - m];
      for (const double to : {1.0, -1.0}) {
        Vector3 middle = moved(across, to);
        middle[along] = 0;
        if (core_.size[along] > least) add_edge(middle, Vector3::Unit(along) * core_.size[along]);
      }
    }
    for (const double x : {1.0, -1.0}) {
      for (const double y : {1.0, -1.0}) {
        Vector3 v = moved(loose[0], x);
        v[loose[1]] = y * core_.size[loose[1]];
        add_vertex(v);
      }
    }
  } else if (loose_count == 1) {
    add_edge(moved(loose[0], 0), Vector3::Unit(loose[0]) * core_.size[loose[0]]);
    add_vertex(corner);
    add_vertex(moved(loose[0], -std::copysign(1.0, d[loose[0]])));
  } else {
    add_vertex(corner);
  }
}

void Neighbourhood::hull_edge(int i, int j, const Vector3& d) {
  const Vector3 half = 0.5 * (core_.hull->vertices[j] - core_.hull->vertices[i]);
  if (std::abs(half.dot(d)) < near_angle * half.norm()) add_edge(core_.hull->vertices[i] + half, half);
}

void Neighbourhood::hull_parts(const Vector3& d) {
  const ConvexHull& hull = *core_.hull;
  const int top = hull_support_vertex(hull, d, core_.last_vertex);
  int flat = -1;
  double cosine = 1 - 0.5 * near_angle * near_angle;
  for (int f = 0; f < static_cast<int>(hull.face_normals.size()); ++f) {
    if (hull.face_normals[f].dot(d) > cosine) cosine = hull.face_normals[f].dot(d), flat = f;
  }
  if (flat >= 0) {
    const std::vector<int>& face = hull.faces[flat];
    add_flat(hull.vertices[face[0]], hull.face_normals[flat], flat);
    for (size_t k = 0; k < face.size(); ++k) hull_edge(face[k], face[k + 1 < face.size() ? k + 1 : 0], d);
  } else {
    for (const int next : hull.neighbours[top]) hull_edge(top, next, d);
  }
  add_vertex(hull.vertices[top]);
  for (const int next : hull.neighbours[top]) {
    const Vector3 e = hull.vertices[next] - hull.vertices[top];
    if (std::abs(e.dot(d)) < near_angle * e.norm()) add_vertex(hull.vertices[next]);
  }
}

Vector3 Neighbourhood::corner(const Part& flat, int k) const {
  if (core_.kind == CoreShape::Kind::hull) return X_ * core_.hull->vertices[core_.hull->faces[flat.face][k]];
  const int axis = flat.face / 2;
  const bool positive = flat.face % 2;
  constexpr double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const int i = positive ? (axis + 1) % 3 : (axis + 2) % 3;
  const int j = 3 - axis - i;
  Vector3 x;
  x[axis] = positive ? core_.size[axis] : -core_.size[axis];
  x[i] = corners[k][0] * core_.size[i];
  x[j] = corners[k][1] * core_.size[j];
  return X_ * x;
}

void Neighbourhood::clip(const Part& flat, const Vector3& x, const Vector3& e, double slack, double* low,
                         double* high) const {
  // s a <= b keeps a half of the line.
  const auto cut = [&](double a, double b) {
    if (a > 0) {
      *high = std::min(*high, (b + slack) / a);
    } else if (a < 0) {
      *low = std::max(*low, (b + slack) / a);
    } else if (b + slack < 0) {
      *low = 1, *high = -1;
    }
  };
  if (core_.kind == CoreShape::Kind::cylinder || core_.kind == CoreShape::Kind::cone) {
    const Vector3 from = x - flat.c - flat.g * flat.g.dot(x - flat.c);
    const Vector3 along = e - flat.g * flat.g.dot(e);
    const double a = along.squaredNorm();
    const double radius = core_.size.x() + slack;
    const double rest = radius * radius - from.squaredNorm();
    if (a <= slack * slack) {
      if (rest < 0) *low = 1, *high = -1;
      return;
    }
    const double middle = -from.dot(along) / a;
    const double reach2 = middle * middle + rest / a;
    if (reach2 < 0) {
      *low = 1, *high = -1;
      return;
    }
    *low = std::max(*low, middle - std::sqrt(reach2));
    *high = std::min(*high, middle + std::sqrt(reach2));
    return;
  }
  const int n = corner_count(flat);
  Vector3 from = corner(flat, n - 1);
  for (int k = 0; k < n; ++k) {
    const Vector3 to = corner(flat, k);
    const Vector3 outward = (to - from).cross(flat.g).normalized();
    cut(outward.dot(e), outward.dot(from - x));
    from = to;
  }
}

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
        const bool again = A_.part(i).kind == Part::Kind::surface || B_.part(j).kind == Part::Kind::surface;
        if (again && solve(A_.part(i), B_.part(j), true, &trial) && accept(trial, answer)) return true;
      }
    }
    return false;
  }

 private:
  /// `along`: surfaces start from their points along the starting direction instead of the witness points.
  bool solve(const Part& p, const Part& q, bool along, Trial* trial) const {
    using Kind = Part::Kind;
    if (p.kind == Kind::flat && q.kind == Kind::flat) return false;  // faces on each other need no polish
    if (p.kind == Kind::flat) return on_flat(A_, p, B_, q, 1, &trial->n, &trial->a, &trial->b);
    if (q.kind == Kind::flat) return on_flat(B_, q, A_, p, -1, &trial->n, &trial->b, &trial->a);
    const auto pointwise = [](const Part& part) { return part.kind == Kind::ruled || part.kind == Kind::surface; };
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
  bool newton(const Part& p, const Part& q, const Vector3& g, Vector3* n) const {
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

  static void add_curved(const Neighbourhood& side, const Vector3& n, Vector3* gradient, Matrix3* H) {
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
  bool slide(const Part& p, const Part& q, Trial* trial) const {
    const Vector3& n = trial->n;
    trial->a = p.c + A_.offset(p, n);
    trial->b = q.c + B_.offset(q, -n);
    Vector3 r = trial->b - trial->a;
    r -= n * n.dot(r);
    const bool edge_A = p.kind == Part::Kind::edge;
    const bool edge_B = q.kind == Part::Kind::edge;
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
  bool on_flat(const Neighbourhood& own, const Part& flat, const Neighbourhood& other, Part part, double sign,
               Vector3* n, Vector3* on_own, Vector3* on_other) const {
    if (part.kind == Part::Kind::ruled) {  // the line from apex to rim along the flat's normal
      const Vector3 half = 0.5 * (part.g + other.offset(part, -flat.g));
      part = {Part::Kind::edge, part.c + half, half, false, -1};
    }
    const Vector3 x = part.c + other.offset(part, -flat.g);
    const bool edge = part.kind == Part::Kind::edge;
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
  Neighbourhood A_;
  Neighbourhood B_;
};

}  // namespace

bool has_curved_core(const CoreDifference& difference) {
  const auto curved = [](const CoreShape& core) {
    using Kind = CoreShape::Kind;
    return core.kind == Kind::cylinder || core.kind == Kind::ellipsoid || core.kind == Kind::cone ||
           core.kind == Kind::superellipsoid || core.kind == Kind::implicit;
  };
  return curved(difference.A) || curved(difference.B);
}

bool polish(const CoreDifference& difference, CoreAnswer* answer) {
  if (!answer->normal.allFinite() || !std::isfinite(answer->lower)) return false;
  return Polisher(difference, *answer).run(answer);
}

}  // namespace stiction::geometry
