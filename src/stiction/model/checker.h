// Collects the first mistake found in a description, so that a long list of checks reads as a list.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/math/types.h"

namespace stiction {

/// The item of the description that a check is about.
struct Item {
  std::string name;
  int line = 0;
};

/// Records the first failed check and the warnings.
class Checker {
 public:
  explicit Checker(std::string file) : file_(std::move(file)) {}

  /// Fails with `what` and `remedy` unless `ok`.
  void require(bool ok, const Item& item, const char* what, const char* remedy) {
    if (!ok) fail(item, what, remedy);
  }
  /// Fails unconditionally; only the first failure is kept.
  void fail(const Item& item, std::string what, std::string remedy) {
    if (!error_) error_ = Error{std::move(what), std::move(remedy), item.name, file_, item.line, 0};
  }
  /// Something a user should be told that does not stop the build.
  void warn(const Item& item, const std::string& text);
  /// Fails because `item` refers to `name`, which is not one of `candidates`; suggests the closest.
  void unknown_name(const Item& item, const char* kind, const std::string& name,
                    const std::vector<std::string>& candidates);
  /// Unit quaternion of the one given; fails when it is zero or not finite, warns when it is far from unit norm.
  Quaternion unit(const Quaternion& given, const Item& item);

  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  std::string file_;
  std::optional<Error> error_;
  std::vector<std::string> warnings_;
};

}  // namespace stiction
