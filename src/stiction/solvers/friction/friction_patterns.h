// The machinery of enumerate_friction.h, for its own files only: patterns of open, stick and slip, one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "stiction/solvers/friction/enumerate_friction.h"

namespace stiction::solvers {

/// One run over all patterns of a problem: see enumerate_friction.h.
class FrictionPatterns {
 public:
  static constexpr int most_rows = ExtendedFriction::most_rows, most_slips = 12;
  using Real = ExtendedFriction::Real;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_rows, most_rows>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1, Eigen::ColMajor, most_rows, 1>;
  using SmallMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_slips, most_slips>;
  using SmallVector = Eigen::Matrix<Real, Eigen::Dynamic, 1, Eigen::ColMajor, most_slips, 1>;

  FrictionPatterns(const ScaledFriction& s, const PatternOptions& options, NewtonWorkspace& newton, PatternWorkspace& w,
                   std::vector<std::vector<double>>* all)
      : s_(s), options_(options), newton_(newton), w_(w), all_(all) {}
  PatternResult run(double* r);

 private:
  bool applicable() const;
  int mode_count(int block) const;
  bool next_pattern();
  bool has_friction(int block) const {
    return s_.law[block] == FrictionBlock::Law::bounded || (s_.dim[block] > 1 && s_.mu[block] > 0);
  }
  bool powerless(int block) const;
  void collect_rows();
  void solve_pattern();
  void solve_sticking();
  void solve_one_slip();
  void solve_slips();
  bool evaluate(const SmallVector& l, SmallVector& h, SmallMatrix* slope);
  Real slip_value(int c, const Vector& x, Real& radius, Real& norm) const;
  void newton_in_multipliers(SmallVector l);
  void bisect(Real low, Real high);
  void pull_into_cones();
  void candidate(const Vector& x);
  bool finished() const { return (result_.solved && all_ == nullptr) || options_.deadline.passed(); }
  void keep_distinct();
  double random();

  const ScaledFriction& s_;
  const PatternOptions& options_;
  NewtonWorkspace& newton_;
  PatternWorkspace& w_;
  std::vector<std::vector<double>>* all_;
  PatternResult result_;
  std::uint64_t random_ = 0;

  // The present pattern.
  Eigen::Matrix<int, Eigen::Dynamic, 1, Eigen::ColMajor, most_rows, 1> rows_;
  std::array<int, most_rows> place_ = {};  // of a row among the active ones, or -1
  std::array<int, most_slips> slips_ = {};
  int slip_count_ = 0;
  Real singular_ = 1e-12L;  // pivots below this are noise
  Matrix K_;
  Vector q_, x_;
};

}  // namespace stiction::solvers
