#include "stiction/problem/friction_matrix.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stiction/base/assert.h"

namespace stiction {
namespace {

using Law = FrictionBlock::Law;

// The row after the last block.
int end_row(const FrictionProblem& problem) {
  return problem.blocks.empty() ? 0 : problem.blocks.back().first_row + problem.blocks.back().row_count;
}

// The block of each row.
std::vector<int> blocks_of_rows(const FrictionProblem& problem) {
  std::vector<int> block_of_row;
  for (int b = 0; b < problem.block_count(); ++b) {
    block_of_row.insert(block_of_row.end(), problem.blocks[b].row_count, b);
  }
  return block_of_row;
}

// Block columns of block row b, ascending.
void find_columns(const FrictionBlock& block, int b, const SparseRows& W, const std::vector<int>& block_of_row,
                  std::vector<int>& columns) {
  columns.assign(1, b);
  for (int i = 0; i < block.row_count; ++i) {
    for (SparseRows::InnerIterator entry(W, block.first_row + i); entry; ++entry) {
      columns.push_back(block_of_row[entry.col()]);
    }
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

bool is_finite(double value) {
  return std::isfinite(value);
}

std::string defect_of_rows(const FrictionBlock& block) {
  const int most = block.law == Law::bilateral ? 6 : block.law == Law::contact ? 4 : 3;
  if (block.row_count >= 1 && block.row_count <= most) return {};
  return fmt::format("has {} rows where its law allows 1 to {}", block.row_count, most);
}

std::string defect_of_axes(const FrictionBlock& block) {
  if (block.law == Law::bilateral) return {};
  const int count = block.law == Law::contact ? block.row_count - 1 : block.row_count;
  const auto end = block.axes.begin() + count;
  if (!std::all_of(block.axes.begin(), end, is_finite)) return "has an axis that is not finite";
  const bool zero = std::all_of(block.axes.begin(), end, [](double axis) { return axis == 0; });
  const bool positive = std::all_of(block.axes.begin(), end, [](double axis) { return axis > 0; });
  return zero || positive ? "" : "has axes that are neither all zero nor all positive";
}

std::string defect_of_bound(const FrictionProblem& problem, const FrictionBlock& block) {
  if (block.law != Law::bounded) return {};
  if (!is_finite(block.bound) || block.bound < 0) return "has a bound that is negative or not finite";
  if (block.link == -1) return {};
  const bool inside = block.link >= 0 && block.link < problem.block_count();
  return inside && problem.blocks[block.link].law == Law::contact ? "" : "links to a block that is not a contact";
}

std::string defect_of_blocks(const FrictionProblem& problem) {
  int row = 0;
  for (int b = 0; b < problem.block_count(); ++b) {
    const FrictionBlock& block = problem.blocks[b];
    std::string defect = defect_of_rows(block);
    if (defect.empty() && block.first_row != row) defect = "does not start where the one before it ends";
    if (defect.empty()) defect = defect_of_axes(block);
    if (defect.empty()) defect = defect_of_bound(problem, block);
    if (!defect.empty()) return fmt::format("block {} {}", b, defect);
    row += block.row_count;
  }
  return row == problem.row_count() ? ""
                                    : fmt::format("the blocks have {} rows but q has {}", row, problem.row_count());
}

// One block row of W: columns ascending, within the problem, the diagonal among them, values where they should be.
std::string defect_of_block_row(const FrictionProblem& problem, int b, size_t& value) {
  bool diagonal = false;
  for (int k = problem.row_start[b]; k < problem.row_start[b + 1]; ++k) {
    const int column = problem.column[k];
    if (column < 0 || column >= problem.block_count()) return "a column that does not exist";
    if (k > problem.row_start[b] && column <= problem.column[k - 1]) return "columns that do not ascend";
    if (problem.value_start[k] != static_cast<int>(value)) return "values that are not packed";
    diagonal |= column == b;
    value += static_cast<size_t>(problem.blocks[b].row_count) * problem.blocks[column].row_count;
  }
  return diagonal ? "" : "no diagonal block";
}

std::string defect_of_matrix(const FrictionProblem& problem) {
  const size_t blocks = problem.blocks.size();
  if (problem.row_start.size() != blocks + 1 || problem.row_start.front() != 0 ||
      problem.row_start.back() != static_cast<int>(problem.column.size()) ||
      problem.value_start.size() != problem.column.size() ||
      !std::is_sorted(problem.row_start.begin(), problem.row_start.end())) {
    return "the pointers to the blocks of W do not fit their number";
  }
  size_t value = 0;
  for (int b = 0; b < problem.block_count(); ++b) {
    const std::string defect = defect_of_block_row(problem, b, value);
    if (!defect.empty()) return fmt::format("block row {} of W has {}", b, defect);
  }
  return value == problem.value.size() ? "" : "the blocks of W do not have as many entries as are stored";
}

}  // namespace

void append_contacts(FrictionProblem& problem, int row_count, std::span<const double> mu) {
  for (const double coefficient : mu) {
    FrictionBlock block;
    block.first_row = end_row(problem);
    block.row_count = row_count;
    for (int i = 0; i + 1 < row_count; ++i) block.axes[i] = coefficient;
    problem.blocks.push_back(block);
  }
}

void append_bilaterals(FrictionProblem& problem, int count) {
  for (int i = 0; i < count; ++i) {
    FrictionBlock block;
    block.law = Law::bilateral;
    block.first_row = end_row(problem);
    block.row_count = 1;
    problem.blocks.push_back(block);
  }
}

void set_matrix(FrictionProblem& problem, const SparseRows& W) {
  const std::vector<int> block_of_row = blocks_of_rows(problem);
  STICTION_ASSERT(W.rows() == W.cols() && W.rows() == static_cast<int>(block_of_row.size()),
                  "one row of W per row of the problem");
  problem.row_start.assign(1, 0);
  problem.column.clear();
  problem.value_start.clear();
  problem.value.clear();
  std::vector<int> columns;
  std::vector<size_t> place(problem.blocks.size());  // of the block in each column of the current block row
  for (int b = 0; b < problem.block_count(); ++b) {
    const FrictionBlock& block = problem.blocks[b];
    find_columns(block, b, W, block_of_row, columns);
    for (const int column : columns) {
      place[column] = problem.value.size();
      problem.column.push_back(column);
      problem.value_start.push_back(static_cast<int>(problem.value.size()));
      problem.value.resize(problem.value.size() + block.row_count * problem.blocks[column].row_count, 0.0);
    }
    for (int i = 0; i < block.row_count; ++i) {
      for (SparseRows::InnerIterator entry(W, block.first_row + i); entry; ++entry) {
        const int column = block_of_row[entry.col()];
        const FrictionBlock& other = problem.blocks[column];
        problem.value[place[column] + i * other.row_count + entry.col() - other.first_row] = entry.value();
      }
    }
    problem.row_start.push_back(static_cast<int>(problem.column.size()));
  }
}

SparseRows matrix_of(const FrictionProblem& problem) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(problem.value.size());
  for (int b = 0; b < problem.block_count(); ++b) {
    const FrictionBlock& block = problem.blocks[b];
    for (int k = problem.row_start[b]; k < problem.row_start[b + 1]; ++k) {
      const FrictionBlock& other = problem.blocks[problem.column[k]];
      const double* value = problem.value.data() + problem.value_start[k];
      for (int i = 0; i < block.row_count; ++i) {
        for (int j = 0; j < other.row_count; ++j) {
          entries.emplace_back(block.first_row + i, other.first_row + j, value[i * other.row_count + j]);
        }
      }
    }
  }
  SparseRows W(problem.row_count(), problem.row_count());
  W.setFromTriplets(entries.begin(), entries.end());
  return W;
}

std::string defect_of(const FrictionProblem& problem) {
  std::string defect = defect_of_blocks(problem);
  if (defect.empty()) defect = defect_of_matrix(problem);
  if (!defect.empty()) return defect;
  if (!std::all_of(problem.value.begin(), problem.value.end(), is_finite)) return "W has a value that is not finite";
  if (!std::all_of(problem.q.begin(), problem.q.end(), is_finite)) return "q has a value that is not finite";
  return {};
}

}  // namespace stiction
