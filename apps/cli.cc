#include "cli.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

#include "stiction/contact/contact_set.h"
#include "stiction/methods/exact_cone.h"
#include "stiction/methods/registry.h"
#include "stiction/solvers/registry.h"
#include "stiction/study/qualification.h"

namespace stiction::cli {

namespace {

int output_trouble = 0;  // errno of the first write to stdout that failed

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of the terminal behind a descriptor; `otherwise` where there is none.
int terminal_columns(int descriptor, int otherwise) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

}  // namespace

void write_result(const std::string& text) {
  if (output_trouble == 0 && std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_trouble = errno;
}

void write_message(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int finish_output(int status) {
  if (std::fflush(stdout) != 0 && output_trouble == 0) output_trouble = errno;
  if (output_trouble == 0 || output_trouble == EPIPE) return status;
  return report({.what = fmt::format("cannot write the results: {}", std::strerror(output_trouble)),
                 .remedy = "Send them where there is space.",
                 .file = "standard output"});
}

Error bad_usage(std::string what, std::string remedy, std::string name) {
  return {.what = std::move(what), .remedy = std::move(remedy), .name = std::move(name), .file = "command line"};
}

int report(const Error& error) {
  print_error("{}\n", error.message());
  return exit_bad_input;
}

void warn(const std::string& text) {
  print_error("warning: {}\n", text);
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) != 0;
}

std::string progress_line(const std::string& label, double fraction, double seconds_left, double waiting, int columns) {
  constexpr double long_wait = 3;
  const std::string percent = fmt::format("{:3.0f} %", 100 * fraction);
  std::string left = fraction > 0 ? fmt::format(", {:.0f} s left", seconds_left) : "";
  if (waiting >= long_wait) left += fmt::format(", this step {:.0f} s so far", waiting);
  const int width = std::min(24, columns - 1 - static_cast<int>(label.size() + 4 + percent.size() + left.size()));
  if (width < 4) return percent.substr(0, static_cast<size_t>(std::max(0, columns - 1)));
  const int filled = static_cast<int>(fraction * width);
  return fmt::format("{} [{}{}] {}{}", label, std::string(filled, '#'), std::string(width - filled, '.'), percent,
                     left);
}

Progress::Progress(std::string label, bool enabled)
    : label_(std::move(label)), enabled_(enabled && stderr_is_terminal()), start_(now_seconds()), updated_(start_) {
  shown_ = enabled_;
  if (enabled_) thread_ = std::jthread([this](std::stop_token stop) { keep_drawing(std::move(stop)); });
}

Progress::~Progress() {
  if (!enabled_) return;
  thread_.request_stop();
  thread_.join();
  clear();
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (visible_) write_message("\r\033[K");
  visible_ = false;
  shown_ = false;
}

void Progress::update(double fraction, std::string_view part) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  const bool at_once = !visible_ || part != part_;
  fraction_ = fraction;
  part_ = part;
  updated_ = now_seconds();
  shown_ = true;
  if (at_once) draw();
}

void Progress::draw() {
  const double now = now_seconds();
  const double left = fraction_ > 0 ? (now - start_) * (1 - fraction_) / fraction_ : 0;
  const std::string label = part_.empty() ? label_ : fmt::format("{} {}", label_, part_);
  print_error("\r\033[K{}", progress_line(label, fraction_, left, now - updated_, terminal_columns(STDERR_FILENO, 80)));
  visible_ = true;
}

void Progress::keep_drawing(std::stop_token stop) {
  constexpr auto period = std::chrono::milliseconds(100);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, stop, period, [&] { return stop.stop_requested(); })) {
    if (shown_) draw();
  }
}

int result_columns() {
  return terminal_columns(STDOUT_FILENO, 100);
}

namespace {

Error unknown_choice(const char* kind, const std::string& name, const std::vector<std::string>& known) {
  const std::string near = closest_name(name, known);
  Error error{.what = fmt::format("unknown {}", kind), .remedy = "", .name = name, .file = "command line"};
  error.remedy = near.empty() ? fmt::format("Run 'stiction list {}s' to see all names.", kind)
                              : fmt::format("Did you mean '{}'? 'stiction list {}s' shows them all.", near, kind);
  return error;
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

Error bad_option(const char* option, double value, const char* what, const char* remedy) {
  return {.what = what, .remedy = remedy, .name = fmt::format("{} {}", option, value), .file = "command line"};
}

}  // namespace

Result<void> check_threads(const std::optional<int>& threads) {
  if (!threads || (*threads >= 1 && *threads <= 1024)) return {};
  return failure(
      bad_option("--threads", *threads, "the number of threads must be 1 to 1024", "Give a number such as 4."));
}

namespace {

// The options that replace numbers of the scene: a mistake in them is not the scene's.
Result<void> check_numbers(const SceneArguments& arguments) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (arguments.step && !positive(*arguments.step)) {
    return failure(bad_option("--step", *arguments.step, "the step must be a positive number of seconds",
                              "Give a step such as 1e-3."));
  }
  if (arguments.duration && !(*arguments.duration >= 0 && std::isfinite(*arguments.duration))) {
    return failure(bad_option("--duration", *arguments.duration, "the duration must be zero or more seconds",
                              "Give a duration such as 2.0."));
  }
  if (auto checked = check_threads(arguments.threads); !checked) return checked;
  if (arguments.certificate_tolerance && !positive(*arguments.certificate_tolerance)) {
    return failure(bad_option("--certificate-tol", *arguments.certificate_tolerance, "the tolerance must be positive",
                              "Give a tolerance such as 1e-8."));
  }
  return {};
}

Result<void> apply_accuracy(const std::string& name, SimulationSettings& settings) {
  if (const auto accuracy = methods::find_accuracy(name)) {
    settings.options.of<methods::ExactConeOptions>().accuracy = *accuracy;
    return {};
  }
  const std::string near = closest_name(name, methods::accuracy_names());
  std::string remedy = near.empty() ? "Give exact, balanced or fast."
                                    : fmt::format("Did you mean '{}'? There are exact, balanced and fast.", near);
  return failure(bad_usage("unknown accuracy", std::move(remedy), name));
}

}  // namespace

