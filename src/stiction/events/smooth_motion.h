// Motion without events: an explicit Runge-Kutta method with error control and root finding, SUNDIALS ARKODE's.
//
// Time is local to the piece of motion, from zero: roots are found to about 1e-14 of it, however late it is.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stiction/math/types.h"

namespace stiction {

/// y' = rate(t, y) from t = 0, with functions whose fall through zero ends it.
struct SmoothProblem {
  int size = 0, roots = 0;
  std::function<bool(double t, const double* y, double* ydot)> rate;  ///< false: not defined there
  std::function<bool(double t, const double* y, double* g)> root = {};
  VectorX absolute;         ///< of errors, one for each of y, > 0
  double relative = 1e-10;  ///< of errors
  double max_step = 0;      ///< s; 0: as long as errors allow
};

/// Integrates one SmoothProblem, step after step. Movable.
class SmoothMotion {
 public:
  /// How a step ended.
  enum class Ended { step, end, root, failed };

  /// From y at t = 0; `problem` must outlive this.
  SmoothMotion(const SmoothProblem& problem, const VectorX& y);
  SmoothMotion(SmoothMotion&&) noexcept;
  SmoothMotion& operator=(SmoothMotion&&) noexcept;
  ~SmoothMotion();

  /// One step of the method's own length, not beyond t_end. Time and y then are those of its end, or of the root.
  Ended step(double t_end);

  double time() const;
  const VectorX& y() const;
  /// Which root functions fell through zero, where a step ended at a root.
  const std::vector<int>& found() const;
  /// What the library says of a step that failed.
  const std::string& failure() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace stiction
