#include "stiction/base/error.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace stiction {

std::string Error::message() const {
  std::string text;
  if (!file.empty()) text += line > 0 ? fmt::format("{}:{}: ", file, line) : fmt::format("{}: ", file);
  text += "error: " + what;
  if (!name.empty()) text += fmt::format(": '{}'", name);
  if (!remedy.empty()) text += "\n  remedy: " + remedy;
  return text;
}

namespace {

// Levenshtein distance, one row at a time.
size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substitution, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string closest_name(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace stiction
