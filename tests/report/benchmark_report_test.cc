// Results of benchmarks as tables that fit, plots with a mark per result, and JSON that reads back as it was.
#include "stiction/report/benchmark_report.h"

#include <limits>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace stiction::report {
namespace {

using ::testing::HasSubstr;

BenchmarkResult pile_result(const std::string& engine, const std::string& setting) {
  BenchmarkResult result{.scene = "pile1000", .engine = engine, .setting = setting, .step = 1.0 / 120, .steps = 600};
  result.time_per_step = 0.0123456;
  result.time_per_step_end = 0.01;
  result.certificate = 1.5e-9;
  result.figures = {
      {"overlap end", "m", 1e-9}, {"overlap max", "m", 3e-3}, {"speed end", "m/s", 0}, {"speed max", "m/s", 3.25}};
  return result;
}

TEST(BenchmarkReport, StepsAreSaidAsPeopleDo) {
  EXPECT_EQ(step_text(0.01), "0.01");
  EXPECT_EQ(step_text(0.001), "0.001");
  EXPECT_EQ(step_text(1.0 / 240), "1/240");
  EXPECT_EQ(step_text(1.0 / 60), "1/60");
  EXPECT_EQ(step_text(0.003), "0.003");
}

TEST(BenchmarkReport, WidestTableFitsIntoAHundredColumns) {
  const std::vector<BenchmarkResult> results = {pile_result("stiction", "exact"),
                                                pile_result("bullet", "impulses-accurate")};
  const std::string text = benchmark_text(results, 100);
  EXPECT_THAT(text, HasSubstr("pile1000: 1000 spheres"));
  EXPECT_THAT(text, HasSubstr("\nbullet impulses-accurate  1/120 "));  // a row, not a block of lines
  EXPECT_THAT(text, HasSubstr("12.3"));                                // ms
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(BenchmarkReport, WhatIsNotThereIsSaid) {
  BenchmarkResult ended = pile_result("ode", "worldstep");
  ended.completed = false;
  ended.note = "ended by the limit of 60 s at step 3 of 600";
  ended.figures.clear();
  ended.certificate.reset();
  const std::string text = benchmark_text(std::vector{pile_result("stiction", "exact"), ended}, 100);
  EXPECT_THAT(text, HasSubstr("(12.3)"));
  EXPECT_THAT(text, HasSubstr("\n  ode worldstep, step 1/120: ended by the limit of 60 s at step 3 of 600\n"));
  BenchmarkResult slides{.scene = "slide_roll", .engine = "ode", .setting = "quickstep", .step = 0.01, .steps = 100};
  slides.figures = {{"speed error", "m/s", 0.5}, {"rolling error", "s", std::numeric_limits<double>::infinity()}};
  EXPECT_THAT(benchmark_text(std::vector{slides}, 100), HasSubstr("never"));
}

// The fastest peer, the nearest to what is right, and ours: of those that came to their end with the first step.
TEST(BenchmarkReport, TheOverviewHasTheBestOfPeersAndOurs) {
  const auto cube = [](const char* engine, const char* setting, double time, double creep) {
    BenchmarkResult result{.scene = "incline", .engine = engine, .setting = setting, .step = 1.0 / 240, .steps = 10};
    result.time_per_step = time;
    result.figures = {{"creep", "m/s", creep}, {"acceleration error", "1", 0.5}};
    return result;
  };
  std::vector<BenchmarkResult> results = {
      cube("stiction", "exact", 3e-6, 1e-12), cube("stiction", "balanced", 1e-6, 1e-12),
      cube("stiction", "fast", 2e-6, 1e-6),   cube("ode", "quickstep", 5e-6, 1e-3),
      cube("bullet", "impulses", 2e-6, 2e-3), cube("mujoco", "accurate", 8e-6, 1e-9)};
  results[1].certificate = 1e-4;
  results.push_back(cube("ode", "worldstep", 1e-7, 1e-15));  // ended early
  results.back().completed = false;
  results.push_back(cube("ode", "other", 1e-7, 1e-15));  // with another step
  results.back().step = 0.1;
  const Table table = benchmark_overview(results);
  std::vector<std::string> who;
  for (const auto& row : table.rows) who.push_back(row[0]);
  EXPECT_THAT(who, ::testing::ElementsAre("incline: creep [m/s], acceleration error", "  fastest: bullet impulses",
                                          "  nearest: mujoco accurate", "  stiction fast", "  stiction exact"));
  EXPECT_EQ(table.rows[2][1], "8 us");
  EXPECT_EQ(table.rows[2][3], "1.0e-09");
  EXPECT_THAT(benchmark_text(results, 100), HasSubstr("overview: "));
  results.resize(3);
  EXPECT_THAT(benchmark_text(results, 100), ::testing::Not(HasSubstr("overview: ")));  // nobody to compare with
}

TEST(BenchmarkReport, JsonReadsBackAsItWas) {
  BenchmarkResult result = pile_result("mujoco", "accurate");
  result.note = "MuJoCo found its state unstable 2 times";
  result.figures.push_back({"never", "s", std::numeric_limits<double>::infinity()});
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(benchmark_json(result).dump());
  EXPECT_EQ(json["figures"][4]["value"], nullptr);
  const BenchmarkResult again = read_benchmark_json(json);
  EXPECT_EQ(benchmark_json(again), benchmark_json(result));
  EXPECT_EQ(again.figures[4].value, std::numeric_limits<double>::infinity());
  EXPECT_EQ(again.time_per_step_end, 0.01);
  EXPECT_THROW(read_benchmark_json({{"scene", "pile100"}}), nlohmann::json::exception);
}

TEST(BenchmarkReport, PlotHasAPanelPerFigureAndASeriesPerSetting) {
  BenchmarkResult other = pile_result("ode", "quickstep");
  other.figures.resize(2);
  const std::vector<BenchmarkResult> results = {pile_result("stiction", "exact"), pile_result("stiction", "exact"),
                                                other};
  const std::vector<Plot> plots = benchmark_plots(benchmark_scene("pile1000"), results);
  ASSERT_EQ(plots.size(), 4U);
  EXPECT_EQ(plots[0].series.size(), 2U);
  EXPECT_EQ(plots[0].series[0].x.size(), 2U);  // one per step
  EXPECT_EQ(plots[0].series[0].color, 0);
  EXPECT_EQ(plots[0].series[1].color, 1);  // another engine, another colour
  EXPECT_EQ(plots[2].series.size(), 1U);
  EXPECT_EQ(plots[2].series[0].y[0], 1e-16);  // none at all is drawn at the foot
  EXPECT_NEAR(plots[0].series[0].x[0], 12.3456, 1e-12);
  EXPECT_THAT(render_svg(plots), HasSubstr("CPU time per step [ms]"));
}

}  // namespace
}  // namespace stiction::report
