#include "stiction/report/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "stiction/report/markup.h"

namespace stiction::report {

namespace {

// Both parts of a heading in one line.
std::string heading(const Column& column) {
  if (column.unit.empty()) return column.name;
  if (column.name.ends_with('-'))
    return column.name.substr(0, column.name.size() - 1) + column.unit;  // "fall-", "backs"
  return column.name + " " + column.unit;
}

std::vector<size_t> column_widths(const Table& table) {
  std::vector<size_t> widths;
  for (const Column& column : table.columns) widths.push_back(std::max(column.name.size(), column.unit.size()));
  for (const std::vector<std::string>& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  return widths;
}

std::string text_line(const Table& table, const std::vector<size_t>& widths, const std::vector<std::string>& cells) {
  std::string line;
  for (size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) line += "  ";
    line +=
        table.columns[c].left ? fmt::format("{:<{}}", cells[c], widths[c]) : fmt::format("{:>{}}", cells[c], widths[c]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string text_blocks(const Table& table) {
  std::string text;
  size_t widest = 0;
  for (size_t c = 1; c < table.columns.size(); ++c) widest = std::max(widest, heading(table.columns[c]).size());
  for (const std::vector<std::string>& row : table.rows) {
    text += row.front() + "\n";
    for (size_t c = 1; c < row.size(); ++c) {
      text += fmt::format("  {:<{}}  {}\n", heading(table.columns[c]), widest, row[c]);
    }
  }
  return text;
}

std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += fmt::format(" {} |", markdown_cell(cell));
  return line + "\n";
}

}  // namespace

std::string text_table(const Table& table, int width) {
  const std::vector<size_t> widths = column_widths(table);
  size_t total = 2 * (widths.size() - 1);
  for (const size_t w : widths) total += w;
  if (total > static_cast<size_t>(std::max(0, width))) return text_blocks(table);
  std::vector<std::string> names, units;
  for (const Column& column : table.columns) {
    names.push_back(column.name);
    units.push_back(column.unit);
  }
  std::string text = text_line(table, widths, names);
  if (std::any_of(units.begin(), units.end(), [](const std::string& u) { return !u.empty(); })) {
    text += text_line(table, widths, units);
  }
  for (const std::vector<std::string>& row : table.rows) text += text_line(table, widths, row);
  return text;
}

std::string markdown_table(const Table& table) {
  std::vector<std::string> names, sides;
  for (const Column& column : table.columns) {
    names.push_back(heading(column));
    sides.emplace_back(column.left ? "---" : "---:");
  }
  std::string text = markdown_line(names) + markdown_line(sides);
  for (const std::vector<std::string>& row : table.rows) text += markdown_line(row);
  return text;
}

std::string html_table(const Table& table) {
  const auto side = [&](size_t c) { return table.columns[c].left ? "t" : "n"; };
  std::string html = "<div class=\"wide\"><table>\n<tr>";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    html += fmt::format("<th class=\"{}\">{}{}{}</th>", side(c), escape_markup(column.name),
                        column.unit.empty() ? "" : "<br>", escape_markup(column.unit));
  }
  html += "</tr>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", escape_markup(row.front()));
    for (size_t c = 1; c < row.size(); ++c) {
      html += fmt::format("<td class=\"{}\">{}</td>", side(c), escape_markup(row[c]));
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

}  // namespace stiction::report
