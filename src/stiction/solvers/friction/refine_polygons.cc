#include "stiction/solvers/friction/refine_polygons.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/kernels/accurate_residual.h"
#include "stiction/solvers/friction/kernels/extended_friction.h"

namespace stiction::solvers {

namespace {

using Real = ExtendedFriction::Real;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

// Lemke's method on 0 <= z, 0 <= A z + b with a tableau and the lexicographic rule; a tie is z0's.
class Tableau {
 public:
  Tableau(const Matrix& A, const Vector& b, Real smallest) : n_(static_cast<int>(b.size())), smallest_(smallest) {
    table_.setZero(n_, 2L * n_ + 2);
    table_.leftCols(n_).setIdentity();
    table_.middleCols(n_, n_) = -A;
    table_.col(2L * n_).setConstant(-1);
    table_.col(2L * n_ + 1) = b;
    basis_.resize(n_);
    for (int i = 0; i < n_; ++i) basis_[i] = i;
  }

  // False on a ray or after too many pivots.
  bool solve(Vector& z, int& pivots) {
    z.setZero(n_);
    Eigen::Index row = 0;
    if (table_.col(right()).minCoeff(&row) >= 0) return true;
    int entering = z0();
    for (int count = 0; count < 30 * n_; ++count, ++pivots) {
      const int leaving = basis_[row];
      pivot(static_cast<int>(row), entering);
      if (leaving == z0()) return read(z);
      entering = leaving < n_ ? leaving + n_ : leaving - n_;
      row = leaving_row(entering);
      if (row < 0) return false;
    }
    return false;
  }

 private:
  int z0() const { return 2 * n_; }
  int right() const { return 2 * n_ + 1; }

  void pivot(int row, int column) {
    table_.row(row) /= Real(table_(row, column));
    for (int i = 0; i < n_; ++i) {
      const Real factor = table_(i, column);
      if (i != row && factor != 0) table_.row(i) -= factor * table_.row(row);
    }
    basis_[row] = column;
  }

  int leaving_row(int column) {
    candidates_.clear();
    for (int i = 0; i < n_; ++i) {
      if (table_(i, column) > smallest_) candidates_.push_back(i);
    }
    for (int key = -1; key < n_ && candidates_.size() > 1; ++key) {
      const int by = key < 0 ? right() : key;
      Real least = table_(candidates_[0], by) / table_(candidates_[0], column);
      for (const int i : candidates_) least = std::min(least, table_(i, by) / table_(i, column));
      std::erase_if(candidates_, [&](int i) { return table_(i, by) / table_(i, column) > least; });
      if (key >= 0) continue;
      for (const int i : candidates_) {
        if (basis_[i] == z0()) return i;
      }
    }
    return candidates_.empty() ? -1 : candidates_[0];
  }

  bool read(Vector& z) const {
    for (int i = 0; i < n_; ++i) {
      if (basis_[i] >= n_ && basis_[i] < z0()) z[basis_[i] - n_] = table_(i, right());
    }
    return z.allFinite();
  }

  int n_;
  Real smallest_;  // entries below are noise
  Matrix table_;
  std::vector<int> basis_, candidates_;
};

class Refinement {
 public:
  Refinement(const ScaledFriction& s, const RefineOptions& options, double* r)
      : s_(s), options_(options), out_(r), angles_(s.block_count), rounded_(s.row_count) {
    result_.residual = accurate_residual(s, r);
  }
  RefineResult run();

 private:
  bool finished() const {
    return result_.residual <= options_.tolerance || result_.pivots > options_.most_pivots ||
           options_.deadline.passed();
  }
  bool round(int i) const { return s_.dim[i] == 3 && s_.mu[i] > 0; }
  void regular_angles(int corners, Real turn);
  void refine_angles(const Vector& r, Real turn, Real width);
  bool polygons(Real smallest, Vector& r);
  void equations(const Vector& r, Vector& F, Matrix& J) const;
  void newton(Vector r);
  void keep(const Vector& r);

