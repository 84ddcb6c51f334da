#include "stiction/methods/convex/convex_rows.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/dense.h"
#include "stiction/math/types.h"

namespace stiction::methods {

namespace {

using Law = FrictionBlock::Law;

// What joints leave of a row's unit diagonal when nothing can move along it: rounding.
constexpr double immovable = 1e-12;
// Rows of joints that depend on each other.
constexpr double joint_rank = 1e-12;
// Velocities below this share of the largest are rounding.
constexpr double velocity_rounding = 1e-9;

// Rolling and the turning of joints count this much less than slip, squared in the objective: friction that could slow
// a wheel by letting it slip must not, and without slip the two do not compete.
constexpr double below_slip = 1e3;

constexpr int spin_row = 3;

}  // namespace

// D W D of unit diagonal, and D q.
void ConvexRows::scale_rows(const FrictionProblem& problem) {
  const int n = problem.row_count();
  W_.assign(static_cast<size_t>(n) * n, 0.0);
  for (int i = 0; i < problem.block_count(); ++i) {
    for (int k = problem.row_start[i]; k < problem.row_start[i + 1]; ++k) {
      const FrictionBlock &a = problem.blocks[i], &c = problem.blocks[problem.column[k]];
      const double* value = problem.value.data() + problem.value_start[k];
      for (int r = 0; r < a.row_count; ++r) {
        for (int s = 0; s < c.row_count; ++s) {
          W_[static_cast<size_t>(c.first_row + s) * n + a.first_row + r] = value[r * c.row_count + s];
        }
      }
    }
  }
  scale_all_.resize(n);
  unit_diagonal(W_.data(), n, n, scale_all_.data());
  b_all_.resize(n);
  for (int j = 0; j < n; ++j) {
    b_all_[j] = scale_all_[j] * problem.q[j];
    for (int i = 0; i < n; ++i) W_[static_cast<size_t>(j) * n + i] *= scale_all_[i] * scale_all_[j];
  }
}

// Replaces W and b of all rows but the joints' by what they are with the joints closed.
void ConvexRows::eliminate_joints() {
  const int n = static_cast<int>(b_all_.size());
  joints_.form(W_.data(), n, joint_rows_, joint_rank);
  const int m = joints_.size();
  right_.resize(m);
  response_.resize(static_cast<size_t>(m) * (n + 1));
  for (int j = 0; m > 0 && j <= n; ++j) {
    for (int e = 0; e < m; ++e) {
      right_[e] = j < n ? W_[static_cast<size_t>(j) * n + joint_rows_[e]] : b_all_[joint_rows_[e]];
    }
    joints_.solve(right_.data(), response_.data() + static_cast<size_t>(j) * m);
  }
  is_joint_.assign(n, 0);
  for (const int e : joint_rows_) is_joint_[e] = 1;
  for (int j = 0; m > 0 && j <= n; ++j) {
    if (j < n && is_joint_[j]) continue;  // W_OE is needed until the end
    const double* x = response_.data() + static_cast<size_t>(j) * m;
    Eigen::Map<VectorX> column(j < n ? W_.data() + static_cast<size_t>(j) * n : b_all_.data(), n);
    for (int e = 0; e < m; ++e) {
      if (x[e] != 0) column -= x[e] * Eigen::Map<const VectorX>(W_.data() + static_cast<size_t>(joint_rows_[e]) * n, n);
    }
  }
  moves_.resize(n);
  for (int i = 0; i < n; ++i) moves_[i] = W_[static_cast<size_t>(i) * n + i] > immovable;
}

void ConvexRows::add_tangents(const IslandFrictionProblem& island, int block, int first, TangentGroup& group) {
  const FrictionBlock& from = island.problem.blocks[block];
  group = {.first = size() - normal_count()};
  for (int r = first; r < from.row_count; ++r) {
    if (!moves_[from.first_row + r] || from.axes[r - first] <= 0) continue;
    group.axes[group.count++] = from.axes[r - first];
    row.push_back(from.first_row + r);
    const bool spin = from.law == Law::contact && island.selection[block].row[r] == spin_row;
    own_weight_.push_back(from.law == Law::bounded ? below_slip : spin ? 1.0 : 0.0);
  }
}

// Normals of contacts and limits, then tangents: contacts', rolling, joints' friction, in the order of the blocks.
void ConvexRows::list_rows(const IslandFrictionProblem& island, int scalar_blocks) {
  const FrictionProblem& problem = island.problem;
  const int pairs = problem.block_count() - scalar_blocks;
  normals.clear();
  dry.clear();
  row.clear();
  own_weight_.clear();
  all_rows_.assign(problem.block_count(), -1);  // normal of each block
  for (int i = 0; i < problem.block_count(); ++i) {
    const FrictionBlock& block = problem.blocks[i];
    if (block.law != Law::contact || !moves_[block.first_row]) continue;
    all_rows_[i] = static_cast<int>(normals.size());
    normals.push_back({.pair = i < pairs});
    row.push_back(block.first_row);
    own_weight_.push_back(i >= pairs ? 1.0 : 0.0);
  }
  for (int i = 0; i < problem.block_count(); ++i) {
    const FrictionBlock& block = problem.blocks[i];
    if (block.law == Law::contact && all_rows_[i] >= 0) {
      add_tangents(island, i, 1, normals[all_rows_[i]].friction);
    } else if (block.law == Law::bounded && block.link >= 0 && all_rows_[block.link] >= 0) {
      add_tangents(island, i, 0, normals[all_rows_[block.link]].rolling);
    } else if (block.law == Law::bounded && block.link < 0) {
      add_tangents(island, i, 0, dry.emplace_back());
      dry.back().bound = block.bound;
    }
  }
}

bool ConvexRows::closes_what_cannot_move(const FrictionProblem& problem) const {
  double fastest = 0;
  for (const double q : problem.q) fastest = std::max(fastest, std::abs(q));
  return std::any_of(problem.blocks.begin(), problem.blocks.end(), [&](const FrictionBlock& block) {
    const int r = block.first_row;
    if (block.law != Law::contact || moves_[r]) return false;
    const double velocity = scale_all_[r] > 0 ? b_all_[r] / scale_all_[r] : problem.q[r];
    return velocity < -velocity_rounding * fastest;
  });
}

// Contacts share one factor: the mean response of their tangents, or of their normals.
void ConvexRows::set_weights() {
  double mobility = 0;
  int count = 0;
  const bool tangents =
      std::any_of(normals.begin(), normals.end(), [](const ConvexNormal& n) { return n.pair && n.friction.count > 0; });
  for (int i = tangents ? normal_count() : 0; i < (tangents ? size() : normal_count()); ++i) {
    if (own_weight_[i] > 0) continue;
    mobility += 1 / (scale[i] * scale[i]);
    ++count;
  }
  const double sigma = count > 0 ? std::sqrt(count / mobility) : 1.0;
  weight.resize(size());
  for (int i = 0; i < size(); ++i) weight[i] = own_weight_[i] > 0 ? own_weight_[i] : scale[i] / sigma;
}

bool ConvexRows::form(const IslandFrictionProblem& island, int scalar_blocks) {
  const FrictionProblem& problem = island.problem;
  const int n = problem.row_count();
  joint_rows_.clear();
  for (const FrictionBlock& block : problem.blocks) {
    for (int r = 0; block.law == Law::bilateral && r < block.row_count; ++r) joint_rows_.push_back(block.first_row + r);
  }
  scale_rows(problem);
  eliminate_joints();
  list_rows(island, scalar_blocks);
  A.resize(static_cast<size_t>(size()) * size());
  b.resize(size());
  scale.resize(size());
  for (int j = 0; j < size(); ++j) {
    b[j] = b_all_[row[j]];
    scale[j] = scale_all_[row[j]];
    for (int i = 0; i < size(); ++i)
      A[static_cast<size_t>(j) * size() + i] = W_[static_cast<size_t>(row[j]) * n + row[i]];
  }
  set_weights();
  return !closes_what_cannot_move(problem);
}

void ConvexRows::scatter(std::span<const double> x, std::vector<double>& r) const {
  r.assign(b_all_.size(), 0.0);
  for (int i = 0; i < size(); ++i) r[row[i]] = scale[i] * x[i];
}

// x_E = -A_EE^+ (b_E + A_EO x): the responses to each row and to b are known.
void ConvexRows::close_joints(std::vector<double>& r) {
  const int n = static_cast<int>(b_all_.size()), m = joints_.size();
  if (m == 0) return;
  const double* of_b = response_.data() + static_cast<size_t>(n) * m;
  std::copy(of_b, of_b + m, right_.begin());
  for (const int i : row) {
    const double x = r[i] / scale_all_[i];
    for (int e = 0; e < m; ++e) right_[e] += x * response_[static_cast<size_t>(i) * m + e];
  }
  for (int e = 0; e < m; ++e) r[joint_rows_[e]] = -scale_all_[joint_rows_[e]] * right_[e];
}

}  // namespace stiction::methods
