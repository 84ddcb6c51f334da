// What gave an island's answer where the first way did not: one list for reports, counts and tests.
#pragma once

#include <array>
#include <cstdint>
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
};

/// What reports and JSON call it; empty for `none` and `rung`.
constexpr std::string_view fallback_word(Fallback fallback) {
  constexpr std::array<std::string_view, 15> words = {"",
                                                      "",
                                                      "tolerance-missed",
                                                      "budget",
                                                      "polyhedral",
                                                      "friction-portfolio",
                                                      "without-restitution",
                                                      "homotopy",
                                                      "impulses-ended",
                                                      "overlap-not-recovered",
                                                      "impacts-ended",
                                                      "impact-by-step",
                                                      "halved",
                                                      "overlap",
                                                      "exact-cone"};
  static_assert(words.size() == static_cast<size_t>(Fallback::exact_cone) + 1);
  return words[static_cast<size_t>(fallback)];
}

}  // namespace stiction
