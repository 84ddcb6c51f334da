// What README.md shows is what happens: its scene runs and rolls, its program and CMake file are those that tests
// build.
#include <cmath>
#include <sstream>

#include <gmock/gmock.h>

#include "apps/command.h"
#include "stiction/scene/scene.h"
#include "stiction/simulation/run.h"
#include "support/places.h"

namespace stiction::cli {
namespace {

using ::testing::HasSubstr;

// The text of the first ```LANGUAGE block.
std::string block(const std::string& page, const std::string& language) {
  const std::string fence = "```" + language + "\n";
  const size_t begin = page.find(fence);
  if (begin == std::string::npos) return "";
  const size_t text = begin + fence.size();
  return page.substr(text, page.find("```", text) - text);
}

std::string readme() {
  return read_file(stiction::testing::source_path("README.md"));
}

Result<Simulation> open_readme_scene(const std::vector<std::string>& overrides) {
  const auto scene = scene::parse_scene(block(readme(), "toml"), "README.md", overrides);
  if (!scene) return failure(scene.error());
  auto built = build_model(scene->model);
  if (!built) return failure(built.error());
  return Simulation::create(std::move(*built), scene->settings);
}

class ReadmeCommand : public CommandLine {};

TEST(Readme, SceneRollsAtFiveSeventhsOfItsSpeed) {
  auto simulation = open_readme_scene({});
  ASSERT_TRUE(simulation.has_value()) << simulation.error().message();
  const RunSummary summary = run(*simulation);
  EXPECT_TRUE(summary.ok);
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  const Twist ball = simulation->kinematics().velocity[simulation->model().find_body("ball")];
  // Forces are constant while it slides, so velocities are exact up to the tolerance of 1000 steps.
  EXPECT_NEAR(ball.linear.x(), 10.0 / 7, 1e-10);
  EXPECT_NEAR(ball.angular.y(), 100.0 / 7, 1e-9);
}

TEST(Readme, SceneHasTenLines) {
  const std::string text = block(readme(), "toml");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
}

// The packages of each group are those that script/bootstrap installs, in its order.
TEST_F(ReadmeCommand, PackagesAreThoseOfTheScript) {
  for (const std::string group : {"run", "test", "bench", "tools"}) {
    ASSERT_EQ(
        shell(fmt::format("'{}' --list {} > packages", stiction::testing::source_path("script/bootstrap"), group)), 0);
    std::istringstream packages(read_file(work() / "packages"));
    std::string row = "| `" + group + "` |", package;
    while (packages >> package) row += " `" + package + "`";
    EXPECT_THAT(readme(), HasSubstr(row + " |\n"));
  }
}

TEST(Readme, PolygonCostsWhatItSays) {
  const auto friction = [](const std::vector<std::string>& overrides) {
    auto simulation = open_readme_scene(overrides);
    return simulation ? run(*simulation).certificate.friction : std::nan("");
  };
  const std::string askew = "body.ball.linear_velocity=[2, 0.5, 0]", polygon = "simulation.method=stewart-trinkle";
  EXPECT_LT(friction({askew}), 1e-8);
  EXPECT_EQ(std::round(100 * friction({askew, polygon})), 4);
  EXPECT_EQ(std::round(1e4 * friction({askew, polygon, "method.stewart-trinkle.friction_directions=64"})), 8);
}

TEST(Readme, ProgramIsTheOneThatTheInstallTestBuilds) {
  const std::string program = block(readme(), "cpp");
  EXPECT_FALSE(program.empty());
  EXPECT_EQ(program, read_file(stiction::testing::source_path("tests/install/consumer/example.cc")));
  const std::string consumer = read_file(stiction::testing::source_path("tests/install/consumer/CMakeLists.txt"));
  const std::string cmake = block(readme(), "cmake");
  for (const char* line : {"find_package(stiction 0.1 REQUIRED)", "add_executable(example example.cc)",
                           "target_link_libraries(example PRIVATE stiction::stiction)"}) {
    EXPECT_THAT(cmake, HasSubstr(line));
    EXPECT_THAT(consumer, HasSubstr(line));
  }
}

TEST_F(ReadmeCommand, ShownCommandWorks) {
  write("ball.toml", block(readme(), "toml"));
  const Outcome outcome = stiction({"run", "ball.toml", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NEAR(json_lines(outcome.out).at(0)["final"]["bodies"]["ball"]["linear_velocity"][0].get<double>(), 10.0 / 7,
              1e-12);
  EXPECT_EQ(stiction({"inspect", "ball.toml"}).status, 0);
  EXPECT_EQ(stiction({"run", "ball.toml", "--set", "material.default.friction=0.1", "--report", "ball.html", "--record",
                      "ball.h5"})
                .status,
            0);
}

// Every relative link of the pages leads to a file.
TEST(Docs, LinksLeadSomewhere) {
  namespace fs = std::filesystem;
  const fs::path source(stiction::testing::source_path(""));
  std::vector<fs::path> pages = {source / "README.md", source / "CONTRIBUTING.md", source / "CHANGELOG.md"};
  for (const auto& entry : fs::recursive_directory_iterator(source / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  EXPECT_GE(pages.size(), 9U);
  for (const fs::path& page : pages) {
    const std::string text = read_file(page);
    for (size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
      std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      target = target.substr(0, target.find('#'));
      if (target.empty() || target.starts_with("http") || target.find(' ') != std::string::npos) continue;  // or C++
      EXPECT_TRUE(fs::exists(page.parent_path() / target)) << page << " links to " << target;
    }
  }
}

}  // namespace
}  // namespace stiction::cli
