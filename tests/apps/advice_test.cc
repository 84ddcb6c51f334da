// What `stiction run` says of its own cost.
#include <cmath>

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

// A row of dominoes, the first of them tilted by 12 degrees.
std::string domino_text(int count) {
  const double tilt = 12 * M_PI / 180, x = 0.004, z = 0.03;
  std::string text = "[simulation]\nstep = 0.001\nduration = 0.8\n" + floor_text;
  for (int i = 0; i < count; ++i) {
    const double a = i == 0 ? tilt : 0;
    text += fmt::format("[[body]]\nname = \"domino{}\"\ndensity = 1000\nposition = [{:.9g}, 0, {:.9g}]\n", i,
                        0.03 * i + (x * std::cos(a) + z * std::sin(a) - x), x * std::sin(a) + z * std::cos(a)) +
            fmt::format("orientation = [{:.9g}, 0, {:.9g}, 0]\n", std::cos(a / 2), std::sin(a / 2)) +
            "shape = {type = \"box\", size = [0.008, 0.03, 0.06]}\n";
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
  write("dominoes.toml", domino_text(30));
  const Outcome told = stiction({"run", "dominoes.toml", "--json"});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.err, AllOf(HasSubstr("accuracy \"exact\" takes "), HasSubstr("--accuracy balanced took "),
                              HasSubstr("--accuracy fast ")));
  EXPECT_EQ(count_of(told.err, "accuracy \"exact\""), 1);
  const Outcome quiet = stiction({"run", "dominoes.toml", "--json", "--quiet"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(json_lines(told.out).at(0)["final"], json_lines(quiet.out).at(0)["final"]);
  EXPECT_THAT(stiction({"run", "dominoes.toml", "--accuracy", "balanced"}).err, Not(HasSubstr("exact")));
}

}  // namespace
}  // namespace stiction::cli
