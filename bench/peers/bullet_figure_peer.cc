// Bullet's multibody with contacts: one floating tree in reduced coordinates, by Featherstone's algorithm, with rows
// for contacts, limits and what joints do.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointLimitConstraint.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointMotor.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include <Eigen/Eigenvalues>

#include "bullet_shapes.h"
#include "peer.h"

namespace stiction::bench {

namespace {

constexpr double no_limit = 1e30;  // of impulses

// A constraint that is solved with its tree. Bullet's own belong to the island of their link's collider, and are left
// out where the link has none.
template <class Constraint>
class OfTree : public Constraint {
 public:
  using Constraint::Constraint;
  int getIslandIdA() const override { return this->m_bodyA->getBaseCollider()->getIslandTag(); }
  int getIslandIdB() const override { return getIslandIdA(); }
};

// A motor that gives way: springs, damping and armature of a joint, which Bullet's multibody has not.
class SoftMotor final : public OfTree<btMultiBodyJointMotor> {
 public:
  SoftMotor(btMultiBody& tree, int link, const JointCoordinate& own) : OfTree(&tree, link, 0, no_limit), own_(own) {}

  void drive(double h) {
    const SoftRow row = soft_row(own_, m_bodyA->getJointPos(m_linkA), m_bodyA->getJointVel(m_linkA), h);
    setVelocityTarget(row.target);
    softness_ = 1 / (h * row.resistance);
  }

  // Bullet sweeps rows as impulse = (target - velocity - softness impulse) / (mobility + softness).
  void createConstraintRows(btMultiBodyConstraintArray& rows, btMultiBodyJacobianData& data,
                            const btContactSolverInfo& info) override {
    const int first = rows.size();
    btMultiBodyJointMotor::createConstraintRows(rows, data, info);
    for (int i = first; i < rows.size(); ++i) {
      btMultiBodySolverConstraint& row = rows[i];
      const double mass = 1 / (1 / row.m_jacDiagABInv + softness_);
      row.m_rhs *= mass / row.m_jacDiagABInv;
      row.m_cfm = softness_ * mass;
      row.m_jacDiagABInv = mass;
    }
  }

 private:
  JointCoordinate own_;
  double softness_ = 0;  // 1 / (kg m^2)
};

// Bodies that share a joint do not collide. A collider's user index is that of its body's first shape.
class CollisionFilter final : public btOverlapFilterCallback {
 public:
  explicit CollisionFilter(const Model& model) : model_(model) {}
  bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
    const auto shape = [](btBroadphaseProxy* proxy) {
      return static_cast<btCollisionObject*>(proxy->m_clientObject)->getUserIndex();
    };
    return model_.may_collide(shape(a), shape(b));
  }

 private:
  const Model& model_;
};

// Axes of a body in which its inertia is diagonal, as Bullet wants the frame of a link.
Matrix3 principal_axes(const Body& body) {
  const Matrix3& I = body.inertia_B;
  if ((I - Matrix3(I.diagonal().asDiagonal())).norm() <= 1e-12 * I.norm()) return Matrix3::Identity();
  Matrix3 axes = Eigen::SelfAdjointEigenSolver<Matrix3>(I).eigenvectors();
  if (axes.determinant() < 0) axes.col(0) = -axes.col(0);
  return axes;
}

btQuaternion turn_to_bullet(const Matrix3& R) {
  return to_bullet(Quaternion(R));
}

class BulletFigure final : public PeerEngine {
 public:
  BulletFigure(const PeerScene& scene, bool accurate)
      : model_(scene.model),
        scene_(scene),
        step_(scene.step),
        dispatcher_(&configuration_),
        filter_(scene.model),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_) {
    if (accurate) {
      world_.getSolverInfo().m_numIterations = 100;
      world_.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    }
    broad_phase_.getOverlappingPairCache()->setOverlapFilterCallback(&filter_);
    add_tree();
    for (int b = 0; b < static_cast<int>(model_.bodies.size()); ++b) add_colliders(b);
    if (tree_->getBaseCollider() == nullptr) {
      throw std::invalid_argument("the Bullet multibody peer knows trees only whose root collides");
    }
    for (const auto& constraint : constraints_) world_.addMultiBodyConstraint(constraint.get());
    refresh();
  }
  ~BulletFigure() override {
    for (const auto& constraint : constraints_) world_.removeMultiBodyConstraint(constraint.get());
    for (const auto& collider : colliders_) world_.removeCollisionObject(collider.get());
    world_.removeMultiBody(tree_.get());
  }

