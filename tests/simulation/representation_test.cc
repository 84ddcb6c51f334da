// A method chooses how the step advances orientations; where Euler angles are singular the step fails with a remedy and
// leaves the state.
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/one_step.h"
#include "support/scenarios.h"

namespace stiction {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Takes the free motion, in a representation; `repair` is a velocity that moves positions only.
class FreeMethod final : public IslandSolver {
 public:
  explicit FreeMethod(Representation chosen, double repair = 0) : representation(chosen), repair_(repair) {}
  void begin(const StepProblem&, const StepContext&) override {}
  IslandReport solve_island(const StepProblem&, const contact::Island&, int, StepAnswer& answer) override {
    answer.position.setConstant(repair_);
    IslandReport report;
    report.solve.termination = solvers::Termination::solved;
    return report;
  }
  void keep(contact::ContactMemory&) override { ++accepted; }
  int accepted = 0;
  Representation representation;

 private:
  double repair_;
};

// A body that tumbles beside one on a ball joint, both with the given pitch.
BuiltModel two_bodies(double free_pitch, double joint_pitch) {
  ModelDescription model;
  model.gravity = Vector3::Zero();
  BodyDescription dart = testing::body_of("dart", 1, geometry::Box{{0.1, 0.2, 0.3}}, {0, 0, 2});
  dart.orientation = exp_rotation(Vector3(0, free_pitch, 0));
  dart.angular_velocity = Vector3(1, 2, 3);
  dart.linear_velocity = Vector3(0.5, 0, 0);
  model.materials.push_back({.name = "wood"});
  model.bodies = {dart, testing::body_of("bob", 1, geometry::Box{{0.1, 0.2, 0.3}}, {5, 0, 2})};
  JointDescription ball;
  ball.name = "pivot";
  ball.type = JointType::spherical;
  ball.parent = "world";
  ball.child = "bob";
  ball.position = Vector3(5, 0, 3);
  ball.initial_velocity = {-1, 0.5, 2};
  ball.coordinates.resize(3);
  ball.coordinates[0].friction = 0.1;  // a row, hence an island for the method
  model.joints = {ball};
  BuiltModel built = build_model(model).value();
  const Joint& joint = built.model.tree_joints[built.model.bodies[built.model.find_body("bob")].joint];
  store_quaternion(exp_rotation(Vector3(0, joint_pitch, 0)), built.state.q.data() + joint.q_offset);
  return built;
}

StepOutcome advance_by(FreeMethod& method, State& state, const Model& model) {
  StepRecord record;
  return testing::advance_once(model, method, 1e-2, state, record, method.representation);
}

TEST(StepRepresentation, TheMethodsRepresentationMovesTheState) {
  const BuiltModel built = two_bodies(0.3, -0.8);
  std::vector<VectorX> ends;
  for (const Representation r : all_representations) {
    FreeMethod method(r);
    State state = built.state;
    ASSERT_TRUE(advance_by(method, state, built.model).ok);
    EXPECT_EQ(method.accepted, 1);
    VectorX expected = built.state.q;
    ASSERT_FALSE(integrate_positions(built.model, state.v, 1e-2, r, expected));  // with the velocity of the end
    EXPECT_EQ(state.q, expected) << representation_name(r);
    for (const VectorX& other : ends) {
      EXPECT_NE(state.q, other) << representation_name(r);
      EXPECT_LT((state.q - other).norm(), 1e-2) << representation_name(r);  // (h |omega|)^2 with |omega| < 5
    }
    ends.push_back(state.q);
  }
}

TEST(StepRepresentation, TheDefaultIsTheExponentialMap) {
  for (const char* name : {"stewart-trinkle", "exact-cone"}) {
    ModelDescription model = testing::on_ground();
    model.bodies.push_back(testing::cube("box", {0, 0, 1}));
    model.bodies.back().angular_velocity = Vector3(1, 2, 3);
    SimulationSettings settings = testing::settings_of(1e-2, 1);
    settings.method = name;
    Simulation simulation = testing::make_simulation(model, settings);
    VectorX expected = simulation.state().q;
    testing::take_steps(simulation, 1);
    integrate_positions(simulation.model(), simulation.state().v, 1e-2, expected);
    EXPECT_EQ(simulation.state().q, expected) << name;
  }
}

TEST(StepRepresentation, EulerAnglesAtThePoleFailTheStepAndNameTheFreeBody) {
  for (const double sign : {-1.0, 1.0}) {
    const BuiltModel built = two_bodies(sign * std::numbers::pi / 2, 0);
    State state = built.state;
    FreeMethod euler(Representation::euler);
    const StepOutcome outcome = advance_by(euler, state, built.model);
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(euler.accepted, 0);
    EXPECT_EQ(state.q, built.state.q);
    EXPECT_EQ(state.v, built.state.v);
    EXPECT_EQ(state.time, built.state.time);
    EXPECT_THAT(outcome.failure, HasSubstr("step at t = 0 s not taken"));
    EXPECT_THAT(outcome.failure, HasSubstr("Euler angles of body [dart] are singular"));
    EXPECT_THAT(outcome.failure, HasSubstr("quaternion"));
    EXPECT_THAT(outcome.failure, Not(HasSubstr("bob")));
    for (const Representation r : all_representations) {
      if (r == Representation::euler) continue;
      FreeMethod other(r);
      EXPECT_TRUE(advance_by(other, state, built.model).ok) << representation_name(r);
      state = built.state;
    }
  }
}

TEST(StepRepresentation, EulerAnglesAtThePoleNameTheBallJoint) {
  const BuiltModel built = two_bodies(0, std::numbers::pi / 2);
  State state = built.state;
  FreeMethod euler(Representation::euler);
  const StepOutcome outcome = advance_by(euler, state, built.model);
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(state.q, built.state.q);
  EXPECT_THAT(outcome.failure, HasSubstr("body [bob] in joint [pivot]"));
  EXPECT_THAT(outcome.failure, Not(HasSubstr("dart")));
}

// The repair velocity overflows: not the angles' fault, though they are singular too.
TEST(StepRepresentation, NumbersThatAreNotFiniteAreNotBlamedOnTheAngles) {
  const BuiltModel built = two_bodies(std::numbers::pi / 2, 0);
  State state = built.state;
  FreeMethod euler(Representation::euler, infinity);
  const StepOutcome outcome = advance_by(euler, state, built.model);
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(state.q, built.state.q);
  EXPECT_THAT(outcome.failure, HasSubstr("not finite"));
  EXPECT_THAT(outcome.failure, Not(HasSubstr("Euler")));
}

}  // namespace
}  // namespace stiction
