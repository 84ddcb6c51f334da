// Where bodies rest, the impulses of the last step are taken again after one look; where they are not the answer, or
// positions are to be repaired, the island is left to its solver.
#include "stiction/methods/shared/lane_island.h"

#include <gtest/gtest.h>

#include "stiction/certify/step_certificate.h"
#include "stiction/methods/shared/island_warm_start.h"
#include "support/simulate.h"

namespace stiction::methods {
namespace {

constexpr double tolerance = 5e-9;

// A step of a tower that took the impulses of the step before it, and those.
struct Rest {
  StepProblem step;
  StepAnswer answer;
  contact::Islands islands;
  contact::ImpulseTable last;

  Rest() {
    Simulation simulation =
        testing::open_scene("tower", testing::timing(1.0 / 240, 0.5, {"simulation.method=\"exact-cone\""}));
    while (simulation.step_index() < 20 || simulation.last_step().reports[0].solve.iterations > 0) simulation.step();
    step = simulation.last_step().problem;
    answer = simulation.last_step().answer;
    islands.update(step);
    ImpulseMemory memory;
    memory.begin(step, last);
    keep_impulses(step, islands[0], answer, memory);
    memory.keep(last);
  }
};

bool settles(const Rest& rest, StepAnswer& answer, IslandReport& report) {
  LaneIsland lanes;
  ImpulseMemory memory;
  memory.begin(rest.step, rest.last);
  answer = {.v_end = rest.step.v_free,
            .impulse = VectorX::Zero(rest.step.row_count),
            .position = VectorX::Zero(rest.step.v_free.size())};
  RepairOptions repair;
  repair.tolerance = 2e-7;
  repair.resting_overlap = 4e-7;
  return lanes.settle(rest.step, rest.islands[0], {.asked = 1e-8, .tolerance = tolerance}, repair, memory, answer,
                      report);
}

bool settles(const Rest& rest) {
  StepAnswer answer;
  IslandReport report;
  return settles(rest, answer, report);
}

TEST(LaneIsland, WhatRestsTakesItsImpulsesAgain) {
  const Rest rest;
  ASSERT_EQ(rest.islands.count(), 1);
  StepAnswer answer;
  IslandReport report;
  ASSERT_TRUE(settles(rest, answer, report));
  EXPECT_EQ(report.solver, "guess");
  EXPECT_EQ(report.solve.iterations, 0);
  EXPECT_TRUE(report.repair.empty());
  EXPECT_EQ(report.fallback, Fallback::none);
  EXPECT_EQ(answer.impulse, rest.answer.impulse.head(rest.step.row_count));
  EXPECT_LT((answer.v_end - rest.answer.v_end).lpNorm<Eigen::Infinity>(), 1e-12);
  certify::CertifyWorkspace workspace;
  EXPECT_LT(certify::certify_step(rest.step, answer, workspace).worst(), 1e-8);
}

TEST(LaneIsland, WhatHasNoImpulsesOrOthersDoesNotSettle) {
  Rest rest;
  const contact::ImpulseTable last = rest.last;
  rest.last = {};
  EXPECT_FALSE(settles(rest));
  rest.last = last;
  for (auto& impulses : rest.last.impulses) impulses[0] *= 1 + 1e-5;
  EXPECT_FALSE(settles(rest));
  rest.last = last;
  rest.step.v_free[6] += 1e-4;  // somebody pushes
  EXPECT_FALSE(settles(rest));
}

TEST(LaneIsland, WhatIsToBeRepairedDoesNotSettle) {
  const auto changed = [](auto&& change) {
    Rest rest;
    int pressed = 0;
    while (!(rest.answer.impulse[rest.step.blocks[rest.step.contacts[pressed].block].first_row] > 0)) ++pressed;
    change(rest.step.contacts[pressed]);
    return rest;
  };
  EXPECT_TRUE(settles(changed([](ContactRows&) {})));
  EXPECT_TRUE(settles(changed([](ContactRows& contact) { contact.drift = {1e-11, 0}; })));
  EXPECT_FALSE(settles(changed([](ContactRows& contact) { contact.drift = {1e-7, 0}; })));
  EXPECT_FALSE(settles(changed([](ContactRows& contact) { contact.gap = -1e-6; })));
}

}  // namespace
}  // namespace stiction::methods
