// Newton's step of solvers/cone/cone_qp.h: the scaling W of the cones, the factors of U + G^T W^-2 G, and directions
//
//     U dy - G^T dz = -share r_d,   G dy - ds = -share r_p,   lambda o (W^-1 ds + W dz) = c
//
// refined on these equations themselves. Part of the solver, not for use elsewhere.
#pragma once

#include <vector>

#include "stiction/math/types.h"
#include "stiction/problem/cone_qp.h"
#include "stiction/solvers/cone/cone_qp.h"

namespace stiction::solvers {

/// Works on the iterate (s, z) and the residuals (r_d, r_p) in the workspace.
struct ConeNewton {
  using Column = Eigen::Map<VectorX>;
  using ConstColumn = Eigen::Map<const VectorX>;

  const ConeQp& problem;
  ConeQpWorkspace& w;
  int m, rows, cones;
  int root_rows = 0;        ///< of w.root
  bool orthogonal = false;  ///< factor by reflections

  ConeNewton(const ConeQp& p, ConeQpWorkspace& workspace)
      : problem(p), w(workspace), m(p.unknowns), rows(p.rows()), cones(static_cast<int>(p.cone_sizes.size())) {}

  /// W of every cone, lambda = W z, and the factors; false where an iterate has left its cone.
  bool form();
  /// dy, ds, dz (and W^-1 ds, W dz in step_s, step_z) for c in w.c.
  void find_direction(double residual_share);

  ConstColumn row(int r) const { return {problem.row(r), m}; }
  ConstColumn scaled_row(int r) const { return {w.scaled_G.data() + static_cast<size_t>(r) * m, m}; }
  ConstColumn hessian_column(int j) const { return {problem.U.data() + static_cast<size_t>(j) * m, m}; }

  /// visit(first row, size, index) of every cone.
  template <class Visit>
  void for_each_cone(Visit&& visit) const {
    int first = 0;
    for (int i = 0; i < cones; ++i) {
      visit(first, problem.cone_sizes[i], i);
      first += problem.cone_sizes[i];
    }
  }

 private:
  bool scale_cones();
  void form_normal_matrix();
  bool factor_normal_matrix();
  bool factor_by_cholesky();
  bool factor_by_reflections();
  void stack_rows();
  void solve_normal(std::vector<double>& x);
  void add_solution();
  void measure_direction(double residual_share);
};

}  // namespace stiction::solvers
