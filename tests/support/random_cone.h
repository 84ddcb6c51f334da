// Random contact problems with general friction cones: free bodies, 1 to 6 contacts, W = J M^-1 J^T, q = J v + gap, so
// that an answer exists (the motion -v takes every contact to u_n = gap, u_f = 0).
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include "stiction/base/assert.h"
#include "stiction/math/types.h"
#include "stiction/problem/cone_problem.h"

namespace stiction::testing {

/// What the contacts of a problem are.
enum class ConeFamily {
  round,
  planar,
  elliptic,
  soft_finger,
  polygon,
  segment,
  diamond,
  superellipse,
  sharp,
  skate,
  huge,
  none,
  mixed
};
inline constexpr int cone_families = 13;

inline const char* cone_family_name(ConeFamily family) {
  static const char* names[] = {"round",
                                "planar",
                                "elliptic",
                                "soft finger",
                                "polygon",
                                "segment",
                                "diamond",
                                "superellipse p > 2",
                                "superellipse p < 2",
                                "skate",
                                "huge",
                                "none",
                                "mixed"};
  return names[static_cast<int>(family)];
}

/// A problem with the cones it points to.
struct RandomConeProblem {
  ConeProblem problem;
  std::vector<std::unique_ptr<FrictionCone>> cones;
  MatrixX J;
};

/// Makes problems from a seed.
class RandomConeMaker {
 public:
  explicit RandomConeMaker(std::uint64_t seed) : random_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  /// Corners of a convex polygon around the origin: points of an ellipse at growing angles, origin inside.
  FrictionCone polygon() {
    for (;;) {
      const int n = integer(3, 9);
      const double a = uniform(0.1, 1), b = uniform(0.1, 1);
      const Vector2 center(0.4 * a * uniform(-1, 1), 0.4 * b * uniform(-1, 1));
      std::vector<double> angles(n);
      for (double& angle : angles) angle = uniform(0, 2 * std::numbers::pi);
      std::sort(angles.begin(), angles.end());
      std::vector<Vector2> corners;
      for (const double angle : angles) corners.push_back(center + Vector2(a * std::cos(angle), b * std::sin(angle)));
      if (auto cone = make_polygon_cone(corners)) return *cone;
    }
  }

  FrictionCone cone(ConeFamily family) {
    const double mu = uniform(0.05, 1.2);
    const auto ellipsoid = [](std::vector<double> axes) { return *make_ellipsoid_cone(axes); };
    switch (family) {
      case ConeFamily::round:
        return ellipsoid({mu, mu});
      case ConeFamily::planar:
        return ellipsoid({mu});
      case ConeFamily::elliptic:
        return ellipsoid({mu, mu * uniform(0.1, 1)});
      case ConeFamily::soft_finger:
        return ellipsoid({mu, mu * uniform(0.3, 1), mu * uniform(0.01, 0.5)});
      case ConeFamily::polygon:
        return polygon();
      case ConeFamily::segment: {
        const double angle = uniform(0, 2 * std::numbers::pi);
        const Vector2 along(std::cos(angle), std::sin(angle));
        return *make_polygon_cone(std::vector<Vector2>{mu * along, -uniform(0.1, 1) * along});
      }
      case ConeFamily::diamond:
        return *make_superellipse_cone(mu, uniform(0.1, 1), 1);
      case ConeFamily::superellipse:
        return *make_superellipse_cone(mu, uniform(0.1, 1), uniform(2, 12));
      case ConeFamily::sharp:
        return *make_superellipse_cone(mu, uniform(0.1, 1), uniform(1.1, 2));
      case ConeFamily::skate:
        return integer(0, 1) == 0 ? ellipsoid({0.001 * mu, mu})
                                  : *make_superellipse_cone(0.001 * mu, mu, uniform(1.2, 6));
      case ConeFamily::huge:
        return ellipsoid({std::pow(10, uniform(0.5, 3)), std::pow(10, uniform(0.5, 3))});
      case ConeFamily::none:
        return ellipsoid({0, integer(0, 1) == 0 ? 0 : mu});
      case ConeFamily::mixed:
        break;
    }
    return cone(static_cast<ConeFamily>(integer(0, cone_families - 2)));
  }

