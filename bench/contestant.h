// One solver in the comparison, ours or a peer's, behind one face: what is prepared outside the clock, what is timed.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/io/fclib.h"

namespace stiction::bench {

/// How a timed solve ended.
struct Outcome {
  bool converged = false;  ///< the solver's own word; the independent residual decides
  std::string_view rung;   ///< which of our algorithms answered; empty for peers
};

/// A solver with its settings.
class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual const std::string& name() const = 0;
  /// Whether its tolerance is the measure the comparison uses. If so the targets are asked for as they are; if not, the
  /// loosest own tolerance that meets each target is searched for.
  virtual bool tolerance_is_target() const = 0;
  /// Brings the problem into the solver's own form: with or without velocities, as the solver likes. Not timed.
  virtual void load(const FrictionFile& file) = 0;
  /// Fresh options and, where a solve leaves traces in the problem, a fresh copy of it. Not timed.
  virtual void prepare(double tolerance) = 0;
  /// From the problem in memory to r (zero on entry), with everything the solver allocates. Timed.
  virtual Outcome solve(std::span<double> r) = 0;
};

using Contestants = std::vector<std::unique_ptr<Contestant>>;

}  // namespace stiction::bench
