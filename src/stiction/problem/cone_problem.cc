#include "stiction/problem/cone_problem.h"

#include <algorithm>
#include <cmath>

namespace stiction {

bool well_formed(const ConeProblem& problem) {
  int row = problem.bilateral_rows;
  for (const ConeContact& contact : problem.contacts) {
    if (contact.first_row != row) return false;
    row += 1 + friction_rows(contact);
  }
  const auto finite = [](double x) { return std::isfinite(x); };
  return row == problem.row_count() && problem.W.size() == problem.q.size() * problem.q.size() &&
         std::all_of(problem.W.begin(), problem.W.end(), finite) &&
         std::all_of(problem.q.begin(), problem.q.end(), finite);
}

}  // namespace stiction
