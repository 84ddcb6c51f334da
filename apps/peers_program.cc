#include "peers_program.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stiction/report/benchmark_report.h"

extern char** environ;

namespace stiction::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* how_to_get_it =
    "In a clone, 'script/bench peers' builds and runs it; or set STICTION_BENCH_PEERS to its path.";

bool can_be_run(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// A child process whose standard output is read line by line.
class Child {
 public:
  Child(const std::string& program, std::vector<std::string> words) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    words.insert(words.begin(), program);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    started_ = posix_spawn(&id_, program.c_str(), &actions, nullptr, arguments.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    stream_ = fdopen(ends[0], "r");
  }
  ~Child() {
    if (stream_ != nullptr) std::fclose(stream_);
    std::free(line_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // False at the end of the output.
  bool next_line(std::string& line) {
    const ssize_t length = stream_ == nullptr ? -1 : getline(&line_, &room_, stream_);
    if (length > 0) line.assign(line_, static_cast<size_t>(length));
    return length > 0;
  }

  // How it ended, in words; empty: well.
  std::string ending() const {
    if (!started_) return "it could not be started";
    int status = 0;
    if (waitpid(id_, &status, 0) != id_) return "nobody knows how it ended";
    if (WIFSIGNALED(status)) return fmt::format("it was ended by signal {}", WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "" : fmt::format("it ended with status {}", WEXITSTATUS(status));
  }

 private:
  pid_t id_ = 0;
  bool started_ = false;
  std::FILE* stream_ = nullptr;
  char* line_ = nullptr;
  size_t room_ = 0;
};

// One line of the program's output. Throws nlohmann::json::exception where it is none.
void take_line(const std::string& line, PeersOutcome& outcome, const PeersProgress& progress) {
  const Json json = Json::parse(line);
  if (json.contains("result")) outcome.results.push_back(report::read_benchmark_json(json.at("result")));
  if (json.contains("absent")) outcome.absent.push_back({json.at("absent"), json.at("package")});
  if (json.contains("fraction")) progress(json.at("fraction"), json.at("part"));
}

Error bad_program(const std::string& program, std::string what) {
  return {.what = std::move(what), .remedy = how_to_get_it, .name = program};
}

}  // namespace

Result<std::string> find_peers_program() {
  namespace fs = std::filesystem;
  if (const char* named = std::getenv("STICTION_BENCH_PEERS"); named != nullptr && *named != '\0') {
    if (can_be_run(named)) return std::string(named);
    return failure({.what = "there is no program of this name",
                    .remedy = "Set it to the path of bench_peers; in a clone, 'script/bench peers' builds it.",
                    .name = named,
                    .file = "STICTION_BENCH_PEERS"});
  }
  std::error_code unknown;
  const fs::path here = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const fs::path& place : {here / "bench_peers", here / ".." / "bench" / "bench_peers"}) {
    if (can_be_run(place)) return place.lexically_normal().string();
  }
  return failure({.what = "the program of the peers is not here",
                  .remedy = how_to_get_it,
                  .name = "bench_peers",
                  .file = "command line"});
}

Result<PeersOutcome> run_peers_program(const std::string& program, const std::vector<std::string>& scenes,
                                       double time_limit, const PeersProgress& progress) {
  std::vector<std::string> words = scenes;
  words.insert(words.end(), {"--lines", "--time-limit", fmt::format("{}", time_limit)});
  Child child(program, words);
  PeersOutcome outcome;
  std::string line, trouble;
  while (child.next_line(line)) {
    try {
      take_line(line, outcome, progress);
    } catch (const nlohmann::json::exception&) {
      trouble = "it printed something else than results";
    }
  }
  const std::string ending = child.ending();
  if (!ending.empty()) trouble = ending;
  if (!trouble.empty()) return failure(bad_program(program, "the program of the peers failed: " + trouble));
  return outcome;
}

}  // namespace stiction::cli
