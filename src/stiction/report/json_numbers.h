// What the JSON objects of all commands share: numbers that JSON can say, and the certificate.
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stiction/simulation/run.h"

namespace stiction::report {

/// Turns numbers into JSON; JSON has no NaN and no infinity, so these become null and a note.
class Numbers {
 public:
  nlohmann::ordered_json number(double value, const std::string& where) {
    if (std::isfinite(value)) return value;
    notes_.push_back(fmt::format("{} is {}, which JSON cannot express; it is null", where,
                                 std::isnan(value) ? "not a number" : "infinite"));
    return nullptr;
  }

  nlohmann::ordered_json array(const double* values, size_t count, const std::string& where) {
    nlohmann::ordered_json items = nlohmann::ordered_json::array();
    for (size_t i = 0; i < count; ++i) items.push_back(number(values[i], fmt::format("{}[{}]", where, i)));
    return items;
  }

  nlohmann::ordered_json vector(const Vector3& v, const std::string& where) { return array(v.data(), 3, where); }

  const nlohmann::ordered_json& notes() const { return notes_; }

 private:
  nlohmann::ordered_json notes_ = nlohmann::ordered_json::array();
};

/// The object "certificate" of a run.
nlohmann::ordered_json certificate_json(const RunSummary& summary, Numbers& numbers);

}  // namespace stiction::report
