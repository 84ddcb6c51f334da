// Rolling resistance in the certificate: a disc of radius limit * p_n, judged by closed forms of one wheel.
#include <cmath>

#include <gtest/gtest.h>

#include "stiction/certify/step_certificate.h"

namespace stiction {
namespace {

constexpr double mass = 2, inertia = 0.05, radius = 0.2, h = 1e-2, g = 9.81, limit = 0.01;

// A ball that rolls along x: velocities (linear, angular), rows n, t, o, then rolling about t and o.
StepProblem rolling_ball(double speed) {
  StepProblem problem;
  problem.step = h;
  problem.trees.push_back({0, 6, 0});
  problem.mass.assign(36, 0.0);
  for (int i = 0; i < 6; ++i) problem.mass[7 * i] = i < 3 ? mass : inertia;
  problem.v_start = VectorX::Zero(6);
  problem.v_start[0] = speed;
  problem.v_start[4] = speed / radius;
  problem.v_free = problem.v_start;
  problem.v_free[2] -= h * g;
  problem.external_impulse = VectorX::Zero(6);
  problem.external_impulse[2] = -h * g * mass;
  const Vector3 arm(0, 0, -radius);
  const auto add_rows = [&](std::initializer_list<Vector3> forces, std::initializer_list<Vector3> moments) {
    RowBlock block;
    block.first_row = problem.row_count;
    block.row_count = static_cast<int>(forces.size() + moments.size());
    block.tree[0] = 0;
    block.offset[0] = static_cast<int>(problem.jacobian.size());
    const auto push = [&](const Vector3& linear, const Vector3& angular) {
      for (int i = 0; i < 3; ++i) problem.jacobian.push_back(linear[i]);
      for (int i = 0; i < 3; ++i) problem.jacobian.push_back(angular[i]);
    };
    for (const Vector3& f : forces) push(f, arm.cross(f));
    for (const Vector3& m : moments) push(Vector3::Zero(), m);
    problem.row_count += block.row_count;
    problem.blocks.push_back(block);
  };
  add_rows({Vector3::UnitZ(), Vector3::UnitX(), Vector3::UnitY()}, {});
  add_rows({}, {Vector3::UnitX(), Vector3::UnitY()});
  ContactRows contact;
  contact.friction = {0.5, 0.5};
  contact.rolling = 0;
  problem.contacts.push_back(contact);
  RollingRows rolling;
  rolling.block = 1;
  rolling.limit = limit;
  problem.rollings.push_back(rolling);
  return problem;
}

// The answer with the moment `share` of the limit: v from momentum and no slip.
StepAnswer answer_with(const StepProblem& problem, double share) {
  const double p_n = mass * g * h, moment = share * limit * p_n;
  const double change = -moment * radius / (inertia + mass * radius * radius);
  StepAnswer answer;
  answer.v_end = problem.v_start;
  answer.v_end[0] += change;
  answer.v_end[4] += change / radius;
  answer.impulse = VectorX::Zero(5);
  answer.impulse << p_n, mass * change, 0, 0, -moment;
  return answer;
}

certify::StepCertificate judge(const StepProblem& problem, const StepAnswer& answer) {
  certify::CertifyWorkspace workspace;
  return certify::certify_step(problem, answer, workspace);
}

TEST(RollingCertificate, TheFullMomentAgainstRollingIsRight) {
  const StepProblem problem = rolling_ball(1.0);
  const certify::StepCertificate c = judge(problem, answer_with(problem, 1));
  EXPECT_LT(c.worst(), 1e-12);
  EXPECT_EQ(c.energy_gain, 0);
}

TEST(RollingCertificate, LessThanTheLimitWhileRollingShowsInFriction) {
  const StepProblem problem = rolling_ball(1.0);
  for (const double share : {0.0, 0.9, -1.0}) {
    const certify::StepCertificate c = judge(problem, answer_with(problem, share));
    EXPECT_GT(c.friction, 1e-5) << share;
    EXPECT_LT(c.cone, 1e-12) << share;
    EXPECT_LT(c.momentum, 1e-12) << share;
  }
}

TEST(RollingCertificate, MoreThanTheLimitShowsInTheCone) {
  const StepProblem problem = rolling_ball(1.0);
  EXPECT_NEAR(judge(problem, answer_with(problem, 1.1)).cone, 0.1, 1e-12);
}

// At rest any moment inside the disc will do where it keeps the ball at rest; here none is needed.
TEST(RollingCertificate, AtRestNoMomentIsNeeded) {
  const StepProblem problem = rolling_ball(0.0);
  EXPECT_LT(judge(problem, answer_with(problem, 0)).worst(), 1e-12);
  EXPECT_GT(judge(problem, answer_with(problem, 0.5)).friction, 1e-4);
}

}  // namespace
}  // namespace stiction
