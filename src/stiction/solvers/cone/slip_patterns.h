// The machinery of slip_states.h, for its own files only: patterns of open, stick and slide, one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/solvers/cone/margin.h"
#include "stiction/solvers/cone/slip_states.h"

namespace stiction::solvers {

/// One run over all patterns of a problem: see slip_states.h.
class SlipPatterns {
 public:
  SlipPatterns(const InstantProblem& problem, const InstantOptions& options);
  InstantReport run();

 private:
  // Residual of equations that redundant contacts share, which the accelerations' own rounding limits.
  static constexpr double consistent = 1e-7;

  enum Mode : std::uint8_t { open, stick, slide, plus, minus, start };

  // The problem in units in which every contact's W_nn is one, and the largest a0 too.
  struct Scaled {
    MatrixX W;
    VectorX a0;
    VectorX unit;     // of a force, one per row; of an acceleration the size / unit
    double size = 1;  // of a0
  };

  // What a pattern with fixed slip directions is: f = S x + f0, K x + b = 0.
  struct Linear {
    MatrixX S, WS, K;
    VectorX f0, free, b, x;  // free: accelerations at x = 0
    MatrixX null;            // columns: directions of x that K does not see
    bool solved = false;
  };

  static Scaled scale_problem(const InstantProblem& problem);
  std::vector<Mode> modes_of(const InstantContact& c) const;
  bool next_pattern();
  void try_pattern();
  bool excluded() const;
  Linear solve(const VectorX& angles) const;
  static void find_least_norm(Linear& linear);
  VectorX cross(const VectorX& angles, const Linear& linear) const;
  VectorX cross_at(const VectorX& angles) const { return cross(angles, solve(angles)); }
  Vector2 slip_axis(const InstantContact& c, double angle) const;
  std::vector<LorentzCondition> conditions(const VectorX& angles, const Linear& linear,
                                           std::vector<bool>& strict) const;
  void scan_direction();
  void search_directions();
  void newton(VectorX angles);
  void candidate(const VectorX& angles);
  void keep(InstantSolution solution);
  double bound(const InstantContact& c) const { return c.bound / (s_.unit[c.first] * s_.size); }

  const std::vector<InstantContact>& contacts_;
  InstantOptions options_;
  Scaled s_;
  std::vector<std::vector<Mode>> choices_;
  std::vector<size_t> choice_;
  std::vector<Mode> mode_;
  std::vector<int> starting_;  // contacts whose slip direction is unknown
  InstantReport report_;
};

}  // namespace stiction::solvers
