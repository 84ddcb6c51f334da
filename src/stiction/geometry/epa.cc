// Van den Bergen (2001). Differences from the usual form: the first tetrahedron comes from support points alone, as
// large as the difference itself, so flat simplices of GJK do not matter; face distances are signed, so the origin may
// be a little outside.
#include "stiction/geometry/epa.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int max_vertices = 400;
constexpr int max_horizon = 96;
constexpr int max_faces = 2 * max_vertices + max_horizon;

/// Triangle, counter-clockwise from outside; across[k] is the face beyond the edge vertex[k] -> vertex[k+1].
struct Face {
  std::array<int, 3> vertex;
  std::array<int, 3> across;
  Vector3 normal;
  double distance;  ///< of its plane from the origin, signed; infinity for a sliver, which no face search may pick
  bool alive;
  bool sliver;
};

struct Edge {
  int face;
  int side;
};

/// The expanding polytope in fixed memory, left uninitialised beyond what is in use.
class Polytope {
 public:
  explicit Polytope(double size) : sliver_(1e-13 * size), outside_(1e-15 * size) {}

  bool start(const CoreDifference& difference);
  int nearest_face() const;
  bool expand(int face, const DifferencePoint& point);
  bool full() const { return vertex_count_ == max_vertices; }
  const Face& face(int index) const { return faces_[index]; }
  const DifferencePoint& vertex(int index) const { return vertices_[index]; }

 private:
  void set_face(int index, int i, int j, int k);
  int allocate_face();
  bool collect_horizon(int face, const Vector3& point);
  bool sees(const Face& face, const Vector3& point) const {
    return face.sliver || face.normal.dot(point) - face.distance > outside_;
  }

  std::array<DifferencePoint, max_vertices> vertices_;
  std::array<Face, max_faces> faces_;
  std::array<Edge, max_horizon> horizon_;
  std::array<int, max_faces> free_;
  int vertex_count_ = 0;
  int face_count_ = 0;
  int free_count_ = 0;
  int horizon_count_ = 0;
  double sliver_ = 0;
  double outside_ = 0;
};

void Polytope::set_face(int index, int i, int j, int k) {
  Face& face = faces_[index];
  face.vertex = {i, j, k};
  face.alive = true;
  const Vector3& a = vertices_[i].w;
  const Vector3 ab = vertices_[j].w - a;
  const Vector3 ac = vertices_[k].w - a;
  const Vector3 bc = vertices_[k].w - vertices_[j].w;
  // The cross product of the two shortest edges loses least.
  const double ab2 = ab.squaredNorm();
  const double ac2 = ac.squaredNorm();
  const double bc2 = bc.squaredNorm();
  Vector3 n = ab2 >= ac2 && ab2 >= bc2 ? ac.cross(bc) : ac2 >= bc2 ? Vector3(ab.cross(bc)) : Vector3(ab.cross(ac));
  const double area = n.norm();
  face.sliver = area <= sliver_ * std::sqrt(std::max({ab2, ac2, bc2}));
  face.normal = face.sliver ? Vector3::Zero() : Vector3(n / area);
  face.distance = face.sliver
                      ? infinity
                      : (face.normal.dot(a) + face.normal.dot(vertices_[j].w) + face.normal.dot(vertices_[k].w)) / 3;
}

int Polytope::allocate_face() {
  return free_count_ > 0 ? free_[--free_count_] : face_count_++;
}

