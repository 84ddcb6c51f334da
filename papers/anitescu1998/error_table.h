// Errors of several quantities against h, with observed orders: the table, the data file and the plot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stiction/base/error.h"

namespace stiction::papers::anitescu1998 {

/// One quantity's errors, one per step.
struct ErrorColumn {
  std::string name;  ///< with unit
  std::vector<double> error;
  double floor = 0;  ///< errors at or below it are rounding: they have no order

  /// Least-squares order over the errors above the floor; NaN where fewer than two are.
  double order(const std::vector<double>& h) const;
  /// Whether every error is rounding.
  bool exact() const;
};

/// Columns over the same steps.
struct ErrorTable {
  std::vector<double> h;
  std::vector<ErrorColumn> columns;

  /// Rows of errors, the last one the observed orders.
  std::string text(const std::string& title) const;
  Result<void> write(const std::string& title, const std::filesystem::path& without_suffix) const;
};

}  // namespace stiction::papers::anitescu1998
