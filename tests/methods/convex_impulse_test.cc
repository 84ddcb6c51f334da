// convex-impulse on single impacts: closed forms of spheres and cubes, redundant contacts, the literal forms of the
// paper; its test impulses against articulated-body dynamics.
#include "stiction/methods/convex_impulse.h"

#include <gtest/gtest.h>

#include "stiction/certify/step_certificate.h"
#include "stiction/dynamics/aba.h"
#include "support/box_stack.h"
#include "support/random_impacts.h"
#include "support/scenarios.h"

namespace stiction {
namespace {

using methods::ConvexImpulseOptions;

struct Impact {
  StepProblem problem;
  StepAnswer answer;
  IslandReport report;
  certify::StepCertificate certificate;

  Vector3 linear() const { return answer.v_end.head<3>(); }
  Vector3 angular() const { return answer.v_end.segment<3>(3); }
  double impulse(int row) const { return answer.impulse[row]; }
};

Impact solve(const StepProblem& problem, const ConvexImpulseOptions& options = {}) {
  Impact impact{problem, {}, {}, {}};
  methods::ConvexImpulse method(options, 1);
  contact::Islands islands;
  islands.update(problem);
  impact.answer.v_end = problem.v_free;
  impact.answer.impulse = VectorX::Zero(problem.row_count);
  EXPECT_EQ(islands.count(), 1);
  impact.report = method.solve_island(problem, islands[0], 0, impact.answer);
  EXPECT_EQ(impact.report.solve.termination, solvers::Termination::solved);
  certify::CertifyWorkspace workspace;
  impact.certificate = certify::certify_step(problem, impact.answer, workspace);
  return impact;
}

// A body of mass 2 and inertia diag(I) with contacts below its centre at these arms, all of friction mu, restitution e.
StepProblem body_on_plane(const Vector3& inertia, const std::vector<Vector3>& arms, double mu, double e,
                          const Vector3& v, const Vector3& omega) {
  std::mt19937_64 random(1);
  const testing::ImpactOptions options{.restitution = e, .friction = mu};
  testing::detail::ImpactBuilder build{options, random};
  build.problem.step = 1e-3;
  build.problem.normal_law = NormalLaw::rate;
  build.add_body();
  Matrix6 M = Matrix6::Zero();
  M.diagonal() << 2, 2, 2, inertia[0], inertia[1], inertia[2];
  std::copy_n(M.data(), 36, build.problem.mass.data());
  for (const Vector3& arm : arms) build.add_contact(-1, 0, Vector3::UnitZ(), Vector3::Zero(), arm);
  VectorX velocity(6);
  velocity << v, omega;
  build.set_velocities(velocity);
  return build.problem;
}

constexpr double radius = 0.3, mass = 2;

StepProblem sphere(double mu, double e, const Vector3& v, const Vector3& omega) {
  return body_on_plane(Vector3::Constant(0.4 * mass * radius * radius), {{0, 0, -radius}}, mu, e, v, omega);
}

// `rings` times four corners of a cube of half side a, each ring a little further in.
std::vector<Vector3> corners(int count, double a) {
  std::vector<Vector3> arms;
  for (int i = 0; i < count; ++i) {
    const double shrink = 1 - 0.1 * (i / 4);
    arms.emplace_back((i & 1 ? 1 : -1) * a * shrink, (i & 2 ? 1 : -1) * a * shrink, -a);
  }
  return arms;
}

StepProblem cube(int count, double mu, double e, const Vector3& v, const Vector3& omega = Vector3::Zero()) {
  const double a = 0.5;
  return body_on_plane(Vector3::Constant(mass * 4 * a * a / 6), corners(count, a), mu, e, v, omega);
}

// Stick: the contact point stops, p_t = -2/7 m u_t, u_t = v_x - omega_y r ... whatever the restitution.
TEST(ConvexImpulse, ASphereSticks) {
  for (const double e : {0.0, 0.5, 1.0}) {
    const Vector3 v(0.4, -0.1, -2), omega(0.3, 0.5, 7);
    const Impact impact = solve(sphere(0.9, e, v, omega));
    const Vector3 slip = v + omega.cross(Vector3(0, 0, -radius));
    EXPECT_NEAR(impact.impulse(0), (1 + e) * mass * 2, 1e-12);
    EXPECT_NEAR(impact.linear().z(), e * 2, 1e-12);
    const Vector3 push = mass * (impact.linear() - v);
    EXPECT_NEAR(push.x(), -2.0 / 7 * mass * slip.x(), 1e-12);
    EXPECT_NEAR(push.y(), -2.0 / 7 * mass * slip.y(), 1e-12);
    EXPECT_NEAR(impact.angular().z(), 7, 1e-12);
  }
}

TEST(ConvexImpulse, ASphereSlips) {
  const double mu = 0.1, e = 0.5;
  const Vector3 v(3, 4, -1);
  const Impact impact = solve(sphere(mu, e, v, Vector3::Zero()));
  const double p_n = 1.5 * mass;
  const Vector3 push = mass * (impact.linear() - v);
  EXPECT_NEAR(push.z(), p_n, 1e-12);
  EXPECT_NEAR(push.x(), -0.6 * mu * p_n, 1e-9);  // the square root of the gap: the objective is flat round the circle
  EXPECT_NEAR(push.y(), -0.8 * mu * p_n, 1e-9);
  EXPECT_NEAR(push.head<2>().norm(), mu * p_n, 1e-12);
}

// The ball with moments: about the normal (row 3), and about t and o (rows of their own).
constexpr double ball_inertia = 0.4 * mass * radius * radius;

StepProblem spinning(double mu, double torsion, double e, const Vector3& v, const Vector3& omega) {
  StepProblem problem = sphere(mu, e, v, omega);
  problem.jacobian.insert(problem.jacobian.end(), {0, 0, 0, 0, 0, 1});
  problem.blocks[0].row_count = problem.row_count = 4;
  problem.contacts[0].torsion = torsion;
  return problem;
}

StepProblem rolling(double mu, double limit, const Vector3& v, const Vector3& omega) {
  StepProblem problem = sphere(mu, 0, v, omega);
  RowBlock block = problem.blocks[0];
  block.first_row = 3;
  block.row_count = 2;
  block.offset[0] = static_cast<int>(problem.jacobian.size());
  problem.jacobian.insert(problem.jacobian.end(), {0, 0, 0, 0, 1, 0});  // t is y, o is -x
  problem.jacobian.insert(problem.jacobian.end(), {0, 0, 0, -1, 0, 0});
  problem.blocks.push_back(block);
  problem.row_count = 5;
  problem.contacts[0].rolling = 0;
  problem.rollings.push_back({.block = 1, .limit = limit});
  return problem;
}

// A spin about the normal loses torsion * p_n, or all it has.
TEST(ConvexImpulse, ABallSpins) {
  const double torsion = 0.02, e = 0.5, p_n = 1.5 * mass, least = torsion * p_n / ball_inertia;
  for (const double omega : {0.5 * least, -0.9 * least}) {
    const Impact impact = solve(spinning(0.4, torsion, e, {0, 0, -1}, {0, 0, omega}));
    EXPECT_NEAR(impact.angular().z(), 0, 1e-10);
    EXPECT_NEAR(impact.impulse(3), -ball_inertia * omega, 1e-10);
  }
  for (const double omega : {3.0 * least, -7.0 * least}) {
    const Impact impact = solve(spinning(0.4, torsion, e, {0, 0, -1}, {0, 0, omega}));
    EXPECT_NEAR(impact.angular().z(), omega - std::copysign(least, omega), 1e-8 * std::abs(omega));
    EXPECT_NEAR(std::abs(impact.impulse(3)), torsion * p_n, 1e-10);
    EXPECT_LT(impact.linear().head<2>().norm(), 1e-10);
  }
}

// Slip and spin share an ellipsoid. In impulses over the roots of the effective masses, 2/7 m and I, the answer is the
// point of it nearest to what would stop both: of multiplier k, x = -b a^2 / (a^2 + k), a the half axes.
TEST(ConvexImpulse, SlipAndSpinShareAnEllipsoid) {
  const double mu = 0.4, torsion = 0.03, p_n = mass;
  const double root_t = std::sqrt(2 * mass / 7), root_s = std::sqrt(ball_inertia);
  const double a_t = mu * p_n / root_t, a_s = torsion * p_n / root_s;
  for (const double angle : {0.1, 0.8, 1.4, 2.5}) {
    for (const double k : {0.01, 1.0, 20.0}) {
      const double x_t = a_t * std::cos(angle), x_s = a_s * std::sin(angle);
      const double slip = -x_t * (1 + k / (a_t * a_t)) / root_t, spin = -x_s * (1 + k / (a_s * a_s)) / root_s;
      const Impact impact = solve(spinning(mu, torsion, 0, {0, slip, -1}, {0, 0, spin}));
      // Flat along the ellipsoid: the root of the gap, 1e-10 of f(0).
      EXPECT_NEAR(impact.impulse(1), root_t * x_t, 1e-5 * mu * p_n) << angle << ' ' << k;
      EXPECT_NEAR(impact.impulse(3), root_s * x_s, 1e-5 * torsion * p_n) << angle << ' ' << k;
      EXPECT_LT(impact.certificate.cone, 1e-12);
    }
  }
}

// A ball that lands rolling loses the moment limit * p_n about its contact, I + m r^2 = 7/5 m r^2, and goes on rolling;
// to 1e-6, what rolling counts beside slip. With enough of it, it stops.
TEST(ConvexImpulse, ABallRolls) {
  const double limit = 0.01, omega = 5, about_contact = ball_inertia + mass * radius * radius;
  const Vector3 v(omega * radius, 0, -1);
  const Impact impact = solve(rolling(0.6, limit, v, {0, omega, 0}));
  const double after = omega - limit * mass / about_contact;
  EXPECT_NEAR(impact.angular().y(), after, 3e-6 * omega);
  EXPECT_NEAR(impact.linear().x(), radius * after, 3e-6 * v.x());
  EXPECT_NEAR(impact.impulse(3), -limit * mass, 1e-8);
  EXPECT_NEAR(impact.impulse(4), 0, 1e-8);
  EXPECT_LT(impact.certificate.energy_gain, 1e-12);
  const Impact still = solve(rolling(3, 10 * radius, v, {0, omega, 0}));
  EXPECT_NEAR(still.angular().norm(), 0, 1e-6);
  EXPECT_NEAR(still.linear().norm(), 0, 1e-6);
}

// A cube that lands flat: fast, it slides on with v - (1 + e) mu v_n; slow, it stops.
TEST(ConvexImpulse, ACubeLandsFlat) {
  for (const double e : {0.0, 0.5}) {
    const Impact fast = solve(cube(4, 0.3, e, {2, 0, -1}));
    EXPECT_NEAR(fast.linear().x(), 2 - 0.3 * (1 + e), 1e-10);
    EXPECT_NEAR(fast.linear().z(), e, 1e-12);
    EXPECT_LT(fast.angular().norm(), 1e-10);
    const Impact slow = solve(cube(4, 0.3, e, {0.2, 0.1, -1}));
    EXPECT_LT(slow.linear().head<2>().norm(), 1e-10);
    EXPECT_NEAR(slow.linear().z(), e, 1e-12);
  }
}

TEST(ConvexImpulse, RedundantContactsKeepNewtonsLawAndDoNotPull) {
  for (const int count : {4, 8, 16}) {
    for (const double e : {0.0, 0.5, 1.0}) {
      const StepProblem problem = cube(count, 0.4, e, {0.7, -0.3, -1}, {0, 0, 0.6});
      const Impact impact = solve(problem);
      const VectorX u = testing::dense_jacobian(problem) * impact.answer.v_end;
      double gain = impact.answer.v_end.dot(testing::dense_mass(problem) * impact.answer.v_end) / 2 -
                    problem.v_start.dot(testing::dense_mass(problem) * problem.v_start) / 2;
      for (int c = 0; c < count; ++c) {
        EXPECT_GE(impact.impulse(3 * c), 0);
        EXPECT_NEAR(u[3 * c], e, 1e-12) << count << ' ' << e;
      }
      EXPECT_LE(gain, 1e-12);
      EXPECT_NEAR(impact.certificate.energy_gain, std::max(0.0, gain), 1e-12);
      EXPECT_LT(impact.certificate.cone, 1e-12);
      EXPECT_LT(impact.certificate.normal, 1e-12);
      EXPECT_LT(impact.certificate.momentum, 1e-12);
      EXPECT_EQ(impact.report.fallback, Fallback::none);
    }
  }
}

// ERRATA: w_s is of least norm, so |x_N| <= |w_s| leaves a box no friction; the other readings stop it.
TEST(ConvexImpulse, OnlyTheLiteralBoundLeavesABoxNoFriction) {
  using Bound = ConvexImpulseOptions::NormalBound;
  const StepProblem problem = cube(4, 0.5, 0, {0.2, 0, -1});
  EXPECT_NEAR(solve(problem, {.normal_bound = Bound::literal}).linear().x(), 0.2, 1e-12);
  EXPECT_NEAR(solve(problem, {.normal_bound = Bound::sum}).linear().x(), 0, 1e-10);
  EXPECT_NEAR(solve(problem, {.normal_bound = Bound::nullspace}).linear().x(), 0, 1e-10);
}

// A cube that lands on one edge first: without w >= 0 the other edge is held back.
TEST(ConvexImpulse, ThePseudoInversePulls) {
  using PhaseOne = ConvexImpulseOptions::PhaseOne;
  // Both edges approach, one of them hardly: it would lift off.
  const StepProblem problem = body_on_plane({2, 2, 2}, corners(4, 0.5), 0, 0, {0, 0, -1}, {0, 1.9, 0});
  const Impact literal = solve(problem, {.phase_one = PhaseOne::pseudo_inverse});
  const Impact nonnegative = solve(problem);
  double lowest = 0;
  for (int c = 0; c < 4; ++c) {
    lowest = std::min(lowest, literal.impulse(3 * c));
    EXPECT_GE(nonnegative.impulse(3 * c), 0);
  }
  EXPECT_LT(lowest, -0.1);
  EXPECT_GT(literal.certificate.normal, 0.1);
  EXPECT_LT(nonnegative.certificate.normal, 1e-12);
}

// Between walls that both ask for a rebound there is none (footnote 4).
TEST(ConvexImpulse, FacingContactsDropRestitution) {
  std::mt19937_64 random(1);
  const testing::ImpactOptions options{.restitution = 0.5, .friction = 0.3};
  testing::detail::ImpactBuilder build{options, random};
  build.problem.step = 1e-3;
  build.problem.normal_law = NormalLaw::rate;
  build.add_body();
  build.add_contact(-1, 0, Vector3::UnitX(), Vector3::Zero(), {-0.1, 0, 0});
  build.add_contact(-1, 0, -Vector3::UnitX(), Vector3::Zero(), {0.1, 0, 0});
  VectorX v(6);
  v << -1, 0, 0.1, 0, 0, 0;
  build.set_velocities(v);
  const Impact impact = solve(build.problem);
  EXPECT_EQ(impact.report.fallback, Fallback::without_restitution);
  EXPECT_NEAR(impact.linear().x(), 0, 1e-12);
  EXPECT_LT(std::abs(impact.linear().z()), 0.1);  // rubbed
}

// A column of A: the velocities that a unit impulse along one row causes. By articulated bodies: accelerations under
// the impulse as joint forces J^T, at rest and without gravity.
TEST(ConvexImpulse, TestImpulsesAreThoseOfArticulatedBodies) {
  testing::Scenario scenario = testing::cart_beside_tower(methods::Coordinates::reduced);
  scenario.model.gravity = Vector3::Zero();
  scenario.settings.method = "convex-impulse";
  scenario.settings.step = 1e-3;
  for (BodyDescription& body : scenario.model.bodies) body.linear_velocity = Vector3(0, 0, body.fixed ? 0 : -0.1);
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  const Model& model = simulation.model();
  State rest = simulation.state();
  testing::take_steps(simulation, 1);
  const StepProblem& problem = simulation.last_step().problem;
  ASSERT_GT(problem.contacts.size(), 8u);
  rest.v.setZero();
  Kinematics kinematics = make_kinematics(model);
  update_kinematics(model, rest, 0, kinematics);
  FreeMotion free = make_free_motion(model);
  const MatrixX J = testing::dense_jacobian(problem);
  const MatrixX A = J * testing::dense_mass(problem).ldlt().solve(J.transpose());
  const std::vector<Wrench> none(model.bodies.size());
  for (int c = 0; c < problem.row_count; ++c) {
    const VectorX tau = J.row(c).transpose();
    VectorX vdot = VectorX::Zero(model.v_size);
    aba(model, kinematics, tau, {}, none, free.recursion, vdot);
    EXPECT_LT((J * vdot - A.col(c)).cwiseAbs().maxCoeff(), 1e-10 * A.cwiseAbs().maxCoeff()) << c;
  }
  // And the method's own matrix, of an island with the chain in it.
  contact::Islands islands;
  islands.update(problem);
  for (int i = 0; i < islands.count(); ++i) {
    std::vector<int> blocks;
    contact::IslandRows rows;
    methods::IslandFrictionProblem velocity;
    methods::ConvexRows convex;
    methods::list_island_blocks(problem, islands[i], blocks);
    ASSERT_TRUE(rows.form(problem, islands[i], blocks));
    methods::form_velocity_problem(problem, islands[i], blocks, rows, velocity);
    ASSERT_TRUE(convex.form(velocity, static_cast<int>(islands[i].scalars.size())));
    std::vector<int> global;  // row of the step problem of each row of the island's
    for (size_t k = 0; k < velocity.selection.size(); ++k) {
      const methods::RowSelection& s = velocity.selection[k];
      for (int r = 0; r < s.count; ++r) global.push_back(problem.blocks[blocks[s.block]].first_row + s.row[r]);
    }
    for (int r = 0; r < convex.size(); ++r) {
      for (int c = 0; c < convex.size(); ++c) {
        const double value = convex.at(r, c) / (convex.scale[r] * convex.scale[c]);
        EXPECT_NEAR(value, A(global[convex.row[r]], global[convex.row[c]]), 1e-10 * A.cwiseAbs().maxCoeff());
      }
    }
  }
}

}  // namespace
}  // namespace stiction
