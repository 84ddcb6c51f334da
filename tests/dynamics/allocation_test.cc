// Nothing that a time step calls may allocate.
#include "support/allocation_counter.h"

#include <memory>

#include <gtest/gtest.h>

#include "dynamics/random_model.h"
#include "stiction/dynamics/energy.h"
#include "stiction/dynamics/free_motion.h"
#include "stiction/dynamics/jacobian.h"
#include "stiction/dynamics/joint_rows.h"

namespace stiction {
namespace {

using testing::allocations_during;

TEST(Allocation, TheCounterCounts) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  EXPECT_GE(allocations_during([] { std::make_unique<std::vector<double>>(1000).reset(); }), 1);
  EXPECT_GE(allocations_during([] { VectorX(1000).setZero(); }), 1);
}

TEST(Allocation, StepFunctionsDoNotAllocate) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  testing::Dice dice(5);
  ModelDescription description = testing::random_description(dice, 60);
  for (JointDescription& joint : description.joints)
    for (JointCoordinate& c : joint.coordinates) c.stiffness = c.damping = 3;
  ActuatorDescription actuator;
  actuator.joint = description.joints[1].name;
  actuator.stiffness = 1e4;
  actuator.target = 1;
  actuator.max_force = 0.1;
  description.actuators.push_back(actuator);
  const BuiltModel reduced = build_model(description).value();
  for (const BuiltModel& built : {reduced, to_maximal(reduced)}) {
    State state = built.state;
    Kinematics k = make_kinematics(built.model);
    Recursion scratch = make_recursion(built.model);
    FreeMotion motion = make_free_motion(built.model);
    std::vector<double> mass(built.model.mass_size);
    VectorX tau = VectorX::Zero(built.model.v_size), vdot = tau;
    double sum = 0;
    const long count = allocations_during([&] {
      update_kinematics(built.model, state, 1e-3, k);
      aba(built.model, k, tau, {}, {}, scratch, vdot);
      rnea(built.model, k, vdot, {}, scratch, tau);
      crba(built.model, k, {}, scratch, mass);
      compute_free_motion(built.model, state, 1e-3, {}, k, motion);
      integrate_positions(built.model, motion.v_free, 1e-3, state.q);
      for (const Joint& joint : built.model.loop_joints)
        sum += joint_constraint_rows(built.model, joint, k).count + joint_freedom_rows(built.model, joint, k).count;
      sum += kinetic_energy(built.model, state, k) + potential_energy(built.model, state, k);
      add_generalized_load(built.model, k, 3, Vector3::Zero(), Vector3::UnitX(), Vector3::UnitY(), tau.data());
    });
    EXPECT_EQ(count, 0);
    EXPECT_TRUE(std::isfinite(sum));
  }
}

}  // namespace
}  // namespace stiction
