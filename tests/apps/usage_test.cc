// Help, and mistakes in the command line itself: exit 2, a message on stderr that names the word and the remedy.
#include <gmock/gmock.h>

#include "apps/command.h"
#include "stiction/base/version.h"
#include "support/places.h"

namespace stiction::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Usage : public CommandLine {
 protected:
  // The command must fail as bad input does, and say all of `words`.
  void expect_rejected(const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
    SCOPED_TRACE(::testing::PrintToString(arguments));
    const std::set<std::string> before = files();
    const Outcome outcome = stiction(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("error: "), HasSubstr("remedy: ")));
    for (const std::string& word : words) EXPECT_THAT(outcome.err, HasSubstr(word));
    EXPECT_EQ(files(), before);
  }
};

TEST_F(Usage, HelpOfEveryCommandHasAnExample) {
  const std::vector<std::string> commands = {"",        "run",   "inspect", "list", "reproduce",
                                             "compare", "solve", "analyze", "view", "bench"};
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    const Outcome outcome =
        command.empty() ? stiction({"--help"}) : stiction(std::vector<std::string>{command, "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("Example"), HasSubstr("stiction")));
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

TEST_F(Usage, HelpOfRunNamesEveryOptionOfTheInterface) {
  const Outcome outcome = stiction({"run", "--help"});
  for (const char* option : {"--method", "--solver", "--step", "--duration", "--threads", "--set", "--dump-problem",
                             "--accuracy", "--certificate-tol", "--require-certificate", "--record", "--report",
                             "--checkpoint", "--resume", "--json", "--quiet"}) {
    EXPECT_THAT(outcome.out, HasSubstr(option));
  }
}

TEST_F(Usage, EveryOptionIsDocumented) {
  const std::string page = read_file(stiction::testing::source_path("docs/cli.md"));
  for (const std::string command : {"run", "compare", "solve", "analyze", "inspect", "list", "reproduce", "bench"}) {
    const std::string help = stiction({command, "--help"}).out;
    for (size_t at = help.find("  --"); at != std::string::npos; at = help.find("  --", at + 1)) {
      const std::string option = help.substr(at + 2, help.find_first_of(" \n", at + 2) - at - 2);
      EXPECT_THAT(page, HasSubstr("`" + option)) << command;
    }
  }
}

TEST_F(Usage, VersionIsPrinted) {
  const Outcome outcome = stiction({"--version"});
  EXPECT_EQ(outcome.status, 0);
  // The version of the package, and the commit where the source is a clone: "stiction 0.1.0+1a2b3c4d5e.modified".
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex("stiction [0-9]+\\.[0-9]+\\.[0-9]+(\\+[0-9a-f]+(\\.modified)?)?\n"));
  EXPECT_EQ(outcome.out, "stiction " + std::string(version()) + "\n");
}

TEST_F(Usage, CommandsAreNamedAndSuggested) {
  expect_rejected({}, {"no command", "--help"});
  expect_rejected({"rnu", "a.toml"}, {"unknown command", "'rnu'", "stiction run"});
  expect_rejected({"inspekt"}, {"'inspekt'", "stiction inspect"});
  expect_rejected({"a.toml"}, {"'a.toml'", "stiction run a.toml"});
}

TEST_F(Usage, AnnouncedCommandsSayThatTheyAreNotInThisVersion) {
  expect_rejected({"view"}, {"not in this version", "'view'"});
  expect_rejected({"view", "file", "--option", "3"}, {"not in this version", "'view'"});
}

TEST_F(Usage, OptionsAreNamedAndSuggested) {
  write("a.toml", small_scene);
  expect_rejected({"run", "a.toml", "--stp", "1"}, {"unknown option", "'--stp'", "'--step'", "stiction run --help"});
  expect_rejected({"run", "a.toml", "--stp=1"}, {"'--stp'", "'--step'"});
  expect_rejected({"list", "methods", "--jsn"}, {"'--jsn'", "'--json'", "stiction list --help"});
  expect_rejected({"run", "a.toml", "--zzzzzz"}, {"'--zzzzzz'", "stiction run --help"});
  expect_rejected({"--versoin"}, {"'--versoin'", "'--version'"});
}

TEST_F(Usage, ArgumentsMissingOrTooManyAreNamed) {
  write("a.toml", small_scene);
  expect_rejected({"run"}, {"missing", "'SCENE'", "stiction run --help"});
  expect_rejected({"list"}, {"missing", "'WHAT'"});
  expect_rejected({"run", "a.toml", "b.toml"}, {"too many", "'b.toml'"});
  expect_rejected({"run", "a.toml", "--step"}, {"needs a value", "'--step'"});
}

TEST_F(Usage, ValuesOfOptionsAreChecked) {
  write("a.toml", small_scene);
  const std::string outputs = "--record=a.h5";
  expect_rejected({"run", "a.toml", outputs, "--step", "abc"}, {"--step", "abc"});
  expect_rejected({"run", "a.toml", outputs, "--step", "0"}, {"'--step 0'", "1e-3"});
  expect_rejected({"run", "a.toml", outputs, "--step", "nan"}, {"'--step nan'"});
  expect_rejected({"inspect", "a.toml", "--step", "-1"}, {"'--step -1'"});
  expect_rejected({"run", "a.toml", outputs, "--duration", "-1"}, {"'--duration -1'"});
  expect_rejected({"run", "a.toml", outputs, "--threads", "0"}, {"'--threads 0'"});
  expect_rejected({"run", "a.toml", outputs, "--threads", "1.5"}, {"--threads", "1.5"});
  expect_rejected({"run", "a.toml", outputs, "--certificate-tol", "0"}, {"'--certificate-tol 0'"});
  expect_rejected({"run", "a.toml", outputs, "--require-certificate", "nan"}, {"'--require-certificate nan'"});
  expect_rejected({"run", "a.toml", outputs, "--dump-problem", "11", "f"}, {"--dump-problem 11", "steps 1 to 10"});
}

TEST_F(Usage, MethodsAndSolversAreNamedAndSuggested) {
  write("a.toml", small_scene);
  expect_rejected({"run", "a.toml", "--accuracy", "fst"}, {"unknown accuracy", "'fst'", "'fast'"});
  expect_rejected({"run", "a.toml", "--method", "stewart-trinkel"}, {"unknown method", "'stewart-trinkle'"});
  expect_rejected({"run", "a.toml", "--method", "newton"}, {"'newton'", "stiction list methods"});
  expect_rejected({"run", "a.toml", "--method", "event-drivn"}, {"unknown method", "'event-driven'"});
  expect_rejected({"run", "a.toml", "--solver", "lemk"}, {"unknown solver", "'lemke'"});
  expect_rejected({"list", "method"}, {"'method'", "'methods'"});
  expect_rejected({"reproduce", "trinkel2003", "--out", "out"}, {"'trinkel2003'", "'trinkle2003'"});
}

TEST_F(Usage, OutputsThatCannotBeWrittenAreRejectedBeforeTheRun) {
  write("a.toml", small_scene);
  for (const std::string option : {"--record", "--report", "--checkpoint"}) {
    expect_rejected({"run", "a.toml", option, "nowhere/file"}, {"nowhere", "mkdir"});
    expect_rejected({"run", "a.toml", option, "."}, {"folder"});
    expect_rejected({"run", "a.toml", option, "/dev/null"}, {"/dev/null", "regular file"});
    expect_rejected({"run", "a.toml", option, "./a.toml"}, {"overwrite", "a.toml"});
  }
  expect_rejected({"run", "a.toml", "--record", "b", "--report", "./b"}, {"overwrite", "'./b'"});
  expect_rejected({"run", "a.toml", "--record", "b.h5", "--resume", "none"}, {"none", "checkpoint"});
  EXPECT_EQ(read_file(work() / "a.toml"), small_scene);
}

}  // namespace
}  // namespace stiction::cli
