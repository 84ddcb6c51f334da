// A step that cannot be solved leaves the state as it was and says which bodies, contacts and joints were involved.
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/one_step.h"
#include "support/scenarios.h"

namespace stiction {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

// Answers as it is told to.
class StubMethod final : public IslandSolver {
 public:
  enum class Answer { free_motion, gives_up, nan_called_solved };
  explicit StubMethod(Answer answer) : answer_(answer) {}
  void begin(const StepProblem&, const StepContext&) override {}
  IslandReport solve_island(const StepProblem&, const contact::Island&, int, StepAnswer& answer) override {
    IslandReport report;
    report.solve.termination = solvers::Termination::solved;
    report.solve.iterations = 17;
    if (answer_ == Answer::gives_up) report.solve.termination = solvers::Termination::not_found;
    if (answer_ != Answer::free_motion) answer.v_end.setConstant(nan_value);
    return report;
  }
  void keep(contact::ContactMemory&) override { ++accepted; }
  int accepted = 0;

 private:
  Answer answer_;
};

bool same_bits(const State& a, const State& b) {
  const auto same = [](const VectorX& x, const VectorX& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), sizeof(double) * x.size()) == 0;
  };
  return a.time == b.time && same(a.q, b.q) && same(a.v, b.v);
}

ModelDescription two_boxes_and_a_pendulum() {
  ModelDescription model = testing::on_ground();
  model.bodies.push_back(testing::cube("lonely", {3, 0, 0.05}));
  model.bodies.push_back(testing::cube("crate", {0, 0, 0.05}));
  model.bodies.push_back(testing::cube("lid", {0, 0, 0.15}));
  model.bodies.push_back(testing::body_of("bob", 1, geometry::Sphere{0.1}, {1, 0, 3}));
  model.joints.push_back(testing::hinge("pivot", "world", "bob", {0.5, 0, 3}));
  model.joints.back().coordinates[0].friction = 0.1;
  return model;
}

StepOutcome advance_by(StubMethod& method, State& state, const Model& model) {
  StepRecord record;
  return testing::advance_once(model, method, 1e-3, state, record);
}

TEST(Failure, AMethodThatGivesUpLeavesTheStateAndNamesTheContacts) {
  const BuiltModel built = build_model(two_boxes_and_a_pendulum()).value();
  State state = built.state;
  state.v.setLinSpaced(0.1, 0.2);
  const State before = state;
  StubMethod method(StubMethod::Answer::gives_up);
  const StepOutcome outcome = advance_by(method, state, built.model);
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(method.accepted, 0);
  EXPECT_TRUE(same_bits(state, before));
  EXPECT_THAT(outcome.failure, HasSubstr("not_found after 17 iterations"));
  EXPECT_THAT(outcome.failure, HasSubstr("lonely"));  // the first island that failed
  EXPECT_THAT(outcome.failure, HasSubstr("ground"));
  EXPECT_THAT(outcome.failure, HasSubstr("gap"));
}

TEST(Failure, VelocitiesThatAreNotFiniteAreNotTakenThoughCalledSolved) {
  const BuiltModel built = build_model(two_boxes_and_a_pendulum()).value();
  State state = built.state;
  StubMethod method(StubMethod::Answer::nan_called_solved);
  const StepOutcome outcome = advance_by(method, state, built.model);
  EXPECT_FALSE(outcome.ok);
  EXPECT_TRUE(same_bits(state, built.state));
  EXPECT_THAT(outcome.failure, HasSubstr("not finite"));
  EXPECT_THAT(outcome.failure, HasSubstr("crate"));
}

TEST(Failure, TheStubsThemselvesAreSound) {
  const BuiltModel built = build_model(two_boxes_and_a_pendulum()).value();
  State state = built.state;
  StubMethod method(StubMethod::Answer::free_motion);
  EXPECT_TRUE(advance_by(method, state, built.model).ok);
  EXPECT_EQ(method.accepted, 1);
  EXPECT_FALSE(same_bits(state, built.state));
}

