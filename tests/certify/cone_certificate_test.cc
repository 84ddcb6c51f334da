// Friction sets that are not ellipses in the certificate of a step: one particle on a plane, right answers in closed
// form, and answers that are wrong in one way each.
#include <cmath>

#include <gtest/gtest.h>

#include "stiction/certify/step_certificate.h"

namespace stiction {
namespace {

constexpr double mass = 2, h = 1e-2, g = 9.81, p_n = mass * g * h;

StepProblem particle(const FrictionCone& cone, const Vector2& velocity) {
  StepProblem problem;
  problem.step = h;
  problem.trees.push_back({0, 3, 0});
  problem.mass = {mass, 0, 0, 0, mass, 0, 0, 0, mass};
  problem.v_start = Vector3(velocity.x(), velocity.y(), 0);
  problem.external_impulse = Vector3(0, 0, -h * g * mass);
  problem.v_free = problem.v_start + problem.external_impulse / mass;
  problem.jacobian = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  RowBlock block;
  block.row_count = problem.row_count = 3;
  block.tree[0] = 0;
  problem.blocks.push_back(block);
  ContactRows contact;
  contact.cone = &cone;
  const double reach = std::max(cone_extent(cone, 0), cone_extent(cone, 1));
  contact.friction = {reach, reach};
  problem.contacts.push_back(contact);
  return problem;
}

// The answer with friction b per unit of the normal impulse, momentum kept.
StepAnswer answer_with(const StepProblem& problem, const Vector2& b) {
  StepAnswer answer;
  answer.impulse = Vector3(p_n, p_n * b.x(), p_n * b.y());
  answer.v_end = problem.v_start + Vector3(p_n * b.x(), p_n * b.y(), 0) / mass;
  return answer;
}

certify::StepCertificate judge(const StepProblem& problem, const StepAnswer& answer) {
  certify::CertifyWorkspace workspace;
  return certify::certify_step(problem, answer, workspace);
}

struct Case {
  const char* name;
  FrictionCone cone;
  Vector2 velocity, b;  // a motion that goes on, and the friction that it meets
};

// The b of largest dissipation by hand: corners; for |x/a|^p + |y/c|^p <= 1 the gradient of h_F, here with a = c and
// equal velocities; for a segment its end.
std::vector<Case> cases() {
  return {
      {"square",
       *make_polygon_cone(std::vector<Vector2>{{0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}}),
       {2, 1},
       {-0.5, -0.5}},
      {"triangle", *make_polygon_cone(std::vector<Vector2>{{0.4, 0}, {-0.2, 0.3}, {-0.2, -0.3}}), {-2, 0.5}, {0.4, 0}},
      {"segment", *make_polygon_cone(std::vector<Vector2>{{0.3, 0.4}, {-0.3, -0.4}}), {1, 1}, {-0.3, -0.4}},
      {"superellipse 4",
       *make_superellipse_cone(0.5, 0.5, 4),
       {1, 1},
       {-0.5 * std::pow(2, -0.25), -0.5 * std::pow(2, -0.25)}},
      {"superellipse 1.5", *make_superellipse_cone(0.5, 0.3, 1.5), {0, 1}, {0, -0.3}}};
}

TEST(ConeCertificate, LargestDissipationIsRight) {
  for (const Case& c : cases()) {
    const StepProblem problem = particle(c.cone, c.velocity);
    EXPECT_LT(judge(problem, answer_with(problem, c.b)).worst(), 1e-12) << c.name;
  }
}

TEST(ConeCertificate, FrictionOutsideItsSetShowsInTheCone) {
  for (const Case& c : cases()) {
    const StepProblem problem = particle(c.cone, c.velocity);
    for (const double factor : {1 + 1e-6, 1.1, 3.0}) {
      const certify::StepCertificate judged = judge(problem, answer_with(problem, factor * c.b));
      EXPECT_NEAR(judged.cone, factor - 1, 1e-9 * factor) << c.name;
      EXPECT_LT(judged.momentum, 1e-12);
    }
  }
}

TEST(ConeCertificate, LessThanTheLargestDissipationShowsInFriction) {
  for (const Case& c : cases()) {
    const StepProblem problem = particle(c.cone, c.velocity);
    for (const double factor : {1 - 1e-6, 0.5, 0.0, -0.4}) {  // -0.4 is inside every one of the sets
      const certify::StepCertificate judged = judge(problem, answer_with(problem, factor * c.b));
      EXPECT_GT(judged.friction, 0.1 * (1 - factor)) << c.name << " " << factor;
      EXPECT_LT(judged.cone, 1e-12) << c.name << " " << factor;
    }
  }
}

// Impulses of any size are judged alike: |p/a|^4 of a small one is far below one unit of rounding.
TEST(ConeCertificate, SmallImpulsesAreJudgedLikeLargeOnes) {
  for (const Case& c : cases()) {
    for (const double size : {1e-9, 1e-3, 1e6}) {
      StepProblem problem = particle(c.cone, c.velocity);
      for (double& m : problem.mass) m *= size;
      problem.external_impulse *= size;
      const auto judged = [&](double factor) {
        StepAnswer answer = answer_with(problem, factor * c.b);
        answer.impulse *= size;
        return judge(problem, answer);
      };
      EXPECT_LT(judged(1).worst(), 1e-12) << c.name << " " << size;
      EXPECT_NEAR(judged(1.1).cone, 0.1, 1e-9) << c.name << " " << size;
    }
  }
}

TEST(ConeCertificate, FrictionOutOfTheSpanOfASegmentShowsInTheCone) {
  const FrictionCone cone = *make_polygon_cone(std::vector<Vector2>{{0.3, 0.4}, {-0.3, -0.4}});
  const StepProblem problem = particle(cone, {1, 1});
  EXPECT_GT(judge(problem, answer_with(problem, {-0.3 + 0.04, -0.4 - 0.03})).cone, 0.09);
}

TEST(ConeCertificate, RestNeedsNoMoreThanTheSetHolds) {
  // 0.2 g h of speed along the diagonal, stopped: inside the square; the same stop along x is outside the triangle.
  const auto square = *make_polygon_cone(std::vector<Vector2>{{0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}});
  StepProblem problem = particle(square, Vector2(0.2, 0.2) * g * h);
  EXPECT_LT(judge(problem, answer_with(problem, {-0.2, -0.2})).worst(), 1e-12);
  const auto triangle = *make_polygon_cone(std::vector<Vector2>{{0.4, 0}, {-0.2, 0.3}, {-0.2, -0.3}});
  problem = particle(triangle, Vector2(0.25, 0) * g * h);
  EXPECT_NEAR(judge(problem, answer_with(problem, {-0.25, 0})).cone, 0.25, 1e-9);
}

TEST(ConeCertificate, PullingContactsAndNumbersThatAreNotFiniteAreRejected) {
  const FrictionCone cone = *make_superellipse_cone(0.5, 0.5, 3);
  const StepProblem problem = particle(cone, {1, 0});
  StepAnswer answer = answer_with(problem, {-0.5, 0});
  answer.impulse[0] = -p_n;
  EXPECT_GT(judge(problem, answer).cone, 1e-3);
  answer.impulse[0] = std::nan("");
  EXPECT_TRUE(std::isinf(judge(problem, answer).worst()));
}

}  // namespace
}  // namespace stiction
