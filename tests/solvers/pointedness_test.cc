// Pointedness of the total friction cone, and the wedge of anitescu1998, 3.1, with its growing impulses.
#include "stiction/solvers/cone/pointedness.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stiction/certify/cone_residual.h"
#include "stiction/solvers/cone/general_cone.h"
#include "support/random_cone.h"

namespace stiction::solvers {
namespace {

FrictionCone round_cone(double mu) {
  return *make_ellipsoid_cone(std::array{mu, mu});
}

// n_i . v - h_F(-D^T v), by sampling the boundary of the round cone: independent of the support function.
double sampled_margin(const MatrixX& J, int row, double mu, const VectorX& v) {
  double least = 1e300;
  for (int k = 0; k < 3600; ++k) {
    const double angle = k * std::numbers::pi / 1800;
    least = std::min(least, J.row(row).dot(v) + mu * (std::cos(angle) * J.row(row + 1).dot(v) +
                                                      std::sin(angle) * J.row(row + 2).dot(v)));
  }
  return least;
}

// Rows n, t, o of a particle on planes with the given normals.
MatrixX particle_rows(const std::vector<Vector3>& normals) {
  MatrixX J(3 * static_cast<Eigen::Index>(normals.size()), 3);
  for (size_t i = 0; i < normals.size(); ++i) {
    const Vector3 n = normals[i].normalized(), t = Vector3::UnitX(), o = n.cross(t);
    const auto row = static_cast<Eigen::Index>(3 * i);
    J.row(row) = n, J.row(row + 1) = t, J.row(row + 2) = o;
  }
  return J;
}

// Figure 1: a groove along x, walls at 45 degrees.
MatrixX wedge() {
  return particle_rows({{0, -1, 1}, {0, 1, 1}});
}

TEST(Pointedness, OneContactIsPointedWithItsNormalAsProof) {
  const FrictionCone cone = round_cone(0.5);
  const MatrixX J = particle_rows({{0, 0, 1}});
  const PointednessReport report = check_pointedness(J, {{0, &cone}});
  ASSERT_EQ(report.verdict, Pointedness::pointed);
  EXPECT_NEAR((report.separating - Vector3::UnitZ()).norm(), 0, 1e-12);
  EXPECT_NEAR(report.margin, 1, 1e-12);
}

TEST(Pointedness, OppositeContactsAreNot) {
  for (const double mu : {0.0, 0.3}) {
    const FrictionCone cone = round_cone(mu);
    const MatrixX J = particle_rows({{0, 0, 1}, {0, 0, -1}});
    const PointednessReport report = check_pointedness(J, {{0, &cone}, {3, &cone}});
    ASSERT_EQ(report.verdict, Pointedness::not_pointed) << mu;
    EXPECT_LT((J.transpose() * report.self_stress).norm(), 1e-9);
    EXPECT_NEAR(report.self_stress[0] + report.self_stress[3], 1, 1e-12);
  }
}

TEST(Pointedness, OppositePlanesApartNeedFrictionToJam) {
  // The walls' normals are 160 degrees apart: cones of half angle 10 degrees and more contain opposite impulses.
  const double tilt = 10 * std::numbers::pi / 180;
  const MatrixX J = particle_rows({{0, -std::cos(tilt), std::sin(tilt)}, {0, std::cos(tilt), std::sin(tilt)}});
  for (const auto& [factor, expected] : {std::pair(0.999, Pointedness::pointed), {1.001, Pointedness::not_pointed}}) {
    const FrictionCone cone = round_cone(factor * std::tan(tilt));
    EXPECT_EQ(check_pointedness(J, {{0, &cone}, {3, &cone}}).verdict, expected) << factor;
  }
}

TEST(Pointedness, WedgeWithFrictionOneHasAWitnessAcrossTheGroove) {
  const FrictionCone cone = round_cone(1);
  const PointednessReport report = check_pointedness(wedge(), {{0, &cone}, {3, &cone}}, 1e-7);
  ASSERT_EQ(report.verdict, Pointedness::not_pointed) << report.distance << " " << report.margin;
  const VectorX& r = report.self_stress;
  const Vector3 left = wedge().topRows(3).transpose() * r.head(3);
  const Vector3 right = wedge().bottomRows(3).transpose() * r.tail(3);
  EXPECT_LT((left + right).norm(), 1e-7);
  EXPECT_LT(std::hypot(r[1], r[2]), r[0] * (1 + 1e-12));
  // (0, -1, 0) in K_1 against (0, 1, 0) in K_2. The distance is quadratic in the angle here, hence the square root.
  EXPECT_NEAR((left.normalized() - Vector3(0, -1, 0)).norm(), 0, 1e-3);
  EXPECT_NEAR((right.normalized() - Vector3(0, 1, 0)).norm(), 0, 1e-3);
}

TEST(Pointedness, WedgeWithFrictionNineTenthsIsPointed) {
  const FrictionCone cone = round_cone(0.9);
  const PointednessReport report = check_pointedness(wedge(), {{0, &cone}, {3, &cone}});
  ASSERT_EQ(report.verdict, Pointedness::pointed);
  // By symmetry v = (0, 0, 1) is best: n . v - 0.9 |D^T v| = (1 - 0.9) / sqrt 2.
  EXPECT_NEAR(report.margin, 0.1 / std::sqrt(2), 1e-4);
  for (const int row : {0, 3}) EXPECT_GE(sampled_margin(wedge(), row, 0.9, report.separating), 0.9 * report.margin);
}

TEST(Pointedness, RandomSetsAreDecidedWithAProof) {
  stiction::testing::RandomConeMaker maker(5);
  int pointed = 0, not_pointed = 0, undecided = 0;
  for (int k = 0; k < 600; ++k) {
    const auto made = maker.make(static_cast<stiction::testing::ConeFamily>(k % stiction::testing::cone_families));
    const PointednessReport report = check_pointedness(made.J, made.problem.contacts);
    EXPECT_LE(report.margin, report.distance * (1 + 1e-9));
    if (report.verdict == Pointedness::undecided) ++undecided;
    if (report.verdict == Pointedness::not_pointed) {
      ++not_pointed;
      EXPECT_LT((made.J.transpose() * report.self_stress).norm(), 1e-8 * made.J.norm());
      double normals = 0;
      for (const ConeContact& contact : made.problem.contacts) {
        const double* r = report.self_stress.data() + contact.first_row;
        normals += r[0];
        EXPECT_GE(r[0], 0);
        for (int i = 0; contact.cone && i < constraint_count(*contact.cone); ++i) {
          EXPECT_LE(constraint_value(*contact.cone, i, r[0], r + 1), 1e-12);
        }
      }
      EXPECT_NEAR(normals, 1, 1e-9);
    }
    if (report.verdict != Pointedness::pointed) continue;
    ++pointed;
    for (const ConeContact& contact : made.problem.contacts) {
      double toward[3] = {0, 0, 0};
      const VectorX u = made.J * report.separating;
      for (int i = 0; i < friction_rows(contact); ++i) toward[i] = -u[contact.first_row + 1 + i];
      const double friction = contact.cone ? cone_support(*contact.cone, toward) : 0;
      EXPECT_GT(u[contact.first_row] - friction, 0);
    }
  }
  EXPECT_GT(pointed, 100);
  EXPECT_GT(not_pointed, 30);
  EXPECT_EQ(undecided, 0);
}

// The wedge with friction 1 resists the load (1, 0, 1/(2n)) for every n, and in the limit not at all: (24)-(26).
ConeProblem loaded_wedge(const FrictionCone& cone, double n) {
  const MatrixX J = wedge(), W = J * J.transpose();
  const VectorX q = -J * Vector3(1, 0, 1 / (2 * n));  // a unit mass: the load is the momentum to be taken away
  ConeProblem problem;
  problem.contacts = {{0, &cone}, {3, &cone}};
  problem.W.assign(W.data(), W.data() + W.size());
  problem.q.assign(q.data(), q.data() + q.size());
  return problem;
}

// r with the given impulses in world axes at the two walls.
std::vector<double> wall_impulses(const Vector3& left, const Vector3& right) {
  std::vector<double> r(6);
  Eigen::Map<VectorX>(r.data(), 3) = wedge().topRows(3) * left;
  Eigen::Map<VectorX>(r.data() + 3, 3) = wedge().bottomRows(3) * right;
  return r;
}

// By how much an impulse is inside the cone of a wall: c_n - |friction|.
double depth_in(int wall, const Vector3& impulse) {
  const Vector3 local = wedge().middleRows(3L * wall, 3) * impulse;
  return local[0] - std::hypot(local[1], local[2]);
}

// The component across the groove (y) that the walls exchange is n / 2 at least. For any impulses k_1, k_2 in the cones
// that add up to the load f, and any w with -w in K_2* = K_2 and -e_y - w in K_1* = K_1:  -k_1y >= f . w.
TEST(Wedge, LeastImpulseAcrossTheGrooveIsHalfN) {
  const FrictionCone cone = round_cone(1);
  for (double n = 1; n <= 64; n *= 2) {
    const Vector3 load(1, 0, 1 / (2 * n)), w(n, -0.5, -n * n);
    EXPECT_GE(depth_in(1, -w), -1e-13 * n * n);
    EXPECT_GE(depth_in(0, -Vector3::UnitY() - w), -1e-13 * n * n);
    EXPECT_DOUBLE_EQ(load.dot(w), n / 2);  // the bound, and here is the answer that attains it:
    const Vector3 left(0.5, -n / 2, 1 / (4 * n)), right(0.5, n / 2, 1 / (4 * n));
    EXPECT_LT(certify::cone_residual(loaded_wedge(cone, n), wall_impulses(left, right)).worst(), 1e-14 * n);
    // The paper's own pair needs n: K_1 gives (0, -n, 0) only.
    EXPECT_LT(certify::cone_residual(loaded_wedge(cone, n), wall_impulses({0, -n, 0}, {1, n, 1 / (2 * n)})).worst(),
              1e-14 * n);
    // A little less does not do.
    const Vector3 less(0.5, -0.999 * n / 2, 1 / (4 * n)), other(0.5, 0.999 * n / 2, 1 / (4 * n));
    EXPECT_GT(certify::cone_residual(loaded_wedge(cone, n), wall_impulses(less, other)).cone, 1e-6);
  }
}

// The same load has a second answer: the particle slides on along the groove. Where FC is not pointed, (22) does not
// choose: from rest the solver finds the sliding one, from a jam it stays jammed, with impulses that grow like n / 2.
TEST(Wedge, SolverSlidesFromRestAndStaysJammedFromAJam) {
  const FrictionCone cone = round_cone(1);
  GeneralConeWorkspace workspace;
  for (double n = 1; n <= 64; n *= 2) {
    const ConeProblem problem = loaded_wedge(cone, n);
    const Vector3 load(1, 0, 1 / (2 * n));
    const auto at_wall = [&](const std::vector<double>& r, int wall) -> Vector3 {
      return wedge().middleRows(3L * wall, 3).transpose() * Eigen::Map<const VectorX>(r.data() + 3L * wall, 3);
    };
    std::vector<double> r(6);
    ASSERT_EQ(solve_general_cone(problem, {}, workspace, r).solve.termination, Termination::solved) << n;
    EXPECT_LT(certify::cone_residual(problem, r).worst(), 1e-12);
    // Each wall carries half the weight 1 / (2n) with c_n = sqrt 2 / (4n), and as much friction along x.
    EXPECT_NEAR((at_wall(r, 0) - Vector3(std::sqrt(0.125) / n, -0.25 / n, 0.25 / n)).norm(), 0, 1e-12);

    // Around the least jam, pressed a tenth more.
    r = wall_impulses({0.5, -0.55 * n, 1 / (4 * n)}, {0.5, 0.55 * n, 1 / (4 * n)});
    r[3] += 1e-3;  // not quite an answer
    GeneralConeOptions options;
    options.warm_start = true;
    const GeneralConeReport report = solve_general_cone(problem, options, workspace, r);
    ASSERT_EQ(report.solve.termination, Termination::solved) << n;
    EXPECT_TRUE(report.solve.warm_started);
    EXPECT_LT(certify::cone_residual(problem, r).worst(), 1e-11);
    EXPECT_LT((at_wall(r, 0) + at_wall(r, 1) - load).norm(), 1e-11);
    EXPECT_GE(-at_wall(r, 0).y(), n / 2 * (1 - 1e-9));
  }
}

}  // namespace
}  // namespace stiction::solvers
