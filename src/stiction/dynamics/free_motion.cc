#include "stiction/dynamics/free_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include "stiction/dynamics/free_body.h"
#include "stiction/dynamics/joint_rows.h"
#include "stiction/math/rotation.h"
#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

constexpr int max_iterations = 10;
constexpr double fixed_point_tolerance = 1e-14;

// A spring, a damper and a constant force on one coordinate, at the start of the step.
struct CoordinateLoad {
  double force = 0;      // at the start's coordinate and velocity
  double stiffness = 0;  // decrease of the force per unit of coordinate
  double damping = 0;    // and per unit of velocity
};

CoordinateLoad actuator_load(const Actuator& a, double q, double v) {
  return {a.force + a.stiffness * (a.target - q) + a.damping * (a.target_velocity - v), a.stiffness, a.damping};
}

// Springs act on the coordinates of joint_coordinates; for a rotation vector phi with rate P w the force is -P^T k (phi
// - rest), so that the spring has an energy.
void add_spring_forces(const Joint& joint, const double* values, double* forces) {
  std::array<double, 6> pull = {};
  for (int i = 0; i < joint.v_size; ++i)
    pull[i] = -joint.coordinates[i].stiffness * (values[i] - joint.coordinates[i].rest);
  if (const JointTraits& traits = joint_traits(joint.type); traits.quaternion) {
    const int first = traits.vector_size;
    const Vector3 phi = Eigen::Map<const Vector3>(values + first);
    Eigen::Map<Vector3> turn(pull.data() + first);
    if (!turn.isZero(0)) turn = (rotation_vector_rate(phi).transpose() * turn).eval();
  }
  for (int i = 0; i < joint.v_size; ++i) forces[i] += pull[i];
}

// What a joint adds implicitly at its coordinate i: (h d + h^2 k) on the diagonal, -h k v on the load.
void add_implicit(int i, const CoordinateLoad& load, double v, double h, FreeMotion& result) {
  result.implicit_diagonal[i] += h * load.damping + h * h * load.stiffness;
  result.load[i] += load.force - h * load.stiffness * v;
}

void add_joint_springs(const Joint& joint, const State& state, double h, FreeMotion& result) {
  bool any = false;
  for (const JointCoordinate& c : joint.coordinates) any = any || c.stiffness > 0 || c.damping > 0;
  if (!any) return;
  std::array<double, 6> values = {}, forces = {};
  joint_coordinates(joint, state.q.data() + joint.q_offset, values.data());
  add_spring_forces(joint, values.data(), forces.data());
  for (int i = 0; i < joint.v_size; ++i) {
    const JointCoordinate& c = joint.coordinates[i];
    const double v = state.v[joint.v_offset + i];
    add_implicit(joint.v_offset + i, {forces[i] - c.damping * v, c.stiffness, c.damping}, v, h, result);
  }
}

double actuated_coordinate(const Joint& joint, const State& state, int coordinate) {
  std::array<double, 6> values = {};
  joint_coordinates(joint, state.q.data() + joint.q_offset, values.data());
  return values[coordinate];
}

void add_tree_actuator(const Model& model, size_t index, const State& state, double h, FreeMotion& result) {
  const Actuator& a = model.actuators[index];
  const Joint& joint = model.tree_joints[a.joint];
  const int i = joint.v_offset + a.coordinate;
  if (result.saturated[index] != 0) {
    result.load[i] += result.saturated[index] * a.max_force;
    return;
  }
  const double q = actuated_coordinate(joint, state, a.coordinate);
  add_implicit(i, actuator_load(a, q, state.v[i]), state.v[i], h, result);
}

void gather_joint_loads(const Model& model, const State& state, double h, std::span<const double> joint_load,
                        FreeMotion& result) {
  result.load.setZero();
  std::fill(result.implicit_diagonal.begin(), result.implicit_diagonal.end(), 0.0);
  for (size_t i = 0; i < joint_load.size(); ++i) result.load[i] = joint_load[i];
  for (const Joint& joint : model.tree_joints) add_joint_springs(joint, state, h, result);
  for (size_t a = 0; a < model.actuators.size(); ++a)
    if (!model.actuators[a].on_loop_joint) add_tree_actuator(model, a, state, h, result);
}

// Marks actuators whose implicit force at v_free is beyond their limit; their trees are to be solved again.
bool mark_saturated(const Model& model, const State& state, double h, FreeMotion& result) {
  bool any = false;
  for (size_t index = 0; index < model.actuators.size(); ++index) {
    const Actuator& a = model.actuators[index];
    if (a.on_loop_joint || result.saturated[index] != 0 || std::isinf(a.max_force)) continue;
    const Joint& joint = model.tree_joints[a.joint];
    const double v = result.v_free[joint.v_offset + a.coordinate];
    const double q = actuated_coordinate(joint, state, a.coordinate) + h * v;
    const double force = actuator_load(a, q, v).force;
    if (std::abs(force) <= a.max_force) continue;
    result.saturated[index] = force > 0 ? 1 : -1;
    result.pending[joint.tree] = 1;
    any = true;
  }
  return any;
}

