// Quickhull (Barber, Dobkin, Huhdanpaa 1996): each face keeps the points outside it; the farthest one replaces the
// faces it sees. Afterwards coplanar triangles are merged into polygons and vertices that lie inside a face or an edge
// are left out.
#include "stiction/geometry/shapes/solids/convex_hull.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stiction::geometry {
namespace {

struct Triangle {
  std::array<int, 3> vertex{};
  std::array<int, 3> across{};  ///< triangle beyond the edge vertex[k] -> vertex[k+1]
  Vector3 normal = Vector3::Zero();
  double offset = 0;
  std::vector<int> outside;
  bool alive = true;
};

using DirectedEdge = std::pair<int, int>;

class Builder {
 public:
  Builder(std::span<const Vector3> points, double extent)
      : points_(points), outside_(1e-13 * extent), merge_(1e-12 * extent) {}

  void start(const std::array<int, 4>& corner);
  void expand_all();
  Result<ConvexHull> finish();

 private:
  int add_triangle(int i, int j, int k);
  double height(const Triangle& t, int point) const { return t.normal.dot(points_[point]) - t.offset; }
  void link(const std::vector<int>& triangles);
  void assign(const std::vector<int>& points, const std::vector<int>& triangles);
  void expand(int triangle);
  std::vector<int> visible_from(int start, int point) const;
  std::vector<int> merge_groups() const;

