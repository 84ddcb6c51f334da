// Articulated bodies: accelerations from joint forces in time linear in the number of bodies.
#pragma once

#include "stiction/dynamics/rnea.h"

namespace stiction {

/// vdot with (M + diag(extra_diagonal)) vdot + c(q, v) - gravity - external = tau; extra_diagonal may be empty.
void aba(const Model& model, const Kinematics& kinematics, const VectorX& tau, std::span<const double> extra_diagonal,
         std::span<const Wrench> external, Recursion& scratch, VectorX& vdot);

/// The same for one tree; vectors are those of the whole model, of which only the tree's part is used.
void aba(const Model& model, std::span<const Joint> joints, const Kinematics& kinematics, const VectorX& tau,
         std::span<const double> extra_diagonal, std::span<const Wrench> external, Recursion& scratch, VectorX& vdot);

}  // namespace stiction
