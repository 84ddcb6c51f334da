// Bullet's multibody: a chain of hinges in reduced coordinates, by Featherstone's algorithm.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "bullet_types.h"
#include "peer.h"

namespace stiction::bench {

namespace {

// Every body is a link on the one before it, the first on the world, all with the axes of the world at the start.
class BulletChain final : public PeerEngine {
 public:
  explicit BulletChain(const PeerScene& scene)
      : model_(scene.model),
        step_(scene.step),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_),
        chain_(static_cast<int>(scene.model.bodies.size()), 0, btVector3(0, 0, 0), true, false) {
    for (const Joint& joint : model_.tree_joints) add_link(scene, joint);
    chain_.finalizeMultiDof();
    chain_.setLinearDamping(0);
    chain_.setAngularDamping(0);
    for (const Joint& joint : model_.tree_joints) chain_.setJointVel(joint.child, scene.state.v[joint.v_offset]);
    world_.addMultiBody(&chain_);
    refresh();
  }
  ~BulletChain() override { world_.removeMultiBody(&chain_); }

  void set_gravity(const Vector3& gravity) override { world_.setGravity(to_bullet(gravity)); }
  void advance() override { world_.stepSimulation(step_, 0); }

  // Velocities of links are those of their centres, each in the axes of its link; the base comes first.
  void refresh() override {
    const auto count = static_cast<size_t>(chain_.getNumLinks()) + 1;
    spins_.resize(count);
    velocities_.resize(count);
    chain_.forwardKinematics(rotations_, origins_);
    chain_.compTreeLinkVelocities(spins_.data(), velocities_.data());
  }

  BodyMotion motion(int body) const override {
    const btTransform& pose = chain_.getLink(body).m_cachedWorldTransform;
    const auto link = static_cast<size_t>(body) + 1;
    return motion_of_center(model_.bodies[body], from_bullet(pose.getOrigin()), from_bullet(pose.getRotation()),
                            from_bullet(chain_.localDirToWorld(body, velocities_[link])),
                            from_bullet(chain_.localDirToWorld(body, spins_[link])));
  }

 private:
  void add_link(const PeerScene& scene, const Joint& joint) {
    const bool first = joint.parent == world_index;
    const Body& body = model_.bodies[joint.child];
    const Pose& start = scene.bodies[joint.child].X_WB;
    if (joint.type != JointType::revolute || joint.parent != joint.child - 1 || !body.com_B.isZero() ||
        !start.R.isIdentity()) {
      throw std::invalid_argument("the Bullet multibody peer knows straight chains of hinges only");
    }
    require_bare(joint);
    const Vector3 at = first ? Vector3(joint.X_PJ.p) : Vector3(scene.bodies[joint.parent].X_WB * joint.X_PJ.p);
    const Vector3 parent_center = first ? Vector3(Vector3::Zero()) : scene.bodies[joint.parent].X_WB.p;
    chain_.setupRevolute(joint.child, body.mass, principal_moments(body), joint.child - 1, btQuaternion(0, 0, 0, 1),
                         to_bullet(Vector3(joint.X_PJ.R * joint.axis)), to_bullet(Vector3(at - parent_center)),
                         to_bullet(Vector3(start.p - at)), true);
  }

  const Model& model_;
  double step_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_;
  btMultiBody chain_;
  std::vector<btVector3> spins_, velocities_;
  btAlignedObjectArray<btQuaternion> rotations_;
  btAlignedObjectArray<btVector3> origins_;
};

}  // namespace

std::vector<PeerSetting> bullet_multibody_settings() {
  return {{"bullet", "multibody", has_links_only,
           [](const PeerScene& scene) { return std::make_unique<BulletChain>(scene); }}};
}

}  // namespace stiction::bench
