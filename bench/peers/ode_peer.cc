// ODE (libode): contact joints, solved by sweeps (quickstep) or by a dense LCP (worldstep).
#include <array>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <ode/ode.h>

#include "ode_joints.h"
#include "peer.h"

namespace stiction::bench {

namespace {

constexpr int most_points = 8;  // per pair, as in our own detection

long messages = 0;  // that ODE had to tell, of singular problems for the most part

// What sets one way apart from another; the defaults are ODE's.
struct OdeWay {
  bool sweeps = true;
  int iterations = 20;
  double layer = 0;  // m: overlap that is left alone
  double cfm = 1e-10;
};

class OdeEngine final : public PeerEngine {
 public:
  OdeEngine(const PeerScene& scene, const OdeWay& way) : model_(scene.model), way_(way), step_(scene.step) {
    dInitODE2(0);
    dSetMessageHandler([](int, const char*, va_list) { ++messages; });
    dRandSetSeed(0);  // quickstep shuffles its rows: the same way in every run
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    friction_ = scene.friction;
    dWorldSetQuickStepNumIterations(world_, way.iterations);
    dWorldSetContactSurfaceLayer(world_, way.layer);
    dWorldSetCFM(world_, way.cfm);
    for (size_t b = 0; b < model_.bodies.size(); ++b) add_body(model_.bodies[b], scene.bodies[b]);
    for (const BodyShape& shape : model_.shapes) {
      if (shape.collide) add_shape(shape);
    }
    for (const Joint& joint : model_.tree_joints) joints_.add(scene, joint, bodies_, world_);
    for (const Actuator& actuator : model_.actuators) {
      pushes_.push_back({bodies_[model_.tree_joints[actuator.joint].child], constant_push(scene, actuator)});
    }
    messages = 0;  // before, there are some about universal joints of which one axis is set
  }
  ~OdeEngine() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }

  void set_gravity(const Vector3& gravity) override { dWorldSetGravity(world_, gravity.x(), gravity.y(), gravity.z()); }

  void advance() override {
    for (const Push& push : pushes_) dBodyAddForce(push.body, push.force.x(), push.force.y(), push.force.z());
    joints_.drive(step_);
    dSpaceCollide(space_, this, &OdeEngine::collide);
    if (way_.sweeps) {
      dWorldQuickStep(world_, step_);
    } else {
      dWorldStep(world_, step_);
    }
    dJointGroupEmpty(contacts_);
  }

  std::string complaints() const override {
    return messages == 0 ? "" : fmt::format("{} of ODE's LCP", counted(messages, "internal error"));
  }

  BodyMotion motion(int body) const override {
    const dBodyID id = bodies_[body];
    const dReal *p = dBodyGetPosition(id), *q = dBodyGetQuaternion(id);
    const dReal *v = dBodyGetLinearVel(id), *w = dBodyGetAngularVel(id);
    return motion_of_center(model_.bodies[body], {p[0], p[1], p[2]}, Quaternion(q[0], q[1], q[2], q[3]),
                            {v[0], v[1], v[2]}, {w[0], w[1], w[2]});
  }

 private:
  struct Push {
    dBodyID body;
    Vector3 force;
  };

  void add_body(const Body& body, const BodyMotion& start) {
    bodies_.push_back(nullptr);
    if (!body.moves) return;
    const dBodyID id = dBodyCreate(world_);
    dMass mass;
    const Matrix3& I = body.inertia_B;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
    dBodySetMass(id, &mass);
    const Vector3 center = start.X_WB * body.com_B;
    const Quaternion q(start.X_WB.R);
    const dQuaternion turned = {q.w(), q.x(), q.y(), q.z()};
    dBodySetPosition(id, center.x(), center.y(), center.z());
    dBodySetQuaternion(id, turned);
    const Vector3 &v = start.velocity.linear, &w = start.velocity.angular;
    dBodySetLinearVel(id, v.x(), v.y(), v.z());
    dBodySetAngularVel(id, w.x(), w.y(), w.z());
    bodies_.back() = id;
  }

