// Time per step against the number of contacts, 1 to 200, for every method in one run, with the fitted exponent: a slab
// that slides on n feet, one island (study/standard_scenes.h). Rows compare with each other, not with other runs.
//
//   bench_contacts [METHOD...]
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stiction/methods/registry.h"
#include "stiction/report/standard_report.h"

int main(int argc, char** argv) {
  std::vector<std::string> methods(argv + 1, argv + argc);
  for (const std::string& method : methods) {
    const stiction::methods::MethodDescription* info = stiction::methods::find_method(method);
    if (info != nullptr) continue;
    fmt::print(stderr, "unknown method '{}'; run 'stiction list methods' to see all methods\n", method);
    return 2;
  }
  if (methods.empty()) methods = stiction::methods::method_names();
  const auto figures = stiction::measure_costs(methods, {});
  fmt::print("time per step [us] by the number of contacts\n{}\n",
             stiction::report::text_table(stiction::report::cost_table(figures), 160));
  for (const stiction::StandardFigures& f : figures) {
    fmt::print("{:<20} time ~ contacts^{}\n", f.method, f.exponent ? fmt::format("{:.2f}", *f.exponent) : "?");
    for (const std::string& failure : f.failures) fmt::print("  {}\n", failure);
  }
}
