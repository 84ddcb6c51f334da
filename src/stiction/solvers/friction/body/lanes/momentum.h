// What sweeps with momentum remember of each other: how much of the last change is made again, and whether they still
// gain.
#pragma once

#include <cmath>

#include "stiction/base/infinity.h"

namespace stiction::solvers {

/// Nesterov's momentum: how much of the last sweep's change is made again before the next; from nothing again when the
/// change has grown.
struct Momentum {
  double weight = 1, share = 0, last_change = infinity;

  void after(double change) {
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * weight * weight));
    const bool grows = !(change <= last_change);
    share = grows ? 0.0 : (weight - 1) / next;
    weight = grows ? 1.0 : next;
    last_change = change;
  }
};

/// Sweeps that gain nothing any more: in a pile at rest, the worst of 3,000 contacts keeps its residual for hundreds.
class Stall {
 public:
  /// Ends after `most_looks` in a row that left more than `share` of the residual before.
  Stall(double share, int most_looks, double residual) : share_(share), most_looks_(most_looks), last_(residual) {}

  bool after(double residual) {
    looks_ = residual > share_ * last_ ? looks_ + 1 : 0;
    last_ = residual;
    return looks_ >= most_looks_;
  }

 private:
  double share_;
  int most_looks_;
  double last_;
  int looks_ = 0;
};

}  // namespace stiction::solvers
