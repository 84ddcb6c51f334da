// Where stored problems are: the project's own, which every checkout has, and collections outside it, for studies.
//
// A test on a collection is a study: its suite is named *Study, and it skips where the collection is not there.
// Everything that a study shows in full, a test on tests/data shows in small.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/places.h"

namespace stiction::testing {

/// tests/data: part of the repository, made by script/test-data.
inline std::filesystem::path own_problems() {
  return source_path("tests/data");
}

/// The collections beside the repository; may be absent.
inline std::filesystem::path shared_problems() {
  return source_path("../shared/problems");
}

/// What a folder holds, sorted by name: the same order on every file system.
inline std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace stiction::testing

/// Skips a study whose collection is not beside the repository.
#define STICTION_STUDY_ON(folder) \
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "a study on " << (folder) << ", which is not here"
