#include "stiction/certify/friction_residual.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stiction/base/assert.h"
#include "stiction/base/infinity.h"

namespace stiction::certify {
namespace {

constexpr int most_rows = 6;

using Law = FrictionBlock::Law;
// Wider than the answer's numbers: an r so large that the rounding of W r swallows q must not pass for an answer.
using Wide = long double;
using Rows = std::array<Wide, most_rows>;

// Sums of squares of what FrictionResidual names.
struct Squares {
  Wide natural = 0;
  Wide doubt = 0;
  Wide cone = 0;
  Wide complementarity = 0;
  Wide bilateral = 0;
  Wide q = 0;
};

Wide square(Wide x) {
  return x * x;
}

Wide norm(const Wide* x, int count) {
  Wide sum = 0;
  for (int i = 0; i < count; ++i) sum += square(x[i]);
  return std::sqrt(sum);
}

// u = W r + q on the rows of block b; `magnitude` gets the sum of the sizes of its terms, `diagonal` the diagonal of W.
void velocity(const FrictionProblem& problem, std::span<const double> r, int b, Rows& u, Rows& magnitude,
              Rows& diagonal) {
  const FrictionBlock& block = problem.blocks[b];
  for (int i = 0; i < block.row_count; ++i) u[i] = problem.q[block.first_row + i];
  for (int k = problem.row_start[b]; k < problem.row_start[b + 1]; ++k) {
    const FrictionBlock& other = problem.blocks[problem.column[k]];
    const double* value = problem.value.data() + problem.value_start[k];
    for (int i = 0; i < block.row_count; ++i) {
      for (int j = 0; j < other.row_count; ++j) {
        const Wide product = static_cast<Wide>(value[i * other.row_count + j]) * r[other.first_row + j];
        u[i] += product;
        magnitude[i] += std::abs(product);
      }
      if (problem.column[k] == b) diagonal[i] = value[i * block.row_count + i];
    }
  }
}

// A block in the coordinates in which its friction set is round.
struct RoundBlock {
  int rows = 0;
  Wide mu = 0;
  Wide rho = 1;
  Wide doubt = 0;  // what rounding may hide in u and z
  Rows z = {};
  Rows u = {};
};

RoundBlock round_block(const FrictionProblem& problem, std::span<const double> r, int b, Squares& squares) {
  const FrictionBlock& block = problem.blocks[b];
  RoundBlock round;
  Rows diagonal = {}, magnitude = {};
  velocity(problem, r, b, round.u, magnitude, diagonal);
  round.rows = block.row_count;
  const int first_axis = block.law == Law::contact ? 1 : 0;
  const int axes = block.law == Law::bilateral ? 0 : block.row_count - first_axis;
  for (int i = 0; i < axes; ++i) round.mu = std::max<Wide>(round.mu, block.axes[i]);
  Wide trace = 0;
  for (int i = 0; i < block.row_count; ++i) {
    const bool has_axis = block.law != Law::bilateral && i >= first_axis && round.mu > 0;
    const Wide s = has_axis ? block.axes[i - first_axis] / round.mu : Wide(1);
    round.z[i] = r[block.first_row + i] / s;
    round.u[i] *= s;
    trace += s * s * diagonal[i];
    squares.q += square(s * problem.q[block.first_row + i]);
    round.doubt += magnitude[i];
  }
  if (trace > 0) round.rho = block.row_count / trace;
  round.doubt = std::numeric_limits<Wide>::epsilon() * (round.doubt + norm(round.z.data(), round.rows) / round.rho);
  return round;
}

// The point of K = { |x_f| <= mu x_n } nearest to x, into x.
void project_on_cone(Wide mu, int rows, Rows& x) {
  const Wide n = x[0];
  const Wide f = norm(x.data() + 1, rows - 1);
  if (n >= 0 && f <= mu * n) return;
  const bool in_polar = mu * f <= -n;
  const Wide height = in_polar ? Wide(0) : (n + mu * f) / (1 + mu * mu);
  x[0] = std::max<Wide>(0, height);
  const Wide shrink = f > 0 ? mu * x[0] / f : Wide(0);
  for (int i = 1; i < rows; ++i) x[i] *= shrink;
}

// Adds |z - projected|^2 / rho^2, and what rounding may hide.
void add_natural(const RoundBlock& block, const Rows& projected, Squares& squares) {
  squares.doubt += square(block.doubt);
  for (int i = 0; i < block.rows; ++i) squares.natural += square((block.z[i] - projected[i]) / block.rho);
}

void add_contact(const RoundBlock& block, Squares& squares) {
  const Wide slip = norm(block.u.data() + 1, block.rows - 1);
  Rows x = {};
  for (int i = 0; i < block.rows; ++i) x[i] = block.z[i] - block.rho * block.u[i];
  x[0] -= block.rho * block.mu * slip;
  project_on_cone(block.mu, block.rows, x);
  add_natural(block, x, squares);
  const Wide excess = norm(block.z.data() + 1, block.rows - 1) - block.mu * block.z[0];
  squares.cone += square(std::max<Wide>({0, excess, -block.z[0]}) / block.rho);
  squares.complementarity += square(std::min(block.z[0] / block.rho, block.u[0]));
}

void add_bounded(const RoundBlock& block, Wide radius, Squares& squares) {
  Rows x = {};
  for (int i = 0; i < block.rows; ++i) x[i] = block.z[i] - block.rho * block.u[i];
  const Wide reach = norm(x.data(), block.rows);
  const Wide shrink = reach > radius ? radius / reach : Wide(1);
  for (int i = 0; i < block.rows; ++i) x[i] *= shrink;
  add_natural(block, x, squares);
  squares.cone += square(std::max<Wide>(0, norm(block.z.data(), block.rows) - radius) / block.rho);
}

void add_bilateral(const RoundBlock& block, Squares& squares) {
  squares.doubt += square(block.doubt);
  for (int i = 0; i < block.rows; ++i) {
    squares.natural += square(block.u[i]);
    squares.bilateral += square(block.u[i]);
  }
}

// mu_b max(0, bound + r_n(link)).
Wide radius_of(const FrictionProblem& problem, std::span<const double> r, const FrictionBlock& block, Wide mu) {
  const double linked = block.link >= 0 ? r[problem.blocks[block.link].first_row] : 0.0;
  return mu * std::max(0.0, block.bound + linked);
}

// Comparisons drop a NaN, so every number is looked at before any is compared.
bool all_finite(const Rows& x, int count) {
  return std::all_of(x.begin(), x.begin() + count, [](Wide value) { return std::isfinite(value); });
}

double finite_or_infinity(Wide wide) {
  const auto value = static_cast<double>(wide);
  return std::isfinite(value) ? value : infinity;
}

}  // namespace

FrictionResidual friction_residual(const FrictionProblem& problem, std::span<const double> r) {
  STICTION_ASSERT(r.size() == problem.q.size(), "one impulse per row");
  Squares squares;
  for (int b = 0; b < problem.block_count(); ++b) {
    const FrictionBlock& block = problem.blocks[b];
    const RoundBlock round = round_block(problem, r, b, squares);
    if (!all_finite(round.z, round.rows) || !all_finite(round.u, round.rows)) {
      return {infinity, infinity, infinity, infinity};
    }
    if (block.law == Law::bilateral) add_bilateral(round, squares);
    if (block.law == Law::contact) add_contact(round, squares);
    if (block.law == Law::bounded) add_bounded(round, radius_of(problem, r, block, round.mu), squares);
  }
  const Wide scale = squares.q > 0 ? std::sqrt(squares.q) : Wide(1);
  // Doubts below the rounding of q itself do not count: a right answer in round numbers has the residual zero.
  if (std::sqrt(squares.doubt) > std::numeric_limits<double>::epsilon() * scale) squares.natural += squares.doubt;
  return {finite_or_infinity(std::sqrt(squares.natural) / scale), finite_or_infinity(std::sqrt(squares.cone) / scale),
          finite_or_infinity(std::sqrt(squares.complementarity) / scale),
          finite_or_infinity(std::sqrt(squares.bilateral) / scale)};
}

}  // namespace stiction::certify
