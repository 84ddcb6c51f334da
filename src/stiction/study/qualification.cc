#include "stiction/study/qualification.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stiction/math/linear/dense.h"
#include "stiction/stepping/projection.h"

namespace stiction {

namespace {

// Of rows scaled to one: what is left of a dependent row is the square of its rounding.
constexpr double rank_tolerance = 1e-10;
// Rows that say the same tie as pivots but for rounding: the earlier joint's go first.
constexpr double later_joint = 1e-6;

// Scales W to a unit diagonal; a row that moves nothing gets zeros.
void scale_rows(std::vector<double>& W, int n) {
  std::vector<double> scale(n);
  unit_diagonal(W.data(), n, n, scale.data());
  for (int i = 0; i < n; ++i) scale[i] *= 1 - later_joint * i / n;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) W[static_cast<size_t>(j) * n + i] *= scale[i] * scale[j];
  }
}

// Ranks one island: counts into `dependent`, one number a closing joint of the problem.
int rank_island(const StepProblem& problem, const contact::Island& island, contact::IslandDelassus& delassus,
                std::vector<int>& dependent) {
  std::vector<int> blocks, owner;
  for (const int b : island.bilaterals) {
    blocks.push_back(problem.bilaterals[b].block);
    owner.insert(owner.end(), problem.blocks[blocks.back()].row_count, b);
  }
  if (blocks.empty() || !delassus.form(problem, island, blocks)) return 0;
  const int n = delassus.rows();
  std::vector<double> W = delassus.matrix();
  W.resize(static_cast<size_t>(n) * n);
  scale_rows(W, n);
  std::vector<int> pivots(n);
  const int rank = pivoted_cholesky(W.data(), n, rank_tolerance, pivots);
  for (int k = rank; k < n; ++k) ++dependent[owner[pivots[k]]];
  return rank;
}

}  // namespace

Qualification check_qualification(const Model& model, const State& state) {
  Qualification result;
  ProjectionWorkspace w(model);
  constraint_violation(model, state, w);  // assembles the rows
  const StepProblem& problem = w.problem;
  contact::Islands islands;
  islands.update(problem);
  std::vector<int> dependent(problem.bilaterals.size(), 0);
  for (int i = 0; i < islands.count(); ++i) {
    result.rank += rank_island(problem, islands[i], w.delassus, dependent);
  }
  for (size_t b = 0; b < dependent.size(); ++b) {
    const int rows = problem.blocks[problem.bilaterals[b].block].row_count;
    result.rows += rows;
    const Joint& joint = model.loop_joints[w.assembly.bilateral_joint[b]];
    if (dependent[b] > 0) result.dependent.push_back({joint.name, rows, dependent[b]});
  }
  return result;
}

std::string describe(const Qualification& qualification) {
  if (qualification.holds()) return {};
  std::string text = "closing joints depend on each other:";
  for (const DependentJoint& joint : qualification.dependent) {
    text += fmt::format(" '{}' in {} of its {} rows,", joint.name, joint.dependent, joint.rows);
  }
  return text + " so that reactions are not unique; the motion is, unless the joints contradict each other";
}

}  // namespace stiction
