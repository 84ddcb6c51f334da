// What gave an island's answer where the first way did not: one list for reports, counts and tests.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace stiction {

/// How an island came by its answer; `none`: by the first way, to the tolerance that was asked for.
enum class Fallback : std::uint8_t {
  none,
  rung,                   ///< another algorithm of the method's portfolio; IslandReport::solver names it
  tolerance_missed,       ///< the answer lies between tolerance and acceptance
  budget,                 ///< the budget of work was used up: the best answer so far was taken
  polyhedral,             ///< a polygon in place of the friction disc
  friction_portfolio,     ///< ellipsoids by the solvers of exact-cone
  without_restitution,    ///< contacts that face each other leave no room to rebound
  homotopy,               ///< from the geometry of the start of the step to that of its end
  impulses_ended,         ///< the number of impulses that a contact may get
  overlap_not_recovered,  ///< overlap was not driven apart in this step
  impacts_ended,          ///< a pair that hit too often stays together
  impact_by_step,         ///< an impact that the impact law did not resolve
  halved,                 ///< the step was made of shorter ones
  overlap,                ///< bodies that overlap at the start: left to exact-cone
  exact_cone,             ///< the last resort of other methods
  joint_left_open,        ///< of a step, not an island: projection could not close a joint
};

/// What is known of each, in the order of the enumerators.
struct FallbackTraits {
  Fallback fallback;
  std::string_view word;       ///< what reports and JSON call it; empty where FallbackOf::name has more to say
  bool left_unsolved = false;  ///< the answer was taken though it is not the one that was asked for
};

constexpr std::array<FallbackTraits, 16> fallback_traits = {
    {{Fallback::none, ""},
     {Fallback::rung, ""},
     {Fallback::tolerance_missed, "tolerance-missed", true},
     {Fallback::budget, "budget", true},
     {Fallback::polyhedral, "polyhedral"},
     {Fallback::friction_portfolio, "friction-portfolio"},
     {Fallback::without_restitution, "without-restitution"},
     {Fallback::homotopy, "homotopy"},
     {Fallback::impulses_ended, "impulses-ended", true},
     {Fallback::overlap_not_recovered, "overlap-not-recovered", true},
     {Fallback::impacts_ended, "impacts-ended", true},
     {Fallback::impact_by_step, "impact-by-step"},
     {Fallback::halved, "halved"},
     {Fallback::overlap, "overlap"},
     {Fallback::exact_cone, "exact-cone"},
     {Fallback::joint_left_open, "", true}}};

/// Was the answer taken though it is not the one that was asked for? (Other fallbacks give the answer by other means.)
constexpr bool left_unsolved(Fallback fallback) {
  return fallback_traits[static_cast<size_t>(fallback)].left_unsolved;
}

/// A fallback as a run counts it.
struct FallbackOf {
  Fallback kind = Fallback::none;
  std::string whose = {};  ///< of `rung` the algorithm, of `joint_left_open` the joint; otherwise empty

  auto operator<=>(const FallbackOf&) const = default;

  /// What reports and JSON call it.
  std::string name() const {
    if (kind == Fallback::rung) return whose;
    if (kind == Fallback::joint_left_open) return "joint '" + whose + "' left open";
    return std::string(fallback_traits[static_cast<size_t>(kind)].word);
  }
};

}  // namespace stiction
