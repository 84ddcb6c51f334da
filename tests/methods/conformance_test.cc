// What every method of the registry must do on the same scenarios: certify every step, give the same bits twice and for
// any number of threads.
#include <cstring>
#include <numbers>

#include <gtest/gtest.h>

#include "stiction/methods/registry.h"
#include "stiction/methods/stewart_trinkle.h"
#include "stiction/solvers/friction/body/body_solver.h"
#include "stiction/solvers/registry.h"
#include "support/scenarios.h"

namespace stiction {
namespace {

using testing::Scenario;

// Rounding of solved steps; a wrong law shows at the order of one.
constexpr double exact = 1e-8;

// How far a method's friction law is from Coulomb's by its own definition: zero for the round cone. A polygon of N
// directions is wrong by at most half the angle between two of them, pi / N, in the direction of the impulse; the
// certificate weighs that impulse by rho^-1 = trace(W) / rows of the contact, which exceeds W_nn by less than 3 here.
//
// event-driven takes outcomes of impacts at several contacts that lie in the cones where none obeys the whole law, and
// impacts of 1e-9 m/s at the end of a sequence are judged beside their own size.
constexpr double impact_limit = 1e-3;

double friction_limit(const std::string& scenario, const SimulationSettings& settings) {
  const methods::MethodDescription& method = *methods::find_method(settings.method);
  if (method.reports_events && scenario == "dropped_shapes") return impact_limit;
  const int edges = method.polygon == nullptr ? 0 : method.polygon(settings.options);
  return edges > 0 ? 3 * std::numbers::pi / edges : exact;
}

struct Case {
  std::string method;
  Scenario scenario;
  methods::Coordinates coordinates;
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const std::string& method : methods::method_names()) {
    for (const Scenario& scenario : testing::conformance_scenarios()) {
      result.push_back({method, scenario, methods::Coordinates::reduced});
      if (!scenario.model.joints.empty()) result.push_back({method, scenario, methods::Coordinates::maximal});
    }
  }
  return result;
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.method + "_" + info.param.scenario.name;
  if (info.param.coordinates == methods::Coordinates::maximal) name += "_maximal";
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Conformance : public ::testing::TestWithParam<Case> {
 protected:
  Simulation start(int threads = 1) const {
    SimulationSettings settings = GetParam().scenario.settings;
    settings.method = GetParam().method;
    settings.options.coordinates = GetParam().coordinates;
    settings.threads = threads;
    return testing::make_simulation(GetParam().scenario.model, settings);
  }
};

bool is_body_rung(std::string_view name) {
  const auto rungs = solvers::body_rungs();
  return std::any_of(rungs.begin(), rungs.end(), [&](const solvers::BodyRung& rung) { return rung.name == name; });
}

TEST_P(Conformance, EveryStepIsCertified) {
  Simulation simulation = start();
  long active = 0;
  const RunSummary summary = run(simulation, [&](const StepOutcome&) {
    const StepAnswer& answer = simulation.last_step().answer;
    active += answer.impulse.size() > 0 && answer.impulse.lpNorm<Eigen::Infinity>() > 0;
  });
  ASSERT_TRUE(summary.ok) << summary.failure;
  EXPECT_LT(summary.certificate.momentum, exact);
  EXPECT_GT(active, 10);  // constraints did act
  if (!methods::find_method(GetParam().method)->solves_law) return;
  EXPECT_LT(summary.certificate.normal, exact);
  EXPECT_LT(summary.certificate.cone, exact);
  EXPECT_LT(summary.certificate.friction, friction_limit(GetParam().scenario.name, simulation.settings()));
  // Rungs of a solver that meet the tolerance do not matter; anything else does.
  for (const auto& [fallback, count] : summary.fallbacks) {
    const Fallback kind = fallback.kind;
    // Methods with the geometry of the end of the step hand some steps on, and their certificate holds all the same:
    // the shapes of one scenario overlap when it starts.
    // So does event-driven where shapes pile up.
    const bool hands_on = simulation.stepper().hands_on();
    const bool handed_on = hands_on && (kind == Fallback::overlap || kind == Fallback::halved ||
                                        kind == Fallback::exact_cone || kind == Fallback::tolerance_missed);
    // The step in which the press meets the work ends at 1.2e-10 where 1e-10 is asked for: bodies of one mass and a
    // thread's friction that is four orders smaller than the impact. The certificate above holds all the same.
    const bool at_impact =
        GetParam().scenario.name == "screw_press" && kind == Fallback::tolerance_missed && count == 1;
    EXPECT_TRUE(kind == Fallback::rung || at_impact || (handed_on && count < summary.steps / 2))
        << fallback.name() << ' ' << count;
  }
  RecordProperty("friction", std::to_string(summary.certificate.friction));
}

bool same_bits(const VectorX& a, const VectorX& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0;
}

TEST_P(Conformance, TwoRunsGiveTheSameBits) {
  Simulation first = start(), second = start();
  const long steps = steps_for(first.settings().duration, first.settings().step);
  for (long i = 0; i < steps; ++i) {
    testing::take_steps(first, 1);
    testing::take_steps(second, 1);
    ASSERT_TRUE(same_bits(first.state().q, second.state().q) && same_bits(first.state().v, second.state().v)) << i;
    ASSERT_TRUE(same_bits(first.last_step().answer.impulse, second.last_step().answer.impulse)) << i;
  }
}

// Of the last step, without the memory of a larger one.
VectorX impulses_of(const Simulation& simulation) {
  const StepRecord& step = simulation.last_step();
  return step.answer.impulse.head(step.problem.row_count);
}

void expect_same_motion(Simulation& a, Simulation& b, long steps) {
  for (long i = 0; i < steps; ++i) {
    testing::take_steps(a, 1);
    testing::take_steps(b, 1);
    ASSERT_TRUE(same_bits(a.state().q, b.state().q) && same_bits(a.state().v, b.state().v)) << i;
    ASSERT_TRUE(same_bits(impulses_of(a), impulses_of(b))) << i;
    ASSERT_EQ(a.state().time, b.state().time);
  }
}

// Whatever can change a bit of a later step is in what save() gives; whatever a simulation did before is forgotten.
TEST_P(Conformance, RestoredAndResetRunsGoOnWithTheSameBits) {
  Simulation whole = start(), other = start();
  const long steps = std::min<long>(60, steps_for(whole.settings().duration, whole.settings().step));
  testing::take_steps(whole, steps / 2);
  testing::take_steps(other, 5);
  other.restore(whole.save());
  expect_same_motion(whole, other, steps - steps / 2);
  Simulation fresh = start();
  whole.reset();
  expect_same_motion(fresh, whole, steps / 2);
}

INSTANTIATE_TEST_SUITE_P(Methods, Conformance, ::testing::ValuesIn(cases()), case_name);

std::string method_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class MethodConformance : public ::testing::TestWithParam<std::string> {};

TEST_P(MethodConformance, TheNumberOfThreadsDoesNotChangeABit) {
  // What goes from event to event works by itself, and takes its time: fewer bodies do.
  const bool events = methods::find_method(GetParam())->reports_events;
  const Scenario scenario = testing::many_islands(events ? 3 : 24);
  std::vector<Simulation> simulations;
  for (const int threads : {1, 2, 4}) {
    SimulationSettings settings = scenario.settings;
    settings.method = GetParam();
    settings.threads = threads;
    simulations.push_back(testing::make_simulation(scenario.model, settings));
  }
  int most_islands = 0;
  for (int i = 0; i < 60; ++i) {
    for (Simulation& simulation : simulations) {
      const StepOutcome outcome = simulation.step();
      ASSERT_TRUE(outcome.ok) << outcome.failure;
      most_islands = std::max(most_islands, outcome.islands);
    }
    for (size_t k = 1; k < simulations.size(); ++k) {
      ASSERT_TRUE(same_bits(simulations[0].state().q, simulations[k].state().q)) << "step " << i;
      ASSERT_TRUE(same_bits(simulations[0].state().v, simulations[k].state().v)) << "step " << i;
    }
  }
  EXPECT_GT(most_islands, events ? 1 : 15);
}

// What moved the positions is there after the first step already, for readers of any method's record.
TEST_P(MethodConformance, AStepRecordsTheVelocityThatMovedThePositions) {
  for (const auto coordinates : {methods::Coordinates::reduced, methods::Coordinates::maximal}) {
    for (Scenario scenario : testing::conformance_scenarios()) {
      SCOPED_TRACE(scenario.name);
      scenario.settings.method = GetParam();
      scenario.settings.options.coordinates = coordinates;
      Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
      ASSERT_TRUE(simulation.step().ok);
      const VectorX& v_position = simulation.last_step().v_position;
      ASSERT_EQ(v_position.size(), simulation.model().v_size);
      EXPECT_TRUE(v_position.allFinite());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, MethodConformance, ::testing::ValuesIn(methods::method_names()), method_name);

// What exact-cone does with large islands, asked of all of them by the name of the solver: no other stands behind it.
TEST(BodySpaceConformance, ExactConeSolvesEveryIslandThereWhenAsked) {
  for (Scenario scenario : testing::conformance_scenarios()) {
    SCOPED_TRACE(scenario.name);
    scenario.settings.method = methods::default_method().name;
    scenario.settings.solver = solvers::body_friction.name;
    Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
    const RunSummary summary = run(simulation, [&](const StepOutcome&) {
      for (const IslandReport& report : simulation.last_step().reports) EXPECT_TRUE(is_body_rung(report.solver));
    });
    EXPECT_TRUE(summary.ok) << summary.failure;
    EXPECT_LT(summary.certificate.worst(), exact);
  }
}

// More directions bring the polygon to the circle: the friction residual must fall as the angle between them.
TEST(StewartTrinkleConformance, MoreDirectionsCertifyFrictionBetter) {
  std::vector<double> worst;
  for (const int directions : {8, 64}) {
    Scenario scenario = testing::rolling_sphere();
    scenario.settings.options.of<methods::StewartTrinkleOptions>().friction_directions = directions;
    Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
    worst.push_back(run(simulation).certificate.friction);
  }
  EXPECT_GT(worst[0], 1e-3);
  EXPECT_LT(worst[1], worst[0] / 4);
}

}  // namespace
}  // namespace stiction
