// Ticks that a person would choose, and documents that a parser takes.
#include "stiction/report/svg/svg_plot.h"

#include <cmath>

#include <gmock/gmock.h>

#include "recording/test_scenes.h"
#include "stiction/report/svg/axis_ticks.h"

namespace stiction::report {
namespace {

using namespace recording;  // what is reported, and the scenes of its tests

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> texts;
  for (const Tick& tick : axis.ticks) texts.push_back(tick.label);
  return texts;
}

TEST(AxisTicks, OneTwoFive) {
  EXPECT_THAT(labels(make_axis({.low = 0, .high = 0.6, .padding = 0, .max_ticks = 8})),
              ElementsAre("0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"));
  EXPECT_THAT(labels(make_axis({.low = -3, .high = 7, .padding = 0, .max_ticks = 6})),
              ElementsAre("-2", "0", "2", "4", "6"));
  EXPECT_THAT(labels(make_axis({.low = 0, .high = 100, .padding = 0, .max_ticks = 3})), ElementsAre("0", "50", "100"));
}

TEST(AxisTicks, NeverMoreThanFindRoom) {
  for (const double high : {1e-9, 0.13, 1.0, 3.7, 99.0, 12345.0, 7e12}) {
    for (int room = 2; room < 12; ++room) {
      const Axis axis = make_axis({.low = 0, .high = high, .padding = 0, .max_ticks = room});
      EXPECT_LE(static_cast<int>(axis.ticks.size()), room) << high;
      EXPECT_GE(axis.ticks.size(), 1U) << high;
    }
  }
}

TEST(AxisTicks, LargeAndSmallNumbersShareAPowerOfTen) {
  const Axis small = make_axis({.low = 0, .high = 3e-6, .padding = 0, .max_ticks = 4});
  EXPECT_EQ(small.exponent, -6);
  EXPECT_THAT(labels(small), ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(make_axis({.low = 0, .high = 2e7, .padding = 0}).exponent, 7);
  EXPECT_EQ(make_axis({.low = 0, .high = 20, .padding = 0}).exponent, 0);
}

TEST(AxisTicks, ValuesThatDifferByRoundingAreOneValue) {
  const Axis axis = make_axis({.low = 9.81, .high = 9.81 * (1 + 1e-15)});
  EXPECT_LT(axis.low, 9);
  EXPECT_GT(axis.high, 10);
  const Axis zero = make_axis({.low = 0, .high = 0});
  EXPECT_LT(zero.low, 0);
  EXPECT_GT(zero.high, 0);
}

TEST(AxisTicks, CountsHaveWholeTicks) {
  EXPECT_THAT(labels(make_axis({.low = 0, .high = 2, .whole_numbers = true, .padding = 0})),
              ElementsAre("0", "1", "2"));
}

TEST(AxisTicks, PowersOfTen) {
  EXPECT_THAT(labels(make_axis({.low = 1e-4, .high = 1, .log = true, .padding = 0})),
              ElementsAre("-4", "-3", "-2", "-1", "0"));
  const Axis wide = make_axis({.low = 1e-18, .high = 1, .log = true, .padding = 0, .max_ticks = 7});
  EXPECT_THAT(labels(wide), ElementsAre("-18", "-15", "-12", "-9", "-6", "-3", "0"));
  const Axis narrow = make_axis({.low = 2, .high = 7, .log = true, .padding = 0});
  EXPECT_THAT(labels(narrow), ElementsAre("2", "5"));
  EXPECT_NEAR(wide.fraction(1e-9), 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(wide.fraction(0)));
  const Axis narrower = make_axis({.low = 3.18, .high = 3.41, .log = true, .padding = 0});
  ASSERT_GE(narrower.ticks.size(), 2u);
  EXPECT_THAT(labels(narrower), ::testing::Contains("3.20"));
  for (const Tick& tick : narrower.ticks) {
    EXPECT_GE(tick.value, 3.18);
    EXPECT_LE(tick.value, 3.41);
  }
}

TEST(AxisTicks, NothingToShowIsStillAnAxis) {
  const double nan = std::nan("");
  for (const bool log : {false, true}) {
    for (const AxisRange& range :
         {AxisRange{.low = 1, .high = -1, .log = log}, AxisRange{.low = nan, .high = nan, .log = log},
          AxisRange{.low = infinity, .high = -infinity, .log = log}}) {
      const Axis axis = make_axis(range);
      EXPECT_TRUE(std::isfinite(axis.low) && std::isfinite(axis.high) && axis.low < axis.high);
    }
  }
}

Plot demanding_plot() {
  Plot plot{.title = "a < b & \"c\"", .x_label = "time [s]", .y_label = "x > 0", .series = {}};
  plot.series = {line("with <gaps>", {0, 1, 2, 3, 4}, {1, 2, std::nan(""), infinity, 2}),
                 dashed_line("mark exact", {0, 4}, {1, 1}),
                 markers("mark", {0, 1, 2}, {1, 2, 3}),
                 step_line("", {0, 1, 2}, {1, 2, 3}),
                 line("empty", {}, {}),
                 region("area", {0, 1, std::nan(""), 3}, {0, 1, 1, 5})};
  return plot;
}

// Parses the documents and looks for numbers that are not finite.
TEST(SvgPlot, IsWellFormedXml) {
  const TemporaryFolder folder;
  std::vector<Plot> panels = {demanding_plot(), demanding_plot(), Plot{}};
  panels[1].x_log = panels[1].y_log = true;
  ASSERT_TRUE(write_svg(panels, folder.path() / "panels.svg"));
  ASSERT_TRUE(write_svg(demanding_plot(), folder.path() / "one.svg"));
  EXPECT_THAT(read_text(folder.file("panels.svg")), Not(HasSubstr("nan")));
  EXPECT_THAT(read_text(folder.file("panels.svg")), Not(HasSubstr("inf\"")));
  const PythonAnswer answer = run_python(
      "import sys, xml.dom.minidom\n"
      "for path in sys.argv[1:]:\n"
      "    ids = [e.getAttribute('id') for e in xml.dom.minidom.parse(path).getElementsByTagName('clipPath')]\n"
      "    assert len(ids) == len(set(ids)), ids\n",
      folder.file("panels.svg") + " " + folder.file("one.svg"), folder);
  if (std::filesystem::exists("/usr/bin/python3")) {
    EXPECT_TRUE(answer.ok) << answer.output;
  }
}

TEST(SvgPlot, NeedsNothingFromElsewhere) {
  const std::string svg = render_svg(std::vector<Plot>{demanding_plot()});
  EXPECT_THAT(svg, Not(HasSubstr("href")));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("<style")));
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp;"));
}

