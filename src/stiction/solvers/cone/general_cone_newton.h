// Newton's method on the natural map of general_cone.h, at one point of a homotopy. Internal to general_cone.cc.
#pragma once

#include "stiction/solvers/cone/general_cone.h"

namespace stiction::solvers {

/// Where on a homotopy: s F, (W + shift I), q + load_share * load.
struct ConeLevel {
  double friction = 1;
  double shift = 0;
  double load_share = 0;
};

/// How a run ended.
struct ConeNewtonResult {
  bool solved = false;
  int steps = 0;
  double residual = 0;
};

/// Copies the problem into the workspace in scaled units.
void scale_cone_problem(const ConeProblem& problem, GeneralConeWorkspace& w);

/// |F| / |q| at z.
double natural_residual(const ConeLevel& level, const double* z, GeneralConeWorkspace& w);

/// What a few units of rounding in every product of W z leave of |F| / |q|.
double rounding_floor(const double* z, const GeneralConeWorkspace& w);

/// Newton steps with a line search from z, in place; z becomes the best iterate.
ConeNewtonResult run_cone_newton(const ConeLevel& level, double tolerance, int steps, GeneralConeWorkspace& w,
                                 double* z);

/// One projected Gauss-Seidel sweep.
void cone_sweep(GeneralConeWorkspace& w, double* z);

/// z with normal impulses of zero or more and friction moved to P(z_f - u_f on z_n F): changes an answer by rounding.
void project_answer(GeneralConeWorkspace& w, double* z);

}  // namespace stiction::solvers
