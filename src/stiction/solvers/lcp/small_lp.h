// Is a small system w = M z + q with signs on z and w feasible? A dense dictionary and the dual simplex method with no
// objective.
//
//   Every variable is free, nonnegative or fixed at zero; non-basic ones are zero. While a basic variable violates its
//   sign, it leaves for a non-basic one that can take the violation away; without an objective every dictionary is dual
//   feasible, so any such exchange is a dual simplex step: the largest violation and the largest pivot first, Bland's
//   rule (which cannot cycle) once that has taken long. A row that no exchange can repair is Farkas' proof.
//
// Made for a few dozen rows at the end of a chain of solvers, never inside a time step that goes well: it allocates.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/problem/lcp.h"

namespace stiction::solvers {

/// What a variable may be.
enum class LpSign : std::uint8_t { free, nonnegative, zero };

/// How a search for feasibility ended.
enum class LpEnd : std::uint8_t { feasible, infeasible, stalled };

/// M and q by rows and columns equilibrated with powers of two: w' = R w / s, z = s C z'.
struct LpScaling {
  MatrixX M;  ///< R M C
  VectorX q;  ///< R q / s, largest entry about one
  VectorX row, column;
  double q_scale = 1;

  explicit LpScaling(const MixedLcp& problem);
};

/// A dictionary: basic = value + T non-basic. Variables: w_i is i, z_i is n + i. Copies are independent (branching).
struct LpDictionary {
  int n = 0;
  MatrixX T;
  VectorX value;
  std::vector<int> basic, nonbasic;  ///< variable of each row and column
  std::vector<LpSign> sign;          ///< of each of the 2 n variables
  int pivots = 0;                    ///< since T was computed from M
  int bad_row = -1;                  ///< the row that proves infeasibility

  /// Starts at z = 0: equations have w zero and z free, the others both nonnegative.
  LpDictionary(const LpScaling& problem, const std::vector<std::uint8_t>& is_complementarity);

  /// Exchanges until every sign holds or none of a row's exchanges helps.
  LpEnd make_feasible(const LpScaling& problem);

  /// Value of a variable.
  double operator[](int variable) const;

  /// After `infeasible`: multipliers y' of w' = M' z' + q', solved afresh from M'; signs hold exactly.
  VectorX multipliers(const LpScaling& problem) const;

  /// z' of the present basis solved afresh from M'.
  VectorX solve_basis(const LpScaling& problem) const;

  double violation(int r) const;
  int choose_row(bool bland) const;
  int choose_column(int r, bool bland) const;
  void exchange(int r, int c);
  void recompute(const LpScaling& problem);
  void split(std::vector<int>& basic_z, std::vector<int>& nonbasic_w) const;
};

}  // namespace stiction::solvers
