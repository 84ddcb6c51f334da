// The default method at rest and at the edge of slipping. Its steps are solved to 1e-10 of the speed they have to stop
// (about g h), and what sticks returns to its anchor: rest is rest to that tolerance, for any time.
#include <numbers>

#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;
constexpr double slope = 0.4;  // rad, of scenes/incline.toml
const Vector3 downhill(std::cos(slope), 0, -std::sin(slope));
const std::string exact_cone = "simulation.method=\"exact-cone\"";

TEST(ExactConeRest, NothingCreepsBelowTheFrictionAngle) {
  for (const double h : {1e-3, 1.0 / 60}) {
    Simulation simulation = open_scene("incline", timing(h, 10, {exact_cone}));
    const Vector3 start = position(simulation, "block");
    const RunSummary summary = run_all(simulation);
    EXPECT_LT((position(simulation, "block") - start).norm(), 1e-9) << "h = " << h;
    EXPECT_LT(velocity(simulation, "block").linear.norm(), 1e-9 * g * h) << "h = " << h;
    EXPECT_LT(summary.certificate.worst(), 1e-8);
    EXPECT_EQ(count_contacts(simulation, ContactState::slip), 0);
  }
}

// A coefficient a millionth above or below tan a holds or lets go; below, the speed after t is the closed form's.
TEST(ExactConeRest, FrictionAngleIsSharp) {
  const auto friction = [](double factor) { return set("material.wood.friction", std::tan(slope) * factor); };
  Simulation holds = open_scene("incline", timing(1e-2, 2, {exact_cone, friction(1 + 1e-6)}));
  run_all(holds);
  EXPECT_LT(velocity(holds, "block").linear.norm(), 1e-9 * g * 1e-2);
  Simulation slides = open_scene("incline", timing(1e-2, 2, {exact_cone, friction(1 - 1e-6)}));
  run_all(slides);
  EXPECT_NEAR(velocity(slides, "block").linear.dot(downhill), 2 * 1e-6 * g * std::sin(slope), 1e-8);
}

TEST(ExactConeRest, TheSlopeCarriesTheWeight) {
  Simulation simulation = open_scene("incline", timing(1e-2, 1, {exact_cone}));
  run_all(simulation);
  const Vector3 weight(0, 0, 2 * g);
  EXPECT_LT((contact_force(simulation, "block") - weight).norm(), 1e-8 * weight.norm());
}

// 1000 kg on 1 kg: the light box must neither sink nor be pressed out.
TEST(ExactConeRest, AHeavyBoxRestsOnALightOne) {
  for (const double h : {1.0 / 240, 1.0 / 60}) {
    Simulation simulation = open_scene("heavy_on_light", timing(h, 10, {exact_cone}));
    std::vector<Vector3> start;
    const int bodies = static_cast<int>(simulation.model().bodies.size());
    for (int b = 0; b < bodies; ++b) start.push_back(simulation.kinematics().com_W[b]);
    const RunSummary summary = run_all(simulation);
    for (int b = 0; b < bodies; ++b) {
      EXPECT_LT((simulation.kinematics().com_W[b] - start[b]).norm(), 1e-8) << "h = " << h;
    }
    EXPECT_LT(summary.certificate.worst(), 1e-8);
  }
}

// A prism on its eight corners, shaken: 24 rows of contacts on 6 velocities. Impulses are far from determined; body
// space solves it all the same, in a few steps of Newton's method.
TEST(ExactConeRest, ABodyOnManyPointsIsSolvedInBodySpace) {
  std::string corners;
  for (const double z : {-0.02, 0.02}) {
    for (int i = 0; i < 8; ++i) {
      const double angle = std::numbers::pi / 4 * i;
      corners += fmt::format("[{:.17g}, {:.17g}, {}],", 0.05 * std::cos(angle), 0.05 * std::sin(angle), z);
    }
  }
  Simulation simulation = open_text(fmt::format(R"(
[[body]]
name = "table"
motion = {{ translation = [{{ amplitude = [0.004, 0, 0], frequency = 60 }}] }}
shape = {{ type = "plane" }}
[[body]]
name = "nut"
density = 1000
position = [0, 0, 0.02]
angular_velocity = [0, 0, 1]
shape = {{ type = "convex", vertices = [{}] }}
)",
                                                corners),
                                    timing(1e-3, 0.2));
  const RunSummary summary = run_all(simulation);
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  EXPECT_EQ(simulation.last_step().contacts.size(), 8U);
  for (const auto& [name, count] : summary.fallback_names()) {
    EXPECT_TRUE(name == "warm-newton" || name == "warm-interior" || name == "interior-newton") << name << ' ' << count;
  }
}

// Every example scene under the default method: no step over the certificate's tolerance, no energy from nowhere
// (four_bar closes its loop with the first-order error that its page states).
TEST(ExactConeRest, EveryExampleSceneIsCertified) {
  for (const std::string name : {"conveyor", "falling_boxes", "heavy_on_light", "incline", "pendulum", "shaker",
                                 "sphere_slide_roll", "tower", "shaken-jaws"}) {
    Simulation simulation = open_scene(name, {exact_cone, "simulation.duration=0.5"});
    const RunSummary summary = run_all(simulation);
    EXPECT_EQ(summary.steps_over_tolerance, 0) << name;
    EXPECT_LT(summary.certificate.energy_gain, 1e-9) << name;
    EXPECT_EQ(summary.count(Fallback::polyhedral), 0) << name;
  }
}

}  // namespace
}  // namespace stiction::testing
