// Identities between the recursions on random trees: each is computed in two ways that share no code but the
// kinematics.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "dynamics/random_model.h"
#include "stiction/dynamics/aba.h"
#include "stiction/dynamics/crba.h"
#include "stiction/dynamics/energy.h"
#include "stiction/dynamics/jacobian.h"

namespace stiction {
namespace {

using testing::Dice;
using testing::random_sample;
using testing::Sample;

class Identities : public ::testing::TestWithParam<int> {
 protected:
  static constexpr int samples = 20;

  // Runs `check(sample, kinematics, dice)` on random trees of the size under test.
  template <class Check>
  void for_each_sample(Check check) {
    for (unsigned seed = 0; seed < samples; ++seed) {
      const Sample sample = random_sample(seed, GetParam());
      Kinematics k = make_kinematics(sample.model);
      update_kinematics(sample.model, sample.state, 1e-3, k);
      Dice dice(seed + 1000);
      check(sample, k, dice);
    }
  }

  static std::vector<Wrench> random_wrenches(Dice& dice, const Model& model) {
    std::vector<Wrench> wrenches(model.bodies.size());
    for (Wrench& wrench : wrenches) wrench = {dice.vector(5), dice.vector(5)};
    return wrenches;
  }

  static std::vector<double> random_diagonal(Dice& dice, const Model& model) {
    std::vector<double> diagonal(model.v_size);
    for (double& d : diagonal) d = dice.uniform(0, 0.5);
    return diagonal;
  }

