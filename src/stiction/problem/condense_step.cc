#include "stiction/problem/condense_step.h"

#include <algorithm>
#include <array>

#include <Eigen/Cholesky>

#include "stiction/base/assert.h"

namespace stiction {
namespace {

using Law = FrictionBlock::Law;

// What a step says of one of its row blocks: law, the rows that are kept, and their constant velocities.
struct BlockLaw {
  FrictionBlock block;
  std::vector<int> kept;
  std::vector<double> constant;

  void keep(int row, double velocity) {
    kept.push_back(row);
    constant.push_back(velocity);
  }
};

BlockLaw bilateral_law(const StepProblem& step, const BilateralRows& joint) {
  BlockLaw law;
  law.block.law = Law::bilateral;
  for (int r = 0; r < step.blocks[joint.block].row_count; ++r) {
    law.keep(r, step.bilateral_bias[joint.first_bias + r]);
  }
  return law;
}

BlockLaw scalar_law(const ScalarRow& scalar) {
  BlockLaw law;
  law.block.law = scalar.kind == ScalarRow::Kind::limit ? Law::contact : Law::bounded;
  if (law.block.law == Law::bounded) {
    law.block.axes[0] = 1;
    law.block.bound = scalar.bound;
  }
  law.keep(0, scalar.bias);
  return law;
}

BlockLaw contact_law(const StepProblem& step, const ContactRows& contact) {
  const std::array<double, 3> axes = {contact.friction[0], contact.friction[1], contact.torsion};
  const int rows = step.blocks[contact.block].row_count;
  const bool frictionless = std::all_of(axes.begin(), axes.begin() + rows - 1, [](double a) { return a == 0; });
  BlockLaw law;
  law.block.law = Law::contact;
  law.keep(0, contact.surface[0] + contact.normal_bias);
  int axis = 0;
  for (int r = 1; r < rows; ++r) {
    if (axes[r - 1] == 0 && !frictionless) continue;
    law.block.axes[axis++] = axes[r - 1];
    law.keep(r, contact.surface[r]);
  }
  return law;
}

BlockLaw rolling_law(const RollingRows& rolling, int contact) {
  BlockLaw law;
  law.block.law = Law::bounded;
  law.block.axes = {rolling.limit, rolling.limit, 0};
  law.block.link = contact;
  for (int r = 0; r < 2; ++r) law.keep(r, rolling.surface[r]);
  return law;
}

std::vector<BlockLaw> find_laws(const StepProblem& step) {
  std::vector<BlockLaw> laws(step.blocks.size());
  for (const BilateralRows& joint : step.bilaterals) laws[joint.block] = bilateral_law(step, joint);
  for (const ScalarRow& scalar : step.scalars) laws[scalar.block] = scalar_law(scalar);
  for (const ContactRows& contact : step.contacts) {
    laws[contact.block] = contact_law(step, contact);
    if (contact.rolling < 0) continue;
    const RollingRows& rolling = step.rollings[contact.rolling];
    laws[rolling.block] = rolling_law(rolling, contact.block);
  }
  return laws;
}

// Rows of a block on one side, only those kept.
MatrixX kept_jacobian(const StepProblem& step, int b, int side, const std::vector<int>& kept) {
  const auto J = step.jacobian_block(b, side);
  MatrixX rows(kept.size(), J.cols());
  for (size_t r = 0; r < kept.size(); ++r) rows.row(static_cast<Eigen::Index>(r)) = J.row(kept[r]);
  return rows;
}

// One side of a row block, as a tree sees it.
struct Touch {
  int block = 0;
  MatrixX jacobian;  // kept rows x tree size
};

std::vector<std::vector<Touch>> touches_by_tree(const StepProblem& step, const std::vector<BlockLaw>& laws) {
  std::vector<std::vector<Touch>> touches(step.trees.size());
  for (int b = 0; b < static_cast<int>(step.blocks.size()); ++b) {
    for (int side = 0; side < 2; ++side) {
      const int tree = step.blocks[b].tree[side];
      if (tree >= 0) touches[tree].push_back({b, kept_jacobian(step, b, side, laws[b].kept)});
    }
  }
  return touches;
}

// Every two blocks that touch the same tree have a block of W between them.
void lay_out_matrix(const StepProblem& step, const std::vector<std::vector<Touch>>& touches, FrictionProblem& problem) {
  problem.row_start.assign(1, 0);
  std::vector<int> columns;
  for (int b = 0; b < problem.block_count(); ++b) {
    columns.assign(1, b);
    for (const int tree : step.blocks[b].tree) {
      if (tree < 0) continue;
      for (const Touch& touch : touches[tree]) columns.push_back(touch.block);
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const int column : columns) {
      problem.column.push_back(column);
      problem.value_start.push_back(static_cast<int>(problem.value.size()));
      problem.value.resize(problem.value.size() + problem.blocks[b].row_count * problem.blocks[column].row_count, 0.0);
    }
    problem.row_start.push_back(static_cast<int>(problem.column.size()));
  }
}

Eigen::Map<RowMatrixX> block_of(FrictionProblem& problem, int row, int column) {
  const auto first = problem.column.begin() + problem.row_start[row];
  const auto last = problem.column.begin() + problem.row_start[row + 1];
  const auto place = std::lower_bound(first, last, column) - problem.column.begin();
  return {problem.value.data() + problem.value_start[place], problem.blocks[row].row_count,
          problem.blocks[column].row_count};
}

// Adds J M^-1 J^T of one tree: Y = L^-1 J^T, W += Y^T Y.
void add_tree(const StepProblem& step, int tree, const std::vector<Touch>& touches, FrictionProblem& problem) {
  if (touches.empty()) return;
  const Eigen::LLT<MatrixX> mass(step.mass_block(tree));
  STICTION_ASSERT(mass.info() == Eigen::Success, "masses are positive definite");
  std::vector<MatrixX> Y;
  for (const Touch& touch : touches) Y.push_back(mass.matrixL().solve(touch.jacobian.transpose()));
  for (size_t i = 0; i < touches.size(); ++i) {
    for (size_t j = 0; j < touches.size(); ++j) {
      block_of(problem, touches[i].block, touches[j].block) += Y[i].transpose() * Y[j];
    }
  }
}

// q += J v_free of one tree.
void add_free_motion(const StepProblem& step, int tree, const std::vector<Touch>& touches, FrictionProblem& problem) {
  const VelocityTree& place = step.trees[tree];
  for (const Touch& touch : touches) {
    const FrictionBlock& block = problem.blocks[touch.block];
    Eigen::Map<VectorX>(problem.q.data() + block.first_row, block.row_count) +=
        touch.jacobian * step.v_free.segment(place.offset, place.size);
  }
}

}  // namespace

std::vector<double> CondensedStep::impulses(const StepAnswer& answer) const {
  std::vector<double> r;
  for (const int row : step_row) r.push_back(answer.impulse[row]);
  return r;
}

CondensedStep condense_step(const StepProblem& step) {
  CondensedStep result;
  FrictionProblem& problem = result.problem;
  const std::vector<BlockLaw> laws = find_laws(step);
  for (size_t b = 0; b < laws.size(); ++b) {
    FrictionBlock block = laws[b].block;
    block.first_row = problem.row_count();
    block.row_count = static_cast<int>(laws[b].kept.size());
    problem.blocks.push_back(block);
    problem.q.insert(problem.q.end(), laws[b].constant.begin(), laws[b].constant.end());
    for (const int row : laws[b].kept) result.step_row.push_back(step.blocks[b].first_row + row);
  }
  const auto touches = touches_by_tree(step, laws);
  lay_out_matrix(step, touches, problem);
  for (int tree = 0; tree < static_cast<int>(step.trees.size()); ++tree) {
    add_tree(step, tree, touches[tree], problem);
    add_free_motion(step, tree, touches[tree], problem);
  }
  return result;
}

}  // namespace stiction
