#include "stiction/base/assert.h"
#include "stiction/methods/method.h"
#include "stiction/methods/stewart_trinkle.h"

namespace stiction::methods {

std::unique_ptr<Method> make_method(std::string_view name, const MethodOptions& options, int threads) {
  if (name == "stewart-trinkle") return std::make_unique<StewartTrinkle>(options.stewart_trinkle, threads);
  STICTION_ASSERT(false, "make_method wants a name from available_method_names()");
}

}  // namespace stiction::methods