  void set_gravity(const Vector3& gravity) override { world_.setGravity(to_bullet(gravity)); }
  void advance() override {
    for (SoftMotor* motor : motors_) motor->drive(step_);
    world_.stepSimulation(step_, 0);
  }

  // The base comes first.
  void refresh() override {
    const auto count = static_cast<size_t>(tree_->getNumLinks()) + 1;
    spins_.resize(count);
    velocities_.resize(count);
    tree_->forwardKinematics(rotations_, origins_);
    tree_->compTreeLinkVelocities(spins_.data(), velocities_.data());
  }

  BodyMotion motion(int body) const override {
    const int link = links_[body];
    const auto entry = static_cast<size_t>(link) + 1;
    const btTransform pose =
        link < 0 ? tree_->getBaseWorldTransform() : btTransform(tree_->getLink(link).m_cachedWorldTransform);
    const auto to_world = [&](const btVector3& v) { return from_bullet(quatRotate(pose.getRotation(), v)); };
    const Quaternion turned = from_bullet(pose.getRotation()) * Quaternion(axes_[body]).conjugate();
    return motion_of_center(model_.bodies[body], from_bullet(pose.getOrigin()), turned, to_world(velocities_[entry]),
                            to_world(spins_[entry]));
  }

 private:
  // Where a body's link is in the world at the start: its centre of mass, with principal axes.
  Pose link_pose(int body) const {
    const Pose& X_WB = scene_.bodies[body].X_WB;
    return {X_WB.R * axes_[body], X_WB * model_.bodies[body].com_B};
  }

  btVector3 moments(int body) const {
    return to_bullet(Vector3((axes_[body].transpose() * model_.bodies[body].inertia_B * axes_[body]).diagonal()));
  }

  void add_tree() {
    if (model_.trees.size() != 1 || model_.tree_joints[0].type != JointType::free || !model_.actuators.empty()) {
      throw std::invalid_argument("the Bullet multibody peer knows one floating tree without actuators only");
    }
    for (const Body& body : model_.bodies) axes_.push_back(principal_axes(body));
    links_.resize(model_.bodies.size(), -1);
    int count = 0;
    for (const Joint& joint : model_.tree_joints) count += joint.type == JointType::free ? 0 : joint.v_size;
    const int root = model_.tree_joints[0].child;
    tree_ = std::make_unique<btMultiBody>(count, model_.bodies[root].mass, moments(root), false, false);
    for (size_t j = 1; j < model_.tree_joints.size(); ++j) add_joint(model_.tree_joints[j]);
    tree_->finalizeMultiDof();
    tree_->setLinearDamping(0);
    tree_->setAngularDamping(0);
    tree_->setHasSelfCollision(true);
    const Pose X_WL = link_pose(root);
    tree_->setBasePos(to_bullet(X_WL.p));
    tree_->setWorldToBaseRot(turn_to_bullet(X_WL.R.transpose()));
    tree_->setBaseVel(to_bullet(scene_.bodies[root].velocity.linear));
    tree_->setBaseOmega(to_bullet(scene_.bodies[root].velocity.angular));
    for (const Joint& joint : model_.tree_joints) {
      const int last = links_[joint.child];
      for (int i = 0; last >= 0 && i < joint.v_size; ++i) {
        tree_->setJointVel(last - joint.v_size + 1 + i, scene_.state.v[joint.v_offset + i]);
      }
    }
    world_.addMultiBody(tree_.get());
    tree_->forwardKinematics(rotations_, origins_);
  }

  // The first turn of a universal joint carries a link without mass.
  void add_joint(const Joint& joint) {
    const bool universal = joint.type == JointType::universal;
    if (!universal && joint.type != JointType::revolute) {
      throw std::invalid_argument("the Bullet multibody peer knows revolute and universal joints only");
    }
    const Pose parent = link_pose(joint.parent), own = link_pose(joint.child);
    const Pose frame = scene_.bodies[joint.parent].X_WB * joint.X_PJ;
    const Pose between{own.R, frame.p};
    if (universal) {
      add_link(joint, 0, 0, btVector3(0, 0, 0), links_[joint.parent], parent, between, frame);
      add_link(joint, 1, model_.bodies[joint.child].mass, moments(joint.child), next_link_ - 1, between, own, frame);
    } else {
      add_link(joint, 0, model_.bodies[joint.child].mass, moments(joint.child), links_[joint.parent], parent, own,
               frame);
    }
    links_[joint.child] = next_link_ - 1;
  }

