// What the peers of `stiction bench` are given is our model: in free flight, where every engine solves the same
// equations of motion, figures move alike. And what a peer cannot take it refuses.
#include "peers/peer.h"

#include <gmock/gmock.h>

#include "stiction/dynamics/joint_rows.h"

namespace stiction::bench {
namespace {

using ::testing::HasSubstr;

// Every peer's ways for a scene.
std::vector<PeerSetting> settings_for(const BenchmarkScene& scene) {
  std::vector<PeerSetting> settings;
  for (const Peer& peer : all_peers()) {
    for (const PeerSetting& setting : peer.settings) {
      if (setting.takes(scene)) settings.push_back(setting);
    }
  }
  return settings;
}

// The figure far above the ground; it turns and drifts, and its joints turn by 0.5 rad/s, by -0.5 rad/s or not at all.
BuiltModel flying(const BenchmarkScene& scene) {
  ModelDescription model = scene.motions.at(0).model;
  for (BodyDescription& body : model.bodies) {
    if (body.fixed) body.position.z() = -100;
    if (body.name != "torso") continue;
    body.linear_velocity = Vector3(0.1, 0.2, 0.3);
    body.angular_velocity = Vector3(0.3, 0.5, -0.7);
  }
  int number = 0;
  for (JointDescription& joint : model.joints) {
    for (size_t i = 0; i < joint.coordinates.size(); ++i) joint.initial_velocity.push_back(0.5 * (++number % 3 - 1));
  }
  return build_model(model).value();
}

std::vector<BodyMotion> motion_after(const BenchmarkEngine& engine, const BuiltModel& built, double step, int steps) {
  auto world = engine.make(built, step).value();
  Kinematics kinematics = make_kinematics(built.model);
  update_kinematics(built.model, built.state, 0, kinematics);
  std::vector<BodyMotion> bodies = body_motions(kinematics);
  for (int i = 0; i < steps; ++i) EXPECT_EQ(world->advance(), "");
  world->read(bodies);
  return bodies;
}

// Methods of first order differ by a share of the step; at a tenth of it, all differences are a tenth (measured up to
// 1.2e-4 m, 3.4e-4 and 5.6e-4 m/s here). Rows of joints that 20 sweeps solve are off by a hundredth.
class FiguresOfPeers : public ::testing::TestWithParam<const char*> {};

TEST_P(FiguresOfPeers, FlyLikeOurs) {
  const BenchmarkScene scene = benchmark_scene(GetParam());
  const BuiltModel built = flying(scene);
  const auto ours = motion_after(benchmark_engine(methods::Accuracy::exact), built, 0.001, 200);
  for (const PeerSetting& setting : settings_for(scene)) {
    SCOPED_TRACE(setting.engine + " " + setting.setting);
    const double allowed = setting.setting == "quickstep" ? 2e-2 : 8e-4;
    const auto theirs = motion_after(engine_of(setting), built, 0.001, 200);
    for (size_t b = 0; b < ours.size(); ++b) {
      EXPECT_LT((theirs[b].X_WB.p - ours[b].X_WB.p).norm(), allowed) << built.model.bodies[b].name;
      EXPECT_LT((theirs[b].X_WB.R - ours[b].X_WB.R).norm(), allowed) << built.model.bodies[b].name;
      EXPECT_LT((theirs[b].velocity.linear - ours[b].velocity.linear).norm(), allowed) << built.model.bodies[b].name;
    }
  }
}

// Springs pull every joint 0.1 rad beyond its upper or lower limit, without gravity; limits are `share` of the
// figure's.
ModelDescription pulled_to_limits(const BenchmarkScene& scene, size_t side, double share) {
  ModelDescription model = scene.motions.at(0).model;
  model.gravity.setZero();
  for (JointDescription& joint : model.joints) {
    for (JointCoordinate& own : joint.coordinates) {
      for (double& limit : own.limits) limit *= share;
      own.stiffness = 2;
      own.damping = 0.5;
      own.rest = own.limits[side] + (side == 0 ? -0.1 : 0.1);
    }
  }
  return model;
}

// Without a limit a joint would come to rest 0.1 rad beyond, and the limits of one joint differ by more than the
// tolerance. Limits are near, so that they are soon reached, and give way by up to 0.02 rad (measured). Nothing but the
// torso collides.
TEST_P(FiguresOfPeers, RestAtTheirLimits) {
  const BenchmarkScene scene = benchmark_scene(GetParam());
  for (const size_t side : {0U, 1U}) {
    ModelDescription model = pulled_to_limits(scene, side, 0.1);
    for (BodyDescription& body : model.bodies) {
      for (ShapeDescription& shape : body.shapes) shape.collide = body.fixed || body.name == "torso";
    }
    const BuiltModel built = build_model(model).value();
    Kinematics kinematics = make_kinematics(built.model);
    for (const PeerSetting& setting : settings_for(scene)) {
      SCOPED_TRACE(setting.engine + " " + setting.setting);
      const auto bodies = motion_after(engine_of(setting), built, 0.005, 1000);
      for (size_t b = 0; b < bodies.size(); ++b) kinematics.X_WB[b] = bodies[b].X_WB;
      for (const Joint& joint : built.model.tree_joints) {
        const JointRows rows = joint_freedom_rows(built.model, joint, kinematics);
        for (int i = 0; joint.type != JointType::free && i < rows.count; ++i) {
          EXPECT_NEAR(rows.rows[i].value, joint.coordinates[i].limits[side], 0.03) << joint.name << " " << i;
        }
      }
    }
  }
}

// The humanoid's legs are pulled through each other, and would overlap by 0.05 m.
TEST(Peers, LegsTouchEachOther) {
  const BenchmarkScene scene = benchmark_scene("humanoid");
  const BuiltModel built = build_model(pulled_to_limits(scene, 1, 1)).value();
  OverlapMeter overlap(built.model);
  for (const PeerSetting& setting : settings_for(scene)) {
    EXPECT_LT(overlap.measure(motion_after(engine_of(setting), built, 0.005, 1000)), 0.01)
        << setting.engine << " " << setting.setting;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, FiguresOfPeers, ::testing::Values("crawler", "humanoid"));

TEST(Peers, RefuseWhatTheyCannotTake) {
  BenchmarkScene scene = benchmark_scene("crawler");
  const auto refusal = [&](const PeerSetting& setting) {
    const BuiltModel built = build_model(scene.motions[0].model).value();
    const auto world = engine_of(setting).make(built, 0.005);
    return world ? "nothing" : world.error().what;
  };
  scene.motions[0].model.joints.back().coordinates.at(0).friction = 0.1;
  for (const PeerSetting& setting : settings_for(scene)) EXPECT_THAT(refusal(setting), HasSubstr("dry friction"));
  scene.motions[0].model.joints.back().coordinates.at(0).friction = 0;
  scene.motions[0].model.joints.back().type = JointType::spherical;
  scene.motions[0].model.joints.back().coordinates = {};
  for (const PeerSetting& setting : settings_for(scene)) EXPECT_THAT(refusal(setting), HasSubstr("revolute"));
}

// The soft row gives a damped spring with inertia its step of the implicit Euler method.
TEST(Peers, SoftRowIsAnImplicitStep) {
  const JointCoordinate own = {.damping = 0.3, .stiffness = 7, .rest = 0.2, .armature = 0.05};
  const double h = 0.01, q = 0.5, v = -1.5;
  const SoftRow row = soft_row(own, q, v, h);
  const double v_end = 0.4, force = row.resistance * (row.target - v_end);
  EXPECT_NEAR(force, -0.05 * (v_end - v) / h - 0.3 * v_end - 7 * (q + h * v_end - 0.2), 1e-12);
  EXPECT_TRUE(has_soft_row(own));
  EXPECT_FALSE(has_soft_row({.limits = {-1, 1}}));
}

}  // namespace
}  // namespace stiction::bench
