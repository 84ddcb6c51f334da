// Stick at position level: what friction holds does not creep, whatever carries it.
#include "support/simulate.h"

namespace stiction::testing {
namespace {

std::string turntable(const std::string& shape, double height) {
  return fmt::format(R"(
[simulation]
method = "exact-cone"
[material.rubber]
friction = 0.5
[[body]]
name = "table"
motion = {{ angular_velocity = [0, 0, 2] }}
shape = {{ type = "plane", material = "rubber" }}
[[body]]
name = "load"
mass = 1.0
position = [0.3, 0, {:.17g}]
linear_velocity = [0, 0.6, 0]
angular_velocity = [0, 0, 2]
shape = {{ {}, material = "rubber" }}
)",
                     height, shape);
}

// Where the load stands on the table.
Vector3 on_table(Simulation& simulation) {
  const Pose table = pose(simulation, "table");
  return table.R.transpose() * (position(simulation, "load") - table.p);
}

double creep(const std::string& scene, double h, double duration, bool anchors) {
  Simulation simulation = open_text(scene, timing(h, duration, {fmt::format("method.exact-cone.anchors={}", anchors)}));
  const Vector3 start = on_table(simulation);
  double farthest = 0;
  const RunSummary summary =
      run_all(simulation, [&] { farthest = std::max(farthest, (on_table(simulation) - start).norm()); });
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  EXPECT_LT(summary.certificate.energy_gain, 1e-9);
  return farthest;
}

// At velocity level a block creeps outwards by h^2/2 w^2 r per step: w^2 r h t / 2 in the time t. With anchors it stays
// within what one step drifts, for any time.
TEST(Anchor, ABlockOnATurntableStaysWhereItIs) {
  const double a = 2 * 2 * 0.3, h = 5e-3, t = 10;
  const std::string scene = turntable("type = \"box\", size = [0.1, 0.08, 0.06]", 0.03);
  EXPECT_GT(creep(scene, h, 1, false), 0.9 * 0.5 * a * h * 1);
  EXPECT_LT(creep(scene, h, t, true), 1.1 * 0.5 * a * h * h);
}

// Above the friction limit w^2 r > mu g nothing holds it.
TEST(Anchor, ABlockOnAFastTurntableIsThrown) {
  Simulation simulation =
      open_text(turntable("type = \"box\", size = [0.1, 0.08, 0.06]", 0.03),
                timing(5e-3, 0.5,
                       {"body.table.motion.angular_velocity=[0, 0, 4.2]", "body.load.angular_velocity=[0, 0, 4.2]",
                        "body.load.linear_velocity=[0, 1.26, 0]"}));
  const Vector3 start = on_table(simulation);
  run_all(simulation);
  EXPECT_GT((on_table(simulation) - start).norm(), 0.01);
}

// What a step drifts may be too little to repair: it adds up until it is not.
TEST(Anchor, SmallDriftsAddUpUntilTheyAreRepaired) {
  const double w = 0.005, h = 5e-3, t = 10;
  Simulation simulation =
      open_text(turntable("type = \"box\", size = [0.1, 0.08, 0.06]", 0.03),
                timing(h, t,
                       {"body.table.motion.angular_velocity=[0, 0, 0.005]", "body.load.angular_velocity=[0, 0, 0.005]",
                        "body.load.linear_velocity=[0, 0.0015, 0]"}));
  const Vector3 start = on_table(simulation);
  run_all(simulation);
  const double without = 0.5 * w * w * 0.3 * h * t;  // 1.9e-7 m
  EXPECT_LT((on_table(simulation) - start).norm(), 0.02 * without);
}

struct TowerMotion {
  double moved = 0;     // m, of the top box over the table
  double farthest = 0;  // m, of the same since it settled
};

TowerMotion tower_on_a_turntable(double friction) {
  std::string scene = turntable("type = \"box\", size = [0.1, 0.1, 0.06]", 0.03);
  for (int i = 1; i < 4; ++i) {
    scene += fmt::format(R"(
[[body]]
name = "box{}"
mass = 1.0
position = [0.3, 0, {}]
linear_velocity = [0, 0.6, 0]
angular_velocity = [0, 0, 2]
shape = {{ type = "box", size = [0.1, 0.1, 0.06], material = "rubber" }}
)",
                         i, 0.03 + 0.06 * i);
  }
  Simulation simulation = open_text(scene, timing(5e-3, 5, {fmt::format("material.rubber.friction={}", friction)}));
  const auto place = [&](const std::string& body) -> Vector3 {
    return pose(simulation, "table").R.transpose() * position(simulation, body);
  };
  const Vector3 start = place("box3");
  Vector3 settled = start;
  TowerMotion motion;
  const RunSummary summary = run_all(simulation, [&] {
    if (simulation.state().time < 1.5) settled = place("box3");
    motion.farthest = std::max(motion.farthest, (place("box3") - settled).norm());
  });
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  motion.moved = (place("box3") - start).norm();
  return motion;
}

