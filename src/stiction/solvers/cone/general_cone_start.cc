#include "stiction/solvers/cone/general_cone_start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "stiction/solvers/lcp/mixed_lemke.h"

namespace stiction::solvers {
namespace {

constexpr int most_unknowns = 400;  // the pivoting is dense: 0.1 s

// Unknowns of the LCP are columns of `directions` over the rows of the problem; a lambda is a column of zeros.
int add_unknown(GeneralConeWorkspace& w, int contact) {
  w.directions.resize(w.directions.size() + w.rows, 0.0);
  w.cone_of.push_back(contact);
  return static_cast<int>(w.cone_of.size()) - 1;
}

double* column(GeneralConeWorkspace& w, int unknown) {
  return w.directions.data() + static_cast<size_t>(unknown) * w.rows;
}

// Adds the corner, unless it is the origin or there already.
void add_corner(GeneralConeWorkspace& w, int contact, const double* corner) {
  const int row = w.contacts[contact].first + 1, d = w.contacts[contact].friction;
  if (std::all_of(corner, corner + d, [](double x) { return x == 0; })) return;
  for (int k = 0; k < static_cast<int>(w.cone_of.size()); ++k) {
    if (w.cone_of[k] == contact && std::equal(corner, corner + d, column(w, k) + row)) return;
  }
  std::copy_n(corner, d, column(w, add_unknown(w, contact)) + row);
}

void add_corners(GeneralConeWorkspace& w, int contact, int corners) {
  const FrictionCone& cone = w.contacts[contact].cone;
  double b[3];
  const auto support = [&](double x, double y, double z) {
    const double toward[3] = {x, y, z};
    cone_support_point(cone, toward, b);
    add_corner(w, contact, b);
  };
  if (cone.kind == FrictionCone::Kind::polygon) {
    for (const Vector2& corner : cone.vertices) add_corner(w, contact, corner.data());
  } else if (cone.dimension == 1) {
    support(1, 0, 0), support(-1, 0, 0);
  } else {
    for (int k = 0; k < corners; ++k) {
      const double angle = 2 * std::numbers::pi * k / corners, c = std::cos(angle), s = std::sin(angle);
      support(c, s, 0);
      if (cone.dimension == 3 && k % 2 == 0) support(c, s, 1), support(c, s, -1);
    }
    if (cone.dimension == 3) support(0, 0, 1), support(0, 0, -1);
  }
}

// Bilateral rows first, then per contact: normal, corners, lambda.
void set_unknowns(GeneralConeWorkspace& w, int corners) {
  w.directions.clear();
  w.cone_of.clear();
  for (int i = 0; i < w.bilateral; ++i) column(w, add_unknown(w, -1))[i] = 1;
  for (int k = 0; k < w.contact_count; ++k) {
    column(w, add_unknown(w, k))[w.contacts[k].first] = 1;
    if (w.contacts[k].friction == 0 || constraint_count(w.contacts[k].cone) == 0) continue;
    add_corners(w, k, corners);
    add_unknown(w, k);
  }
}

bool is_lambda(GeneralConeWorkspace& w, int unknown) {
  const double* entries = column(w, unknown);
  return std::all_of(entries, entries + w.rows, [](double x) { return x == 0; });
}

// M = D^T W D with the rows and columns of lambda, q = D^T q.
void set_lcp(GeneralConeWorkspace& w) {
  const int m = static_cast<int>(w.cone_of.size()), n = w.rows;
  w.lcp_M.assign(static_cast<size_t>(m) * m, 0.0);
  w.lcp_q.assign(m, 0.0);
  w.product.resize(n);
  for (int j = 0; j < m; ++j) {
    std::fill_n(w.product.data(), n, 0.0);
    const double* direction = column(w, j);
    for (int k = 0; k < n; ++k) {
      if (direction[k] == 0) continue;
      for (int i = 0; i < n; ++i) w.product[i] += w.W[static_cast<size_t>(k) * n + i] * direction[k];
      w.lcp_q[j] += direction[k] * w.q[k];
    }
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += column(w, i)[k] * w.product[k];
      w.lcp_M[static_cast<size_t>(j) * m + i] = sum;
    }
  }
  for (int l = 0; l < m; ++l) {
    if (!is_lambda(w, l)) continue;
    for (int i = 0; i < m; ++i) {
      if (i == l || w.cone_of[i] != w.cone_of[l]) continue;
      const bool normal = column(w, i)[w.contacts[w.cone_of[l]].first] == 1;
      w.lcp_M[static_cast<size_t>(i) * m + l] = normal ? 1 : -1;
      w.lcp_M[static_cast<size_t>(l) * m + i] = normal ? 0 : 1;
    }
  }
}

bool solve_lcp(GeneralConeWorkspace& w) {
  const int m = static_cast<int>(w.cone_of.size());
  w.lcp_z.resize(m);
  w.lcp_w.resize(m);
  if (w.bilateral == 0) {
    const SolveReport report =
        solve_lemke({m, w.lcp_M.data(), w.lcp_q.data()}, false, {}, w.lemke, w.lcp_z.data(), w.lcp_w.data());
    return report.termination == Termination::solved;
  }
  MixedLcp mixed;
  mixed.M = Eigen::Map<const MatrixX>(w.lcp_M.data(), m, m);
  mixed.q = Eigen::Map<const VectorX>(w.lcp_q.data(), m);
  mixed.is_complementarity.assign(m, 1);
  std::fill_n(mixed.is_complementarity.begin(), w.bilateral, std::uint8_t{0});
  VectorX z;
  if (solve_mixed_lemke(mixed, z).termination != Termination::solved) return false;
  std::copy_n(z.data(), m, w.lcp_z.data());
  return true;
}

bool solve_polyhedral(GeneralConeWorkspace& w, double* z) {
  if (static_cast<int>(w.cone_of.size()) > most_unknowns) return false;
  set_lcp(w);
  if (!solve_lcp(w)) return false;
  w.polyhedral.assign(w.rows, 0.0);
  for (size_t j = 0; j < w.cone_of.size(); ++j) {
    for (int i = 0; i < w.rows; ++i) w.polyhedral[i] += column(w, static_cast<int>(j))[i] * w.lcp_z[j];
  }
  std::copy_n(w.polyhedral.data(), w.rows, z);
  return std::all_of(z, z + w.rows, [](double x) { return std::isfinite(x); });
}

}  // namespace

bool polyhedral_start(int corners, GeneralConeWorkspace& w, double* z) {
  set_unknowns(w, corners);
  return solve_polyhedral(w, z);
}

bool polyhedral_refine(GeneralConeWorkspace& w, double* z) {
  const size_t before = w.cone_of.size();
  for (int k = 0; k < w.contact_count; ++k) {
    const auto& contact = w.contacts[k];
    if (contact.friction == 0 || contact.cone.kind == FrictionCone::Kind::polygon || w.polyhedral[contact.first] <= 0) {
      continue;
    }
    double against[3], b[3];
    for (int i = 0; i < contact.friction; ++i) {
      const int row = contact.first + 1 + i;
      against[i] = -w.q[row];
      for (int j = 0; j < w.rows; ++j) against[i] -= w.W[static_cast<size_t>(j) * w.rows + row] * w.polyhedral[j];
    }
    cone_support_point(contact.cone, against, b);
    add_corner(w, k, b);
  }
  return w.cone_of.size() > before && solve_polyhedral(w, z);
}

}  // namespace stiction::solvers
