#include "stiction/contact/assemble.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/workers.h"
#include "stiction/contact/assembly_rows.h"
#include "stiction/contact/start_slip.h"
#include "stiction/model/stribeck.h"
#include "stiction/problem/row_velocity.h"

namespace stiction::contact {

namespace {

constexpr size_t contacts_at_once = 256;  // in one chunk of what workers share

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

// Half axes of the friction ellipse, or of a disc round a set that is not an ellipse.
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

bool has_friction(const Material& material) {
  const std::array<double, 2> axes = friction_axes(material);
  return std::max(axes[0], axes[1]) > 0;
}

// The friction set, scaled to the slip at the start of the step. Rolling resistance is not part of it: a wheel that
// rolls never slips, and would have the static one always.
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
void write_contact(const Model& model, const Kinematics& kinematics, const Contact& contact,
                   const std::array<Vector3, 3>& axes, ContactRows& rows, StepProblem& problem) {
  write_contact_rows(model, kinematics, rows.block, contact.body_A, contact.body_B, contact.point, axes, problem);
  const Twist given = prescribed_relative(model, kinematics, contact.body_A, contact.body_B, contact.point);
  const int row_count = problem.blocks[rows.block].row_count;
  for (int r = 0; r < std::min(row_count, 3); ++r) {
    rows.surface[r] = axes[r].dot(given.linear) + 0.0 + axes[r].dot(contact.surface_velocity);
  }
  if (row_count > 3) rows.surface[3] = 0.0 + contact.normal.dot(given.angular);
  rows.gap = contact.gap;
}

// The compliant layers of the last contact; where they start is not known here.
void add_layers(const Contact& contact, ContactRows& rows, StepProblem& problem) {
  for (int side = 0; side < 2; ++side) {
    if (contact.layers[side] == nullptr) continue;
    rows.layers[side] = static_cast<int>(problem.layers.size());
    problem.layers.push_back({static_cast<int>(problem.contacts.size()) - 1, contact.layers[side], Vector3::Zero()});
  }
}

// The place of a contact in the problem: its rows, and those against rolling; all of them zero.
void add_contact(const Model& model, const Contact& contact, const AssemblyOptions& options, StepProblem& problem) {
  const Material& material = *contact.material;
  const int tree_A = tree_of(model, contact.body_A), tree_B = tree_of(model, contact.body_B);
  const int row_count = !has_friction(material) ? 1 : material.torsional_friction > 0 ? 4 : 3;
  const int block = add_block(model, tree_A, tree_B, row_count, problem);
  ContactRows& rows = problem.contacts.emplace_back();
  rows.block = block;
  rows.key = contact.key;
  const double rolling = material.friction[0] * material.rolling_friction;
  if (rolling > 0) {  // against rolling
    rows.rolling = static_cast<int>(problem.rollings.size());
    RollingRows& against = problem.rollings.emplace_back();
    against.block = add_block(model, tree_A, tree_B, 2, problem);
    against.limit = rolling;
  }
  if (options.layers) add_layers(contact, rows, problem);
}

// Writes nothing but the contact's own rows.
void fill_contact(const Model& model, const Kinematics& kinematics, const Contact& contact, double h,
                  const AssemblyOptions& options, ContactRows& rows, StepProblem& problem) {
  const Material& material = *contact.material;
  const bool friction = problem.blocks[rows.block].row_count > 1;
  const std::array<Vector3, 3> axes = {contact.normal, contact.tangent, contact.binormal()};
  write_contact(model, kinematics, contact, axes, rows, problem);
  if (friction) set_friction(contact, friction_axes(material), rows, problem);
  rows.restitution = material.restitution;
  rows.tangential_restitution = material.tangential_restitution;
  rows.approach = row_velocity(problem, rows.block, 0, problem.v_start) + rows.surface[0];
  const bool closes = options.velocity_level || rows.gap + h * rows.approach <= 0;
  const bool impact = rows.restitution > 0 && rows.approach < 0 && closes;
  rows.normal_bias = options.newton_restitution && impact ? rows.restitution * rows.approach
                     : options.velocity_level             ? 0.0
                                                          : std::max(rows.gap / h, -options.max_recovery_speed);
  if (friction) rows.drift = {contact.drift.dot(axes[1]), contact.drift.dot(axes[2])};
  if (rows.rolling >= 0) write_rolling(model, kinematics, contact, problem.rollings[rows.rolling], problem);
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
  add_limits_and_joint_friction(model, state, kinematics, free_motion.v_free, h, options, workspace, problem);
  for (const Contact& contact : contacts) add_contact(model, contact, options, problem);
  for_ranges(workspace.workers, contacts.size(), contacts_at_once, [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) {
      fill_contact(model, kinematics, contacts[c], h, options, problem.contacts[c], problem);
    }
  });
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
  write_contact(model, kinematics, contact, {contact.normal, contact.tangent, contact.binormal()}, rows, problem);
  if (rows.rolling < 0) return;
  clear(problem.rollings[rows.rolling].block);
  write_rolling(model, kinematics, contact, problem.rollings[rows.rolling], problem);
}

}  // namespace stiction::contact
