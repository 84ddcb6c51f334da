// The documentation lists exactly the keys that the reader knows; the example scenes and the documented example parse;
// broken text never crashes the reader.
#include "stiction/scene/keys.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/scene/scene.h"
#include "support/places.h"

namespace stiction::scene {
namespace {

const std::filesystem::path source_dir = stiction::testing::source_path("");

std::string read_all(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Each table of keys in docs/scene.md follows a line <!-- keys: KIND -->; the first cell of a row is the key in
// backquotes.
std::map<std::string, std::vector<std::string>> documented_keys() {
  const std::regex marker("<!-- keys: ([a-z.-]+) -->"), row("^\\| `([a-z_0-9]+)` \\|.*");
  std::map<std::string, std::vector<std::string>> keys;
  std::istringstream text(read_all(source_dir / "docs/scene.md"));
  std::string kind;
  for (std::string line; std::getline(text, line);) {
    std::smatch match;
    if (std::regex_match(line, match, marker)) {
      kind = match[1];
      keys[kind];
    } else if (line.starts_with("#")) {
      kind.clear();
    } else if (!kind.empty() && std::regex_match(line, match, row)) {
      keys[kind].push_back(match[1]);
    }
  }
  for (auto& [name, list] : keys) std::sort(list.begin(), list.end());
  return keys;
}

TEST(Keys, AreAllDocumentedAndNoOthers) {
  const auto known = scene_keys(), documented = documented_keys();
  ASSERT_GE(known.size(), 18u);
  for (const auto& [kind, keys] : known) {
    ASSERT_TRUE(documented.contains(kind)) << kind << " is not in docs/scene.md";
    EXPECT_THAT(documented.at(kind), ::testing::ElementsAreArray(keys)) << kind;
  }
  for (const auto& [kind, keys] : documented)
    EXPECT_TRUE(known.contains(kind)) << kind << " is documented but not read";
}

TEST(Keys, AreFoundByReadingAnEmptyTable) {
  const auto keys = scene_keys();
  EXPECT_THAT(keys.at("scene"), ::testing::ElementsAre("actuator", "body", "controller", "include", "joint", "material",
                                                       "method", "pair", "simulation"));
  EXPECT_THAT(keys.at("shape.box"), ::testing::ElementsAre("size"));
  EXPECT_THAT(keys.at("shape.convex"), ::testing::ElementsAre("file", "vertices"));
  EXPECT_THAT(keys.at("motion.term"), ::testing::ElementsAre("amplitude", "frequency", "phase"));
  EXPECT_THAT(keys.at("controller.trajectory"), ::testing::ElementsAre("amplitude", "frequency", "phase"));
}

TEST(Docs, ExamplesParse) {
  const std::string text = read_all(source_dir / "docs/scene.md");
  size_t count = 0;
  for (size_t begin = text.find("```toml\n"); begin != std::string::npos; begin = text.find("```toml\n", begin)) {
    begin += 8;
    const size_t end = text.find("```", begin);
    const Result<Scene> scene = parse_scene(text.substr(begin, end - begin), "docs/scene.md");
    EXPECT_TRUE(scene.has_value()) << (scene ? "" : scene.error().message());
    ++count;
  }
  EXPECT_GE(count, 1u);
}

std::vector<std::filesystem::path> example_scenes() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir / "scenes")) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Examples, AllParseAndSayWhatToExpect) {
  const auto paths = example_scenes();
  EXPECT_GE(paths.size(), 13u);
  for (const std::filesystem::path& path : paths) {
    const Result<Scene> scene = load_scene(path.string());
    EXPECT_TRUE(scene.has_value()) << (scene ? "" : scene.error().message());
    const std::string text = read_all(path);
    EXPECT_THAT(text, ::testing::StartsWith("# ")) << path;
    EXPECT_THAT(text, ::testing::ContainsRegex("Expect:|Closed form")) << path;
  }
}

// An Error that a user can act on, or a scene: never a crash, never a message without place and remedy.
void expect_scene_or_error(const std::string& text) {
  const Result<Scene> scene = parse_scene(text, "fuzz.toml");
  if (scene) return;
  ASSERT_FALSE(scene.error().what.empty());
  ASSERT_FALSE(scene.error().remedy.empty()) << text;
  ASSERT_FALSE(scene.error().name.empty()) << scene.error().message();
  ASSERT_EQ(scene.error().file, "fuzz.toml");
  ASSERT_GT(scene.error().line, 0) << scene.error().message();
}

TEST(Fuzz, EveryTruncationIsASceneOrAnError) {
  for (const char* name : {"scenes/sphere_slide_roll.toml", "scenes/shaker.toml", "scenes/pendulum.toml"}) {
    const std::string text = read_all(source_dir / name);
    ASSERT_GT(text.size(), 100u);
    for (size_t size = 0; size <= text.size(); ++size) expect_scene_or_error(text.substr(0, size));
  }
}

TEST(Fuzz, RandomDamageIsASceneOrAnError) {
  const std::string text = read_all(source_dir / "scenes/four_bar.toml");
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    const int count = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < count; ++k) damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    expect_scene_or_error(damaged);
  }
}

}  // namespace
}  // namespace stiction::scene
