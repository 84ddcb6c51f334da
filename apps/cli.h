// What the commands of `stiction` share: arguments, exit statuses, messages.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "stiction/base/error.h"
#include "stiction/scene/scene.h"
#include "stiction/simulation/run.h"

namespace stiction::cli {

/// Exit statuses (INTERFACE: done; done but a check was missed; bad input or usage).
inline constexpr int exit_done = 0;
inline constexpr int exit_missed = 1;
inline constexpr int exit_bad_input = 2;

/// Writes results to stdout. A failure is remembered for finish_output, so that the work itself goes on.
void write_result(const std::string& text);

/// Writes a message to stderr.
void write_message(const std::string& text);

/// Formats and writes a result.
template <class... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  write_result(fmt::format(format, std::forward<Args>(args)...));
}

/// Formats and writes a message.
template <class... Args>
void print_error(fmt::format_string<Args...> format, Args&&... args) {
  write_message(fmt::format(format, std::forward<Args>(args)...));
}

/// Flushes stdout. Returns `status`, or exit_bad_input with a message when results could not be written; a pipe whose
/// reader has gone counts as written.
int finish_output(int status);

/// A mistake on the command line.
Error bad_usage(std::string what, std::string remedy, std::string name);

/// Prints the error on stderr; returns exit_bad_input.
int report(const Error& error);

/// Prints a warning on stderr.
void warn(const std::string& text);

/// Is stderr a terminal, so that a progress bar makes sense?
bool stderr_is_terminal();

/// The progress bar as text: label, bar, percentage and time left, cut to fewer than `columns` characters. `waiting`:
/// seconds since the last sign of progress, told where they are many.
std::string progress_line(const std::string& label, double fraction, double seconds_left, double waiting, int columns);

/// Columns that results may fill: those of the terminal that stdout is, otherwise 100.
int result_columns();

/// A progress bar on a terminal, nothing in a pipe. It is drawn by a thread of its own, so that it lives while a single
/// step is long, and says then for how long that step has been going on.
class Progress {
 public:
  Progress(std::string label, bool enabled);
  ~Progress();
  /// What the bar shows from now on; `part` is named beside the label.
  void update(double fraction, std::string_view part = {});
  /// Takes the bar away, so that a line of results can be printed in its place; the next update brings it back.
  void clear();

 private:
  void draw();  // with mutex_ held
  void keep_drawing(std::stop_token stop);

  std::string label_, part_;
  bool enabled_;
  double start_ = 0, updated_ = 0;  // s of the clock: when the work began, when update was last called
  double fraction_ = 0;
  bool shown_ = false;    // from the first second on, or since update; not since clear
  bool visible_ = false;  // there is something to erase
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it ends before what it uses
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
  std::optional<std::string> accuracy;
};

/// A scene read, checked and built, with the command line's options applied.
struct LoadedScene {
  scene::Scene scene;
  BuiltModel built;
};

/// Is there a method of this name? The Error suggests one.
Result<void> check_method(const std::string& name);

/// Is the number of threads one that can be used?
Result<void> check_threads(const std::optional<int>& threads);

/// Loads the scene and applies the options.
Result<LoadedScene> load(const SceneArguments& arguments);

/// One text for each pair of bodies that overlaps at the start so far that the method throws them apart.
std::vector<std::string> overlap_warnings(const LoadedScene& loaded);

/// A text that names closing joints that depend on others, for the method that asks for independent ones (or none).
std::vector<std::string> qualification_warnings(const LoadedScene& loaded);

/// Arguments of `stiction run`.
struct RunArguments {
  SceneArguments scene;
  std::string record, report, events, checkpoint, resume;
  std::vector<std::string> dump_problem;
  std::optional<double> require_certificate;
  bool profile = false;
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

/// `stiction list methods|solvers|shapes|joints|options`.
int command_list(const std::string& what, bool json);

/// Arguments of `stiction solve`.
struct SolveArguments {
  std::vector<std::string> problems;
  std::string solver = "auto";
  double tolerance = 1e-8;
  std::optional<double> time_limit;  ///< s of CPU time per problem
  bool json = false;
  bool quiet = false;
};
int command_solve(const SolveArguments& arguments);

/// Arguments of `stiction compare`.
struct CompareArguments {
  SceneArguments scene;  ///< `threads`: methods that run at once
  std::string methods = "all";
  std::vector<std::string> drift;
  std::string drift_normal;
  std::optional<double> drop_distance;
  std::string report;
  bool fail_on_drop = false;
  bool standard = false, quick = false, markdown = false;
  bool json = false;
  bool quiet = false;
};
int command_compare(const CompareArguments& arguments);

/// Arguments of `stiction analyze`.
struct AnalyzeArguments {
  SceneArguments scene;
  double at = 0;                  ///< s
  double gap_tolerance = 1e-6;    ///< m
  double speed_tolerance = 1e-6;  ///< m/s
  std::string report;
  bool json = false;
  bool quiet = false;
};
int command_analyze(const AnalyzeArguments& arguments);

/// Arguments of `stiction reproduce`.
struct ReproduceArguments {
  std::string target = "all";
  std::string out = "out";
  bool json = false;
  bool quiet = false;
};
int command_reproduce(const ReproduceArguments& arguments);

/// Arguments of `stiction bench`.
struct BenchArguments {
  std::vector<std::string> names;  ///< of scenes; empty: all but those on request
  std::string accuracy = "all";    ///< names with commas between them
  std::string out;                 ///< folder for plots and data; empty: none
  double time_limit = 60;          ///< s of CPU time for each motion
  bool peers = false;
  bool json = false;
  bool quiet = false;
};
int command_bench(const BenchArguments& arguments);

}  // namespace stiction::cli
