#include "stiction/solvers/friction/nearby_doubles.h"

#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/kernels/accurate_residual.h"

namespace stiction::solvers {

namespace {

constexpr int most_rows = 36;
constexpr double near = 100;  // times the tolerance

// x moved by so many units of its last digit.
double moved(double x, int units) {
  for (; units > 0; --units) x = std::nextafter(x, infinity);
  for (; units < 0; ++units) x = std::nextafter(x, -infinity);
  return x;
}

// New values of two rows, or of one where both are the same; none where row_i < 0.
struct Move {
  int row_i = -1, row_j = -1;
  double r_i = 0, r_j = 0;
  double residual = 0;
};

class NearbySearch {
 public:
  NearbySearch(const ScaledFriction& s, const NearbyOptions& options, double* r) : s_(s), options_(options), r_(r) {}

  NearbyResult run() {
    result_.residual = accurate_residual(s_, r_);
    result_.applicable = s_.row_count <= most_rows && result_.residual <= near * options_.tolerance;
    while (result_.applicable && result_.moves < options_.most_moves && !found(result_.residual)) {
      find_best_move();
      if (best_.row_i < 0) break;
      r_[best_.row_i] = best_.r_i;
      r_[best_.row_j] = best_.r_j;
      result_.residual = best_.residual;
      ++result_.moves;
    }
    return result_;
  }

 private:
  bool found(double residual) const { return residual <= options_.tolerance || options_.deadline.passed(); }

  // Ends early where a move leads within the tolerance.
  void find_best_move() {
    best_ = {};
    best_.residual = result_.residual;
    for (int i = 0; i < s_.row_count && !found(best_.residual); ++i) {
      if (r_[i] == 0) continue;
      for (const int units : {-3, -2, -1, 1, 2, 3}) try_move(i, units, i, units);
      for (int j = 0; j < i; ++j) {
        if (r_[j] != 0) try_pair(i, j);
      }
    }
  }

  void try_pair(int i, int j) {
    for (const int units_i : {-2, -1, 1, 2}) {
      for (const int units_j : {-2, -1, 1, 2}) try_move(i, units_i, j, units_j);
    }
  }

  void try_move(int i, int units_i, int j, int units_j) {
    const double old_i = r_[i], old_j = r_[j];
    r_[i] = moved(old_i, units_i);
    r_[j] = moved(old_j, units_j);
    const double residual = accurate_residual(s_, r_);
    if (residual < best_.residual) best_ = {i, j, r_[i], r_[j], residual};
    r_[i] = old_i;
    r_[j] = old_j;
  }

  const ScaledFriction& s_;
  const NearbyOptions& options_;
  double* r_;
  Move best_;
  NearbyResult result_;
};

}  // namespace

NearbyResult run_nearby_doubles(const ScaledFriction& s, const NearbyOptions& options, double* r) {
  return NearbySearch(s, options, r).run();
}

void choose_nearby_doubles(FrictionSolve& solve) {
  const NearbyResult result = run_nearby_doubles(solve.problem(), solve.common<NearbyOptions>(), solve.r());
  if (result.applicable) solve.keep(solve.rung(), result.moves, result.residual);
}

}  // namespace stiction::solvers
