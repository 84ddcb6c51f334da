#include "stiction/contact/assembly_rows.h"

#include "stiction/dynamics/jacobian.h"

namespace stiction::contact {

namespace {

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

Twist twist_of(const Model& model, const Kinematics& kinematics, int body, const Vector3& point) {
  return body < 0 ? Twist{} : prescribed_twist(model, kinematics, body, point);
}

}  // namespace

int tree_of(const Model& model, int body) {
  if (body < 0 || model.bodies[body].joint < 0) return -1;
  return model.tree_joints[model.bodies[body].joint].tree;
}

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

void add_pair_load(const Model& model, const Kinematics& kinematics, int block, int row, int A, int B,
                   const Vector3& point, const Vector3& force, const Vector3& moment, StepProblem& problem) {
  add_load(model, kinematics, block, row, B, point, force, moment, problem);
  add_load(model, kinematics, block, row, A, point, -force, -moment, problem);
}

Twist prescribed_relative(const Model& model, const Kinematics& kinematics, int A, int B, const Vector3& point) {
  const Twist a = twist_of(model, kinematics, A, point);
  const Twist b = twist_of(model, kinematics, B, point);
  return {b.linear - a.linear, b.angular - a.angular};
}

double prescribed_rate(const Model& model, const Kinematics& kinematics, int A, int B, const Vector3& point,
                       const Vector3& force, const Vector3& moment) {
  const Twist twist = prescribed_relative(model, kinematics, A, B, point);
  return force.dot(twist.linear) + moment.dot(twist.angular);
}

}  // namespace stiction::contact