bool Polytope::start(const CoreDifference& difference) {
  const auto farthest = [&](const Vector3& d, const auto& measure) {
    const DifferencePoint plus = difference.support(d);
    const DifferencePoint minus = difference.support(-d);
    return measure(plus.w) >= measure(minus.w) ? plus : minus;
  };
  const Vector3 x = Vector3(0.8, 0.5, 0.33).normalized();  // not along an axis of anything likely
  vertices_[0] = difference.support(x);
  vertices_[1] = difference.support(-x);
  const Vector3 p = vertices_[0].w;
  const Vector3 e = (vertices_[1].w - p).normalized();
  const Vector3 side = any_orthogonal(e);
  vertices_[2] = farthest(side, [&](const Vector3& w) { return (w - p).cross(e).squaredNorm(); });
  const Vector3 n = (vertices_[1].w - p).cross(vertices_[2].w - p);
  if (n.norm() <= sliver_ * (vertices_[1].w - p).norm()) return false;
  vertices_[3] = farthest(n, [&](const Vector3& w) { return std::abs(n.dot(w - p)); });
  const double volume = n.dot(vertices_[3].w - p);
  if (std::abs(volume) <= sliver_ * n.norm()) return false;
  if (volume > 0) std::swap(vertices_[1], vertices_[2]);
  vertex_count_ = 4;
  face_count_ = 4;
  // Outward faces of the tetrahedron whose apex 3 is below the plane 0 1 2.
  constexpr int triangles[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  for (int f = 0; f < 4; ++f) set_face(f, triangles[f][0], triangles[f][1], triangles[f][2]);
  faces_[0].across = {1, 2, 3};
  faces_[1].across = {3, 2, 0};
  faces_[2].across = {1, 3, 0};
  faces_[3].across = {2, 1, 0};
  return true;
}

int Polytope::nearest_face() const {
  int best = -1;
  for (int f = 0; f < face_count_; ++f) {
    if (faces_[f].alive && !faces_[f].sliver && (best < 0 || faces_[f].distance < faces_[best].distance)) best = f;
  }
  return best;
}

/// Removes the faces the point sees, by flooding from `face`; their border is left in horizon_ in order.
bool Polytope::collect_horizon(int face, const Vector3& point) {
  struct Visit {
    int face;
    int first;  ///< side after the one it was entered by
    int done;
  };
  std::array<Visit, max_faces> stack;
  int depth = 0;
  horizon_count_ = 0;
  faces_[face].alive = false;
  free_[free_count_++] = face;
  stack[depth++] = {face, 0, 0};
  while (depth > 0) {
    Visit& visit = stack[depth - 1];
    if (visit.done == (depth == 1 ? 3 : 2)) {
      --depth;
      continue;
    }
    const int side = (visit.first + visit.done++) % 3;
    const int next = faces_[visit.face].across[side];
    Face& beyond = faces_[next];
    if (!beyond.alive) continue;
    int at = -1;  // the same edge seen from beyond
    for (int k = 0; k < 3; ++k) {
      if (beyond.across[k] == visit.face && beyond.vertex[k] == faces_[visit.face].vertex[(side + 1) % 3]) at = k;
    }
    if (at < 0) return false;
    if (sees(beyond, point)) {
      beyond.alive = false;
      free_[free_count_++] = next;
      stack[depth++] = {next, (at + 1) % 3, 0};
    } else {
      if (horizon_count_ == max_horizon) return false;
      horizon_[horizon_count_++] = {next, at};
    }
  }
  return horizon_count_ >= 3;
}

bool Polytope::expand(int face, const DifferencePoint& point) {
  const int apex = vertex_count_++;
  vertices_[apex] = point;
  if (!collect_horizon(face, point.w)) return false;
  int first = -1;
  int previous = -1;
  for (int k = 0; k < horizon_count_; ++k) {
    const Edge edge = horizon_[k];
    Face& beyond = faces_[edge.face];
    const int from = beyond.vertex[(edge.side + 1) % 3];
    const int to = beyond.vertex[edge.side];
    if (previous >= 0 && faces_[previous].vertex[1] != from) return false;  // not one closed loop
    const int added = allocate_face();
    if (added >= max_faces) return false;
    set_face(added, from, to, apex);
    faces_[added].across[0] = edge.face;
    beyond.across[edge.side] = added;
    if (previous >= 0) {
      faces_[previous].across[1] = added;
      faces_[added].across[2] = previous;
    } else {
      first = added;
    }
    previous = added;
  }
  if (faces_[previous].vertex[1] != faces_[first].vertex[0]) return false;
  faces_[previous].across[1] = first;
  faces_[first].across[2] = previous;
  return true;
}

/// The point of the triangle nearest to the origin's foot on its plane, as weights.
Vector3 foot_weights(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& n) {
  Vector3 weights(n.dot(b.cross(c)), n.dot(c.cross(a)), n.dot(a.cross(b)));
  if (weights.minCoeff() < 0) weights = weights.cwiseMax(0.0);
  const double sum = weights.sum();
  return sum > 0 ? Vector3(weights / sum) : Vector3::Constant(1.0 / 3.0);
}

}  // namespace

CoreAnswer epa(const CoreDifference& difference, double tolerance, int max_iterations) {
  CoreAnswer answer;
  answer.overlapping = true;
  answer.lower = -infinity;
  answer.upper = infinity;
  Polytope polytope(difference.size);
  if (!polytope.start(difference)) return answer;
  for (answer.iterations = 1; answer.iterations <= max_iterations; ++answer.iterations) {
    const int nearest = polytope.nearest_face();
    if (nearest < 0) break;
    const Face face = polytope.face(nearest);
    const DifferencePoint w = difference.support(face.normal);
    const double height = face.normal.dot(w.w);
    if (-height > answer.lower) {
      answer.lower = -height;
      answer.normal = face.normal;
      const DifferencePoint& i = polytope.vertex(face.vertex[0]);
      const DifferencePoint& j = polytope.vertex(face.vertex[1]);
      const DifferencePoint& k = polytope.vertex(face.vertex[2]);
      const Vector3 u = foot_weights(i.w, j.w, k.w, face.normal);
      answer.a = u[0] * i.a + u[1] * j.a + u[2] * k.a;
      answer.b = u[0] * i.b + u[1] * j.b + u[2] * k.b;
    }
    // The polytope is inside the difference: the ball about the origin that it holds is, too. With the origin outside,
    // the witness points bound the gap.
    answer.upper = face.distance >= 0 ? -face.distance : (answer.b - answer.a).norm();
    if (answer.upper - answer.lower <= tolerance || height - face.distance <= 0.1 * tolerance || polytope.full()) break;
    if (!polytope.expand(nearest, w)) {
      answer.upper = infinity;
      break;
    }
  }
  return answer;
}

}  // namespace stiction::geometry
