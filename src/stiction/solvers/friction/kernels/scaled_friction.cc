#include "stiction/solvers/friction/kernels/scaled_friction.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/quad.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;

double largest_axis(const FrictionBlock& block) {
  return std::max({block.axes[0], block.axes[1], block.axes[2]});
}

// S of a row: the axis of the row over the largest axis of its block.
double aspect(const FrictionBlock& block, int row, double largest) {
  if (block.law == Law::bilateral || largest <= 0) return 1;
  const int axis = block.law == Law::contact ? row - 1 : row;
  return axis < 0 || block.axes[axis] == largest ? 1 : block.axes[axis] / largest;
}

// Row scales S D and weights 1 / D of one block.
void scale_rows(const FrictionBlock& block, const double* W, double largest, double* scale, double* weight) {
  const int n = block.row_count;
  double trace = 0;
  for (int i = 0; i < n; ++i) {
    scale[i] = aspect(block, i, largest);
    trace += scale[i] * scale[i] * W[i * n + i];
  }
  const double common = trace > 0 ? std::sqrt(trace / n) : 1, inverse = 1 / common;
  for (int i = 0; i < n; ++i) {
    const bool own = block.law == Law::bilateral && W[i * n + i] > 0;
    weight[i] = own ? std::sqrt(W[i * n + i]) : common;
    scale[i] *= own ? 1 / weight[i] : inverse;
  }
}

void size_arrays(const FrictionProblem& problem, ScaledFriction& s) {
  const int n = problem.block_count(), rows = problem.row_count();
  s.problem = &problem;
  s.block_count = n;
  s.row_count = rows;
  s.law.resize(n);
  s.dim.resize(n);
  s.first.resize(n);
  s.mu.resize(n);
  s.bound.resize(n);
  s.link.resize(n);
  s.diagonal.resize(n);
  s.row_scale.resize(rows);
  s.row_weight.resize(rows);
  s.value.resize(problem.value.size());
  s.q.resize(rows);
}

// All blocks 3 x 3 and stored one after the other, so that block k starts at 9 k.
bool stored_in_order(const FrictionProblem& problem) {
  const int count = static_cast<int>(problem.column.size());
  for (int k = 0; k < count; ++k) {
    if (problem.value_start[k] != 9 * k) return false;
  }
  return true;
}

void scale_blocks(const FrictionProblem& problem, ScaledFriction& s) {
  s.all_three = s.plain = s.round = true;
  for (int i = 0; i < s.block_count; ++i) {
    const FrictionBlock& block = problem.blocks[i];
    s.law[i] = block.law;
    s.dim[i] = static_cast<std::uint8_t>(block.row_count);
    s.first[i] = block.first_row;
    s.link[i] = block.law == Law::bounded ? block.link : -1;
    s.all_three &= block.law == Law::contact && block.row_count == 3 && block.first_row == 3 * i;
    s.plain &= block.law != Law::bounded;
    int k = problem.row_start[i];
    while (problem.column[k] != i) ++k;
    s.diagonal[i] = k;
    s.mu[i] = largest_axis(block);
    s.round &= block.axes[0] == block.axes[1];
    scale_rows(block, problem.value.data() + problem.value_start[k], s.mu[i], s.row_scale.data() + block.first_row,
               s.row_weight.data() + block.first_row);
  }
  s.all_three = s.all_three && stored_in_order(problem);
  s.round = s.round && s.all_three;
}

void scale_right_side(const FrictionProblem& problem, ScaledFriction& s) {
  double sum = 0;
  for (int i = 0; i < s.row_count; ++i) {
    const double aspect_q = s.row_scale[i] * s.row_weight[i] * problem.q[i];
    sum += aspect_q * aspect_q;
  }
  s.q_norm = std::sqrt(sum);
  const double inverse = s.q_norm > 0 ? 1 / s.q_norm : 1;
  for (int i = 0; i < s.row_count; ++i) s.q[i] = s.row_scale[i] * inverse * problem.q[i];
  for (int i = 0; i < s.block_count; ++i) {  // |r'_i| d |q| / mu <= bound + d_link |q| r'_n
    if (s.law[i] != Law::bounded) continue;
    const double factor = s.mu[i] * s.row_weight[s.first[i]];
    s.bound[i] = factor * problem.blocks[i].bound * inverse;
    s.mu[i] = s.link[i] < 0 ? 0 : factor * s.row_scale[s.first[s.link[i]]];
  }
}

// W'_ij = s_i W_ij s_j; returns a sum that is not finite when one of them is not.
template <int D>
double scale_block(const double* from, const double* scale_i, const double* scale_j, int rows, int columns,
                   double* to) {
  if constexpr (D > 0) rows = columns = D;
  double sum = 0;
  for (int a = 0; a < rows; ++a) {
    double row = 0;
    for (int b = 0; b < columns; ++b) {
      to[a * columns + b] = scale_i[a] * scale_j[b] * from[a * columns + b];
      row += std::abs(to[a * columns + b]);
    }
    sum += row;
  }
  return sum;
}

