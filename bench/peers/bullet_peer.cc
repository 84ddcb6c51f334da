// Bullet: rigid bodies with sequential impulses, built in double precision.
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bullet_shapes.h"
#include "peer.h"

namespace stiction::bench {

namespace {

// Bullet's solver with its defaults, or with more iterations and a second direction of friction.
class BulletEngine final : public PeerEngine {
 public:
  BulletEngine(const PeerScene& scene, bool accurate)
      : model_(scene.model),
        step_(scene.step),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_) {
    if (accurate) {
      world_.getSolverInfo().m_numIterations = 100;
      world_.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    }
    bodies_.resize(model_.bodies.size());
    for (const BodyShape& shape : model_.shapes) {
      if (shape.collide) add_body(scene, shape);
    }
    for (const Joint& joint : model_.tree_joints) add_joint(joint);
    for (const Actuator& actuator : model_.actuators) {
      pushes_.push_back(
          {bodies_[model_.tree_joints[actuator.joint].child].get(), to_bullet(constant_push(scene, actuator))});
    }
  }
  ~BulletEngine() override {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& body : bodies_) {
      if (body) world_.removeRigidBody(body.get());
    }
  }

  void set_gravity(const Vector3& gravity) override { world_.setGravity(to_bullet(gravity)); }

  void advance() override {
    for (const Push& push : pushes_) push.body->applyCentralForce(push.force);
    world_.stepSimulation(step_, 0);
  }

  BodyMotion motion(int body) const override {
    const btRigidBody& own = *bodies_[body];
    return motion_of_center(model_.bodies[body], from_bullet(own.getCenterOfMassPosition()),
                            from_bullet(own.getOrientation()), from_bullet(own.getLinearVelocity()),
                            from_bullet(own.getAngularVelocity()));
  }

 private:
  struct Push {
    btRigidBody* body;
    btVector3 force;
  };

  void add_body(const PeerScene& scene, const BodyShape& shape) {
    const Body& body = model_.bodies[shape.body];
    if (bodies_[shape.body] || !shape.X_BS.p.isZero() || !shape.X_BS.R.isIdentity() || !body.com_B.isZero()) {
      throw std::invalid_argument("the Bullet peer knows bodies of one shape about the centre of mass only");
    }
    shapes_.push_back(make_bullet_shape(body, shape));
    btRigidBody::btRigidBodyConstructionInfo info(body.moves ? body.mass : 0, nullptr, shapes_.back().get(),
                                                  body.moves ? principal_moments(body) : btVector3(0, 0, 0));
    const BodyMotion& start = scene.bodies[shape.body];
    info.m_startWorldTransform = to_bullet(start.X_WB);
    info.m_friction = std::sqrt(scene.friction);  // where two bodies touch, the product counts
    info.m_restitution = 0;
    auto own = std::make_unique<btRigidBody>(info);
    if (body.moves) {
      own->setLinearVelocity(to_bullet(start.velocity.linear));
      own->setAngularVelocity(to_bullet(start.velocity.angular));
      own->setActivationState(DISABLE_DEACTIVATION);
    }
    world_.addRigidBody(own.get());
    bodies_[shape.body] = std::move(own);
  }

  void add_joint(const Joint& joint) {
    if (joint.type == JointType::free) return;
    const bool on_moving = joint.parent != world_index && model_.bodies[joint.parent].moves;
    if (joint.type != JointType::prismatic || on_moving) {
      throw std::invalid_argument("the Bullet peer knows prismatic joints to what does not move only");
    }
    require_bare(joint);
    // A slider moves along the x axis of its frame.
    const Matrix3 turn = Quaternion::FromTwoVectors(Vector3::UnitX(), joint.axis).toRotationMatrix();
    const Pose frame{joint.X_CJ.R * turn, joint.X_CJ.p};
    auto slider = std::make_unique<btSliderConstraint>(*bodies_[joint.child], to_bullet(frame), true);
    slider->setLowerLinLimit(1);  // lower above upper: free
    slider->setUpperLinLimit(-1);
    world_.addConstraint(slider.get());
    joints_.push_back(std::move(slider));
  }

  const Model& model_;
  double step_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;  // one per body of the model
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
  std::vector<Push> pushes_;
};

PeerSetting bullet_setting(const char* name, bool accurate) {
  return {"bullet", name, has_no_figure,
          [accurate](const PeerScene& scene) { return std::make_unique<BulletEngine>(scene, accurate); }};
}

}  // namespace

std::vector<PeerSetting> bullet_settings() {
  return {bullet_setting("impulses", false), bullet_setting("impulses-accurate", true)};
}

}  // namespace stiction::bench