// A tower on the table: every contact drifts, and all close together. Each box may be off by a step's drift or two over
// the one below, in which corners share the load as they like; what has settled, by 1.5 s, stays, but for a small part
// of a step's drift. When a corner hands its load over for good, and by how much that moves the boxes, is a matter of
// rounding: with frictions that differ by 1e-7 the top box moves by 4 to 13 drifts. The median of seven says what
// holds.
TEST(Anchor, ATowerOnATurntableStaysWhereItIs) {
  const double drift = 0.5 * 1.2 * 5e-3 * 5e-3;
  std::vector<double> moved, farthest;
  for (int i = 0; i < 7; ++i) {
    const TowerMotion motion = tower_on_a_turntable(0.5 + 1e-7 * i);
    moved.push_back(motion.moved), farthest.push_back(motion.farthest);
  }
  for (auto* list : {&moved, &farthest}) std::nth_element(list->begin(), list->begin() + 3, list->end());
  EXPECT_LT(moved[3], 4 * 2 * drift);
  EXPECT_LT(farthest[3], 0.1 * drift);
}

// A ball that rolls is not held back: no material point stays in contact, and there is no drift.
TEST(Anchor, ARollingBallRollsOn) {
  for (const bool anchors : {false, true}) {
    Simulation simulation = open_text(R"(
[simulation]
method = "exact-cone"
[[body]]
name = "ground"
fixed = true
shape = { type = "plane" }
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.1]
linear_velocity = [3, 0, 0]
angular_velocity = [0, 30, 0]
shape = { type = "sphere", radius = 0.1 }
)",
                                      timing(5e-3, 5, {fmt::format("method.exact-cone.anchors={}", anchors)}));
    run_all(simulation);
    EXPECT_NEAR(position(simulation, "ball").x(), 15, 1e-9) << anchors;
    EXPECT_NEAR(velocity(simulation, "ball").linear.x(), 3, 1e-9) << anchors;
  }
}

// scenes/shaken-jaws.toml: the ball's place in the base's frame.
double jaw_slip(double h, double duration) {
  Simulation simulation = open_scene("shaken-jaws", timing(h, duration));
  const auto place = [&] { return Vector3(position(simulation, "ball") - pose(simulation, "base").p); };
  const Vector3 start = place();
  double farthest = 0;
  const RunSummary summary = run_all(simulation, [&] { farthest = std::max(farthest, (place() - start).norm()); });
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  return farthest;
}

TEST(Anchor, ABallBetweenShakenJawsDoesNotCreep) {
  EXPECT_LT(jaw_slip(1e-3, 3), 1e-6);
}

// The whole 25 s.
TEST(Anchor, SlowABallBetweenShakenJawsDoesNotCreep) {
  EXPECT_LT(jaw_slip(1e-3, 25), 1e-6);
}

// Half the least force lets the ball go.
TEST(Anchor, AWeakGripLetsTheBallSlip) {
  Simulation simulation = open_scene("shaken-jaws", timing(1e-3, 0.5, {"actuator.push.force=-4.9"}));
  run_all(simulation);
  EXPECT_LT(position(simulation, "ball").z(), -0.1);
}

}  // namespace
}  // namespace stiction::testing