// J M^-1 J^T of a row for one body by itself.
double mobility(const Model& model, int body, const JointRow& row, const Vector3& point_W, const Kinematics& k) {
  if (body == world_index || model.bodies[body].kind != BodyKind::simulated) return 0;
  const Vector3 arm = point_W - k.com_W[body];
  const Vector3 moment = row.moment + arm.cross(row.force);
  return row.force.squaredNorm() / model.bodies[body].mass + moment.dot(k.inertia_W[body].inverse() * moment);
}

void apply_row(int body, double force, const JointRow& row, const Vector3& point_W, const Kinematics& k,
               std::vector<Wrench>& external) {
  if (body == world_index) return;
  const Vector3 arm = point_W - k.com_W[body];
  external[body].force += force * row.force;
  external[body].moment += force * (row.moment + arm.cross(row.force));
}

// The force of springs, dampers and actuators along one row of a loop joint, softened by its implicit part.
double loop_force(const Model& model, size_t loop, int i, double spring, double q, double v, double mobility_sum,
                  double h) {
  const JointCoordinate& c = model.loop_joints[loop].coordinates[i];
  const auto softened = [&](const CoordinateLoad& load) {
    const double stiff = h * load.damping + h * h * load.stiffness;
    return (load.force - h * load.stiffness * v) / (1 + stiff * mobility_sum);
  };
  double force = softened({spring - c.damping * v, c.stiffness, c.damping});
  for (const Actuator& a : model.actuators) {
    if (!a.on_loop_joint || a.joint != static_cast<int>(loop) || a.coordinate != i) continue;
    force += std::clamp(softened(actuator_load(a, q, v)), -a.max_force, a.max_force);
  }
  return force;
}

bool has_loads(const Model& model, size_t loop) {
  for (const JointCoordinate& c : model.loop_joints[loop].coordinates)
    if (c.stiffness > 0 || c.damping > 0) return true;
  for (const Actuator& a : model.actuators)
    if (a.on_loop_joint && a.joint == static_cast<int>(loop)) return true;
  return false;
}

void gather_loop_loads(const Model& model, double h, const Kinematics& k, FreeMotion& result) {
  for (Wrench& wrench : result.external) wrench = {};
  for (size_t loop = 0; loop < model.loop_joints.size(); ++loop) {
    if (!has_loads(model, loop)) continue;
    const Joint& joint = model.loop_joints[loop];
    const JointRows rows = joint_freedom_rows(model, joint, k);
    std::array<double, 6> values = {}, springs = {};
    for (int i = 0; i < rows.count; ++i) values[i] = rows.rows[i].value;
    add_spring_forces(joint, values.data(), springs.data());
    for (int i = 0; i < rows.count; ++i) {
      const JointRow& row = rows.rows[i];
      const double sum =
          mobility(model, joint.child, row, rows.point_W, k) + mobility(model, joint.parent, row, rows.point_W, k);
      const double v = joint_row_velocity(joint, row, rows.point_W, k);
      const double force = loop_force(model, loop, i, springs[i], row.value, v, sum, h);
      apply_row(joint.child, force, row, rows.point_W, k, result.external);
      apply_row(joint.parent, -force, row, rows.point_W, k, result.external);
    }
  }
}

// A tree of one free body on which nothing acts implicitly.
bool is_plain_free_body(const Model& model, const Tree& tree, const FreeMotion& result) {
  if (!is_free_body(model, tree)) return false;
  for (int i = tree.v_offset; i < tree.v_offset + 6; ++i)
    if (result.implicit_diagonal[i] != 0 || model.armature[i] != 0) return false;
  return true;
}

bool has_spherical_inertia(const Body& body) {
  const double moment = body.inertia_B(0, 0);
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * moment;
  return (body.inertia_B - moment * Matrix3::Identity()).cwiseAbs().maxCoeff() <= rounding;
}

FreeTurn turn_body(const Body& body, const Matrix3& I, const Vector3& w, const Vector3& moment, double h) {
  if (has_spherical_inertia(body)) return {w + (h / body.inertia_B(0, 0)) * moment, h * moment};
  if (w.isZero(0) && moment.isZero(0)) return {};
  return turn_free_body(I, w, moment, h);
}

void move_free_body(const Model& model, const Joint& joint, const State& state, double h, const Kinematics& k,
                    FreeMotion& result) {
  const int first = joint.v_offset;
  const Body& body = model.bodies[joint.child];
  const Wrench& external = result.external[joint.child];
  const Vector3 force = result.load.segment<3>(first) + external.force;
  const Vector3 moment = result.load.segment<3>(first + 3) + external.moment;
  const FreeTurn turn = turn_body(body, k.inertia_W[joint.child], state.v.segment<3>(first + 3), moment, h);
  result.v_free.segment<3>(first) = state.v.segment<3>(first) + h * (model.gravity + force / body.mass);
  result.v_free.segment<3>(first + 3) = turn.w;
  result.external_impulse.segment<3>(first) = h * (body.mass * model.gravity + force);
  result.external_impulse.segment<3>(first + 3) = turn.impulse;
}

