// Runs the command as a user does, in a folder of its own, and keeps what it printed and how it ended.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/places.h"

namespace stiction::cli {

/// What a command left behind.
struct Outcome {
  int status = -1;  ///< exit status; 128 + signal when a signal ended it
  std::string out, err;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

inline int decode_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A folder that is removed afterwards, and `stiction` run in it.
class CommandLine : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "stiction-apps-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::create_directory(folder_ / "work");
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// Where the command runs.
  std::filesystem::path work() const { return folder_ / "work"; }

  /// Writes a file into the folder where the command runs.
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(work() / name, std::ios::binary) << text;
  }

  /// Files in the folder where the command runs.
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(work())) {
      if (!entry.is_directory()) names.insert(std::filesystem::relative(entry.path(), work()).string());
    }
    return names;
  }

  /// Exit status 2, nothing on stdout, and a message with a remedy that holds these words.
  void expect_rejected(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
    using ::testing::HasSubstr;
    SCOPED_TRACE(::testing::PrintToString(arguments));
    const Outcome outcome = stiction(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.out, ::testing::IsEmpty());
    EXPECT_THAT(outcome.err, ::testing::AllOf(HasSubstr("error: "), HasSubstr("remedy: ")));
    for (const std::string& word : words) EXPECT_THAT(outcome.err, HasSubstr(word));
  }

  /// Runs `stiction ARGUMENTS`, stdout and stderr going to files.
  Outcome stiction(const std::vector<std::string>& arguments) const {
    const std::string out = (folder_ / "out").string(), err = (folder_ / "err").string(), in = "/dev/null";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, work().c_str());
    posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    std::vector<std::string> words = {stiction::testing::program_path()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    const int spawned =
        posix_spawn(&child, stiction::testing::program_path().c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    Outcome outcome;
    if (spawned != 0) return outcome;
    int status = 0;
    waitpid(child, &status, 0);
    outcome.status = decode_status(status);
    outcome.out = read_file(out);
    outcome.err = read_file(err);
    return outcome;
  }

  /// Runs a shell line in which $STICTION is the command.
  int shell(const std::string& line) const {
    setenv("STICTION", stiction::testing::program_path().c_str(), 1);
    return decode_status(std::system(("cd '" + work().string() + "' && " + line).c_str()));
  }

  /// A scene of the repository.
  static std::string scene(const std::string& name) { return stiction::testing::source_path("scenes/" + name); }

 private:
  std::filesystem::path folder_;
};

/// One JSON object per line.
inline std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> objects;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = text.find('\n', begin);
    objects.push_back(nlohmann::json::parse(text.substr(begin, end - begin)));
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  return objects;
}

/// The keys of an object.
inline std::set<std::string> keys_of(const nlohmann::json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

/// A ball on the ground, ten steps: enough for everything that is not about mechanics. Lines 1 to 14.
inline constexpr const char* small_scene = R"([simulation]
step = 1e-3
duration = 0.01

[[body]]
name = "ground"
fixed = true
shape = { type = "plane" }

[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.1]
shape = { type = "sphere", radius = 0.1 }
)";

}  // namespace stiction::cli