  const ScaledFriction& s_;
  const RefineOptions& options_;
  double* out_;
  ExtendedFriction extended_;
  std::vector<std::vector<Real>> angles_;
  std::vector<double> rounded_;
  RefineResult result_;
};

void Refinement::regular_angles(int corners, Real turn) {
  for (int i = 0; i < s_.block_count; ++i) {
    angles_[i].clear();
    if (!round(i)) continue;
    for (int k = 0; k < corners; ++k) angles_[i].push_back((k + turn) * 2 * std::numbers::pi_v<Real> / corners);
  }
}

void Refinement::refine_angles(const Vector& r, Real turn, Real width) {
  regular_angles(8, turn);
  for (int i = 0; i < s_.block_count; ++i) {
    if (!round(i)) continue;
    const Real x = r[s_.first[i] + 1], y = r[s_.first[i] + 2];
    if (x == 0 && y == 0) continue;
    for (const double part : {-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0}) {
      angles_[i].push_back(std::atan2(y, x) + part * width);
    }
  }
}

// r of the polyhedral problem with these angles; false when Lemke ends on a ray.
bool Refinement::polygons(Real smallest, Vector& r) {
  int impulses = 0;
  for (int i = 0; i < s_.block_count; ++i) {
    impulses += 1 + static_cast<int>(angles_[i].size()) + (s_.dim[i] == 2 && s_.mu[i] > 0 ? 2 : 0);
  }
  Matrix E = Matrix::Zero(s_.row_count, impulses);
  Matrix A = Matrix::Zero(impulses + s_.block_count, impulses + s_.block_count);
  int column = 0;
  for (int i = 0; i < s_.block_count; ++i) {
    const int multiplier = impulses + i, first = s_.first[i];
    const auto friction_column = [&] {
      A(column, multiplier) = 1;
      A(multiplier, column) = -1;
      return column++;
    };
    A(multiplier, column) = s_.mu[i];
    E(first, column++) = 1;
    for (const Real angle : angles_[i]) {
      const int k = friction_column();
      E(first + 1, k) = std::cos(angle);
      E(first + 2, k) = std::sin(angle);
    }
    for (int sign = -1; sign <= 1 && s_.dim[i] == 2 && s_.mu[i] > 0; sign += 2) E(first + 1, friction_column()) = sign;
  }
  A.topLeftCorner(impulses, impulses) = E.transpose() * extended_.W * E;
  Vector b = Vector::Zero(impulses + s_.block_count), z;
  b.head(impulses) = E.transpose() * extended_.q;
  if (!Tableau(A, b, smallest).solve(z, result_.pivots)) return false;
  r = E * z.head(impulses);
  return true;
}

// Alart and Curnier's equations of newton_friction.cc, contacts only, and their derivative by r.
void Refinement::equations(const Vector& r, Vector& F, Matrix& J) const {
  const Vector u = extended_.W * r + extended_.q;
  F = r;
  J.setIdentity(s_.row_count, s_.row_count);
  for (int i = 0; i < s_.block_count; ++i) {
    const int n = s_.first[i], friction = s_.dim[i] - 1;
    const Real tau = r[n] - u[n];
    if (tau <= 0) continue;
    F[n] = u[n];
    J.row(n) = extended_.W.row(n);
    const Vector x = r.segment(n + 1, friction) - u.segment(n + 1, friction);
    const Real norm = x.norm(), radius = s_.mu[i] * tau;
    if (norm <= radius) {
      F.segment(n + 1, friction) = u.segment(n + 1, friction);
      J.middleRows(n + 1, friction) = extended_.W.middleRows(n + 1, friction);
      continue;
    }
    const Vector e = x / norm;
    const Matrix G = radius / norm * (Matrix::Identity(friction, friction) - e * e.transpose());
    F.segment(n + 1, friction) -= radius * e;
    J.block(n + 1, n + 1, friction, friction) -= G;
    J.middleRows(n + 1, friction) += G * extended_.W.middleRows(n + 1, friction);
    J.middleRows(n + 1, friction) += s_.mu[i] * e * extended_.W.row(n);
    J.col(n).segment(n + 1, friction) -= s_.mu[i] * e;
  }
}

// Full steps: near the answer they converge whatever the merit says on the way.
void Refinement::newton(Vector r) {
  Vector F;
  Matrix J;
  for (int step = 0; step < 12 && !finished(); ++step) {
    equations(r, F, J);
    Eigen::FullPivLU<Matrix> lu(J);
    lu.setThreshold(1e-18L);
    r -= lu.solve(F);
    if (!r.allFinite()) return;
    keep(r);
  }
}

void Refinement::keep(const Vector& r) {
  for (int i = 0; i < s_.row_count; ++i) rounded_[i] = static_cast<double>(r[i]);
  const double residual = accurate_residual(s_, rounded_.data());
  if (!(residual < result_.residual)) return;
  result_.residual = residual;
  std::copy(rounded_.begin(), rounded_.end(), out_);
}

RefineResult Refinement::run() {
  for (int i = 0; i < s_.block_count; ++i) {
    result_.applicable &= s_.law[i] == FrictionBlock::Law::contact && s_.dim[i] <= 3;
  }
  result_.applicable &= s_.row_count <= ExtendedFriction::most_rows;
  if (!result_.applicable) return result_;
  extend_friction(s_, extended_);
  newton(Eigen::Map<const Eigen::VectorXd>(out_, s_.row_count).cast<Real>());  // what doubles came to may be near
  for (const int corners : {8, 12, 16, 24}) {
    for (const Real turn : {0.13L, 0.38L, 0.63L, 0.88L}) {
      for (const Real smallest : {1e-13L, 1e-15L}) {
        Real width = 2 * std::numbers::pi_v<Real> / corners;
        regular_angles(corners, turn);
        Vector r;
        for (int k = 0; k < options_.rounds && !finished() && polygons(smallest, r); ++k) {
          newton(r);
          refine_angles(r, turn, width);
          width *= 0.4L;
        }
      }
    }
  }
  return result_;
}

}  // namespace

RefineResult run_refined_polygons(const ScaledFriction& s, const RefineOptions& options, double* r) {
  return Refinement(s, options, r).run();
}

void refine_polygons(FrictionSolve& solve) {
  const RefineResult result = run_refined_polygons(solve.problem(), solve.common<RefineOptions>(), solve.r());
  solve.keep(enumeration_friction, result.pivots, result.residual);
}

}  // namespace stiction::solvers
