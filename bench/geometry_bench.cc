// Time of one distance or one manifold for the pairs that scenes are made of.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>

#include "stiction/geometry/manifold.h"
#include "stiction/geometry/shapes/solids/convex_hull.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

Pose at(double x, double y, double z) {
  return {Matrix3::Identity(), {x, y, z}};
}
Pose turned(const Vector3& w, const Vector3& p) {
  return {exp_rotation(w).toRotationMatrix(), p};
}
Shape prism(int sides) {
  std::vector<Vector3> points;
  for (int k = 0; k < 2 * sides; ++k) {
    const double angle = 2 * M_PI * (k / 2) / sides;
    points.emplace_back(0.5 * std::cos(angle), 0.5 * std::sin(angle), k % 2 ? 0.5 : -0.5);
  }
  return Convex{std::make_shared<ConvexHull>(convex_hull(points).value())};
}

const Shape plane = Plane{};
const Shape sphere = Sphere{0.5};
const Shape box = Box{Vector3(0.5, 0.5, 0.5)};
const Shape capsule = Capsule{0.2, 0.5};
const Shape cylinder = Cylinder{0.5, 0.5};
const Shape ellipsoid = Ellipsoid{Vector3(0.5, 0.4, 0.3)};
const Shape hull = prism(12);

void time_distance(benchmark::State& state, const Shape& A, const Shape& B, const Pose& X_WB) {
  const Pose X_WA = turned({0, 0, 0.1}, {0.1, 0.2, 0});
  for (auto _ : state) benchmark::DoNotOptimize(distance(A, X_WA, B, X_WB));
}
void time_manifold(benchmark::State& state, const Shape& A, const Shape& B, const Pose& X_WB) {
  const Pose X_WA = turned({0, 0, 0.1}, {0.1, 0.2, 0});
  for (auto _ : state) benchmark::DoNotOptimize(manifold(A, X_WA, B, X_WB, 0.01));
}

const Vector3 tilt(0.3, 0.5, -0.2);

BENCHMARK_CAPTURE(time_distance, sphere_sphere, sphere, sphere, at(0, 0, 1.2));
BENCHMARK_CAPTURE(time_distance, box_box_apart, box, box, turned(tilt, {1.2, 1.1, 1.3}));
BENCHMARK_CAPTURE(time_distance, box_cylinder_apart, box, cylinder, turned(tilt, {1.2, 1.1, 1.3}));
BENCHMARK_CAPTURE(time_distance, ellipsoids_apart, ellipsoid, ellipsoid, turned(tilt, {1.2, 1.1, 1.3}));
BENCHMARK_CAPTURE(time_distance, ellipsoids_overlapping, ellipsoid, ellipsoid, turned(tilt, {0.4, 0.2, 0.4}));
BENCHMARK_CAPTURE(time_distance, hulls_apart, hull, hull, turned(tilt, {1.2, 1.1, 1.3}));
BENCHMARK_CAPTURE(time_manifold, sphere_sphere, sphere, sphere, at(0.1, 0.2, 0.9999));
BENCHMARK_CAPTURE(time_manifold, sphere_plane, plane, sphere, at(0, 0, 0.4999));
BENCHMARK_CAPTURE(time_manifold, box_plane, plane, box, at(0, 0, 0.4999));
BENCHMARK_CAPTURE(time_manifold, box_box_resting, box, box, at(0.3, 0.2, 0.9999));
BENCHMARK_CAPTURE(time_manifold, box_box_edges, box, box, turned({0.78, 0, 0.5}, {0.1, 0.2, 1.205}));
BENCHMARK_CAPTURE(time_manifold, box_box_far, box, box, turned(tilt, {1.2, 1.1, 1.3}));
BENCHMARK_CAPTURE(time_manifold, capsule_box_resting, box, capsule, turned({M_PI / 2, 0, 0}, {0.1, 0.2, 0.6999}));
BENCHMARK_CAPTURE(time_manifold, cylinder_box_standing, box, cylinder, at(0.1, 0.3, 0.9999));
BENCHMARK_CAPTURE(time_manifold, cylinder_box_lying, box, cylinder, turned({M_PI / 2, 0, 0}, {0.1, 0.3, 0.9999}));
BENCHMARK_CAPTURE(time_manifold, cylinder_box_tilted, box, cylinder, turned({0.3, 0, 0}, {0.1, 0.3, 1.1253}));
BENCHMARK_CAPTURE(time_manifold, cylinders_crossed, cylinder, cylinder, turned({M_PI / 2, 0.2, 0}, {0.1, 0.3, 0.9999}));
BENCHMARK_CAPTURE(time_manifold, ellipsoid_box, box, ellipsoid, at(0.1, 0.3, 0.7999));
BENCHMARK_CAPTURE(time_manifold, hull_box_resting, box, hull, at(0.1, 0.3, 0.9999));
BENCHMARK_CAPTURE(time_manifold, hull_hull_resting, hull, hull, at(0.1, 0.3, 0.9999));

}  // namespace
}  // namespace stiction::geometry
