// quasi-rigid on whole simulations, against closed forms: static deflections of every law, layers in series, sticking
// contacts that give way sideways, the rigid core, the scheme's loss of energy, Hunt and Crossley's restitution.
#include <cmath>

#include <gtest/gtest.h>

#include "stiction/methods/quasi_rigid.h"
#include "support/scenarios.h"
#include "support/simulate.h"

namespace stiction {
namespace {

using testing::body_of;
using testing::Scenario;
using Law = CompliantLayer::Law;
using Options = methods::QuasiRigidOptions;

constexpr double g = 9.81;

CompliantLayer spring(double k, double c, double k_t = 0, double c_t = 0) {
  CompliantLayer layer;
  layer.stiffness.diagonal() << k, k_t, k_t;
  layer.damping.diagonal() << c, c_t, c_t;
  return layer;
}

// A ball of radius 0.1 m with this layer, `height` above the ground, which is rigid unless it is given a layer too.
Scenario ball_on_ground(const CompliantLayer& layer, double mass, double height, double step, double duration,
                        const CompliantLayer& ground = {}) {
  Scenario scenario{"ball", testing::on_ground(0.5), testing::settings_of(step, duration)};
  scenario.settings.method = "quasi-rigid";
  scenario.model.materials[0].layer = ground;
  Material soft = scenario.model.materials[0];
  soft.name = "soft";
  soft.layer = layer;
  scenario.model.materials.push_back(soft);
  scenario.model.bodies.push_back(body_of("ball", mass, geometry::Sphere{0.1}, {0, 0, 0.1 + height}));
  scenario.model.bodies[1].shapes[0].material = "soft";
  return scenario;
}

double deflection(Simulation& simulation) {
  return 0.1 - testing::position(simulation, "ball").z();
}

// Runs, every step certified. The certificate knows layers that are pressed in to their parallel surface: of others
// only fallbacks are counted.
void run_certified(Simulation& simulation) {
  const RunSummary summary = testing::run_all(simulation);
  if (simulation.settings().options.of<methods::QuasiRigidOptions>().deflection == Options::Deflection::euclidean) {
    EXPECT_LT(summary.certificate.worst(), 1e-8);
  }
  for (const auto& [fallback, count] : summary.fallbacks) EXPECT_EQ(count, 0) << fallback.name();
}

TEST(QuasiRigid, AMassSettlesAtItsWeightOverTheStiffness) {
  const double k = 2e3, m = 1.5;
  // Near critical damping: after 1 s, 37 time constants, nothing is left.
  const Scenario scenario = ball_on_ground(spring(k, 2 * std::sqrt(k * m)), m, 1e-3, 1e-3, 1);
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  run_certified(simulation);
  EXPECT_NEAR(deflection(simulation), m * g / k, 1e-10);
  EXPECT_NEAR(testing::contact_force(simulation, "ball").z(), m * g, 1e-7);
}

TEST(QuasiRigid, LayersOnBothBodiesDeflectInSeries) {
  const double k1 = 2e3, k2 = 5e3, m = 1.5;
  const Scenario scenario = ball_on_ground(spring(k1, 100), m, 1e-3, 1e-3, 2, spring(k2, 150));
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  run_certified(simulation);
  EXPECT_NEAR(deflection(simulation), m * g * (1 / k1 + 1 / k2), 1e-10);
  const StepAnswer& answer = simulation.last_step().answer;
  ASSERT_EQ(simulation.last_step().problem.layers.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    const double k = simulation.last_step().problem.layers[i].layer->stiffness(0, 0);
    EXPECT_NEAR(answer.deflection[i][0], m * g / k, 1e-10);  // equal forces
  }
}

TEST(QuasiRigid, HertzRestsAtTheTwoThirdsPower) {
  const double k = 1e5, m = 1.5, delta = std::pow(m * g / k, 2.0 / 3);
  CompliantLayer layer = spring(k, 0);
  layer.law = Law::hertz;
  // Undamped: put where it rests, it must stay.
  const Scenario scenario = ball_on_ground(layer, m, -delta, 1e-3, 0.2);
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  run_certified(simulation);
  EXPECT_NEAR(deflection(simulation), delta, 1e-11);
  EXPECT_NEAR(testing::contact_force(simulation, "ball").z(), m * g, 1e-6);
  // From elsewhere it does not.
  const Scenario off = ball_on_ground(layer, m, -0.9 * delta, 1e-3, 0.002);
  Simulation moving = testing::make_simulation(off.model, off.settings);
  run_certified(moving);
  EXPECT_GT(std::abs(testing::velocity(moving, "ball").linear.z()), 1e-3);
}

TEST(QuasiRigid, TheCoreCarriesWhatTheLayerCannot) {
  const double k = 2e3, m = 5, thickness = 0.01;  // m g = 49 N, the layer gives 20 N
  CompliantLayer layer = spring(k, 60);
  layer.thickness = thickness;
  const Scenario scenario = ball_on_ground(layer, m, 0.05, 1e-3, 0.6);
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  double deepest = 0;
  const RunSummary summary = testing::run_all(simulation, [&] { deepest = std::max(deepest, deflection(simulation)); });
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  EXPECT_LT(deepest, thickness + 1e-9);
  EXPECT_NEAR(deflection(simulation), thickness, 1e-9);
  EXPECT_NEAR(simulation.last_step().answer.core_impulse[0] / 1e-3, m * g - k * thickness, 1e-6);
  EXPECT_NEAR(testing::contact_force(simulation, "ball").z(), m * g, 1e-6);
}

// About its resting place a mass on a spring is the implicit Euler scheme's oscillator: energy falls by the factor
// 1 / (1 + k h^2 / m) each step (ERRATA of chakraborty2007).
TEST(QuasiRigid, OscillationLosesEnergyByTheSchemesFactor) {
  const double k = 1e3, m = 2, h = 1e-3, rest = m * g / k;
  Scenario scenario = ball_on_ground(spring(k, 0), m, -0.5 * rest, h, 0.3);
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  const auto energy = [&] {
    const double x = deflection(simulation) - rest, v = testing::velocity(simulation, "ball").linear.z();
    return (m * v * v + k * x * x) / 2;
  };
  double before = energy();
  ASSERT_NEAR(before, k * rest * rest / 8, 1e-12);
  for (int i = 0; i < 300; ++i) {
    testing::take_steps(simulation, 1);
    const double after = energy();
    // Residuals of 1e-10 of the step's motion, of an energy of which a step moves a twentieth or more.
    ASSERT_NEAR(after / before, 1 / (1 + k * h * h / m), 1e-8) << i;
    before = after;
  }
}

// Between shapes of which both are balls or half-spaces the level set of the function is the parallel surface.
TEST(QuasiRigid, AlgebraicDeflectionOfABallIsTheEuclideanOne) {
  std::vector<Simulation> simulations;
  for (const auto kind : {Options::Deflection::euclidean, Options::Deflection::algebraic}) {
    Scenario scenario = ball_on_ground(spring(2e3, 20, 500, 5), 1.5, 0.02, 1e-3, 0.3);
    scenario.settings.options.of<methods::QuasiRigidOptions>().deflection = kind;
    scenario.model.bodies[1].linear_velocity = Vector3(0.5, 0, 0);
    simulations.push_back(testing::make_simulation(scenario.model, scenario.settings));
    run_certified(simulations.back());
  }
  EXPECT_LT((simulations[0].state().q - simulations[1].state().q).norm(), 1e-8);
  EXPECT_LT((simulations[0].state().v - simulations[1].state().v).norm(), 1e-7);
}

// A box on four layered corners, pulled sideways in the plane of its contacts (force and its moment) at less than its
// friction.
struct PulledBox {
  double k_t = 3e3, pull = 4, m = 2, half = 0.05;
  Simulation simulation;

