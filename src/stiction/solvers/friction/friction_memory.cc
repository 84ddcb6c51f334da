#include "stiction/solvers/friction/friction_memory.h"

#include <algorithm>

namespace stiction::solvers {

void FrictionMemory::reserve_rungs() {
  const size_t rows = scaled.row_count, values = scaled.value.size(), blocks = scaled.block_count;
  if (!all_rungs || (rows <= reserved_rows && values <= reserved_values)) return;
  reserved_rows = std::max(rows, reserved_rows);
  reserved_values = std::max(values, reserved_values);
  NewtonWorkspace& n = newton;
  InteriorPointWorkspace& i = interior;
  for (auto* vector : {&n.u,
                       &n.du,
                       &n.dr,
                       &n.F,
                       &n.trial_r,
                       &n.trial_u,
                       &n.best,
                       &proximal.center,
                       &proximal.trial,
                       &proximal.u,
                       &admm.f,
                       &admm.y,
                       &admm.z,
                       &admm.last,
                       &admm.u,
                       &i.q,
                       &i.z,
                       &i.s,
                       &i.u,
                       &i.du,
                       &i.r,
                       &i.dz,
                       &i.ds,
                       &i.right,
                       &i.r_p,
                       &i.dz_affine,
                       &i.ds_affine,
                       &i.best}) {
    vector->reserve(rows);
  }
  for (auto* vector : {&n.value, &admm.value, &i.W, &i.matrix}) vector->reserve(values);
  for (auto* vector : {&n.active, &admm.active, &i.active}) vector->reserve(blocks);
  velocity.size_for(scaled);
  static_cast<void>(static_cast<PatternWorkspace&>(enumeration));
  static_cast<void>(static_cast<PolyhedralWorkspace&>(polyhedral));
  static_cast<void>(static_cast<RefuteWorkspace&>(refute));
  n.A.reserve(36 * blocks), n.B.reserve(36 * blocks), n.coupling.reserve(3 * blocks), i.scaling.reserve(5 * blocks);
  newton.lu.analyze(scaled);
}

}  // namespace stiction::solvers
