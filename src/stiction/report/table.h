// A table of texts, and the three ways it is shown: on a terminal, in Markdown, in HTML.
#pragma once

#include <string>
#include <vector>

namespace stiction::report {

/// A column's heading in two parts, and the side its cells stand on.
struct Column {
  std::string name;
  std::string unit = {};  ///< or the second line of the name
  bool left = false;      ///< words stand left, numbers right
};

/// Rows of as many cells as there are columns.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Columns two spaces apart under headings of two lines; where they do not fit into `width` characters, one block per
/// row with one line per cell. Cells are plain ASCII.
std::string text_table(const Table& table, int width);

/// A pipe table.
std::string markdown_table(const Table& table);

/// <table>...</table>
std::string html_table(const Table& table);

}  // namespace stiction::report