  explicit PulledBox(Options::Tangential tangential) : simulation(make(tangential)) {}

  Simulation make(Options::Tangential tangential) const {
    Scenario scenario{"box", testing::on_ground(0.5), testing::settings_of(1e-3, 1)};
    scenario.settings.method = "quasi-rigid";
    scenario.settings.options.of<methods::QuasiRigidOptions>().tangential = tangential;
    scenario.model.materials[0].layer = {};
    Material soft = scenario.model.materials[0];
    soft.name = "soft";
    soft.layer = spring(5e3, 80, k_t, 60);
    scenario.model.materials.push_back(soft);
    scenario.model.bodies.push_back(
        body_of("box", m, geometry::Box{Vector3::Constant(half)}, {0, 0, half - m * g / (4 * 5e3)}));
    scenario.model.bodies[1].shapes[0].material = "soft";
    return testing::make_simulation(scenario.model, scenario.settings);
  }

  // x of the box's centre after a second under the pull, or without.
  double place_under(double force) {
    const double arm = testing::position(simulation, "box").z();
    simulation.controller_force()[0] = force;
    simulation.controller_force()[4] = -force * arm;  // as if it pulled where the contacts are
    for (int i = 0; i < 1000; ++i) {
      testing::take_steps(simulation, 1);
      EXPECT_LT(simulation.last_step().certificate.worst(), 1e-8);
    }
    return testing::position(simulation, "box").x();
  }
};

TEST(QuasiRigid, InSeriesAStickingContactGivesWayAndComesBack) {
  PulledBox box(Options::Tangential::series);
  // The arm is that of the start; the box keeps its height to 1e-9.
  EXPECT_NEAR(box.place_under(box.pull), box.pull / (4 * box.k_t), 1e-7);
  EXPECT_NEAR(box.place_under(0), 0, 1e-7);
}

TEST(QuasiRigid, PassiveItStaysWhereItSticks) {
  PulledBox box(Options::Tangential::passive);
  EXPECT_NEAR(box.place_under(box.pull), 0, 1e-9);
  double carried = 0;  // the deflection is there, as an output
  for (const Vector3& delta : box.simulation.last_step().answer.deflection) carried += delta.tail<2>().norm() * box.k_t;
  EXPECT_NEAR(carried, box.pull, 1e-5);
}

// e = 1 - (2/3) (c / k) v + O(v^2) for p = k d^1.5 + c d^1.5 rate (Hunt and Crossley 1975).
TEST(QuasiRigid, HuntCrossleyReboundsLessTheFasterItHits) {
  const double k = 1e6, c = 0.06 * k;
  CompliantLayer layer = spring(k, c);
  layer.law = Law::hunt_crossley;
  const auto restitution = [&](double v, double h) {
    Scenario scenario = ball_on_ground(layer, 1, 1e-6, h, 0.03);
    scenario.model.gravity.setZero();
    scenario.model.bodies[1].linear_velocity = Vector3(0, 0, -v);
    Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
    testing::run_all(simulation);
    return testing::velocity(simulation, "ball").linear.z() / v;
  };
  double last = 1;
  for (const double v : {0.5, 1.0, 2.0}) {
    // What the step takes is of first order in h: extrapolated.
    const double coarse = restitution(v, 2e-5), fine = restitution(v, 1e-5), e = 2 * fine - coarse;
    EXPECT_NEAR(1 - e, 2.0 / 3 * 0.06 * v, 0.06 * v * 0.06 * v + 2e-4) << v;
    EXPECT_LT(e, last);
    last = e;
  }
}

// Full matrices, both bodies soft, every option: every step certified.
TEST(QuasiRigid, EllipsoidsOnLayersAreCertified) {
  for (const auto tangential : {Options::Tangential::passive, Options::Tangential::series}) {
    for (const auto kind : {Options::Deflection::euclidean, Options::Deflection::algebraic}) {
      Scenario scenario = ball_on_ground(spring(3e3, 10), 1, 0.3, 2e-3, 0.5);
      scenario.settings.options.of<methods::QuasiRigidOptions>().tangential = tangential;
      scenario.settings.options.of<methods::QuasiRigidOptions>().deflection = kind;
      CompliantLayer& layer = scenario.model.materials[1].layer;
      layer.stiffness << 3e3, 200, 100, 200, 1e3, 50, 100, 50, 800;
      layer.damping << 10, 1, 0.5, 1, 8, 0.3, 0.5, 0.3, 6;
      layer.thickness = 0.04;
      scenario.model.bodies[1] = body_of("high", 1, geometry::Ellipsoid{{0.1, 0.2, 0.12}}, {0.05, 0.02, 0.55});
      scenario.model.bodies.push_back(body_of("low", 2, geometry::Ellipsoid{{0.3, 0.2, 0.15}}, {0, 0, 0.17}));
      for (size_t b : {1, 2}) {
        scenario.model.bodies[b].shapes[0].material = "soft";
        scenario.model.bodies[b].orientation = exp_rotation(Vector3(0.2, 0.1 * static_cast<double>(b), 0.3));
      }
      Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
      if (kind == Options::Deflection::euclidean) {
        run_certified(simulation);
        continue;
      }
      // With level sets of two ellipsoids Newton does not find every step: one in twelve of 250 is halved, one handed
      // over.
      long others = 0;
      for (const auto& [fallback, count] : testing::run_all(simulation).fallbacks) others += count;
      EXPECT_LE(others, 25);
    }
  }
}

// A step that cannot be solved goes to exact-cone, which knows no layers, and is recorded.
TEST(QuasiRigid, WhatCannotBeSolvedIsHandedOverAndRecorded) {
  Scenario scenario = ball_on_ground(spring(2e3, 100), 1.5, 1e-3, 1e-3, 0.05);
  scenario.settings.options.of<methods::QuasiRigidOptions>().tolerance = 1e-300;
  scenario.settings.options.of<methods::QuasiRigidOptions>().acceptance = 1e-300;
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  const RunSummary summary = testing::run_all(simulation);
  EXPECT_GT(summary.count(Fallback::exact_cone), 0);
  EXPECT_TRUE(simulation.state().q.allFinite());
  EXPECT_NEAR(deflection(simulation), 0, 1e-6);  // a rigid ball on the ground
}

}  // namespace
}  // namespace stiction
