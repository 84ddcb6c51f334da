// How accurately a step is solved: what users choose in place of tolerances and budgets.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stiction::methods {

/// See docs/methods/exact-cone.md.
enum class Accuracy : std::uint8_t {
  exact,     ///< to a residual of 1e-8, with all the work that it takes within a generous budget
  balanced,  ///< to 1e-4
  fast,      ///< a small budget of work per step; the residual is what it is, and no step fails for it
};

/// Every choice, from the most accurate.
inline constexpr std::array<Accuracy, 3> accuracies = {Accuracy::exact, Accuracy::balanced, Accuracy::fast};

/// What scene files and the command line call it.
constexpr std::string_view accuracy_name(Accuracy accuracy) {
  constexpr std::array<std::string_view, 3> names = {"exact", "balanced", "fast"};
  return names[static_cast<size_t>(accuracy)];
}

}  // namespace stiction::methods
