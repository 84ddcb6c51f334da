#include "cli.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "stiction/methods/registry.h"
#include "stiction/solvers/registry.h"

namespace stiction::cli {

int report(const Error& error) {
  fmt::print(stderr, "{}\n", error.message());
  return exit_bad_input;
}

void warn(const std::string& text) {
  fmt::print(stderr, "warning: {}\n", text);
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) != 0;
}

Progress::Progress(std::string label, bool enabled)
    : label_(std::move(label)), enabled_(enabled && stderr_is_terminal()) {}

Progress::~Progress() {
  if (enabled_ && last_drawn_ >= 0) fmt::print(stderr, "\r\033[K");
}

void Progress::update(double fraction) {
  if (!enabled_) return;
  const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  if (last_drawn_ >= 0 && now - last_drawn_ < 0.1) return;
  last_drawn_ = now;
  constexpr int width = 24;
  const int filled = static_cast<int>(fraction * width);
  fmt::print(stderr, "\r\033[K{} [{}{}] {:3.0f} %", label_, std::string(filled, '#'), std::string(width - filled, '.'),
             100 * fraction);
  std::fflush(stderr);
}

namespace {

Error unknown_choice(const char* kind, const std::string& name, const std::vector<std::string>& known) {
  const std::string near = closest_name(name, known);
  Error error{.what = fmt::format("unknown {}", kind), .remedy = "", .name = name, .file = "command line"};
  error.remedy = near.empty() ? fmt::format("Run 'stiction list {}s' for the names there are.", kind)
                              : fmt::format("Did you mean '{}'? 'stiction list {}s' has them all.", near, kind);
  return error;
}

Result<void> apply_method(const std::string& name, SimulationSettings& settings) {
  const methods::MethodInfo* info = methods::find_method(name);
  if (info == nullptr) {
    std::vector<std::string> names;
    for (const methods::MethodInfo& method : methods::method_infos()) names.emplace_back(method.name);
    return failure(unknown_choice("method", name, names));
  }
  if (!info->available) {
    return failure({.what = "method is not in this version",
                    .remedy = fmt::format("Use {}.", fmt::join(methods::available_method_names(), " or ")),
                    .name = name,
                    .file = "command line"});
  }
  settings.method = name;
  return {};
}

Result<void> apply_solver(const std::string& name, SimulationSettings& settings) {
  if (solvers::find_solver(name) == nullptr) {
    std::vector<std::string> names;
    for (const solvers::SolverInfo& solver : solvers::solver_infos()) names.emplace_back(solver.name);
    return failure(unknown_choice("solver", name, names));
  }
  settings.solver = name;
  return {};
}

}  // namespace

Result<LoadedScene> load(const SceneArguments& arguments) {
  auto scene = scene::load_scene(arguments.scene, arguments.overrides);
  if (!scene) return failure(scene.error());
  SimulationSettings& settings = scene->settings;
  if (arguments.method) {
    if (auto applied = apply_method(*arguments.method, settings); !applied) return failure(applied.error());
  }
  if (arguments.solver) {
    if (auto applied = apply_solver(*arguments.solver, settings); !applied) return failure(applied.error());
  }
  if (arguments.step) settings.step = *arguments.step;
  if (arguments.duration) settings.duration = *arguments.duration;
  if (arguments.threads) settings.threads = *arguments.threads;
  if (arguments.certificate_tolerance) settings.certificate_tolerance = *arguments.certificate_tolerance;
  auto built = build_model(scene->model);
  if (!built) return failure(built.error());
  return LoadedScene{std::move(*scene), std::move(*built)};
}

}  // namespace stiction::cli
