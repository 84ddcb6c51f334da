// Which pieces stand for a contact point. One point: both shapes whole. Several: one shape gives the surface, a half-space
// fixed in it where it has a face along the normal; the other what of it is fixed at the point: a corner, or the round
// that sits there.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/geometry/closest/closest_points.h"
#include "stiction/geometry/shapes/bowl.h"
#include "stiction/geometry/support_feature.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

using Kind = PieceSurface::Kind;

/// One side of a contact point, in its shape's frame.
struct Side {
  const Shape& shape;
  const Matrix3& R_WS;
  Vector3 point;    ///< of the manifold
  Vector3 outward;  ///< the manifold's normal, out of this shape
  Vector3 facing;   ///< out of this shape against the face it meets: `outward` unless that face is a little tilted
};

void add(Piece& piece, const PieceSurface& surface) {
  if (piece.count < max_piece_surfaces) piece.surfaces[piece.count++] = surface;
}

PieceSurface half_space(const Vector3& axis, const Vector3& through, bool held = false) {
  PieceSurface surface;
  surface.axis = axis;
  surface.center = through;
  surface.held = held;
  return surface;
}

PieceSurface curved(Kind kind, const Vector3& size) {
  PieceSurface surface;
  surface.kind = kind;
  surface.size = size;
  return surface;
}

PieceSurface ball(double radius, const Vector3& center) {
  PieceSurface surface = curved(Kind::sphere, {radius, 0, 0});
  surface.center = center;
  return surface;
}

void add_corner(const Vector3& point, Piece& piece) {
  for (int axis = 0; axis < 3; ++axis) add(piece, half_space(Vector3::Unit(axis), point, true));
}

/// Keeps those of many surfaces that are nearest to the point, in their own order.
class NearestSurfaces {
 public:
  void offer(double slack, int index) {
    if (count_ == max_piece_surfaces) {
      const auto worst = std::max_element(slack_.begin(), slack_.end());
      if (*worst <= slack) return;
      const auto at = worst - slack_.begin();
      std::copy(slack_.begin() + at + 1, slack_.end(), slack_.begin() + at);
      std::copy(index_.begin() + at + 1, index_.end(), index_.begin() + at);
      --count_;
    }
    slack_[count_] = slack;
    index_[count_++] = index;
  }
  std::span<const int> view() const { return {index_.data(), static_cast<size_t>(count_)}; }

 private:
  std::array<double, max_piece_surfaces> slack_;
  std::array<int, max_piece_surfaces> index_;
  int count_ = 0;
};

// The whole of a shape, as far as it can matter near the point.

void whole(const Plane& plane, const Side&, Piece& piece) {
  add(piece, half_space(plane.normal, Vector3::Zero()));
}

void whole(const Sphere& sphere, const Side&, Piece& piece) {
  add(piece, ball(sphere.radius, Vector3::Zero()));
}

void whole(const Box& box, const Side&, Piece& piece) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      const Vector3 normal = side * Vector3::Unit(axis);
      add(piece, half_space(normal, box.half_size[axis] * normal));
    }
  }
}

void whole(const Capsule& capsule, const Side&, Piece& piece) {
  add(piece, curved(Kind::capsule, {capsule.radius, capsule.half_length, 0}));
}

void add_cap(double z, double side, bool held, Piece& piece) {
  add(piece, half_space(side * Vector3::UnitZ(), z * Vector3::UnitZ(), held));
}

void whole(const Cylinder& cylinder, const Side&, Piece& piece) {
  add(piece, curved(Kind::cylinder_side, {cylinder.radius, cylinder.half_length, 0}));
  add_cap(-cylinder.half_length, -1, false, piece);
  add_cap(cylinder.half_length, 1, false, piece);
}

void whole(const Ellipsoid& ellipsoid, const Side&, Piece& piece) {
  add(piece, curved(Kind::ellipsoid, ellipsoid.radii));
}

