#include "stiction/events/impacts/simultaneous_impact.h"

#include <algorithm>
#include <cmath>

#include "stiction/events/impacts/impact_outcome.h"

namespace stiction {
namespace {

constexpr double same_within = 1e-6;  // outcomes nearer than this, relative, are one

// Contacts that approach or rest (4.10).
std::vector<int> contacts_taking_part(const ImpactProblem& problem, double limit) {
  std::vector<int> result;
  const VectorX v = problem.J * problem.velocity;
  for (size_t c = 0; c < problem.contacts.size(); ++c) {
    if (v[problem.contacts[c].first_row] <= limit) result.push_back(static_cast<int>(c));
  }
  return result;
}

std::vector<int> pushing_contacts(const ImpactOutcome& outcome) {
  std::vector<int> result;
  for (size_t c = 0; c < outcome.state.size(); ++c) {
    if (outcome.state[c] != ImpactState::open) result.push_back(static_cast<int>(c));
  }
  return result;
}

bool same(const VectorX& a, const VectorX& b) {
  return (a - b).norm() <= same_within * std::max(a.norm(), b.norm());
}

// Keeps what the rule allows and is not there already.
void keep(ImpactOutcome outcome, ImpactResult& result) {
  if (outcome.violations() > 0) {
    ++result.refused;
    return;
  }
  // Velocities follow from impulses, and may be zero but for rounding.
  const auto twin = std::find_if(result.outcomes.begin(), result.outcomes.end(),
                                 [&](const ImpactOutcome& other) { return same(other.impulse, outcome.impulse); });
  if (twin == result.outcomes.end()) result.outcomes.push_back(std::move(outcome));
}

void note_choices(const ConstraintChoices& found, ImpactResult& result) {
  result.rank = found.rank;
  result.normal_rank = found.normal_rank;
  result.choices = found.count;
}

void find_published(const ImpactProblem& problem, const std::vector<int>& contacts, const ImpactOptions& options,
                    ImpactResult& result) {
  const ConstraintChoices found = find_constraints(problem, contacts, options.max_choices);
  note_choices(found, result);
  for (const VelocityConstraint& choice : found.choices) {
    result.outcomes.push_back(published_outcome(problem, contacts, choice, options.tolerance));
  }
}

// Where (4.11) gains energy or has no answer: with less and less of it, down to none, and what always exists.
void find_with_less_rebound(const ImpactProblem& problem, const std::vector<int>& contacts,
                            const ImpactOptions& options, ImpactResult& result) {
  for (int quarters = 3; quarters >= 0 && result.outcomes.empty(); --quarters) {
    if (auto outcome = complementarity_outcome(problem, contacts, 0.25 * quarters, options.tolerance)) {
      keep(std::move(*outcome), result);
    }
  }
  if (result.outcomes.empty()) result.outcomes.push_back(least_energy_outcome(problem, contacts, options.tolerance));
}

bool has_transition(const ImpactProblem& problem) {
  return std::any_of(problem.contacts.begin(), problem.contacts.end(),
                     [](const ImpactContact& contact) { return contact.static_friction > contact.dynamic_friction; });
}

void find_coulomb(const ImpactProblem& problem, const std::vector<int>& contacts, const ImpactOptions& options,
                  ImpactResult& result) {
  const std::optional<ImpactOutcome> whole = complementarity_outcome(problem, contacts, 1, options.tolerance);
  // Which contacts open is for complementarity to say: (4.11) as an equation would have them pull.
  const std::vector<int> pushing = whole ? pushing_contacts(*whole) : contacts;
  const ConstraintChoices found = find_constraints(problem, pushing, options.max_choices);
  note_choices(found, result);
  for (const VelocityConstraint& choice : found.choices) {
    if (auto outcome = coulomb_outcome(problem, pushing, choice, options.tolerance)) {
      keep(std::move(*outcome), result);
    } else {
      ++result.refused;
    }
  }
  if (whole) keep(*whole, result);
  if (has_transition(problem)) {
    if (auto slipping = dynamic_friction_outcome(problem, contacts, options.tolerance)) {
      keep(std::move(*slipping), result);
    }
  }
  if (result.outcomes.empty()) find_with_less_rebound(problem, contacts, options, result);
}

// Does a choice constrain the contact with the greatest approach?
bool constrains_fastest(const ImpactProblem& problem, const ImpactOutcome& outcome) {
  const VectorX v = problem.J * problem.velocity;
  const auto fastest = std::min_element(problem.contacts.begin(), problem.contacts.end(),
                                        [&](auto& a, auto& b) { return v[a.first_row] < v[b.first_row]; });
  return std::any_of(outcome.constrained_rows.begin(), outcome.constrained_rows.end(), [&](int row) {
    return row > fastest->first_row && row <= fastest->first_row + fastest->tangents;
  });
}

}  // namespace

ImpactResult solve_simultaneous_impact(const ImpactProblem& problem, const ImpactOptions& options) {
  ImpactResult result;
  const double limit = options.tolerance * impact_scales(problem).speed;
  const std::vector<int> contacts = contacts_taking_part(problem, limit);
  const VectorX v = problem.J * problem.velocity;
  const bool impact =
      std::any_of(contacts.begin(), contacts.end(), [&](int c) { return v[problem.contacts[c].first_row] < -limit; });
  if (!impact) return result;
  if (options.rule == ImpactRule::published) {
    find_published(problem, contacts, options, result);
  } else {
    find_coulomb(problem, contacts, options, result);
  }
  result.picked = pick_outcome(problem, options.rule, result.outcomes);
  return result;
}

int pick_outcome(const ImpactProblem& problem, ImpactRule rule, const std::vector<ImpactOutcome>& outcomes) {
  const auto better = [&](const ImpactOutcome& a, const ImpactOutcome& b) {
    if (a.violations() != b.violations()) return a.violations() < b.violations();
    if (rule == ImpactRule::published) return constrains_fastest(problem, a) && !constrains_fastest(problem, b);
    if (a.obeys_coulomb != b.obeys_coulomb) return a.obeys_coulomb;
    return a.energy_change < b.energy_change;
  };
  const auto best = std::min_element(outcomes.begin(), outcomes.end(), better);
  return best == outcomes.end() ? -1 : static_cast<int>(best - outcomes.begin());
}

std::string_view impact_rule_name(ImpactRule rule) {
  return rule == ImpactRule::published ? "published" : "coulomb";
}

}  // namespace stiction
