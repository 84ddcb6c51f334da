#include "stiction/contact/assemble.h"

#include <algorithm>
#include <cmath>

#include "stiction/contact/start_slip.h"
#include "stiction/dynamics/jacobian.h"
#include "stiction/model/stribeck.h"
#include "stiction/problem/row_velocity.h"

namespace stiction::contact {

namespace {

constexpr double limit_slop = 1e-6;  // rad or m: limits this close are always in the problem

int tree_of(const Model& model, int body) {
  if (body < 0 || model.bodies[body].joint < 0) return -1;
  return model.tree_joints[model.bodies[body].joint].tree;
}

// Appends a block of zero rows over the trees of two bodies and returns its index.
int add_block(const Model& model, int tree_A, int tree_B, int rows, StepProblem& problem) {
  RowBlock block;
  block.first_row = problem.row_count;
  block.row_count = rows;
  block.tree = {tree_A, tree_B};
  if (tree_A < 0 || tree_A == tree_B) block.tree = {tree_B, -1};
  for (int side = 0; side < 2; ++side) {
    if (block.tree[side] < 0) continue;
    block.offset[side] = static_cast<int>(problem.jacobian.size());
    problem.jacobian.resize(problem.jacobian.size() + rows * model.trees[block.tree[side]].v_size, 0.0);
  }
  problem.row_count += rows;
  problem.blocks.push_back(block);
  return static_cast<int>(problem.blocks.size()) - 1;
}

// Adds to row `row` of a block the generalised form of a unit load on `body`.
void add_load(const Model& model, const Kinematics& kinematics, int block, int row, int body, const Vector3& point,
              const Vector3& force, const Vector3& moment, StepProblem& problem) {
  const int tree = tree_of(model, body);
  if (tree < 0) return;
  const RowBlock& rows = problem.blocks[block];
  const int side = rows.tree[0] == tree ? 0 : 1;
  double* values = problem.jacobian.data() + rows.offset[side] + row * model.trees[tree].v_size;
  add_generalized_load(model, kinematics, body, point, force, moment, values);
}

// A row that pushes B with a unit load and A with the opposite one.
void add_pair_load(const Model& model, const Kinematics& kinematics, int block, int row, int A, int B,
                   const Vector3& point, const Vector3& force, const Vector3& moment, StepProblem& problem) {
  add_load(model, kinematics, block, row, B, point, force, moment, problem);
  add_load(model, kinematics, block, row, A, point, -force, -moment, problem);
}

Twist twist_of(const Model& model, const Kinematics& kinematics, int body, const Vector3& point) {
  return body < 0 ? Twist{} : prescribed_twist(model, kinematics, body, point);
}

// Velocity along a row that prescribed bodies cause: the partial time derivative of the gap or constraint.
double prescribed_rate(const Model& model, const Kinematics& kinematics, int A, int B, const Vector3& point,
                       const Vector3& force, const Vector3& moment) {
  const Twist a = twist_of(model, kinematics, A, point);
  const Twist b = twist_of(model, kinematics, B, point);
  return force.dot(b.linear - a.linear) + moment.dot(b.angular - a.angular);
}

void begin(const Model& model, const State& state, const FreeMotion& free_motion, double h, StepProblem& problem) {
  problem.step = h;
  problem.trees.resize(model.trees.size());
  for (size_t t = 0; t < model.trees.size(); ++t) {
    problem.trees[t] = {model.trees[t].v_offset, model.trees[t].v_size, model.trees[t].mass_offset};
  }
  problem.v_start = state.v;
  problem.v_free = free_motion.v_free;
  problem.external_impulse = free_motion.external_impulse;
  problem.blocks.clear();
  problem.jacobian.clear();
  problem.bilaterals.clear();
  problem.bilateral_bias.clear();
  problem.bilateral_surface.clear();
  problem.scalars.clear();
  problem.contacts.clear();
  problem.rollings.clear();
  problem.layers.clear();
  problem.row_count = 0;
}

// (28): W_b^T v + psi_b / h + d psi_b / dt = 0.
void add_bilateral(const Model& model, const Kinematics& kinematics, const Joint& joint, double h,
                   const AssemblyOptions& options, StepProblem& problem) {
  const JointRows rows = joint_constraint_rows(model, joint, kinematics);
  if (rows.count == 0) return;
  BilateralRows bilateral;
  bilateral.block = add_block(model, tree_of(model, joint.parent), tree_of(model, joint.child), rows.count, problem);
  bilateral.first_bias = static_cast<int>(problem.bilateral_bias.size());
  for (int r = 0; r < rows.count; ++r) {
    const JointRow& row = rows.rows[r];
    add_pair_load(model, kinematics, bilateral.block, r, joint.parent, joint.child, rows.point_W, row.force, row.moment,
                  problem);
    const double rate =
        prescribed_rate(model, kinematics, joint.parent, joint.child, rows.point_W, row.force, row.moment);
    problem.bilateral_surface.push_back(rate);
    problem.bilateral_bias.push_back((options.velocity_level ? 0.0 : row.value / h) + rate);
  }
  problem.bilaterals.push_back(bilateral);
}

// One coordinate of a joint as the rows of this file see it.
struct Coordinate {
  const Joint* joint = nullptr;
  ScalarSource source;
  double position = 0;            // the coordinate
  double rate = 0;                // its velocity with the v that is asked about
  double surface = 0;             // part of the velocity that prescribed bodies cause
  const JointRow* row = nullptr;  // of a loop joint
  Vector3 point = Vector3::Zero();
};

// A scalar row with J = sign * (the coordinate's velocity).
int add_scalar(const Model& model, const Kinematics& kinematics, const Coordinate& c, double sign, ScalarRow row,
               AssemblyWorkspace& workspace, StepProblem& problem) {
  const Joint& joint = *c.joint;
  if (c.row == nullptr) {
    row.block = add_block(model, -1, joint.tree, 1, problem);
    const int local = joint.v_offset + c.source.coordinate - model.trees[joint.tree].v_offset;
    problem.jacobian[problem.blocks[row.block].offset[0] + local] = sign;
  } else {
    row.block = add_block(model, tree_of(model, joint.parent), tree_of(model, joint.child), 1, problem);
    add_pair_load(model, kinematics, row.block, 0, joint.parent, joint.child, c.point, sign * c.row->force,
                  sign * c.row->moment, problem);
  }
  row.surface = sign * c.surface;
  row.key = (std::uint64_t{1} << 63) | (static_cast<std::uint64_t>(row.kind == ScalarRow::Kind::friction) << 62) |
            (static_cast<std::uint64_t>(c.source.loop_joint) << 61) |
            (static_cast<std::uint64_t>(c.source.joint) << 16) |
            static_cast<std::uint64_t>(2 * c.source.coordinate + (c.source.upper ? 1 : 0));
  problem.scalars.push_back(row);
  workspace.scalar_source.push_back(c.source);
  return row.block;
}

// Limits that may be reached in the step, and dry friction (38), of one coordinate.
void add_coordinate_rows(const Model& model, const Kinematics& kinematics, Coordinate c, double h, size_t flag,
                         const AssemblyOptions& options, AssemblyWorkspace& workspace, StepProblem& problem) {
  const JointCoordinate& property = c.joint->coordinates[c.source.coordinate];
  for (int side = 0; side < 2; ++side) {
    if (!std::isfinite(property.limits[side])) continue;
    const double sign = side == 0 ? 1.0 : -1.0;
    const double gap = sign * (c.position - property.limits[side]);
    const double slop = options.velocity_level ? 0.0 : limit_slop;
    const bool near = gap + std::min(0.0, h * sign * c.rate) <= slop;
    if (!near && !workspace.forced_limit[flag + side]) continue;
    c.source.upper = side == 1;
    ScalarRow row;
    row.kind = ScalarRow::Kind::limit;
    row.gap = gap;
    row.bias = (options.velocity_level ? 0.0 : gap / h) + sign * c.surface;
    add_scalar(model, kinematics, c, sign, row, workspace, problem);
  }
  if (property.friction > 0) {
    c.source.upper = false;
    ScalarRow row;
    row.kind = ScalarRow::Kind::friction;
    row.bias = c.surface;
    row.bound = h * property.friction;  // beta_max = h c_max
    add_scalar(model, kinematics, c, 1.0, row, workspace, problem);
  }
}

// Twist of a body's centre of mass with the generalised velocities v, whatever velocities `kinematics` holds for bodies of
// trees; prescribed ones move as they do.
Twist body_twist(const Model& model, const Kinematics& kinematics, const VectorX& v, int body) {
  if (body < 0) return {};
  if (model.bodies[body].joint < 0) return kinematics.velocity[body];
  const Joint& joint = model.tree_joints[model.bodies[body].joint];
  Twist twist = body_twist(model, kinematics, v, joint.parent);
  twist.linear += twist.angular.cross(kinematics.offset[body]);
  for (int i = joint.v_offset; i < joint.v_offset + joint.v_size; ++i) {
    twist.linear += v[i] * kinematics.S.col(i).head<3>();
    twist.angular += v[i] * kinematics.S.col(i).tail<3>();
  }
  return twist;
}

// The same of the body's point that is at `point`.
Twist twist_at(const Model& model, const Kinematics& kinematics, const VectorX& v, int body, const Vector3& point) {
  if (body < 0) return {};
  const Twist V = body_twist(model, kinematics, v, body);
  return {V.at(point - kinematics.com_W[body]), V.angular};
}

// Calls visit(coordinate, index of its limit flags) for every coordinate that can have limits or friction.
template <class Visit>
void for_each_coordinate(const Model& model, const State& state, const Kinematics& kinematics, const VectorX& v,
                         Visit&& visit) {
  size_t flag = 0;
  for (size_t j = 0; j < model.tree_joints.size(); ++j) {
    const Joint& joint = model.tree_joints[j];
    for (int k = 0; k < joint.v_size; ++k, flag += 2) {
      if (joint.coordinates.empty() || joint.type == JointType::free) continue;
      Coordinate c;
      c.joint = &joint;
      c.source = {static_cast<int>(j), false, k, false};
      // A spherical joint has friction but no single angle that a limit could bound.
      c.position = joint.q_size == joint.v_size ? state.q[joint.q_offset + k] : 0.0;
      c.rate = v[joint.v_offset + k];
      visit(c, flag);
    }
  }
  for (size_t j = 0; j < model.loop_joints.size(); ++j) {
    const Joint& joint = model.loop_joints[j];
    const bool wanted = std::any_of(joint.coordinates.begin(), joint.coordinates.end(), [](const JointCoordinate& p) {
      return p.friction > 0 || std::isfinite(p.limits[0]) || std::isfinite(p.limits[1]);
    });
    if (!wanted) {
      flag += 2 * static_cast<size_t>(joint.v_size);
      continue;
    }
    const JointRows rows = joint_freedom_rows(model, joint, kinematics);
    for (int k = 0; k < joint.v_size; ++k, flag += 2) {
      if (k >= rows.count) continue;
      Coordinate c;
      c.joint = &joint;
      c.source = {static_cast<int>(j), true, k, false};
      c.row = &rows.rows[k];
      c.point = rows.point_W;
      c.position = c.row->value;
      c.surface = prescribed_rate(model, kinematics, joint.parent, joint.child, c.point, c.row->force, c.row->moment);
      const Twist a = twist_at(model, kinematics, v, joint.parent, c.point);
      const Twist b = twist_at(model, kinematics, v, joint.child, c.point);
      c.rate = c.row->force.dot(b.linear - a.linear) + c.row->moment.dot(b.angular - a.angular);
      visit(c, flag);
    }
  }
}

// Moments about t and o, into an empty block.
void write_rolling(const Model& model, const Kinematics& kinematics, const Contact& contact, RollingRows& rows,
                   StepProblem& problem) {
  const std::array<Vector3, 2> axes = {contact.tangent, contact.binormal()};
  for (int r = 0; r < 2; ++r) {
    add_pair_load(model, kinematics, rows.block, r, contact.body_A, contact.body_B, contact.point, Vector3::Zero(),
                  axes[r], problem);
    rows.surface[r] =
        prescribed_rate(model, kinematics, contact.body_A, contact.body_B, contact.point, Vector3::Zero(), axes[r]);
  }
}

// Against rolling; the index of the new entry.
int add_rolling(const Model& model, const Kinematics& kinematics, const Contact& contact, double limit,
                StepProblem& problem) {
  RollingRows rows;
  rows.block = add_block(model, tree_of(model, contact.body_A), tree_of(model, contact.body_B), 2, problem);
  rows.limit = limit;
  write_rolling(model, kinematics, contact, rows, problem);
  problem.rollings.push_back(rows);
  return static_cast<int>(problem.rollings.size()) - 1;
}

// Half axes of the friction ellipse, or of a disc round a set that is none.
std::array<double, 2> friction_axes(const Material& material) {
  if (!material.cone) return material.friction;
  const FrictionCone& cone = *material.cone;
  double reach = std::hypot(cone_extent(cone, 0), cone_extent(cone, 1));
  if (cone.kind == FrictionCone::Kind::polygon) {
    reach = 0;
    for (const Vector2& corner : cone.vertices) reach = std::max(reach, corner.norm());
  }
  return {reach, reach};
}

// The friction set, scaled to the slip at the start of the step. Rolling resistance is none of it: a wheel that rolls
// never slips, and would have the static one always.
void set_friction(const Contact& contact, const std::array<double, 2>& axes, ContactRows& rows,
                  const StepProblem& problem) {
  const Material& material = *contact.material;
  const bool falls = static_factor(material) != 1.0;
  const double factor = falls ? friction_factor(material, start_slip(contact, rows, problem)) : 1.0;
  rows.friction = {factor * axes[0], factor * axes[1]};
  rows.cone = material.cone ? &*material.cone : nullptr;
  rows.cone_scale = factor;
  rows.torsion = factor * material.friction[0] * material.torsional_friction;
}

// (32), (36): the rows n, t, o and the spin about n of one contact, into an empty block.
void write_contact(const Model& model, const Kinematics& kinematics, const Contact& contact, ContactRows& rows,
                   StepProblem& problem) {
  const std::array<Vector3, 3> axes = {contact.normal, contact.tangent, contact.binormal()};
  for (int r = 0; r < problem.blocks[rows.block].row_count; ++r) {
    const Vector3 force = r < 3 ? axes[r] : Vector3::Zero();
    const Vector3 moment = r < 3 ? Vector3::Zero() : contact.normal;
    add_pair_load(model, kinematics, rows.block, r, contact.body_A, contact.body_B, contact.point, force, moment,
                  problem);
    rows.surface[r] = prescribed_rate(model, kinematics, contact.body_A, contact.body_B, contact.point, force, moment) +
                      force.dot(contact.surface_velocity);
  }
  rows.gap = contact.gap;
}

// The compliant layers of a contact; where they start is not known here.
void add_layers(const Contact& contact, ContactRows& rows, StepProblem& problem) {
  for (int side = 0; side < 2; ++side) {
    if (contact.layers[side] == nullptr) continue;
    rows.layers[side] = static_cast<int>(problem.layers.size());
    problem.layers.push_back({static_cast<int>(problem.contacts.size()), contact.layers[side], Vector3::Zero()});
  }
}

void add_contact(const Model& model, const Kinematics& kinematics, const Contact& contact, double h,
                 const AssemblyOptions& options, StepProblem& problem) {
  const Material& material = *contact.material;
  const std::array<double, 2> axes_of_friction = friction_axes(material);
  const bool friction = std::max(axes_of_friction[0], axes_of_friction[1]) > 0;
  const int row_count = !friction ? 1 : material.torsional_friction > 0 ? 4 : 3;
  const std::array<Vector3, 3> axes = {contact.normal, contact.tangent, contact.binormal()};
  ContactRows rows;
  rows.block = add_block(model, tree_of(model, contact.body_A), tree_of(model, contact.body_B), row_count, problem);
  rows.key = contact.key;
  write_contact(model, kinematics, contact, rows, problem);
  if (friction) set_friction(contact, axes_of_friction, rows, problem);
  rows.restitution = material.restitution;
  rows.tangential_restitution = material.tangential_restitution;
  rows.approach = row_velocity(problem, rows.block, 0, problem.v_start) + rows.surface[0];
  const bool closes = options.velocity_level || rows.gap + h * rows.approach <= 0;
  const bool impact = rows.restitution > 0 && rows.approach < 0 && closes;
  rows.normal_bias = options.newton_restitution && impact ? rows.restitution * rows.approach
                     : options.velocity_level             ? 0.0
                                                          : std::max(rows.gap / h, -options.max_recovery_speed);
  if (friction) rows.drift = {contact.drift.dot(axes[1]), contact.drift.dot(axes[2])};
  const double rolling = material.friction[0] * material.rolling_friction;
  if (rolling > 0) rows.rolling = add_rolling(model, kinematics, contact, rolling, problem);
  if (options.layers) add_layers(contact, rows, problem);
  problem.contacts.push_back(rows);
}

}  // namespace

AssemblyWorkspace make_assembly(const Model& model) {
  size_t coordinates = 0;
  for (const Joint& joint : model.tree_joints) coordinates += joint.v_size;
  for (const Joint& joint : model.loop_joints) coordinates += joint.v_size;
  AssemblyWorkspace workspace;
  workspace.forced_limit.assign(2 * coordinates, 0);
  return workspace;
}

void assemble_problem(const Model& model, const State& state, const Kinematics& kinematics,
                      const FreeMotion& free_motion, std::span<const Contact> contacts, double h,
                      const AssemblyOptions& options, AssemblyWorkspace& workspace, StepProblem& problem) {
  begin(model, state, free_motion, h, problem);
  problem.normal_law = options.velocity_level ? NormalLaw::rate : NormalLaw::gap;
  problem.deflection_slips = options.deflection_slips;
  workspace.scalar_source.clear();
  workspace.bilateral_joint.clear();
  for (size_t j = 0; j < model.loop_joints.size(); ++j) {
    add_bilateral(model, kinematics, model.loop_joints[j], h, options, problem);
    if (problem.bilaterals.size() > workspace.bilateral_joint.size()) {
      workspace.bilateral_joint.push_back(static_cast<int>(j));
    }
  }
  for_each_coordinate(model, state, kinematics, free_motion.v_free, [&](const Coordinate& c, size_t flag) {
    add_coordinate_rows(model, kinematics, c, h, flag, options, workspace, problem);
  });
  for (const Contact& contact : contacts) add_contact(model, kinematics, contact, h, options, problem);
}

void restate_contact(const Model& model, const Kinematics& kinematics, const Contact& contact, int index,
                     StepProblem& problem) {
  ContactRows& rows = problem.contacts[index];
  const auto clear = [&](int b) {
    const RowBlock& block = problem.blocks[b];
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      std::fill_n(problem.jacobian.data() + block.offset[side], block.row_count * problem.trees[block.tree[side]].size,
                  0.0);
    }
  };
  clear(rows.block);
  write_contact(model, kinematics, contact, rows, problem);
  if (rows.rolling < 0) return;
  clear(problem.rollings[rows.rolling].block);
  write_rolling(model, kinematics, contact, problem.rollings[rows.rolling], problem);
}

bool force_missed_limits(const Model& model, const State& state, const Kinematics& kinematics, const VectorX& v_end,
                         double h, AssemblyWorkspace& workspace) {
  bool missed = false;
  for_each_coordinate(model, state, kinematics, v_end, [&](const Coordinate& c, size_t flag) {
    const JointCoordinate& property = c.joint->coordinates[c.source.coordinate];
    for (int side = 0; side < 2; ++side) {
      if (!std::isfinite(property.limits[side]) || workspace.forced_limit[flag + side]) continue;
      const double sign = side == 0 ? 1.0 : -1.0;
      if (sign * (c.position + h * c.rate - property.limits[side]) >= -limit_slop * h) continue;
      workspace.forced_limit[flag + side] = 1;
      missed = true;
    }
  });
  return missed;
}

}  // namespace stiction::contact
