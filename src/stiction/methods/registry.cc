#include "stiction/methods/registry.h"

#include <array>

namespace stiction::methods {

// One line per method: its file defines a MethodDescription of this name.
// clang-format off
#define STICTION_METHODS(method) \
  method(exact_cone) \
  method(stewart_trinkle) \
  method(anitescu_potra) \
  method(implicit_geometry) \
  method(quasi_rigid) \
  method(convex_impulse) \
  method(event_driven) \
  method(acceleration_lcp) \
  method(penalty) \
  method(sequential_impulse) \
  method(impulse_hahn) \
  method(impulse_mirtich)
// clang-format on

#define DECLARE(name) extern const MethodDescription name;
STICTION_METHODS(DECLARE)
#undef DECLARE

namespace {

#define ADDRESS(name) &name,
constexpr std::array methods = {STICTION_METHODS(ADDRESS)};
#undef ADDRESS

}  // namespace

std::span<const MethodDescription* const> all_methods() {
  return methods;
}

const MethodDescription* find_method(std::string_view name) {
  for (const MethodDescription* method : methods) {
    if (method->name == name) return method;
  }
  return nullptr;
}

const MethodDescription& default_method() {
  return *methods.front();
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodDescription* method : methods) names.emplace_back(method->name);
  return names;
}

}  // namespace stiction::methods