/// Of the many faces that meet in one corner: the one most along the normal in each of eight sectors round it, so that the
/// normal stays between those chosen.
class SectorFaces {
 public:
  explicit SectorFaces(const Vector3& outward)
      : outward_(outward), t1_(any_orthogonal(outward)), t2_(outward.cross(t1_)) {
    face_.fill(-1);
  }
  void offer(const Vector3& normal, int face) {
    const double angle = std::atan2(t2_.dot(normal), t1_.dot(normal));
    const int sector = std::clamp(static_cast<int>((angle + M_PI) / (2 * M_PI) * sectors), 0, sectors - 1);
    const double cosine = outward_.dot(normal);
    if (face_[sector] >= 0 && cosine <= cosine_[sector]) return;
    face_[sector] = face;
    cosine_[sector] = cosine;
  }
  bool holds(int face) const { return std::find(face_.begin(), face_.end(), face) != face_.end(); }

 private:
  static constexpr int sectors = max_piece_surfaces;
  Vector3 outward_, t1_, t2_;
  std::array<int, sectors> face_;
  std::array<double, sectors> cosine_;
};

void whole(const Convex& convex, const Side& at, Piece& piece) {
  const ConvexHull& hull = *convex.hull;
  const int count = static_cast<int>(hull.faces.size());
  const double size = shape_size(convex);
  const auto slack = [&](int f) { return hull.face_normals[f].dot(hull.vertices[hull.faces[f][0]] - at.point); };
  SectorFaces meeting(at.outward);
  for (int f = 0; f < count; ++f) {
    if (slack(f) < 1e-6 * size) meeting.offer(hull.face_normals[f], f);
  }
  NearestSurfaces faces;
  for (int f = 0; f < count; ++f) faces.offer(slack(f) - (meeting.holds(f) ? size : 0), f);
  for (const int f : faces.view()) add(piece, half_space(hull.face_normals[f], hull.vertices[hull.faces[f][0]]));
}

inline void whole(const Superellipsoid& shape, const Side&, Piece& piece) {
  PieceSurface surface = curved(Kind::superellipsoid, shape.radii);
  surface.p = shape.p;
  surface.q = shape.q;
  add(piece, surface);
}

bool at_apex(const Cone& cone, const Vector3& point) {
  constexpr double near = 1e-6;
  return (point - cone.half_length * Vector3::UnitZ()).norm() <= near * (cone.radius + cone.half_length);
}

/// The apex, where the side has no gradient, is a corner.
inline void whole(const Cone& cone, const Side& at, Piece& piece) {
  if (at_apex(cone, at.point)) return add_corner(cone.half_length * Vector3::UnitZ(), piece);
  add(piece, curved(Kind::cone_side, {cone.radius, cone.half_length, 0}));
  add_cap(-cone.half_length, -1, false, piece);
}

inline void whole(const RoundedBox& box, const Side& at, Piece& piece) {
  if (!(box.radius > 0)) return whole(Box{box.half_size}, at, piece);
  PieceSurface surface = curved(Kind::rounded_box, box.half_size);
  surface.radius = box.radius;
  add(piece, surface);
}

/// Metres a unit of the function: half the least width over twice the depth of the interior point, as if quadratic.
double function_scale(const ImplicitSolid& solid, const ImplicitFunction& function) {
  const double depth = -evaluate(function, solid.interior).value;
  const double reach = (solid.upper - solid.lower).minCoeff() / 2;
  return depth > 0 && reach > 0 ? reach / (2 * depth) : 1;
}

inline void whole(const Implicit& implicit, const Side& at, Piece& piece) {
  const ImplicitSolid& solid = *implicit.solid;
  NearestSurfaces nearest;
  for (int k = 0; k < static_cast<int>(solid.functions.size()); ++k) {
    const ImplicitFunction& function = solid.functions[k];
    nearest.offer(-function_scale(solid, function) * evaluate(function, at.point).value, k);
  }
  for (const int k : nearest.view()) {
    PieceSurface surface = curved(Kind::function, Vector3::Zero());
    surface.function = &solid.functions[k];
    surface.scale = function_scale(solid, solid.functions[k]);
    add(piece, surface);
  }
}

