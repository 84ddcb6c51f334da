// All outcomes of an impact under both rules side by side: a table for people, one row per outcome for programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/events/impacts/simultaneous_impact.h"

namespace stiction::papers::rodriguez2010 {

/// A quantity and its unit.
struct QuantityName {
  std::string name, unit;
};

/// What the numbers of a problem are called.
struct SheetNames {
  std::vector<QuantityName> velocities;  ///< one per generalised velocity
  std::vector<std::string> contacts;
};

/// One rule's outcomes.
struct RuleOutcomes {
  ImpactRule rule;
  ImpactResult result;
};

/// Outcomes of one problem under "published" and "coulomb".
struct OutcomeSheet {
  ImpactProblem problem;
  SheetNames names;
  RuleOutcomes published, coulomb;
  double potential_energy = 0;  ///< J, where the impact is

  /// One column per outcome, one line per quantity; the outcome that is picked has a star.
  std::string text() const;
  /// One row per outcome, the motion before the impact first.
  Result<void> write_csv(const std::filesystem::path& path) const;
};

/// Solves under both rules.
OutcomeSheet make_sheet(const ImpactProblem& problem, SheetNames names);

/// "open", "sticks", "slips".
const char* state_name(ImpactState state);

/// Which contact's tangential velocity is constrained, or where else the outcome comes from.
std::string origin_name(const OutcomeSheet& sheet, const ImpactOutcome& outcome);

}  // namespace stiction::papers::rodriguez2010