  RandomConeProblem make(ConeFamily family) {
    RandomConeProblem made;
    const int bodies = integer(1, 3), contacts = integer(1, 6);
    made.problem.bilateral_rows = integer(0, 4) == 0 ? integer(1, 3) : 0;
    std::vector<VectorX> rows;
    for (int i = 0; i < made.problem.bilateral_rows; ++i)
      rows.push_back(VectorX::NullaryExpr(6 * bodies, [&] { return uniform(-1, 1); }));
    for (int k = 0; k < contacts; ++k) add_contact(family, bodies, made, rows);
    finish(bodies, rows, made);
    return made;
  }

 private:
  Vector3 direction() {
    Vector3 d;
    do d = Vector3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    while (d.norm() > 1 || d.norm() < 0.1);
    return d.normalized();
  }

  // Rows of the velocity of body a against b (or the world) at a point of a, along n, t, o; then spin about n.
  void add_contact(ConeFamily family, int bodies, RandomConeProblem& made, std::vector<VectorX>& rows) {
    ConeContact contact;
    contact.first_row = static_cast<int>(rows.size());
    if (integer(0, 11) != 0) {
      made.cones.push_back(std::make_unique<FrictionCone>(cone(family)));
      contact.cone = made.cones.back().get();
    }
    made.problem.contacts.push_back(contact);
    const int a = integer(0, bodies - 1), b = integer(-1, bodies - 1);
    const Vector3 n = direction(), t = n.unitOrthogonal(), o = n.cross(t), arm_a = direction(), arm_b = direction();
    const Vector3 axes[4] = {n, t, o, n};
    for (int i = 0; i <= friction_rows(contact); ++i) {
      VectorX row = VectorX::Zero(6L * bodies);
      const Vector3 turn_a = i < 3 ? arm_a.cross(axes[i]) : axes[i], turn_b = i < 3 ? arm_b.cross(axes[i]) : axes[i];
      if (i < 3) row.segment<3>(6L * a) = axes[i];
      row.segment<3>(6L * a + 3) = turn_a;
      if (b >= 0 && b != a) {
        if (i < 3) row.segment<3>(6L * b) = -axes[i];
        row.segment<3>(6L * b + 3) = -turn_b;
      }
      rows.push_back(row);
    }
  }

  void finish(int bodies, const std::vector<VectorX>& rows, RandomConeProblem& made) {
    const auto m = static_cast<Eigen::Index>(rows.size());
    made.J.resize(m, 6L * bodies);
    for (Eigen::Index i = 0; i < m; ++i) made.J.row(i) = rows[i].transpose();
    VectorX inverse_mass(6L * bodies), v(6L * bodies);
    for (int body = 0; body < bodies; ++body) {
      const double mass = std::pow(10, uniform(-1, 1));
      inverse_mass.segment<3>(6L * body).setConstant(1 / mass);
      inverse_mass.segment<3>(6L * body + 3).setConstant(1 / (mass * uniform(0.05, 0.5)));
    }
    for (double& x : v) x = uniform(-1, 1);
    const MatrixX W = made.J * inverse_mass.asDiagonal() * made.J.transpose();
    VectorX q = made.J * v;
    for (const ConeContact& contact : made.problem.contacts) {
      if (integer(0, 2) == 0) q[contact.first_row] += uniform(0, 0.5);
    }
    made.problem.W.assign(W.data(), W.data() + W.size());
    made.problem.q.assign(q.data(), q.data() + q.size());
  }

  std::mt19937_64 random_;
};

}  // namespace stiction::testing
