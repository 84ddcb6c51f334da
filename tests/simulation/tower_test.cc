// Stacks that stand: ten boxes, and 1000 kg on 1 kg.
//
// Every step's exact answer is rest, so what moves is rounding. The bound of 1e-9 m after 10 s is the project's
// promise.
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;

struct Stack {
  std::string scene, top, bottom;
  int boxes = 0;
  double mass = 0;  // kg, of all boxes
};

void expect_stands(const Stack& stack, double h) {
  Simulation simulation = open_scene(stack.scene, timing(h, 10));
  const Pose start = pose(simulation, stack.top);
  double drift = 0;
  const RunSummary summary =
      run_all(simulation, [&] { drift = std::max(drift, (pose(simulation, stack.top).p - start.p).norm()); });
  ::testing::Test::RecordProperty("drift", fmt::format("{}", drift));
  EXPECT_LT(drift, 1e-9) << "h = " << h;
  EXPECT_LT((pose(simulation, stack.top).R - start.R).norm(), 1e-9) << "h = " << h;
  EXPECT_LT(velocity(simulation, stack.top).linear.norm(), 1e-10) << "h = " << h;
  EXPECT_LT(summary.certificate.worst(), 1e-8) << "h = " << h;
  EXPECT_LT(summary.certificate.penetration, 1e-9) << "h = " << h;

  // The ground carries the weight, and nothing but the weight.
  const Vector3 ground = contact_force(simulation, "ground");
  EXPECT_NEAR(ground.z(), -stack.mass * g, 1e-8 * stack.mass * g) << "h = " << h;
  EXPECT_LT(ground.head<2>().norm(), 1e-8 * stack.mass * g) << "h = " << h;
  EXPECT_EQ(count_contacts(simulation, ContactState::slip), 0) << "h = " << h;
}

const Stack ten = {"tower", "box9", "box0", 10, 10};
const Stack heavy = {"heavy_on_light", "heavy", "light", 2, 1001};

TEST(SlowTower, TenBoxesStandAtOneOver240) {
  expect_stands(ten, 1.0 / 240);
}

TEST(SlowTower, TenBoxesStandAtOneOver60) {
  expect_stands(ten, 1.0 / 60);
}

TEST(Tower, ThousandOnOneStandsAtOneOver240) {
  expect_stands(heavy, 1.0 / 240);
}

TEST(Tower, ThousandOnOneStandsAtOneOver60) {
  expect_stands(heavy, 1.0 / 60);
}

// Each interface carries what is above it: force on box k from below is (10 - k) m g.
TEST(Tower, EveryInterfaceCarriesWhatIsAbove) {
  Simulation simulation = open_scene("tower", timing(1.0 / 240, 5.0 / 240));
  run_all(simulation);
  std::vector<ContactReport> reports;
  simulation.contact_reports(reports);
  for (int k = 0; k < 10; ++k) {
    const int upper = body_index(simulation, "box" + std::to_string(k));
    const int lower = k == 0 ? body_index(simulation, "ground") : body_index(simulation, "box" + std::to_string(k - 1));
    double force = 0;
    for (const ContactReport& r : reports) {
      if (r.body_A == lower && r.body_B == upper) force += r.force.z();
      if (r.body_A == upper && r.body_B == lower) force -= r.force.z();
    }
    EXPECT_NEAR(force, (10 - k) * g, 1e-8) << "below box " << k;
  }
}

// A tower that cannot stand must not: the top box 0.051 m off its neighbour's centre has its weight outside the edge.
TEST(Tower, OverhangingBoxFalls) {
  Simulation simulation = open_scene("heavy_on_light", timing(1e-3, 0.5, {"body.heavy.position=[0.051, 0, 0.15]"}));
  run_all(simulation);
  EXPECT_GT(velocity(simulation, "heavy").angular.y(), 0.01);
}

}  // namespace
}  // namespace stiction::testing
