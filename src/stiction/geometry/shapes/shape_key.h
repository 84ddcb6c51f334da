// One key of a shape in scene files as data: what the reader accepts, what documentation prints.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "stiction/base/infinity.h"

namespace stiction::geometry {

/// See the top of the file.
struct ShapeKey {
  enum class Kind {
    number,
    two_numbers,
    vector,     ///< three numbers
    direction,  ///< three numbers, not all zero, made unit length
  };
  std::string_view name;
  Kind kind = Kind::number;
  std::string_view unit = "m";  ///< SI; empty: none
  double lower = 0;             ///< every number is at least this
  double upper = infinity;      ///< and at most this
  bool lower_open = true;       ///< above `lower`, not at it
  std::string_view relation;    ///< how the range depends on other keys, for tables; mistake() of the shape checks it
  bool required = true;
  std::array<double, 3> otherwise = {};  ///< the value of a key that is not required and not given
  std::string_view meaning;              ///< a clause for tables

  /// How many numbers the key has.
  constexpr int size() const { return kind == Kind::number ? 1 : kind == Kind::two_numbers ? 2 : 3; }
};

/// A required length above zero.
constexpr ShapeKey length_key(std::string_view name, std::string_view meaning, std::string_view relation = "") {
  return {.name = name, .relation = relation, .meaning = meaning};
}

/// Three required lengths above zero, along x, y and z.
constexpr ShapeKey lengths_key(std::string_view name, std::string_view meaning) {
  return {.name = name, .kind = ShapeKey::Kind::vector, .relation = {}, .meaning = meaning};
}

/// Values that do not go together: the key to blame, what is wrong, and the remedy.
struct KeyMistake {
  std::string_view key;
  std::string what;
  std::string remedy;
};

}  // namespace stiction::geometry
