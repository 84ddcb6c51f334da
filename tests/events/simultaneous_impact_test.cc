// Simultaneous impacts: the cases of rodriguez2010, closed forms of one contact, and random impacts whose outcomes are
// checked again here from the impulses alone.
#include "stiction/events/impacts/simultaneous_impact.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "events/impact_examples.h"
#include "stiction/events/impacts/impact_outcome.h"
#include "stiction/events/impacts/velocity_constraint.h"

namespace stiction::methods {
namespace {

constexpr double g = 9.81, R = 0.5, e = 0.5;
constexpr ImpactMaterial paper_material{e, 0.5, 0.25};
constexpr double rounding = 1e-9;  // velocities of 10 m/s, systems of four rows

ImpactResult solve(const ImpactProblem& problem, ImpactRule rule) {
  return solve_simultaneous_impact(problem, {.rule = rule});
}

// The corner after a fall from height Q2 of the centre to R; the wall is where the ball is then.
ImpactProblem paper_case(double Q1_dot, double Q2) {
  return corner_impact(Q1_dot, -std::sqrt(2 * g * (Q2 - R)), 0, paper_material);
}

// Outcome whose constrained velocity is that of a contact (0: ground, 1: wall), of the paper's corner.
const ImpactOutcome& constraining(const ImpactResult& result, int contact) {
  for (const ImpactOutcome& outcome : result.outcomes) {
    if (outcome.constrained_rows == std::vector<int>{2 * contact + 1}) return outcome;
  }
  ADD_FAILURE() << "no outcome constrains contact " << contact;
  return result.outcomes.front();
}

// What the paper's law says of a spin: p of least norm, from the equations of the corner solved by hand.
Vector4 least_norm_impulse(const ImpactProblem& problem, double spin) {
  const double X = -(1 + e) * problem.velocity[0], Y = -(1 + e) * problem.velocity[1], s = R / 2 * spin;
  const double t1 = (2 * s + X - Y) / 4, t2 = s - t1;
  return {Y - t2, t1, -(X - t1), t2};
}

struct PublishedRow {
  const char* name;
  double Q1_dot, Q2;
  int constrained;  // contact
  double spin, degrees;
  ImpactState ground, wall;
};

// Spins by hand: a contact at rest has R w = e v_x (ground) or -e |v_y| (wall); case 1 ends where p_n of the wall is
// zero, t1 = X: 2 s = 3 X + Y.
const PublishedRow published_rows[] = {
    {"case 1", 4, 5, 0, (3 * -6 + 1.5 * std::sqrt(9 * g)) / R, 66.9, ImpactState::slip, ImpactState::slip},
    {"case 2", 8, 1.5, 1, e * 8 / R, 29.0, ImpactState::stick, ImpactState::slip},
    {"case 3, ground constrained", 4, 1.5, 0, -e* std::sqrt(2 * g) / R, 47.9, ImpactState::slip, ImpactState::stick},
    {"case 3, wall constrained", 4, 1.5, 1, e * 4 / R, 47.9, ImpactState::stick, ImpactState::slip},
};

TEST(SimultaneousImpact, PublishedCasesHaveTheirOutcomes) {
  for (const PublishedRow& row : published_rows) {
    const ImpactProblem problem = paper_case(row.Q1_dot, row.Q2);
    const ImpactResult result = solve(problem, ImpactRule::published);
    EXPECT_EQ(result.rank, 3);
    EXPECT_EQ(result.choices, 2);
    const ImpactOutcome& outcome = constraining(result, row.constrained);
    EXPECT_NEAR(std::atan2(-problem.velocity[1], problem.velocity[0]) * 180 / M_PI, row.degrees, 0.1) << row.name;
    EXPECT_NEAR(outcome.velocity[0], -e * problem.velocity[0], rounding) << row.name;
    EXPECT_NEAR(outcome.velocity[1], -e * problem.velocity[1], rounding) << row.name;
    EXPECT_NEAR(outcome.velocity[2], row.spin, 1e-7) << row.name;  // case 1 comes from an optimum
    EXPECT_LT((outcome.impulse - least_norm_impulse(problem, row.spin)).norm(), 1e-7) << row.name;
    EXPECT_EQ(outcome.state[0], row.ground) << row.name;
    EXPECT_EQ(outcome.state[1], row.wall) << row.name;
    EXPECT_TRUE(outcome.meets_rule) << row.name;
    EXPECT_FALSE(outcome.gains_energy) << row.name;
    EXPECT_FALSE(outcome.penetrates) << row.name;
    EXPECT_TRUE(outcome.leaves_cone) << row.name << ": the reversed inequality";
    if (row.Q2 != 1.5 || row.Q1_dot != 4) {
      EXPECT_EQ(&result.outcomes[result.picked], &outcome) << row.name;
    }
  }
  const ImpactResult first = solve(paper_case(4, 5), ImpactRule::published);
  EXPECT_EQ(constraining(first, 0).impulse[2], 0) << "clamped";
  EXPECT_LT(constraining(first, 0).velocity[2], 0);
}

TEST(SimultaneousImpact, CoulombHasBothSpinsOfCaseThreeInTheCones) {
  const ImpactResult result = solve(paper_case(4, 1.5), ImpactRule::coulomb);
  EXPECT_NEAR(constraining(result, 0).velocity[2], -e * std::sqrt(2 * g) / R, 1e-7);
  EXPECT_NEAR(constraining(result, 1).velocity[2], e * 4 / R, 1e-7);
  for (const ImpactOutcome& outcome : result.outcomes) {
    EXPECT_EQ(outcome.violations(), 0);
    EXPECT_TRUE(outcome.obeys_coulomb);
  }
}

// Both contacts slip: p_n1 - mu_d p_n2 = Y, p_n2 - mu_d p_n1 = X; the wall sticks with mu_s as well, at another spin.
TEST(SimultaneousImpact, CoulombHasAContactThatMaySlipWhereStaticFrictionWouldHoldIt) {
  const ImpactResult result = solve(paper_case(8, 1.5), ImpactRule::coulomb);
  const double X = 12, Y = 1.5 * std::sqrt(2 * g), mu_d = 0.25, scale = 1 - mu_d * mu_d;
  const double slipping = 4 * mu_d * ((Y + mu_d * X) - (X + mu_d * Y)) / scale, sticking = -e * std::sqrt(2 * g) / R;
  for (const double spin : {slipping, sticking}) {
    const auto found = std::find_if(result.outcomes.begin(), result.outcomes.end(), [&](const ImpactOutcome& outcome) {
      return std::abs(outcome.velocity[2] - spin) < 1e-7;
    });
    ASSERT_NE(found, result.outcomes.end()) << spin;
    EXPECT_TRUE(found->obeys_coulomb);
    EXPECT_EQ(found->violations(), 0);
    EXPECT_EQ(found->state[1], spin == slipping ? ImpactState::slip : ImpactState::stick);
  }
}

// The reading that no impulse of (4.9) is in both cones of the corner.
TEST(SimultaneousImpact, LeastNormImpulsesOfACornerAreNeverInBothConesBelowUnitFriction) {
  const ImpactProblem problem = paper_case(4, 1.5);
  for (double spin = -30; spin <= 30; spin += 0.5) {
    const Vector4 p = least_norm_impulse(problem, spin);
    EXPECT_GE(std::abs(p[1]) + std::abs(p[3]), p[0] + p[2] - rounding);
  }
}

TEST(SimultaneousImpact, ImpactLawIsThePseudoInverseWhicheverVelocityIsConstrained) {
  std::mt19937 random(11);
  for (int i = 0; i < 200; ++i) {
    const ImpactProblem problem = random_impact(random, 2 + i % 2);
    std::vector<int> contacts(problem.contacts.size());
    for (size_t c = 0; c < contacts.size(); ++c) contacts[c] = static_cast<int>(c);
    for (const VelocityConstraint& choice : find_constraints(problem, contacts, 16).choices) {
      const VectorX change = VectorX::Random(choice.law.cols());
      const VectorX momentum = problem.mass * choice.response * change;
      const VectorX p = problem.J.transpose().completeOrthogonalDecomposition().solve(momentum);
      const VectorX by_law = choice.law * change;
      EXPECT_LT((by_law - p).norm(), 1e-6 * p.norm());  // rows near to dependent: condition up to 1e9
      MatrixX free(choice.law.cols(), problem.J.cols());
      for (int r = 0; r < free.rows(); ++r) free.row(r) = problem.J.row(choice.free_rows[r]);
      const MatrixX rebuilt = choice.z * free;
      EXPECT_LT((rebuilt - problem.J).norm(), 1e-6 * problem.J.norm());  // (3.25)
    }
  }
}

// A solid sphere on a plane: sticks where |v_t| <= 7/2 mu (1 + e) |v_n|, else loses mu (1 + e) |v_n|.
TEST(SimultaneousImpact, OneContactIsTheClosedForm) {
  const double m = 2, radius = 0.3, I = 0.4 * m * radius * radius;
  for (const double slip : {0.5, 9.0}) {
    ImpactBuilder builder(3);
    builder.add_body(m, Vector3::Constant(I), (VectorX(6) << slip * 0.6, slip * 0.8, -3, 0, 0, 0.7).finished());
    builder.add_contact(-1, Vector3::Zero(), 0, {0, 0, -radius}, {0, 0, 1}, {0.4, 0.5, 0.25});
    const ImpactResult result = solve(builder.problem, ImpactRule::coulomb);
    ASSERT_EQ(result.outcomes.size(), 1);
    const ImpactOutcome& outcome = result.outcomes[0];
    const double p_n = m * 1.4 * 3, stop = m * slip * 2 / 7, p_t = slip < 1 ? stop : 0.25 * p_n;
    EXPECT_NEAR(outcome.impulse[0], p_n, 1e-8);
    EXPECT_NEAR(outcome.impulse.tail<2>().norm(), p_t, 1e-7);
    EXPECT_NEAR(outcome.velocity[0], 0.6 * (slip - p_t / m), 1e-7);
    EXPECT_NEAR(outcome.velocity[1], 0.8 * (slip - p_t / m), 1e-7);
    EXPECT_NEAR(outcome.velocity[2], 1.2, 1e-8);
    EXPECT_NEAR(outcome.velocity[3], -0.8 * radius * p_t / I, 1e-6);
    EXPECT_NEAR(outcome.velocity[5], 0.7, rounding);
    EXPECT_EQ(outcome.state[0], slip < 1 ? ImpactState::stick : ImpactState::slip);
    EXPECT_TRUE(outcome.obeys_coulomb);
  }
}

struct Recheck {
  double energy_gain = 0, outside = 0, penetration = 0;  // relative
};

// From the impulses alone.
Recheck recheck(const ImpactProblem& problem, const ImpactOutcome& outcome) {
  Recheck result;
  const VectorX u = problem.velocity + problem.mass.inverse() * (problem.J.transpose() * outcome.impulse);
  const VectorX v = problem.J * u;
  const double before = problem.velocity.dot(problem.mass * problem.velocity);
  const double speed = (problem.J * problem.velocity).cwiseAbs().maxCoeff(),
               size = outcome.impulse.cwiseAbs().maxCoeff();
  result.energy_gain = u.dot(problem.mass * u) / before - 1;
  for (const ImpactContact& c : problem.contacts) {
    const double slip = v.segment(c.first_row + 1, c.tangents).norm(), p_n = outcome.impulse[c.first_row];
    const double stick = slip < 1e-7 * speed ? 1 : std::exp(-slip / c.transition_speed);
    const double mu = c.dynamic_friction + (c.static_friction - c.dynamic_friction) * stick;
    const double p_t = outcome.impulse.segment(c.first_row + 1, c.tangents).norm();
    result.outside = std::max({result.outside, -p_n / size, (p_t - mu * p_n) / size});
    result.penetration = std::max(result.penetration, -v[c.first_row] / speed);
  }
  return result;
}

// What the outcomes say of themselves is 1e-8; recomputed, with mass.inverse(), it may be ten times that.
void expect_sound(const ImpactProblem& problem, const ImpactOutcome& outcome, int i) {
  const Recheck check = recheck(problem, outcome);
  EXPECT_LE(check.energy_gain, 1e-7) << i;
  EXPECT_LE(check.outside, 1e-7) << i;
  EXPECT_LE(check.penetration, 1e-7) << i;
}

// Kinds that are hard in their own way: elastic, plastic, heavy on light, every contact twice, strong friction.
ImpactProblem random_kind(std::mt19937& random, int dimension, int kind) {
  ImpactProblem problem = random_impact(random, dimension);
  const auto nv = problem.velocity.size(), rows = problem.J.rows();
  if (kind == 3) problem.mass.topLeftCorner(nv / 2, nv / 2) *= 1e4;
  if (kind == 4) {
    problem.J = problem.J.replicate(2, 1).eval();
    for (size_t c = 0, count = problem.contacts.size(); c < count; ++c) {
      problem.contacts.push_back(problem.contacts[c]);
      problem.contacts.back().first_row += static_cast<int>(rows);
    }
  }
  for (ImpactContact& contact : problem.contacts) {
    if (kind == 1 || kind == 2) contact.restitution = kind == 1 ? 1 : 0;
    if (kind == 5) contact.static_friction *= 2.5;
  }
  return problem;
}

TEST(SimultaneousImpact, RandomImpactsNeverViolateUnderCoulomb) {
  int impacts = 0, less_rebound = 0, several = 0;
  for (const int dimension : {2, 3}) {
    std::mt19937 random(dimension);
    for (int i = 0; i < 2400; ++i, ++impacts) {
      const ImpactProblem problem = random_kind(random, dimension, i % 6);
      const ImpactResult result = solve(problem, ImpactRule::coulomb);
      ASSERT_GE(result.picked, 0) << i;
      for (const ImpactOutcome& outcome : result.outcomes) {
        expect_sound(problem, outcome, i);
        EXPECT_EQ(outcome.violations(), 0) << i;
        less_rebound += outcome.origin == ImpactOrigin::reduced || outcome.origin == ImpactOrigin::least_energy;
      }
      several += result.outcomes.size() > 1;
    }
  }
  EXPECT_LT(less_rebound, impacts / 4);  // most have an outcome of the paper's law or of complementarity
  EXPECT_GT(several, impacts / 10);
}

// The last resort, which hardly any impact reaches, for all of them.
TEST(SimultaneousImpact, LeastEnergyIsAlwaysFeasible) {
  for (const int dimension : {2, 3}) {
    std::mt19937 random(30 + dimension);
    for (int i = 0; i < 1200; ++i) {
      const ImpactProblem problem = random_kind(random, dimension, i % 6);
      const VectorX v = problem.J * problem.velocity;
      std::vector<int> contacts;
      for (size_t c = 0; c < problem.contacts.size(); ++c) {
        if (v[problem.contacts[c].first_row] <= 0) contacts.push_back(static_cast<int>(c));
      }
      expect_sound(problem, least_energy_outcome(problem, contacts, 1e-8), i);
    }
  }
}

// The flags under "published" are those of the recomputation.
TEST(SimultaneousImpact, PublishedViolationsAreFlagged) {
  int violating = 0, all = 0;
  for (const int dimension : {2, 3}) {
    std::mt19937 random(20 + dimension);
    for (int i = 0; i < 500; ++i) {
      const ImpactProblem problem = random_impact(random, dimension);
      for (const ImpactOutcome& outcome : solve(problem, ImpactRule::published).outcomes) {
        const Recheck check = recheck(problem, outcome);
        if (check.energy_gain > 1e-6) {
          EXPECT_TRUE(outcome.gains_energy) << i;
        }
        if (check.penetration > 1e-6) {
          EXPECT_TRUE(outcome.penetrates) << i;
        }
        if (check.outside > 1e-6) {
          EXPECT_TRUE(outcome.leaves_cone) << i;
        }
        violating += outcome.violations() > 0;
        ++all;
      }
    }
  }
  EXPECT_GT(violating, all / 2);  // the reversed inequality is no accident
  EXPECT_LT(violating, all);
}

TEST(SimultaneousImpact, BoxLandsFlatOnFourCorners) {
  const Vector3 half(0.5, 0.3, 0.2);
  ImpactBuilder builder(3);
  builder.add_body(3, 3.0 / 3 * Vector3(0.13, 0.29, 0.34), (VectorX(6) << 0.1, 0, -2, 0, 0, 0).finished());
  for (const double x : {-1, 1}) {
    for (const double y : {-1, 1}) {
      builder.add_contact(-1, Vector3::Zero(), 0, {x * half.x(), y * half.y(), -half.z()}, {0, 0, 1}, {0.5, 0.6, 0.4});
    }
  }
  for (const ImpactRule rule : {ImpactRule::published, ImpactRule::coulomb}) {
    const ImpactResult result = solve(builder.problem, rule);
    EXPECT_EQ(result.rank, 6);
    EXPECT_EQ(result.normal_rank, 3);
    EXPECT_EQ(result.choices, 4);
    const ImpactOutcome& outcome = result.outcomes[result.picked];
    EXPECT_TRUE(outcome.keeps_restitution);
    EXPECT_EQ(outcome.violations(), 0);
    // It rebounds flat and sticks: all corners alike, 3 kg (1 + e) 2 m/s shared by four.
    EXPECT_LT((outcome.velocity - (VectorX(6) << 0, 0, 1, 0, 0, 0).finished()).norm(), 1e-7);
    double sum = 0;
    for (const ImpactContact& c : builder.problem.contacts) sum += outcome.impulse[c.first_row];
    EXPECT_NEAR(sum, 9, 1e-7);
  }
}

ImpactProblem row_of_balls(int count, double restitution, double friction) {
  ImpactBuilder builder(2);
  for (int b = 0; b < count; ++b) builder.add_body(1, Vector3(0, 0, 0.1), Vector3(b == 0 ? 2 : 0, 0, 0));
  for (int b = 0; b + 1 < count; ++b) {
    builder.add_contact(b, {0.5, 0, 0}, b + 1, {-0.5, 0, 0}, {1, 0, 0}, {restitution, friction, friction});
  }
  return builder.problem;
}

// Two: exchange of (1 + e) / 2. Three at once: the second contact rests, and v_n+ = -e 0 keeps its balls together.
TEST(SimultaneousImpact, RowsOfBalls) {
  for (const ImpactRule rule : {ImpactRule::published, ImpactRule::coulomb}) {
    const ImpactResult two = solve(row_of_balls(2, 0.8, 0.3), rule);
    EXPECT_NEAR(two.outcomes[two.picked].velocity[0], 0.2, 1e-8);
    EXPECT_NEAR(two.outcomes[two.picked].velocity[3], 1.8, 1e-8);
    const ImpactResult three = solve(row_of_balls(3, 0.5, 0.3), rule);
    const VectorX& u = three.outcomes[three.picked].velocity;
    // 2 = a + 2 b and b - a = e 2.
    EXPECT_NEAR(u[0], 0, 1e-8);
    EXPECT_NEAR(u[3], 1, 1e-8);
    EXPECT_NEAR(u[6], 1, 1e-8);
    EXPECT_EQ(three.outcomes[three.picked].violations(), 0);
  }
}

TEST(SimultaneousImpact, NothingHappensWhereNothingApproaches) {
  const ImpactResult result = solve(corner_impact(-1, 1, 3, paper_material), ImpactRule::coulomb);
  EXPECT_TRUE(result.outcomes.empty());
  EXPECT_EQ(result.picked, -1);
}

TEST(SimultaneousImpact, SameBitsTwice) {
  std::mt19937 random(5);
  for (int i = 0; i < 50; ++i) {
    const ImpactProblem problem = random_impact(random, 3);
    const ImpactResult a = solve(problem, ImpactRule::coulomb), b = solve(problem, ImpactRule::coulomb);
    ASSERT_EQ(a.outcomes.size(), b.outcomes.size());
    for (size_t o = 0; o < a.outcomes.size(); ++o) EXPECT_EQ(a.outcomes[o].impulse, b.outcomes[o].impulse);
  }
}

}  // namespace
}  // namespace stiction::methods
