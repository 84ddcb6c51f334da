#include "stiction/geometry/shapes/rounded_box.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace stiction::geometry {

namespace {

using std::numbers::pi;

/// Integral of x_k^2 over the core box, its six slabs, twelve quarter cylinders and eight octants of a ball.
double rounded_moment(const Vector3& c, double r, int k) {
  const double x = c[k];
  const double y = c[(k + 1) % 3];
  const double z = c[(k + 2) % 3];
  const double within = 8 * x * y * z + 8 * r * x * (y + z) + 2 * pi * r * r * x;  // x_k uniform in [-x, x]
  const double slabs = 8.0 / 3 * y * z * (std::pow(x + r, 3) - std::pow(x, 3));
  const double quarters = 2 * pi * r * r * (y + z) * (x * x + 8 * r * x / (3 * pi) + r * r / 4);
  const double octants = 4.0 / 3 * pi * r * r * r * (x * x + 0.75 * r * x + r * r / 5);
  return within * x * x / 3 + slabs + quarters + octants;
}

}  // namespace

ImplicitValue rounded_box_surface(const PieceSurface& s, const Vector3& x) {
  const Vector3 core = (s.size.array() - s.radius).max(0.0);
  const Vector3 d = x - x.cwiseMax(-core).cwiseMin(core);
  return round_about(d, (x.cwiseAbs().array() > core.array()).cast<double>(), s.radius);
}

std::optional<KeyMistake> ShapeTraits<RoundedBox>::mistake(std::span<const double> v) {
  const RoundedBox box = from_keys(v);
  const double largest = box.half_size.minCoeff();
  if (!(largest > 0 && box.radius > largest)) return std::nullopt;
  return KeyMistake{"radius", fmt::format("radius {} is more than half of the smallest size", box.radius),
                    fmt::format("Give at most {}; with exactly that much the short side is fully round.", largest)};
}

MassProperties ShapeTraits<RoundedBox>::mass_properties(const RoundedBox& s) {
  const Vector3 c = core_half_size(s);
  const double r = s.radius;
  const double faces = c.x() * c.y() + c.y() * c.z() + c.z() * c.x();
  const double volume = 8 * c.prod() + 8 * r * faces + 2 * pi * r * r * c.sum() + 4.0 / 3 * pi * r * r * r;
  return symmetric_solid(volume, {rounded_moment(c, r, 0), rounded_moment(c, r, 1), rounded_moment(c, r, 2)});
}

CoreShape ShapeTraits<RoundedBox>::core(const RoundedBox& s) {
  CoreShape core;
  core.size = core_half_size(s);
  if (core.size.maxCoeff() > 0) core.kind = CoreShape::Kind::box;
  core.radius = s.radius;
  return core;
}

void ShapeTraits<RoundedBox>::feature(const RoundedBox& s, const FeatureView& view, SupportFeature* feature) {
  constexpr double face_cosine = 0.98;
  constexpr double edge_sine = 0.2;
  const Vector3& local = view.local;
  const Vector3 core = core_half_size(s);
  const Vector3 offset = view.p + s.radius * view.d;
  int along = 0;
  const double flat = 1e-9 * s.half_size.maxCoeff();  // a core that is not wider counts as none
  int across = 0;
  if (local.cwiseAbs().maxCoeff(&across) >= face_cosine) {
    const int i = (across + 1) % 3;
    const int j = (across + 2) % 3;
    if (std::min(core[i], core[j]) > flat) return box_face(core, view, offset, feature);
    along = core[i] > core[j] ? i : j;
  } else if (local.cwiseAbs().minCoeff(&along) > edge_sine) {
    return;
  }
  if (core[along] <= flat) return;
  feature->kind = SupportFeature::Kind::segment;
  feature->edge_base = 64 + along;
  for (const double end : {-1.0, 1.0}) {
    Vector3 sign(local.x() < 0 ? -1 : 1, local.y() < 0 ? -1 : 1, local.z() < 0 ? -1 : 1);
    sign[along] = end;
    feature->add_vertex(offset + view.R * sign.cwiseProduct(core), corner_id(sign));
  }
}

void ShapeTraits<RoundedBox>::whole(const RoundedBox& s, const PieceSpot& at, Piece& piece) {
  if (!(s.radius > 0)) return ShapeTraits<Box>::whole({s.half_size}, at, piece);
  PieceSurface surface = curved(rounded_box_surface, s.half_size);
  surface.radius = s.radius;
  add(piece, surface);
}

void ShapeTraits<RoundedBox>::fixed_part(const RoundedBox& s, const PieceSpot& at, Piece& piece) {
  if (!(s.radius > 0)) return add_corner(at.point, piece);
  const Vector3 core = (s.half_size.array() - s.radius).max(0.0);
  const Vector3 center = at.point - s.radius * at.outward;
  add(piece, ball(s.radius, center.cwiseMax(-core).cwiseMin(core)));
}

}  // namespace stiction::geometry