  void add_link(const Joint& joint, int i, double mass, const btVector3& moments, int parent, const Pose& X_WP,
                const Pose& X_WL, const Pose& frame) {
    const JointCoordinate& own = joint.coordinates[i];
    if (scene_.state.q[joint.q_offset + i] != 0 || own.friction != 0) {
      throw std::invalid_argument("the Bullet multibody peer knows joints that start at zero, without dry friction");
    }
    const Vector3 axis = frame.R * (i == 0 ? joint.axis : joint.axis2);
    const int link = next_link_++;
    tree_->setupRevolute(link, mass, moments, parent, turn_to_bullet(X_WL.R.transpose() * X_WP.R),
                         to_bullet(Vector3(X_WL.R.transpose() * axis)),
                         to_bullet(Vector3(X_WP.R.transpose() * (frame.p - X_WP.p))),
                         to_bullet(Vector3(X_WL.R.transpose() * (X_WL.p - frame.p))), true);
    const auto& [low, high] = own.limits;
    if (std::isfinite(low) != std::isfinite(high)) {
      throw std::invalid_argument("the Bullet multibody peer knows limits on both sides only");
    }
    if (std::isfinite(low)) {
      constraints_.push_back(std::make_unique<OfTree<btMultiBodyJointLimitConstraint>>(tree_.get(), link, low, high));
    }
    if (has_soft_row(own)) {
      auto motor = std::make_unique<SoftMotor>(*tree_, link, own);
      motors_.push_back(motor.get());
      constraints_.push_back(std::move(motor));
    }
  }

  // One collider for all shapes of a body.
  void add_colliders(int body) {
    auto whole = std::make_unique<btCompoundShape>();
    int first = -1;
    for (int s = 0; s < static_cast<int>(model_.shapes.size()); ++s) {
      const BodyShape& shape = model_.shapes[s];
      if (shape.body != body || !shape.collide) continue;
      shapes_.push_back(make_bullet_shape(model_.bodies[body], shape));
      first = first < 0 ? s : first;
      if (!model_.bodies[body].moves) {
        add_fixed(body, s);
        continue;
      }
      const Pose X_LB{axes_[body].transpose(), -(axes_[body].transpose() * model_.bodies[body].com_B)};
      whole->addChildShape(to_bullet(X_LB * shape.X_BS), shapes_.back().get());
    }
    if (first < 0 || !model_.bodies[body].moves) return;
    const int link = links_[body];
    auto collider = std::make_unique<btMultiBodyLinkCollider>(tree_.get(), link);
    collider->setCollisionShape(whole.get());
    collider->setWorldTransform(to_bullet(link_pose(body)));
    shapes_.push_back(std::move(whole));
    if (link < 0) {
      tree_->setBaseCollider(collider.get());
    } else {
      tree_->getLink(link).m_collider = collider.get();
    }
    add_collider(std::move(collider), first);
  }

  void add_fixed(int body, int shape) {
    auto collider = std::make_unique<btRigidBody>(0, nullptr, shapes_.back().get());
    collider->setWorldTransform(to_bullet(scene_.bodies[body].X_WB * model_.shapes[shape].X_BS));
    add_collider(std::move(collider), shape);
  }

  void add_collider(std::unique_ptr<btCollisionObject> collider, int shape) {
    collider->setFriction(std::sqrt(scene_.friction));  // where two bodies touch, the product counts
    collider->setRestitution(0);
    collider->setUserIndex(shape);
    world_.addCollisionObject(collider.get());
    colliders_.push_back(std::move(collider));
  }

  const Model& model_;
  PeerScene scene_;
  double step_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  CollisionFilter filter_;
  btDbvtBroadphase broad_phase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_;
  std::vector<Matrix3> axes_;  // of links in their bodies' frames
  std::vector<int> links_;     // of bodies; -1: the base
  int next_link_ = 0;
  std::unique_ptr<btMultiBody> tree_;
  std::vector<std::unique_ptr<btMultiBodyConstraint>> constraints_;
  std::vector<SoftMotor*> motors_;  // among the constraints
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btCollisionObject>> colliders_;
  std::vector<btVector3> spins_, velocities_;
  btAlignedObjectArray<btQuaternion> rotations_;
  btAlignedObjectArray<btVector3> origins_;
};

PeerSetting figure_setting(const char* name, bool accurate) {
  return {"bullet", name, has_figure,
          [accurate](const PeerScene& scene) { return std::make_unique<BulletFigure>(scene, accurate); }};
}

}  // namespace

std::vector<PeerSetting> bullet_figure_settings() {
  return {figure_setting("multibody", false), figure_setting("multibody-accurate", true)};
}

}  // namespace stiction::bench
