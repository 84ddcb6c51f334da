// How accurately a step is solved: what users choose in place of tolerances and budgets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// The one of that name; nothing where there is none.
constexpr std::optional<Accuracy> find_accuracy(std::string_view name) {
  for (const Accuracy accuracy : accuracies) {
    if (accuracy_name(accuracy) == name) return accuracy;
  }
  return std::nullopt;
}

/// All names.
inline std::vector<std::string> accuracy_names() {
  std::vector<std::string> names;
  for (const Accuracy accuracy : accuracies) names.emplace_back(accuracy_name(accuracy));
  return names;
}

}  // namespace stiction::methods