  // The whole mass matrix from its blocks.
  static MatrixX mass_matrix(const Model& model, const Kinematics& k, std::span<const double> extra = {}) {
    Recursion scratch = make_recursion(model);
    std::vector<double> mass(model.mass_size, std::nan(""));  // every entry must be written
    crba(model, k, extra, scratch, mass);
    MatrixX M = MatrixX::Zero(model.v_size, model.v_size);
    for (const Tree& tree : model.trees)
      M.block(tree.v_offset, tree.v_offset, tree.v_size, tree.v_size) =
          Eigen::Map<const MatrixX>(mass.data() + tree.mass_offset, tree.v_size, tree.v_size);
    return M;
  }
};

TEST_P(Identities, RneaOfAbaIsTau) {
  for_each_sample([](const Sample& s, const Kinematics& k, Dice& dice) {
    Recursion scratch = make_recursion(s.model);
    const std::vector<Wrench> external = random_wrenches(dice, s.model);
    const VectorX tau = dice.numbers(s.model.v_size, 10);
    VectorX vdot = VectorX::Zero(s.model.v_size), back = vdot;
    aba(s.model, k, tau, {}, external, scratch, vdot);
    rnea(s.model, k, vdot, external, scratch, back);
    EXPECT_LT((back - tau).norm(), 1e-11 * tau.norm());
  });
}

TEST_P(Identities, AbaIsCrbaSolve) {
  for_each_sample([](const Sample& s, const Kinematics& k, Dice& dice) {
    Recursion scratch = make_recursion(s.model);
    const std::vector<double> extra = random_diagonal(dice, s.model);
    const std::vector<Wrench> external = random_wrenches(dice, s.model);
    const VectorX tau = dice.numbers(s.model.v_size, 10), zero = VectorX::Zero(s.model.v_size);
    VectorX vdot = zero, bias = zero;
    aba(s.model, k, tau, extra, external, scratch, vdot);
    rnea(s.model, k, zero, external, scratch, bias);
    const MatrixX M = mass_matrix(s.model, k, extra);
    const VectorX solved = M.llt().solve(tau - bias);
    const VectorX eigenvalues = Eigen::SelfAdjointEigenSolver<MatrixX>(M, Eigen::EigenvaluesOnly).eigenvalues();
    const double condition = eigenvalues.maxCoeff() / eigenvalues.minCoeff();
    EXPECT_LT((vdot - solved).norm(), 1e-15 * condition * solved.norm());
  });
}

TEST_P(Identities, MassMatrixIsRneaOfUnitAccelerations) {
  for_each_sample([](const Sample& s, const Kinematics& k, Dice&) {
    Recursion scratch = make_recursion(s.model);
    const MatrixX M = mass_matrix(s.model, k);
    EXPECT_EQ(M, M.transpose());
    VectorX bias = VectorX::Zero(s.model.v_size), column = bias;
    rnea(s.model, k, VectorX::Zero(s.model.v_size), {}, scratch, bias);
    for (int i = 0; i < s.model.v_size; ++i) {
      rnea(s.model, k, VectorX::Unit(s.model.v_size, i), {}, scratch, column);
      // RNEA's bias of size |bias| cancels: rounding times (|M| + |bias|), with a factor for the depth of the tree.
      EXPECT_LT((column - bias - M.col(i)).norm(), 1e-14 * (M.norm() + bias.norm()));
    }
  });
}

TEST_P(Identities, KineticEnergyIsQuadraticForm) {
  for_each_sample([](const Sample& s, Kinematics& k, Dice&) {
    // Prescribed motion carries bodies along without joint velocities, so the form holds for a base at rest.
    for (size_t b = 0; b < s.model.bodies.size(); ++b) k.velocity[b] = {};
    update_velocities(s.model, s.state.v, k);
    const double form = 0.5 * s.state.v.dot(mass_matrix(s.model, k) * s.state.v);
    EXPECT_NEAR(kinetic_energy(s.model, s.state, k), form, 1e-12 * form);
  });
}

TEST_P(Identities, JacobianTimesVelocityIsRecursiveVelocity) {
  for_each_sample([](const Sample& s, const Kinematics& k, Dice& dice) {
    Matrix6X J;
    for (int b = 0; b < static_cast<int>(s.model.bodies.size()); ++b) {
      const Vector3 point = k.com_W[b] + dice.vector();
      body_jacobian(s.model, k, b, point, J);
      const Twist prescribed = prescribed_twist(s.model, k, b, point);
      const Vector6 twist = J * s.state.v;
      const Vector3 recursive = k.velocity[b].at(point - k.com_W[b]);
      const double scale = recursive.norm() + k.velocity[b].angular.norm();
      EXPECT_LE((twist.head<3>() + prescribed.linear - recursive).norm(), 1e-11 * scale);
      EXPECT_LE((twist.tail<3>() + prescribed.angular - k.velocity[b].angular).norm(), 1e-11 * scale);
    }
  });
}

TEST_P(Identities, GeneralizedLoadIsJacobianTransposed) {
  for_each_sample([](const Sample& s, const Kinematics& k, Dice& dice) {
    Matrix6X J;
    for (int b = 0; b < static_cast<int>(s.model.bodies.size()); ++b) {
      const Vector3 point = dice.vector();
      Vector6 load;
      load << dice.vector(), dice.vector();
      body_jacobian(s.model, k, b, point, J);
      const VectorX expected = J.transpose() * load;
      if (s.model.bodies[b].joint < 0) {
        EXPECT_TRUE(expected.isZero(0));
        add_generalized_load(s.model, k, b, point, load.head<3>(), load.tail<3>(), nullptr);
        continue;
      }
      const Tree& tree = s.model.trees[s.model.tree_joints[s.model.bodies[b].joint].tree];
      VectorX row = VectorX::Zero(tree.v_size);
      add_generalized_load(s.model, k, b, point, load.head<3>(), load.tail<3>(), row.data());
      EXPECT_LE((row - expected.segment(tree.v_offset, tree.v_size)).norm(), 1e-12 * expected.norm());
      EXPECT_NEAR(row.norm(), expected.norm(), 1e-12 * expected.norm());  // nothing outside the tree
    }
  });
}

TEST_P(Identities, RowsOfAContactAreVelocitiesAlongItsAxes) {
  for_each_sample([](const Sample& s, const Kinematics& k, Dice& dice) {
    Matrix6X J;
    for (int b = 0; b < static_cast<int>(s.model.bodies.size()); ++b) {
      const Vector3 point = k.com_W[b] + dice.vector();
      const std::array<Vector3, 3> axes = {dice.vector(), dice.vector(), dice.vector()};
      if (s.model.bodies[b].joint < 0) continue;
      const Tree& tree = s.model.trees[s.model.tree_joints[s.model.bodies[b].joint].tree];
      body_jacobian(s.model, k, b, point, J);
      for (const int count : {1, 3, 4}) {
        RowMatrixX rows = RowMatrixX::Zero(count, tree.v_size), expected = rows;
        add_contact_rows(s.model, k, b, point, axes, count, -1, tree.v_size, rows.data());
        for (int r = 0; r < count; ++r) {
          const VectorX row =
              r < 3 ? VectorX(J.topRows<3>().transpose() * axes[r]) : VectorX(J.bottomRows<3>().transpose() * axes[0]);
          expected.row(r) = -row.segment(tree.v_offset, tree.v_size).transpose();
        }
        EXPECT_LE((rows - expected).norm(), 1e-12 * expected.norm());
      }
    }
  });
}

TEST_P(Identities, JacobianIsCentralDifferenceOfPositions) {
  const double step = 1e-5;  // truncation and rounding both near 1e-10
  for_each_sample([step](const Sample& s, const Kinematics& k, Dice& dice) {
    Kinematics ahead = make_kinematics(s.model), behind = ahead;
    Matrix6X J;
    std::vector<Vector3> point_B;
    for (size_t b = 0; b < s.model.bodies.size(); ++b) point_B.push_back(dice.vector());
    for (int i = 0; i < s.model.v_size; ++i) {
      State plus = s.state, minus = s.state;
      integrate_positions(s.model, VectorX::Unit(s.model.v_size, i), step, plus.q);
      integrate_positions(s.model, VectorX::Unit(s.model.v_size, i), -step, minus.q);
      update_kinematics(s.model, plus, 1e-3, ahead);
      update_kinematics(s.model, minus, 1e-3, behind);
      for (int b = 0; b < static_cast<int>(s.model.bodies.size()); ++b) {
        body_jacobian(s.model, k, b, k.X_WB[b] * point_B[b], J);
        const Vector3 slope = (ahead.X_WB[b] * point_B[b] - behind.X_WB[b] * point_B[b]) / (2 * step);
        const Quaternion turn(ahead.X_WB[b].R * behind.X_WB[b].R.transpose());
        EXPECT_LT((slope - J.col(i).head<3>()).norm(), 1e-7);
        EXPECT_LT((log_rotation(turn) / (2 * step) - J.col(i).tail<3>()).norm(), 1e-7);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Freedoms, Identities, ::testing::Values(6, 20, 60));

}  // namespace
}  // namespace stiction
