// Islands with more contacts than velocities, where forces are not determined: piles, walls, dominoes. Every step must
// be certified, rest must be rest, and what was asked for must be what was done.
#include <cmath>
#include <tuple>

#include "support/simulate.h"

namespace stiction::testing {
namespace {

std::string scene_text(double step, double duration, const std::string& bodies) {
  return fmt::format(
      "[simulation]\nstep = {:.17g}\nduration = {:.17g}\n[material.default]\nfriction = 0.5\n"
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = {{type = \"plane\"}}\n{}",
      step, duration, bodies);
}

std::string box(const std::string& name, const Vector3& size, const Vector3& at, double tilt = 0) {
  return fmt::format(
      "[[body]]\nname = \"{}\"\ndensity = 1000\nposition = [{:.17g}, {:.17g}, {:.17g}]\n"
      "orientation = [{:.17g}, 0, {:.17g}, 0]\nshape = {{type = \"box\", size = [{:.17g}, {:.17g}, {:.17g}]}}\n",
      name, at.x(), at.y(), at.z(), std::cos(tilt / 2), std::sin(tilt / 2), size.x(), size.y(), size.z());
}

std::string ball(const std::string& name, double radius, const Vector3& at) {
  return fmt::format(
      "[[body]]\nname = \"{}\"\ndensity = 1000\nposition = [{:.17g}, {:.17g}, {:.17g}]\n"
      "shape = {{type = \"sphere\", radius = {:.17g}}}\n",
      name, at.x(), at.y(), at.z(), radius);
}

std::string fence(const std::string& name, const Vector3& at, const Vector3& normal) {
  return fmt::format(
      "[[body]]\nname = \"{}\"\nfixed = true\nposition = [{}, {}, 0]\n"
      "shape = {{type = \"plane\", normal = [{}, {}, 0]}}\n",
      name, at.x(), at.y(), normal.x(), normal.y());
}

// 27 balls and tilted cubes fall into a bin.
std::string drop(double duration) {
  std::string bodies = fence("left", {-0.5, 0, 0}, {1, 0, 0}) + fence("right", {0.5, 0, 0}, {-1, 0, 0}) +
                       fence("front", {0, -0.5, 0}, {0, 1, 0}) + fence("back", {0, 0.5, 0}, {0, -1, 0});
  for (int i = 0; i < 27; ++i) {
    const Vector3 cell(i % 3, i / 3 % 3, i / 9);
    const Vector3 at = 0.32 * (cell - Vector3(1, 1, 0)) + Vector3(0.003 * (i % 5), 0.002 * (i % 7), 0.2);
    const std::string name = fmt::format("b{}", i);
    bodies += i % 2 == 0 ? ball(name, 0.1, at) : box(name, Vector3::Constant(0.16), at, 0.3 * i);
  }
  return scene_text(1.0 / 120, duration, bodies);
}

// Bricks in a running bond.
std::string wall(int rows, double duration) {
  std::string bodies;
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < 4; ++i) {
      const Vector3 at(0.2 * i + (row % 2 == 0 ? 0.0 : 0.1), 0, 0.05 + 0.1 * row);
      bodies += box(fmt::format("brick{}-{}", row, i), {0.2, 0.1, 0.1}, at);
    }
  }
  return scene_text(1.0 / 120, duration, bodies);
}

std::string accuracy(const std::string& name) {
  return fmt::format("simulation.accuracy=\"{}\"", name);
}

int largest_island(const Simulation& simulation) {
  const StepRecord& step = simulation.last_step();
  size_t largest = 0;
  for (int i = 0; i < step.islands.count(); ++i) largest = std::max(largest, step.islands[i].contacts.size());
  return static_cast<int>(largest);
}

TEST(Pile, EveryStepOfADropIsCertified) {
  Simulation simulation = open_text(drop(1.2));
  const RunSummary summary = run_all(simulation);
  EXPECT_GT(largest_island(simulation), 20);
  EXPECT_EQ(summary.steps_over_tolerance, 0) << summary.certificate.worst();
  EXPECT_LT(summary.certificate.momentum, 1e-12);
  EXPECT_EQ(summary.count(Fallback::tolerance_missed), 0);
  EXPECT_GT(summary.repairs.size(), 0u);
  EXPECT_GT(summary.repair_iterations, 0);
}

// At an overlap of zero, rounding would leave contacts that carry load open by 1e-9 m, and every step would close them.
TEST(Pile, WhatCarriesLoadAtRestIsNotOpen) {
  Simulation simulation = open_text(drop(4));
  run_all(simulation);
  const StepRecord& step = simulation.last_step();
  int loaded = 0, overlapping = 0;
  for (const ContactRows& contact : step.problem.contacts) {
    if (!(step.answer.impulse[step.problem.blocks[contact.block].first_row] > 0)) continue;
    ++loaded;
    EXPECT_LT(contact.gap, 1e-10);
    overlapping += contact.gap < -1e-12 ? 1 : 0;
  }
  EXPECT_GT(loaded, 20);
  EXPECT_GT(overlapping, loaded / 2);
}

TEST(Pile, ThreadsAndRestoresDoNotChangeABit) {
  Simulation one = open_text(drop(0.5)), two = open_text(drop(0.5), {"simulation.threads=2"});
  run_all(one);
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(two.step().ok);
  const SimulationState saved = two.save();
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(two.step().ok);
  two.restore(saved);
  run_all(two);
  EXPECT_EQ(one.state().q, two.state().q);
  EXPECT_EQ(one.state().v, two.state().v);
}

// Sweeps and pushes on the normals alone: positions that were repaired by the whole law would leave gaps of 0.01 mm at
// each step, and the pile would never come to rest.
TEST(Pile, ComesToRestByFewSweeps) {
  Simulation simulation = open_text(drop(5), {accuracy("fast")});
  double penetration = 0;
  std::vector<Vector3> earlier;
  const RunSummary summary = run(simulation, [&](const StepOutcome&) {
    if (simulation.state().time < 4) return;
    if (earlier.empty()) earlier = simulation.kinematics().com_W;
    penetration = std::max(penetration, simulation.last_step().certificate.penetration);
  });
  EXPECT_GT(summary.repairs.at("pushes"), 50);
  EXPECT_LT(penetration, 5e-5);
  std::vector<double> way;
  for (size_t b = 0; b < earlier.size(); ++b) way.push_back((simulation.kinematics().com_W[b] - earlier[b]).norm());
  std::sort(way.begin(), way.end());
  EXPECT_LT(way[way.size() / 2], 1e-5);
}

TEST(Pile, AWallStandsAndThenCostsNothing) {
  Simulation simulation = open_text(wall(5, 1));
  std::vector<Vector3> start;
  for (const Vector3& com : simulation.kinematics().com_W) start.push_back(com);
  int guesses = 0;
  const RunSummary summary = run(simulation, [&](const StepOutcome& outcome) {
    guesses += outcome.iterations <= 10 ? 1 : 0;  // a residual, or a few sweeps
  });
  ASSERT_TRUE(summary.ok) << summary.failure;
  EXPECT_EQ(summary.steps_over_tolerance, 0) << summary.certificate.worst();
  EXPECT_GT(guesses, summary.steps / 2);
  for (size_t b = 0; b < start.size(); ++b) {
    const Vector3 moved = simulation.kinematics().com_W[b] - start[b];
    EXPECT_LT(moved.head<2>().norm(), 1e-9) << b;
    // Each row settles into the one below by the overlap at which bodies rest: 4e-7 of g h^2, 0.27 nm.
    EXPECT_LE(moved.z(), 1e-12) << b;
    EXPECT_GT(moved.z(), -5 * 1.5 * 4e-7 * 9.81 / (120.0 * 120)) << b;
  }
}

// Velocities of the size of the tolerance would keep contacts opening and closing, with a solve each time.
TEST(Pile, AWallAtRestCostsNoMoreWhenLessIsAskedFor) {
  const auto work = [](const char* tolerance) {
    Simulation simulation = open_text(wall(5, 1), {fmt::format("method.exact-cone.tolerance={}", tolerance)});
    long iterations = 0;
    const RunSummary summary = run(simulation, [&](const StepOutcome& outcome) {
      if (simulation.step_index() > 2) iterations += outcome.iterations;  // it stands
    });
    EXPECT_TRUE(summary.ok) << tolerance;
    return iterations;
  };
  const long exact = work("1e-8");
  for (const char* tolerance : {"1e-7", "1e-6", "1e-5", "1e-4", "1e-3"}) {
    EXPECT_LE(work(tolerance), exact + exact / 4) << tolerance;
  }
}

TEST(Pile, DominoesFallAndLie) {
  std::string bodies;
  for (int i = 0; i < 12; ++i) {
    const double tilt = i == 0 ? 0.2 : 0.0;
    const Vector3 at(0.03 * i, 0, 0.004 * std::sin(tilt) + 0.03 * std::cos(tilt));
    bodies += box(fmt::format("domino{}", i), {0.008, 0.03, 0.06}, at, tilt);
  }
  Simulation simulation = open_text(scene_text(0.001, 1.0, bodies));
  const RunSummary summary = run_all(simulation);
  EXPECT_EQ(summary.steps_over_tolerance, 0) << summary.certificate.worst();
  const Vector3 up = pose(simulation, "domino11").R.col(2);
  EXPECT_LT(std::abs(up.z()), 0.2);  // the last one lies
}

// What is asked for is what the certificate shows: no less, and no more is worked for.
TEST(Pile, AccuracyIsWhatWasAskedFor) {
  for (const auto& [name, least, most] : {std::tuple{"exact", 1e-13, 1e-8}, std::tuple{"balanced", 1e-6, 4e-4}}) {
    Simulation simulation = open_text(drop(0.8), {accuracy(name)});
    const RunSummary summary = run_all(simulation);
    EXPECT_LT(summary.certificate.worst(), most) << name;
    EXPECT_GT(summary.certificate.worst(), least) << name;
    EXPECT_LT(summary.certificate.momentum, 1e-12) << name;
    EXPECT_LT(summary.certificate.cone, 1e-12) << name;
  }
}

TEST(Pile, FastNeverFailsAndSaysWhatItLeft) {
  Simulation simulation = open_text(drop(1.2), {accuracy("fast")});
  int most = 0;
  const RunSummary summary = run(simulation, [&](const StepOutcome& outcome) {
    most = std::max(most, outcome.iterations / std::max(1, outcome.islands));
  });
  ASSERT_TRUE(summary.ok) << summary.failure;
  EXPECT_GT(summary.certificate.worst(), 1e-6);  // it is not exact, and shows it
  EXPECT_LT(summary.certificate.cone, 1e-12);
  EXPECT_LT(summary.certificate.momentum, 1e-12);
  EXPECT_LE(most, 116);  // 100 sweeps, 4 pushes, 12 factorisations
}

// 29 rows of bricks: sweeps alone leave it so far from an answer that it leans, by 37 mm in 2 s.
TEST(Pile, AHighWallStandsUnderFast) {
  Simulation simulation = open_text(wall(29, 1), {accuracy("fast")});
  const std::vector<Vector3> start = simulation.kinematics().com_W;
  const RunSummary summary = run_all(simulation);
  EXPECT_LT(summary.certificate.worst(), 1e-3);
  for (size_t b = 0; b < start.size(); ++b) {
    EXPECT_LT((simulation.kinematics().com_W[b] - start[b]).norm(), 1e-4) << b;
  }
}

// A budget or an acceptance that a user sets ends the run, and says with which residual.
TEST(Pile, AnAcceptanceThatIsMissedEndsTheRun) {
  Simulation simulation = open_text(drop(3), {accuracy("fast"), "method.exact-cone.acceptance=1e-3"});
  const RunSummary summary = run(simulation);
  EXPECT_FALSE(summary.ok);
  EXPECT_NE(summary.failure.find("residual"), std::string::npos) << summary.failure;
}

// A press comes down on twenty boxes, and nothing gives way.
TEST(Pile, AFailedStepNamesOnlyTheFirstOfManyBodies) {
  std::string bodies;
  for (int i = 0; i < 20; ++i) {
    bodies += box(fmt::format("b{}", i), Vector3::Constant(0.1), {0, 0, 0.05 + 0.1 * i}, 0);
  }
  bodies +=
      "[[body]]\nname = \"press\"\nposition = [0, 0, 2.001]\nmotion = { velocity = [0, 0, -1] }\n"
      "shape = { type = \"plane\", normal = [0, 0, -1] }\n";
  Simulation simulation = open_text(scene_text(1e-3, 0.1, bodies));
  const RunSummary summary = run(simulation);
  EXPECT_FALSE(summary.ok);
  EXPECT_NE(summary.failure.find("[b0] [b1] "), std::string::npos) << summary.failure;
  EXPECT_NE(summary.failure.find(" and 8 more; contacts involved: ["), std::string::npos) << summary.failure;
  EXPECT_LT(summary.failure.size(), 1500U);
}

TEST(Pile, AToleranceReplacesTheAccuracy) {
  Simulation simulation = open_text(wall(8, 0.2), {"method.exact-cone.tolerance=1e-5"});
  const RunSummary summary = run_all(simulation);
  EXPECT_LT(summary.certificate.worst(), 4e-5);
  EXPECT_GT(summary.certificate.worst(), 1e-8);
}

// An accurate answer of few bodies costs no more than what is left otherwise, which the next steps would have to stop.
TEST(Pile, FewBodiesAreAccurateUnderEveryAccuracy) {
  const std::string bodies = box("a", Vector3::Constant(0.2), {0, 0, 0.11}, 0.1) +
                             box("b", Vector3::Constant(0.2), {0.05, 0, 0.35}, 0) + ball("c", 0.1, {0, 0.02, 0.6});
  std::vector<Vector3> end[3];
  for (int i = 0; const char* word : {"exact", "balanced", "fast"}) {
    Simulation simulation = open_text(scene_text(1.0 / 120, 1, bodies), {accuracy(word)});
    EXPECT_LT(run_all(simulation).certificate.worst(), 1e-8) << word;
    end[i++] = simulation.kinematics().com_W;
  }
  EXPECT_EQ(end[0], end[1]);
  EXPECT_EQ(end[0], end[2]);
}

}  // namespace
}  // namespace stiction::testing
