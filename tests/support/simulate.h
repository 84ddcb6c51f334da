// What the tests of whole simulations share: a scene with overrides in, a running simulation out; names to numbers; and
// errors over step sizes to an observed order.
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stiction/scene/scene.h"
#include "stiction/simulation/run.h"
#include "support/places.h"

namespace stiction::testing {

using Overrides = std::vector<std::string>;

/// KEY=VALUE with every digit of the number.
inline std::string set(const std::string& key, double value) {
  return fmt::format("{}={:.17g}", key, value);
}

/// Step and duration as overrides, followed by others.
inline Overrides timing(double step, double duration, const Overrides& more = {}) {
  Overrides overrides = {set("simulation.step", step), set("simulation.duration", duration)};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

/// Every body free, every joint a constraint.
inline const std::string maximal = "method.stewart-trinkle.coordinates=maximal";

inline Simulation start(const Result<scene::Scene>& scene) {
  if (!scene) throw std::runtime_error(scene.error().message());
  auto built = build_model(scene->model);
  if (!built) throw std::runtime_error(built.error().message());
  auto simulation = Simulation::create(std::move(*built), scene->settings);
  if (!simulation) throw std::runtime_error(simulation.error().message());
  return std::move(*simulation);
}

/// The example scenes/NAME.toml, ready to run.
inline Simulation open_scene(const std::string& name, const Overrides& overrides = {}) {
  return start(scene::load_scene(source_path(fmt::format("scenes/{}.toml", name)), overrides));
}

/// A scene given as text.
inline Simulation open_text(const std::string& text, const Overrides& overrides = {}) {
  return start(scene::parse_scene(text, "test.toml", overrides));
}

/// Runs to the scene's duration, calling `after_step` after each step; a step that fails is a failed test.
inline RunSummary run_all(Simulation& simulation, const std::function<void()>& after_step = {}) {
  RunSummary summary = run(simulation, [&](const StepOutcome&) {
    if (after_step) after_step();
  });
  EXPECT_TRUE(summary.ok) << summary.failure;
  return summary;
}

inline int body_index(const Simulation& simulation, const std::string& name) {
  const int body = simulation.model().find_body(name);
  if (body < 0) throw std::runtime_error("no body " + name);
  return body;
}

/// Centre of mass of a body, world axes.
inline Vector3 position(Simulation& simulation, const std::string& body) {
  return simulation.kinematics().com_W[body_index(simulation, body)];
}

/// Velocity of a body's centre of mass and its angular velocity, world axes.
inline Twist velocity(Simulation& simulation, const std::string& body) {
  return simulation.kinematics().velocity[body_index(simulation, body)];
}

/// Pose of a body's frame.
inline Pose pose(Simulation& simulation, const std::string& body) {
  return simulation.kinematics().X_WB[body_index(simulation, body)];
}

/// Sum of the contact forces on a body in the last step [N].
inline Vector3 contact_force(const Simulation& simulation, const std::string& body) {
  std::vector<ContactReport> reports;
  simulation.contact_reports(reports);
  const int index = body_index(simulation, body);
  Vector3 sum = Vector3::Zero();
  for (const ContactReport& report : reports) {
    if (report.body_B == index) sum += report.force;
    if (report.body_A == index) sum -= report.force;
  }
  return sum;
}

/// How many contacts of the last step were in `state`.
inline int count_contacts(const Simulation& simulation, ContactState state) {
  std::vector<ContactReport> reports;
  simulation.contact_reports(reports);
  int count = 0;
  for (const ContactReport& report : reports) count += report.state == state ? 1 : 0;
  return count;
}

/// log(e_i / e_{i+1}) / log(h_i / h_{i+1}) of the last two step sizes.
inline double observed_order(std::span<const double> steps, std::span<const double> errors) {
  const size_t n = steps.size();
  return std::log(errors[n - 2] / errors[n - 1]) / std::log(steps[n - 2] / steps[n - 1]);
}

/// Asks that `error(h)` is at most `constant` h^order at every step size, and that it falls with the order, give or
/// take `slack` (terms of higher order at the steps used).
inline void expect_order(const std::function<double(double)>& error, const std::vector<double>& steps, double order,
                         double constant, double slack = 0.15) {
  std::vector<double> errors;
  for (const double h : steps) {
    errors.push_back(error(h));
    EXPECT_LE(errors.back(), constant * std::pow(h, order)) << "h = " << h;
  }
  for (size_t i = 2; i <= steps.size(); ++i) {
    const double seen = observed_order(std::span(steps).first(i), std::span(errors).first(i));
    EXPECT_NEAR(seen, order, slack) << "from h = " << steps[i - 2] << " to " << steps[i - 1] << ": errors "
                                    << errors[i - 2] << ", " << errors[i - 1];
  }
}

}  // namespace stiction::testing
