// One friction cone of every kind and corner case, for tests.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "stiction/problem/friction_cone.h"

namespace stiction::testing {

/// A regular polygon.
inline FrictionCone regular_polygon(int corners, double radius) {
  std::vector<Vector2> vertices;
  for (int k = 0; k < corners; ++k) {
    const double angle = 2 * std::numbers::pi * k / corners;
    vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  return *make_polygon_cone(vertices);
}

/// With names.
inline std::vector<std::pair<std::string, FrictionCone>> every_cone() {
  return {{"planar", *make_ellipsoid_cone(std::array{0.4})},
          {"round", *make_ellipsoid_cone(std::array{0.7, 0.7})},
          {"elliptic", *make_ellipsoid_cone(std::array{0.7, 0.2})},
          {"skate ellipse", *make_ellipsoid_cone(std::array{0.001, 0.9})},
          {"soft finger", *make_ellipsoid_cone(std::array{0.5, 0.3, 0.02})},
          {"flat ellipsoid", *make_ellipsoid_cone(std::array{0.5, 0.0, 0.1})},
          {"frictionless", *make_ellipsoid_cone(std::array{0.0, 0.0})},
          {"huge", *make_ellipsoid_cone(std::array{1000.0, 1000.0})},
          {"triangle", *make_polygon_cone(std::vector<Vector2>{{1, -0.2}, {-0.3, 0.8}, {-0.5, -0.4}})},
          {"square with a corner on an edge",
           *make_polygon_cone(std::vector<Vector2>{{1, -1}, {1, 0}, {1, 1}, {-1, 1}, {-1, -1}})},
          {"64 corners", regular_polygon(64, 0.6)},
          {"segment", *make_polygon_cone(std::vector<Vector2>{{0.6, 0.3}, {-0.2, -0.1}})},
          {"diamond", *make_superellipse_cone(0.5, 0.3, 1)},
          {"superellipse 1.3", *make_superellipse_cone(0.5, 0.3, 1.3)},
          {"superellipse 4", *make_superellipse_cone(0.2, 0.8, 4)},
          {"superellipse 30", *make_superellipse_cone(0.5, 0.5, 30)},
          {"skate superellipse", *make_superellipse_cone(0.001, 0.9, 3)}};
}

}  // namespace stiction::testing
