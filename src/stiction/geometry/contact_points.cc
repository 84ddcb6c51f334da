// Both features are projected along the normal onto one plane; there the overlap of two convex regions (polygon, disc,
// segment) is spanned by corners of one inside the other and by crossings of their borders. The heights back along the
// normal give the gaps.
#include "stiction/geometry/contact_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/base/assert.h"
#include "stiction/geometry/half_masks.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

using Kind = SupportFeature::Kind;

// Of the size of the shapes, and as an angle: what rounding leaves.
constexpr double rounding = 1e-9;
// The same of two faces: borders that run closer together than this are one border. Where they cross is a matter of
// rounding and would move along the whole edge from step to step; corners that stick out by less are moved inside
// instead.
constexpr double same_border = 1e-6;

/// A feature with its corners in the common plane.
struct Flat {
  const SupportFeature* feature = nullptr;
  std::array<Vector2, SupportFeature::max_vertices> corner;
  std::array<Vector2, SupportFeature::max_vertices> edge;   ///< from each corner to the next
  std::array<double, SupportFeature::max_vertices> length;  ///< of the edges
  Vector2 center = Vector2::Zero();
  double turn = 1;  ///< +1 when the corners run counter-clockwise

  bool region() const { return feature->kind == Kind::polygon || feature->kind == Kind::disc; }
  bool disc() const { return feature->kind == Kind::disc; }
  bool has_edges() const { return feature->kind == Kind::polygon || feature->kind == Kind::segment; }
  int edge_count() const { return feature->kind == Kind::polygon ? feature->count : 1; }
  int next(int k) const { return k + 1 < feature->count ? k + 1 : 0; }
};