// A controller's NaN or infinity ends the step, names the body, and does no harm once it is gone.
TEST(Failure, AControllersNanDoesNotLeaveTheStep) {
  Simulation disturbed = testing::make_simulation(two_boxes_and_a_pendulum());
  Simulation calm = testing::make_simulation(two_boxes_and_a_pendulum());
  testing::take_steps(disturbed, 3);
  testing::take_steps(calm, 3);
  const Model& model = disturbed.model();
  for (const std::string name : {"crate", "bob"}) {
    const int v = model.tree_joints[model.bodies[model.find_body(name)].joint].v_offset;
    for (const double bad : {nan_value, std::numeric_limits<double>::infinity()}) {
      disturbed.controller_force()[v] = bad;
      const State before = disturbed.state();
      const StepOutcome outcome = disturbed.step();
      EXPECT_FALSE(outcome.ok);
      EXPECT_TRUE(same_bits(disturbed.state(), before));
      EXPECT_EQ(disturbed.step_index(), 3);
      EXPECT_THAT(outcome.failure, HasSubstr(name));
      EXPECT_THAT(outcome.failure, Not(HasSubstr("lonely")));
      disturbed.controller_force()[v] = 0;
    }
  }
  testing::take_steps(disturbed, 3);
  testing::take_steps(calm, 3);
  EXPECT_TRUE(same_bits(disturbed.state(), calm.state()));
}

// A plate moves down on a block that a joint holds in place: no velocity satisfies both.
TEST(Failure, ContradictoryConstraintsAreNamed) {
  ModelDescription model = testing::on_ground();
  BodyDescription press = testing::body_of("press", 1, geometry::Box{{0.2, 0.2, 0.02}}, {0, 0, 1.0701});
  press.mass = std::nullopt;
  press.motion = MotionDescription{};
  press.motion->velocity = Vector3(0, 0, -1);
  model.bodies.push_back(press);
  model.bodies.push_back(testing::cube("block", {0, 0, 1}));
  JointDescription clamp;
  clamp.name = "clamp";
  clamp.type = JointType::spherical;  // a body fixed to the world would not collide with the press at all
  clamp.parent = "world";
  clamp.child = "block";
  clamp.position = Vector3(0, 0, 1);
  model.joints.push_back(clamp);
  SimulationSettings settings = testing::settings_of(1e-3, 1);
  settings.options.coordinates = methods::Coordinates::maximal;
  Simulation simulation = testing::make_simulation(model, settings);
  const State before = simulation.state();
  const StepOutcome outcome = simulation.step();
  EXPECT_FALSE(outcome.ok);
  EXPECT_TRUE(same_bits(simulation.state(), before));
  for (const char* name : {"press", "block", "clamp"}) EXPECT_THAT(outcome.failure, HasSubstr(name));
}

// A body that a joint fixes to the world may touch what does not move either: nothing to solve there.
TEST(Failure, ABodyFixedToTheWorldMayTouchTheGround) {
  ModelDescription model = testing::on_ground();
  model.bodies.push_back(testing::cube("base", {0, 0, 0.049}));  // a millimetre in the ground
  model.bodies.push_back(testing::cube("box", {0, 0, 0.149}));
  JointDescription clamp;
  clamp.name = "clamp";
  clamp.type = JointType::fixed;
  clamp.parent = "world";
  clamp.child = "base";
  clamp.position = Vector3(0, 0, 0.049);
  model.joints.push_back(clamp);
  for (const auto coordinates : {methods::Coordinates::reduced, methods::Coordinates::maximal}) {
    SimulationSettings settings = testing::settings_of(1e-3, 1);
    settings.options.coordinates = coordinates;
    Simulation simulation = testing::make_simulation(model, settings);
    for (int i = 0; i < 5; ++i) {
      const StepOutcome outcome = simulation.step();
      ASSERT_TRUE(outcome.ok) << outcome.failure;
    }
    EXPECT_LT(simulation.state().v.norm(), 1e-9);
  }
}

}  // namespace
}  // namespace stiction
