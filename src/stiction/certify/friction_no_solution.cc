#include "stiction/certify/friction_no_solution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stiction::certify {
namespace {

using Law = FrictionBlock::Law;

// Sums over the rows of one column of W, with the error of the first.
struct Column {
  double c = 0;          // (W^T y)_j
  double magnitude = 0;  // sum |W_ij y_i|
  double largest = 0;    // max |W_ij|
  double diagonal = 0;
};

struct Checker {
  const FrictionProblem& problem;
  std::span<const double> y;
  const FrictionNoSolutionOptions& options;
  std::vector<Column> columns = {};
  std::vector<double> wrong = {};  // of a contact's block: what r_n multiplies
  double rounding = 0;
  double t = 0;
  double q_largest = 0;
  double constant = 0;   // what y . q has to beat: slacks and constant radii
  double unbounded = 0;  // sum of wrong parts times their units

  std::string_view signs() const;
  void sum_columns();
  void measure_q();
  void add_block(int b);
  double friction_size(const FrictionBlock& block, int offset) const;
  double unit(int row) const;
};

double largest_axis(const FrictionBlock& block) {
  return std::max({block.axes[0], block.axes[1], block.axes[2]});
}

std::string_view Checker::signs() const {
  for (const FrictionBlock& block : problem.blocks) {
    for (int i = 0; i < block.row_count; ++i) {
      const double value = y[block.first_row + i];
      if (!std::isfinite(value)) return "a multiplier is not finite";
      if (block.law == Law::bilateral) continue;
      if (block.law == Law::contact && i == 0) {
        if (value < 0) return "a multiplier of a normal is negative";
      } else if (value != 0) {
        return "a multiplier acts on a friction row";
      }
    }
  }
  return {};
}

void Checker::sum_columns() {
  columns.assign(problem.q.size(), {});
  for (int b = 0; b < problem.block_count(); ++b) {
    const FrictionBlock& rows = problem.blocks[b];
    for (int k = problem.row_start[b]; k < problem.row_start[b + 1]; ++k) {
      const FrictionBlock& other = problem.blocks[problem.column[k]];
      for (int i = 0; i < rows.row_count; ++i) {
        for (int j = 0; j < other.row_count; ++j) {
          const double W = problem.value[problem.value_start[k] + i * other.row_count + j];
          Column& column = columns[other.first_row + j];
          column.c += W * y[rows.first_row + i];
          column.magnitude += std::abs(W * y[rows.first_row + i]);
          column.largest = std::max(column.largest, std::abs(W));
          if (problem.column[k] == b && i == j) column.diagonal = W;
        }
      }
    }
  }
}

void Checker::measure_q() {
  double squares = 0;
  for (const FrictionBlock& block : problem.blocks) {
    for (int i = 0; i < block.row_count; ++i)
      squares += problem.q[block.first_row + i] * problem.q[block.first_row + i];
  }
  for (const double q : problem.q) q_largest = std::max(q_largest, std::abs(q));
  t = options.tolerance * (squares > 0 ? std::sqrt(squares) : 1.0) * (1 + rounding);  // |S q| <= |q|
}

double Checker::unit(int row) const {
  return q_largest > 0 && columns[row].largest > 0 ? q_largest / columns[row].largest : 1.0;
}

// Upper bound of |axes c| over the friction rows.
double Checker::friction_size(const FrictionBlock& block, int offset) const {
  double sum = 0;
  for (int i = offset; i < block.row_count; ++i) {
    const Column& column = columns[block.first_row + i];
    const double size = block.axes[i - offset] * (std::abs(column.c) + rounding * column.magnitude);
    sum += size * size;
  }
  return std::sqrt(sum) * (1 + rounding);
}

void Checker::add_block(int b) {
  const FrictionBlock& block = problem.blocks[b];
  double distance = 0, trace = 0;  // c . (r - nearest point of the cone) <= distance t / (trace / rows)
  for (int i = 0; i < block.row_count; ++i) {
    const Column& column = columns[block.first_row + i];
    const double size = std::abs(column.c) + rounding * column.magnitude;
    constant += std::abs(y[block.first_row + i]) * t * (1 + largest_axis(block));
    distance += size;
    if (block.law == Law::bilateral) unbounded += size * unit(block.first_row + i);
    const double s = block.law == Law::contact && i == 0 ? 1.0
                     : largest_axis(block) > 0 ? block.axes[i - (block.law == Law::contact)] / largest_axis(block)
                                               : 1.0;
    if (block.law != Law::bilateral) trace += s * s * column.diagonal;
  }
  if (block.law == Law::bilateral) return;
  constant += (2 + largest_axis(block)) * distance * t * (trace > 0 ? block.row_count / trace : 1.0);
  if (block.law == Law::contact) {
    const Column& normal = columns[block.first_row];
    wrong[b] += std::max(0.0, normal.c + rounding * normal.magnitude + friction_size(block, 1));
  } else {
    const double size = friction_size(block, 0);
    constant += std::max(0.0, block.bound) * size;
    if (block.link >= 0) wrong[block.link] += size;
  }
}

bool finite(const FrictionProblem& problem) {
  const auto all = [](const std::vector<double>& x) {
    return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
  };
  return all(problem.value) && all(problem.q);
}

}  // namespace

FrictionNoSolutionCheck check_friction_no_solution(const FrictionProblem& problem, std::span<const double> y,
                                                   const FrictionNoSolutionOptions& options) {
  if (y.size() != problem.q.size()) return {false, 0, "the number of multipliers is not the number of rows"};
  if (!finite(problem)) return {false, 0, "the problem is not finite"};
  Checker checker{problem, y, options};
  if (const std::string_view reason = checker.signs(); !reason.empty()) return {false, 0, reason};
  checker.rounding = static_cast<double>(4 * problem.row_count() + 16) * std::numeric_limits<double>::epsilon();
  checker.sum_columns();
  checker.measure_q();
  checker.wrong.assign(problem.block_count(), 0.0);
  for (int b = 0; b < problem.block_count(); ++b) checker.add_block(b);
  for (int b = 0; b < problem.block_count(); ++b) {
    checker.unbounded += checker.wrong[b] * checker.unit(problem.blocks[b].first_row);
  }
  double gain = 0, magnitude = 0;
  for (int i = 0; i < problem.row_count(); ++i) {
    gain -= y[i] * problem.q[i];
    magnitude += std::abs(y[i] * problem.q[i]);
  }
  gain -= checker.rounding * magnitude + checker.constant * (1 + checker.rounding);
  if (!(gain > 0)) return {false, 0, "y . q is not negative enough"};
  const double radius = checker.unbounded > 0 ? gain / checker.unbounded * (1 - checker.rounding)
                                              : std::numeric_limits<double>::infinity();
  if (!(radius >= options.radius)) return {false, 0, "the multipliers refute only small impulses"};
  return {true, radius, {}};
}

}  // namespace stiction::certify
