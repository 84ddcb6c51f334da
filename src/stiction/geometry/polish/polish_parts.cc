#include "stiction/geometry/polish/polish_parts.h"

#include <algorithm>
#include <cmath>

#include "stiction/geometry/shapes/solids/hull_support.h"

namespace stiction::geometry {
namespace {

constexpr double near_angle = 3e-3;  // how far (rad) the starting direction may be from a kink that is in play

}  // namespace

CoreNeighbourhood::CoreNeighbourhood(const CoreShape& core, const Pose& X, const Vector3& d) : core_(core), X_(X) {
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
      parts_[count_++] = {PolishPart::Kind::smooth, X.p, Vector3::Zero(), true, -1};
      break;
    case CoreShape::Kind::cone:
      cone_parts(local);
      break;
    case CoreShape::Kind::general:
      add({PolishPart::Kind::surface, X.p, Vector3::Zero(), false, -1});
      break;
    case CoreShape::Kind::box:
      box_parts(local);
      break;
    case CoreShape::Kind::hull:
      hull_parts(local);
      break;
  }
}

void CoreNeighbourhood::segment_parts(const Vector3& d, bool curved) {
  const Vector3 half(0, 0, core_.size.z());
  const double side = std::copysign(1.0, d.z());
  if (std::abs(d.z()) < near_angle) add_edge(Vector3::Zero(), half, curved);
  add_vertex(side * half, curved);
  if (std::abs(d.z()) < near_angle) add_vertex(-side * half, curved);
}

void CoreNeighbourhood::cylinder_parts(const Vector3& d) {
  const Vector3 axis = X_.R.col(2);
  M_ = core_.size.x() * (Matrix3::Identity() - axis * axis.transpose());
  const double side = std::copysign(1.0, d.z());
  if (std::hypot(d.x(), d.y()) < near_angle) {
    add_flat(Vector3(0, 0, side * core_.size.z()), Vector3(0, 0, side), -1);
  }
  segment_parts(d, true);
}

void CoreNeighbourhood::cone_parts(const Vector3& d) {
  const Vector3 axis = X_.R.col(2);
  const double radius = core_.size.x();
  const Vector3 apex(0, 0, core_.size.z());
  M_ = radius * (Matrix3::Identity() - axis * axis.transpose());
  const double radial = std::hypot(d.x(), d.y());
  if (radial < near_angle && d.z() < 0) add_flat(-apex, Vector3(0, 0, -1), -1);
  // How far d is turned from the side's normal towards the axis.
  const double turn = std::atan2(d.z(), radial) - std::atan2(radius, 2 * apex.z());
  if (std::abs(turn) < near_angle) add({PolishPart::Kind::ruled, X_ * apex, -2 * (X_.R * apex), true, -1});
  if (turn > -near_angle) add_vertex(apex);
  if (turn < near_angle) add_vertex(-apex, true);
}

void CoreNeighbourhood::box_face_parts(const Vector3& corner, int k, double side) {
  const std::array<int, 2> loose = {k == 0 ? 1 : 0, k == 2 ? 1 : 2};
  // The core of a box that is fully rounded along an axis has no faces there but its own plane.
  const double least = 1e-9 * (core_.size.maxCoeff() + core_.radius);
  if (std::min(core_.size[loose[0]], core_.size[loose[1]]) > least) {
    add_flat(Vector3::Unit(k) * corner[k], Vector3::Unit(k) * side, 2 * k + (side > 0));
  }
  for (const int m : {0, 1}) {
    const int along = loose[m];
    const int across = loose[1 - m];
    for (const double to : {1.0, -1.0}) {
      Vector3 middle = corner;
      middle[across] = to * core_.size[across];
      middle[along] = 0;
      if (core_.size[along] > least) add_edge(middle, Vector3::Unit(along) * core_.size[along]);
    }
  }
  for (const double x : {1.0, -1.0}) {
    for (const double y : {1.0, -1.0}) {
      Vector3 v = corner;
      v[loose[0]] = x * core_.size[loose[0]];
      v[loose[1]] = y * core_.size[loose[1]];
      add_vertex(v);
    }
  }
}

void CoreNeighbourhood::box_parts(const Vector3& d) {
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
    box_face_parts(corner, k, std::copysign(1.0, d[k]));
  } else if (loose_count == 1) {
    add_edge(moved(loose[0], 0), Vector3::Unit(loose[0]) * core_.size[loose[0]]);
    add_vertex(corner);
    add_vertex(moved(loose[0], -std::copysign(1.0, d[loose[0]])));
  } else {
    add_vertex(corner);
  }
}

void CoreNeighbourhood::hull_edge(int i, int j, const Vector3& d) {
  const Vector3 half = 0.5 * (core_.hull->vertices[j] - core_.hull->vertices[i]);
  if (std::abs(half.dot(d)) < near_angle * half.norm()) add_edge(core_.hull->vertices[i] + half, half);
}

void CoreNeighbourhood::hull_parts(const Vector3& d) {
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

Vector3 CoreNeighbourhood::corner(const PolishPart& flat, int k) const {
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

int CoreNeighbourhood::corner_count(const PolishPart& flat) const {
  return core_.kind == CoreShape::Kind::box ? 4 : static_cast<int>(core_.hull->faces[flat.face].size());
}

void CoreNeighbourhood::clip_to_disc(const PolishPart& flat, const Vector3& x, const Vector3& e, double slack,
                                     double* low, double* high) const {
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
}

void CoreNeighbourhood::clip(const PolishPart& flat, const Vector3& x, const Vector3& e, double slack, double* low,
                             double* high) const {
  const bool disc = core_.kind == CoreShape::Kind::cylinder || core_.kind == CoreShape::Kind::cone;
  if (disc) return clip_to_disc(flat, x, e, slack, low, high);
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
  const int n = corner_count(flat);
  Vector3 from = corner(flat, n - 1);
  for (int k = 0; k < n; ++k) {
    const Vector3 to = corner(flat, k);
    const Vector3 outward = (to - from).cross(flat.g).normalized();
    cut(outward.dot(e), outward.dot(from - x));
    from = to;
  }
}

}  // namespace stiction::geometry
