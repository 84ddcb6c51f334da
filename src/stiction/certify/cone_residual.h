// How wrong is r for a contact problem with general friction cones? From problem and answer alone.
//
// With c_n = r_n, u = W r + q, g_F the gauge of F (the least t with b in t F) and h_F its support function, per contact
//
//     normal        min(c_n / rho, u_n)                          zero: 0 <= c_n complements u_n >= 0
//     cone          (g_F(r_f) - c_n)+ / rho                      zero: friction inside its cone
//     dissipation   c_n h_F(-u_f) + r_f . u_f                    zero: r_f dissipates the most that c_n F can, (20)
//
// rho = rows / trace of the contact's block of W, friction rows weighed by the reach of F along them over its largest
// reach (as in friction_residual.h). Velocities are relative to |q| in these weights, powers to |q| times the larger of
// rho |q| and c_n max |F|: with friction of 1000 a rounding of u_f costs 1000 times the power, and is a rounding still.
// The gap of dissipation is of second order in the direction of sliding; the equation of (22) below is of first order.
//
// (22) for given lambda is divided by c_n^(gamma - 1), by homogeneity, with b = beta / c_n:
//
//     c_n u_f + sum lambda_i grad phi_i(1, b) = 0,     lambda_i >= 0,     lambda_i phi_i(1, b) = 0
//
// and holds for any lambda with sum lambda_i grad phi_i(0, 0) = 0 where c_n = 0. All in long double; none of the
// formulas come from the code of the cones or of a solver.
#pragma once

#include <span>

#include "stiction/problem/cone_problem.h"

namespace stiction::certify {

/// Norms over all contacts, relative; zero is perfect, infinity: a number is not finite.
struct ConeResidual {
  double normal = 0;
  double cone = 0;
  double dissipation = 0;
  double bilateral = 0;  ///< u over bilateral rows

  double worst() const;
};

/// The residual of r, one value per row.
ConeResidual cone_residual(const ConeProblem& problem, std::span<const double> r);

/// What the friction part of (22) leaves; relative powers.
struct FritzJohnResidual {
  double stationarity = 0;
  double complementarity = 0;  ///< lambda_i phi_i
  double sign = 0;             ///< negative lambda_i

  double worst() const;
};

/// The residual of (22) for r and its lambda (multiplier_count(problem) values).
FritzJohnResidual fritz_john_residual(const ConeProblem& problem, std::span<const double> r,
                                      std::span<const double> lambda);

}  // namespace stiction::certify