double cross2(const Vector2& a, const Vector2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

class Clipper {
 public:
  Clipper(const SupportFeature& A, const SupportFeature& B, const Vector3& normal, double size, ContactCandidates* out)
      : n_(normal),
        tolerance_(rounding * size),
        border_(same_border * size),
        merge_radius_(merge_distance * size),
        out_(out) {
    const SupportFeature* flat = A.kind == Kind::disc ? &A : B.kind == Kind::disc ? &B : nullptr;
    plane_normal_ = flat ? flat->normal : n_;
    slant_ = plane_normal_.dot(n_);
    t1_ = any_orthogonal(plane_normal_);
    t2_ = plane_normal_.cross(t1_);
    project(A, &a_);
    project(B, &b_);
  }

  void run() {
    if (a_.feature->kind == Kind::segment && b_.feature->kind == Kind::segment) return lines();
    if (is_quadrangle(*a_.feature) && is_quadrangle(*b_.feature)) return quadrangles();
    corners_inside(true);
    corners_inside(false);
    crossings();
  }

 private:
  static bool is_quadrangle(const SupportFeature& feature) {
    return feature.kind == Kind::polygon && feature.count == 4;
  }
  Vector2 flatten(const Vector3& x) const {
    const Vector3 y = x - n_ * (plane_normal_.dot(x) / slant_);
    return {t1_.dot(y), t2_.dot(y)};
  }
  void project(const SupportFeature& feature, Flat* flat) const {
    flat->feature = &feature;
    if (is_quadrangle(feature)) {
      project_quadrangle(flat);
    } else {
      for (int k = 0; k < feature.count; ++k) flat->corner[k] = flatten(feature.vertex[k]);
    }
    if (flat->disc()) flat->center = flatten(feature.center);
    flat->turn = plane_normal_.dot(feature.normal) > 0 ? 1 : -1;
    for (int k = 0; k < feature.count; ++k) {
      flat->edge[k] = flat->corner[flat->next(k)] - flat->corner[k];
      flat->length[k] = flat->edge[k].norm();
    }
  }
  void project_quadrangle(Flat* flat) const;
  bool inside(const Flat& flat, const Vector2& q, const Vector3& x) const;
  bool move_inside(const Flat& own, const Flat& other, const Vector2& q, Vector3& x) const;
  void corners_inside(bool of_A);
  void add_corner(bool of_A, int k, const Vector3& x);
  struct Sides;
  Sides sides(const Flat& flat, const Flat& corners) const;
  void quadrangles();
  void corners_inside(bool of_A, const Sides& sides);
  void crossings();
  HalfMask clearly_apart(int i, int j, int k) const;
  void edge_edge(int i, int j);
  void edge_circle(const Flat& edges, const Flat& disc, bool edges_of_A);
  void circle_circle();
  void lines();
  void add(const Vector3& x_A, const Vector3& x_B, std::uint32_t feature);
  /// The point of a flat feature's plane above x along the normal.
  Vector3 lift(const SupportFeature& feature, const Vector3& x) const {
    return x + n_ * (feature.normal.dot(feature.vertex[0] - x) / feature.normal.dot(n_));
  }
  static std::uint32_t label(int kind, int i, int j) {
    return static_cast<std::uint32_t>(kind) << 28 | (static_cast<std::uint32_t>(i) & 0x3fff) << 14 |
           (static_cast<std::uint32_t>(j) & 0x3fff);
  }

  Vector3 n_;
  double tolerance_;
  double border_;
  double merge_radius_;
  ContactCandidates* out_;
  Vector3 plane_normal_;
  double slant_;  ///< plane_normal_ . n_
  Vector3 t1_;
  Vector3 t2_;
  Flat a_;
  Flat b_;
};

void Clipper::add(const Vector3& x_A, const Vector3& x_B, std::uint32_t feature) {
  out_->merge({x_A, x_B, n_.dot(x_B - x_A), feature}, merge_radius_);
}

/// flatten() of two corners at once.
void Clipper::project_quadrangle(Flat* flat) const {
  const auto dot = [](const Vector3& a, Half x, Half y, Half z) { return a.x() * x + a.y() * y + a.z() * z; };
  for (int k = 0; k < 4; k += 2) {
    const Vector3 &v = flat->feature->vertex[k], &w = flat->feature->vertex[k + 1];
    const Half x = {v.x(), w.x()}, y = {v.y(), w.y()}, z = {v.z(), w.z()};
    const Half height = dot(plane_normal_, x, y, z) / slant_;
    const Half flat_x = x - n_.x() * height, flat_y = y - n_.y() * height, flat_z = z - n_.z() * height;
    const Half along_1 = dot(t1_, flat_x, flat_y, flat_z), along_2 = dot(t2_, flat_x, flat_y, flat_z);
    *half(flat->corner[k].data()) = Half{along_1[0], along_2[0]};
    *half(flat->corner[k + 1].data()) = Half{along_1[1], along_2[1]};
  }
}

/// Whether x, at q in the common plane, is above the region; for a disc in its own plane, where it is round.
bool Clipper::inside(const Flat& flat, const Vector2& q, const Vector3& x) const {
  if (flat.disc()) {
    return (lift(*flat.feature, x) - flat.feature->center).norm() <= flat.feature->radius + tolerance_;
  }
  for (int k = 0; k < flat.feature->count; ++k) {
    if (flat.turn * cross2(flat.edge[k], q - flat.corner[k]) < -tolerance_ * flat.length[k]) return false;
  }
  return true;
}

/// Moves x, a corner of one polygon at q, inside the other where it sticks out by less than the width of a border.
bool Clipper::move_inside(const Flat& own, const Flat& other, const Vector2& q, Vector3& x) const {
  if (own.feature->kind != Kind::polygon || other.feature->kind != Kind::polygon) return false;
  Vector2 moved = q;
  for (int k = 0; k < other.feature->count; ++k) {
    const Vector2& e = other.edge[k];
    const Vector2 inward = other.turn * Vector2(-e.y(), e.x()) / other.length[k];
    const double height = inward.dot(moved - other.corner[k]);
    if (height < -border_) return false;
    if (height < 0) moved -= height * inward;
  }
  const Vector2 by = moved - q;
  x = lift(*own.feature, x + by.x() * t1_ + by.y() * t2_);
  return inside(other, moved, x);
}

void Clipper::add_corner(bool of_A, int k, const Vector3& x) {
  const Flat& own = of_A ? a_ : b_;
  const Vector3 y = lift(of_A ? *b_.feature : *a_.feature, x);
  const std::uint32_t name = label(of_A ? 1 : 2, own.feature->id[k], 0);
  of_A ? add(x, y, name) : add(y, x, name);
}

void Clipper::corners_inside(bool of_A) {
  const Flat& own = of_A ? a_ : b_;
  const Flat& other = of_A ? b_ : a_;
  if (!other.region()) return;
  for (int k = 0; k < own.feature->count; ++k) {
    Vector3 x = own.feature->vertex[k];
    if (inside(other, own.corner[k], x) || move_inside(own, other, own.corner[k], x)) add_corner(of_A, k, x);
  }
}

/// Where the four corners of one quadrangle lie against the four edges of the other, a bit per corner.
struct Clipper::Sides {
  unsigned outside = 0;                 ///< as inside() says
  unsigned far_outside = 0;             ///< so far that move_inside() cannot help
  std::array<unsigned, 4> beside = {};  ///< edges: do this corner and the next lie clearly on one side of its line?
};

Clipper::Sides Clipper::sides(const Flat& flat, const Flat& corners) const {
  const auto& c = corners.corner;
  const Half x[2] = {{c[0].x(), c[1].x()}, {c[2].x(), c[3].x()}};
  const Half y[2] = {{c[0].y(), c[1].y()}, {c[2].y(), c[3].y()}};
  Sides result;
  for (int k = 0; k < 4; ++k) {
    const Vector2 &e = flat.edge[k], &from = flat.corner[k];
    const Half first = flat.turn * (e.x() * (y[0] - from.y()) - e.y() * (x[0] - from.x()));
    const Half last = flat.turn * (e.x() * (y[1] - from.y()) - e.y() * (x[1] - from.x()));
    const double rounded = tolerance_ * flat.length[k];
    const unsigned below = bits_below(first, last, -rounded), above = bits_below(-first, -last, -rounded);
    result.outside |= below;
    result.beside[k] = with_next(below) | with_next(above);
    // Earlier edges move a corner by at most a border each.
    if (below != 0) result.far_outside |= bits_below(first, last, -8 * border_ * flat.length[k]);
  }
  return result;
}

/// As corners_inside() and crossings(), with each corner compared with each edge once.
void Clipper::quadrangles() {
  const Sides A_at_B = sides(b_, a_), B_at_A = sides(a_, b_);
  corners_inside(true, A_at_B);
  corners_inside(false, B_at_A);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const bool apart = ((B_at_A.beside[i] >> j) | (A_at_B.beside[j] >> i)) & 1;
      if (!apart) edge_edge(i, j);
    }
  }
}