  std::span<const Vector3> points_;
  double outside_;
  double merge_;
  std::vector<Triangle> triangles_;
  std::map<DirectedEdge, int> owner_;  ///< the living triangle with this directed edge
};

int Builder::add_triangle(int i, int j, int k) {
  Triangle t;
  t.vertex = {i, j, k};
  t.normal = (points_[j] - points_[i]).cross(points_[k] - points_[i]).normalized();
  t.offset = t.normal.dot(points_[i] + points_[j] + points_[k]) / 3;
  triangles_.push_back(std::move(t));
  const int index = static_cast<int>(triangles_.size()) - 1;
  for (int e = 0; e < 3; ++e) owner_[{triangles_[index].vertex[e], triangles_[index].vertex[(e + 1) % 3]}] = index;
  return index;
}

void Builder::link(const std::vector<int>& triangles) {
  for (const int index : triangles) {
    Triangle& t = triangles_[index];
    for (int e = 0; e < 3; ++e) {
      const DirectedEdge twin{t.vertex[(e + 1) % 3], t.vertex[e]};
      t.across[e] = owner_.at(twin);
      Triangle& other = triangles_[t.across[e]];
      for (int k = 0; k < 3; ++k) {
        if (other.vertex[k] == twin.first) other.across[k] = index;
      }
    }
  }
}

void Builder::assign(const std::vector<int>& points, const std::vector<int>& triangles) {
  for (const int point : points) {
    int best = -1;
    double farthest = outside_;
    for (const int index : triangles) {
      const double h = height(triangles_[index], point);
      if (h > farthest) farthest = h, best = index;
    }
    if (best >= 0) triangles_[best].outside.push_back(point);
  }
}

void Builder::start(const std::array<int, 4>& corner) {
  const auto [a, b, c, d] = corner;
  const Vector3 n = (points_[b] - points_[a]).cross(points_[c] - points_[a]);
  const bool below = n.dot(points_[d] - points_[a]) < 0;
  const int i = below ? b : c;
  const int j = below ? c : b;
  const std::vector<int> first = {add_triangle(a, i, j), add_triangle(a, d, i), add_triangle(i, d, j),
                                  add_triangle(j, d, a)};
  link(first);
  std::vector<int> rest;
  for (int k = 0; k < static_cast<int>(points_.size()); ++k) {
    if (std::find(corner.begin(), corner.end(), k) == corner.end()) rest.push_back(k);
  }
  assign(rest, first);
}

std::vector<int> Builder::visible_from(int start, int point) const {
  std::vector<int> visible = {start};
  for (size_t k = 0; k < visible.size(); ++k) {
    for (const int next : triangles_[visible[k]].across) {
      const bool seen = height(triangles_[next], point) > outside_;
      if (seen && std::find(visible.begin(), visible.end(), next) == visible.end()) visible.push_back(next);
    }
  }
  return visible;
}

void Builder::expand(int triangle) {
  const std::vector<int> candidates = triangles_[triangle].outside;
  const int apex = *std::max_element(candidates.begin(), candidates.end(), [&](int i, int j) {
    return height(triangles_[triangle], i) < height(triangles_[triangle], j);
  });
  const std::vector<int> visible = visible_from(triangle, apex);
  std::vector<DirectedEdge> horizon;
  std::vector<int> orphans;
  for (const int index : visible) {
    triangles_[index].alive = false;
    orphans.insert(orphans.end(), triangles_[index].outside.begin(), triangles_[index].outside.end());
    triangles_[index].outside.clear();
  }
  for (const int index : visible) {
    const Triangle& t = triangles_[index];
    for (int e = 0; e < 3; ++e) {
      if (triangles_[t.across[e]].alive) horizon.emplace_back(t.vertex[e], t.vertex[(e + 1) % 3]);
      owner_.erase({t.vertex[e], t.vertex[(e + 1) % 3]});
    }
  }
  std::vector<int> added;
  for (const auto& [from, to] : horizon) added.push_back(add_triangle(from, to, apex));
  link(added);
  std::erase(orphans, apex);
  assign(orphans, added);
}

void Builder::expand_all() {
  for (size_t k = 0; k < triangles_.size(); ++k) {
    if (triangles_[k].alive && !triangles_[k].outside.empty()) expand(static_cast<int>(k));
  }
}

/// Number of the flat region each living triangle belongs to: grown from large triangles while all corners stay in the
/// plane.
std::vector<int> Builder::merge_groups() const {
  std::vector<int> group(triangles_.size(), -1);
  std::vector<std::pair<double, int>> by_area;
  for (size_t k = 0; k < triangles_.size(); ++k) {
    const Triangle& t = triangles_[k];
    if (!t.alive) continue;
    const Vector3 n = (points_[t.vertex[1]] - points_[t.vertex[0]]).cross(points_[t.vertex[2]] - points_[t.vertex[0]]);
    by_area.emplace_back(-n.norm(), static_cast<int>(k));
  }
  std::sort(by_area.begin(), by_area.end());
  for (const auto& [area, seed] : by_area) {
    if (group[seed] >= 0) continue;
    std::vector<int> region = {seed};
    group[seed] = seed;
    for (size_t k = 0; k < region.size(); ++k) {
      for (const int next : triangles_[region[k]].across) {
        if (group[next] >= 0) continue;
        const bool flat = std::all_of(triangles_[next].vertex.begin(), triangles_[next].vertex.end(),
                                      [&](int v) { return std::abs(height(triangles_[seed], v)) <= merge_; });
        if (flat) group[next] = seed, region.push_back(next);
      }
    }
  }
  return group;
}

Result<ConvexHull> Builder::finish() {
  const std::vector<int> group = merge_groups();
  std::map<int, std::map<int, int>> border;  // seed -> (from vertex -> to vertex)
  for (size_t k = 0; k < triangles_.size(); ++k) {
    if (!triangles_[k].alive) continue;
    for (int e = 0; e < 3; ++e) {
      if (group[triangles_[k].across[e]] == group[k]) continue;
      border[group[k]][triangles_[k].vertex[e]] = triangles_[k].vertex[(e + 1) % 3];
    }
  }
  // A vertex of the hull is where three faces or more meet; others lie within an edge.
  std::map<int, int> meeting;
  for (const auto& [seed, loop] : border) {
    for (const auto& [from, to] : loop) ++meeting[from];
  }
  ConvexHull hull;
  std::map<int, int> number;
  for (const auto& [vertex, faces] : meeting) {
    if (faces < 3) continue;
    number[vertex] = static_cast<int>(hull.vertices.size());
    hull.vertices.push_back(points_[vertex]);
  }
  hull.neighbours.resize(hull.vertices.size());
  for (const auto& [seed, loop] : border) {
    std::vector<int> face;
    int at = loop.begin()->first;
    for (size_t k = 0; k < loop.size(); ++k) {
      if (number.count(at)) face.push_back(number[at]);
      const auto next = loop.find(at);
      if (next == loop.end()) break;
      at = next->second;
    }
    if (at != loop.begin()->first || face.size() < 3) {
      return failure({.what = "the convex hull is too flat for its faces to be told apart",
                      .remedy = "Remove points that are nearly coplanar, or give the shape more thickness.",
                      .name = {},
                      .file = {}});
    }
    if (face.size() > max_face_corners) {
      return failure({.what = "a face of the convex hull has more than 64 corners",
                      .remedy = "Use a cylinder or another round shape, or give fewer points on that face.",
                      .name = {},
                      .file = {}});
    }
    for (size_t k = 0; k < face.size(); ++k) hull.neighbours[face[k]].push_back(face[(k + 1) % face.size()]);
    hull.faces.push_back(std::move(face));
    hull.face_normals.push_back(triangles_[seed].normal);
  }
  return hull;
}

/// The index that makes `measure` largest.
template <class Measure>
int farthest(std::span<const Vector3> points, const Measure& measure) {
  int best = 0;
  for (int k = 1; k < static_cast<int>(points.size()); ++k) {
    if (measure(points[k]) > measure(points[best])) best = k;
  }
  return best;
}

tl::unexpected<Error> degenerate(const char* what) {
  return failure(
      {.what = what, .remedy = "Give at least four points that do not lie in one plane.", .name = {}, .file = {}});
}

/// Newell's normal of a polygon: better than that of any one triangle of it.
Vector3 polygon_normal(const ConvexHull& hull, const std::vector<int>& face) {
  const Vector3& origin = hull.vertices[face[0]];
  Vector3 sum = Vector3::Zero();
  for (size_t k = 2; k < face.size(); ++k) {
    sum += (hull.vertices[face[k - 1]] - origin).cross(hull.vertices[face[k]] - origin);
  }
  return sum.normalized();
}

}  // namespace

