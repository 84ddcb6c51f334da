#include "stiction/solvers/report.h"

namespace stiction::solvers {

std::string_view termination_name(Termination termination) {
  switch (termination) {
    case Termination::solved:
      return "solved";
    case Termination::no_solution:
      return "no_solution";
    case Termination::not_found:
      return "not_found";
    case Termination::time_limit:
      return "time_limit";
    case Termination::budget:
      return "budget";
  }
  return "not_found";
}

}  // namespace stiction::solvers