void Clipper::corners_inside(bool of_A, const Sides& sides) {
  const Flat& own = of_A ? a_ : b_;
  const Flat& other = of_A ? b_ : a_;
  for (int k = 0; k < 4; ++k) {
    if (sides.far_outside >> k & 1) continue;
    Vector3 x = own.feature->vertex[k];
    if (!(sides.outside >> k & 1) || move_inside(own, other, own.corner[k], x)) add_corner(of_A, k, x);
  }
}

void Clipper::crossings() {
  if (a_.disc() && b_.disc()) return circle_circle();
  if (a_.disc()) return edge_circle(b_, a_, false);
  if (b_.disc()) return edge_circle(a_, b_, true);
  for (int i = 0; i < a_.edge_count(); ++i) {
    for (int j = 0; j < b_.edge_count(); j += 2) {
      const int next = std::min(j + 1, b_.edge_count() - 1);
      const HalfMask apart = clearly_apart(i, j, next);
      if (!apart[0]) edge_edge(i, j);
      if (!apart[1] && next > j) edge_edge(i, next);
    }
  }
}

/// Whether edge i of A and two edges of B do not cross: as most do not, it pays to see that before any division.
HalfMask Clipper::clearly_apart(int i, int j, int k) const {
  const Vector2 &p = a_.corner[i], &e = a_.edge[i];
  const Half f_x = {b_.edge[j].x(), b_.edge[k].x()}, f_y = {b_.edge[j].y(), b_.edge[k].y()};
  const Half d_x = Half{b_.corner[j].x(), b_.corner[k].x()} - p.x();
  const Half d_y = Half{b_.corner[j].y(), b_.corner[k].y()} - p.y();
  const Half sine = e.x() * f_y - e.y() * f_x;
  return is_outside(d_x * f_y - d_y * f_x, sine) | is_outside(d_x * e.y() - d_y * e.x(), sine);
}

void Clipper::edge_edge(int i, int j) {
  const Vector2& p = a_.corner[i];
  const Vector2& q = b_.corner[j];
  const Vector2& e = a_.edge[i];
  const Vector2& f = b_.edge[j];
  const double sine = cross2(e, f);
  if (std::abs(sine) <= (a_.region() && b_.region() ? same_border : rounding) * a_.length[i] * b_.length[j]) return;
  const double s = cross2(q - p, f) / sine;
  const double t = cross2(q - p, e) / sine;
  if (s < 0 || s > 1 || t < 0 || t > 1) return;
  const SupportFeature& A = *a_.feature;
  const SupportFeature& B = *b_.feature;
  const Vector3 x_A = A.vertex[i] + s * (A.vertex[a_.next(i)] - A.vertex[i]);
  const Vector3 x_B = B.vertex[j] + t * (B.vertex[b_.next(j)] - B.vertex[j]);
  add(x_A, x_B, label(3, A.edge_base + i, B.edge_base + j));
}

void Clipper::edge_circle(const Flat& edges, const Flat& disc, bool edges_of_A) {
  for (int k = 0; k < edges.edge_count(); ++k) {
    const Vector2 p = edges.corner[k] - disc.center;
    const Vector2 e = edges.corner[edges.next(k)] - edges.corner[k];
    const double length2 = e.squaredNorm();
    if (length2 == 0) continue;
    const double middle = -p.dot(e) / length2;
    const double offset2 = (p + middle * e).squaredNorm();
    const double reach2 = disc.feature->radius * disc.feature->radius - offset2;
    if (reach2 <= 0) continue;
    const double reach = std::sqrt(reach2 / length2);
    for (const int side : {-1, 1}) {
      const double t = middle + side * reach;
      if (t < 0 || t > 1) continue;
      const Vector3& from = edges.feature->vertex[k];
      const Vector3 x = from + t * (edges.feature->vertex[edges.next(k)] - from);
      const Vector3 y = lift(*disc.feature, x);
      const std::uint32_t name = label(4, edges.feature->edge_base + k, 2 * edges_of_A + (side > 0));
      edges_of_A ? add(x, y, name) : add(y, x, name);
    }
  }
}

