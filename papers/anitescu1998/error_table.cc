#include "papers/anitescu1998/error_table.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include <fmt/format.h>

#include "papers/paper.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::anitescu1998 {

double ErrorColumn::order(const std::vector<double>& h) const {
  std::vector<double> steps, errors;
  for (size_t k = 0; k < h.size(); ++k) {
    if (!(error[k] > floor)) continue;
    steps.push_back(h[k]);
    errors.push_back(error[k]);
  }
  return steps.size() < 2 ? std::numeric_limits<double>::quiet_NaN() : observed_order(steps, errors);
}

bool ErrorColumn::exact() const {
  return std::all_of(error.begin(), error.end(), [&](double e) { return e <= floor; });
}

std::string ErrorTable::text(const std::string& title) const {
  std::string table = title + "\n" + fmt::format("{:>12}", "h [s]");
  for (const ErrorColumn& column : columns) table += fmt::format(" {:>24}", column.name);
  table += '\n';
  for (size_t k = 0; k < h.size(); ++k) {
    table += fmt::format("{:12.4e}", h[k]);
    for (const ErrorColumn& column : columns) table += fmt::format(" {:24.6e}", column.error[k]);
    table += '\n';
  }
  table += fmt::format("{:>12}", "order");
  for (const ErrorColumn& column : columns) {
    table += column.exact() ? fmt::format(" {:>24}", "exact") : fmt::format(" {:24.3f}", column.order(h));
  }
  return table + "\n\n";
}

Result<void> ErrorTable::write(const std::string& title, const std::filesystem::path& without_suffix) const {
  std::filesystem::path data_path = without_suffix, plot_path = without_suffix;
  data_path += ".csv", plot_path += ".svg";
  std::ofstream data(data_path);
  data << "h [s]";
  for (const ErrorColumn& column : columns) data << fmt::format(",\"{}\"", column.name);
  data << "\n";
  for (size_t k = 0; k < h.size(); ++k) {
    data << fmt::format("{:.17g}", h[k]);
    for (const ErrorColumn& column : columns) data << fmt::format(",{:.17g}", column.error[k]);
    data << "\n";
  }
  report::Plot plot;
  plot.title = title;
  plot.x_label = "h [s]";
  plot.y_label = "error";
  plot.x_log = plot.y_log = true;
  double largest = 0;
  for (const ErrorColumn& column : columns) {
    if (column.exact()) continue;
    plot.series.push_back(report::markers(column.name, h, column.error));
    largest = std::max(largest, column.error.front());
  }
  std::vector<double> slope;
  for (const double step : h) slope.push_back(largest * step / h.front());
  plot.series.push_back(report::dashed_line("order 1", h, slope));
  return report::write_svg(plot, plot_path);
}

}  // namespace stiction::papers::anitescu1998
