#include "stiction/solvers/lcp/lemke_tableau.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/math/linear/dense_kernels.h"
#include "stiction/math/linear/dense_lu.h"

namespace stiction::solvers {
namespace {

// A basic value that cancelled to less than this fraction of its terms is zero: so degenerate corners stay exactly
// degenerate.
constexpr double cancelled_below = 4e-15;

// Entries of the scaled inverse that differ by less than this are rounding, whatever their ratio.
constexpr double inverse_noise = 1e-13;

// Pivots of the basic block below this fraction of its largest entry mean that rounding has led to a basis that is
// none.
constexpr double singular_pivot = 1e-15;

constexpr int look_at_clock = 32;  // pivots

}  // namespace

void LemkeTableau::reserve(int size) {
  const size_t height = padded(size);
  a.reserve(height * (size + 2));
  entering.reserve(height);
  basic.reserve(size);
  nonbasic.reserve(size + 1);
  place.reserve(2 * size + 1);
  lanes.reserve(height / lane_width);
  tied.reserve(size);
  original.reserve(height * (size + 2));
  factor.reserve(height * size);
  part.reserve(height);
  index.reserve(3 * size);
}

void LemkeTableau::start(int size, const double* M, const double* scale, const double* q) {
  n = size;
  stride = padded(n);
  pivots = 0;
  a.assign(static_cast<size_t>(stride) * (n + 2), 0.0);
  entering.assign(stride, 0.0);
  basic.resize(n);
  nonbasic.resize(n + 1);
  place.resize(2 * n + 1);
  lanes.resize(stride / lane_width);
  tied.clear();
  for (int i = 0; i < n; ++i) place[i] = basic[i] = i;
  for (int j = 0; j <= n; ++j) place[nonbasic[j] = n + j] = -1 - j;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) column(j)[i] = -M[static_cast<size_t>(j) * n + i] * scale[i] * scale[j];
  }
  std::fill_n(column(n), n, -1.0);
  std::copy_n(q, n, values());
  original = a;
}

LemkeTableau::End LemkeTableau::run(const Rules& rules) {
  const int z0 = 2 * n;
  int row = choose_first_row(rules);
  int column_in = n;
  z0_start = std::abs(values()[row]);
  while (true) {
    const int leaving = basic[row];
    exchange(row, column_in);
    if (!std::isfinite(values()[row])) return End::breakdown;
    if (leaving == z0) return End::complementary;
    if (pivots >= rules.max_pivots) return End::pivot_limit;
    if (pivots % look_at_clock == 0 && rules.deadline.passed()) return End::time_limit;
    if (rules.refactor_interval > 0 && pivots % rules.refactor_interval == 0 && !recompute()) return End::breakdown;
    column_in = -1 - place[complement(leaving)];
    row = choose_row(column_in, rules);
    if (row < 0) return End::ray;
  }
}

// z0 enters and must cover the most negative q: the row whose [q_i, e_i] is lexicographically smallest leaves.
int LemkeTableau::choose_first_row(const Rules& rules) {
  const double* q = values();
  const double smallest = *std::min_element(q, q + n);
  tied.clear();
  for (int i = 0; i < n; ++i) {
    if (q[i] - smallest <= rules.tie_tolerance * std::abs(smallest)) tied.push_back(i);
  }
  return lexicographic_minimum(column(n), -1.0, rules.tie_tolerance);
}

// Ratio test: the smallest values / column over usable pivots; ties go to z0 or to the lexicographic rule. -1: a ray.
int LemkeTableau::choose_row(int entering_column, const Rules& rules) {
  const double* pivot_column = column(entering_column);
  const double* value = values();
  double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(pivot_column[i]));
  const double usable = rules.pivot_tolerance * largest;
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < n; ++i) {
    if (pivot_column[i] > usable) smallest = std::min(smallest, value[i] / pivot_column[i]);
  }
  if (!(smallest < std::numeric_limits<double>::infinity())) return -1;
  const double limit = smallest + rules.tie_tolerance * std::abs(smallest);
  tied.clear();
  for (int i = 0; i < n; ++i) {
    if (pivot_column[i] > usable && value[i] / pivot_column[i] <= limit) tied.push_back(i);
  }
  const int z0_row = place[2 * n];
  const double z0_pivot = pivot_column[z0_row];
  if (z0_pivot > usable && value[z0_row] - smallest * z0_pivot <= rules.z0_tolerance * z0_start) return z0_row;
  return lexicographic_minimum(pivot_column, 1.0, rules.tie_tolerance);
}

