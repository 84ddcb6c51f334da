#include "ode_peer.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include <ode/ode.h>

namespace stiction::bench {

namespace {

constexpr int most_points = 8;  // per pair, as in our own detection
constexpr int iterations = 20;

}  // namespace

struct OdeWorld::World {
  explicit World(double h) : step(h) {
    dInitODE2(0);
    world = dWorldCreate();
    space = dHashSpaceCreate(nullptr);
    contacts = dJointGroupCreate(0);
    dWorldSetQuickStepNumIterations(world, iterations);
  }
  ~World() {
    dJointGroupDestroy(contacts);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void add_body(const Body& body) {
    bodies.push_back(nullptr);
    if (!body.moves) return;
    const dBodyID id = dBodyCreate(world);
    dMass mass;
    const Matrix3& I = body.inertia_B;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
    dBodySetMass(id, &mass);
    const Vector3 com = body.X_WB0.p + body.X_WB0.R * body.com_B;
    const Quaternion q(body.X_WB0.R);
    const dQuaternion turned = {q.w(), q.x(), q.y(), q.z()};
    dBodySetPosition(id, com.x(), com.y(), com.z());
    dBodySetQuaternion(id, turned);
    bodies.back() = id;
  }

  void add_shape(const Model& model, const BodyShape& shape) {
    const Body& body = model.bodies[shape.body];
    const dGeomID geom = make(body, shape);
    if (bodies[shape.body] != nullptr) dGeomSetBody(geom, bodies[shape.body]);
    friction = model.materials[shape.material].friction[0];
  }

  dGeomID make(const Body& body, const BodyShape& shape) {
    if (const auto* sphere = std::get_if<geometry::Sphere>(&shape.shape)) return dCreateSphere(space, sphere->radius);
    if (const auto* box = std::get_if<geometry::Box>(&shape.shape)) {
      const Vector3 size = 2 * box->half_size;
      return dCreateBox(space, size.x(), size.y(), size.z());
    }
    if (const auto* plane = std::get_if<geometry::Plane>(&shape.shape)) {
      const Vector3 n = body.X_WB0.R * shape.X_BS.R * plane->normal;
      const Vector3 at = body.X_WB0.p + body.X_WB0.R * shape.X_BS.p;
      return dCreatePlane(space, n.x(), n.y(), n.z(), n.dot(at));
    }
    throw std::invalid_argument("the ODE peer knows spheres, boxes and planes only");
  }

  static void collide(void* data, dGeomID a, dGeomID b) {
    World& self = *static_cast<World*>(data);
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == nullptr && body_b == nullptr) return;
    std::array<dContact, most_points> points = {};
    const int count = dCollide(a, b, most_points, &points[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      points[i].surface.mode = dContactApprox1;
      points[i].surface.mu = self.friction;
      self.deepest = std::max(self.deepest, static_cast<double>(points[i].geom.depth));
      dJointAttach(dJointCreateContact(self.world, self.contacts, &points[i]), body_a, body_b);
    }
  }

  double step, friction = 0, deepest = 0;
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  std::vector<dBodyID> bodies;
};

bool has_ode() {
  return true;
}

OdeWorld::OdeWorld(const Model& model, double step) : world_(std::make_unique<World>(step)) {
  if (model.tree_joints.size() + model.loop_joints.size() > model.bodies.size()) {
    throw std::invalid_argument("the ODE peer knows no joints");
  }
  dWorldSetGravity(world_->world, model.gravity.x(), model.gravity.y(), model.gravity.z());
  for (const Body& body : model.bodies) world_->add_body(body);
  for (const BodyShape& shape : model.shapes) world_->add_shape(model, shape);
}

OdeWorld::~OdeWorld() = default;

void OdeWorld::advance() {
  world_->deepest = 0;
  dSpaceCollide(world_->space, world_.get(), &World::collide);
  dWorldQuickStep(world_->world, world_->step);
  dJointGroupEmpty(world_->contacts);
}

double OdeWorld::deepest() const {
  return world_->deepest;
}

}  // namespace stiction::bench
