// `stiction reproduce anitescu1998`: impacts and drift meet every value; the timing of groups is not asserted.
#include <map>

#include <gmock/gmock.h>

#include "apps/command.h"

namespace stiction::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

class ReproduceAnitescu : public CommandLine {
 protected:
  // Values by quantity; every one must be met.
  std::map<std::string, double> met(const std::string& example) {
    const Outcome outcome = stiction({"reproduce", "anitescu1998/" + example, "--out", "results", "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    std::map<std::string, double> values;
    for (const Json& line : json_lines(outcome.out)) {
      EXPECT_TRUE(line["ok"].get<bool>()) << line;
      values[line["quantity"]] = line["value"];
    }
    return values;
  }

  void expect_plot(const std::string& name) const {
    const std::string svg = read_file(work() / "results/anitescu1998" / name);
    EXPECT_THAT(svg, HasSubstr("</svg>"));
    EXPECT_EQ(svg.find("nan"), std::string::npos) << name;
  }
};

// The rod's gain is that of its scene: 0.6273 J after 0.5126 J. The safe choice keeps e^2 = 1/4 of the energy, because
// friction brings the whole rod to rest in the compression.
TEST_F(ReproduceAnitescu, ImpactsGainUnderPoissonAndNotUnderTheSafeChoice) {
  const std::map<std::string, double> values = met("impacts");
  EXPECT_NEAR(values.at("Poisson: relative change of energy of a rod that hits floor and wall"), 0.2236, 1e-4);
  EXPECT_NEAR(values.at("safe choice: relative change of energy of the same rod"), -0.75, 1e-9);
  expect_plot("impacts_bouncing.svg");
}

TEST_F(ReproduceAnitescu, DriftIsThereWithoutProjectionAndGoneWithIt) {
  const std::map<std::string, double> values = met("drift");
  EXPECT_GT(values.at("four-bar, projection_interval 0: largest |g| over 10^4 steps"), 1e-3);
  EXPECT_LT(values.at("four-bar, projection_interval 1: largest |g| over 10^4 steps"), 1e-12);
  EXPECT_GT(values.at("five-link, projection_interval 0: largest |g| over 10^4 steps"), 1e-3);
  EXPECT_LT(values.at("five-link, projection_interval 1: largest |g| over 10^4 steps"), 1e-12);
  expect_plot("drift.svg");
}

// A closing joint stated twice is named before the run, and inspect says the same.
TEST_F(ReproduceAnitescu, DependentClosingJointsAreNamed) {
  write("rod.toml", R"(
[simulation]
method = "anitescu-potra"
step = 1e-3
duration = 0.01
[[body]]
name = "frame"
fixed = true
[[body]]
name = "rod"
mass = 1
inertia = [1, 1, 1, 0, 0, 0]
[[joint]]
name = "pin"
type = "spherical"
parent = "frame"
child = "rod"
loop = true
[[joint]]
name = "pin_again"
type = "spherical"
parent = "frame"
child = "rod"
loop = true
)");
  const Outcome run = stiction({"run", "rod.toml", "--json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("'pin_again' in 3 of its 3 rows"));
  EXPECT_THAT(stiction({"run", "rod.toml", "--method", "exact-cone", "--json"}).err, IsEmpty());
  const std::vector<Json> lines = json_lines(stiction({"inspect", "rod.toml", "--json"}).out);
  ASSERT_EQ(lines.size(), 1U);
  ASSERT_EQ(lines[0]["warnings"].size(), 1U);
  EXPECT_THAT(lines[0]["warnings"][0].get<std::string>(), HasSubstr("pin_again"));
}

}  // namespace
}  // namespace stiction::cli
