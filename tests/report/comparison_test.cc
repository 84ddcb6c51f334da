// Tables that fit or become blocks; a page in which twelve methods can be told apart.
#include "stiction/report/comparison.h"

#include <cmath>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "stiction/methods/registry.h"
#include "stiction/report/comparison_report.h"
#include "stiction/report/standard_report.h"
#include "stiction/report/svg/svg_bars.h"

namespace stiction::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Table small_table() {
  return {{{"method", "", true}, {"drift", "[m]"}, {"fall-", "backs"}},
          {{"exact-cone", "1.0e-03", "0"}, {"a|b<c>", "0", "12"}}};
}

TEST(Table, ColumnsStandUnderTheirHeadings) {
  EXPECT_EQ(text_table(small_table(), 80),
            "method        drift  fall-\n"
            "                [m]  backs\n"
            "exact-cone  1.0e-03      0\n"
            "a|b<c>            0     12\n");
  EXPECT_EQ(text_table(small_table(), 26).find("method"), 0U);  // just wide enough
}

TEST(Table, NarrowTerminalsGetBlocks) {
  EXPECT_EQ(text_table(small_table(), 25),
            "exact-cone\n  drift [m]  1.0e-03\n  fallbacks  0\na|b<c>\n  drift [m]  0\n  fallbacks  12\n");
}

TEST(Table, MarkupIsEscaped) {
  EXPECT_EQ(markdown_table(small_table()),
            "| method | drift [m] | fallbacks |\n| --- | ---: | ---: |\n| exact-cone | 1.0e-03 | 0 |\n"
            "| a\\|b<c> | 0 | 12 |\n");
  EXPECT_THAT(html_table(small_table()), AllOf(HasSubstr("a|b&lt;c&gt;"), Not(HasSubstr("<c>"))));
}

std::vector<MethodRun> runs_of_all_methods() {
  std::vector<MethodRun> runs;
  for (const methods::MethodDescription* method : methods::all_methods()) {
    MethodRun& run = runs.emplace_back();
    run.method = std::string(method->name);
    run.started = true;
    run.summary.steps = 10;
    run.summary.wall_seconds = 1e-4 * static_cast<double>(runs.size());
    run.drifts.push_back({.pair = {{"left", "right"}, "ball", {}}, .limit = 0.01, .dropped_at = {}});
    for (int k = 0; k <= 10; ++k) {
      const double drift = std::pow(10.0, -static_cast<double>(runs.size())) * k;
      run.samples.push_back({0.1 * k, 1.0 + drift, drift, {drift}, {Vector3(drift, 0, 0)}});
    }
  }
  return runs;
}

// In the legend of one plot every method has its own colour and dashes.
TEST(ComparisonReport, TwelveMethodsCanBeToldApart) {
  const std::vector<MethodRun> runs = runs_of_all_methods();
  const std::string page = render_comparison(runs, {}, "a<b>.toml", 1);
  EXPECT_THAT(page, AllOf(HasSubstr("a&lt;b&gt;.toml"), HasSubstr("Drift of ball in the frame of left and right"),
                          HasSubstr("</html>"), Not(HasSubstr("<script")), Not(HasSubstr("nan"))));
  const std::string plot =
      page.substr(page.find("Drift of ball"), page.find("Energy since") - page.find("Drift of ball"));
  const std::regex swatch("<path d=\"M[0-9.]+ [0-9.]+h26\" stroke=\"(#[0-9A-F]+)\" stroke-width=\"1.8\"([^/]*)/>");
  std::set<std::string> looks;
  int swatches = 0;
  for (auto at = std::sregex_iterator(plot.begin(), plot.end(), swatch); at != std::sregex_iterator();
       ++at, ++swatches) {
    looks.insert((*at)[1].str() + (*at)[2].str());
  }
  EXPECT_EQ(swatches, static_cast<int>(runs.size()));
  EXPECT_EQ(looks.size(), runs.size());
}

TEST(ComparisonReport, RunsThatFailSayWhy) {
  std::vector<MethodRun> runs = runs_of_all_methods();
  runs[1].started = false;
  runs[1].samples.clear();
  runs[1].drifts.clear();
  runs[1].summary.failure = "no ellipse";
  runs[2].summary.ok = false;
  runs[2].summary.failure = "no solution";
  runs[2].failed_at = 0.25;
  const std::string page = render_comparison(runs, {}, "a.toml", 4);
  EXPECT_THAT(page,
              AllOf(HasSubstr("stewart-trinkle: cannot take this scene: no ellipse"),
                    HasSubstr("anitescu-potra: stopped at t = 0.25 s: no solution"), HasSubstr("beside other runs")));
  EXPECT_EQ(overview_table(runs).rows[1][1], "-");
  EXPECT_EQ(drift_table(runs).rows.size(), runs.size() - 1);
  const auto json = method_run_json(runs[2], {}, "a.toml", 1);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["failed_at"], 0.25);
  EXPECT_EQ(json["drift"][0]["reference"].size(), 2U);
}

TEST(StandardReport, ThePapersKindsOfMethodsGoByNamesOfOurs) {
  for (const std::vector<std::string>& row : report::published_table().rows) {
    EXPECT_NE(methods::find_method(row.front()), nullptr) << row.front();
  }
}

TEST(ComparisonReport, NothingToPlotIsNoReasonToFail) {
  EXPECT_THAT(render_comparison({}, {}, "a.toml", 1), HasSubstr("</html>"));
  EXPECT_THAT(render_standard({}), HasSubstr("</html>"));
  EXPECT_THAT(render_bars("none", {}), HasSubstr("</svg>"));
}

TEST(SvgBars, LengthsAreLogarithmic) {
  const std::string svg =
      render_bars("time", {{"a", 1, "1"}, {"b", 10, "10"}, {"c", 100, "100"}, {"d", 0, "none"}}, 640);
  const std::regex bar("<rect x=\"150.0\" y=\"[0-9.]+\" width=\"([0-9.]+)\"");
  std::vector<double> lengths;
  for (auto at = std::sregex_iterator(svg.begin(), svg.end(), bar); at != std::sregex_iterator(); ++at) {
    lengths.push_back(std::stod((*at)[1].str()));
  }
  ASSERT_EQ(lengths.size(), 3U);                                        // zero has no bar
  EXPECT_NEAR(lengths[2] - lengths[1], lengths[1] - lengths[0], 0.11);  // rounded to tenths
  EXPECT_GT(lengths[0], 10);
}

}  // namespace
}  // namespace stiction::report
