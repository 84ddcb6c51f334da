// Velocities along the rows of a step problem.
#pragma once

#include "stiction/problem/step_problem.h"

namespace stiction {

/// J v of one row of a block.
double row_velocity(const StepProblem& problem, int block, int row, const VectorX& v);

/// u = J v + surface of a contact: rows n, t, o, spin, zero where it has none.
Vector4 contact_velocity(const StepProblem& problem, const ContactRows& contact, const VectorX& v);
/// The same of two velocities at once.
std::array<Vector4, 2> contact_velocities(const StepProblem& problem, const ContactRows& contact, const VectorX& v,
                                          const VectorX& w);

}  // namespace stiction