Result<void> check_method(const std::string& name) {
  if (methods::find_method(name) != nullptr) return {};
  return failure(unknown_choice("method", name, methods::method_names()));
}

Result<LoadedScene> load(const SceneArguments& arguments) {
  if (auto checked = check_numbers(arguments); !checked) return failure(checked.error());
  auto scene = scene::load_scene(arguments.scene, arguments.overrides);
  if (!scene) return failure(scene.error());
  SimulationSettings& settings = scene->settings;
  if (arguments.method) {
    if (auto checked = check_method(*arguments.method); !checked) return failure(checked.error());
    settings.method = *arguments.method;
  }
  if (arguments.solver) {
    if (auto applied = apply_solver(*arguments.solver, settings); !applied) return failure(applied.error());
  }
  if (arguments.step) settings.step = *arguments.step;
  if (arguments.duration) settings.duration = *arguments.duration;
  if (arguments.threads) settings.threads = *arguments.threads;
  if (arguments.certificate_tolerance) settings.certificate_tolerance = *arguments.certificate_tolerance;
  if (arguments.accuracy) {
    if (auto applied = apply_accuracy(*arguments.accuracy, settings); !applied) return failure(applied.error());
  }
  auto built = build_model(scene->model);
  if (!built) return failure(built.error());
  return LoadedScene{std::move(*scene), std::move(*built)};
}

std::vector<std::string> qualification_warnings(const LoadedScene& loaded) {
  const SimulationSettings& settings = loaded.scene.settings;
  if (!methods::find_method(settings.method)->holds_joints_by_velocity) return {};
  const bool maximal = settings.options.coordinates == methods::Coordinates::maximal;
  const BuiltModel built = maximal ? to_maximal(loaded.built) : loaded.built;
  const Qualification qualification = check_qualification(built.model, built.state);
  return qualification.holds() ? std::vector<std::string>{} : std::vector{describe(qualification)};
}

namespace {

// Deepest overlap of each pair of bodies at the start.
std::map<std::pair<int, int>, double> find_overlaps(const LoadedScene& loaded) {
  const Model& model = loaded.built.model;
  Kinematics kinematics = make_kinematics(model);
  update_kinematics(model, loaded.built.state, loaded.scene.settings.step, kinematics);
  contact::DetectionWorkspace detection = contact::make_detection(model);
  std::fill(detection.reach.begin(), detection.reach.end(), 0.0);
  std::vector<contact::Contact> contacts;
  contact::detect_contacts(model, kinematics, detection, contacts);
  std::map<std::pair<int, int>, double> deepest;
  for (const contact::Contact& c : contacts) {
    double& depth = deepest[{c.body_A, c.body_B}];
    depth = std::max(depth, -c.gap);
  }
  return deepest;
}

// What becomes of an overlap under the method, and what to do about it.
std::string describe_overlap(const methods::MethodDescription& method, double speed) {
  const std::string_view remedy = method.overlap.remedy;
  const std::string also = remedy.empty() ? "" : fmt::format(", {}", remedy);
  switch (method.overlap.kind) {
    case methods::Overlap::moved:
      return fmt::format(" and will be moved apart at {:.3g} m/s; move them apart{}", speed, also);
    case methods::Overlap::thrown:
      return fmt::format(" and will be thrown apart at {:.3g} m/s; move them apart{}", speed, also);
    case methods::Overlap::pushed:
      return fmt::format(", and the springs of method {} will throw them apart; move them apart{}", method.name, also);
    case methods::Overlap::left:
      break;
  }
  return fmt::format(", and method {} leaves it so; move them apart, or take method {}", method.name,
                     methods::default_method().name);
}

}  // namespace

std::vector<std::string> overlap_warnings(const LoadedScene& loaded) {
  constexpr double noticeable_speed = 0.1;  // m/s
  constexpr size_t most = 5;
  const Model& model = loaded.built.model;
  const SimulationSettings& settings = loaded.scene.settings;
  const methods::MethodDescription& method = *methods::find_method(settings.method);
  std::vector<std::string> warnings;
  for (const auto& [pair, depth] : find_overlaps(loaded)) {
    const double speed = method.overlap.speed == nullptr ? depth / settings.step
                                                         : method.overlap.speed(depth, settings.step, settings.options);
    if (!(speed > noticeable_speed) || warnings.size() >= most) continue;
    warnings.push_back(fmt::format("'{}' and '{}' overlap by {:.3g} m at the start{}", model.bodies[pair.first].name,
                                   model.bodies[pair.second].name, depth, describe_overlap(method, speed)));
  }
  return warnings;
}

}  // namespace stiction::cli
