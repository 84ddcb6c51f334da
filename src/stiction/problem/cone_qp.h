// A convex quadratic programme over second-order cones as plain data, dense.
//
//     minimise  f(y) = 1/2 y^T U y + v^T y + constant        U symmetric, positive semidefinite
//     over y in R^m with  s_i = G_i y + g_i in K_i           K_i = { (a, x) : |x| <= a }, of one or more rows
//
// A cone of one row is s >= 0. Its dual, which weak duality makes a bound from below for every z in K and every y:
//
//     maximise  constant - 1/2 y^T U y - g^T z  with  U y + v = G^T z,  z_i in K_i
#pragma once

#include <cstddef>
#include <vector>

namespace stiction {

/// See the top of the file. Caller-owned memory that keeps its capacity.
struct ConeQp {
  int unknowns = 0;             ///< m
  std::vector<double> U;        ///< m x m, column-major, both triangles
  std::vector<double> v;        ///< m
  double constant = 0;          ///< f(0)
  std::vector<int> cone_sizes;  ///< rows of each cone, >= 1; the first row is the head
  std::vector<double> G;        ///< rows x m, row-major
  std::vector<double> g;        ///< rows

  int rows() const { return static_cast<int>(g.size()); }

  /// No cones, f = 0 over m unknowns.
  void reset(int m) {
    unknowns = m;
    U.assign(static_cast<size_t>(m) * m, 0.0);
    v.assign(m, 0.0);
    constant = 0;
    cone_sizes.clear();
    G.clear();
    g.clear();
  }

  /// Appends a zero row with this g; the caller fills it and counts it in cone_sizes.
  double* add_row(double offset) {
    G.resize(G.size() + unknowns, 0.0);
    g.push_back(offset);
    return G.data() + G.size() - unknowns;
  }

  const double* row(int r) const { return G.data() + static_cast<size_t>(r) * unknowns; }
};

}  // namespace stiction
