// Articulated bodies: accelerations from joint forces in time linear in the number of bodies.
#pragma once

#include "stiction/dynamics/rnea.h"

namespace stiction {

/// vdot with (M + diag(extra_diagonal)) vdot + c(q, v) - gravity - external = tau; extra_diagonal may be empty.
void aba(const Model& model, const Kinematics& kinematics, const VectorX& tau, std::span<const double> extra_diagonal,
         std::span<const Wrench> external, Recursion& scratch, VectorX& vdot);

/// The part for one tree that depends on its configuration alone: inertias into `scratch`.
void aba_inertias(const Model& model, std::span<const Joint> joints, const Kinematics& kinematics,
                  std::span<const double> extra_diagonal, Recursion& scratch);

/// The rest, any number of times behind it, for velocities, loads and bias wrenches that change. Vectors are those of
/// the whole model, of which only the tree's part is used.
void aba_accelerations(const Model& model, std::span<const Joint> joints, const Kinematics& kinematics,
                       const VectorX& tau, std::span<const Wrench> external, Recursion& scratch, VectorX& vdot);

}  // namespace stiction
