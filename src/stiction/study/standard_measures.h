// The columns of a table that compares methods, each measured on a standard scene: how deep bodies sink, whether steps
// are solved, whether what stands still stays still, which restitution comes out, how cost grows with contacts. (The
// table of drumwright2009, section 2.6, states such columns for seven methods.)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/study/compare.h"

namespace stiction {

/// How long to measure.
struct StandardOptions {
  bool quick = false;  ///< a fraction of the time and few contacts: figures are rough, for tests
  int threads = 1;     ///< methods that run at once; cost is always measured alone
};

/// The time of a step with so many contacts.
struct CostPoint {
  int contacts = 0;
  double seconds = 0;  ///< CPU time, median of the steps
};

/// What the standard scenes found out about one method. What could not be measured is absent, and `failures` says why.
struct StandardFigures {
  std::string method;
  std::string integrator;
  double penetration = 0;             ///< m, deepest overlap in stack, grasp, impact and heap
  long steps = 0;                     ///< of these four
  long not_converged = 0;             ///< failed steps, and islands that were taken as they were (left_unsolved)
  long fallbacks = 0;                 ///< islands that another algorithm, or a shorter step, solved
  long steps_over_tolerance = 0;      ///< by the certificate
  std::optional<double> stack_creep;  ///< m/s, over the second half of the run
  std::optional<double> grasp_creep;  ///< m/s
  std::optional<double> restitution;  ///< of standard_restitution
  std::vector<CostPoint> cost;
  std::optional<double> exponent;  ///< p of time ~ contacts^p
  std::vector<std::string> failures;
};

/// Speed over the second half of a run of the worst pair [m/s].
double creep_of(const MethodRun& run);

/// Speed along z at which the first pair's body leaves, over standard_approach.
double rebound_of(const MethodRun& run);

/// p of seconds ~ contacts^p by least squares over the upper half of the decades; absent with fewer than two points.
std::optional<double> fitted_exponent(const std::vector<CostPoint>& points);

/// Measures the methods; the figures stand in their order.
std::vector<StandardFigures> measure_standard(const std::vector<std::string>& methods, const StandardOptions& options,
                                              const CompareProgress& progress = {});

/// Only the time against the number of contacts, 1 to 200, and its exponent.
std::vector<StandardFigures> measure_costs(const std::vector<std::string>& methods, const StandardOptions& options,
                                           const CompareProgress& progress = {});

}  // namespace stiction