// Of the tied rows, the one whose row of the inverse, divided by its pivot, is lexicographically smallest.
int LemkeTableau::lexicographic_minimum(const double* pivot_column, double sign, double tie_tolerance) {
  for (int j = 0; j < n && tied.size() > 1; ++j) {
    const int at = place[j];
    if (at >= 0) {  // a unit column: its row is larger by 1 / pivot > 0 than every other
      tied.erase(std::remove(tied.begin(), tied.end(), at), tied.end());
      continue;
    }
    const double* inverse = column(-1 - at);
    double smallest = std::numeric_limits<double>::infinity();
    double magnitude = 0;
    for (const int i : tied) {
      const double ratio = inverse[i] / (sign * pivot_column[i]);
      smallest = std::min(smallest, ratio);
      magnitude = std::max({magnitude, tie_tolerance * std::abs(ratio), inverse_noise / std::abs(pivot_column[i])});
    }
    tied.erase(std::remove_if(tied.begin(), tied.end(),
                              [&](int i) { return inverse[i] / (sign * pivot_column[i]) > smallest + magnitude; }),
               tied.end());
  }
  // More than one left means rows that rounding cannot tell apart: the largest pivot is the safest.
  return *std::max_element(tied.begin(), tied.end(),
                           [&](int i, int k) { return std::abs(pivot_column[i]) < std::abs(pivot_column[k]); });
}

// Jordan exchange of the basic variable of `row` with the non-basic one of `entering_column`.
void LemkeTableau::exchange(int row, int entering_column) {
  double* out = column(entering_column);
  std::copy_n(out, stride, entering.data());
  const double pivot = entering[row];
  int lane_count = 0;
  for (int l = 0; l < stride / lane_width; ++l) {
    const double* lane = entering.data() + l * lane_width;
    if (std::any_of(lane, lane + lane_width, [](double x) { return x != 0; })) lanes[lane_count++] = l;
  }

  for (int c = 0; c <= n; ++c) {
    if (c == entering_column) continue;
    double* y = column(c);
    if (y[row] == 0) continue;
    const double multiple = y[row] / pivot;
    subtract_scaled_lanes(lanes.data(), lane_count, multiple, entering.data(), y);
    y[row] = multiple;
  }
  double* value = values();
  const double step = value[row] / pivot;
  for (int i = 0; i < n; ++i) {
    const double change = step * entering[i];
    const double next = value[i] - change;
    // Negative can only be rounding, or a row that lost a tie by less than the tie tolerance.
    value[i] = next <= cancelled_below * (std::abs(value[i]) + std::abs(change)) ? 0.0 : next;
  }
  value[row] = step;
  for (int i = 0; i < n; ++i) out[i] = -entering[i] / pivot;
  out[row] = 1 / pivot;

  std::swap(basic[row], nonbasic[entering_column]);
  place[basic[row]] = row;
  place[nonbasic[entering_column]] = -1 - entering_column;
  ++pivots;
}

// The tableau of the present basis from the problem itself, free of the rounding that the pivots piled up. With R the
// rows whose w is non-basic and C the basic z (and z0), A_RC x_C = g_R and w = g - A_C x_C for the original column g of
// every variable.
bool LemkeTableau::recompute() {
  index.resize(3 * n);
  int* rows = index.data();
  int* variables = rows + n;
  int size = 0;
  int row_count = 0;
  for (int i = 0; i < n; ++i) {
    if (place[i] < 0) rows[row_count++] = i;
  }
  for (int i = 0; i < n; ++i) {
    if (basic[i] >= n) variables[size++] = basic[i];
  }
  factor.resize(static_cast<size_t>(stride) * size);
  part.resize(stride);
  for (int c = 0; c < size; ++c) {
    const double* from = original.data() + static_cast<size_t>(variables[c] - n) * stride;
    for (int r = 0; r < size; ++r) factor[static_cast<size_t>(c) * stride + r] = from[rows[r]];
  }
  if (!factor_lu(size, factor.data(), stride, rows + 2 * n, singular_pivot)) return false;
  for (int c = 0; c <= n + 1; ++c) recompute_column(c, size);
  for (int i = 0; i < n; ++i) values()[i] = std::max(0.0, values()[i]);
  return true;
}

void LemkeTableau::recompute_column(int c, int block_size) {
  const int* rows = index.data();
  const int* variables = rows + n;
  double* g = entering.data();
  const int variable = c <= n ? nonbasic[c] : 2 * n + 1;  // the values stand after z0
  if (variable < n) {
    std::fill_n(g, n, 0.0);
    g[variable] = 1;
  } else {
    std::copy_n(original.data() + static_cast<size_t>(variable - n) * stride, n, g);
  }
  double* out = column(c);
  for (int k = 0; k < block_size; ++k) out[place[variables[k]]] = 0;
  for (int pass = 0; pass < (c <= n ? 1 : 2); ++pass) {  // the values are refined once
    for (int k = 0; k < block_size; ++k) part[k] = g[rows[k]];
    solve_lu(block_size, factor.data(), stride, rows + 2 * n, part.data());
    for (int k = 0; k < block_size; ++k) {
      if (part[k] == 0) continue;
      out[place[variables[k]]] += part[k];
      subtract_scaled(n, part[k], original.data() + static_cast<size_t>(variables[k] - n) * stride, g);
    }
  }
  for (int i = 0; i < n; ++i) {
    if (place[i] >= 0) out[place[i]] = g[i];
  }
}

void LemkeTableau::read_basis(std::vector<std::uint8_t>& basis) const {
  basis.resize(n);
  for (int i = 0; i < n; ++i) basis[i] = place[n + i] >= 0;
}

int LemkeTableau::missing_pair() const {
  for (int i = 0; i < n; ++i) {
    if (place[i] < 0 && place[n + i] < 0) return i;
  }
  return -1;
}

}  // namespace stiction::solvers
