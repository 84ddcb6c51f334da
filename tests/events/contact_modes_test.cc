// Modes of contacts at rest on random islands: what find_modes returns must satisfy Coulomb's law at the level of
// accelerations, judged by the certificate of friction problems, which shares no code with it.
#include <gtest/gtest.h>

#include <random>

#include "stiction/certify/friction_residual.h"
#include "stiction/events/contact_modes.h"

namespace stiction::testing {
namespace {

struct RandomIsland {
  InstantRows rows;
  ModeProblem problem;
  FrictionProblem law;
};

// n contacts of three rows on a body with `size` velocities; mass one, so that W = B^T B.
RandomIsland make_island(std::mt19937& random, int n, int size) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> friction(0.1, 1.2);
  RandomIsland result;
  InstantIsland& island = result.problem.island;
  island.B = MatrixX::NullaryExpr(size, 3 * n, [&] { return normal(random); });
  island.unconstrained = island.B;
  island.a0 = VectorX::NullaryExpr(3 * n, [&] { return normal(random); });
  island.y = island.y_free = VectorX::Zero(size);
  island.C.resize(size, 0);
  result.rows.velocity = VectorX::Zero(3 * n);
  result.rows.problem.row_count = 3 * n;
  result.law.row_start = {0};
  const MatrixX W = island.B.transpose() * island.B;
  for (int i = 0; i < n; ++i) {
    const double mu = friction(random);
    island.a0[3 * i] = -std::abs(island.a0[3 * i]);
    island.items.push_back({.contact = i, .first = 3 * i, .rows = 3});
    result.problem.modes.push_back({.key = static_cast<std::uint64_t>(i)});
    result.problem.axes.emplace_back(mu, mu, 0);
    result.problem.slip.emplace_back(Vector3::Zero());
    result.problem.turning.emplace_back(Vector2::Zero());
    result.problem.rolling.push_back(0);
    result.rows.problem.blocks.push_back({.first_row = 3 * i, .row_count = 3});
    result.rows.problem.contacts.push_back({.block = i, .friction = {mu, mu}});
    result.law.blocks.push_back({.first_row = 3 * i, .axes = {mu, mu, 0}});
    for (int j = 0; j < n; ++j) {
      result.law.column.push_back(j);
      result.law.value_start.push_back(static_cast<int>(result.law.value.size()));
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) result.law.value.push_back(W(3 * i + r, 3 * j + c));
      }
    }
    result.law.row_start.push_back(static_cast<int>(result.law.column.size()));
  }
  result.law.q.assign(island.a0.begin(), island.a0.end());
  return result;
}

TEST(ContactModes, RandomContactsAtRestObeyTheLaw) {
  std::mt19937 random(7);
  int found = 0, slipping = 0, open = 0;
  constexpr int count = 600;
  for (int k = 0; k < count; ++k) {
    const int n = 1 + k % 3;
    RandomIsland island = make_island(random, n, 3 * n + 2);
    const ModeSearch search = find_modes(island.rows, 5e-10, island.problem);
    if (!search.found) continue;
    ++found;
    for (const ContactMode& mode : island.problem.modes) {
      open += mode.closed ? 0 : 1;
      slipping += mode.closed && mode.slips ? 1 : 0;
    }
    const VectorX& f = search.solution.force;
    EXPECT_LT(certify::friction_residual(island.law, {f.data(), static_cast<size_t>(f.size())}).natural, 1e-7) << k;
  }
  // Directions of several slips that begin together are iterated, which need not converge.
  EXPECT_GT(found, count * 97 / 100);
  EXPECT_GT(slipping, count / 4);
  EXPECT_GT(open, count / 20);
}

// Redundant contacts: four below a plate that is pulled sideways. Some forces hold it as long as the pull is below
// mu m g, and the margin says so though the least-norm forces leave the cones earlier.
TEST(ContactModes, MarginOfRedundantContactsEndsAtTheTruePull) {
  const double mu = 0.4, m = 2, g = 9.81;
  const auto margin = [&](double pull) {
    ModeProblem problem;
    InstantIsland& island = problem.island;
    // Velocities x, y, z, and turning about x, y, z with inertias a, b, c; corners far from a high centre of mass.
    const std::array<double, 6> mass = {m, m, m, 0.05, 0.03, 0.06};
    island.B = MatrixX::Zero(6, 12);
    const std::array<Vector3, 4> corners = {Vector3(0.3, 0.2, -0.1), Vector3(-0.3, 0.2, -0.1),
                                            Vector3(-0.3, -0.2, -0.1), Vector3(0.3, -0.2, -0.1)};
    VectorX vdot(6);
    vdot << pull, 0, -g, 0, 0, 0;
    island.a0.resize(12);
    for (int i = 0; i < 4; ++i) {
      const std::array<Vector3, 3> axes = {Vector3::UnitZ(), Vector3::UnitX(), Vector3::UnitY()};
      for (int r = 0; r < 3; ++r) {
        VectorX J(6);
        J << axes[r], corners[i].cross(axes[r]);
        for (int k = 0; k < 6; ++k) island.B(k, 3 * i + r) = J[k] / std::sqrt(mass[k]);
        island.a0[3 * i + r] = J.dot(vdot);
      }
      island.items.push_back({.contact = i, .first = 3 * i, .rows = 3});
      problem.modes.push_back({.key = static_cast<std::uint64_t>(i)});
      problem.axes.emplace_back(mu, mu, 0);
      problem.slip.emplace_back(Vector3::Zero());
      problem.turning.emplace_back(Vector2::Zero());
      problem.rolling.push_back(0);
    }
    island.y_free = VectorX::Zero(6);
    const ModeSolution solution = solve_modes(problem);
    EXPECT_EQ(solution.redundancy, 6);
    EXPECT_LT(solution.acceleration.norm(), 1e-12);
    return solution.margin;
  };
  EXPECT_GT(margin(mu * g * (1 - 1e-6)), 0);
  EXPECT_LT(margin(mu * g * (1 + 1e-6)), 0);
  EXPECT_GT(margin(0), 1e-5);
}

// Friction is against the slip, and stays so when the slip has passed zero: the motion is smooth up to its event.
TEST(ContactModes, SlipRatioIsOfMaximumDissipation) {
  const Vector3 axes(0.6, 0.2, 0.01), u(0.3, -0.4, 2);
  const Vector3 f = slip_ratio(axes, u, u.normalized());
  EXPECT_NEAR(f.cwiseQuotient(axes).norm(), 1, 1e-15);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 1000; ++k) {
    const Vector3 other = axes.cwiseProduct(Vector3(normal(random), normal(random), normal(random)).normalized());
    EXPECT_LE(f.dot(u), other.dot(u) + 1e-15);
  }
  EXPECT_LT((slip_ratio(axes, -u, u.normalized()) - f).norm(), 1e-15);
  EXPECT_LT((slip_ratio(axes, Vector3::Zero(), u.normalized()) - f).norm(), 1e-15);
}

}  // namespace
}  // namespace stiction::testing
