#include "stiction/model/checker.h"

#include <cmath>

#include <fmt/format.h>

namespace stiction {

void Checker::warn(const Item& item, const std::string& text) {
  std::string place = file_;
  if (item.line > 0) place += fmt::format(":{}", item.line);
  if (!place.empty()) place += ": ";
  warnings_.push_back(fmt::format("{}'{}': {}", place, item.name, text));
}

void Checker::unknown_name(const Item& item, const char* kind, const std::string& name,
                           const std::vector<std::string>& candidates) {
  const std::string closest = closest_name(name, candidates);
  const std::string remedy = closest.empty() ? fmt::format("Define a {} of that name, or correct the name.", kind)
                                             : fmt::format("Did you mean '{}'?", closest);
  const std::string owner = item.name.empty() ? "" : fmt::format(" in '{}'", item.name);
  fail({name, item.line}, fmt::format("unknown {}{}", kind, owner), remedy);
}

Quaternion Checker::unit(const Quaternion& given, const Item& item) {
  const double norm = given.coeffs().norm();
  if (!std::isfinite(norm)) {
    fail(item, "orientation is not finite", "Give four finite numbers [w, x, y, z].");
  } else if (norm < 1e-12) {
    fail(item, "orientation is the zero quaternion",
         "Give a unit quaternion [w, x, y, z]; [1, 0, 0, 0] leaves the axes as they are.");
  } else {
    if (std::abs(norm - 1) > 1e-6) warn(item, fmt::format("orientation has norm {:.9g}; it has been normalised", norm));
    return given.normalized();
  }
  return Quaternion::Identity();
}

}  // namespace stiction
