#include "stiction/contact/assembly_rows.h"

#include <algorithm>

#include "stiction/dynamics/free_body.h"
#include "stiction/dynamics/jacobian.h"

namespace stiction::contact {

namespace {

// Where the rows of a block over one of its trees stand.
double* rows_of(const RowBlock& block, int tree, StepProblem& problem) {
  return problem.jacobian.data() + block.offset[block.tree[0] == tree ? 0 : 1];
}

// Adds to row `row` of a block the generalised form of a unit load on `body`.
void add_load(const Model& model, const Kinematics& kinematics, int block, int row, int body, const Vector3& point,
              const Vector3& force, const Vector3& moment, StepProblem& problem) {
  const int tree = tree_of(model, body);
  if (tree < 0) return;
  double* values = rows_of(problem.blocks[block], tree, problem) + row * model.trees[tree].v_size;
  add_generalized_load(model, kinematics, body, point, force, moment, values);
}

// The rows of a contact on one body that is a tree by itself: as its motion subspace is the identity, the axes and
// their moments about the centre of mass. Nothing is negative zero, as in sums that start from zero.
template <bool of_B>
void write_free_rows(const Vector3& arm, const std::array<Vector3, 3>& axes, int rows, double* values) {
  const auto signed_value = [](double x) { return of_B ? 0.0 + x : 0.0 - x; };
  const double a0 = arm[0], a1 = arm[1], a2 = arm[2];
  for (int r = 0; r < std::min(rows, 3); ++r, values += 6) {
    const double f0 = axes[r][0], f1 = axes[r][1], f2 = axes[r][2];
    values[0] = signed_value(f0);
    values[1] = signed_value(f1);
    values[2] = signed_value(f2);
    values[3] = signed_value(a1 * f2 - a2 * f1);
    values[4] = signed_value(a2 * f0 - a0 * f2);
    values[5] = signed_value(a0 * f1 - a1 * f0);
  }
  if (rows < 4) return;
  for (int i = 0; i < 3; ++i) values[i] = 0;
  for (int i = 0; i < 3; ++i) values[3 + i] = signed_value(axes[0][i]);
}

// The rows of a contact on one body: B, or A, which gets the opposite.
template <bool of_B>
void write_rows(const Model& model, const Kinematics& kinematics, int block, int body, const Vector3& point,
                const std::array<Vector3, 3>& axes, StepProblem& problem) {
  const int tree = tree_of(model, body);
  if (tree < 0) return;
  const RowBlock& rows = problem.blocks[block];
  if (is_free_body(model, model.trees[tree])) {
    const Vector3 arm = point - kinematics.com_W[body];
    return write_free_rows<of_B>(arm, axes, rows.row_count, rows_of(rows, tree, problem));
  }
  add_contact_rows(model, kinematics, body, point, axes, rows.row_count, of_B ? 1 : -1, model.trees[tree].v_size,
                   rows_of(rows, tree, problem));
}

Twist twist_of(const Model& model, const Kinematics& kinematics, int body, const Vector3& point) {
  return body < 0 ? Twist{} : prescribed_twist(model, kinematics, body, point);
}

}  // namespace

int tree_of(const Model& model, int body) {
  return body < 0 ? -1 : model.tree_of_body[body];
}

int add_block(const Model& model, int tree_A, int tree_B, int rows, StepProblem& problem) {
  RowBlock block;
  block.first_row = problem.row_count;
  block.row_count = rows;
  block.tree = {tree_A, tree_B};
  if (tree_A < 0 || tree_A == tree_B) block.tree = {tree_B, -1};
  size_t end = problem.jacobian.size();
  for (int side = 0; side < 2; ++side) {
    if (block.tree[side] < 0) continue;
    block.offset[side] = static_cast<int>(end);
    end += static_cast<size_t>(rows * model.trees[block.tree[side]].v_size);
  }
  problem.jacobian.resize(end, 0.0);
  problem.row_count += rows;
  problem.blocks.push_back(block);
  return static_cast<int>(problem.blocks.size()) - 1;
}

void add_pair_load(const Model& model, const Kinematics& kinematics, int block, int row, int A, int B,
                   const Vector3& point, const Vector3& force, const Vector3& moment, StepProblem& problem) {
  add_load(model, kinematics, block, row, B, point, force, moment, problem);
  add_load(model, kinematics, block, row, A, point, -force, -moment, problem);
}

void write_contact_rows(const Model& model, const Kinematics& kinematics, int block, int A, int B, const Vector3& point,
                        const std::array<Vector3, 3>& axes, StepProblem& problem) {
  write_rows<true>(model, kinematics, block, B, point, axes, problem);
  write_rows<false>(model, kinematics, block, A, point, axes, problem);
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
