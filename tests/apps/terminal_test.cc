// The progress bar on a terminal: drawn on stderr, fitting the width, gone at the end.
#include <pty.h>
#include <termios.h>

#include <gmock/gmock.h>

#include "apps/command.h"
#include "support/places.h"

namespace stiction::cli {
namespace {

using ::testing::HasSubstr;

class Terminal : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    int controller = -1, terminal = -1;
    if (openpty(&controller, &terminal, nullptr, nullptr, nullptr) != 0) GTEST_SKIP() << "no pseudo-terminals here";
    close(controller);
    close(terminal);
  }

  // What a terminal of that many columns receives.
  std::string on_terminal(unsigned short columns, const std::vector<std::string>& arguments) {
    winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    std::vector<std::string> words = {stiction::testing::program_path()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
      execv(stiction::testing::program_path().c_str(), argv.data());
      _exit(127);
    }
    std::string text;
    char buffer[4096];
    for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    EXPECT_EQ(decode_status(status), 0) << text;
    return text;
  }

  // The pieces that the bar overwrites one another with.
  static std::vector<std::string> redraws(const std::string& text) {
    const std::string erase = "\r\033[K";
    std::vector<std::string> pieces;
    for (size_t at = text.find(erase); at != std::string::npos;) {
      const size_t next = text.find(erase, at + 1);
      if (next != std::string::npos) pieces.push_back(text.substr(at + erase.size(), next - at - erase.size()));
      at = next;
    }
    return pieces;
  }
};

// The bar is drawn after the first step and at most ten times a second.
const std::vector<std::string> tower = {"run", stiction::testing::source_path("scenes/tower.toml"), "--duration",
                                        "0.05"};

TEST_F(Terminal, ProgressBarFitsTheWidthAndIsErased) {
  for (const unsigned short columns : {5, 20, 40, 80, 200}) {
    SCOPED_TRACE(columns);
    const std::string text = on_terminal(columns, tower);
    const std::vector<std::string> bars = redraws(text);
    ASSERT_FALSE(bars.empty());
    for (const std::string& bar : bars) EXPECT_LT(bar.size(), columns) << bar;
    EXPECT_GT(text.rfind("certificate"), text.rfind("\r\033[K"));
  }
  EXPECT_THAT(redraws(on_terminal(80, tower)).front(), HasSubstr("simulating ["));
}

// A comparison names the method beside its bar; its table becomes blocks of lines where the terminal is narrow.
TEST_F(Terminal, ComparisonNamesMethodsAndFits) {
  const std::vector<std::string> compare = {"compare",    tower[1], "--methods", "exact-cone,stewart-trinkle",
                                            "--duration", "0.05"};
  const std::string wide = on_terminal(100, compare), narrow = on_terminal(40, compare);
  EXPECT_THAT(redraws(wide).front(), HasSubstr("comparing exact-cone ["));
  EXPECT_THAT(wide, HasSubstr("\r\nmethod "));
  for (const std::string& bar : redraws(narrow)) EXPECT_LT(bar.size(), 40U) << bar;
  EXPECT_THAT(narrow, HasSubstr("\r\nstewart-trinkle\r\n  overlap [m] "));
}

// A benchmark names scene and accuracy beside its bar.
TEST_F(Terminal, BenchmarkNamesScenes) {
  const std::string text = on_terminal(80, {"bench", "slide_roll", "--accuracy", "fast"});
  EXPECT_THAT(redraws(text).front(), HasSubstr("measuring slide_roll fast ["));
  EXPECT_GT(text.rfind("stiction fast"), text.rfind("\r\033[K"));
}

TEST_F(Terminal, QuietAndJsonDrawNoBar) {
  std::vector<std::string> quiet = tower, json = tower;
  quiet.push_back("--quiet");
  json.push_back("--json");
  EXPECT_EQ(on_terminal(80, quiet), "");
  EXPECT_TRUE(redraws(on_terminal(80, json)).empty());
}

}  // namespace
}  // namespace stiction::cli
