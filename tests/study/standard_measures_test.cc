// The standard scenes are what they say, and the figures drawn from them are right where they are known.
#include "stiction/study/standard_measures.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stiction/methods/registry.h"
#include "stiction/study/standard_scenes.h"

namespace stiction {
namespace {

Simulation open(const StandardScene& scene) {
  return std::move(*Simulation::create(build_model(scene.model).value(), scene.settings));
}

TEST(StandardScenes, NothingOverlapsAtTheStart) {
  for (const StandardScene& scene :
       {standard_stack(1), standard_grasp(1), standard_impact(), standard_heap(1), standard_slab(50)}) {
    Simulation simulation = open(scene);
    EXPECT_LT(simulation.measure_penetration(), 1e-15) << scene.name;  // rounding of positions below 1 m
  }
}

TEST(StandardScenes, SlabIsOneIslandWithOneContactPerFoot) {
  for (const int contacts : {1, 2, 7, 30}) {
    Simulation simulation = open(standard_slab(contacts));
    ASSERT_TRUE(simulation.step().ok);
    EXPECT_EQ(simulation.last_step().contacts.size(), static_cast<size_t>(contacts));
    EXPECT_EQ(simulation.last_step().islands.count(), 1);
  }
}

TEST(StandardScenes, GraspHoldsTheBallWithMoreThanItsWeight) {
  Simulation simulation = open(standard_grasp(0.01));
  ASSERT_TRUE(run(simulation).ok);
  std::vector<ContactReport> reports;
  simulation.contact_reports(reports);
  ASSERT_EQ(reports.size(), 2U);
  for (const ContactReport& report : reports) {
    EXPECT_NEAR(std::abs(report.force.x()), 10, 1e-8);                  // the push, through the ball
    EXPECT_NEAR(std::abs(report.force.z()), 0.5 * 0.058 * 9.81, 1e-8);  // each carries half
  }
}

MethodRun run_along(const std::vector<double>& times, const std::vector<Vector3>& places) {
  MethodRun run;
  for (size_t k = 0; k < times.size(); ++k) {
    run.samples.emplace_back();
    run.samples.back().time = times[k];
    run.samples.back().displacement = {Vector3::Zero(), places[k]};
  }
  return run;
}

TEST(StandardMeasures, CreepIsTheSpeedOfTheSecondHalf) {
  // Settles by 0.1 along z in the first half, then moves by (0.003, 0.004, 0) in 2 s.
  const MethodRun run = run_along({0, 1, 2, 4}, {{0, 0, 0}, {0, 0, -0.1}, {0, 0, -0.1}, {0.003, 0.004, -0.1}});
  EXPECT_NEAR(creep_of(run), 0.005 / 2, 1e-16);
}

TEST(StandardMeasures, ReboundIsTheSpeedAtTheEnd) {
  MethodRun run = run_along({0, 1, 3, 4}, {{0, 0, 0}, {0, 0, -1}, {0, 0, -0.75}, {0, 0, -0.5}});
  for (CompareSample& sample : run.samples) sample.displacement.erase(sample.displacement.begin());
  EXPECT_NEAR(rebound_of(run), 0.25, 1e-15);
}

TEST(StandardMeasures, ExponentOfAPowerLaw) {
  std::vector<CostPoint> points;
  for (const int n : {1, 2, 4, 8, 16, 32, 64, 128, 200}) points.push_back({n, 3e-7 * std::pow(n, 2.5)});
  EXPECT_NEAR(fitted_exponent(points).value(), 2.5, 1e-12);
  for (CostPoint& point : points) {
    if (point.contacts < 14) point.seconds = 1e-3;  // below the root of 200: what a step costs without contacts
  }
  EXPECT_NEAR(fitted_exponent(points).value(), 2.5, 1e-12);
  EXPECT_FALSE(fitted_exponent({{4, 1.0}}).has_value());
  EXPECT_FALSE(fitted_exponent({}).has_value());
}

// Every available method is measured; those that solve the law realise the restitution that the scene states. Newton's
// law for one contact without friction leaves rounding only (steps of 1e-3 s, differences of 0.025 m: 1e-13).
TEST(StandardMeasures, EveryMethodIsMeasured) {
  const std::vector<std::string> methods = methods::method_names();
  const auto figures = measure_standard(methods, {.quick = true});
  ASSERT_EQ(figures.size(), methods.size());
  for (const StandardFigures& f : figures) {
    SCOPED_TRACE(f.method);
    EXPECT_GT(f.steps, 0);
    EXPECT_FALSE(f.integrator.empty());
    if (!methods::find_method(f.method)->solves_law) continue;
    EXPECT_TRUE(f.failures.empty());
    ASSERT_TRUE(f.restitution && f.stack_creep && f.grasp_creep);
    EXPECT_NEAR(*f.restitution, standard_restitution, 1e-9);
    EXPECT_LT(*f.stack_creep, 1e-9);
    EXPECT_LT(*f.grasp_creep, 1e-9);
    EXPECT_EQ(f.cost.size(), 3U);
  }
}

}  // namespace
}  // namespace stiction
