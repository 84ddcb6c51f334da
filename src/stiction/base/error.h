// Errors that a user can cause, as values: where, which name, what is wrong, and what to do about it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace stiction {

/// One mistake of a user's input. Empty fields and line 0 mean "not known".
struct Error {
  std::string what = {};    ///< what is wrong, one clause, no full stop
  std::string remedy = {};  ///< what to do about it, one sentence
  std::string name = {};    ///< the offending name: a body, a key, a value
  std::string file = {};    ///< path as the user gave it
  int line = 0;             ///< 1-based
  int column = 0;           ///< 1-based

  /// "FILE:LINE: error: WHAT: 'NAME'\n  remedy: REMEDY", leaving out what is not known.
  std::string message() const;
};

/// A value, or the user's mistake that prevented it.
template <class T>
using Result = tl::expected<T, Error>;

/// Shorthand for returning an Error from a function that returns a Result.
inline tl::unexpected<Error> failure(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

/// The name among `candidates` closest to `name` by edit distance, or empty when none is near enough to suggest.
std::string closest_name(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace stiction
