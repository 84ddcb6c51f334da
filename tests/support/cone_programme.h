// Quadratic programmes over cones with known answers.
#pragma once

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "stiction/math/types.h"
#include "stiction/problem/cone_qp.h"

namespace stiction::testing {

/// From matrices.
inline ConeQp cone_programme(const MatrixX& U, const VectorX& v, double constant, const MatrixX& G, const VectorX& g,
                             std::vector<int> cones) {
  ConeQp qp;
  qp.reset(static_cast<int>(v.size()));
  qp.U.assign(U.data(), U.data() + U.size());
  qp.v.assign(v.data(), v.data() + v.size());
  qp.constant = constant;
  for (int r = 0; r < g.size(); ++r) {
    double* row = qp.add_row(g[r]);
    for (int j = 0; j < v.size(); ++j) row[j] = G(r, j);
  }
  qp.cone_sizes = std::move(cones);
  return qp;
}

/// 1/2 |y - p|^2 over G y + g in K.
inline ConeQp projection(const VectorX& p, const MatrixX& G, const VectorX& g, std::vector<int> cones) {
  return cone_programme(MatrixX::Identity(p.size(), p.size()), -p, p.squaredNorm() / 2, G, g, std::move(cones));
}

/// A programme and one of its solutions.
struct KnownProgramme {
  ConeQp qp;
  VectorX y, z;
  double least = 0;
};

/// Random, with U of rank `rank`, made from its own answer: in each cone s and z are complementary, s inside, z inside,
/// both on the boundary, or both zero.
inline KnownProgramme known_programme(int unknowns, int rank, const std::vector<int>& cones, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const auto draw = [&](int rows, int columns) {
    return MatrixX(MatrixX::NullaryExpr(rows, columns, [&] { return normal(random); }));
  };
  KnownProgramme known;
  known.y = draw(unknowns, 1);
  int rows = 0;
  for (const int n : cones) rows += n;
  const MatrixX G = draw(rows, unknowns), root = draw(rank, unknowns), U = root.transpose() * root;
  VectorX s = VectorX::Zero(rows);
  known.z = VectorX::Zero(rows);
  int first = 0;
  for (const int n : cones) {
    const VectorX tail = draw(n - 1, 1);
    const int kind = std::uniform_int_distribution<int>(0, n == 1 ? 2 : 3)(random);
    VectorX& pushed = kind == 0 ? s : known.z;
    if (kind <= 1) {  // one inside
      pushed[first] = tail.norm() + 0.1 + std::abs(normal(random));
      pushed.segment(first + 1, n - 1) = tail;
    } else if (kind == 3) {  // both on the boundary
      const double share = std::abs(normal(random));
      s[first] = tail.norm();
      s.segment(first + 1, n - 1) = tail;
      known.z[first] = share * tail.norm();
      known.z.segment(first + 1, n - 1) = -share * tail;
    }
    first += n;
  }
  const VectorX v = G.transpose() * known.z - U * known.y;
  const double constant = 1 + v.norm();
  known.qp = cone_programme(U, v, constant, G, s - G * known.y, cones);
  known.least = constant + v.dot(known.y) + 0.5 * known.y.dot(U * known.y);
  return known;
}

}  // namespace stiction::testing
