// Random frictional contact problems of rigid bodies, a third of them degenerate, and the verdict on an answer.
//
// Up to three bodies and the ground touch at up to six points; W = J M^-1 J^T and q = J v + gap / h with gap >= 0, so
// that an answer exists. One in twenty has a q of its own instead, where W is definite (an answer exists for every q),
// and one in forty pinches a body between two opposite contacts that approach each other, so that none exists and that
// can be proved. Where W is singular and q arbitrary, friction can exclude an answer although no normal velocity does:
// such problems have no proof of the kind of friction_no_solution.h and are left out.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <string_view>
#include <vector>

#include <Eigen/Eigenvalues>

#include "stiction/certify/friction_no_solution.h"
#include "stiction/certify/friction_residual.h"
#include "stiction/math/types.h"
#include "stiction/problem/friction_matrix.h"
#include "stiction/solvers/friction/friction_solver.h"

namespace stiction::testing {

/// How a problem was made.
enum class RandomKind { regular, mixed, parallel, redundant, mass_ratio, frictionless, huge_friction, all_degenerate };
inline constexpr std::array<std::string_view, 8> random_kind_names = {
    "regular", "mixed", "parallel", "redundant", "mass-ratio", "frictionless", "huge-friction", "all-degenerate"};

/// A problem with what is known of it.
struct RandomFriction {
  FrictionProblem problem;
  RandomKind kind = RandomKind::regular;
  bool arbitrary_q = false;     ///< no motion of the bodies stands behind q
  bool pinched = false;         ///< has no answer
  double largest_friction = 0;  ///< mu
  double softest = 0;           ///< least eigenvalue of W scaled to a unit diagonal
};

/// Makes the problem of a seed.
class RandomFrictionMaker {
 public:
  RandomFriction make(std::uint64_t seed);

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Vector3 direction();
  void choose_kind();
  void make_bodies();
  void add_contact();
  void add_pinch();
  void add_rows(int a, int b, const Vector3& point, const Matrix3& frame, int rows);
  void add_block(FrictionBlock block, int a, int b, const Vector3& point, const Matrix3& frame);
  double friction();
  void finish();
  bool degenerate(RandomKind kind) const { return kind_ == kind || kind_ == RandomKind::all_degenerate; }