  void add_shape(const BodyShape& shape) {
    const Body& body = model_.bodies[shape.body];
    const dGeomID geom = make_geom(body, shape);
    dGeomSetData(geom, const_cast<BodyShape*>(&shape));
    if (bodies_[shape.body] == nullptr) {
      if (!std::holds_alternative<geometry::Plane>(shape.shape)) {
        throw std::invalid_argument("the ODE peer knows fixed planes only");
      }
      return;
    }
    dGeomSetBody(geom, bodies_[shape.body]);
    const Vector3 at = shape.X_BS.p - body.com_B;
    const Quaternion q(shape.X_BS.R);
    const dQuaternion turned = {q.w(), q.x(), q.y(), q.z()};
    if (!at.isZero()) dGeomSetOffsetPosition(geom, at.x(), at.y(), at.z());
    if (!shape.X_BS.R.isIdentity()) dGeomSetOffsetQuaternion(geom, turned);
  }

  dGeomID make_geom(const Body& body, const BodyShape& shape) {
    if (const auto* sphere = std::get_if<geometry::Sphere>(&shape.shape)) return dCreateSphere(space_, sphere->radius);
    if (const auto* box = std::get_if<geometry::Box>(&shape.shape)) {
      const Vector3 size = 2 * box->half_size;
      return dCreateBox(space_, size.x(), size.y(), size.z());
    }
    if (const auto* plane = std::get_if<geometry::Plane>(&shape.shape)) {
      const Vector3 n = body.X_WB0.R * shape.X_BS.R * plane->normal;
      const Vector3 at = body.X_WB0.p + body.X_WB0.R * shape.X_BS.p;
      return dCreatePlane(space_, n.x(), n.y(), n.z(), n.dot(at));
    }
    if (const auto* capsule = std::get_if<geometry::Capsule>(&shape.shape)) {
      return dCreateCapsule(space_, capsule->radius, 2 * capsule->half_length);
    }
    throw std::invalid_argument("the ODE peer knows spheres, boxes, capsules and planes only");
  }

  int shape_of(dGeomID geom) const {
    return static_cast<int>(static_cast<const BodyShape*>(dGeomGetData(geom)) - model_.shapes.data());
  }

  static void collide(void* data, dGeomID a, dGeomID b) {
    OdeEngine& self = *static_cast<OdeEngine*>(data);
    if (!self.model_.may_collide(self.shape_of(a), self.shape_of(b))) return;
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    std::array<dContact, most_points> points = {};
    const int count = dCollide(a, b, most_points, &points[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      points[i].surface.mode = dContactApprox1;
      points[i].surface.mu = self.friction_;
      dJointAttach(dJointCreateContact(self.world_, self.contacts_, &points[i]), body_a, body_b);
    }
  }

  const Model& model_;
  OdeWay way_;
  double step_, friction_ = 0;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contacts_ = nullptr;
  std::vector<dBodyID> bodies_;
  OdeJoints joints_;
  std::vector<Push> pushes_;
};

PeerSetting ode_setting(const char* name, const OdeWay& way, std::function<bool(const BenchmarkScene&)> takes) {
  return {"ode", name, std::move(takes),
          [way](const PeerScene& scene) { return std::make_unique<OdeEngine>(scene, way); }};
}

}  // namespace

std::vector<PeerSetting> ode_settings() {
  const auto any = [](const BenchmarkScene&) { return true; };
  // The dense LCP grows with the cube of its contacts: a step of a pile of 1000 would take minutes.
  const auto small = [](const BenchmarkScene& scene) { return scene.bodies <= 100; };
  return {ode_setting("quickstep", {}, any), ode_setting("quickstep-accurate", {.iterations = 200, .layer = 1e-4}, any),
          ode_setting("worldstep", {.sweeps = false}, small),
          ode_setting("worldstep-accurate", {.sweeps = false, .layer = 1e-4, .cfm = 1e-6}, small)};
}

}  // namespace stiction::bench