inline void whole(const Bowl& bowl, const Side&, Piece& piece) {
  add(piece, curved(Kind::bowl, {bowl.radius, 0, 0}));
}

// What of a shape is fixed at a point of a face or a line: the end of a capsule, the rim of a cylinder, a corner.

/// A circle about the axis at the point's height when that point is the circle's lowest; a corner otherwise (a cap that
/// stands flat has no lowest point).
void circle_or_corner(const PieceSurface& side, const Side& at, Piece& piece) {
  constexpr double flat = 1e-6;
  constexpr double aligned = 1 - 1e-9;
  const Vector2 tilt = at.facing.head<2>();
  const Vector2 radial = at.point.head<2>();
  if (tilt.norm() <= flat || radial.dot(tilt) < aligned * radial.norm() * tilt.norm() || radial.norm() == 0) {
    return add_corner(at.point, piece);
  }
  add(piece, side);
  add_cap(at.point.z(), at.facing.z() < 0 ? -1 : 1, true, piece);
}

template <class AnyShape>
void fixed_part(const AnyShape& shape, const Side& at, Piece& piece) {
  whole(shape, at, piece);
}
void fixed_part(const Box&, const Side& at, Piece& piece) {
  add_corner(at.point, piece);
}
void fixed_part(const Convex&, const Side& at, Piece& piece) {
  add_corner(at.point, piece);
}
void fixed_part(const Capsule& capsule, const Side& at, Piece& piece) {
  const double z = at.point.z() - capsule.radius * at.outward.z();
  const double on_axis = std::clamp(z, -capsule.half_length, capsule.half_length);
  add(piece, ball(capsule.radius, on_axis * Vector3::UnitZ()));
}
void fixed_part(const Cylinder& cylinder, const Side& at, Piece& piece) {
  circle_or_corner(curved(Kind::cylinder_side, {cylinder.radius, cylinder.half_length, 0}), at, piece);
}
inline void fixed_part(const Cone& cone, const Side& at, Piece& piece) {
  if (at_apex(cone, at.point)) return add_corner(at.point, piece);
  circle_or_corner(curved(Kind::cone_side, {cone.radius, cone.half_length, 0}), at, piece);
}
inline void fixed_part(const RoundedBox& box, const Side& at, Piece& piece) {
  if (!(box.radius > 0)) return add_corner(at.point, piece);
  const Vector3 core = (box.half_size.array() - box.radius).max(0.0);
  const Vector3 center = at.point - box.radius * at.outward;
  add(piece, ball(box.radius, center.cwiseMax(-core).cwiseMin(core)));
}

// How a shape can play its part.

/// A face this far along the normal is the one that is met.
constexpr double facing_cosine = 0.999;

/// Cosine between the normal and the face most along it; 2 for a half-space, -2 where there is no face.
double face_cosine(const Side& at, Vector3* face) {
  *face = at.outward;
  if (std::holds_alternative<Plane>(at.shape)) return 2;
  if (!aligned_face_normal(at.shape, Matrix3::Identity(), at.outward, face)) return -2;
  return face->dot(at.outward);
}

/// How far the point is from the end of a line that the shape has; infinity without one: it cannot lead.
template <class AnyShape>
double to_end_of_line(const AnyShape&, const Vector3&) {
  return std::numeric_limits<double>::infinity();
}
double to_end_of_line(const Capsule& shape, const Vector3& point) {
  return std::abs(shape.half_length - std::abs(point.z()));
}
double to_end_of_line(const Cylinder& shape, const Vector3& point) {
  return std::abs(shape.half_length - std::abs(point.z()));
}
inline double to_end_of_line(const Cone& shape, const Vector3& point) {
  return std::abs(shape.half_length - std::abs(point.z()));
}
inline double to_end_of_line(const RoundedBox& shape, const Vector3& point) {
  return (shape.half_size - point.cwiseAbs()).cwiseAbs().maxCoeff();
}

