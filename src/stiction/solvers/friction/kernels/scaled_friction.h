// A friction problem in the units that solvers like: every block of unit size, every law isotropic, |q| about one.
//
//     r = |q| S D r',   u' = D S u / |q|,   W' = D S W S D,   q' = D S q / |q|
//
// S makes ellipsoids round (s_i = axis_i / largest axis; 1 on normals), D is one number per contact or bounded block,
// d = (trace(S W S) / rows)^(-1/2), and one per row of bilateral blocks, W_ii^(-1/2). A number per contact leaves
// Coulomb's law as it is, with mu the largest axis. In these units the step length rho of the natural map is one, and
// the normalised residual is | (r' - P(r' - uhat')) / d |.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stiction/problem/friction_problem.h"

namespace stiction::solvers {

/// See the top of the file. Keeps its capacity from problem to problem.
struct ScaledFriction {
  using Law = FrictionBlock::Law;

  const FrictionProblem* problem = nullptr;  ///< its structure (row_start, column, value_start) is used as it is
  int block_count = 0;
  int row_count = 0;
  bool all_three = false;          ///< every block is a contact of three rows: kernels of fixed size apply
  bool round = false;              ///< all_three, and every friction ellipse a circle
  bool plain = false;              ///< all_three, or contacts and bilaterals only: no bounded blocks
  double q_norm = 0;               ///< |S q|
  std::vector<Law> law;            ///< one per block
  std::vector<std::uint8_t> dim;   ///< rows of a block
  std::vector<int> first;          ///< first row of a block
  std::vector<double> mu;          ///< contact: friction; bounded: factor of r'_n(link) in the radius
  std::vector<double> bound;       ///< bounded: constant part of the radius, scaled
  std::vector<int> link;           ///< bounded: block of its contact, or -1
  std::vector<double> row_scale;   ///< S D, one per row
  std::vector<double> row_weight;  ///< 1 / d, one per row: weights of the residual
  std::vector<int> diagonal;       ///< index of the stored diagonal block of a block row
  std::vector<double> value;       ///< W'
  std::vector<double> q;           ///< q'

  const int* row_start() const { return problem->row_start.data(); }
  const int* column() const { return problem->column.data(); }
  const int* value_start() const { return problem->value_start.data(); }
  const double* diagonal_block(int block) const { return value.data() + value_start()[diagonal[block]]; }
};

/// Fills `scaled` from `problem`, which must outlive it. False when a number is not finite.
bool scale_friction(const FrictionProblem& problem, ScaledFriction& scaled);

/// u' = W' r' + q'.
void scaled_velocity(const ScaledFriction& scaled, const double* r, double* u);

/// Normalised natural-map residual of r' when u = W' r' + q'.
double scaled_residual(const ScaledFriction& scaled, const double* r, const double* u);

/// r' from r, and back.
void to_scaled(const ScaledFriction& scaled, std::span<const double> r, double* r_scaled);
void from_scaled(const ScaledFriction& scaled, const double* r_scaled, std::span<double> r);

}  // namespace stiction::solvers
