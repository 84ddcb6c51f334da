// A comparison as JSON: the file of --json, and the store of peers' times behind --peer-cache.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "comparison.h"

namespace stiction::bench {

/// Everything measured.
nlohmann::ordered_json comparison_json(const Comparison& comparison);

/// Measurements of peers from an earlier run, by problem and solver; valid for the trial options they were made with.
class PeerCache {
 public:
  /// Reads `path` if it is there; an empty path makes a cache that keeps nothing.
  explicit PeerCache(std::string path);

  /// The stored measurement, or null.
  const Measurement* find(const std::string& problem, const std::string& solver, const TrialOptions& options);
  /// Keeps a measurement and writes the file anew.
  void store(const std::string& problem, const std::string& solver, const TrialOptions& options,
             const Measurement& measurement);

 private:
  std::string path_;
  nlohmann::ordered_json entries_ = nlohmann::ordered_json::object();
  Measurement found_;
};

}  // namespace stiction::bench