Result<ConvexHull> convex_hull(std::span<const Vector3> points) {
  if (points.size() < 4) return degenerate("a convex hull needs at least four points");
  for (const Vector3& point : points) {
    if (!point.allFinite()) return degenerate("a point of the convex hull is not a finite number");
  }
  Vector3 lower = points[0];
  Vector3 upper = points[0];
  for (const Vector3& point : points) lower = lower.cwiseMin(point), upper = upper.cwiseMax(point);
  const double extent = (upper - lower).norm();
  const double flat = 1e-9 * extent;
  if (!(extent > 0)) return degenerate("all points of the convex hull are the same");
  // Work about the middle: a hull far from its frame's origin keeps its accuracy.
  const Vector3 middle = 0.5 * (lower + upper);
  std::vector<Vector3> centered;
  centered.reserve(points.size());
  for (const Vector3& point : points) centered.push_back(point - middle);
  const std::span<const Vector3> x(centered);

  const int a = farthest(x, [&](const Vector3& p) { return p.squaredNorm(); });
  const int b = farthest(x, [&](const Vector3& p) { return (p - x[a]).squaredNorm(); });
  const Vector3 e = (x[b] - x[a]).normalized();
  const int c = farthest(x, [&](const Vector3& p) { return (p - x[a]).cross(e).squaredNorm(); });
  if ((x[c] - x[a]).cross(e).norm() <= flat) return degenerate("all points of the convex hull lie on one line");
  const Vector3 n = (x[b] - x[a]).cross(x[c] - x[a]).normalized();
  const int d = farthest(x, [&](const Vector3& p) { return std::abs(n.dot(p - x[a])); });
  if (std::abs(n.dot(x[d] - x[a])) <= flat) return degenerate("all points of the convex hull lie in one plane");

  Builder builder(x, extent);
  builder.start({a, b, c, d});
  builder.expand_all();
  Result<ConvexHull> hull = builder.finish();
  if (!hull) return hull;
  for (size_t f = 0; f < hull->faces.size(); ++f) hull->face_normals[f] = polygon_normal(*hull, hull->faces[f]);
  for (Vector3& vertex : hull->vertices) vertex += middle;
  hull->size = extent;
  return hull;
}

}  // namespace stiction::geometry
