// Composite rigid bodies: the mass matrix, one dense block per tree.
#pragma once

#include "stiction/dynamics/rnea.h"

namespace stiction {

/// Writes every tree's block (column-major, both triangles) into `mass` (Model::mass_size numbers); armature and
/// `extra_diagonal` (v_size numbers, or empty) are added to the diagonal.
void crba(const Model& model, const Kinematics& kinematics, std::span<const double> extra_diagonal, Recursion& scratch,
          std::span<double> mass);

}  // namespace stiction