  std::mt19937_64 random_;
  RandomFriction made_;
  RandomKind kind_ = RandomKind::regular;
  int bodies_ = 1;
  std::vector<double> mass_, inertia_;
  std::vector<Vector3> center_;
  std::vector<Eigen::RowVectorXd> J_;
  std::vector<int> normals_;
  Vector3 common_normal_ = Vector3::UnitZ();
};

inline Vector3 RandomFrictionMaker::direction() {
  const double z = uniform(-1, 1), angle = uniform(0, 2 * std::numbers::pi), s = std::sqrt(1 - z * z);
  return {s * std::cos(angle), s * std::sin(angle), z};
}

// Two thirds regular (a quarter of them with all kinds of blocks), a third degenerate in one way or in all at once.
inline void RandomFrictionMaker::choose_kind() {
  const int draw = integer(0, 35);
  kind_ = draw < 18   ? RandomKind::regular
          : draw < 24 ? RandomKind::mixed
                      : static_cast<RandomKind>(2 + (draw - 24) % 6);
}

inline void RandomFrictionMaker::make_bodies() {
  bodies_ = integer(1, 3);
  mass_.clear(), inertia_.clear(), center_.clear();
  for (int i = 0; i < bodies_; ++i) {
    const bool light = degenerate(RandomKind::mass_ratio) && i % 2 == 1;
    // At 1e-9 and below W itself loses the heavy body: 1e9 + 1 in doubles keeps seven digits of the 1. All at once,
    // products of mass ratio and friction above 1e8 leave nothing of a residual of 1e-8.
    const bool all = kind_ == RandomKind::all_degenerate;
    const double mass = std::pow(10.0, light ? (all ? uniform(-6, -5) : uniform(-8, -6)) : uniform(-0.5, 0.5));
    mass_.push_back(mass);
    inertia_.push_back(mass * uniform(0.05, 0.5));
    center_.push_back({uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
  }
}

inline double RandomFrictionMaker::friction() {
  if (degenerate(RandomKind::frictionless) && (kind_ == RandomKind::frictionless || integer(0, 2) == 0)) return 0;
  if (degenerate(RandomKind::huge_friction))
    return std::pow(10.0, uniform(0.3, kind_ == RandomKind::huge_friction ? 3 : 1.3));
  return integer(0, 3) == 0 ? uniform(0.001, 0.05) : uniform(0.05, 1.2);
}

// Rows of the velocity of a relative to b at the point along the axes of the frame; row 3 and above: spin about them.
inline void RandomFrictionMaker::add_rows(int a, int b, const Vector3& point, const Matrix3& frame, int rows) {
  for (int row = 0; row < rows; ++row) {
    Eigen::RowVectorXd J = Eigen::RowVectorXd::Zero(6L * bodies_);
    const Vector3 axis = frame.col(row % 3);
    for (const auto& [body, sign] : {std::pair(a, 1.0), std::pair(b, -1.0)}) {
      if (body < 0) continue;
      if (row < 3) {
        J.segment<3>(6L * body) = sign * axis.transpose();
        J.segment<3>(6L * body + 3) = sign * (point - center_[body]).cross(axis).transpose();
      } else {
        J.segment<3>(6L * body + 3) = sign * axis.transpose();
      }
    }
    J_.push_back(J);
  }
}

inline void RandomFrictionMaker::add_block(FrictionBlock block, int a, int b, const Vector3& point,
                                           const Matrix3& frame) {
  block.first_row = static_cast<int>(J_.size());
  if (block.law == FrictionBlock::Law::contact) normals_.push_back(block.first_row);
  add_rows(a, b, point, frame, block.row_count);
  made_.problem.blocks.push_back(block);
}

inline void RandomFrictionMaker::add_contact() {
  using Law = FrictionBlock::Law;
  const int a = integer(0, bodies_ - 1);
  int b = integer(-1, bodies_ - 1);
  if (b == a) b = -1;
  const bool parallel = degenerate(RandomKind::parallel);
  const Vector3 n = parallel ? common_normal_ : direction();
  Vector3 t = n.unitOrthogonal();
  const double angle = uniform(0, 2 * std::numbers::pi);
  t = (std::cos(angle) * t + std::sin(angle) * n.cross(t)).eval();
  Matrix3 frame;
  frame << n, t, n.cross(t);
  Vector3 point = center_[a] - 0.5 * n;
  const Vector3 aside = direction();
  point += uniform(0, 0.7) * (aside - aside.dot(n) * n);
  const double mu = friction();
  made_.largest_friction = std::max(made_.largest_friction, mu);
  FrictionBlock block;
  block.axes = {mu, mu, 0};
  const int shape = kind_ == RandomKind::mixed ? integer(0, 6) : 0;
  if (shape == 1) block.row_count = 1, block.axes = {0, 0, 0};
  if (shape == 2) block.row_count = 2, block.axes = {mu, 0, 0};
  if (shape == 3) block.row_count = 4, block.axes = {mu, mu, mu * uniform(0.01, 0.5)};
  if (shape == 4) block.axes = {mu, mu * uniform(0.1, 1), 0};
  if (shape == 5) {
    block.law = Law::bounded;
    block.row_count = integer(1, 3);
    block.axes = {1, block.row_count > 1 ? 1.0 : 0.0, block.row_count > 2 ? uniform(0.2, 1) : 0.0};
    block.bound = uniform(0, 1) * mass_[a];
  }
  if (shape == 6) block.law = Law::bilateral, block.row_count = integer(1, 3), block.axes = {0, 0, 0};
  const int copies = degenerate(RandomKind::redundant) ? integer(1, 3) : 1;
  for (int copy = 0; copy < copies && made_.problem.blocks.size() < 6; ++copy) add_block(block, a, b, point, frame);
  if (shape != 3 || made_.problem.blocks.size() >= 6) return;
  FrictionBlock rolling;  // of the contact just made: two rows about its tangents
  rolling.law = Law::bounded;
  rolling.row_count = 2;
  rolling.axes = {uniform(0.01, 0.1), 0, 0};
  rolling.axes[1] = rolling.axes[0];
  rolling.link = static_cast<int>(made_.problem.blocks.size()) - 1;
  rolling.first_row = static_cast<int>(J_.size());
  add_rows(a, b, point, frame, 6);
  J_.erase(J_.end() - 6, J_.end() - 2);
  made_.problem.blocks.push_back(rolling);
}

// Two contacts of one body with the ground, at one point, with opposite normals.
inline void RandomFrictionMaker::add_pinch() {
  const int a = integer(0, bodies_ - 1);
  const Vector3 n = direction(), t = n.unitOrthogonal(), point = center_[a] + direction();
  FrictionBlock block;
  const double mu = friction();
  block.axes = {mu, mu, 0};
  Matrix3 frame;
  frame << n, t, n.cross(t);
  add_block(block, a, -1, point, frame);
  frame << -n, t, -n.cross(t);
  add_block(block, a, -1, point, frame);
  made_.pinched = true;
}

inline void RandomFrictionMaker::finish() {
  const auto rows = static_cast<Eigen::Index>(J_.size());
  MatrixX half(rows, 6L * bodies_), J(rows, 6L * bodies_);
  for (Eigen::Index i = 0; i < rows; ++i) {
    J.row(i) = J_[i];
    for (int body = 0; body < bodies_; ++body) {
      half.block<1, 3>(i, 6L * body) = J_[i].segment<3>(6L * body) / std::sqrt(mass_[body]);
      half.block<1, 3>(i, 6L * body + 3) = J_[i].segment<3>(6L * body + 3) / std::sqrt(inertia_[body]);
    }
  }
  const MatrixX W = half * half.transpose();
  VectorX v(6L * bodies_), q(rows);
  for (double& x : v) x = uniform(-1, 1);
  for (int body = 0; body < bodies_; ++body) v.segment<3>(6L * body) -= uniform(0, 2) * common_normal_;
  q = J * v;
  for (const int row : normals_) {
    if (integer(0, 2) == 0) q[row] += uniform(0, 1);
  }
  set_matrix(made_.problem, SparseRows(W.sparseView(1, 0)));
  const VectorX scale = W.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const MatrixX unit = scale.asDiagonal() * W * scale.asDiagonal();
  made_.softest = Eigen::SelfAdjointEigenSolver<MatrixX>(unit, Eigen::EigenvaluesOnly).eigenvalues()[0];
  made_.arbitrary_q = integer(0, 19) == 0 && made_.softest > 1e-7 && !made_.pinched;
  for (Eigen::Index i = 0; i < rows && made_.arbitrary_q; ++i) q[i] = uniform(-1, 1);
  if (made_.pinched) {
    for (const int row : {normals_[0], normals_[1]}) q[row] = uniform(-1, -0.1);
  }
  made_.problem.q.assign(q.data(), q.data() + rows);
}

inline RandomFriction RandomFrictionMaker::make(std::uint64_t seed) {
  random_.seed(seed);
  made_ = {};
  J_.clear(), normals_.clear();
  common_normal_ = direction();
  choose_kind();
  made_.kind = kind_;
  make_bodies();
  if (integer(0, 39) == 0) add_pinch();
  const int blocks = integer(1, 6);
  while (static_cast<int>(made_.problem.blocks.size()) < blocks) add_contact();
  finish();
  return made_;
}

/// What one unit of rounding in every product of W r does to the residual of r: no r of this size can be judged finer.
inline double rounding_floor(const FrictionProblem& problem, const std::vector<double>& r) {
  const MatrixX W = MatrixX(matrix_of(problem)).cwiseAbs();
  const Eigen::Map<const VectorX> impulses(r.data(), problem.row_count()), q(problem.q.data(), problem.row_count());
  return std::numeric_limits<double>::epsilon() * (W * impulses.cwiseAbs()).norm() / q.norm();
}

/// What became of a problem.
enum class Verdict { answered, refuted, not_found, wrong };

/// Judges by certify/ alone: an answer within the tolerance, a proof, an honest not_found, or a claim that is wrong.
inline Verdict judge(const FrictionProblem& problem, const solvers::FrictionReport& report,
                     const std::vector<double>& r, std::span<const double> refutation, double tolerance) {
  using solvers::Termination;
  const double residual = certify::friction_residual(problem, r).natural;
  if (report.solve.termination == Termination::solved) {
    return residual <= tolerance * (1 + 1e-6) ? Verdict::answered : Verdict::wrong;
  }
  if (report.solve.termination == Termination::no_solution) {
    return certify::check_friction_no_solution(problem, refutation).proved ? Verdict::refuted : Verdict::wrong;
  }
  return Verdict::not_found;
}

}  // namespace stiction::testing
