// The rows of H of one block on one of its bodies, without the columns that are zero in all of them.
//
// A contact on the foot of a tree of joints moves with the joints between foot and root alone, say 11 of 27 velocities.
// Velocities of a tree come in fours, of which a row has all or none: kernels read and write four at once
// (tree_block.h).
#pragma once

#include "stiction/math/linear/quad.h"
#include "stiction/solvers/friction/body/body_system.h"

namespace stiction::solvers {

/// `dim` rows of `width` numbers, row-major; number k of a row belongs to velocity columns[k] of the body.
struct SideRows {
  const double* values;
  const int* columns;
  int width;
};

STICTION_INLINE SideRows side_rows(const BodySystem& system, const SystemBlock& block, int side) {
  return {system.H.data() + block.H[side], system.columns.data() + block.columns[side], block.width[side]};
}

/// Calls work<N>() with N = dim, 1 to 6; does nothing where there are no rows.
template <class Work>
STICTION_INLINE void with_rows(int dim, Work&& work) {
  switch (dim) {
    case 1:
      return work.template operator()<1>();
    case 2:
      return work.template operator()<2>();
    case 3:
      return work.template operator()<3>();
    case 4:
      return work.template operator()<4>();
    case 5:
      return work.template operator()<5>();
    case 6:
      return work.template operator()<6>();
    default:
      return;
  }
}

}  // namespace stiction::solvers
