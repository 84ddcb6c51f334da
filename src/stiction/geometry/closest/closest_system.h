// The equations of closest_points.h at one point: values, residual, Jacobian and its factors, in fixed memory.
//
// Scaled unknowns: a, b and g over `length`; n and the multipliers as they are. A step (da, db, dn, dg, dlambda, dmu)
// obeys, with G the gradients, W = sum lambda_k length Hessian f_k and alpha = R_A da, beta = R_B db in world axes,
//
//     W_A alpha + G_A dlambda - dn = r_1            -> dn
//     W_B beta + G_B dmu + dn = r_2
//     beta - alpha - g dn - n dg = r_3              -> beta
//     n . dn = r_4
//     (derivative of row k with lambda_k) dlambda_k - (with its slack) G_k . alpha = r_k
//
// The first and third are solved by hand; what is left has 4 + (active surfaces) unknowns alpha, dg, dlambda, dmu. A
// surface that is not active (its row reads dlambda_k = r_k) is left out too.
#pragma once

#include <Eigen/SVD>
#include <array>

#include "stiction/geometry/closest/closest_points.h"

namespace stiction::geometry {

/// A vector of the scaled unknowns, all multipliers in their places.
using ClosestVector = std::array<double, max_closest_unknowns>;

class ClosestSystem {
 public:
  ClosestSystem(const PiecePair& pair, double length) : pair_(pair), length_(length) {}

  /// Rounds the corner of the min map, min(x, y) -> (x + y - sqrt((x - y)^2 + 4 s^2)) / 2: x y = s^2 at its zeros.
  void set_smoothing(double s) { smoothing_ = s; }

  /// Values of all surfaces, the residual (as closest_residual) and the active set at y.
  void evaluate_at(const ClosestUnknowns& unknowns);
  const ClosestVector& residual() const { return residual_; }
  double residual_norm() const;
  /// Rounding of the residual at this point.
  double rounding() const;

  /// Takes as active what the solution shows: held, or multiplier positive, or on the surface with the others.
  void settle_active_set();
  /// Factors the matrix of the active set; a singular one by its singular values instead.
  void factor();
  /// By singular values, those below `least` (of a matrix of order one) taken as zero.
  void factor_least_norm(double least = 1e-7);
  /// x with J x = rhs (least norm, least squares when singular); both in scaled unknowns.
  void solve(const ClosestVector& rhs, ClosestVector& x) const;
  bool full_rank() const { return lu_; }

  int size() const { return 10 + pair_.A.count + pair_.B.count; }
  double multiplier(int k) const { return multipliers_[k]; }
  bool active(int k) const { return active_[k]; }
  /// Surface k of both pieces in one numbering: those of A first.
  const PieceSurface& surface(int k) const {
    return k < pair_.A.count ? pair_.A.surfaces[k] : pair_.B.surfaces[k - pair_.A.count];
  }

 private:
  static constexpr int capacity = 4 + 2 * max_piece_surfaces;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, capacity, capacity>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, capacity, 1>;
  int surface_count() const { return pair_.A.count + pair_.B.count; }
  bool of_A(int k) const { return k < pair_.A.count; }
  bool equality(int k) const { return surface(k).held || (of_A(k) ? pair_.A.count : pair_.B.count) == 1; }
  void evaluate_surface(int k, const Vector3& x, double level, const Matrix3& R);
  void set_complementarity(int k);
  void assemble();
  void solve_reduced(Vector& z) const;

  const PiecePair& pair_;
  double length_;
  Vector3 a_, b_, n_;
  double g_ = 0;
  double smoothing_ = 0;
  Vector3 p_AB_;
  std::array<double, 2 * max_piece_surfaces> multipliers_;
  std::array<double, 2 * max_piece_surfaces> slack_;      ///< -(f + level) / length
  std::array<Vector3, 2 * max_piece_surfaces> gradient_;  ///< world axes
  std::array<bool, 2 * max_piece_surfaces> active_;
  std::array<double, 2 * max_piece_surfaces> by_multiplier_;  ///< derivative of the row with its multiplier
  std::array<double, 2 * max_piece_surfaces> by_slack_;
  Matrix3 W_A_, W_B_;      ///< as at the top, world axes
  Matrix3 beta_by_alpha_;  ///< I + g W_A
  ClosestVector residual_;
  Matrix matrix_;
  std::array<int, capacity> rows_;
  bool lu_ = false;
  double least_ = 0;
  /// Of a singular matrix_; keeps its memory in place, as the other Eigen factors do not.
  Eigen::JacobiSVD<Matrix> svd_;
};

}  // namespace stiction::geometry
