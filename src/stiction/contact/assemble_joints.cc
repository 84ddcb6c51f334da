// Rows of joints: loop joints, limits, dry friction.
#include <algorithm>
#include <cmath>

#include "stiction/contact/assembly_rows.h"
#include "stiction/model/joint_traits.h"

namespace stiction::contact {

namespace {

constexpr double limit_slop = 1e-6;  // rad or m: limits this close are always in the problem

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

// Twist of a body's centre of mass with the generalised velocities v, whatever velocities `kinematics` holds for bodies
// of trees; prescribed ones move as they do.
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
      if (joint.coordinates.empty() || is_free(joint.type)) continue;
      Coordinate c;
      c.joint = &joint;
      c.source = {static_cast<int>(j), false, k, false};
      // A spherical joint has friction but no single angle that a limit could bound.
      c.position = joint_traits(joint.type).quaternion ? 0.0 : state.q[joint.q_offset + k];
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

}  // namespace

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

void add_limits_and_joint_friction(const Model& model, const State& state, const Kinematics& kinematics,
                                   const VectorX& v, double h, const AssemblyOptions& options,
                                   AssemblyWorkspace& workspace, StepProblem& problem) {
  for_each_coordinate(model, state, kinematics, v, [&](const Coordinate& c, size_t flag) {
    add_coordinate_rows(model, kinematics, c, h, flag, options, workspace, problem);
  });
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
