// What `stiction run` says of its own cost.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "apps/command.h"

namespace stiction::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string floor_text = "[[body]]\nname = \"floor\"\nfixed = true\nshape = {type = \"plane\"}\n";

// Cubes of 1 m on each other: four contacts per cube, and all of them hang together.
std::string tower_text(int count) {
  std::string text = "[simulation]\nstep = 0.001\nduration = 0.003\n" + floor_text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format("[[body]]\nname = \"cube{}\"\nmass = 1\nposition = [0, 0, {}]\n", i, i + 0.5) +
            "shape = {type = \"box\", size = [1, 1, 1]}\n";
  }
  return text;
}

// Tilted boxes, side by side and above each other, that fall between four walls.
std::string pile_text(int side, int layers) {
  std::string text = "[simulation]\nstep = 0.008\nduration = 1.2\n" + floor_text;
  const double half = 0.12 * side;
  for (int wall = 0; wall < 4; ++wall) {
    const int x = wall == 0 ? 1 : wall == 1 ? -1 : 0, y = wall == 2 ? 1 : wall == 3 ? -1 : 0;
    text +=
        fmt::format("[[body]]\nname = \"wall{}\"\nfixed = true\nposition = [{}, {}, 0]\n", wall, -x * half, -y * half) +
        fmt::format("shape = {{type = \"plane\", normal = [{}, {}, 0]}}\n", x, y);
  }
  for (int i = 0; i < side * side * layers; ++i) {
    const int x = i % side, y = i / side % side, z = i / side / side;
    text +=
        fmt::format("[[body]]\nname = \"box{}\"\ndensity = 1000\nposition = [{:.9g}, {:.9g}, {:.9g}]\n", i,
                    0.24 * (x - 0.5 * (side - 1)) + 0.01 * (z % 3), 0.24 * (y - 0.5 * (side - 1)), 0.15 + 0.24 * z) +
        fmt::format("orientation = [0.9, {}, {}, 0.1]\n", 0.1 + 0.05 * (i % 5), 0.2 - 0.07 * (i % 4)) +
        "shape = {type = \"box\", size = [0.16, 0.16, 0.16]}\n";
  }
  return text;
}

int count_of(const std::string& text, const std::string& words) {
  int count = 0;
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

using Advice = CommandLine;

TEST_F(Advice, AMethodSaysOnceThatAScenesIslandsAreBeyondIt) {
  write("tower.toml", tower_text(16));
  const Outcome outcome = stiction({"run", "tower.toml", "--method", "stewart-trinkle"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("64 contacts hang together at t = 0.001 s"), HasSubstr("up to 60"),
                                 HasSubstr("For piles take exact-cone")));
  EXPECT_EQ(count_of(outcome.err, "hang together"), 1);
  EXPECT_EQ(stiction({"run", "tower.toml", "--method", "stewart-trinkle", "--quiet"}).err, "");
  EXPECT_EQ(stiction({"run", "tower.toml"}).err, "");
}

// The figures are those of a trial, which leaves the run itself as it was.
TEST_F(Advice, SaysOnceWhatLessAccuracyWouldSave) {
  write("pile.toml", pile_text(3, 5));
  const Outcome told = stiction({"run", "pile.toml", "--json"});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.err, AllOf(HasSubstr("accuracy \"exact\" takes "), HasSubstr("--accuracy balanced took "),
                              HasSubstr("--accuracy fast ")));
  EXPECT_EQ(count_of(told.err, "accuracy \"exact\""), 1);
  const Outcome quiet = stiction({"run", "pile.toml", "--json", "--quiet"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(json_lines(told.out).at(0)["final"], json_lines(quiet.out).at(0)["final"]);
  EXPECT_THAT(stiction({"run", "pile.toml", "--accuracy", "balanced"}).err, Not(HasSubstr("exact")));
}

}  // namespace
}  // namespace stiction::cli
