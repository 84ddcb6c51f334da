// The certificate accepts right answers, and each of its values rejects the answer that breaks its own law.
#include "stiction/certify/step_certificate.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include "stiction/solvers/lcp/lemke.h"
#include "support/allocation_counter.h"
#include "support/box_stack.h"

namespace stiction::certify {
namespace {

using ::stiction::testing::box_stack;
using ::stiction::testing::dense_jacobian;
using ::stiction::testing::dense_mass;
using ::stiction::testing::polyhedral_lcp;
using ::stiction::testing::StackOptions;

// Right answers carry rounding only: 1e-16 times condition numbers up to about 1e3 here.
constexpr double accepted = 1e-12;

StepCertificate certify(const StepProblem& problem, const StepAnswer& answer) {
  CertifyWorkspace workspace;
  return certify_step(problem, answer, workspace);
}

// End velocity that the equations of motion give for these impulses.
void complete(const StepProblem& problem, StepAnswer& answer) {
  answer.v_end =
      problem.v_free + dense_mass(problem).ldlt().solve(dense_jacobian(problem).transpose() * answer.impulse);
}

StepAnswer solve(const StepProblem& problem) {
  const auto polyhedral = polyhedral_lcp(problem, 4);
  VectorX z;
  EXPECT_EQ(solvers::solve_lemke(polyhedral.lcp, z).termination, solvers::Termination::solved);
  return ::stiction::testing::step_answer(problem, polyhedral, z);
}

// One particle of mass m over the ground with rows (n, t, o) or (n, t, o, spin): W is diagonal, so every answer is
// closed form. Velocities: (vz, vx, vy, spin); the moment of inertia about the normal is m.
StepProblem particle(double mass, int rows, const Vector4& v_start) {
  StepProblem problem;
  problem.step = 0.01;
  problem.trees = {{0, 4, 0}};
  const MatrixX M = mass * MatrixX::Identity(4, 4);
  problem.mass.assign(M.data(), M.data() + 16);
  problem.v_start = v_start;
  problem.external_impulse = Vector4(-9.81 * mass * problem.step, 0, 0, 0);
  problem.v_free = v_start + problem.external_impulse / mass;
  problem.blocks = {{0, rows, {0, -1}, {0, 0}}};
  const RowMatrixX J = RowMatrixX::Identity(rows, 4);
  problem.jacobian.assign(J.data(), J.data() + rows * 4);
  problem.row_count = rows;
  ContactRows contact;
  contact.friction = {0.5, 0.5};
  contact.approach = v_start[0];
  problem.contacts = {contact};
  return problem;
}

StepAnswer particle_answer(const StepProblem& problem, const VectorX& impulse) {
  StepAnswer answer;
  answer.impulse = impulse;
  complete(problem, answer);
  return answer;
}

// A particle that slides along t with friction: p_n = m g h, p_t = -mu p_n.
struct Sliding {
  StepProblem problem = particle(2.0, 3, {0, 1, 0, 0});
  double p_n = 2.0 * 9.81 * 0.01;
  StepAnswer answer = particle_answer(problem, Vector3(p_n, -0.5 * p_n, 0));
};

TEST(StepCertificate, AcceptsTheClosedFormOfASlidingParticle) {
  const Sliding sliding;
  const StepCertificate certificate = certify(sliding.problem, sliding.answer);
  EXPECT_LT(certificate.worst(), accepted);
  EXPECT_EQ(certificate.penetration, 0);
  EXPECT_EQ(certificate.energy_gain, 0);
}

TEST(StepCertificate, AcceptsStandingTowersAndSlidingBoxes) {
  for (const bool tower : {true, false}) {
    StackOptions options;
    options.boxes = 4;
    options.tower = tower;
    StepProblem problem = box_stack(options);
    EXPECT_LT(certify(problem, solve(problem)).worst(), accepted) << "standing";
    if (tower) continue;
    for (int k = 0; k < 4; ++k) problem.v_start[6 * k] = problem.v_free[6 * k] = 1;  // along a friction direction
    const StepCertificate certificate = certify(problem, solve(problem));
    EXPECT_LT(certificate.worst(), accepted) << "sliding";
    EXPECT_LT(certificate.energy_gain, 1e-15);
  }
}

// A pyramid is not a cone: sliding between two of four directions must show, by the 45 degrees' worth of the friction
// law.
TEST(StepCertificate, SeesThePyramidOfFourDirections) {
  StackOptions options;
  StepProblem problem = box_stack(options);
  for (int i : {0, 1}) problem.v_start[i] = problem.v_free[i] = i == 0 ? 1.0 : 0.6;
  const StepCertificate certificate = certify(problem, solve(problem));
  EXPECT_GT(certificate.friction, 1e-3);
  EXPECT_LT(certificate.normal, accepted);
  EXPECT_LT(certificate.momentum, accepted);
}

TEST(StepCertificate, NormalRejectsAPullAndAnEarlyRelease) {
  const Sliding sliding;
  // Twice the normal impulse: the particle leaves the ground although it is pushed.
  StepAnswer answer = particle_answer(sliding.problem, Vector3(2 * sliding.p_n, -sliding.p_n, 0));
  StepCertificate certificate = certify(sliding.problem, answer);
  EXPECT_NEAR(certificate.normal, 9.81 * 0.01 / 1.0, 1e-12);  // u_n / s, with s = 1 m/s of sliding
  EXPECT_LT(certificate.friction, accepted);
  EXPECT_LT(certificate.cone, accepted);
  EXPECT_LT(certificate.momentum, accepted);
  // None at all: it falls into the ground.
  answer = particle_answer(sliding.problem, Vector3(0, 0, 0));
  certificate = certify(sliding.problem, answer);
  EXPECT_NEAR(certificate.normal, 9.81 * 0.01, 1e-12);
  EXPECT_LT(certificate.cone, accepted);
  // A pull on a particle that flies off.
  const StepProblem flying = particle(2.0, 3, {1, 0, 0, 0});
  certificate = certify(flying, particle_answer(flying, Vector3(-0.1, 0, 0)));
  EXPECT_GT(certificate.normal, 0.01);
  EXPECT_GT(certificate.cone, 0.01);  // a negative normal impulse is outside every cone
}

TEST(StepCertificate, FrictionRejectsWrongDirectionAndWrongSize) {
  const Sliding sliding;
  const double p = 0.5 * sliding.p_n;
  for (const Vector2& tangential : {Vector2(p, 0), Vector2(0, -p), Vector2(-0.5 * p, 0), Vector2(0, 0)}) {
    const Vector3 impulse(sliding.p_n, tangential.x(), tangential.y());
    const StepCertificate certificate = certify(sliding.problem, particle_answer(sliding.problem, impulse));
    EXPECT_GT(certificate.friction, 0.01);
    EXPECT_LT(certificate.normal, accepted);
    EXPECT_LT(certificate.cone, accepted);
    EXPECT_LT(certificate.momentum, accepted);
  }
}

TEST(StepCertificate, ConeRejectsTooMuchFriction) {
  const Sliding sliding;
  const Vector3 impulse(sliding.p_n, -0.55 * sliding.p_n, 0);
  const StepCertificate certificate = certify(sliding.problem, particle_answer(sliding.problem, impulse));
  EXPECT_NEAR(certificate.cone, 0.1, 1e-12);  // ten per cent more than mu p_n
  EXPECT_LT(certificate.normal, accepted);
  EXPECT_LT(certificate.momentum, accepted);
}

TEST(StepCertificate, MomentumRejectsAnotherVelocity) {
  Sliding sliding;
  sliding.answer.v_end[2] += 1e-6;
  const StepCertificate certificate = certify(sliding.problem, sliding.answer);
  EXPECT_GT(certificate.momentum, 1e-6);
  EXPECT_LT(certificate.normal, accepted);
  EXPECT_LT(certificate.cone, accepted);
  Sliding flipped;
  flipped.problem.external_impulse *= -1;
  EXPECT_GT(certify(flipped.problem, flipped.answer).momentum, 1);
}

TEST(StepCertificate, EnergyGainIsTheWorkOfTheImpulses) {
  const StepProblem flying = particle(2.0, 3, {0, 1, 0, 0});
  const Vector3 impulse(1.0, 0.2, 0);  // throws the particle up and pushes it on
  const StepAnswer answer = particle_answer(flying, impulse);
  const double gained = 0.5 * 2.0 * (answer.v_end.squaredNorm() - flying.v_free.squaredNorm());
  EXPECT_NEAR(certify(flying, answer).energy_gain, gained, 1e-14);
  EXPECT_GT(gained, 0);
}

// On a belt the friction does work on the particle, and none that the belt's motion does not explain.
TEST(StepCertificate, AMovingSurfaceExplainsItsWork) {
  StepProblem belt = particle(2.0, 3, {0, 0, 0, 0});
  belt.contacts[0].surface[1] = -3;  // the belt moves at +3 along t
  const double p_n = 2.0 * 9.81 * 0.01;
  const StepAnswer answer = particle_answer(belt, Vector3(p_n, 0.5 * p_n, 0));
  const StepCertificate certificate = certify(belt, answer);
  EXPECT_LT(certificate.worst(), accepted);
  EXPECT_EQ(certificate.energy_gain, 0);
  EXPECT_GT(answer.v_end[1], 0);
}

TEST(StepCertificate, PenetrationIsTheLargestOverlap) {
  StepProblem problem = particle(1.0, 3, {0, 0, 0, 0});
  problem.contacts[0].gap = -0.002;
  const double p_n = 9.81 * 0.01;
  // Resting at the overlap, leaving slowly, and leaving at once are all right; leaving faster is not.
  for (const double speed : {0.0, 0.1, 0.2}) {
    EXPECT_LT(certify(problem, particle_answer(problem, Vector3(p_n + speed, 0, 0))).worst(), accepted) << speed;
  }
  EXPECT_GT(certify(problem, particle_answer(problem, Vector3(p_n + 0.3, 0, 0))).normal, 0.1);
  EXPECT_GT(certify(problem, particle_answer(problem, Vector3(p_n - 0.01, 0, 0))).normal, 0.01);
  EXPECT_EQ(certify(problem, particle_answer(problem, Vector3(p_n, 0, 0))).penetration, 0.002);
}

TEST(StepCertificate, AnOpenGapMayCloseButNotMore) {
  StepProblem problem = particle(1.0, 3, {-1, 0, 0, 0});
  problem.contacts[0].gap = 0.004;  // closes after 0.4 of the step
  const double fall = 1 + 9.81 * 0.01;
  EXPECT_LT(certify(problem, particle_answer(problem, Vector3(fall - 0.4, 0, 0))).worst(), accepted);
  EXPECT_GT(certify(problem, particle_answer(problem, Vector3(fall, 0, 0))).normal, 0.1);
  EXPECT_GT(certify(problem, particle_answer(problem, Vector3(0, 0, 0))).normal, 0.1);
}

TEST(StepCertificate, RestitutionOfTheScene) {
  StepProblem problem = particle(1.0, 3, {-1, 0, 0, 0});
  problem.contacts[0].restitution = 0.6;
  problem.contacts[0].normal_bias = 123;  // a method's own affair: not to be believed
  const double fall = 1 + 9.81 * 0.01;
  EXPECT_LT(certify(problem, particle_answer(problem, Vector3(fall + 0.6, 0, 0))).worst(), accepted);
  EXPECT_NEAR(certify(problem, particle_answer(problem, Vector3(fall, 0, 0))).normal, 0.6 / fall, 1e-12);
  EXPECT_NEAR(certify(problem, particle_answer(problem, Vector3(fall + 0.8, 0, 0))).normal, 0.2 / fall, 1e-12);
  problem.contacts[0].gap = 0.02;  // too far away to meet in this step
  EXPECT_LT(certify(problem, particle_answer(problem, Vector3(0, 0, 0))).worst(), accepted);
}

// Maximum dissipation over the ellipsoid: p_i = -p_n e_i^2 u_i / |e u|, with W = 1/m the same in every row.
TEST(StepCertificate, EllipticAndTorsionalFriction) {
  StepProblem problem = particle(1.0, 4, {0, 1, -2, 5});
  problem.contacts[0].friction = {0.3, 0.6};
  problem.contacts[0].torsion = 0.1;
  const double p_n = 9.81 * 0.01;
  Vector4 impulse(p_n, 0, 0, 0);
  const Vector3 e(0.3, 0.6, 0.1);
  for (int iteration = 0; iteration < 200; ++iteration) {  // fixed point: contracts by p_n / |u|
    const Vector3 eu = e.cwiseProduct((problem.v_free + impulse).tail<3>());
    impulse.tail<3>() = -p_n * e.cwiseProduct(eu) / eu.norm();
  }
  EXPECT_LT(certify(problem, particle_answer(problem, impulse)).worst(), accepted);
  // Opposed to the slip instead of dissipating most.
  Vector4 wrong(p_n, 0, 0, 0);
  wrong.tail<3>() = -problem.v_free.tail<3>();
  wrong.tail<3>() *= p_n / wrong.tail<3>().cwiseQuotient(e).norm();
  const StepCertificate certificate = certify(problem, particle_answer(problem, wrong));
  EXPECT_GT(certificate.friction, 1e-3);
  EXPECT_LT(certificate.cone, accepted);
  // No friction along t: an impulse there is outside.
  problem.contacts[0].friction = {0, 0.6};
  EXPECT_GT(certify(problem, particle_answer(problem, impulse)).cone, 0.01);
}

// One velocity, three rows: a bilateral drive, a limit and dry friction, each alone.
StepProblem one_joint(double v) {
  StepProblem problem;
  problem.step = 0.01;
  problem.trees = {{0, 1, 0}};
  problem.mass = {4.0};
  problem.v_start = VectorX::Constant(1, v);
  problem.v_free = problem.v_start;
  problem.external_impulse = VectorX::Zero(1);
  problem.blocks = {{0, 1, {0, -1}, {0, 0}}};
  problem.jacobian = {1.0};
  problem.row_count = 1;
  return problem;
}

StepAnswer joint_answer(const StepProblem& problem, double p) {
  return {problem.v_free + VectorX::Constant(1, p / 4.0), VectorX::Constant(1, p)};
}

TEST(StepCertificate, BilateralRows) {
  StepProblem problem = one_joint(1.0);
  problem.bilaterals = {{0, 0}};
  problem.bilateral_bias = {-3.0};  // driven at 3
  problem.bilateral_surface = {-3.0};
  const StepCertificate right = certify(problem, joint_answer(problem, 8.0));
  EXPECT_LT(right.worst(), accepted);
  EXPECT_EQ(right.energy_gain, 0);  // p ((3 - 3) + (1 - 3)) / 2 < 0: the drive explains the rest
  EXPECT_NEAR(certify(problem, joint_answer(problem, 7.0)).momentum, 0.25 / 2, 1e-12);
  problem.bilateral_surface
      .clear();  // the same push as the correction of a violated joint: a gain that no law explains
  EXPECT_NEAR(certify(problem, joint_answer(problem, 8.0)).energy_gain, 8.0 * 2.0, 1e-12);
}

TEST(StepCertificate, Limits) {
  StepProblem problem = one_joint(-2.0);
  problem.scalars = {{.kind = ScalarRow::Kind::limit, .bias = 0.5, .gap = 0.005}};
  EXPECT_LT(certify(problem, joint_answer(problem, 4 * 1.5)).worst(), accepted);
  EXPECT_NEAR(certify(problem, joint_answer(problem, 4 * 2.0)).normal, 0.25, 1e-12);
  EXPECT_NEAR(certify(problem, joint_answer(problem, 0)).normal, 0.75, 1e-12);
  problem.scalars[0].gap = -0.005;
  EXPECT_EQ(certify(problem, joint_answer(problem, 8)).limit_violation, 0.005);
}

TEST(StepCertificate, JointFriction) {
  StepProblem problem = one_joint(2.0);
  problem.scalars = {{.kind = ScalarRow::Kind::friction, .bound = 3.0}};
  EXPECT_LT(certify(problem, joint_answer(problem, -3.0)).worst(), accepted);   // slides
  EXPECT_GT(certify(problem, joint_answer(problem, -2.0)).friction, 0.1);       // too little
  EXPECT_GT(certify(problem, joint_answer(problem, 3.0)).friction, 0.1);        // pushes on
  EXPECT_NEAR(certify(problem, joint_answer(problem, -3.6)).cone, 0.2, 1e-12);  // too much
  problem.scalars[0].bound = 10;
  EXPECT_LT(certify(problem, joint_answer(problem, -8.0)).worst(), accepted);  // sticks
}

TEST(StepCertificate, NotFiniteIsInfinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Sliding a, b, c;
    a.answer.v_end[3] = bad;
    b.answer.impulse[1] = bad;
    c.problem.v_free[1] = bad;
    for (const Sliding* sliding : {&a, &b, &c}) {
      const StepCertificate certificate = certify(sliding->problem, sliding->answer);
      EXPECT_EQ(certificate.worst(), std::numeric_limits<double>::infinity());
      EXPECT_EQ(certificate.energy_gain, std::numeric_limits<double>::infinity());
    }
  }
}

TEST(StepCertificate, NothingHappensIsPerfect) {
  StackOptions options;
  options.boxes = 2;
  options.gravity.setZero();
  const StepProblem problem = box_stack(options);
  const StepAnswer answer = {problem.v_free, VectorX::Zero(problem.row_count)};
  const StepCertificate certificate = certify(problem, answer);
  EXPECT_EQ(certificate.worst(), 0);
  EXPECT_EQ(certificate.energy_gain, 0);
}

// Units of mass, length and time must not matter to the dimensionless values.
TEST(StepCertificate, DoesNotDependOnUnits) {
  const Sliding sliding;
  const Vector3 impulse(1.2 * sliding.p_n, -0.7 * sliding.p_n, 0.1 * sliding.p_n);
  const StepCertificate one = certify(sliding.problem, particle_answer(sliding.problem, impulse));
  StepProblem scaled = sliding.problem;  // grams, millimetres, milliseconds: velocities stay, masses times 1000
  for (double& mass : scaled.mass) mass *= 1000;
  scaled.external_impulse *= 1000;
  scaled.step *= 1000;
  const StepCertificate other = certify(scaled, particle_answer(scaled, 1000 * impulse));
  EXPECT_NEAR(one.normal, other.normal, 1e-12);
  EXPECT_NEAR(one.friction, other.friction, 1e-12);
  EXPECT_NEAR(one.cone, other.cone, 1e-12);
  EXPECT_GT(one.normal, 1e-3);
}

TEST(StepCertificate, MergeKeepsTheWorst) {
  StepCertificate a, b;
  a.normal = 1;
  b.friction = 2;
  b.penetration = 3;
  a.merge(b);
  EXPECT_EQ(a.normal, 1);
  EXPECT_EQ(a.friction, 2);
  EXPECT_EQ(a.penetration, 3);
  EXPECT_EQ(a.worst(), 2);
}

TEST(StepCertificate, AllocatesNothingAfterWarmUp) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  StackOptions options;
  options.boxes = 5;
  const StepProblem large = box_stack(options);
  options.boxes = 3;
  const StepProblem small = box_stack(options);
  const StepAnswer large_answer = solve(large);
  const StepAnswer small_answer = solve(small);
  CompliantLayer layer;
  layer.stiffness(0, 0) = 1e5;
  StepProblem layered = small;
  layered.normal_law = NormalLaw::end_gap;
  layered.layers = {{0, &layer, Vector3::Zero()}, {1, &layer, Vector3::Zero()}};
  StepAnswer layered_answer = small_answer;
  layered_answer.deflection.assign(2, Vector3::Zero());
  layered_answer.core_impulse.assign(2, 0.0);
  CertifyWorkspace workspace;
  certify_step(large, large_answer, workspace);
  const long before = ::stiction::testing::allocation_count;
  certify_step(small, small_answer, workspace);
  certify_step(layered, layered_answer, workspace);
  certify_step(large, large_answer, workspace);
  EXPECT_EQ(::stiction::testing::allocation_count, before);
}

}  // namespace
}  // namespace stiction::certify
