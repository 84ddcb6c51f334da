// The Fischer-Burmeister merit of a friction problem: zero exactly at its answers, smooth when squared.
//
// On the second-order cone (Fukushima, Luo, Tseng 2001) phi(x, y) = x + y - (x^2 + y^2)^(1/2) in the Jordan algebra,
// x = (r_n, r_f / mu) and y = (u_n + mu |u_f|, mu u_f): with these both cones are |x_f| <= x_n. Bounded blocks count by
// their natural map, bilateral ones by u.
#pragma once

#include "stiction/solvers/friction/kernels/scaled_friction.h"

namespace stiction::solvers {

/// |phi(r)| in the weights of the residual, for u = W r + q.
double fischer_burmeister_norm(const ScaledFriction& s, const double* r, const double* u);

}  // namespace stiction::solvers