// v_free with the velocity-product terms of `v_mean`, behind aba_inertias; returns the largest change of v_free.
double solve_with_products_at_mean(const Model& model, const Tree& tree, const State& state, double h, Kinematics& k,
                                   FreeMotion& result) {
  const std::span<const Joint> joints = joints_of(model, tree);
  update_velocities(joints, result.v_mean, k);
  aba_accelerations(model, joints, k, result.load, result.external, result.recursion, result.vdot);
  double change = 0;
  for (int i = tree.v_offset; i < tree.v_offset + tree.v_size; ++i) {
    const double v = state.v[i] + h * result.vdot[i];
    change = std::max(change, std::abs(v - result.v_free[i]));
    result.v_free[i] = v;
  }
  return change;
}

// The fixed point v_free = v + h ABA(products at (v + v_free) / 2); false when it does not settle.
bool iterate_mean(const Model& model, const Tree& tree, const State& state, double h, Kinematics& k,
                  FreeMotion& result) {
  const auto v = state.v.segment(tree.v_offset, tree.v_size);
  auto v_free = result.v_free.segment(tree.v_offset, tree.v_size);
  v_free = v;
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < max_iterations; ++i) {
    result.v_mean.segment(tree.v_offset, tree.v_size) = 0.5 * (v + v_free);
    const double change = solve_with_products_at_mean(model, tree, state, h, k, result);
    const double scale = std::max(v.lpNorm<Eigen::Infinity>(), v_free.lpNorm<Eigen::Infinity>());
    // A pass changes what the one before it changed by change / last: what the next one would still change is known.
    const double left = i == 0 ? change : change * std::min(change / last, 1.0);
    if (left <= fixed_point_tolerance * scale) return true;
    if (i > 1 && !(change < last) && !(change <= 1e-10 * scale)) return false;
    last = change;
  }
  return true;  // still contracting: the products belong to a velocity close to the mean
}

void move_tree(const Model& model, const Tree& tree, const State& state, double h, Kinematics& k, FreeMotion& result) {
  if (tree.v_size == 0) return;
  aba_inertias(model, joints_of(model, tree), k, result.implicit_diagonal, result.recursion);
  if (!iterate_mean(model, tree, state, h, k, result)) {
    result.v_mean.segment(tree.v_offset, tree.v_size) = state.v.segment(tree.v_offset, tree.v_size);
    solve_with_products_at_mean(model, tree, state, h, k, result);
  }
  const std::span<const Joint> joints = joints_of(model, tree);
  rnea(model, joints, k, result.zero, result.external, result.recursion, result.tau);
  const auto segment = [&](VectorX& x) { return x.segment(tree.v_offset, tree.v_size); };
  segment(result.external_impulse) = h * (segment(result.load) - segment(result.tau));
  update_velocities(joints, state.v, k);
}

void solve_pending(const Model& model, const State& state, double h, Kinematics& k, FreeMotion& result) {
  for (size_t t = 0; t < model.trees.size(); ++t) {
    if (result.pending[t] == 0) continue;
    result.pending[t] = 0;
    const Tree& tree = model.trees[t];
    if (is_plain_free_body(model, tree, result)) {
      move_free_body(model, model.tree_joints[tree.first_joint], state, h, k, result);
    } else {
      move_tree(model, tree, state, h, k, result);
    }
  }
}

}  // namespace

FreeMotion make_free_motion(const Model& model) {
  FreeMotion result;
  for (VectorX* x : {&result.v_free, &result.external_impulse, &result.load, &result.vdot, &result.v_mean, &result.tau,
                     &result.zero})
    *x = VectorX::Zero(model.v_size);
  result.implicit_diagonal.assign(model.v_size, 0);
  result.external.resize(model.bodies.size());
  result.saturated.assign(model.actuators.size(), 0);
  result.pending.assign(model.trees.size(), 0);
  result.recursion = make_recursion(model);
  return result;
}

void compute_free_motion(const Model& model, const State& state, double h, std::span<const double> joint_load,
                         Kinematics& k, FreeMotion& result) {
  std::fill(result.saturated.begin(), result.saturated.end(), std::int8_t{0});
  std::fill(result.pending.begin(), result.pending.end(), std::uint8_t{1});
  gather_loop_loads(model, h, k, result);
  // Each round pins at least one more actuator to its limit, so this ends.
  do {
    gather_joint_loads(model, state, h, joint_load, result);
    solve_pending(model, state, h, k, result);
  } while (mark_saturated(model, state, h, result));
}

void compute_acceleration(const Model& model, const State& state, std::span<const double> joint_load,
                          const Kinematics& k, FreeMotion& scratch, VectorX& vdot) {
  std::fill(scratch.saturated.begin(), scratch.saturated.end(), std::int8_t{0});
  gather_loop_loads(model, 0, k, scratch);
  scratch.v_free = state.v;
  do {
    gather_joint_loads(model, state, 0, joint_load, scratch);
  } while (mark_saturated(model, state, 0, scratch));
  aba(model, k, scratch.load, {}, scratch.external, scratch.recursion, vdot);
}

}  // namespace stiction