double end_distance(const Side& at) {
  return std::visit([&](const auto& shape) { return to_end_of_line(shape, at.point); }, at.shape);
}
void whole_piece(const Side& at, Piece& piece) {
  std::visit([&](const auto& shape) { whole(shape, at, piece); }, at.shape);
}
void fixed_piece(const Side& at, Piece& piece) {
  std::visit([&](const auto& shape) { fixed_part(shape, at, piece); }, at.shape);
}

/// A half-space fixed in `surface` against what of `tip` is fixed at the point. Without a face along it (edges side by
/// side) its normal is the manifold's.
void point_on_face(const Side& surface, const Side& tip, Piece& surface_piece, Piece& tip_piece) {
  Vector3 normal;
  if (face_cosine(surface, &normal) < facing_cosine) normal = surface.outward;
  add(surface_piece, half_space(normal, surface.point));
  Side turned = tip;
  turned.facing = -(tip.R_WS.transpose() * (surface.R_WS * normal));
  fixed_piece(turned, tip_piece);
}

/// Two lines side by side: the one that ends here meets the whole of the other.
void lines(const Side& A, const Side& B, Piece& piece_A, Piece& piece_B) {
  const bool A_ends = end_distance(A) <= end_distance(B);
  A_ends ? fixed_piece(A, piece_A) : whole_piece(A, piece_A);
  A_ends ? whole_piece(B, piece_B) : fixed_piece(B, piece_B);
}

/// One of several points. Where no face is along the normal, a polytope still gives the half-space to what is round.
void several(const Side& A, const Side& B, Piece& piece_A, Piece& piece_B) {
  Vector3 unused;
  const double cosine_A = face_cosine(A, &unused);
  const double cosine_B = face_cosine(B, &unused);
  const bool round_A = std::isfinite(end_distance(A));
  const bool round_B = std::isfinite(end_distance(B));
  const bool face = std::max(cosine_A, cosine_B) >= facing_cosine;
  if (!face && round_A && round_B) return lines(A, B, piece_A, piece_B);
  const bool surface_is_A = face || round_A == round_B ? cosine_A >= cosine_B : round_B;
  surface_is_A ? point_on_face(A, B, piece_A, piece_B) : point_on_face(B, A, piece_B, piece_A);
}

/// Either side of a point in a bowl. Points fixed in a rim are corners even where they are its farthest: the circle's is
/// vague there.
void in_bowl(const Side& at, std::uint32_t feature, Piece& piece) {
  const bool round = std::holds_alternative<Cylinder>(at.shape) || std::holds_alternative<Cone>(at.shape);
  round&& fixed_in_rim(feature) ? add_corner(at.point, piece) : fixed_piece(at, piece);
}

}  // namespace

void contact_pieces(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, const Manifold& manifold,
                    int point, Piece& piece_A, Piece& piece_B) {
  piece_A.count = 0;
  piece_B.count = 0;
  const ManifoldPoint& at = manifold.points[point];
  const auto side = [&](const Shape& shape, const Pose& X, const Vector3& x, const Vector3& normal) {
    const Vector3 outward = X.R.transpose() * normal;
    return Side{shape, X.R, X.R.transpose() * (x - X.p), outward, outward};
  };
  const Side side_A = side(A, X_WA, at.point_A, manifold.normal_at(at));
  const Side side_B = side(B, X_WB, at.point_B, -manifold.normal_at(at));
  if (std::holds_alternative<Bowl>(A) || std::holds_alternative<Bowl>(B)) {
    in_bowl(side_A, at.feature, piece_A);
    in_bowl(side_B, at.feature, piece_B);
    return;
  }
  if (manifold.count > 1) return several(side_A, side_B, piece_A, piece_B);
  whole_piece(side_A, piece_A);
  whole_piece(side_B, piece_B);
}

}  // namespace stiction::geometry