// Up is up: the larger value has the smaller y of the document, to the pixel of the axis.
TEST(SvgPlot, PointsStandWhereTheAxisSays) {
  Plot plot;
  plot.series = {line("", {0, 1}, {0, 1})};
  const std::string svg = render_svg(std::vector<Plot>{plot}, {.width = 400, .panel_height = 110});
  const size_t at = svg.find("stroke-width=\"1.8\"");
  ASSERT_NE(at, std::string::npos);
  const size_t begin = svg.rfind("d=\"M", at);
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  ASSERT_EQ(std::sscanf(svg.c_str() + begin, "d=\"M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1), 4);
  EXPECT_NEAR(y0 - y1, 110 / 1.1, 0.02);  // the range and 5 % at either end
  EXPECT_GT(x1 - x0, 300);
}

TEST(SvgPlot, AReferenceHasTheColourOfWhatItRefersTo) {
  Plot plot;
  plot.series = {dashed_line("v exact", {0, 1}, {0, 1}), line("u", {0, 1}, {1, 2}), line("v", {0, 1}, {0, 1})};
  const std::string svg = render_svg(std::vector<Plot>{plot});
  EXPECT_THAT(svg, HasSubstr("stroke=\"#D55E00\" stroke-width=\"1.4\" stroke-dasharray"));
}

// A step's mean force holds from the step's start to its end.
TEST(SvgPlot, StepsGoUpBeforeTheyGoOn) {
  Plot plot;
  plot.series = {step_line("", {0, 1, 2}, {0, 1, 2})};
  const std::string svg = render_svg(std::vector<Plot>{plot});
  const size_t begin = svg.rfind("d=\"M", svg.find("stroke-width=\"1.8\""));
  double x = 0, y = 0, v = 0, h = 0;
  EXPECT_EQ(std::sscanf(svg.c_str() + begin, "d=\"M%lf %lfV%lfH%lf", &x, &y, &v, &h), 4);
}

// A shaded area larger than the data is cut off, and the axis stays that of the data.
TEST(SvgPlot, RegionsDoNotWidenTheAxes) {
  Plot plot;
  plot.series = {line("", {0, 1}, {0, 1}), region("forbidden", {0.5, 9, 9, 0.5}, {-9, -9, 9, 9})};
  const std::string svg = render_svg(std::vector<Plot>{plot});
  plot.series.pop_back();
  const std::string alone = render_svg(std::vector<Plot>{plot});
  EXPECT_THAT(svg, HasSubstr("fill-opacity"));
  EXPECT_THAT(svg, HasSubstr("forbidden"));
  for (const char* label : {">0.0<", ">0.2<", ">1.0<"}) {
    EXPECT_THAT(alone, HasSubstr(label));
    EXPECT_THAT(svg, HasSubstr(label));
  }
  EXPECT_THAT(svg, Not(HasSubstr(">8<")));
}

// A unit square is as high as it is wide.
TEST(SvgPlot, EqualScaleMakesCirclesRound) {
  Plot plot;
  plot.equal_scale = true;
  plot.series = {line("", {0, 1, 1}, {0, 0, 1}), line("", {0, 3}, {0, 1})};
  const std::string svg = render_svg(std::vector<Plot>{plot});
  const size_t begin = svg.rfind("d=\"M", svg.find("stroke-width=\"1.8\""));
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  ASSERT_EQ(std::sscanf(svg.c_str() + begin, "d=\"M%lf %lfL%lf %lfL%lf %lf", &x0, &y0, &x1, &y1, &x2, &y2), 6);
  EXPECT_NEAR(x1 - x0, y1 - y2, 0.03);  // two roundings to a hundredth of a pixel
}

TEST(SvgPlot, BadPathsAreErrorsWithARemedy) {
  const TemporaryFolder folder;
  const auto written = write_svg(Plot{}, folder.path() / "none" / "plot.svg");
  ASSERT_FALSE(written);
  EXPECT_FALSE(written.error().remedy.empty());
  EXPECT_THAT(written.error().file, HasSubstr("plot.svg"));
  EXPECT_EQ(folder.count(), 0);
}

}  // namespace
}  // namespace stiction::report
