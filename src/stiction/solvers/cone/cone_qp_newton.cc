#include "stiction/solvers/cone/cone_qp_newton.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/dense.h"
#include "stiction/solvers/cone/cone_kernels.h"

namespace stiction::solvers {

namespace {

using Column = ConeNewton::Column;
using ConstColumn = ConeNewton::ConstColumn;

// Rounds of refinement of a direction.
constexpr int refinements = 2;
// Regularisation of the normal matrix, relative to its diagonal: first, and largest tried.
constexpr double first_shift = 1e-15, largest_shift = 1e-5;
// Columns of unit length that the columns before determine to this.
constexpr double least_pivot = 1e-14;

}  // namespace

// W of every cone, lambda = W z; false where an iterate has left its cone.
bool ConeNewton::scale_cones() {
  bool finite = true;
  for_each_cone([&](int first, int n, int i) {
    w.eta[i] = form_scaling(w.s.data() + first, w.z.data() + first, n, w.scaling.data() + first);
    std::copy_n(w.z.data() + first, n, w.lambda.data() + first);
    scale_up(w.eta[i], w.scaling.data() + first, n, w.lambda.data() + first);
    finite = finite && std::isfinite(w.eta[i]) && w.eta[i] > 0 && cone_det(w.lambda.data() + first, n) > 0;
  });
  return finite;
}

// H = U + (W^-1 G)^T (W^-1 G), lower triangle.
void ConeNewton::form_normal_matrix() {
  w.scaled_G = problem.G;
  for_each_cone([&](int first, int n, int i) {
    const double* a = w.scaling.data() + first;
    const double tail = tail_norm(a, n), grow = a[0] + tail;
    double* G = w.scaled_G.data() + static_cast<size_t>(first) * m;
    Column head(G, m), dots(w.right.data(), m), along(w.e_y.data(), m);
    dots.setZero();
    for (int r = 1; tail > 0 && r < n; ++r) dots += a[r] / tail * Column(G + static_cast<size_t>(r) * m, m);
    along = ((head + dots) / grow - (head - dots) * grow) / 2;
    head = ((head + dots) / grow + (head - dots) * grow) / 2;
    for (int r = 1; tail > 0 && r < n; ++r) Column(G + static_cast<size_t>(r) * m, m) += a[r] / tail * (along - dots);
    Column(G, static_cast<long>(n) * m) /= w.eta[i];
  });
  w.H = problem.U;
  for (int r = 0; r < rows; ++r) {
    const double* x = w.scaled_G.data() + static_cast<size_t>(r) * m;
    for (int j = 0; j < m; ++j) {
      if (x[j] == 0) continue;
      Column(w.H.data() + static_cast<size_t>(j) * m + j, m - j) += x[j] * ConstColumn(x + j, m - j);
    }
  }
}

// H = L L^T scaled to a unit diagonal; an unknown that nothing depends on stays where it is.
bool ConeNewton::factor_normal_matrix() {
  for (int j = 0; j < m; ++j) {
    const double d = w.H[static_cast<size_t>(j) * m + j];
    w.diagonal[j] = d > 0 ? 1 / std::sqrt(d) : 0.0;
  }
  return orthogonal ? factor_by_reflections() : factor_by_cholesky();
}

bool ConeNewton::factor_by_cholesky() {
  for (double shift = first_shift; shift <= largest_shift; shift *= 100) {
    for (int j = 0; j < m; ++j) {
      double* to = w.factor.data() + static_cast<size_t>(j) * m;
      for (int i = j; i < m; ++i) to[i] = w.diagonal[i] * w.H[static_cast<size_t>(j) * m + i] * w.diagonal[j];
      to[j] = 1 + shift;
    }
    if (cholesky(w.factor.data(), m)) return true;
  }
  return false;
}

// (root ; W^-1 G) with scaled columns, large rows first: reflections keep the digits of small rows below them.
void ConeNewton::stack_rows() {
  const int n = root_rows + rows;
  w.stack.resize(static_cast<size_t>(n) * m);
  w.order.resize(n);
  w.length.resize(n);
  for (int i = 0; i < n; ++i) {
    const double* from = i < root_rows ? w.root.data() + static_cast<size_t>(i) * m
                                       : w.scaled_G.data() + static_cast<size_t>(i - root_rows) * m;
    w.order[i] = i;
    w.length[i] = (ConstColumn(from, m).array() * ConstColumn(w.diagonal.data(), m).array()).abs().maxCoeff();
  }
  std::sort(w.order.begin(), w.order.end(),
            [&](int i, int j) { return w.length[i] != w.length[j] ? w.length[i] > w.length[j] : i < j; });
  for (int i = 0; i < n; ++i) {
    const int r = w.order[i];
    const double* from = r < root_rows ? w.root.data() + static_cast<size_t>(r) * m
                                       : w.scaled_G.data() + static_cast<size_t>(r - root_rows) * m;
    for (int j = 0; j < m; ++j) w.stack[static_cast<size_t>(j) * n + i] = w.diagonal[j] * from[j];
  }
}

// The same L from the QR factors of (root ; W^-1 G): H squares the condition of these rows, and near the end, with
// cones at their apex, has lost the smaller half of their digits.
bool ConeNewton::factor_by_reflections() {
  const int n = root_rows + rows;
  if (n < m) return factor_by_cholesky();
  stack_rows();
  for (int k = 0; k < m; ++k) {
    Column v(w.stack.data() + static_cast<size_t>(k) * n + k, n - k);
    const double length = v[0] > 0 ? -v.norm() : v.norm();
    v[0] -= length;
    const double square = v.squaredNorm();
    for (int j = k; j < m; ++j) {
      double value = length;  // column k itself becomes (length, 0)
      if (j > k) {
        Column x(w.stack.data() + static_cast<size_t>(j) * n + k, n - k);
        if (square > 0) x -= (2 * v.dot(x) / square) * v;
        value = x[0];
      }
      w.factor[static_cast<size_t>(k) * m + j] = value;
    }
    double& pivot = w.factor[static_cast<size_t>(k) * m + k];
    if (!(std::abs(pivot) > least_pivot)) pivot = w.diagonal[k] > 0 ? least_pivot : 1.0;
  }
  return true;
}

bool ConeNewton::form() {
  if (!scale_cones()) return false;
  form_normal_matrix();
  return factor_normal_matrix();
}

// x := H^-1 x.
void ConeNewton::solve_normal(std::vector<double>& x) {
  Column column(x.data(), m);
  const ConstColumn D(w.diagonal.data(), m);
  column.array() *= D.array();
  solve_lower(w.factor.data(), m, x.data());
  solve_lower_transposed(w.factor.data(), m, x.data());
  column.array() *= D.array();
}

// Adds to dy, ds, dz and their scaled forms the solution of
//     U dy - G^T dz = -e_d,   G dy - ds = -e_p,   W^-1 ds + W dz = e_c.
void ConeNewton::add_solution() {
  w.scaled_p = w.e_p;
  for_each_cone(
      [&](int first, int n, int i) { scale_down(w.eta[i], w.scaling.data() + first, n, w.scaled_p.data() + first); });
  Column right(w.right.data(), m);
  right = -Column(w.e_d.data(), m);
  for (int r = 0; r < rows; ++r) right += (w.e_c[r] - w.scaled_p[r]) * scaled_row(r);
  w.e_y = w.right;
  solve_normal(w.e_y);
  const ConstColumn dy(w.e_y.data(), m);
  Column(w.dy.data(), m) += dy;
  for (int r = 0; r < rows; ++r) {
    const double scaled = w.scaled_p[r] + scaled_row(r).dot(dy);
    w.step_s[r] += scaled;                 // W^-1 ds
    w.e_c[r] -= scaled;                    // W dz
    w.ds[r] += w.e_p[r] + row(r).dot(dy);  // from G itself: W (W^-1 ds) would lose digits of s = G y + g
  }
  Column(w.step_z.data(), rows) += Column(w.e_c.data(), rows);
  for_each_cone(
      [&](int first, int n, int i) { scale_down(w.eta[i], w.scaling.data() + first, n, w.e_c.data() + first); });
  Column(w.dz.data(), rows) += Column(w.e_c.data(), rows);
}

// What the direction leaves of the equations, into e_d, e_p, e_c.
void ConeNewton::measure_direction(double residual_share) {
  const ConstColumn dy(w.dy.data(), m);
  for (int j = 0; j < m; ++j) {
    w.e_d[j] = residual_share * w.r_d[j] + hessian_column(j).dot(dy);
  }
  w.e_c = w.ds;
  w.scaled_p = w.dz;
  for_each_cone([&](int first, int n, int i) {
    scale_down(w.eta[i], w.scaling.data() + first, n, w.e_c.data() + first);
    scale_up(w.eta[i], w.scaling.data() + first, n, w.scaled_p.data() + first);
  });
  for (int r = 0; r < rows; ++r) {
    w.e_p[r] = residual_share * w.r_p[r] + row(r).dot(dy) - w.ds[r];
    w.e_c[r] = w.c[r] - w.e_c[r] - w.scaled_p[r];
    Column(w.e_d.data(), m) -= w.dz[r] * row(r);
  }
}

// dy, ds, dz for the right-hand side w.c of the complementarity equations and `residual_share` of r_p, r_d, refined on
// the equations themselves: near the end H has lost what the smaller axes of W say.
void ConeNewton::find_direction(double residual_share) {
  for_each_cone([&](int first, int n, int) { jordan_divide(w.lambda.data() + first, n, w.c.data() + first); });
  for (auto* x : {&w.dy, &w.ds, &w.dz, &w.step_s, &w.step_z}) std::fill(x->begin(), x->end(), 0.0);
  for (int pass = 0; pass <= refinements; ++pass) {
    measure_direction(residual_share);
    add_solution();
  }
}

}  // namespace stiction::solvers
