// Rows of the step problem against finite differences of gaps, coordinates and joint constraints, and their biases
// against trinkle2003 (28), (32), (38).
#include "stiction/contact/assemble.h"

#include <gtest/gtest.h>

#include "contact/contact_scene.h"
#include "stiction/dynamics/jacobian.h"

namespace stiction {
namespace {

using contact::Contact;
using testing::body_of;
using testing::ContactScene;
using testing::cube;
using testing::ground;

constexpr double small_step = 1e-6;
// Forward difference over h: curvature times speed squared times h (about 1e2 h here), and rounding / h = 1e-10.
constexpr double difference_tolerance = 3e-4;

// Moving, turning bodies in all kinds of contact, one on an arm of two hinges, one prescribed.
ModelDescription busy_scene() {
  ModelDescription description;
  description.bodies = {ground(),
                        body_of("ball", 1, geometry::Sphere{0.3}, {0, 0, 0.3}),
                        body_of("egg", 2, geometry::Ellipsoid{{0.3, 0.2, 0.25}}, {2, 0, 0.2}),
                        cube("plate", 0, {4, 0, 0.5}),
                        body_of("pebble", 1, geometry::Sphere{0.2}, {4.1, 0.1, 1.2}),
                        body_of("upper", 1, geometry::Capsule{0.05, 0.2}, {6, 0, 0.9}),
                        body_of("fore", 1, geometry::Sphere{0.15}, {6, 0.3, 0.15}),
                        body_of("rock", 1, geometry::Sphere{0.3}, {6.4, 0.3, 0.3})};
  description.bodies[2].orientation = exp_rotation(Vector3(0.4, -0.3, 0.2));
  description.bodies[3].fixed = false;
  description.bodies[3].motion =
      MotionDescription{{0.3, 0.1, 0.5}, {0.4, 0.2, -0.3}, {{{0, 0, 0.05}, 7, 0.4}}, {{{0.1, 0, 0.2}, 3, 0.2}}};
  description.bodies[3].shapes[0].surface_velocity = Vector3(0.7, 0.2, 0);
  for (const int i : {1, 2, 4, 7}) {
    description.bodies[i].linear_velocity = Vector3(0.3, -0.2 * i, 0.1);
    description.bodies[i].angular_velocity = Vector3(0.5, 0.1 * i, -0.7);
  }
  JointDescription shoulder, elbow;
  shoulder.name = "shoulder", elbow.name = "elbow";
  shoulder.parent = "world", shoulder.child = "upper", shoulder.position = Vector3(6, 0, 1.2);
  shoulder.axis = Vector3::UnitX();
  elbow.parent = "upper", elbow.child = "fore", elbow.position = Vector3(0, 0, -0.3), elbow.axis = Vector3(0.2, 1, 0);
  shoulder.initial_velocity = {1.3};
  elbow.initial_velocity = {-0.8};
  description.joints = {shoulder, elbow};
  return description;
}

const Contact* find_key(const std::vector<Contact>& contacts, std::uint64_t key) {
  for (const Contact& c : contacts) {
    if (c.key == key) return &c;
  }
  return nullptr;
}

TEST(Assemble, NormalRowsAreTheRateOfTheGap) {
  ContactScene scene(busy_scene(), small_step);
  scene.detect();
  scene.assemble();
  const std::vector<Contact> before = scene.contacts;
  ASSERT_GE(before.size(), 6u);
  std::vector<double> rate;
  for (const ContactRows& rows : scene.problem.contacts) {
    rate.push_back(scene.row_velocity(rows.block, 0, scene.built.state.v) + rows.surface[0]);
  }
  integrate_positions(scene.built.model, scene.built.state.v, scene.h, scene.built.state.q);
  scene.built.state.time += scene.h;
  scene.detect();
  for (size_t i = 0; i < before.size(); ++i) {
    const Contact* after = find_key(scene.contacts, before[i].key);
    ASSERT_NE(after, nullptr);
    EXPECT_NEAR((after->gap - before[i].gap) / scene.h, rate[i], difference_tolerance)
        << scene.name(before[i].body_A) << " - " << scene.name(before[i].body_B);
  }
}

TEST(Assemble, AllRowsAreVelocitiesOfBOverA) {
  ContactScene scene(busy_scene(), small_step);
  scene.detect();
  scene.assemble();
  const std::vector<Twist>& V = scene.kinematics.velocity;
  for (size_t i = 0; i < scene.contacts.size(); ++i) {
    const Contact& c = scene.contacts[i];
    const ContactRows& rows = scene.problem.contacts[i];
    const auto at = [&](int body) { return V[body].at(c.point - scene.kinematics.com_W[body]); };
    const Vector3 slip = at(c.body_B) - at(c.body_A) + c.surface_velocity;
    const Vector3 axes[3] = {c.normal, c.tangent, c.binormal()};
    for (int r = 0; r < 3; ++r) {
      const double u = scene.row_velocity(rows.block, r, scene.built.state.v) + rows.surface[r];
      EXPECT_NEAR(u, axes[r].dot(slip), 1e-12);  // rounding of sums of order one
    }
    EXPECT_EQ(rows.gap, c.gap);
    EXPECT_EQ(rows.key, c.key);
  }
}

// The busy scene with elliptic and torsional friction.
ModelDescription soft_scene() {
  ModelDescription description = busy_scene();
  description.materials.push_back({.name = "soft", .friction = {0.4, 0.2}, .torsional_friction = 0.03});
  for (BodyDescription& body : description.bodies) body.shapes[0].material = "soft";
  return description;
}

TEST(Assemble, TorsionAddsTheSpinAboutTheNormal) {
  ContactScene scene(soft_scene(), small_step);
  scene.detect();
  scene.assemble();
  for (size_t i = 0; i < scene.contacts.size(); ++i) {
    const Contact& c = scene.contacts[i];
    const ContactRows& rows = scene.problem.contacts[i];
    ASSERT_EQ(scene.problem.blocks[rows.block].row_count, 4);
    const Vector3 turn = scene.kinematics.velocity[c.body_B].angular - scene.kinematics.velocity[c.body_A].angular;
    EXPECT_NEAR(scene.row_velocity(rows.block, 3, scene.built.state.v) + rows.surface[3], c.normal.dot(turn), 1e-12);
    EXPECT_NEAR(rows.torsion, 0.4 * 0.03, 1e-15);
    EXPECT_EQ(rows.friction, (std::array<double, 2>{0.4, 0.2}));
  }
}

// Rows of free bodies are written directly: to the bit what the recursion over joints adds up to.
TEST(Assemble, RowsOfAllBodiesAreTheirGeneralisedLoads) {
  ContactScene scene(soft_scene(), small_step);
  scene.detect();
  scene.assemble();
  const Model& model = scene.built.model;
  for (size_t i = 0; i < scene.contacts.size(); ++i) {
    const Contact& c = scene.contacts[i];
    const RowBlock& block = scene.problem.blocks[scene.problem.contacts[i].block];
    const Vector3 axes[3] = {c.normal, c.tangent, c.binormal()};
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      const auto J = scene.problem.jacobian_block(scene.problem.contacts[i].block, side);
      for (int r = 0; r < block.row_count; ++r) {
        VectorX row = VectorX::Zero(J.cols());
        for (const int body : {c.body_B, c.body_A}) {
          const int joint = model.bodies[body].joint;
          if (joint < 0 || model.tree_joints[joint].tree != block.tree[side]) continue;
          const double sign = body == c.body_B ? 1 : -1;
          const Vector3 force = r < 3 ? Vector3(sign * axes[r]) : Vector3(Vector3::Zero());
          const Vector3 moment = r < 3 ? Vector3(Vector3::Zero()) : Vector3(sign * c.normal);
          add_generalized_load(model, scene.kinematics, body, c.point, force, moment, row.data());
        }
        const double rounding = J.cols() == 6 ? 0 : 1e-15 * row.lpNorm<Eigen::Infinity>();  // none on free bodies
        EXPECT_LE((J.row(r).transpose() - row).lpNorm<Eigen::Infinity>(), rounding)
            << scene.name(c.body_A) << " - " << scene.name(c.body_B) << " row " << r;
      }
    }
  }
}

TEST(Assemble, WithoutFrictionThereIsOneRow) {
  ModelDescription description;
  description.materials.push_back({.name = "ice", .friction = {0, 0}, .torsional_friction = 0.1});
  description.bodies = {ground(), cube("box", 1, {0, 0, 0.5})};
  for (BodyDescription& body : description.bodies) body.shapes[0].material = "ice";
  ContactScene scene(description);
  scene.detect();
  scene.assemble();
  ASSERT_EQ(scene.problem.contacts.size(), 4u);
  EXPECT_EQ(scene.problem.row_count, 4);
}

// A ball above the ground that falls at `speed`.
ContactRows ball_rows(double gap, double speed, double restitution, const contact::AssemblyOptions& options = {}) {
  ModelDescription description;
  description.materials.push_back({.name = "rubber", .restitution = restitution});
  description.bodies = {ground(), body_of("ball", 1, geometry::Sphere{0.5}, {0, 0, 0.5 + gap})};
  for (BodyDescription& body : description.bodies) body.shapes[0].material = "rubber";
  description.bodies[1].linear_velocity = Vector3(0, 0, -speed);
  ContactScene scene(description, 0.01);
  scene.detect();
  scene.assemble(options);
  return scene.problem.contacts.at(0);
}

TEST(Assemble, TheNormalBiasIsTheGapOverTheStepOrNewtonsRebound) {
  const double rounding = 1e-12;                                        // of 0.5 + gap over h
  EXPECT_NEAR(ball_rows(0.004, 1.0, 0).normal_bias, 0.4, rounding);     // (32)
  EXPECT_NEAR(ball_rows(-0.004, 0.0, 0).normal_bias, -0.4, rounding);   // overlap: driven apart
  EXPECT_NEAR(ball_rows(0.004, 1.0, 0.7).normal_bias, -0.7, rounding);  // reached in the step: u_n >= 0.7 * 1 m/s
  EXPECT_NEAR(ball_rows(0.004, 0.41, 0.7).normal_bias, -0.7 * 0.41, rounding);
  EXPECT_NEAR(ball_rows(0.00405, 0.4, 0.7).normal_bias, 0.405, rounding);  // not reached
  EXPECT_NEAR(ball_rows(0.004, 1.0, 0.7, {.newton_restitution = false}).normal_bias, 0.4, rounding);
  EXPECT_NEAR(ball_rows(-0.004, 0.0, 0, {.max_recovery_speed = 0.1}).normal_bias, -0.1, rounding);
  EXPECT_NEAR(ball_rows(0.004, 1.0, 0.7).approach, -1.0, rounding);
}

// A hinged bar with limits and dry friction, in reduced and in maximal coordinates, turning at `rate`.
ModelDescription limited_bar(double rate) {
  ModelDescription description;
  description.gravity = Vector3::Zero();
  description.bodies = {body_of("bar", 1, geometry::Capsule{0.05, 0.2}, {0, 0, 0.2})};
  JointDescription joint;
  joint.name = "pivot";
  joint.parent = "world";
  joint.child = "bar";
  joint.axis = Vector3::UnitY();
  joint.reference = {0.3};
  joint.initial_velocity = {rate};
  joint.coordinates.resize(1);
  joint.coordinates[0].limits = {-0.2, 0.35};
  joint.coordinates[0].friction = 0.6;
  description.joints = {joint};
  return description;
}

struct LimitedBar : ContactScene {
  LimitedBar(double rate, bool maximal) : ContactScene(limited_bar(rate), 0.01) {
    if (maximal) {
      built = to_maximal(built);
      kinematics = make_kinematics(built.model);
      free_motion = make_free_motion(built.model);
      assembly = contact::make_assembly(built.model);
      problem.mass.resize(built.model.mass_size);
    }
    update_kinematics(built.model, built.state, h, kinematics);
    assemble();
  }
  std::vector<const ScalarRow*> rows(ScalarRow::Kind kind) const {
    std::vector<const ScalarRow*> result;
    for (const ScalarRow& row : problem.scalars) {
      if (row.kind == kind) result.push_back(&row);
    }
    return result;
  }
};

TEST(Assemble, LimitsThatTheStepReachesAreRows) {
  for (const bool maximal : {false, true}) {
    for (const double rate : {6.0, -60.0}) {
      const LimitedBar bar(rate, maximal);
      const auto limits = bar.rows(ScalarRow::Kind::limit);
      ASSERT_EQ(limits.size(), 1u);
      const double sign = rate > 0 ? -1 : 1;
      const double gap = rate > 0 ? 0.05 : 0.5;
      EXPECT_NEAR(limits[0]->gap, gap, 1e-12);
      EXPECT_NEAR(limits[0]->bias, gap / bar.h, 1e-10);
      EXPECT_NEAR(bar.row_velocity(limits[0]->block, 0, bar.built.state.v), sign * rate, 1e-12 * std::abs(rate));
    }
    EXPECT_EQ(LimitedBar(4.9, maximal).rows(ScalarRow::Kind::limit).size(), 0u);  // stops 0.001 short
  }
}

TEST(Assemble, LimitsThatTheAnswerOverrunsAreForcedIn) {
  for (const bool maximal : {false, true}) {
    LimitedBar bar(0.0, maximal);
    ASSERT_EQ(bar.rows(ScalarRow::Kind::limit).size(), 0u);
    const LimitedBar fast(6.0, maximal);  // its velocity stands for the answer
    update_velocities(bar.built.model, fast.built.state.v, bar.kinematics);
    EXPECT_TRUE(contact::force_missed_limits(bar.built.model, bar.built.state, bar.kinematics, fast.built.state.v,
                                             bar.h, bar.assembly));
    bar.assemble();
    ASSERT_EQ(bar.rows(ScalarRow::Kind::limit).size(), 1u);
    EXPECT_TRUE(bar.assembly.scalar_source[0].upper);
    EXPECT_FALSE(contact::force_missed_limits(bar.built.model, bar.built.state, bar.kinematics, fast.built.state.v,
                                              bar.h, bar.assembly));
  }
}

// Which limits become rows is a matter of the free motion alone, whatever velocities kinematics holds on that pass.
TEST(Assemble, RatesOfClosingJointsAreThoseOfTheFreeMotion) {
  const LimitedBar fast(6.0, true);
  for (const double rate : {6.0, 0.0}) {
    LimitedBar bar(rate, true);
    const VectorX other = rate > 0 ? VectorX(VectorX::Zero(fast.built.state.v.size())) : fast.built.state.v;
    update_velocities(bar.built.model, other, bar.kinematics);
    contact::assemble_problem(bar.built.model, bar.built.state, bar.kinematics, bar.free_motion, bar.contacts, bar.h,
                              {}, bar.assembly, bar.problem);
    EXPECT_EQ(bar.rows(ScalarRow::Kind::limit).size(), rate > 0 ? 1u : 0u);
  }
}

TEST(Assemble, DryFrictionInAJointIsARowOfItsVelocity) {
  for (const bool maximal : {false, true}) {
    const LimitedBar bar(2.5, maximal);
    const auto friction = bar.rows(ScalarRow::Kind::friction);
    ASSERT_EQ(friction.size(), 1u);
    EXPECT_NEAR(friction[0]->bound, 0.6 * bar.h, 1e-16);  // h c_max
    EXPECT_NEAR(bar.row_velocity(friction[0]->block, 0, bar.built.state.v) + friction[0]->bias, 2.5, 1e-12);
  }
}

// (28): a bilateral row's velocity, with its prescribed part, is the rate of the constraint.
TEST(Assemble, BilateralRowsAreTheRateOfTheConstraint) {
  ModelDescription description = busy_scene();
  JointDescription joint;
  joint.name = "grip";
  joint.type = JointType::spherical;
  joint.parent = "plate";
  joint.child = "pebble";
  joint.position = Vector3(0.1, 0.1, 0.7);
  joint.loop = true;
  description.joints.push_back(joint);
  ContactScene scene(description, small_step);
  scene.detect();
  scene.assemble();
  ASSERT_EQ(scene.problem.bilaterals.size(), 1u);
  const Joint& loop = scene.built.model.loop_joints.at(0);
  const JointRows before = joint_constraint_rows(scene.built.model, loop, scene.kinematics);
  VectorX rate(before.count);
  for (int r = 0; r < before.count; ++r) {
    rate[r] = scene.row_velocity(scene.problem.bilaterals[0].block, r, scene.built.state.v) +
              scene.problem.bilateral_surface[r];
    EXPECT_NEAR(scene.problem.bilateral_bias[r], before.rows[r].value / scene.h + scene.problem.bilateral_surface[r],
                1e-9);
  }
  EXPECT_GT(rate.norm(), 0.1);  // the start is not compatible with the joint, so that there is something to compare
  integrate_positions(scene.built.model, scene.built.state.v, scene.h, scene.built.state.q);
  scene.built.state.time += scene.h;
  scene.detect();
  const JointRows after = joint_constraint_rows(scene.built.model, loop, scene.kinematics);
  for (int r = 0; r < before.count; ++r) {
    EXPECT_NEAR((after.rows[r].value - before.rows[r].value) / scene.h, rate[r], difference_tolerance);
  }
}

}  // namespace
}  // namespace stiction
