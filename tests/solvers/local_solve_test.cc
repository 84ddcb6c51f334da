// The exact solve of one block: the law itself on random blocks, and a search over slip directions as oracle.
#include "stiction/solvers/friction/kernels/local_solve.h"

#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "support/small_friction.h"

namespace stiction::solvers {
namespace {

using stiction::testing::definite_matrix;

// By the law: r in the cone, u_n >= 0, r_n u_n = 0, and where it slips u_t points against r_t, |r_t| = mu r_n.
template <int N>
void check_law(unsigned seed, double mu) {
  using VectorN = Eigen::Matrix<double, N, 1>;
  using RowMajor = Eigen::Matrix<double, N, N, Eigen::RowMajor>;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const RowMajor W = definite_matrix(N, seed, 2.0);
  VectorN b, r;
  for (double& x : b) x = uniform(random);
  LocalContact<N> local;
  local.set(W.data(), mu);
  local.solve(b.data(), 4e-15, r.data());
  const VectorN u = W * r + b;
  const double r_t = r.template tail<N - 1>().norm(), u_t = u.template tail<N - 1>().norm();
  constexpr double rounding = 1e-13;
  EXPECT_GE(r[0], 0);
  EXPECT_GE(u[0], -rounding);
  EXPECT_NEAR(r[0] * u[0], 0, rounding);
  EXPECT_LE(r_t, mu * r[0] + rounding);
  EXPECT_NEAR(r.template tail<N - 1>().dot(u.template tail<N - 1>()) + mu * r[0] * u_t, 0, 10 * rounding) << seed;
}

TEST(LocalSolve, ObeysCoulombsLaw) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    for (const double mu : {0.0, 0.01, 0.3, 1.0}) {
      check_law<2>(seed, mu);
      check_law<3>(seed, mu);
      check_law<4>(seed, mu);
    }
  }
}

// Oracle: along every direction d, r_t = mu r_n d with u_n = 0 gives one r; the answer is where u_t is against d. A
// grid of directions brackets it; 1e-3 is the grid's width.
TEST(LocalSolve, FindsTheSlipDirectionOfABruteForceSearch) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int slips = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    const RowMajor W = definite_matrix(3, seed, 2.0);
    const Vector3 b(-0.5 - 0.5 * std::abs(uniform(random)), uniform(random), uniform(random));
    const double mu = 0.15;
    Vector3 r;
    LocalContact<3> local;
    local.set(W.data(), mu);
    local.solve(b.data(), 4e-15, r.data());
    if (Vector2((W * r + b).tail<2>()).norm() < 1e-6) continue;
    ++slips;
    double best = infinity;
    Vector3 answer = Vector3::Zero();
    for (int k = 0; k < 6284; ++k) {
      const double angle = 2 * std::numbers::pi * k / 6284;
      const Vector3 along(1, mu * std::cos(angle), mu * std::sin(angle));
      const double normal = -b[0] / W.row(0).dot(along);
      const Vector3 trial = normal * along, u = W * trial + b;
      const double mismatch = (u.tail<2>() / u.tail<2>().norm() + along.tail<2>() / mu).norm();
      if (normal > 0 && mismatch < best) best = mismatch, answer = trial;
    }
    EXPECT_LE((r - answer).norm(), 2e-3 * answer.norm()) << seed;
  }
  EXPECT_GT(slips, 10);
}

// The ball: r = -W^-1 b inside, otherwise on the sphere with u against r.
TEST(LocalSolve, KeepsABallsLaw) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (unsigned seed = 1; seed <= 200; ++seed) {
    using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    const RowMajor W = definite_matrix(3, seed, 2.0);
    const Vector3 b(uniform(random), uniform(random), uniform(random));
    const double radius = 0.5 * std::abs(uniform(random));
    LocalBall<3> ball;
    ball.set(W.data());
    Vector3 r;
    ball.solve(b.data(), radius, r.data());
    const Vector3 u = W * r + b;
    EXPECT_LE(r.norm(), radius * (1 + 1e-14));
    EXPECT_NEAR(r.dot(u) + radius * u.norm(), 0, 1e-13) << seed;
  }
}

}  // namespace
}  // namespace stiction::solvers
