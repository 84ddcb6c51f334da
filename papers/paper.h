// The papers' published examples: each runs on the public API and compares what it finds with what the paper states.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "stiction/base/error.h"
#include "stiction/simulation/run.h"

namespace stiction::papers {

/// One quantity: ours beside the paper's.
struct Finding {
  std::string_view paper;
  std::string_view example;
  std::string quantity;
  std::string unit;
  double value = 0;
  std::variant<std::monostate, double, std::string> published;  ///< what the paper states, if it states anything
  bool ok = true;  ///< value and statement agree within the tolerance that `note` explains
  std::string note;
  /// The paper's statement does not follow from its own constants: not ok, yet no miss of ours.
  bool papers_own_fault = false;
};

/// A Finding with all its fields.
Finding make_finding(std::string_view paper, std::string_view example, std::string quantity, std::string unit,
                     double value, decltype(Finding::published) published, bool ok, std::string note);

/// The same for one example: check(quantity, unit, value, published, ok, note).
struct FindingMaker {
  std::string_view paper, example;

  Finding operator()(std::string quantity, std::string unit, double value, decltype(Finding::published) published,
                     bool ok, std::string note) const {
    return make_finding(paper, example, std::move(quantity), std::move(unit), value, std::move(published), ok,
                        std::move(note));
  }
};

/// Slope of log(error) over log(h) by least squares: the observed order. Points with an error of zero are left out.
double observed_order(std::span<const double> h, std::span<const double> error);

/// Where an example puts its results.
struct Context {
  std::filesystem::path out;  ///< exists; plots and data go here
  std::function<void(const Finding&)> report;
  std::function<void(std::string_view)> print_table;  ///< text for people, not used with --json
};

/// One example of a paper.
struct Example {
  std::string_view paper;
  std::string_view name;
  std::string_view sentence;
  Result<void> (*run)(const Context& context);
};

/// All examples of all papers, in the order they run.
std::span<const Example> examples();

/// Text of a scene file under papers/, e.g. "trinkle2003/sphere.toml".
std::string_view embedded_scene(std::string_view name);

/// Builds the simulation of an embedded scene with overrides (dotted keys).
Result<Simulation> open_example(std::string_view scene, const std::vector<std::string>& overrides);

/// The same for a scene's text.
Result<Simulation> open_text(const std::string& text, std::string_view name, const std::vector<std::string>& overrides);

}  // namespace stiction::papers
