// dF/dz of the implicit island, in closed form, against central differences of F: every kind of body, joint, friction
// and layer, at the start's geometry (t = 0), between, and at the end's (t = 1).
#include "stiction/methods/implicit/implicit_island.h"

#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "support/one_step.h"
#include "support/scenarios.h"

namespace stiction::methods {
namespace {

using testing::body_of;
using testing::hinge;

// Long enough that the bodies turn and shift by a good part of their size: what is of second order in h shows.
constexpr double h = 0.05;

struct IslandCase {
  std::string name;
  ModelDescription model;
  bool layers = false;
  LayerModel layer_model = {};
  int least_unknowns = 0;  // so that a contact that is not found is noticed
};

// A method that compares derivatives instead of solving.
class Differentiator final : public IslandSolver {
 public:
  Differentiator(bool layers, const LayerModel& model, unsigned seed)
      : layers_(layers), layer_model_(model), random_(seed) {}

  contact::AssemblyOptions assembly_options() const override {
    return {.max_recovery_speed = 0, .layers = layers_, .deflection_slips = layer_model_.series};
  }
  void begin(const StepProblem& problem, const StepContext& context) override {
    context_.emplace(context);
    end_.kinematics = context_->kinematics;
    update_prescribed(context_->model, context_->state.time + problem.step, problem.step, end_.kinematics);
    for (size_t b = 0; b < context_->model.bodies.size(); ++b) {
      if (context_->model.bodies[b].kind == BodyKind::prescribed) {
        end_.kinematics.velocity[b] = context_->kinematics.velocity[b];
      }
    }
    end_.q = context_->state.q;
    end_.v = problem.v_free;
  }
  void keep(contact::ContactMemory&) override {}
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int, StepAnswer&) override {
    ImplicitIsland implicit;
    EXPECT_TRUE(implicit.form(problem, *context_, island, layer_model_, end_));
    unknowns = std::max(unknowns, implicit.rows().size());
    for (int trial = 0; trial < 3; ++trial) {
      for (const double t : {0.0, 0.4, 1.0}) compare(problem, implicit, t);
    }
    return {};
  }

  int unknowns = 0;
  int compared = 0;

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  // Velocities near the free ones, impulses that are large beside m v / 10, deflections within the layers' depth.
  std::vector<double> random_point(const StepProblem& problem, ImplicitIsland& implicit) {
    std::vector<double> z;
    VectorX v = problem.v_free, p = VectorX::Zero(problem.row_count);
    for (double& x : v) x += uniform(-0.4, 0.4);
    for (double& x : p) x = uniform(-1, 2);
    implicit.guess(v, p, z);
    const int layered = static_cast<int>(problem.layers.size()) * (layer_model_.algebraic ? 5 : 4);
    const int stride = layer_model_.algebraic ? 5 : 4;
    for (size_t i = z.size() - layered; i < z.size(); i += stride) {
      for (int k = 0; k < 3; ++k) z[i + k] = k == 0 ? uniform(2e-3, 8e-3) : uniform(-5e-3, 5e-3);
      z[i + 3] = uniform(-0.5, 0.5);
      if (stride == 5) z[i + 4] = uniform(1e-3, 6e-3);
    }
    return z;
  }

  void compare(const StepProblem& problem, ImplicitIsland& implicit, double t) {
    const std::vector<double> z = random_point(problem, implicit);
    const int n = static_cast<int>(z.size());
    VectorX F(n);
    if (!implicit.evaluate(z.data(), t, F.data())) return;  // counted by `compared`
    BlockMatrix blocks;
    implicit.differentiate(blocks);
    MatrixX J = MatrixX::Zero(n, n);
    for (const BlockMatrix::Block& block : blocks.blocks) {
      J.block(block.row, block.column, block.rows, block.columns) +=
          Eigen::Map<const RowMatrixX>(blocks.value.data() + block.at, block.rows, block.columns);
    }
    // Closest points are good to 1e-13 of a size of 0.3 m, rows hold them times impulses of one or over h: 1e-12 / eps
    // of noise; the third derivative of curved contacts, a few hundred here, times eps^2.
    const double eps = 3e-6;
    for (int k = 0; k < n; ++k) {
      std::vector<double> forth = z, back = z;
      const double step = eps * (k >= n - static_cast<int>(problem.layers.size()) * 5 ? 0.1 : 1.0);
      forth[k] += step;
      back[k] -= step;
      VectorX high(n), low(n);
      ASSERT_TRUE(implicit.evaluate(forth.data(), t, high.data()) && implicit.evaluate(back.data(), t, low.data()));
      const VectorX slope = (high - low) / (forth[k] - back[k]);
      const double scale = 1 + slope.cwiseAbs().maxCoeff();
      for (int i = 0; i < n; ++i) {
        ASSERT_NEAR(J(i, k), slope[i], 2e-6 * scale) << "row " << i << " column " << k << " of " << n << ", t = " << t;
      }
    }
    ++compared;
  }

