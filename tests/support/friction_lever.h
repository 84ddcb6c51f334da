// A lever that falls on its limit against dry friction: joints are not contacts, whatever the method does to those.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "support/scenarios.h"

namespace stiction::testing {

/// A lever of 1 kg at 0.5 m with 2 N m of friction: speeds up by 0.5 m * m g less 2 N m over its inertia
/// 0.5^2 + 0.4 * 0.1^2, then lies on its limit of 0.01 rad, to `tolerance`.
inline void expect_lever_on_its_limit(const std::string& method, double tolerance) {
  ModelDescription model = on_ground();
  model.bodies.push_back(body_of("bob", 1, geometry::Sphere{0.1}, {0.5, 0, 0}));
  model.bodies.back().shapes[0].collide = false;
  model.joints.push_back(hinge("pivot", "world", "bob", {0, 0, 0}));
  model.joints.back().coordinates[0].limits = {-1, 0.01};
  model.joints.back().coordinates[0].friction = 2;
  SimulationSettings settings;
  settings.method = method;
  Simulation simulation = make_simulation(model, settings);
  take_steps(simulation, 10);
  EXPECT_NEAR(simulation.state().v[0], 0.01 * (0.5 * 9.81 - 2) / 0.254, 1e-6);
  take_steps(simulation, 500);
  EXPECT_NEAR(simulation.state().q[0], 0.01, tolerance);
}

}  // namespace stiction::testing