void Clipper::circle_circle() {
  const Vector2 d = b_.center - a_.center;
  const double distance = d.norm();
  const double ra = a_.feature->radius;
  const double rb = b_.feature->radius;
  if (distance <= tolerance_ || distance > ra + rb || distance < std::abs(ra - rb)) return;
  const double along = 0.5 * (distance + (ra - rb) * (ra + rb) / distance);
  const double across = std::sqrt(std::max(0.0, ra * ra - along * along));
  for (const int side : {-1, 1}) {
    const Vector2 at = a_.center + (along / distance) * d + (side * across / distance) * Vector2(-d.y(), d.x());
    const Vector2 from_center = at - a_.center;
    const Vector3 x = a_.feature->center + from_center.x() * t1_ + from_center.y() * t2_;
    // Tilted against each other the second circle is an ellipse here: near enough only while it stays on its disc.
    if (inside(b_, at, x)) add(x, lift(*b_.feature, x), label(5, 0, side > 0));
  }
}

/// Two lines (capsules, cylinder sides): where they run side by side, both ends of the stretch; otherwise their
/// crossing.
void Clipper::lines() {
  const SupportFeature& A = *a_.feature;
  const SupportFeature& B = *b_.feature;
  const Vector2 e = a_.corner[1] - a_.corner[0];
  const Vector2 f = b_.corner[1] - b_.corner[0];
  const double length = e.norm();
  if (length == 0 || f.norm() == 0) return;
  // Parallel to 1e-5: leaving the other line by so little costs a gap of second order only.
  if (std::abs(cross2(e, f)) > 1e-5 * length * f.norm()) return edge_edge(0, 0);
  const double sign = e.dot(f) > 0 ? 1 : -1;
  const auto along = [&](const Vector2& q) { return (q - a_.corner[0]).dot(e) / (length * length); };
  const int first = sign > 0 ? 0 : 1;
  const double s0 = along(b_.corner[first]);
  const double s1 = along(b_.corner[1 - first]);
  if (!(s1 > s0)) return;
  const double from = std::max(0.0, s0);
  const double to = std::min(1.0, s1);
  if (from > to) return;
  const auto stretch_end = [&](double s, int end) {
    const Vector3 x_A = A.vertex[0] + s * (A.vertex[1] - A.vertex[0]);
    const double t = (s - s0) / (s1 - s0);
    const Vector3 x_B = B.vertex[first] + t * (B.vertex[1 - first] - B.vertex[first]);
    add(x_A, x_B, label(6, 0, end));
  };
  stretch_end(from, 0);
  stretch_end(to, 1);
}

}  // namespace

double ContactCandidates::deepest() const {
  double gap = std::numeric_limits<double>::infinity();
  for (int k = 0; k < count; ++k) gap = std::min(gap, points[k].gap);
  return gap;
}

void ContactCandidates::merge(const ContactCandidate& point, double radius) {
  for (int k = 0; k < count; ++k) {
    if ((points[k].point_A - point.point_A).squaredNorm() > radius * radius) continue;
    const std::uint32_t feature = points[k].feature;
    if (point.gap < points[k].gap) points[k] = point, points[k].feature = feature;
    return;
  }
  STICTION_ASSERT(count < capacity, "two features give more points than geometry allows");
  points[count++] = point;
}

void contact_candidates(const Placement& pair, const Vector3& normal, double size, ContactCandidates* candidates) {
  candidates->count = 0;
  if (kind_of(pair.A).single_point || kind_of(pair.B).single_point) return;
  SupportFeature feature_A;
  SupportFeature feature_B;
  support_feature(pair.A, pair.R_WA, Vector3::Zero(), normal, &feature_A);
  support_feature(pair.B, pair.R_WB, pair.p_AB, -normal, &feature_B);
  if (feature_A.kind == Kind::point || feature_B.kind == Kind::point) return;
  contact_candidates(feature_A, feature_B, normal, size, candidates);
}

void contact_candidates(const SupportFeature& A, const SupportFeature& B, const Vector3& normal, double size,
                        ContactCandidates* candidates) {
  candidates->count = 0;
  Clipper(A, B, normal, size, candidates).run();
}

}  // namespace stiction::geometry