  bool layers_;
  LayerModel layer_model_;
  std::mt19937 random_;
  std::optional<StepContext> context_;
  EndState end_;
};

BodyDescription tilted(BodyDescription body, const Vector3& rotation, const Vector3& v, const Vector3& w) {
  body.orientation = exp_rotation(rotation);
  body.linear_velocity = v;
  body.angular_velocity = w;
  return body;
}

// Every friction there is: elliptic along a direction of its own, spin and rolling.
ModelDescription rough_ground() {
  ModelDescription model = testing::on_ground();
  model.materials[0].friction = {0.6, 0.25};
  model.materials[0].torsional_friction = 0.05;
  model.materials[0].rolling_friction = 0.03;
  model.bodies[0].shapes[0].friction_direction = Vector3(1, 0.4, 0.3);
  return model;
}

const geometry::Ellipsoid ellipsoid{{0.3, 0.2, 0.15}};

// Just above the ground wherever its shape is turned.
double resting_height(const geometry::Shape& shape, const Vector3& rotation) {
  const Vector3 down = exp_rotation(rotation).toRotationMatrix().transpose() * Vector3(0, 0, -1);
  return geometry::support_height(shape, down);
}

BodyDescription on_the_ground(const std::string& name, const geometry::Shape& shape, const Vector3& rotation,
                              const Vector3& place = Vector3::Zero()) {
  const Vector3 position = place + Vector3(0, 0, resting_height(shape, rotation) + 1e-3);
  return tilted(body_of(name, 1.3, shape, position), rotation, {0.5, 0.2, -0.1}, {0.8, -1.1, 0.7});
}

IslandCase free_on_plane(const std::string& name, const geometry::Shape& shape, const Vector3& rotation, int least) {
  IslandCase setup{.name = name, .model = rough_ground(), .least_unknowns = least};
  setup.model.bodies.push_back(on_the_ground("body", shape, rotation));
  return setup;
}

IslandCase two_ellipsoids() {
  IslandCase setup{.name = "two_ellipsoids", .model = rough_ground(), .least_unknowns = 18};
  setup.model.bodies.push_back(
      tilted(body_of("low", 1, ellipsoid, {0, 0, 3}), {0.3, 0.2, 0.1}, {0.1, 0.3, 0.4}, {1, 0.5, -0.6}));
  setup.model.bodies.push_back(tilted(body_of("high", 2, geometry::Ellipsoid{{0.2, 0.25, 0.1}}, {0.05, 0.03, 3.285}),
                                      {0.2, -0.3, 0.5}, {-0.2, 0.1, -0.5}, {-0.7, 0.4, 0.9}));
  return setup;
}

IslandCase belts() {
  IslandCase setup = two_ellipsoids();
  setup.name = "belts";
  for (size_t b : {1, 2}) {
    setup.model.bodies[b].shapes[0].surface_velocity = b == 1 ? Vector3(0.6, -0.4, 0.2) : Vector3(-0.3, 0.5, 0.1);
    setup.model.bodies[b].shapes[0].friction_direction = Vector3(0.3, 1, 0.2);
    setup.model.bodies[b].shapes[0].X_BS.p = Vector3(0.02, -0.01, 0.01);
  }
  return setup;
}

IslandCase moving_plate() {
  IslandCase setup{.name = "moving_plate", .model = rough_ground(), .least_unknowns = 12};
  BodyDescription plate = body_of("plate", 1, geometry::Ellipsoid{{1, 0.8, 0.2}}, {0, 0, 1});
  plate.mass = std::nullopt;
  plate.motion = MotionDescription{};
  plate.motion->velocity = Vector3(0.4, -0.2, 0.3);
  plate.motion->angular_velocity = Vector3(0.5, 0.6, -0.8);
  plate.shapes[0].surface_velocity = Vector3(0.2, 0.7, 0);
  setup.model.bodies.push_back(plate);
  setup.model.bodies.push_back(
      tilted(body_of("body", 1, ellipsoid, {0.05, 0.1, 1.345}), {0.1, 0.1, 0.4}, {0, 0.3, 0.1}, {0.5, -0.9, 0.6}));
  return setup;
}

IslandCase rebounding() {
  IslandCase setup = free_on_plane("restitution", ellipsoid, {0.4, 0.3, 0.2}, 12);
  setup.model.materials[0].restitution = 0.5;
  setup.model.bodies[1].linear_velocity = Vector3(0.5, 0.2, -1.5);
  return setup;
}

IslandCase frictionless() {
  IslandCase setup = free_on_plane("frictionless", ellipsoid, {0.4, 0.3, 0.2}, 7);
  setup.model.materials[0] = {.name = "wood", .friction = {0, 0}};
  return setup;
}

JointDescription joint_of(JointType type, const std::string& name, const std::string& parent, const std::string& child,
                          const Vector3& position, int coordinates, const std::optional<Vector3>& axis2 = {}) {
  JointDescription joint = hinge(name, parent, child, position, Vector3(0.2, 1, 0.1));
  joint.type = type;
  joint.axis2 = axis2;
  joint.pitch = 0.8;
  joint.coordinates.resize(coordinates);
  return joint;
}

// A chain of three bodies on `type`, a slide and `last`, the tip an ellipsoid that touches the ground.
IslandCase arm(const std::string& name, JointType first, int first_n, JointType last, int last_n) {
  IslandCase setup{.name = name, .model = rough_ground(), .least_unknowns = first_n + 1 + last_n + 6};
  setup.model.bodies.push_back(tilted(body_of("upper", 1, geometry::Sphere{0.05}, {0.3, 0.1, 0.6}), {0.1, 0.5, 0.2},
                                      Vector3::Zero(), Vector3::Zero()));
  setup.model.bodies.push_back(body_of("middle", 1.5, geometry::Sphere{0.05}, {0.5, 0, 0.5}));
  BodyDescription tip = on_the_ground("tip", ellipsoid, {0.4, 0.3, 0.2}, {0.8, 0.1, 0});
  setup.model.bodies.push_back(tip);
  for (BodyDescription& body : setup.model.bodies) body.linear_velocity = body.angular_velocity = std::nullopt;
  const auto second_axis = [](JointType type) -> std::optional<Vector3> {
    if (type == JointType::universal || type == JointType::planar) return Vector3(1, -0.2, 0);
    return std::nullopt;
  };
  setup.model.joints = {joint_of(first, "first", "world", "upper", {0.1, 0, 0.7}, first_n, second_axis(first)),
                        joint_of(JointType::prismatic, "slide", "upper", "middle", {0.1, 0, 0}, 1),
                        joint_of(last, "last", "middle", "tip", {0.15, 0, -0.2}, last_n, second_axis(last))};
  for (JointDescription& joint : setup.model.joints) {
    for (size_t k = 0; k < joint.coordinates.size(); ++k) joint.initial_velocity.push_back(0.4 + 0.3 * k);
    joint.coordinates[0].friction = 0.3;
  }
  setup.model.joints[1].coordinates[0].limits = {-0.5, 1e-3};
  return setup;
}

// Two branches of one tree touch each other: both sides of the contact move with the same velocities.
IslandCase self_contact() {
  IslandCase setup{.name = "self_contact", .model = rough_ground(), .least_unknowns = 13};
  setup.model.bodies.push_back(
      tilted(body_of("trunk", 2, geometry::Sphere{0.05}, {0, 0, 2}), {0, 0.2, 0}, {0.2, 0.1, 0.3}, {0.4, -0.5, 0.6}));
  setup.model.bodies.push_back(body_of("left", 1, ellipsoid, {-0.3005, 0, 2.3}));
  setup.model.bodies.push_back(body_of("right", 1, ellipsoid, {0.3005, 0.02, 2.3}));
  setup.model.joints = {joint_of(JointType::revolute, "left_hinge", "trunk", "left", {-0.1, 0, 0}, 1),
                        joint_of(JointType::spherical, "right_ball", "trunk", "right", {0.1, 0, 0}, 3)};
  setup.model.joints[0].initial_velocity = {0.7};
  setup.model.joints[1].initial_velocity = {0.3, -0.8, 0.2};
  return setup;
}

// A loop joint adds equations.
IslandCase closed_loop() {
  IslandCase setup = two_ellipsoids();
  setup.name = "loop_joint";
  JointDescription joint = hinge("rod", "world", "high", {0.3, 0.1, 3.4});
  joint.loop = true;
  setup.model.joints.push_back(joint);
  setup.least_unknowns = 23;
  return setup;
}

CompliantLayer spring(double k) {
  CompliantLayer layer;
  layer.stiffness << k, 0.1 * k, 0.05 * k, 0.1 * k, 0.4 * k, 0.02 * k, 0.05 * k, 0.02 * k, 0.3 * k;
  layer.damping << 5, 1, 0.5, 1, 4, 0.3, 0.5, 0.3, 3;
  layer.thickness = 0.05;
  return layer;
}

CompliantLayer power_law(CompliantLayer::Law law) {
  CompliantLayer layer = spring(800);
  layer.law = law;
  for (Matrix3* m : {&layer.stiffness, &layer.damping}) m->row(0).tail<2>().setZero(), m->col(0).tail<2>().setZero();
  if (law == CompliantLayer::Law::hertz) layer.damping(0, 0) = 0;
  layer.thickness = infinity;
  return layer;
}

IslandCase layered(const std::string& name, const CompliantLayer& layer, bool both, const LayerModel& model) {
  IslandCase setup = both ? two_ellipsoids() : free_on_plane("", ellipsoid, {0.4, 0.3, 0.2}, 0);
  setup.name = name;
  setup.layers = true;
  setup.layer_model = model;
  setup.least_unknowns = (both ? 18 : 12) + (both ? 2 : 1) * (model.algebraic ? 5 : 4);
  Material soft = setup.model.materials[0];
  soft.name = "soft";
  soft.layer = layer;
  setup.model.materials.push_back(soft);
  for (size_t b = 1; b < setup.model.bodies.size(); ++b) setup.model.bodies[b].shapes[0].material = "soft";
  return setup;
}

std::vector<IslandCase> cases() {
  using Law = CompliantLayer::Law;
  const Vector3 turned(0.4, 0.3, 0.2);
  std::vector<IslandCase> all = {
      free_on_plane("ellipsoid_on_plane", ellipsoid, turned, 12),
      free_on_plane("superellipsoid_on_plane", geometry::Superellipsoid{{0.3, 0.2, 0.15}, 3, 2.5}, turned, 12),
      free_on_plane("lying_capsule", geometry::Capsule{0.1, 0.2}, {1.57079632679489662, 0, 0}, 18),
      free_on_plane("lying_cylinder", geometry::Cylinder{0.1, 0.2}, {1.57079632679489662, 0, 0}, 18),
      free_on_plane("tilted_cylinder", geometry::Cylinder{0.1, 0.2}, {0.5, 0.2, 0}, 12),
      free_on_plane("cone", geometry::Cone{0.1, 0.2}, {0.5, 0.2, 0}, 12),
      free_on_plane("rounded_box", geometry::RoundedBox{{0.2, 0.15, 0.1}, 0.04}, {0.3, 0.2, 0}, 12),
      free_on_plane("box", geometry::Box{{0.2, 0.15, 0.1}}, {0, 0, 0.2}, 30),
      two_ellipsoids(),
      belts(),
      moving_plate(),
      rebounding(),
      frictionless(),
      arm("arm_revolute_spherical", JointType::revolute, 1, JointType::spherical, 3),
      arm("arm_universal_revolute", JointType::universal, 2, JointType::revolute, 1),
      arm("arm_planar_universal", JointType::planar, 3, JointType::universal, 2),
      arm("arm_spherical_planar", JointType::spherical, 3, JointType::planar, 3),
      arm("arm_cylindrical_cylindrical", JointType::cylindrical, 2, JointType::cylindrical, 2),
      arm("arm_screw_screw", JointType::screw, 1, JointType::screw, 1),
      self_contact(),
      closed_loop()};
  for (const bool both : {false, true}) {
    for (const bool series : {false, true}) {
      for (const bool algebraic : {false, true}) {
        const std::string name = std::string(both ? "both_" : "one_") + (series ? "series_" : "passive_") +
                                 (algebraic ? "algebraic" : "euclidean");
        all.push_back(layered(name, spring(1000), both, {.series = series, .algebraic = algebraic}));
      }
    }
    all.push_back(layered(both ? "both_hertz" : "one_hertz", power_law(Law::hertz), both, {}));
    all.push_back(layered(both ? "both_hunt_crossley" : "one_hunt_crossley", power_law(Law::hunt_crossley), both,
                          {.series = true}));
  }
  return all;
}

class ImplicitIslandDerivative : public ::testing::TestWithParam<IslandCase> {};

TEST_P(ImplicitIslandDerivative, IsThatOfTheFunction) {
  const IslandCase& setup = GetParam();
  const Result<BuiltModel> built = build_model(setup.model);
  ASSERT_TRUE(built.has_value()) << built.error().message();
  Differentiator method(setup.layers, setup.layer_model, 11);
  State state = built->state;
  StepRecord record;
  stiction::testing::advance_once(built->model, method, h, state, record);
  EXPECT_GE(method.unknowns, setup.least_unknowns);
  EXPECT_GE(method.compared, 8);  // of 9; no shape but a few random poses may be beyond the closest points
}

std::string case_name(const ::testing::TestParamInfo<IslandCase>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Cases, ImplicitIslandDerivative, ::testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace stiction::methods
