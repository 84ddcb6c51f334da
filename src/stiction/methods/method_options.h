// Options of all methods in one value: each method keeps a struct of its own in it, which nobody else needs to know.
#pragma once

#include <any>
#include <map>
#include <typeindex>

namespace stiction::methods {

/// How the mechanism is described to the method.
enum class Coordinates {
  reduced,  ///< joint coordinates; only loop-closing joints are constraints
  maximal,  ///< every body free, every joint a constraint, as in trinkle2003
};

/// Copies are deep. An options struct that nobody has touched has its defaults.
class MethodOptions {
 public:
  Coordinates coordinates = Coordinates::reduced;

  /// The options of the method whose struct is T, to be changed.
  template <class T>
  T& of() {
    std::any& value = values_[typeid(T)];
    if (!value.has_value()) value = T{};
    return std::any_cast<T&>(value);
  }

  /// The same, to be read.
  template <class T>
  const T& of() const {
    static const T defaults{};
    const auto found = values_.find(typeid(T));
    return found == values_.end() ? defaults : std::any_cast<const T&>(found->second);
  }

 private:
  std::map<std::type_index, std::any> values_;
};

}  // namespace stiction::methods
