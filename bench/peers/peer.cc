#include "peer.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "stiction/model/prescribed_motion.h"

namespace stiction::bench {

namespace {

// A base that is moved without turning, and carries everything. Peers simulate in its frame, where gravity is less by
// its acceleration: the same motion by the laws of mechanics, and no engine's way of moving a body is in the way.
class Carrier {
 public:
  explicit Carrier(const Model& model) {
    for (const Body& body : model.bodies) {
      if (body.kind != BodyKind::prescribed) continue;
      if (base_ != nullptr || !body.motion.rotation.empty() || !body.motion.angular_velocity.isZero()) {
        throw std::invalid_argument("peers take one moving base, which does not turn");
      }
      base_ = &body;
    }
    const auto fixed = [](const Body& body) { return body.kind == BodyKind::fixed; };
    if (base_ != nullptr && std::any_of(model.bodies.begin(), model.bodies.end(), fixed)) {
      throw std::invalid_argument("peers take a moving base only where nothing is fixed");
    }
  }

  Vector3 displacement(double time) const {
    if (base_ == nullptr) return Vector3::Zero();
    return prescribed_pose(*base_, time).p - prescribed_pose(*base_, 0).p;
  }
  Vector3 velocity(double time) const {
    return base_ == nullptr ? Vector3(Vector3::Zero()) : prescribed_motion(*base_, time).velocity.linear;
  }
  bool moves() const { return base_ != nullptr; }

 private:
  const Body* base_ = nullptr;
};

// What is joined to something that does not move could collide with it in one engine and not in another.
void check_joined_bodies(const Model& model) {
  for (const auto& [a, b] : model.joined) {
    if (model.bodies[a].moves && model.bodies[b].moves) continue;
    for (const BodyShape& shape : model.shapes) {
      if (shape.collide && !model.bodies[shape.body].moves && (shape.body == a || shape.body == b)) {
        throw std::invalid_argument("peers take no joints to a fixed body that collides");
      }
    }
  }
}

class PeerWorld final : public BenchmarkWorld {
 public:
  PeerWorld(const PeerSetting& setting, const BuiltModel& built, double step)
      : model_(built.model), step_(step), carrier_(built.model) {
    Kinematics kinematics = make_kinematics(model_);
    update_kinematics(model_, built.state, 0, kinematics);
    check_joined_bodies(model_);
    PeerScene scene{.model = model_, .state = built.state, .bodies = body_motions(kinematics), .step = step};
    for (BodyMotion& body : scene.bodies) body.velocity.linear -= carrier_.velocity(0);
    scene.friction = model_.materials.front().friction[0];
    engine_ = setting.make(scene);
    engine_->set_gravity(model_.gravity);
  }

  std::string advance() override {
    const double time = static_cast<double>(steps_) * step_;
    if (carrier_.moves()) {
      engine_->set_gravity(model_.gravity - (carrier_.velocity(time + step_) - carrier_.velocity(time)) / step_);
    }
    engine_->advance();
    ++steps_;
    return {};
  }

  std::string complaints() const override { return engine_->complaints(); }

  void read(std::vector<BodyMotion>& bodies) override {
    engine_->refresh();
    const double time = static_cast<double>(steps_) * step_;
    for (size_t b = 0; b < bodies.size(); ++b) {
      if (!model_.bodies[b].moves) continue;
      bodies[b] = engine_->motion(static_cast<int>(b));
      bodies[b].X_WB.p += carrier_.displacement(time);
      bodies[b].velocity.linear += carrier_.velocity(time);
    }
  }

 private:
  const Model& model_;
  double step_;
  Carrier carrier_;
  std::unique_ptr<PeerEngine> engine_;
  long steps_ = 0;
};

}  // namespace

bool has_contacts(const BenchmarkScene& scene) {
  return !scene.has_links;
}

bool has_figure(const BenchmarkScene& scene) {
  return scene.has_figure;
}

bool has_no_figure(const BenchmarkScene& scene) {
  return has_contacts(scene) && !scene.has_figure;
}

bool has_links_only(const BenchmarkScene& scene) {
  return scene.has_links;
}

std::vector<Peer> all_peers() {
  std::vector<Peer> peers = {
      {"ODE", "libode-dev", {}}, {"Bullet", "libbullet-dev", {}}, {"MuJoCo", "libmujoco-dev", {}}};
#ifdef STICTION_WITH_ODE
  peers[0].settings = ode_settings();
#endif
#ifdef STICTION_WITH_BULLET
  peers[1].settings = bullet_settings();
  for (PeerSetting& setting : bullet_multibody_settings()) peers[1].settings.push_back(std::move(setting));
  for (PeerSetting& setting : bullet_figure_settings()) peers[1].settings.push_back(std::move(setting));
#endif
#ifdef STICTION_WITH_MUJOCO
  peers[2].settings = mujoco_settings();
#endif
  return peers;
}

BenchmarkEngine engine_of(const PeerSetting& setting) {
  const auto make = [setting](const BuiltModel& built, double step) -> Result<std::unique_ptr<BenchmarkWorld>> {
    try {
      return std::make_unique<PeerWorld>(setting, built, step);
    } catch (const std::invalid_argument& reason) {
      return failure({.what = reason.what()});
    }
  };
  return {setting.engine, setting.setting, make};
}

BodyMotion motion_of_center(const Body& body, const Vector3& center, const Quaternion& orientation,
                            const Vector3& velocity, const Vector3& spin) {
  BodyMotion motion;
  motion.X_WB.R = orientation.normalized().toRotationMatrix();
  motion.X_WB.p = center - motion.X_WB.R * body.com_B;
  motion.velocity = {velocity, spin};
  return motion;
}

std::string counted(long count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Vector3 constant_push(const PeerScene& scene, const Actuator& actuator) {
  if (actuator.on_loop_joint || actuator.stiffness != 0 || actuator.damping != 0) {
    throw std::invalid_argument("peers take constant forces only");
  }
  const Joint& joint = scene.model.tree_joints[actuator.joint];
  if (joint.type != JointType::prismatic) throw std::invalid_argument("peers take forces on prismatic joints only");
  const Pose parent = joint.parent == world_index ? Pose{} : scene.bodies[joint.parent].X_WB;
  return actuator.force * (parent.R * joint.X_PJ.R * joint.axis);
}

void require_bare(const Joint& joint) {
  for (const JointCoordinate& own : joint.coordinates) {
    if (own.limits != JointCoordinate{}.limits || own.friction != 0 || has_soft_row(own)) {
      throw std::invalid_argument("this peer knows joints that do nothing but hold and turn or slide");
    }
  }
}

bool has_soft_row(const JointCoordinate& coordinate) {
  return coordinate.armature != 0 || coordinate.damping != 0 || coordinate.stiffness != 0;
}

// force = -armature (v_end - v) / h - damping v_end - stiffness (q + h v_end - rest)
SoftRow soft_row(const JointCoordinate& coordinate, double q, double v, double h) {
  SoftRow row;
  row.resistance = coordinate.armature / h + coordinate.damping + h * coordinate.stiffness;
  row.target = (coordinate.armature / h * v - coordinate.stiffness * (q - coordinate.rest)) / row.resistance;
  return row;
}

}  // namespace stiction::bench
