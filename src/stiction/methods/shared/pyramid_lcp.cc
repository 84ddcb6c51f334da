#include "stiction/methods/shared/pyramid_lcp.h"

namespace stiction::methods {

void PyramidLcp::clear() {
  normals.clear();
  pairs.clear();
}

// What velocities u, one per row, add to all w, into column `column`.
void PyramidLcp::fill_column(std::span<const double> u, int column) {
  double* w = F.data() + static_cast<size_t>(column) * size();
  for (size_t i = 0; i < normals.size(); ++i) w[i] = u[normals[i].row];
  for (int i = 0; i < static_cast<int>(pairs.size()); ++i) {
    w[plus(i)] = u[pairs[i].row];
    w[minus(i)] = -u[pairs[i].row];
  }
}

void PyramidLcp::fill(std::span<const double> W, std::span<const double> q) {
  const int n = size(), rows = static_cast<int>(q.size());
  F.assign(static_cast<size_t>(n) * n, 0.0);
  f.assign(n, 0.0);
  const auto at = [&](int i, int j) -> double& { return F[static_cast<size_t>(j) * n + i]; };
  const auto column = [&](int row) { return W.subspan(static_cast<size_t>(row) * rows, rows); };
  for (int j = 0; j < static_cast<int>(normals.size()); ++j) {
    const Normal& normal = normals[j];
    u_.assign(column(normal.row).begin(), column(normal.row).end());
    for (int k = 0; k < 2; ++k) {
      if (normal.slide[k] == 0) continue;
      const auto tangential = column(normal.row + 1 + k);
      for (int i = 0; i < rows; ++i) u_[i] += normal.slide[k] * tangential[i];
    }
    fill_column(u_, j);
    at(j, j) += normal.soft;
    f[j] = q[normal.row] + normal.offset;
  }
  for (int j = 0; j < static_cast<int>(pairs.size()); ++j) {
    const Pair& pair = pairs[j];
    fill_column(column(pair.row), plus(j));
    at(plus(j), plus(j)) += pair.soft;
    at(minus(j), plus(j)) -= pair.soft;
    for (int i = 0; i < n; ++i) at(i, minus(j)) = -at(i, plus(j));
    for (const int beta : {plus(j), minus(j)}) {
      at(beta, sigma(j)) = 1;
      at(sigma(j), beta) = -1;
    }
    if (pair.normal >= 0) at(sigma(j), pair.normal) = pair.coefficient;
    f[plus(j)] = q[pair.row];
    f[minus(j)] = -q[pair.row];
    f[sigma(j)] = pair.bound;
  }
}

void PyramidLcp::add_impulses(std::span<const double> z, std::span<double> p) const {
  for (size_t i = 0; i < normals.size(); ++i) {
    p[normals[i].row] += z[i];
    for (int k = 0; k < 2; ++k) {
      if (normals[i].slide[k] != 0) p[normals[i].row + 1 + k] += normals[i].slide[k] * z[i];
    }
  }
  for (int j = 0; j < static_cast<int>(pairs.size()); ++j) p[pairs[j].row] += z[plus(j)] - z[minus(j)];
}

}  // namespace stiction::methods
