#include "stiction/solvers/lcp/small_lp.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

namespace stiction::solvers {
namespace {

// Violations below this, in scaled units, are rounding; entries below no_pivot of their row's largest are zero.
constexpr double feasibility = 1e-11;
constexpr double no_pivot = 1e-11;

// Exchanges between two computations of the dictionary from M.
constexpr int recompute_every = 40;

double power_of_two(double x) {
  return std::scalbn(1.0, std::ilogb(x));
}

// A^-1 b; nothing where A is empty. Full pivoting: a basis may be nearly singular.
struct Block {
  Eigen::FullPivLU<MatrixX> lu;
  explicit Block(const MatrixX& A) {
    if (A.size() > 0) lu.compute(A);
  }
  MatrixX solve(const MatrixX& b) const { return b.rows() > 0 ? MatrixX(lu.solve(b)) : b; }
};

}  // namespace

LpScaling::LpScaling(const MixedLcp& problem) : M(problem.M), q(problem.q) {
  const auto n = q.size();
  row = column = VectorX::Ones(n);
  for (int pass = 0; pass < 3; ++pass) {
    for (Eigen::Index i = 0; i < n; ++i) {
      const double largest = M.row(i).lpNorm<Eigen::Infinity>();
      const double factor = largest > 0 ? power_of_two(1 / largest) : 1.0;
      M.row(i) *= factor;
      row[i] *= factor;
    }
    for (Eigen::Index j = 0; j < n; ++j) {
      const double largest = M.col(j).lpNorm<Eigen::Infinity>();
      const double factor = largest > 0 ? power_of_two(1 / largest) : 1.0;
      M.col(j) *= factor;
      column[j] *= factor;
    }
  }
  q = q.cwiseProduct(row);
  const double largest = n > 0 ? q.lpNorm<Eigen::Infinity>() : 0.0;
  q_scale = largest > 0 ? power_of_two(largest) : 1.0;
  q /= q_scale;
}

LpDictionary::LpDictionary(const LpScaling& problem, const std::vector<std::uint8_t>& is_complementarity)
    : n(static_cast<int>(problem.q.size())), T(problem.M), value(problem.q), sign(2 * n, LpSign::nonnegative) {
  for (int i = 0; i < n; ++i) {
    basic.push_back(i);
    nonbasic.push_back(n + i);
    if (is_complementarity[i] != 0) continue;
    sign[i] = LpSign::zero;
    sign[n + i] = LpSign::free;
  }
}

double LpDictionary::operator[](int variable) const {
  const auto at = std::find(basic.begin(), basic.end(), variable);
  return at == basic.end() ? 0.0 : value[at - basic.begin()];
}

double LpDictionary::violation(int r) const {
  switch (sign[basic[r]]) {
    case LpSign::free:
      return 0;
    case LpSign::nonnegative:
      return std::max(0.0, -value[r]);
    case LpSign::zero:
      return std::abs(value[r]);
  }
  return 0;
}

// The largest violation, or under Bland's rule the violated variable of least index; -1: all signs hold.
int LpDictionary::choose_row(bool bland) const {
  int best = -1;
  for (int r = 0; r < n; ++r) {
    const double size = violation(r);
    if (size <= feasibility) continue;
    if (best < 0 || (bland ? basic[r] < basic[best] : size > violation(best))) best = r;
  }
  return best;
}

// A column whose variable may move the way that row r needs; free ones first, for they never leave again. -1: none.
int LpDictionary::choose_column(int r, bool bland) const {
  const double direction = value[r] < 0 ? 1 : -1;
  const double usable = no_pivot * std::max(1.0, T.row(r).lpNorm<Eigen::Infinity>());
  int best = -1;
  for (int c = 0; c < n; ++c) {
    const LpSign kind = sign[nonbasic[c]];
    const double gain = kind == LpSign::free ? std::abs(T(r, c)) : direction * T(r, c);
    if (kind == LpSign::zero || gain <= usable) continue;
    const bool best_free = best >= 0 && sign[nonbasic[best]] == LpSign::free;
    const bool better =
        bland ? best < 0 || nonbasic[c] < nonbasic[best] : best < 0 || std::abs(T(r, c)) > std::abs(T(r, best));
    if ((kind == LpSign::free) == best_free || best < 0 ? better : !best_free) best = c;
  }
  return best;
}

void LpDictionary::exchange(int r, int c) {
  const double pivot = T(r, c);
  const VectorX entering = T.col(c);
  Eigen::RowVectorXd leaving = -T.row(r) / pivot;
  leaving[c] = 1 / pivot;
  T.col(c).setZero();
  T.noalias() += entering * leaving;
  const double step = -value[r] / pivot;
  value += entering * step;
  T.row(r) = leaving;
  value[r] = step;
  std::swap(basic[r], nonbasic[c]);
  ++pivots;
}

void LpDictionary::split(std::vector<int>& basic_z, std::vector<int>& nonbasic_w) const {
  for (const int variable : basic) {
    if (variable >= n) basic_z.push_back(variable - n);
  }
  for (const int variable : nonbasic) {
    if (variable < n) nonbasic_w.push_back(variable);
  }
}

// The dictionary of the present basis without the rounding that exchanges piled up. With C the basic z and R the
// non-basic w: z_C = M_RC^-1 (w_R - q_R - M_RN z_N), then the basic w from their rows.
void LpDictionary::recompute(const LpScaling& problem) {
  std::vector<int> C, R;
  split(C, R);
  pivots = 0;
  MatrixX right = MatrixX::Zero(n, n + 1);  // -(column of each non-basic variable), q last
  for (int c = 0; c < n; ++c) {
    if (nonbasic[c] < n) {
      right(nonbasic[c], c) = -1;
    } else {
      right.col(c) = problem.M.col(nonbasic[c] - n);
    }
  }
  right.col(n) = problem.q;
  const MatrixX z = -Block(problem.M(R, C)).solve(right(R, Eigen::all));
  if (!z.allFinite()) return;
  const MatrixX all = right + problem.M(Eigen::all, C) * z;
  std::vector<int> at(n, -1);
  for (size_t k = 0; k < C.size(); ++k) at[C[k]] = static_cast<int>(k);
  for (int r = 0; r < n; ++r) {
    const Eigen::RowVectorXd line = basic[r] < n ? all.row(basic[r]) : z.row(at[basic[r] - n]);
    T.row(r) = line.head(n);
    value[r] = line[n];
  }
}

LpEnd LpDictionary::make_feasible(const LpScaling& problem) {
  const int patience = 4 * n + 20;
  const int limit = 60 * n + 2000;
  bool confirmed = pivots == 0;
  for (int step = 0; step < limit; ++step) {
    const bool bland = step > patience;
    const int r = choose_row(bland);
    const int c = r < 0 ? -1 : choose_column(r, bland);
    if (c < 0) {
      if (confirmed) {
        bad_row = r;
        return r < 0 ? LpEnd::feasible : LpEnd::infeasible;
      }
      recompute(problem);  // the verdict must hold without the rounding of the exchanges
      confirmed = true;
      continue;
    }
    exchange(r, c);
    confirmed = false;
    if (pivots >= recompute_every) recompute(problem);
  }
  return LpEnd::stalled;
}

// The bad row says x_r - T_r x_N = value_r on all solutions of w = M z + q, so it is y . (w - M z - q) = 0 with y the
// coefficients of w. They solve (M^T y)_j = 0 on the basic z_j, with y_r = 1 where the bad variable is w_r and
// (M^T y)_r = -1 where it is z_r. Turned round where the variable is fixed and positive.
VectorX LpDictionary::multipliers(const LpScaling& problem) const {
  std::vector<int> C, R;
  split(C, R);
  const int bad = basic[bad_row];
  const double turn = value[bad_row] < 0 ? 1 : -1;
  VectorX y = VectorX::Zero(n);
  if (bad < n) y[bad] = turn;
  VectorX target = VectorX::Zero(n);
  if (bad >= n) target[bad - n] = -turn;
  const Block block(problem.M(R, C).transpose());
  for (int pass = 0; pass < 3; ++pass) {
    const VectorX missing = target - problem.M.transpose() * y;
    const VectorX correction = block.solve(missing(C));
    y(R) += correction;
  }
  for (int i = 0; i < n; ++i) {
    if (sign[i] == LpSign::nonnegative) y[i] = std::max(0.0, y[i]);
  }
  return y;
}

VectorX LpDictionary::solve_basis(const LpScaling& problem) const {
  std::vector<int> C, R;
  split(C, R);
  VectorX z = VectorX::Zero(n);
  const Block block(problem.M(R, C));
  for (int pass = 0; pass < 3; ++pass) {
    const VectorX w = problem.M * z + problem.q;
    const VectorX correction = block.solve(-w(R));
    z(C) += correction;
  }
  return z;
}

}  // namespace stiction::solvers
