// What theory promises of every step, checked from (problem, answer) by formulas of this file alone: energy, the
// polygonal cone, complementarity, maximum dissipation, conservation of momentum.
#include <numbers>

#include <gtest/gtest.h>

#include "stiction/dynamics/energy.h"
#include "stiction/methods/stewart_trinkle.h"
#include "support/scenarios.h"

namespace stiction {
namespace {

using testing::Scenario;

// Rounding of a step: impulses and velocities of order one, Lemke's answers refined to 1e-12 and better.
constexpr double rounding = 1e-10;

// One contact of a solved step: velocity of B over A and impulse on B, in (normal, t, o).
struct SolvedContact {
  const ContactRows* rows;
  Vector3 u = Vector3::Zero(), p = Vector3::Zero();
};

std::vector<SolvedContact> solved_contacts(const StepRecord& step) {
  std::vector<SolvedContact> result;
  for (const ContactRows& rows : step.problem.contacts) {
    SolvedContact contact{&rows};
    const RowBlock& block = step.problem.blocks[rows.block];
    for (int r = 0; r < std::min(3, block.row_count); ++r) {
      contact.p[r] = step.answer.impulse[block.first_row + r];
      contact.u[r] = rows.surface[r];
      for (int side = 0; side < 2; ++side) {
        if (block.tree[side] < 0) continue;
        const VelocityTree& tree = step.problem.trees[block.tree[side]];
        contact.u[r] +=
            step.problem.jacobian_block(rows.block, side).row(r).dot(step.answer.v_end.segment(tree.offset, tree.size));
      }
    }
    result.push_back(contact);
  }
  return result;
}

// 1/2 v^T M v with the masses of the problem.
double kinetic(const StepProblem& problem, const VectorX& v) {
  double sum = 0;
  for (size_t t = 0; t < problem.trees.size(); ++t) {
    const auto part = v.segment(problem.trees[t].offset, problem.trees[t].size);
    sum += 0.5 * part.dot(problem.mass_block(static_cast<int>(t)) * part);
  }
  return sum;
}

void for_each_step(const Scenario& scenario, const std::function<void(Simulation&)>& check) {
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  const long steps = steps_for(scenario.settings.duration, scenario.settings.step);
  for (long i = 0; i < steps; ++i) {
    testing::take_steps(simulation, 1);
    check(simulation);
    if (::testing::Test::HasFailure()) return;
  }
}

std::vector<Scenario> inelastic_scenes() {
  return {testing::resting_box(), testing::sliding_block(), testing::tower(4, 1.0 / 120), testing::dropped_shapes(),
          testing::rolling_sphere()};
}

TEST(Theorem, NormalImpulsesAndGapsAreComplementary) {
  for (const Scenario& scenario : inelastic_scenes()) {
    for_each_step(scenario, [&](Simulation& simulation) {
      const double h = simulation.settings().step;
      for (const SolvedContact& c : solved_contacts(simulation.last_step())) {
        const double gap_rate = c.u[0] + c.rows->gap / h;  // gap at the end of the step over h
        EXPECT_GE(c.p[0], 0) << scenario.name;
        EXPECT_GE(gap_rate, -rounding) << scenario.name;
        EXPECT_NEAR(c.p[0] * gap_rate, 0, rounding) << scenario.name;
      }
    });
  }
}

// The polygon conv{mu p_n d_j} by its edges: the outer normal of the edge from d_j to d_j+1 bisects them.
TEST(Theorem, FrictionImpulsesLieInThePolygonAndDissipateMost) {
  for (const int directions : {3, 4, 8, 13}) {
    for (Scenario& scenario : inelastic_scenes()) {
      const double angle = 0.3;
      scenario.settings.options.of<methods::StewartTrinkleOptions>().friction_directions = directions;
      scenario.settings.options.of<methods::StewartTrinkleOptions>().friction_angle = angle;
      scenario.settings.duration *= 0.5;
      double slipping = 0;
      for_each_step(scenario, [&](Simulation& simulation) {
        for (const SolvedContact& c : solved_contacts(simulation.last_step())) {
          const double radius = c.rows->friction[0] * c.p[0];
          const double sector = 2 * std::numbers::pi / directions;
          double most = 0;  // largest dissipation that the polygon has to offer
          for (int j = 0; j < directions; ++j) {
            const double edge = angle + sector * (j + 0.5), vertex = angle + sector * j;
            EXPECT_LE(c.p[1] * std::cos(edge) + c.p[2] * std::sin(edge), radius * std::cos(sector / 2) + rounding);
            most = std::max(most, -radius * (c.u[1] * std::cos(vertex) + c.u[2] * std::sin(vertex)));
          }
          EXPECT_NEAR(-c.p.tail<2>().dot(c.u.tail<2>()), most, rounding) << scenario.name;
          slipping += most;
        }
      });
      EXPECT_TRUE(scenario.name != "sliding_block" || slipping > 0.1);
    }
  }
}

// T(v_end) + T(v_end - v_free) - T(v_free) = p . J v_end. Friction's part of the right side is never positive; the
// normal part is p_n (-gap / h), positive only where an overlap is driven apart.
TEST(Theorem, ContactGainsNoEnergyButFromOverlap) {
  for (const Scenario& scenario : inelastic_scenes()) {
    for_each_step(scenario, [&](Simulation& simulation) {
      const StepRecord& step = simulation.last_step();
      const VectorX change = step.answer.v_end - step.problem.v_free;
      const double gain = kinetic(step.problem, step.answer.v_end) - kinetic(step.problem, step.problem.v_free);
      double from_overlap = 0;
      for (const SolvedContact& c : solved_contacts(step)) {
        from_overlap += c.p[0] * std::max(0.0, -c.rows->gap) / simulation.settings().step;
      }
      EXPECT_LE(gain, from_overlap - kinetic(step.problem, change) + rounding) << scenario.name;
    });
  }
}

// Where gaps stay exact (spheres on a plane, boxes that slide flat) the total energy never rises: each step of free
// fall itself loses m g^2 h^2 / 2.
TEST(Theorem, TotalEnergyNeverRises) {
  Scenario drop{"balls", testing::on_ground(), testing::settings_of(2e-3, 1.0)};
  for (int i = 0; i < 3; ++i) {
    BodyDescription ball =
        testing::body_of("ball" + std::to_string(i), 1 + i, geometry::Sphere{0.1}, {0.02 * i, 0, 0.3 + 0.25 * i});
    ball.angular_velocity = Vector3(3, -2, 1);
    drop.model.bodies.push_back(ball);
  }
  for (const Scenario& scenario : {drop, testing::sliding_block(), testing::rolling_sphere(), testing::resting_box()}) {
    Simulation start = testing::make_simulation(scenario.model, scenario.settings);
    double last = start.energies().kinetic + start.energies().potential;
    const double first = last;
    for_each_step(scenario, [&](Simulation& simulation) {
      const Energies now = simulation.energies();
      double from_overlap = 0;
      for (const SolvedContact& c : solved_contacts(simulation.last_step())) {
        from_overlap += c.p[0] * std::max(0.0, -c.rows->gap) / simulation.settings().step;
      }
      EXPECT_LE(now.kinetic + now.potential, last + from_overlap + rounding) << scenario.name;
      last = now.kinetic + now.potential;
    });
    EXPECT_LT(last, first + rounding);
  }
}

// Bodies that collide in free space, off centre and with friction.
Scenario collision(bool isotropic) {
  Scenario scenario{"collision", testing::on_ground(0.4), testing::settings_of(2e-3, 0.8)};
  scenario.model.gravity = Vector3::Zero();
  scenario.model.bodies.clear();
  const geometry::Shape box = geometry::Box{isotropic ? Vector3(0.1, 0.1, 0.1) : Vector3(0.15, 0.1, 0.07)};
  for (int i = 0; i < 4; ++i) {
    const double x = i;
    BodyDescription body = testing::body_of("body" + std::to_string(i), 1 + 0.5 * i,
                                            i % 2 == 0 ? box : geometry::Shape{geometry::Sphere{0.12}},
                                            {0.35 * x, 0.03 * x * x, 0.02 * x});
    body.linear_velocity = Vector3(1.5 - x, 0.1, -0.05 * x);
    body.angular_velocity = Vector3(0.5, -1, 2 - x);
    body.orientation = exp_rotation(Vector3(0.3 * x, 0.2, -0.5));
    scenario.model.bodies.push_back(body);
  }
  return scenario;
}

struct Momentum {
  Vector3 linear, angular;  // angular about `point`
};

Momentum momentum(const Model& model, const Kinematics& k, const Vector3& point) {
  Momentum sum{Vector3::Zero(), Vector3::Zero()};
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const Vector3 p = model.bodies[b].mass * k.velocity[b].linear;
    sum.linear += p;
    sum.angular += (k.com_W[b] - point).cross(p) + k.inertia_W[b] * k.velocity[b].angular;
  }
  return sum;
}

TEST(Theorem, CollisionsConserveMomentumAboutAnyPoint) {
  const Vector3 point(-3, 5, 2);
  for (const bool isotropic : {true, false}) {
    const Scenario scenario = collision(isotropic);
    Simulation start = testing::make_simulation(scenario.model, scenario.settings);
    const Momentum first = momentum(start.model(), start.kinematics(), point);
    Kinematics k = start.kinematics();  // at the start of each step
    double largest_impulse = 0;
    for_each_step(scenario, [&](Simulation& simulation) {
      const StepRecord& step = simulation.last_step();
      if (step.answer.impulse.size() > 0) {
        largest_impulse = std::max(largest_impulse, step.answer.impulse.lpNorm<Eigen::Infinity>());
      }
      // What the impulses do within a step, at the configuration they act in.
      update_velocities(simulation.model(), step.problem.v_free, k);
      const Momentum free = momentum(simulation.model(), k, point);
      update_velocities(simulation.model(), step.answer.v_end, k);
      const Momentum end = momentum(simulation.model(), k, point);
      EXPECT_LT((end.linear - free.linear).norm(), 1e-12);
      EXPECT_LT((end.angular - free.angular).norm(), 1e-12);
      // Over the whole run: angular momentum at the steps' ends is exact only where inertia is a multiple of the unit
      // matrix, elsewhere it is half a step's turn off (free_motion.h).
      const Momentum now = momentum(simulation.model(), simulation.kinematics(), point);
      EXPECT_LT((now.linear - first.linear).norm(), 1e-12);
      EXPECT_LT((now.angular - first.angular).norm(), isotropic ? 1e-11 : 2e-3);
      k = simulation.kinematics();
    });
    EXPECT_GT(largest_impulse, 0.1);
  }
}

// Bodies that overlap while they fall together are driven apart, and the certificate knows how to judge it.
TEST(Theorem, AnOverlapInFreeFallIsDrivenApartAndCertified) {
  Scenario scenario{"overlap", testing::on_ground(), testing::settings_of(2e-3, 0.02)};
  scenario.model.bodies.push_back(testing::body_of("left", 1, geometry::Sphere{0.1}, {0, 0, 5}));
  scenario.model.bodies.push_back(testing::body_of("right", 2, geometry::Sphere{0.1}, {0.199, 0, 5}));
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  const RunSummary summary = run(simulation);
  ASSERT_TRUE(summary.ok);
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  EXPECT_NEAR(summary.certificate.penetration, 1e-3, 1e-12);
  EXPECT_LT(simulation.measure_penetration(), 1e-12);
}

}  // namespace
}  // namespace stiction
