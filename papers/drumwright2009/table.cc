// The table of section 2.6, measured: the standard scenes of `stiction compare --standard` under every method.
#include <cmath>

#include <fmt/format.h>

#include "papers/drumwright2009/drumwright2009.h"
#include "stiction/io/output_file.h"
#include "stiction/methods/registry.h"
#include "stiction/report/standard_report.h"
#include "stiction/study/standard_scenes.h"

namespace stiction::papers::drumwright2009 {

namespace {

constexpr FindingMaker check_table{"drumwright2009", "table"};

// Creep below this is rest [m/s]: a micrometre in ten seconds.
constexpr double at_rest = 1e-7;

void report_convex(const Context& context, const StandardFigures& figures) {
  const double creep = std::max(figures.stack_creep.value_or(1), figures.grasp_creep.value_or(1));
  context.report(check_table("convex-impulse: creep of a stack and a grasp at rest", "m/s", creep,
                             "models stable contact", creep < at_rest, "below 1e-7 m/s"));
  context.report(check_table("convex-impulse: restitution realised", "1", figures.restitution.value_or(-1),
                             "models impacts", std::abs(figures.restitution.value_or(-1) - standard_restitution) < 0.01,
                             fmt::format("the scene states {:g}", standard_restitution)));
  context.report(check_table(
      "convex-impulse: steps that ended between tolerance and acceptance", "1",
      static_cast<double>(figures.not_converged), "convergence guaranteed", figures.failures.empty(),
      fmt::format("of {} steps; none failed. Tolerance 1e-10, acceptance 1e-6 of the duality gap", figures.steps)));
  context.report(check_table("convex-impulse: exponent of cost in contacts", "1", figures.exponent.value_or(-1),
                             "O(n^3)", figures.exponent.value_or(9) <= 3.5, "fitted; at most the paper's n^3.5 log n"));
}

}  // namespace

Result<void> table(const Context& context) {
  const std::vector<StandardFigures> figures = measure_standard(methods::method_names(), {});
  context.print_table(report::text_table(report::standard_table(figures), 120));
  for (const StandardFigures& f : figures) {
    if (methods::find_method(f.method)->source == "drumwright2009") report_convex(context, f);
  }
  const std::string markdown = (context.out / "methods.md").string(), page = (context.out / "methods.html").string();
  if (auto written = write_text_file(markdown, report::standard_markdown(figures)); !written) return written;
  return report::write_standard(page, figures);
}

}  // namespace stiction::papers::drumwright2009
