// Bodies that start inside each other move apart without being thrown: overlap is repaired in positions, not in
// velocities.
#include "support/simulate.h"

namespace stiction::testing {
namespace {

std::string boxes(const std::vector<double>& heights) {
  std::string text = R"(
[material.wood]
friction = 0.5
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", material = "wood" }
)";
  for (size_t i = 0; i < heights.size(); ++i) {
    text += fmt::format(R"(
[[body]]
name = "box{}"
mass = 1.0
position = [0, 0, {:.17g}]
shape = {{ type = "box", size = [0.1, 0.1, 0.1], material = "wood" }}
)",
                        i, heights[i]);
  }
  return text;
}

// Rises at the recovery speed, no faster, and rests.
TEST(Overlap, ABoxInTheGroundRisesAndRests) {
  const double h = 1e-3, speed = 0.05;
  Simulation simulation =
      open_text(boxes({0.049}),
                timing(h, 0.2, {"simulation.method=exact-cone", set("method.exact-cone.max_recovery_speed", speed)}));
  double last = 0.049, kinetic = 0;
  const RunSummary summary = run_all(simulation, [&] {
    const double height = position(simulation, "box0").z();
    EXPECT_GE(height, last - 1e-12);
    EXPECT_LE(height, last + speed * h + 1e-12);
    last = height;
    kinetic = std::max(kinetic, simulation.energies().kinetic);
  });
  EXPECT_NEAR(last, 0.05, 1e-11);
  EXPECT_LT(kinetic, 1e-9);
  EXPECT_LT(summary.certificate.energy_gain, 1e-9);
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  EXPECT_LT(position(simulation, "box0").head<2>().norm(), 1e-9);
}

TEST(Overlap, BoxesInEachOtherPartAndRest) {
  Simulation simulation = open_text(boxes({0.049, 0.147, 0.246}), timing(1e-3, 0.5, {"simulation.method=exact-cone"}));
  double kinetic = 0;
  run_all(simulation, [&] { kinetic = std::max(kinetic, simulation.energies().kinetic); });
  EXPECT_LT(kinetic, 1e-9);
  EXPECT_LT(simulation.measure_penetration(), 1e-10);
  EXPECT_NEAR(position(simulation, "box2").z(), 0.25, 1e-9);
}

// What stewart-trinkle does: gap/h in the velocity throws the box up.
TEST(Overlap, StewartTrinkleThrowsTheBox) {
  Simulation simulation = open_text(boxes({0.049}), timing(1e-3, 0.01, {"simulation.method=stewart-trinkle"}));
  double kinetic = 0;
  run_all(simulation, [&] { kinetic = std::max(kinetic, simulation.energies().kinetic); });
  EXPECT_GT(kinetic, 0.1);
}

// Ten boxes for ten seconds: nothing sinks, nothing drifts, nothing moves.
TEST(Overlap, ATowerOfTenStandsStill) {
  std::vector<double> heights;
  for (int i = 0; i < 10; ++i) heights.push_back(0.05 + 0.1 * i);
  Simulation simulation = open_text(boxes(heights), timing(5e-3, 10, {"simulation.method=exact-cone"}));
  const RunSummary summary = run_all(simulation);
  EXPECT_LT(summary.certificate.penetration, 1e-9);
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  EXPECT_LT((position(simulation, "box9") - Vector3(0, 0, 0.95)).norm(), 1e-9);
  EXPECT_LT(simulation.energies().kinetic, 1e-12);
}

// A joint pushed past its limit comes back the same way.
TEST(Overlap, AnOverrunLimitIsRepairedWithoutSpeed) {
  Simulation simulation = open_text(R"(
[simulation]
method = "exact-cone"
gravity = [0, 0, 0]
[[body]]
name = "slider"
mass = 1.0
shape = { type = "sphere", radius = 0.1 }
[[joint]]
name = "rail"
type = "prismatic"
child = "slider"
parent = "world"
axis = [1, 0, 0]
limits = [0.001, 1]
)",
                                    timing(1e-3, 0.1));
  run_all(simulation);
  EXPECT_NEAR(position(simulation, "slider").x(), 0.001, 1e-9);
  EXPECT_LT(simulation.energies().kinetic, 1e-12);
}

}  // namespace
}  // namespace stiction::testing