// The same for round contacts of three rows stored one after the other: one factor per block.
double scale_round_values(const FrictionProblem& problem, ScaledFriction& s) {
  Half check = {};  // zero times a number is zero, times one that is not finite it is not
  double last = 0;
  const double* from = problem.value.data();
  double* to = s.value.data();
  for (int i = 0; i < s.block_count; ++i) {
    const int end = problem.row_start[i + 1];
    for (int k = problem.row_start[i]; k < end; ++k, from += 9, to += 9) {
      const double factor = s.row_scale[3 * i] * s.row_scale[3 * problem.column[k]];
      for (int x = 0; x < 8; x += 2) {
        const Half value = factor * *half(from + x);
        *half(to + x) = value;
        check += 0 * value;
      }
      to[8] = factor * from[8];
      last += 0 * to[8];
    }
  }
  return check[0] + check[1] + last;
}

double scale_values(const FrictionProblem& problem, ScaledFriction& s) {
  double check = 0;
  for (int i = 0; i < s.block_count; ++i) {
    const double* scale_i = s.row_scale.data() + s.first[i];
    const int end = problem.row_start[i + 1];
    for (int k = problem.row_start[i]; k < end; ++k) {
      const int j = problem.column[k];
      const double* scale_j = s.row_scale.data() + s.first[j];
      const double* from = problem.value.data() + problem.value_start[k];
      double* to = s.value.data() + problem.value_start[k];
      check += s.all_three ? scale_block<3>(from, scale_i, scale_j, 3, 3, to)
                           : scale_block<-1>(from, scale_i, scale_j, s.dim[i], s.dim[j], to);
    }
  }
  return check;
}

}  // namespace

bool scale_friction(const FrictionProblem& problem, ScaledFriction& s) {
  size_arrays(problem, s);
  scale_blocks(problem, s);
  scale_right_side(problem, s);
  const double check = s.round ? scale_round_values(problem, s) : scale_values(problem, s);
  return std::isfinite(s.q_norm) && std::isfinite(check);
}

void scaled_velocity(const ScaledFriction& s, const double* r, double* u) {
  const int *row_start = s.row_start(), *column = s.column(), *value_start = s.value_start();
  if (s.all_three) {
    for (int i = 0; i < s.block_count; ++i) {
      double u0 = s.q[3 * i], u1 = s.q[3 * i + 1], u2 = s.q[3 * i + 2];
      for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
        const double *W = s.value.data() + value_start[k], *x = r + 3 * column[k];
        u0 += W[0] * x[0] + W[1] * x[1] + W[2] * x[2];
        u1 += W[3] * x[0] + W[4] * x[1] + W[5] * x[2];
        u2 += W[6] * x[0] + W[7] * x[1] + W[8] * x[2];
      }
      u[3 * i] = u0, u[3 * i + 1] = u1, u[3 * i + 2] = u2;
    }
    return;
  }
  for (int i = 0; i < s.block_count; ++i) {
    double* u_i = u + s.first[i];
    std::copy_n(s.q.data() + s.first[i], s.dim[i], u_i);
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
      const double *W = s.value.data() + value_start[k], *x = r + s.first[column[k]];
      const int columns = s.dim[column[k]];
      for (int a = 0; a < s.dim[i]; ++a) {
        for (int b = 0; b < columns; ++b) u_i[a] += W[a * columns + b] * x[b];
      }
    }
  }
}

namespace {

// Where every block is a contact of three rows.
double three_rows_residual(const ScaledFriction& s, const double* r, const double* u) {
  double sum = 0;
  for (int i = 0; i < s.block_count; ++i, r += 3, u += 3) {
    if (u[0] >= 0 && r[0] == 0 && r[1] == 0 && r[2] == 0) continue;  // open
    const double mu = s.mu[i], slip = std::sqrt(u[1] * u[1] + u[2] * u[2]);
    double x[3] = {r[0] - u[0] - mu * slip, r[1] - u[1], r[2] - u[2]};
    project_on_cone(x, 3, mu);
    for (int a = 0; a < 3; ++a) {
      const double e = (r[a] - x[a]) * s.row_weight[3 * i + a];
      sum += e * e;
    }
  }
  return std::sqrt(sum);
}

}  // namespace

double scaled_residual(const ScaledFriction& s, const double* r, const double* u) {
  if (s.all_three) return three_rows_residual(s, r, u);
  double sum = 0;
  for (int i = 0; i < s.block_count; ++i) {
    const int first = s.first[i];
    if (s.law[i] == Law::contact && u[first] >= 0 && r[first] == 0) {  // open, unless friction acts without a normal
      bool open = true;
      for (int a = 1; a < s.dim[i]; ++a) open &= r[first + a] == 0;
      if (open) continue;
    }
    double defect[6];
    natural_map(s, i, r, u + first, defect);
    for (int a = 0; a < s.dim[i]; ++a) {
      const double e = defect[a] * s.row_weight[first + a];
      sum += e * e;
    }
  }
  return std::sqrt(sum);
}

void to_scaled(const ScaledFriction& s, std::span<const double> r, double* scaled) {
  const double inverse = s.q_norm > 0 ? 1 / s.q_norm : 1;
  for (int i = 0; i < s.row_count; ++i) scaled[i] = s.row_scale[i] > 0 ? r[i] * inverse / s.row_scale[i] : 0.0;
}

void from_scaled(const ScaledFriction& s, const double* scaled, std::span<double> r) {
  const double norm = s.q_norm > 0 ? s.q_norm : 1;
  for (int i = 0; i < s.row_count; ++i) r[i] = scaled[i] * s.row_scale[i] * norm;
}

}  // namespace stiction::solvers
