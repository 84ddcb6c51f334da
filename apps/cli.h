// What the commands of `stiction` share: arguments, exit statuses, messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/scene/scene.h"
#include "stiction/simulation/simulation.h"

namespace stiction::cli {

/// Exit statuses (INTERFACE: done; done but a check was missed; bad input or usage).
inline constexpr int exit_done = 0;
inline constexpr int exit_missed = 1;
inline constexpr int exit_bad_input = 2;

/// Prints the error on stderr; returns exit_bad_input.
int report(const Error& error);

/// Prints a warning on stderr.
void warn(const std::string& text);

/// Is stderr a terminal, so that a progress bar makes sense?
bool stderr_is_terminal();

/// A progress bar on a terminal, nothing in a pipe.
class Progress {
 public:
  Progress(std::string label, bool enabled);
  ~Progress();
  /// Redraws at most ten times a second.
  void update(double fraction);

 private:
  std::string label_;
  bool enabled_;
  double last_drawn_ = -1;
};

/// Arguments of every command that reads a scene.
struct SceneArguments {
  std::string scene;
  std::vector<std::string> overrides;
  std::optional<std::string> method;
  std::optional<std::string> solver;
  std::optional<double> step;
  std::optional<double> duration;
  std::optional<int> threads;
  std::optional<double> certificate_tolerance;
};

/// A scene read, checked and built, with the command line's options applied.
struct LoadedScene {
  scene::Scene scene;
  BuiltModel built;
};

/// Loads the scene and applies the options.
Result<LoadedScene> load(const SceneArguments& arguments);

/// Arguments of `stiction run`.
struct RunArguments {
  SceneArguments scene;
  std::string record, report, checkpoint, resume;
  std::vector<std::string> dump_problem;
  std::optional<double> require_certificate;
  bool json = false;
  bool quiet = false;
};
int command_run(const RunArguments& arguments);

/// Arguments of `stiction inspect`.
struct InspectArguments {
  SceneArguments scene;
  bool json = false;
};
int command_inspect(const InspectArguments& arguments);

/// `stiction list methods|solvers|shapes|joints`.
int command_list(const std::string& what, bool json);

/// Arguments of `stiction reproduce`.
struct ReproduceArguments {
  std::string target = "all";
  std::string out = "out";
  bool json = false;
  bool quiet = false;
};
int command_reproduce(const ReproduceArguments& arguments);

}  // namespace stiction::cli
