// After warm-up a step allocates nothing, with the number of contacts changing within the warm-up's maximum.
#include <gtest/gtest.h>

#include "stiction/methods/registry.h"
#include "support/allocation_counter.h"
#include "support/scenarios.h"

namespace stiction {
namespace {

using testing::Scenario;

// Boxes and balls that bounce, roll apart and meet again: contacts come and go.
Scenario bouncing() {
  Scenario scenario = testing::dropped_shapes();
  scenario.name = "bouncing";
  scenario.model.materials[0].restitution = 0.4;
  scenario.settings = testing::settings_of(4e-3, 2.0);
  return scenario;
}

// The same with friction that falls with slip.
Scenario gripping() {
  Scenario scenario = testing::dropped_shapes();
  scenario.name = "gripping";
  scenario.model.materials[0].static_friction = 0.6;
  scenario.model.materials[0].stribeck_velocity = 0.1;
  return scenario;
}

std::vector<Scenario> scenarios() {
  std::vector<Scenario> result = testing::conformance_scenarios();
  result.push_back(bouncing());
  result.push_back(gripping());
  result.push_back(testing::many_islands(6));
  return result;
}

// The warm-up is the whole run: it has the largest of everything. The same run from the start, in the same simulation,
// must then do without the heap, and it goes through every number of contacts again.
TEST(Allocation, AWarmStepAllocatesNothing) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  for (const std::string& method : methods::method_names()) {
    if (methods::find_method(method)->reports_events) continue;  // no fixed step: it makes no such promise
    for (const auto coordinates : {methods::Coordinates::reduced, methods::Coordinates::maximal}) {
      for (Scenario& scenario : scenarios()) {
        scenario.settings.method = method;
        scenario.settings.options.coordinates = coordinates;
        Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
        const State start = simulation.state();
        testing::run_to_end(simulation);
        simulation.restore(start, 0);
        const long steps = steps_for(scenario.settings.duration, scenario.settings.step);
        size_t fewest = 1000, most = 0;
        const long before = testing::allocation_count.load();
        for (long i = 0; i < steps; ++i) {
          const bool ok = simulation.step().ok;
          const size_t contacts = simulation.last_step().contacts.size();
          fewest = std::min(fewest, contacts);
          most = std::max(most, contacts);
          if (!ok) break;
        }
        EXPECT_EQ(testing::allocation_count.load() - before, 0) << method << ' ' << scenario.name;
        EXPECT_EQ(simulation.step_index(), steps);
        EXPECT_TRUE(scenario.name != "bouncing" || most > fewest + 5);
      }
    }
  }
}

// What a recorder or a viewer asks for after every step.
TEST(Allocation, ObservingAWarmStepAllocatesNothing) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  const Scenario scenario = testing::dropped_shapes();
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  std::vector<ContactReport> reports;
  const auto observe = [&] {
    testing::take_steps(simulation, 1);
    simulation.contact_reports(reports);
    return simulation.energies().kinetic + simulation.measure_penetration();
  };
  const State start = simulation.state();
  for (int i = 0; i < 250; ++i) observe();
  simulation.restore(start, 0);
  const long before = testing::allocation_count.load();
  double sum = 0;
  for (int i = 0; i < 250; ++i) sum += observe();
  EXPECT_EQ(testing::allocation_count.load() - before, 0);
  EXPECT_GT(sum, 0);
}

TEST(Allocation, TheCounterCounts) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  const long before = testing::allocation_count.load();
  const VectorX x = VectorX::Zero(1000);
  EXPECT_GT(testing::allocation_count.load(), before);
  EXPECT_EQ(x.norm(), 0);
}

}  // namespace
}  // namespace stiction
