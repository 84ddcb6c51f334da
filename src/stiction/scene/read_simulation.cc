// [simulation] and [method.NAME]: how to run, and with which method.
#include <fmt/format.h>

#include "stiction/methods/exact_cone.h"
#include "stiction/methods/registry.h"
#include "stiction/scene/sections.h"
#include "stiction/solvers/registry.h"

namespace stiction::scene {

namespace {

constexpr int max_threads = 1024;

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const solvers::SolverInfo& info : solvers::solver_infos()) names.emplace_back(info.name);
  return names;
}

void read_coordinates(TableReader& table, methods::Coordinates& coordinates) {
  std::string name = coordinates == methods::Coordinates::maximal ? "maximal" : "reduced";
  table.read_choice("coordinates", name, {"reduced", "maximal"});
  coordinates = name == "maximal" ? methods::Coordinates::maximal : methods::Coordinates::reduced;
}

Range range_of(const methods::Option& option) {
  return {option.range.lower, option.range.upper, option.range.lower_open, option.range.infinite};
}

// Reads one option as its description says; what the scene does not mention keeps its value.
void read_option(TableReader& table, const methods::Option& option, methods::MethodOptions& options) {
  methods::OptionValue value = option.get(options);
  if (auto* truth = std::get_if<bool>(&value)) table.read(option.name, *truth);
  if (auto* number = std::get_if<double>(&value)) table.read(option.name, *number, range_of(option));
  if (auto* whole = std::get_if<int>(&value)) {
    table.read(option.name, *whole, static_cast<int>(option.range.lower), static_cast<int>(option.range.upper));
  }
  if (auto* name = std::get_if<std::string>(&value)) {
    table.read_choice(option.name, *name, {option.choices.begin(), option.choices.end()});
  }
  option.set(options, value);
}

void read_options(const toml::table& entry, const methods::MethodDescription& method, Context& context,
                  methods::MethodOptions& options) {
  const std::string path = fmt::format("method.{}", method.name);
  TableReader table(entry, path, path, context);
  read_coordinates(table, options.coordinates);
  for (const methods::Option& option : method.options) read_option(table, option, options);
  table.finish();
}

void read_accuracy(TableReader& table, methods::Accuracy& accuracy) {
  std::string name(methods::accuracy_name(accuracy));
  table.read_choice("accuracy", name, methods::accuracy_names());
  accuracy = methods::find_accuracy(name).value_or(accuracy);  // a name that is not known has been reported
}

}  // namespace

void read_simulation(TableReader& root, Scene& scene) {
  const toml::table* entry = root.find_table("simulation");
  if (!entry) return;
  TableReader table(*entry, "simulation", "simulation", root.context());
  SimulationSettings& settings = scene.settings;
  table.read_choice("method", settings.method, methods::method_names());
  table.read_choice("solver", settings.solver, solver_names());
  table.read("step", settings.step, positive);
  table.read("duration", settings.duration, non_negative);
  table.read("gravity", scene.model.gravity);
  table.read("threads", settings.threads, 1, max_threads);
  table.read("certificate_tolerance", settings.certificate_tolerance, positive);
  read_accuracy(table, settings.options.of<methods::ExactConeOptions>().accuracy);
  table.finish();
}

void read_methods(TableReader& root, SimulationSettings& settings) {
  root.each_named("method", [&](const toml::table& entry, const std::string& name) {
    if (const methods::MethodDescription* method = methods::find_method(name)) {
      return read_options(entry, *method, root.context(), settings.options);
    }
    Error error{.what = "unknown method", .remedy = suggest(name, methods::method_names(), "Methods"), .name = name};
    root.context().report(located(std::move(error), entry.source(), root.context()));
  });
}

}  // namespace stiction::scene
