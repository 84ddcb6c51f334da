#include "stiction/problem/body_step.h"

#include <algorithm>
#include <numeric>

namespace stiction {
namespace {

using Law = FrictionBlock::Law;

// Appends blocks to a BodyStep, row by row.
class Writer {
 public:
  Writer(const StepProblem& step, BodyStep& result) : step_(step), result_(result), problem_(result.problem) {}

  void bodies(std::span<const int> trees) {
    result_.body_of_tree.assign(step_.trees.size(), -1);
    for (const int tree : trees) {
      const VelocityTree& from = step_.trees[tree];
      result_.body_of_tree[tree] = static_cast<int>(problem_.bodies.size());
      problem_.bodies.push_back({problem_.velocity_count(), from.size, static_cast<int>(problem_.mass.size())});
      const double* mass = step_.mass.data() + from.mass_offset;
      problem_.mass.insert(problem_.mass.end(), mass, mass + from.size * from.size);
      for (int i = from.offset; i < from.offset + from.size; ++i) {
        problem_.v_free.push_back(step_.v_free[i]);
        result_.step_velocity.push_back(i);
      }
    }
  }

  void bilateral(const BilateralRows& joint) {
    FrictionBlock block;
    block.law = Law::bilateral;
    rows_ = 0;
    for (int r = 0; r < step_.blocks[joint.block].row_count; ++r) {
      keep(r, step_.bilateral_bias[joint.first_bias + r]);
    }
    append(joint.block, block);
  }

  void scalar(const ScalarRow& row) {
    FrictionBlock block;
    const bool limit = row.kind == ScalarRow::Kind::limit;
    block.law = limit ? Law::contact : Law::bounded;
    block.axes[0] = limit ? 0.0 : 1.0;
    block.bound = limit ? 0.0 : row.bound;
    rows_ = 0;
    keep(0, row.bias);
    append(row.block, block);
  }

  void contact(const ContactRows& contact) {
    const std::array<double, 3> axes = {contact.friction[0], contact.friction[1], contact.torsion};
    const int rows = step_.blocks[contact.block].row_count;
    const bool frictionless = std::all_of(axes.begin(), axes.begin() + rows - 1, [](double a) { return a == 0; });
    FrictionBlock block;
    rows_ = 0;
    if (contact.cone != nullptr && !frictionless) set_ = {contact.cone, contact.cone_scale};
    keep(0, contact.surface[0] + contact.normal_bias);
    for (int r = 1; r < rows; ++r) {
      if (axes[r - 1] == 0 && !frictionless) continue;
      block.axes[rows_ - 1] = axes[r - 1];
      keep(r, contact.surface[r]);
    }
    const int index = problem_.block_count();
    append(contact.block, block);
    if (contact.rolling >= 0) rolling(step_.rollings[contact.rolling], index);
  }

 private:
  void rolling(const RollingRows& rows, int contact) {
    FrictionBlock block;
    block.law = Law::bounded;
    block.axes = {rows.limit, rows.limit, 0};
    block.link = contact;
    rows_ = 0;
    for (int r = 0; r < 2; ++r) keep(r, rows.surface[r]);
    append(rows.block, block);
  }

  void keep(int row, double constant) {
    kept_[rows_] = row;
    constant_[rows_++] = constant;
  }

  void append(int from, FrictionBlock block) {
    const RowBlock& source = step_.blocks[from];
    block.first_row = problem_.row_count();
    block.row_count = rows_;
    if (set_.cone != nullptr || !problem_.sets.empty()) {
      problem_.sets.resize(problem_.blocks.size());
      problem_.sets.push_back(set_);
    }
    set_ = {};
    problem_.blocks.push_back(block);
    for (int r = 0; r < rows_; ++r) {
      problem_.bias.push_back(constant_[r]);
      result_.step_row.push_back(source.first_row + kept_[r]);
    }
    BodyRows sides;
    int used = 0;
    for (int side = 0; side < 2; ++side) {
      if (source.tree[side] < 0) continue;
      sides.body[used] = result_.body_of_tree[source.tree[side]];
      sides.offset[used++] = static_cast<int>(problem_.jacobian.size());
      const int size = step_.trees[source.tree[side]].size;
      const double* rows = step_.jacobian.data() + source.offset[side];
      if (rows_ == source.row_count) {  // all of them
        problem_.jacobian.insert(problem_.jacobian.end(), rows, rows + rows_ * size);
        continue;
      }
      for (int r = 0; r < rows_; ++r) {
        const double* row = rows + kept_[r] * size;
        problem_.jacobian.insert(problem_.jacobian.end(), row, row + size);
      }
    }
    problem_.sides.push_back(sides);
  }

  const StepProblem& step_;
  BodyStep& result_;
  BodyFrictionProblem& problem_;
  BlockSet set_;  // of the block at hand
  int rows_ = 0;
  std::array<int, 6> kept_ = {};
  std::array<double, 6> constant_ = {};
};

}  // namespace

void body_form(const StepProblem& step, const StepPart& part, BodyStep& result) {
  result.problem.clear();
  result.step_row.clear();
  result.step_velocity.clear();
  Writer writer(step, result);
  writer.bodies(part.trees);
  for (const int i : part.bilaterals) writer.bilateral(step.bilaterals[i]);
  for (const int i : part.scalars) writer.scalar(step.scalars[i]);
  for (const int i : part.contacts) writer.contact(step.contacts[i]);
}

void body_form(const StepProblem& step, BodyStep& result) {
  const size_t most = std::max({step.trees.size(), step.bilaterals.size(), step.scalars.size(), step.contacts.size()});
  std::vector<int> all(most);
  std::iota(all.begin(), all.end(), 0);
  const auto first = [&](size_t count) { return std::span<const int>(all).first(count); };
  body_form(step,
            {first(step.trees.size()), first(step.bilaterals.size()), first(step.scalars.size()),
             first(step.contacts.size())},
            result);
}

}  // namespace stiction
